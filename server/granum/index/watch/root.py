"""Whether the workspace's folder is still the one that was opened.

A folder that was unmounted, moved away or replaced looks like one whose files were all deleted. Until it is back, or
another has taken its place for good, nothing that is missing in it counts as deleted.
"""

from __future__ import annotations

import os
import stat
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Presence(Enum):
    """What stands at the root's path."""

    HERE = "here"
    GONE = "gone"
    #: Another folder, with nothing in it: what a mount point is without its disk.
    EMPTY = "empty"
    REPLACED = "replaced"


class Root:
    """The identity of a workspace's folder. Safe from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._identity = _identity(path)

    def presence(self) -> Presence:
        """Looks at the path now; takes a few microseconds."""
        found = _identity(self.path)
        if found is None:
            return Presence.GONE
        if found == self._identity:
            return Presence.HERE
        return Presence.REPLACED if _holds_something(self.path) else Presence.EMPTY

    def is_here(self) -> bool:
        """Whether the folder that was opened or adopted last is there."""
        found = _identity(self.path)
        return found is not None and found == self._identity

    def adopt(self) -> None:
        """From now on, the folder that stands there is the root."""
        self._identity = _identity(self.path) or self._identity


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of a folder; None for anything else, links included: the root is a real path."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _holds_something(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
