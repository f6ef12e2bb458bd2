"""Keeps the index of one root: as the process that writes it, or as one that reads what another writes.

When the index turns out to be damaged while it is used, a new generation is begun and filled by a scan.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from granum.engine.follower import Follower, News
from granum.engine.holder import Holder
from granum.engine.telling import Telling
from granum.engine.waiting import LOOK_SECONDS, give_up, pass_on, sum_of
from granum.engine.watching import Watching
from granum.extract import EXTRACTOR_VERSION
from granum.index import location
from granum.index.generation import mark_damaged
from granum.index.jobs import Cause, Job
from granum.index.lease import Lease, NoLocksError
from granum.index.options import Options
from granum.index.policy import Policy
from granum.index.schema import SCHEMA_VERSION
from granum.index.store import Origin
from granum.model.answers import DocumentChange, Health, Reindexed, Status
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from granum.engine.branches import Branches
    from granum.engine.roles import Role
    from granum.index.reader import Reader, Snapshot
    from granum.index.writer import WriterStatus
    from granum.model.cancellation import CancelToken
    from granum.model.settings import Settings

log = logging.getLogger(__name__)

#: How long the first scan waits for the watcher, so that it need not be repeated, in seconds.
_WATCH_SECONDS = 2.0
#: How often who waits for the first scan looks whether it is over, in seconds.
_PAUSE_SECONDS = 0.005


class Listeners(msgspec.Struct, frozen=True, kw_only=True):
    """Who is told of changes, state and progress; they run in the writer's thread and must be quick."""

    on_change: Callable[[Sequence[DocumentChange]], None] | None = None
    on_status: Callable[[Status], None] | None = None
    on_progress: Callable[[int, int], None] | None = None


