"""Workspaces of any size, made of copies of real files whose modules and longer names are spelled anew in each copy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_DEFINED = re.compile(r"^\s*(?:class|def)\s+([A-Za-z]\w{4,})", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z]\w{4,}")
#: Plain words are left alone, since they are words of prose too: names of one word are common to all copies.
_NAME_OF_SEVERAL = re.compile(r"[a-z0-9][A-Z_]|_[A-Za-z]")


def build(workspace: Path, files: list[tuple[str, int]], folder: Path, count: int) -> int:
    """Writes ``count`` files below ``folder`` and returns their bytes; fewer than there are stand for their sizes.

    The first copy is as it is. In the n-th, below the folder ``copy_n``, the names that the workspace defines end in
    ``_n``, and so do the top packages in code.
    """
    ordered = sorted(path for path, _ in files)
    texts = {path: (workspace / path).read_bytes().decode("utf-8", "surrogateescape") for path in ordered}
    code = [text for path, text in texts.items() if path.endswith(".py")]
    names = {name for text in code for name in _DEFINED.findall(text) if _NAME_OF_SEVERAL.search(name)}
    names |= {path.partition("/")[0] for path in ordered if path.endswith("/__init__.py")}
    written = 0
    for number in range(count):
        copy, place = divmod(number, len(ordered))
        path = ordered[place] if count >= len(ordered) else ordered[place * len(ordered) // count]
        data = _renamed(texts[path], names, copy).encode("utf-8", "surrogateescape")
        target = folder / _path(path, names, copy)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        written += len(data)
    return written


def _path(path: str, names: set[str], copy: int) -> str:
    top, slash, rest = path.partition("/")
    return (
        f"copy_{copy}/{top}_{copy}{slash}{rest}" if copy and top in names else f"copy_{copy}/{path}" if copy else path
    )


def _renamed(text: str, names: set[str], copy: int) -> str:
    if not copy:
        return text
    return _WORD.sub(lambda match: f"{match[0]}_{copy}" if match[0] in names else match[0], text)
