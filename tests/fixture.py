"""The fixture mini-language: a small workspace as text, with a marked cursor.

A line ``//- /path`` starts a file; what follows, up to the next such line, is its content. ``$0`` marks the
cursor and is removed. Text before the first such line is not allowed, so that a typing error shows.
"""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

MARK = "$0"
HEADER = "//- /"


class Cursor(NamedTuple):
    """Where ``$0`` stood: line 1-based, column 0-based in code points."""

    path: str
    line: int
    column: int


class Fixture(NamedTuple):
    """Files by path relative to the root, and the cursor if one was marked."""

    files: dict[str, str]
    cursor: Cursor | None

    def write(self, root: Path) -> Path:
        """Writes the files below ``root`` and returns it."""
        for path, text in self.files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        return root


def parse(text: str) -> Fixture:
    """Reads the mini-language.

    Raises:
        ValueError: Text stands before the first header, a path comes twice, or there are two cursors.
    """
    files: dict[str, str] = {}
    cursor: Cursor | None = None
    for path, content in _sections(dedent(text).lstrip("\n")):
        if path in files:
            raise ValueError(f"{path} comes twice")
        before, mark, after = content.partition(MARK)
        if mark:
            if cursor or MARK in after:
                raise ValueError("more than one cursor")
            cursor = Cursor(path, before.count("\n") + 1, len(before) - before.rfind("\n") - 1)
        files[path] = before + after
    return Fixture(files, cursor)


def _sections(text: str) -> list[tuple[str, str]]:
    head, *blocks = ("\n" + text).split("\n" + HEADER)
    if head.strip():
        raise ValueError(f"text before the first '{HEADER}' line: {head.strip()[:40]!r}")
    pairs = [block.partition("\n") for block in blocks]
    last = len(pairs) - 1
    # the split took each file's last line end with the next header
    return [(path.strip(), body if i == last or not body else body + "\n") for i, (path, _, body) in enumerate(pairs)]
