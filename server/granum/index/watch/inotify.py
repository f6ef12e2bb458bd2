"""Linux: one inotify instance, a watch for each folder that the indexer enters, and for the repository's few.

inotify tells of a folder's own entries only. What follows for a tree of them: a new folder is watched before it is
listed, so that what comes while it is listed is told by one or the other, and it is told as a whole; a folder that
moves away takes its watches with it, and its new place is watched anew.
"""

from __future__ import annotations

import errno
import os
import select
import time
from pathlib import Path
from typing import TYPE_CHECKING

from inotify_simple import INotify, flags

from granum.index.policy import RULE_FILES
from granum.index.watch.filter import MARKS
from granum.index.watch.notices import CannotWatchError, Notices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inotify_simple import Event

    from granum.index.watch.filter import Filter
    from granum.index.watch.repository import Repository

#: Not MODIFY: a file that is being written is read when its writer closes it, not at every piece of it.
_EVENTS = (
    flags.CREATE
    | flags.DELETE
    | flags.MOVED_FROM
    | flags.MOVED_TO
    | flags.CLOSE_WRITE
    | flags.ATTRIB
    | flags.DELETE_SELF
    | flags.MOVE_SELF
)
_MASK = int(_EVENTS | flags.ONLYDIR | flags.DONT_FOLLOW | flags.EXCL_UNLINK)
_ARRIVED = int(flags.CREATE | flags.MOVED_TO | flags.ATTRIB)
_ENDED = int(flags.DELETE_SELF | flags.MOVE_SELF | flags.UNMOUNT | flags.IGNORED)
_LOST = "The system dropped file events because too many came at once."

_LIMITS = Path("/proc/sys/fs/inotify")
_REMEDY = (
    "All {what} that the system grants a user are taken (fs.inotify.{name} is {limit}). Raise the limit, for example"
    " with `sudo sysctl fs.inotify.{name}={more}`."
)
#: Watches enough for any workspace, at about 1 KB of kernel memory each.
_ENOUGH_WATCHES = 524288
_ENOUGH_INSTANCES = 1024
#: After losing events the tree is walked anew, which must not become all that is done while a flood lasts.
_RESYNC_SHARE = 0.1


