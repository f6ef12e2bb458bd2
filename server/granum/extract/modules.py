"""The dotted name by which a file's definitions are known."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from granum.extract.language import suffixes

if TYPE_CHECKING:
    from collections.abc import Callable

#: Folders that hold packages without being part of their names.
_SOURCE_ROOTS = frozenset({"src", "lib", "python"})


def module_of(path: str, is_package_dir: Callable[[str], bool]) -> str:
    """The module's dotted name; for prose the path itself.

    A module in a package is named from the topmost folder of the unbroken chain of package folders around it.
    Elsewhere the name is the dotted path from the root, without a leading source folder.

    Args:
        path: POSIX path relative to the root.
        is_package_dir: whether a folder (relative to the root, ``""`` is the root itself) is a package.
    """
    file = PurePosixPath(path)
    if file.suffix.lower() not in suffixes():
        return path
    folders = list(file.parts[:-1])
    first = len(folders)
    while first > 0 and is_package_dir("/".join(folders[:first])):
        first -= 1
    if first == len(folders):
        first = 1 if folders and folders[0] in _SOURCE_ROOTS else 0
    stem = file.name.removesuffix(file.suffix)
    parts = [*folders[first:], *([] if stem == "__init__" else [stem])]
    return ".".join(parts) or stem
