"""Which file a path means: containment by real path, links, spellings.

A file is known by its POSIX path relative to the root's real path. A link inside of the root stands for its target's
one path; one that leads out of the root is refused. On Linux a name is bytes and is kept as it stands on the disk;
look-ups also try the composed and decomposed forms (NFC, NFD), since clients normalise what people type. Where the
file system ignores case, the name on the disk counts.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from granum.model.errors import NotInWorkspaceError


def real_root(path: Path) -> Path:
    """The root's identity: its real path.

    Raises:
        NotInWorkspaceError: There is no such folder.
    """
    root = Path(os.path.realpath(path))
    if not root.is_dir():
        raise NotInWorkspaceError(f"{display(os.fspath(path))} is not a folder; open one that exists.")
    return root


def relative(root: Path, path: Path | str) -> str:
    """The path of a file or folder relative to ``root``; empty for the root itself.

    The file need not exist (it may just have been deleted).

    Args:
        root: A real path (see ``real_root``).
        path: Absolute, or relative to the root.

    Raises:
        NotInWorkspaceError: The path lies outside the root, leads out of it through a link, or has a name that is
            not valid Unicode.
    """
    found = _below(root, path)
    spelled = _spelling_on_disk(root, found)
    if spelled != found:
        found = _below(root, spelled)  # the spelling on the disk may be a link
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise NotInWorkspaceError(f"{display(found)} is not valid Unicode; rename it to have it indexed.") from error
    return found


def absolute(root: Path, path: str) -> Path:
    """The real path of the file that ``path`` means, checked anew: a link may have been put there since.

    Raises:
        NotInWorkspaceError: As in ``relative``.
    """
    return root / relative(root, path)


def is_case_sensitive(root: Path) -> bool:
    """Whether the root's file system tells upper from lower case; probed without writing, true when in doubt."""
    for name in (root.name, *_some_names(root)):
        other = name.swapcase()
        folder = root.parent if name == root.name else root
        if other == name:
            continue
        try:
            return not (folder / name).samefile(folder / other)
        except OSError:
            return True
    return True


def display(path: str) -> str:
    r"""The path in a form that can be stored, logged and sent: bytes that are no UTF-8 shown as ``\xNN``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _below(root: Path, path: Path | str) -> str:
    base = os.fspath(root)
    try:
        real = os.path.realpath(os.path.join(base, path))  # noqa: PTH118 -- Path.resolve costs twice as much
    except (OSError, ValueError) as error:  # a NUL in the path
        raise _outside(path) from error
    if real == base:
        return ""
    prefix = base if base.endswith(os.sep) else base + os.sep
    if not real.startswith(prefix):
        raise _outside(path)
    return real[len(prefix) :].replace(os.sep, "/")


def _outside(path: Path | str) -> NotInWorkspaceError:
    return NotInWorkspaceError(
        f"{display(os.fspath(path))} is outside of the workspace; open its folder as a workspace of its own."
    )


def _spelling_on_disk(root: Path, path: str) -> str:
    """The path with each name as the disk has it; a name that is not there stays as given."""
    base = os.fspath(root)
    exact = is_case_sensitive(root)
    if not path or (exact and (path.isascii() or os.path.lexists(f"{base}/{path}"))):
        return path
    spelled: list[str] = []
    for name in path.split("/"):
        spelled.append(_name_on_disk("/".join((base, *spelled)), name, exact=exact))
    return "/".join(spelled)


def _name_on_disk(folder: str, name: str, *, exact: bool) -> str:
    if exact and os.path.lexists(f"{folder}/{name}"):
        return name
    try:
        names = os.listdir(folder)  # noqa: PTH208 -- names are wanted, not paths
    except OSError:
        return name
    if name in names:
        return name
    wanted = _folded(name, exact=exact)
    return next((other for other in sorted(names) if _folded(other, exact=exact) == wanted), name)


def _folded(name: str, *, exact: bool) -> str:
    composed = unicodedata.normalize("NFC", name)
    return composed if exact else unicodedata.normalize("NFC", composed.casefold())


def _some_names(root: Path) -> list[str]:
    try:
        with os.scandir(root) as entries:
            return [entry.name for entry, _ in zip(entries, range(16), strict=False)]
    except OSError:
        return []
