"""One thread that notices what other programs change, by the best means there are, and tells one listener.

While the root is away, nothing is told but that.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from typing import TYPE_CHECKING

from granum.index.watch.filesystem import silent_type
from granum.index.watch.filter import Filter
from granum.index.watch.gathering import Gathering
from granum.index.watch.notices import CannotWatchError, least
from granum.index.watch.polling import PollingSource
from granum.index.watch.repository import Repository
from granum.index.watch.root import Presence

if TYPE_CHECKING:
    from pathlib import Path

    from granum.index.policy import Policy
    from granum.index.watch.notices import Listener, Notices, Source
    from granum.index.watch.root import Root

log = logging.getLogger(__name__)

_ON_LINUX = sys.platform == "linux"

#: How often the root and the repository are looked for without an event, in seconds.
PULSE_SECONDS = 2.0
#: How often a root that is away is looked for, in seconds.
AWAY_SECONDS = 0.5
#: How long polling goes on before the better way is tried again, in seconds.
RETRY_SECONDS = 60.0
#: With more paths than this, a walk over everything is the cheaper look.
MOST_PATHS = 4096

_TOO_MANY = "More files changed at once than are looked at one by one."
_REPLACED = "The workspace's folder was away or was replaced by another."
_ANEW = "Watching began anew; changes may have been missed before."
_AWAY = {
    Presence.GONE: "The workspace's folder is gone: deleted, moved or unmounted. What is known of it is kept, and it is"
    " read again when it is back.",
    Presence.EMPTY: "The workspace's folder was replaced by an empty one, as when a disk is unmounted. What is known of"
    " it is kept until something is in it.",
}
_SILENT = "The workspace is on a file system ({kind}) that does not tell of changes by others."
_POLL = "Until then it is looked through at intervals, and changes are noticed later."


class Watcher:
    """Watches one root from ``start`` to ``close``."""

    def __init__(self, root: Root, policy: Policy, listener: Listener, *, polling: bool = False) -> None:
        """Prepares to watch.

        Args:
            root: The workspace's folder.
            policy: What the indexer enters and reads; a copy of its own, since no other thread may use it.
            listener: Told of everything, from the watcher's thread.
            polling: Compare stamps even where the system tells of changes.
        """
        self._root = root
        self._filter = Filter(policy)
        self._listener = listener
        self._polling = polling
        self._health = ""
        self._source: Source | None = None
        self._fresh_policy: Policy | None = None
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="granum-watcher", daemon=True)

    def start(self) -> None:
        """Begins; returns at once."""
        self._thread.start()

    def wait_ready(self, timeout: float) -> bool:
        """Waits until every change is noticed; False after ``timeout`` seconds. A later scan misses nothing."""
        return self._ready.wait(timeout)

    @property
    def kind(self) -> str:
        """How changes are noticed now: inotify, native, polling; empty while they are not."""
        source = self._source
        return source.kind if source is not None and self._ready.is_set() else ""

    def set_policy(self, policy: Policy) -> None:
        """Watches what this policy enters, from now on. The policy becomes the watcher's own."""
        with self._lock:
            self._fresh_policy = policy
            if self._source is not None:
                self._source.wake()

    def close(self) -> None:
        """Ends the thread; it tells nothing afterwards."""
        self._stop.set()
        with self._lock:
            if self._source is not None:
                self._source.wake()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    # -- the thread

    def _run(self) -> None:
        reason = ""
        while not self._stop.is_set():
            try:
                reason = self._watch(_REPLACED if self._await_root() else reason)
            except Exception:
                # the last guard: noticing nothing any more, in silence, would be worse than beginning anew
                log.exception("the watcher failed and begins anew")
                reason = _ANEW
                self._stop.wait(AWAY_SECONDS)

    def _await_root(self) -> bool:
        """Waits until there is a root to watch; whether it was another one, or had to be waited for."""
        away = False
        while not self._stop.is_set():
            presence = self._root.presence()
            if presence is Presence.HERE:
                return away
            away = True
            if presence is Presence.REPLACED:
                self._root.adopt()
                continue
            self._tell_health(_AWAY[presence])
            self._ready.set()  # whoever waits need not wait for a folder that is away
            self._stop.wait(AWAY_SECONDS)
        return away

    def _watch(self, reason: str) -> str:
        """Watches until that has to begin anew.

        Args:
            reason: Why anything may have changed before; empty at the first beginning.

        Returns:
            The reason for the next beginning.
        """
        if self._stop.is_set():
            return ""
        repository = Repository(self._root.path)
        source, health = self._begun(repository)
        try:
            self._serving(source)
            if reason:
                self._listener.git_changed(head=True)
                self._listener.everything_changed(reason)
            self._tell_health(health)
            self._ready.set()
            return self._serve(source, Gathering(source, repository, self._stop), may_improve=bool(health))
        except CannotWatchError as error:
            log.warning("watching begins anew: %s", error)
            return _ANEW
        finally:
            self._serving(None)
            source.close()

    def _begun(self, repository: Repository) -> tuple[Source, str]:
        """The best source that works, and why it is not the one that should."""
        health = ""
        if not self._polling:
            kind = silent_type(self._root.path)
            try:
                if not kind:
                    return self._best(repository), ""
                health = _SILENT.format(kind=kind)
            except CannotWatchError as error:
                health = str(error)
        source = PollingSource(self._root.path, self._filter, repository)
        source.begin()
        return source, f"{health} {_POLL}" if health else ""

    def _best(self, repository: Repository) -> Source:
        """The source of this system, begun.

        Raises:
            CannotWatchError: It is not to be had.
        """
        source = _native(self._root.path, self._filter, repository)
        try:
            source.begin()
        except CannotWatchError:
            source.close()
            raise
        return source

    def _serve(self, source: Source, gathering: Gathering, *, may_improve: bool) -> str:
        """Tells what the source notices, until the root is lost or a better source is to be had; returns why."""
        pulse = time.monotonic() + PULSE_SECONDS
        retry = time.monotonic() + RETRY_SECONDS if may_improve else float("inf")
        while not self._stop.is_set():
            notices = gathering.next(pulse - time.monotonic())
            now = time.monotonic()
            if now >= pulse:
                pulse = now + PULSE_SECONDS
                notices.repository = True
            if notices.root or not self._root.is_here():
                return _REPLACED
            if now >= retry:
                retry = now + RETRY_SECONDS
                if self._improves():
                    return _ANEW
            self._take_policy(notices)
            source.settle(notices)
            self._deliver(notices)
        return ""

    def _improves(self) -> bool:
        """Whether the system's own way of noticing changes works again."""
        if silent_type(self._root.path):
            return False
        try:
            self._best(Repository(self._root.path)).close()
        except CannotWatchError:
            return False
        return True

    def _take_policy(self, notices: Notices) -> None:
        with self._lock:
            policy, self._fresh_policy = self._fresh_policy, None
        if policy is not None:
            self._filter.replace(policy)
            notices.rules = True
            notices.paths.add("")  # a scan that ran before its folders were watched may have missed a change

    def _deliver(self, notices: Notices) -> None:
        if self._stop.is_set():
            return
        if notices.git:
            self._listener.git_changed(head=notices.head)
        paths = least(notices.paths)
        if notices.lost or len(paths) > MOST_PATHS:
            self._listener.everything_changed(notices.lost or _TOO_MANY)
        elif paths:
            self._listener.paths_changed(paths)

    def _tell_health(self, reason: str) -> None:
        if reason != self._health and not self._stop.is_set():
            self._health = reason
            self._listener.health_changed(reason)

    def _serving(self, source: Source | None) -> None:
        with self._lock:
            self._source = source


def _native(root: Path, chosen: Filter, repository: Repository) -> Source:
    # late: each system has but its own
    if _ON_LINUX:
        from granum.index.watch.inotify import InotifySource

        return InotifySource(root, chosen, repository)
    from granum.index.watch.native import NativeSource

    return NativeSource(root, chosen, repository)