class InotifySource:
    """Implements ``Source``."""

    kind = "inotify"

    def __init__(self, root: Path, chosen: Filter, repository: Repository) -> None:
        self._root = os.fspath(root)
        self._filter = chosen
        self._repository = repository
        self._folders: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._git_folders: dict[int, str] = {}
        self._not_before = 0.0
        self._lost = False
        self._bell, self._ringer = os.pipe()
        os.set_blocking(self._ringer, False)
        self._poller = select.poll()

    @property
    def watches(self) -> int:
        """How many watches are in use."""
        return len(self._paths) + len(self._git_folders)

    def begin(self) -> None:
        """Sets all watches."""
        try:
            self._inotify = INotify(nonblocking=True)
        except OSError as error:
            raise CannotWatchError(_instances_used_up(error)) from error
        self._poller.register(self._bell, select.POLLIN)
        self._poller.register(self._inotify.fileno(), select.POLLIN)
        self._watch("")
        if "" not in self._folders:
            raise CannotWatchError("The workspace's folder cannot be watched; check that it may be read.")
        self._watch_repository()

    def wake(self) -> None:
        """Rings."""
        try:
            os.write(self._ringer, b"!")
        except OSError:
            return  # it rings already, or is closed

    def close(self) -> None:
        """Gives the instance back, and with it all watches."""
        if hasattr(self, "_inotify"):
            self._inotify.close()
        os.close(self._ringer)
        os.close(self._bell)

    # -- reading

    def read(self, timeout: float, notices: Notices) -> bool:
        """Takes in all events that are there by now."""
        ready = self._poller.poll(max(0.0, timeout) * 1000)
        for descriptor, _ in ready:
            if descriptor == self._bell:
                os.read(self._bell, 4096)
        events: list[Event] = self._inotify.read(timeout=0)
        for event in events:
            self._take(event, notices)
        return bool(events)

    def _take(self, event: Event, notices: Notices) -> None:
        if event.mask & flags.Q_OVERFLOW:
            notices.lost = _LOST
            return
        folder = self._paths.get(event.wd)
        if folder is not None and event.name:
            self._take_entry(folder, event, notices)
        elif folder == "" and event.mask & _ENDED:
            notices.root = True
        git_folder = self._git_folders.get(event.wd)
        if git_folder is not None:
            self._take_git(git_folder, event, notices)
        if event.mask & flags.IGNORED:
            self._forget(event.wd)

    def _take_entry(self, folder: str, event: Event, notices: Notices) -> None:
        name = event.name
        if name in MARKS:
            self._take_mark(folder, name, notices)
            return
        if not self._filter.enters(folder):
            return
        path = f"{folder}/{name}" if folder else name
        is_dir = bool(event.mask & flags.ISDIR)
        if is_dir:
            self._take_folder(path, event.mask)
        elif name in RULE_FILES:
            notices.rules = True
        told = self._filter.told(path, is_dir=is_dir)
        if told is not None:
            notices.paths.add(told)

    def _take_folder(self, path: str, mask: int) -> None:
        if mask & flags.ATTRIB and path in self._folders:
            return
        self._filter.forget(path)
        if mask & flags.MOVED_FROM:
            self._drop(path)
        elif mask & _ARRIVED:
            self._watch(path)

    def _take_mark(self, folder: str, name: str, notices: Notices) -> None:
        if folder:
            notices.rules = True
            notices.paths.add(folder)
        elif name == ".git":
            notices.repository = True

    def _take_git(self, folder: str, event: Event, notices: Notices) -> None:
        if event.mask & _ENDED:
            notices.repository = True
        self._repository.note(folder, event.name, notices)
        if event.mask & flags.ISDIR and event.mask & _ARRIVED:
            self._watch_repository()

    # -- watches

    def settle(self, notices: Notices) -> None:
        """Brings the watches in line with the rules, the repository, and what was not told."""
        if notices.repository:
            self._repository.follow(notices)
        if notices.lost or self._lost:
            self._catch_up(notices)
        elif notices.rules:
            self._sync()
        if notices.repository or notices.lost:
            self._watch_repository()

    def _catch_up(self, notices: Notices) -> None:
        """Walks the tree anew after events were lost; during a long flood, only so often."""
        started = time.monotonic()
        self._lost = started < self._not_before
        if self._lost:
            notices.lost = ""  # it is told when it is caught up with
            return
        notices.lost = _LOST
        notices.git = True
        self._sync()
        self._not_before = started + (time.monotonic() - started) / _RESYNC_SHARE

    def _sync(self) -> None:
        self._filter.renew()
        entered = self._watch("")
        for folder in self._folders.keys() - entered:
            self._unwatch(folder)

    def _watch(self, folder: str) -> set[str]:
        """Watches a folder and all below it that the indexer enters; returns them."""
        entered: set[str] = set()
        waiting = [folder]
        while waiting:
            here = waiting.pop()
            enters = self._filter.enters(here)
            if (enters or self._filter.is_marked(here)) and self._add(here):
                entered.add(here)
                waiting.extend(self._below(here) if enters else ())
        return entered

    def _below(self, folder: str) -> Iterator[str]:
        base = f"{folder}/" if folder else ""
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        yield base + entry.name
        except OSError:
            return  # it went just now, which an event tells

    def _add(self, folder: str) -> bool:
        descriptor = self._descriptor(f"{self._root}/{folder}" if folder else self._root)
        if descriptor is None:
            return False
        before = self._paths.get(descriptor)
        if before is not None and before != folder:
            self._folders.pop(before, None)  # it was moved here, which is told only later
        self._paths[descriptor] = folder
        self._folders[folder] = descriptor
        return True

    def _watch_repository(self) -> None:
        wanted = {
            descriptor: folder
            for folder in self._repository.folders()
            if (descriptor := self._descriptor(folder)) is not None
        }
        for descriptor in self._git_folders.keys() - wanted.keys() - self._paths.keys():
            self._remove(descriptor)
        self._git_folders = wanted

    def _descriptor(self, folder: str) -> int | None:
        """A watch of a folder; the one that it has, if it has one. None where there is no folder to be watched."""
        try:
            descriptor: int = self._inotify.add_watch(folder, _MASK)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise CannotWatchError(_watches_used_up()) from error
            return None
        return descriptor

    def _drop(self, folder: str) -> None:
        """Takes the watches of a folder that moved away, and of all below it."""
        below = f"{folder}/"
        for path in [path for path in self._folders if path == folder or path.startswith(below)]:
            self._unwatch(path)

    def _unwatch(self, folder: str) -> None:
        descriptor = self._folders.pop(folder)
        self._paths.pop(descriptor, None)
        if descriptor not in self._git_folders:
            self._remove(descriptor)

    def _remove(self, descriptor: int) -> None:
        try:
            self._inotify.rm_watch(descriptor)
        except OSError:
            return  # it went with its folder

    def _forget(self, descriptor: int) -> None:
        """The system took a watch back, with its folder."""
        self._git_folders.pop(descriptor, None)
        folder = self._paths.pop(descriptor, None)
        if folder is not None and self._folders.get(folder) == descriptor:
            del self._folders[folder]


def _watches_used_up() -> str:
    return _used_up("watches of folders", "max_user_watches", _ENOUGH_WATCHES)


def _instances_used_up(error: OSError) -> str:
    if error.errno == errno.EMFILE:
        return _used_up("instances of inotify", "max_user_instances", _ENOUGH_INSTANCES)
    return f"The system offers no inotify: {error.strerror}."


def _used_up(what: str, name: str, enough: int) -> str:
    try:
        limit = int((_LIMITS / name).read_text())
    except (OSError, ValueError):
        limit = 0
    return _REMEDY.format(what=what, name=name, limit=limit or "not known", more=max(enough, 2 * limit))
