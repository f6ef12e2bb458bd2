"""Turns what a watcher notices into work for the index, and tells how far it can be relied on."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Protocol

from granum.index.policy import RULE_FILES, Policy
from granum.index.watch import MARKS, Filter, Root, Watcher, least

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from granum.engine.branches import Branches, BranchView
    from granum.model.answers import Reindexed
    from granum.model.settings import Settings

#: Asking git may take this share of the time.
_GIT_SHARE = 0.05
#: Of more paths than these, git is asked about all.
_MOST_PATHS = 64


class Work(Protocol):
    """What watching asks of who owns the index. From any thread; nothing of it blocks or raises."""

    def look_at(self, path: str) -> None:
        """Brings a file or folder in line with the disk."""

    def scan(self) -> Future[Reindexed] | None:
        """Brings everything in line with the disk; None when there is nobody to do it."""

    def later(self, act: Callable[[], None]) -> None:
        """Calls ``act`` from a thread that may wait for git, in the order of asking."""

    def news(self) -> None:
        """The state is to be told."""


class Watching:
    """Owns the watcher of one root. Safe from any thread; implements ``Listener``."""

    def __init__(self, root: Path, settings: Settings, branches: Branches, work: Work) -> None:
        self.root = Root(root)
        self._settings = settings
        self._work = work
        self._branches = branches
        self._lock = threading.Lock()
        self._watcher: Watcher | None = None
        self._closed = False
        self._health = ""
        self._missed = ""
        self._missed_more = ""
        self._head_asked = self._head_awaited = False
        self._git = _GitNews(branches, work)
        self._client = Filter(Policy.load(root, settings))
        self._client_tells = False

    def start(self) -> None:
        """Begins to watch, if it does not yet; returns at once."""
        with self._lock:
            if self._watcher is None and not self._closed:
                policy, polling = Policy.load(self.root.path, self._settings), self._settings.watcher == "polling"
                self._watcher = Watcher(self.root, policy, self, polling=polling)
                self._watcher.start()

    def wait_ready(self, timeout: float) -> bool:
        """Waits until a scan would miss nothing; False after ``timeout`` seconds."""
        watcher = self._watcher
        return watcher is not None and watcher.wait_ready(timeout)

    def stop(self) -> None:
        """Watches nothing, until ``start``."""
        with self._lock:
            watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.close()
        self._health = self._missed = self._missed_more = ""

    def close(self) -> None:
        """Watches nothing any more."""
        with self._lock:
            self._closed = True
        self.stop()
        self._git.close()

    def update_settings(self, settings: Settings) -> None:
        """Watches what these settings include."""
        with self._lock:
            self._settings = settings
            self._client.replace(Policy.load(self.root.path, settings))
            if self._watcher is not None:
                self._watcher.set_policy(Policy.load(self.root.path, settings))

    # -- state

    @property
    def kind(self) -> str:
        """How changes are noticed: inotify, native, polling, also with the client's help; empty when they are not."""
        kind = self._watcher.kind if self._watcher is not None else ""
        if not (self._client_tells and self.wants_client):
            return kind
        return f"{kind}, client" if kind else "client"

    @property
    def reason(self) -> str:
        """Why the index may not be what the disk holds; empty when it is, or soon will be."""
        return self._health or self._missed

    # -- the client's own watcher

    @property
    def wants_client(self) -> bool:
        """Whether a client can tell anything new. inotify tells all, and when it lost some; LSP cannot say that."""
        watcher = self._watcher
        return watcher is not None and watcher.kind != "inotify"

    def client_told(self, paths: Sequence[str]) -> None:
        """Takes the client's word that files and folders came, changed or went."""
        self._client_tells = True
        with self._lock:
            if any(path.rpartition("/")[2] in RULE_FILES | MARKS for path in paths):
                self._client.renew()
            wanted = {told for path in paths if (told := self._told_by_client(path)) is not None}
        if wanted:
            self.paths_changed(least(wanted))

    # -- the watcher's thread

    def paths_changed(self, paths: Sequence[str]) -> None:
        """Has them looked at; after git was asked, where they came with another commit."""
        with self._lock:
            with_head = self._head_asked or self._head_awaited
        if with_head:
            self._work.later(lambda: self._look_at(paths))
        else:
            self._look_at(paths)

    def everything_changed(self, reason: str) -> None:
        """Has everything looked at; until that is done, the index may not be what the disk holds."""
        with self._lock:
            if self._missed:
                self._missed_more = reason  # the scan that runs may have passed what it is about
                return
            self._missed = reason
        self._scan()

    def git_changed(self, *, head: bool) -> None:
        """Has git asked, at once where something else is checked out."""
        if not head:
            self._git.ask_all()
            return
        with self._lock:
            if self._head_asked:
                return  # what is asked then is answered by what is there then
            self._head_asked = True
        self._work.later(self._follow_head)

    def health_changed(self, reason: str) -> None:
        """Keeps it for the status."""
        self._health = reason
        self._work.news()

    # -- how it is done

    def _told_by_client(self, path: str) -> str | None:
        """What of a path that came, changed or went, file or folder, is to be looked at."""
        folder, _, name = path.rpartition("/")
        if name in MARKS:
            return folder or None
        full = self.root.path / path
        is_dir = full.is_dir()
        self._client.forget(path)
        told = self._client.told(path, is_dir=is_dir)
        # what is gone may have been a folder, whatever its name looks like
        return self._client.told(path, is_dir=True) if told is None and not full.exists() else told

    def _look_at(self, paths: Sequence[str]) -> None:
        for path in paths:
            self._work.look_at(path)
        self._git.ask_about(paths)

    def _follow_head(self) -> None:
        with self._lock:
            self._head_asked, self._head_awaited = False, True
        before = self._branches.view
        try:
            now = self._branches.refresh()
        finally:
            with self._lock:
                self._head_awaited = False
        _follow(self._work, before, now)

    def _scan(self) -> None:
        self._work.news()
        future = self._work.scan()
        if future is None:
            self._missed = ""  # whoever takes over begins with a scan
        else:
            # not in the thread that ends the scan, which holds the queue's lock
            future.add_done_callback(lambda _: self._work.later(self._scanned))

    def _scanned(self) -> None:
        with self._lock:
            self._missed, self._missed_more = self._missed_more, ""
            again = bool(self._missed)
        if again:
            self._scan()
        else:
            self._work.news()


