"""A made-up history of a workspace: seeded edits, reverts, deletions, returns and renames of real files."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: What happens to a file, and how often.
KINDS = {"edit": 80, "revert": 8, "delete": 4, "rename": 4, "return": 4}
MOST_LINES_CUT = 8


class History:
    """Changes the files of a folder, one at a time; the same seed makes the same history."""

    def __init__(self, root: Path, paths: list[str], seed: int) -> None:
        self._root = root
        self._random = random.Random(seed)
        self._first = {path: (root / path).read_bytes() for path in paths}
        self._here = {path: path for path in paths}
        self._gone: list[str] = []
        self._number = 0

    def step(self) -> tuple[str, ...]:
        """Changes one file; returns the paths that are to be told of, the one that was written last."""
        self._number += 1
        kind = self._random.choices(list(KINDS), list(KINDS.values()))[0]
        if kind == "return" and self._gone:
            first = self._gone.pop(self._random.randrange(len(self._gone)))
            self._here[first] = first
            return self._write(first, self._first[first])
        first = self._random.choice(sorted(self._here))
        path = self._here[first]
        if kind == "delete" and len(self._here) > len(self._first) // 2:
            (self._root / path).unlink()
            del self._here[first]
            self._gone.append(first)
            return (path,)
        if kind == "rename":
            folder, _, name = first.rpartition("/")
            renamed = f"{folder}/r{self._number}_{name}".lstrip("/")
            (self._root / path).rename(self._root / renamed)
            self._here[first] = renamed
            return (path, renamed)
        if kind == "revert":
            return self._write(path, self._first[first])
        return self._write(path, self._edited((self._root / path).read_bytes(), first))

    def _write(self, path: str, data: bytes) -> tuple[str]:
        (self._root / path).write_bytes(data)
        return (path,)

    def _edited(self, data: bytes, path: str) -> bytes:
        """A new fact at the end and, one time in four, some lines cut out; back to the first once it has grown much."""
        lines = data.splitlines(keepends=True)
        if len(lines) > len(self._first[path].splitlines()) + 60:
            lines = self._first[path].splitlines(keepends=True)
        if lines and self._random.random() < 0.25:
            at = self._random.randrange(len(lines))
            del lines[at : at + self._random.randint(1, MOST_LINES_CUT)]
        fact = f"The value {self._number} must never exceed {self._random.randint(1, 10**6)}."
        code = (
            f'\n\ndef probe_{self._number}():\n    """{fact}"""\n'
            if path.endswith((".py", ".pyi"))
            else f"\n\n{fact}\n"
        )
        return b"".join(lines).rstrip(b"\n") + code.encode()
