"""macOS and Windows: the system's own recursive watch of the root, through watchdog.

The system watches everything; what the indexer would not enter is dropped as it is told. Neither system says through
watchdog that it lost events, and both lose them in floods only: so a flood counts as a loss.
"""

from __future__ import annotations

import os
import queue
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

from granum.index.policy import RULE_FILES
from granum.index.watch.filter import MARKS
from granum.index.watch.notices import CannotWatchError, Notices

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent

    from granum.index.watch.filter import Filter
    from granum.index.watch.repository import Repository

#: Paths in one delivery from which on others may have been lost; the buffer of Windows holds some 500 events.
_FLOOD = 256
_LOST = "So many files changed at once that the system may not have told of all."
#: What happened to a file that nobody changed.
_READ_ONLY = frozenset({"opened", "closed_no_write"})
_Change = tuple[str, bool]


class NativeSource:
    """Implements ``Source``."""

    kind = "native"

    def __init__(self, root: Path, chosen: Filter, repository: Repository) -> None:
        self._root = os.fspath(root)
        self._filter = chosen
        self._repository = repository
        self._told: queue.SimpleQueue[list[_Change] | None] = queue.SimpleQueue()

    def begin(self) -> None:
        """Watches the root and, where it lies elsewhere, the repository."""
        self._observer = Observer()
        try:
            self._observer.schedule(_Handler(self._told), self._root, recursive=True)
            self._watch_repository()
            self._observer.start()
        except OSError as error:
            raise CannotWatchError(f"The system does not watch the folder: {error.strerror or error}.") from error

    def wake(self) -> None:
        """Rings."""
        self._told.put(None)

    def close(self) -> None:
        """Ends the observer's threads."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def read(self, timeout: float, notices: Notices) -> bool:
        """Takes in what was told by now."""
        some = False
        try:
            changes = self._told.get(timeout=max(0.0, timeout))
            while True:
                for path, is_dir in changes or ():
                    some = True
                    self._take(path, is_dir, notices)
                changes = self._told.get_nowait()
        except queue.Empty:
            return some

    def settle(self, notices: Notices) -> None:
        """Reads rules anew, follows the repository, and takes a flood for a loss."""
        if notices.repository and self._repository.follow(notices):
            self._watch_repository()
        if len(notices.paths) > _FLOOD:
            notices.lost = _LOST
        if notices.rules or notices.lost:
            self._filter.renew()

    def _take(self, absolute: str, is_dir: bool, notices: Notices) -> None:
        if absolute == self._root:
            notices.root = True  # only its end is told of it
            return
        folder, name = os.path.split(absolute)
        self._repository.note(folder, name, notices)
        if not absolute.startswith(self._root + os.sep):
            return
        path = absolute[len(self._root) + 1 :].replace(os.sep, "/")
        parent = path.rpartition("/")[0]
        if name in MARKS:
            notices.repository = notices.repository or not parent
            notices.rules = True
            notices.paths.update([parent] if parent else ())
            return
        if is_dir:
            self._filter.forget(path)
        notices.rules = notices.rules or name in RULE_FILES
        told = self._filter.told(path, is_dir=is_dir)
        if told is not None:
            notices.paths.add(told)

    def _watch_repository(self) -> None:
        for folder in self._repository.folders():
            if not folder.startswith(self._root + os.sep) and Path(folder).is_dir():
                self._observer.schedule(_Handler(self._told), folder, recursive=False)


class _Handler(FileSystemEventHandler):
    """Passes on which paths an event is about, from watchdog's thread."""

    def __init__(self, told: queue.SimpleQueue[list[_Change] | None]) -> None:
        self._told = told

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.event_type in _READ_ONLY or (event.is_directory and event.event_type == "modified"):
            return
        paths = (os.fsdecode(path) for path in (event.src_path, event.dest_path) if path)
        self._told.put([(path, event.is_directory) for path in paths])
