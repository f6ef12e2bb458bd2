"""Which files of a repository tell that git did something, found anew when it comes, moves or goes.

They are never read: they say when to ask git, not what it answers. Objects do not matter, and lock files come and go
without meaning.
"""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from granum.index import gitdir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from granum.index.gitdir import GitDirectory
    from granum.index.watch.notices import Notices

#: Folders of branch names that are watched at most; what happens on the branch that is checked out shows in HEAD's log.
_MOST_FOLDERS = 256


#: Modification time in nanoseconds, size in bytes, inode.
_Stamp = tuple[int, int, int]


class _Matter(Enum):
    """What a file of a repository has to do with."""

    #: The commit that is checked out, or which branch it is on.
    HEAD = "head"
    GIT = "git"
    RULES = "rules"


class Repository:
    """The files that matter of the repository that holds ``root``, and of the folders between it and the root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._found: GitDirectory | None = None
        self._inode = 0
        self._matters: dict[str, dict[str, _Matter]] = {}
        self._refs = ""
        self._find()

    def follow(self, notices: Notices) -> bool:
        """Looks where the repository is now; tells of it, and returns True, when it is another, or came, or went."""
        if not self._find():
            return False
        notices.git = notices.head = notices.rules = True
        notices.paths.add("")  # its rules hold in the whole workspace
        return True

    def note(self, folder: str, name: str, notices: Notices) -> None:
        """Tells of a changed entry of one of the folders, if it is one that matters."""
        matter = self._matter(folder, name)
        if matter is _Matter.RULES:
            notices.rules = True
            notices.paths.add("")
        elif matter is not None:
            notices.git = True
            notices.head = notices.head or matter is _Matter.HEAD

    def folders(self) -> Iterator[str]:
        """The folders, by absolute path, whose own entries are to be watched."""
        yield from self._matters
        if self._refs:
            yield from _all_below(self._refs)

    def holds_branches(self, folder: str) -> bool:
        """Whether folders that come in this folder are to be watched too."""
        return bool(self._refs) and (folder == self._refs or folder.startswith(self._refs + os.sep))

    def index_lock(self) -> _Stamp | None:
        """The lock that git holds on its index, as it does while it writes files of the work tree."""
        return _stamp(f"{self._found.git_dir}/index.lock") if self._found else None

    def stamps(self) -> dict[str, _Stamp]:
        """The files that matter as they are now, for who must compare."""
        files = [folder + os.sep + name for folder, names in self._matters.items() for name in names]
        for folder in _all_below(self._refs) if self._refs else ():
            files.extend(folder + os.sep + name for name in _names(folder) if not name.endswith(".lock"))
        return {file: stamp for file in files if (stamp := _stamp(file)) is not None}

    def _find(self) -> bool:
        found = gitdir.find(self._root)
        inode = _inode(found.git_dir) if found else 0
        if (found, inode) == (self._found, self._inode):
            return False
        self._found, self._inode = found, inode
        self._matters = _matters(self._root, found)
        self._refs = os.fspath(found.common_dir / "refs") if found else ""
        return True

    def _matter(self, folder: str, name: str) -> _Matter | None:
        if name.endswith(".lock"):
            return None
        if self.holds_branches(folder):
            return _Matter.GIT
        return self._matters.get(folder, {}).get(name)


def _matters(root: Path, found: GitDirectory | None) -> dict[str, dict[str, _Matter]]:
    if found is None:
        return {}
    matters: dict[str, dict[str, _Matter]] = {}

    def add(folder: Path, names: tuple[str, ...], matter: _Matter) -> None:
        matters.setdefault(os.fspath(folder), {}).update(dict.fromkeys(names, matter))

    for git_dir in (found.git_dir, found.common_dir):
        add(git_dir / "reftable", ("tables.list",), _Matter.GIT)
    add(found.git_dir, ("index",), _Matter.GIT)
    for folder in (found.git_dir, found.git_dir / "logs"):
        add(folder, ("HEAD",), _Matter.HEAD)
    add(found.common_dir, ("packed-refs", "config"), _Matter.GIT)
    add(found.common_dir / "info", ("exclude",), _Matter.RULES)
    inner = len(root.relative_to(found.work_tree).parts)
    for outer in list(root.parents)[:inner]:
        add(outer, (".gitignore",), _Matter.RULES)
    return matters


def _all_below(folder: str) -> Iterator[str]:
    waiting = [folder]
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return
        here = waiting.pop()
        yield here
        try:
            with os.scandir(here) as entries:
                waiting.extend(sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False)))
        except OSError:
            continue


def _names(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _inode(folder: Path) -> int:
    try:
        return folder.lstat().st_ino
    except OSError:
        return 0


def _stamp(file: str) -> _Stamp | None:
    try:
        status = Path(file).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
