"""Keeps the index of one root: its file, its writer, its reader, and what is told about the work.

When the index turns out to be damaged while it is used, a new generation is begun and filled by a scan.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw
import msgspec

from granum.engine.follower import Follower
from granum.engine.holder import Holder
from granum.engine.watching import Watching
from granum.extract import EXTRACTOR_VERSION
from granum.index import location
from granum.index.generation import mark_damaged
from granum.index.jobs import Cause, Job
from granum.index.lease import Lease
from granum.index.mailbox import Mailbox
from granum.index.policy import Policy
from granum.index.schema import SCHEMA_VERSION
from granum.index.store import Origin
from granum.index.writer import Options, Writer
from granum.model.answers import DocumentChange, Health, Reindexed, Status
from granum.model.errors import CancelledRequestError, IndexUnavailableError

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from granum.engine.branches import Branches
    from granum.engine.roles import Role
    from granum.index.reader import Reader, Snapshot
    from granum.index.writer import WriterStatus
    from granum.model.cancellation import CancelToken
    from granum.model.settings import Settings

log = logging.getLogger(__name__)

#: How long the first scan waits for the watcher, so that it need not be repeated, in seconds.
_WATCH_SECONDS = 2.0
#: How often a caller that waits for work looks whether it was taken back, in seconds.
_LOOK_SECONDS = 0.1
#: Statuses told are at least this far apart, in seconds: each counts all rows.
_STATUS_SECONDS = 0.25


class Listeners(msgspec.Struct, frozen=True, kw_only=True):
    """Who is told of changes, state and progress; they run in the writer's thread and must be quick."""

    on_change: Callable[[Sequence[DocumentChange]], None] | None = None
    on_status: Callable[[Status], None] | None = None
    on_progress: Callable[[int, int], None] | None = None


