"""Where a repository keeps its files, told from the files alone.

No process is started, so that this can run at every start, and where git is not installed. Branches and commits
are never read this way (refs may be packed or in a reftable): ``gitstate`` asks git.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

_LONGEST_POINTER = 4096


class GitDirectory(msgspec.Struct, frozen=True, kw_only=True):
    """A work tree and its repository, by real paths.

    ``work_tree`` is the folder that holds ``.git``. ``git_dir`` belongs to this work tree alone, ``common_dir`` to
    all work trees of the repository; they differ only in a linked work tree.
    """

    work_tree: Path
    git_dir: Path
    common_dir: Path

    @property
    def worktree_name(self) -> str:
        """``main``, or git's own name of a linked work tree."""
        return "main" if self.git_dir == self.common_dir else self.git_dir.name


def find(folder: Path) -> GitDirectory | None:
    """The repository whose work tree holds ``folder``, or None outside any."""
    for work_tree in (folder, *folder.parents):
        git_dir = _git_dir(work_tree / ".git")
        if git_dir is not None:
            return GitDirectory(work_tree=work_tree, git_dir=git_dir, common_dir=_common_dir(git_dir))
    return None


def _git_dir(entry: Path) -> Path | None:
    """The directory that a ``.git`` directory or file stands for; None for anything git would not take for one."""
    target = entry
    if entry.is_file():
        pointer = _first_line(entry)
        if not pointer.startswith("gitdir: "):
            return None
        target = entry.parent / pointer.removeprefix("gitdir: ")
    # HEAD may be a dangling symbolic link (an unborn branch of an old repository)
    return Path(os.path.realpath(target)) if os.path.lexists(target / "HEAD") else None


def _common_dir(git_dir: Path) -> Path:
    pointer = _first_line(git_dir / "commondir")
    return Path(os.path.realpath(git_dir / pointer)) if pointer else git_dir


def _first_line(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return os.fsdecode(stream.read(_LONGEST_POINTER).split(b"\n")[0].rstrip(b"\r"))
    except OSError:
        return ""
