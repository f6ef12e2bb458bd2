"""The ids of names: what references, mentions and imports spell is written once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from granum.index.rows import Row

#: Names that are remembered, some 150 bytes each; all are forgotten when there are more.
_REMEMBERED = 100_000


class Vocabulary:
    """Finds and gives ids of names. Only the writer has one, and makes a new one when a transaction fails.

    Names that are new are written by ``flush``; until then they are known here alone.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, int] = {"": 0}
        self._new: list[tuple[int, str]] = []
        self._last = 0

    def ids(self, names: Sequence[str]) -> list[int]:
        """The ids of these names; that of the empty one is 0."""
        missing = [name for name in dict.fromkeys(names) if name not in self._ids]
        if missing:
            self._look_up(missing)
        return [self._ids[name] for name in names]

    def flush(self) -> None:
        """Writes the new names, within the transaction."""
        self._connection.executemany("INSERT INTO name (id, text) VALUES (?, ?)", self._new)
        self._new.clear()
        if len(self._ids) > _REMEMBERED:
            self.forget()

    def forget(self) -> None:
        """Frees the memory; nothing may wait for being written."""
        self._ids = {"": 0}

    def _look_up(self, names: list[str]) -> None:
        known = self._connection.execute(
            "SELECT text, id FROM name WHERE text IN (SELECT value FROM json_each(?))", (json.dumps(names),)
        )
        self._ids.update(known)
        if not self._new:  # others who write names may have come between
            rows: list[Row] = self._connection.execute("SELECT coalesce(max(id), 0) FROM name").fetchall()
            self._last = rows[0][0]
        for name in names:
            if name not in self._ids:
                self._last += 1
                self._ids[name] = self._last
                self._new.append((self._last, name))
