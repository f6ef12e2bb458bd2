"""Which document each paragraph is of, without reading its row."""

from __future__ import annotations

import threading
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.reader import Snapshot


class DocumentOf:
    """Document ids by paragraph id, kept from question to question. Safe from any thread.

    A paragraph's id is never used again and its document never changes, so that only new ones are read. An index
    that was begun anew starts over.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._index: object = None
        self._ids = array("i", [0])

    def ids(self, snapshot: Snapshot) -> Sequence[int]:
        """The document's id at each paragraph's id; 0 where there is none."""
        [(created_at,)] = snapshot.rows("SELECT value FROM meta WHERE key = 'created_at'")
        with self._lock:
            if created_at != self._index:
                self._index, self._ids = created_at, array("i", [0])
            ids = self._ids
            rows = snapshot.rows("SELECT id, document_id FROM paragraph WHERE id >= ? ORDER BY id", (len(ids),))
            if rows:
                ids.extend([0] * (rows[-1][0] + 1 - len(ids)))
                for paragraph_id, document_id in rows:
                    ids[paragraph_id] = document_id
            return ids