class Indexing:
    """Owns the index. Safe from any thread."""

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
        # between start() and the end of the first scan, a writer with nothing to do is not at rest
        self._starting = False
        self._started = False
        self._path = location.index_path(root, settings, index_dir, schema=SCHEMA_VERSION, extractor=EXTRACTOR_VERSION)
        self._extraction_cache = location.extraction_cache_path(root, settings, index_dir)
        # git's calls take tens of milliseconds, which neither the writer nor a request should wait for
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="granum-git")
        self._news = threading.Event()
        self._ended = threading.Event()
        self._lease = Lease(self._path)
        self._mailbox = Mailbox(self._path)
        self.watching = Watching(root, settings, branches, self)
        self._role: Role = self._hold() if self._lease.acquire() else self._follow()

    # -- work

    def start(self) -> None:
        """Asks git, then scans; returns at once. Called once."""
        self._starting = self._lease.held
        self._started = True
        on_status = self._listeners.on_status
        if on_status is not None:
            # not before: an index at rest because nothing was asked of it yet is no news
            threading.Thread(target=self._tell, args=(on_status,), name="granum-status", daemon=True).start()
        self._background.submit(self._begin)

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
        with suppress(IndexUnavailableError):  # closed, or being replaced: whoever comes after scans everything
            self._submit(Cause.CHANGED_ON_DISK, path).add_done_callback(lambda _: self._told.discard(path))

    def reindex(
        self,
        paths: Sequence[str] | None,
        *,
        force: bool,
        progress: Callable[[int, int], None] | None,
        token: CancelToken | None,
    ) -> Reindexed:
        """Brings paths, or all, up to date, and waits for it."""
        self._branches.refresh()
        cause = Cause.FORCED if force else Cause.CHANGED_ON_DISK
        futures = [self._submit(cause, path) for path in (paths if paths is not None else ("",))]
        total = Reindexed()
        for future in futures:
            total += self._awaited(future, futures, progress, token)
        if paths is None:
            self._linked(token)
        return total

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is queued and nothing runs."""
        return self._role.wait_idle(timeout)

    def update_settings(self, settings: Settings) -> None:
        """Judges files by the new settings and scans for what they change."""
        with self._lock:
            before, self._settings = self._settings, settings
            if (before.exclude, before.max_file_size) == (settings.exclude, settings.max_file_size):
                return
            self._role.set_policy(Policy.load(self._root, settings), settings.max_file_size)
            self.watching.update_settings(settings)
        self._submit(Cause.SCAN, "")

    def close(self) -> None:
        """Ends all work; waits for the transaction that runs."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._ended.set()
        self._news.set()
        self.watching.close()
        self._background.shutdown(wait=False, cancel_futures=True)
        self._role.close()

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
        self._news.set()

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
        return Status(
            root=str(self._root),
            health=_health(writer, self.watching.reason, starting=self._starting),
            quiescent=at_rest and self.is_at_rest(),
            message=writer.degraded or self.watching.reason or role.message,
            counts=snapshot.counts(),
            queue_length=writer.queue_length,
            files_done=writer.files_done,
            files_total=writer.files_total,
            indexed_at=writer.indexed_at or snapshot.indexed_at(),
            branch=git.branch if git else "",
            head=git.head if git else "",
            dirty=git.dirty if git else False,
            watcher=self.watching.kind,
            index_path=str(role.generation),
            index_bytes=_size(role.generation),
            problems=len(snapshot.problems()),
        )

    # -- how it is done

    def _hold(self) -> Holder:
        """Becomes the one that writes; the lease must be held."""
        return Holder(
            self._path,
            EXTRACTOR_VERSION,
            self._lease,
            self._mailbox,
            self._writer_on,
            is_set_going=lambda: self._started and not self._starting,
            on_damage=self._damaged,
            degraded=lambda: self.watching.reason,
        )

    def _follow(self) -> Follower:
        """Becomes one of those that read, until the lease falls free."""
        return Follower(
            self._path,
            EXTRACTOR_VERSION,
            self._lease,
            self._mailbox,
            on_free=self._take_over,
            on_change=self._changed,
        )

    def _writer_on(self, connection: apsw.Connection) -> Writer:
        from granum.resolve import Linker

        return Writer(
            connection,
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
                on_idle=self._news.set,
                on_damage=self._damaged,
            ),
        )

    def _take_over(self) -> bool:
        """The process that wrote the index is gone, and this one has the lease; False when it cannot write either."""
        with self._lock:
            follower = self._role
            if self._closed or not isinstance(follower, Follower):
                self._lease.release()
                return True
            try:
                holder = self._hold()
            except IndexUnavailableError as error:
                log.warning("the index cannot be taken over", extra={"reason": str(error)})
                return False
            self._role = holder
            self._starting = self._started
        for job, future in follower.hand_over():
            _pass_on(holder.submit(job), future)
        log.info("took over the index")
        if self._started:
            with suppress(RuntimeError):  # closed meanwhile
                self._background.submit(self._begin)
        return True

    def _begin(self) -> None:
        if self._lease.held:
            self.watching.start()
        else:
            self.watching.stop()  # whoever holds the lease watches
        self._branches.refresh()
        if self._lease.held:
            self.watching.wait_ready(_WATCH_SECONDS)
            self._submit(Cause.SCAN, "").add_done_callback(self._scanned)
            self._role.prepare()

    def _scanned(self, _: Future[Reindexed]) -> None:
        self._starting = False
        self._news.set()

    def _submit(self, cause: Cause, path: str) -> Future[Reindexed]:
        role, job = self._role, Job(cause=cause, path=path)
        try:
            return role.submit(job)
        except IndexUnavailableError:
            if role is self._role:
                raise
            return self._role.submit(job)  # it was taken over, or rebuilt, just then

    def _awaited(
        self,
        future: Future[Reindexed],
        all_futures: Sequence[Future[Reindexed]],
        progress: Callable[[int, int], None] | None,
        token: CancelToken | None,
    ) -> Reindexed:
        while True:
            try:
                return future.result(_LOOK_SECONDS)
            except TimeoutError:
                if token is not None and token.cancelled:
                    for each in all_futures:
                        each.cancel()
                    raise CancelledRequestError("the reindexing was cancelled") from None
                if progress is not None:
                    state = self._role.status()
                    progress(state.files_done, state.files_total)
            except CancelledError as error:
                raise CancelledRequestError("the reindexing was cancelled") from error

    def _linked(self, token: CancelToken | None) -> None:
        """Waits until the references of what was read are linked too, which is the last of the work."""
        while not self._role.wait_idle(_LOOK_SECONDS):
            if token is not None:
                token.check()

    def _origin(self) -> Origin:
        branch, commit = self._branches.provenance()
        return Origin(branch=branch, commit=commit)

    def _changed(self, changes: Sequence[DocumentChange]) -> None:
        if self._listeners.on_change is not None:
            self._listeners.on_change(changes)
        self._news.set()

    def _tell(self, on_status: Callable[[Status], None]) -> None:
        """Tells the status after news, in a thread of its own: counting rows must delay neither writer nor requests."""
        while self._news.wait() and not self._ended.is_set():
            self._news.clear()
            try:
                at_rest = self.is_at_rest()
                with self.reader.snapshot() as snapshot:
                    status = self.status(snapshot, at_rest=at_rest)
            except apsw.Error as error:
                log.warning("no status could be told: %s", error)
            else:
                on_status(status)
            self._ended.wait(_STATUS_SECONDS)

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
        if self._lease.held:  # else the one that holds it finds the mark
            with suppress(RuntimeError):  # closed meanwhile
                self._background.submit(self._replace)

    def _replace(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._role.close()
            self._role = self._hold() if self._lease.acquire() else self._follow()
        self._begin()


def _pass_on(done: Future[Reindexed], to: Future[Reindexed]) -> None:
    """Has one future tell what another does."""

    def tell(_: Future[Reindexed]) -> None:
        with suppress(InvalidStateError, CancelledError):
            error = done.exception()
            if error is not None:
                to.set_exception(error)
            else:
                to.set_result(done.result())

    done.add_done_callback(tell)


def _health(writer: WriterStatus, reason: str, *, starting: bool) -> Health:
    if writer.degraded or reason:
        return Health.DEGRADED
    if writer.running:
        return Health.INDEXING
    return Health.STARTING if starting else Health.READY


def _size(path: Path) -> int:
    """Bytes of an index and of its write-ahead log, which holds all that was not yet copied into it."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
