"""Compares stamps at intervals, where the system tells of no changes.

An interval is a multiple of what a look takes, so that looking is a small share of what the machine does, however
large the workspace and however slow its disk.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from granum.index.freshness import FileStamp

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from granum.index.watch.filter import Filter
    from granum.index.watch.notices import Notices
    from granum.index.watch.repository import Repository

#: The share of time that looking may take, and the bounds of the interval between two looks, in seconds.
_SHARE = 0.05
SHORTEST = 1.0
LONGEST = 60.0

#: A file's stamp; None for a folder that the indexer enters.
_Stamp = FileStamp | None


class PollingSource:
    """Implements ``Source``."""

    kind = "polling"

    def __init__(self, root: Path, chosen: Filter, repository: Repository, *, shortest: float = SHORTEST) -> None:
        self._root = os.fspath(root)
        self._filter = chosen
        self._repository = repository
        self._shortest = shortest
        self._bell = threading.Event()
        self._known: dict[str, _Stamp] = {}
        self._git: dict[str, tuple[int, int, int]] = {}
        self._due = 0.0

    def begin(self) -> None:
        """Takes the stamps that the first look is compared with."""
        self._look()

    def wake(self) -> None:
        """Rings."""
        self._bell.set()

    def close(self) -> None:
        """There is nothing to give back."""

    def read(self, timeout: float, notices: Notices) -> bool:
        """Waits for the next look's time, if that comes first, and looks."""
        self._bell.wait(max(0.0, min(timeout, self._due - time.monotonic())))
        if self._bell.is_set():
            self._bell.clear()
            return False
        if time.monotonic() < self._due:
            return False
        before, git_before = self._known, self._git
        self._look()
        changed = _differing(before, self._known)
        notices.paths |= changed
        git_changed = _differing(git_before, self._git)
        for file in git_changed:
            self._repository.note(*os.path.split(file), notices)
        return bool(changed or git_changed)

    def settle(self, notices: Notices) -> None:
        """Rules are read anew at each look, so only the repository is left."""
        if notices.repository and self._repository.follow(notices):
            self._git = self._repository.stamps()

    def _look(self) -> None:
        started = time.monotonic()
        self._filter.renew()
        self._known = self._walk()
        self._git = self._repository.stamps()
        ended = time.monotonic()
        self._due = ended + min(LONGEST, max(self._shortest, (ended - started) / _SHARE))

    def _walk(self) -> dict[str, _Stamp]:
        found: dict[str, _Stamp] = {}
        waiting = [""]
        while waiting:
            here = waiting.pop()
            if not self._filter.enters(here):
                continue
            found[here] = None
            try:
                with os.scandir(f"{self._root}/{here}") as listed:
                    entries = list(listed)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                found.update(self._known_below(here))  # what cannot be seen just now is not gone
                continue
            self._take(f"{here}/" if here else "", entries, found, waiting)
        return found

    def _take(self, base: str, entries: list[os.DirEntry[str]], found: dict[str, _Stamp], waiting: list[str]) -> None:
        for entry in entries:
            path = base + entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif entry.is_file(follow_symlinks=False) and self._filter.told(path, is_dir=False) == path:
                try:
                    found[path] = FileStamp.of(entry.stat(follow_symlinks=False))
                except OSError:
                    continue  # it went just now, which the comparison tells

    def _known_below(self, folder: str) -> dict[str, _Stamp]:
        return {path: stamp for path, stamp in self._known.items() if not folder or path.startswith(f"{folder}/")}


def _differing(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    """The keys that only one has, or that both have with different values."""
    return before.keys() ^ after.keys() | {key for key, value in after.items() if before.get(key, value) != value}