class Indexing:
    """Owns the role that this process has, and the lease. Safe from any thread."""

    def __init__(
        self, root: Path, settings: Settings, branches: Branches, listeners: Listeners, index_dir: Path | None
    ) -> None:
        self._root = root
        self._settings = settings
        self._branches = branches
        self._listeners = listeners
        self._lock = threading.RLock()
        self._closed = False
        self._told: set[str] = set()
        # not the same lock: whoever replaces a writer waits for its thread, which may be telling of damage
        self._damage = threading.Lock()
        self._given_up: Path | None = None
        self._started = False
        # between start() and the end of the first scan, a writer with nothing to do is not at rest
        self._starting = False
        # git's calls take tens of milliseconds, which neither the writer nor a request should wait for
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="granum-git")
        self._telling = Telling(self._look, listeners.on_status)
        self._path = location.index_path(root, settings, index_dir, schema=SCHEMA_VERSION, extractor=EXTRACTOR_VERSION)
        self._extraction_cache = location.extraction_cache_path(root, settings, index_dir)
        self._lease = Lease(self._path)
        self.watching = Watching(root, settings, branches, self)
        self._alone: tempfile.TemporaryDirectory[str] | None = None
        self._role: Role = self._begin_role()

    # -- work

    def start(self) -> None:
        """Asks git, then scans; returns at once. Called once."""
        with self._lock:
            self._started = True
            self._starting = self._lease.held
        # not before: an index at rest because nothing was asked of it yet is no news
        self._telling.start()
        self.later(self._begin)

    def opened(self, path: str) -> Future[Reindexed]:
        """The file of a buffer that was opened or closed goes before others."""
        return self._submit(Cause.OPENED, path)

    def saved(self, path: str) -> Future[Reindexed]:
        """A file that was just saved goes first."""
        return self._submit(Cause.SAVED, path)

    def changed_on_disk(self, path: str) -> None:
        """A file was found to be other than the index has it; it is looked at, once however often it is told.

        Not before ``start``: who only asks wants no upkeep.
        """
        if path in self._told or self._closed or not self._started:
            return
        self._told.add(path)
        try:
            self._submit(Cause.CHANGED_ON_DISK, path).add_done_callback(lambda _: self._told.discard(path))
        except IndexUnavailableError:  # closed, or being replaced: whoever comes after scans everything
            self._told.discard(path)

    def reindex(
        self,
        paths: Sequence[str] | None,
        *,
        force: bool,
        progress: Callable[[int, int], None] | None,
        token: CancelToken | None,
    ) -> Reindexed:
        """Brings paths, or all, up to date, and waits for it."""

        def on_look() -> None:
            if progress is not None:
                state = self._role.status()
                progress(state.files_done, state.files_total)

        self._branches.refresh()
        cause = Cause.FORCED if force else Cause.CHANGED_ON_DISK
        futures = [self._submit(cause, path) for path in (paths if paths is not None else ("",))]
        total = sum_of(futures, on_look, token)
        if paths is None:
            # until the references of what was read are linked too, which is the last of the work
            while not self._role.wait_idle(LOOK_SECONDS):
                if token is not None:
                    token.check()
        return total

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is queued, nothing runs, and the first scan after a start is over."""
        deadline = time.monotonic() + timeout
        while self._starting and not self._closed:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_PAUSE_SECONDS)
        return self._role.wait_idle(max(0.0, deadline - time.monotonic()))

    def update_settings(self, settings: Settings) -> None:
        """Judges files by the new settings and scans for what they change."""
        with self._lock:
            before, self._settings = self._settings, settings
            if (before.exclude, before.max_file_size) == (settings.exclude, settings.max_file_size):
                return
            self.watching.update_settings(settings)
            if not self._role.update_settings(settings):
                return
        self._submit(Cause.SCAN, "")

    def close(self) -> None:
        """Ends all work; waits for the transaction that runs."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._telling.close()
        self.watching.close()
        self._background.shutdown(wait=False, cancel_futures=True)
        self._role.close()
        self._lease.release()
        if self._alone is not None:
            self._alone.cleanup()

    # -- what watching asks: see ``Work``

    def look_at(self, path: str) -> None:
        """Has a file or folder looked at, also while an earlier look runs, which may have come too early."""
        with suppress(IndexUnavailableError):  # closed, or being rebuilt, which reads everything
            self._submit(Cause.CHANGED_ON_DISK, path)

    def scan(self) -> Future[Reindexed] | None:
        """Has everything looked at."""
        try:
            return self._submit(Cause.SCAN, "")
        except IndexUnavailableError:
            return None

    def later(self, act: Callable[[], None]) -> None:
        """Calls ``act`` where git may be waited for."""
        with suppress(RuntimeError):  # closed meanwhile
            self._background.submit(act)

    def news(self) -> None:
        """Has the state told."""
        self._telling.news()

    # -- state

    @property
    def reader(self) -> Reader:
        """The index as it is read now."""
        return self._role.reader

    @property
    def max_file_size(self) -> int:
        """The most bytes that an indexed file may have."""
        return self._settings.max_file_size

    def is_at_rest(self) -> bool:
        """Whether nothing is queued, nothing runs, and nothing is about to."""
        return not (self._role.status().running or self._starting)

    def status(self, snapshot: Snapshot, *, at_rest: bool) -> Status:
        """The state now; counts come from the snapshot.

        Args:
            snapshot: The index.
            at_rest: ``is_at_rest`` before the snapshot was taken: work that ended since is not in its counts, and a
                status that is the last for long must not tell them.
        """
        role, writer = self._role, self._role.status()
        git = self._branches.view.state
        degraded = writer.degraded or self.watching.reason or (_ALONE if self._alone is not None else "")
        return Status(
            root=str(self._root),
            health=_health(writer, degraded, starting=self._starting, is_empty=role.is_empty),
            quiescent=at_rest and self.is_at_rest(),
            role=role.name,
            message=degraded or role.message,
            counts=snapshot.counts(),
            queue_length=writer.queue_length,
            files_done=writer.files_done,
            files_total=writer.files_total,
            indexed_at=writer.indexed_at or snapshot.indexed_at(),
            branch=git.branch if git else "",
            head=git.head if git else "",
            dirty=git.dirty if git else False,
            watcher=role.watcher,
            index_path=str(role.generation),
            index_bytes=_size(role.generation),
            problems=len(snapshot.problems()),
        )

    # -- the roles

    def _begin_role(self) -> Role:
        """Becomes the one that writes if nobody else does.

        Raises:
            IndexUnavailableError: Nothing can be written, or the index can neither be opened nor rebuilt.
        """
        try:
            if not self._lease.acquire():
                return self._follow()
        except NoLocksError as error:
            log.warning("no locks: an index of its own", extra={"path": str(self._path), "reason": str(error)})
            self._alone = tempfile.TemporaryDirectory(prefix="granum-", ignore_cleanup_errors=True)
            self._path = Path(self._alone.name) / self._path.name
            self._lease = Lease(self._path)
            self._lease.acquire()
        try:
            return self._hold()
        except BaseException:
            self._lease.release()
            raise

    def _hold(self) -> Holder:
        from granum.resolve import Linker

        return Holder(
            self._path,
            self._lease,
            Options(
                root=self._root,
                policy=Policy.load(self._root, self._settings),
                extractor_version=EXTRACTOR_VERSION,
                max_file_size=self._settings.max_file_size,
                workers=self._settings.workers,
                retention=lambda: self._settings.retention,
                extraction_cache=self._extraction_cache,
                origin=self._origin,
                is_here=self.watching.root.is_here,
                # a save waits for its own links only; those of others follow in slices
                linker=Linker(waiting_at_once=0),
                on_change=self._changed,
                on_progress=self._listeners.on_progress,
                on_idle=self._telling.news,
                on_damage=self._damaged,
            ),
            self._settings,
            is_starting=lambda: self._starting,
            watching=self.watching,
            on_damage=self._damaged,
            on_lost=lambda: self.later(self._replace),
        )

    def _follow(self, failure: str = "") -> Follower:
        news = News(self._take_over, self._changed, self._listeners.on_progress, self._telling.news)
        return Follower(self._path, EXTRACTOR_VERSION, self._lease, lambda: self._settings, news, failure)

    def _take_over(self) -> None:
        """The process that wrote the index is gone, and this one has the lease. In the follower's thread."""
        with self._lock:
            follower = self._role
            if self._closed or not isinstance(follower, Follower):
                self._lease.release()
                return
            self._role = holder = self._hold()
            self._starting = self._started
        for job, future in follower.hand_over():
            try:
                pass_on(holder.submit(job), future)
            except IndexUnavailableError:  # closed meanwhile
                give_up(future)
        log.info("took the index over", extra={"root": str(self._root)})
        if self._started:
            self.later(self._begin)

    def _begin(self) -> None:
        """Watches and scans, in the process that writes."""
        if self._lease.held:
            self.watching.start()
        else:
            self.watching.stop()
        self._branches.refresh()
        if self._lease.held:
            self.watching.wait_ready(_WATCH_SECONDS)
            with suppress(IndexUnavailableError):  # closed meanwhile
                self._submit(Cause.SCAN, "").add_done_callback(self._scanned)
                self._role.prepare()
        else:
            self._telling.news()  # there may be none for long

    def _scanned(self, _: Future[Reindexed]) -> None:
        self._starting = False
        self._telling.news()

    def _replace(self) -> None:
        """The index is damaged or was deleted: a new one is begun, by whoever gets to it."""
        with self._lock:
            if self._closed:
                return
            self._role.close()
            if self._lease.is_lost():
                self._lease.release()
            try:
                self._role = self._begin_role()
            except IndexUnavailableError as error:
                log.warning("no new index can be begun", extra={"reason": str(error)})
                self._role = self._follow(str(error))
            self._starting = self._lease.held
        self._begin()

    # -- damage

    def met_damage(self, reader: Reader, message: str) -> None:
        """A question found the index damaged; it is rebuilt, unless that has begun since the question was asked."""
        if reader is self.reader:
            self._damaged(message)

    def _damaged(self, message: str) -> None:
        """The writer ends afterwards, which may have called this; a new one takes over from another thread."""
        with self._damage:  # many questions may meet it at once
            generation = self._role.generation
            if self._closed or self._given_up == generation:
                return
            self._given_up = generation
        log.error("the index is damaged: %s", message)
        with suppress(OSError):  # on a read-only disk nothing can be rebuilt either
            mark_damaged(generation)
        if self._lease.held:  # else the process that holds it finds the mark
            self.later(self._replace)

    # -- how it is done

    def _submit(self, cause: Cause, path: str) -> Future[Reindexed]:
        role, job = self._role, Job(cause=cause, path=path)
        try:
            return role.submit(job)
        except IndexUnavailableError:
            with self._lock:  # where it is being taken over or rebuilt, until that is done
                if role is self._role:
                    raise
                return self._role.submit(job)

    def _origin(self) -> Origin:
        branch, commit = self._branches.provenance()
        return Origin(branch=branch, commit=commit)

    def _changed(self, changes: Sequence[DocumentChange]) -> None:
        if self._listeners.on_change is not None:
            self._listeners.on_change(changes)
        self._telling.news()

    def _look(self) -> Status:
        at_rest = self.is_at_rest()
        with self.reader.snapshot() as snapshot:
            return self.status(snapshot, at_rest=at_rest)


_ALONE = (
    "The folder of the index is on a file system without locks, so that this process keeps an index of its own until"
    " it ends. Set granum.indexPath to a folder on a local disk."
)


def _health(writer: WriterStatus, degraded: str, *, starting: bool, is_empty: bool) -> Health:
    if degraded:
        return Health.DEGRADED
    if is_empty:
        return Health.STARTING
    if writer.running:
        return Health.INDEXING
    return Health.STARTING if starting else Health.READY


def _size(path: Path) -> int:
    """Bytes of an index and of its write-ahead log, which holds all that was not yet copied into it."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