def _follow(work: Work, before: BranchView, now: BranchView) -> None:
    """Has done what follows from a new view of git: another commit may mean other files, any news another status."""
    if not now.names_the_same(before):
        work.scan()
    if now != before:
        work.news()


class _GitNews:
    """Keeps the view of git up with files that change, for a small share of the time."""

    def __init__(self, branches: Branches, work: Work) -> None:
        self._branches = branches
        self._work = work
        self._lock = threading.Lock()
        self._all = False
        self._paths: set[str] = set()
        self._timer: threading.Timer | None = None
        self._not_before = 0.0

    def ask_all(self) -> None:
        """Asks about the whole work tree, soon."""
        with self._lock:
            self._all = True
            self._set_off()

    def ask_about(self, paths: Collection[str]) -> None:
        """Asks about these paths, soon."""
        if self._branches.view.state is None:
            return
        with self._lock:
            self._paths.update(paths)
            self._all = self._all or "" in paths or len(self._paths) > _MOST_PATHS
            self._set_off()

    def close(self) -> None:
        """Asks nothing more."""
        with self._lock:
            self._not_before = float("inf")
            if self._timer is not None:
                self._timer.cancel()

    def _set_off(self) -> None:
        if self._timer is None and self._not_before != float("inf"):
            self._timer = threading.Timer(
                max(0.0, self._not_before - time.monotonic()), lambda: self._work.later(self._ask)
            )
            self._timer.daemon = True
            self._timer.start()

    def _ask(self) -> None:
        with self._lock:
            everything, paths = self._all, self._paths
            self._all, self._paths, self._timer = False, set(), None
        before = self._branches.view
        started = time.monotonic()
        now = self._branches.refresh() if everything else self._branches.look(paths)
        ended = time.monotonic()
        with self._lock:
            if self._not_before != float("inf"):
                self._not_before = ended + (ended - started) / _GIT_SHARE
        _follow(self._work, before, now)
