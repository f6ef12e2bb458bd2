"""A process that only reads an index, because another one writes it; it takes over when that one is gone."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from granum.index.connection import open_reader
from granum.index.generation import open_generation
from granum.index.location import current_generation, generations
from granum.index.options import WriterStatus
from granum.index.reader import Reader
from granum.model.answers import DocumentChange, Reindexed
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from granum.index.jobs import Job
    from granum.index.lease import Lease
    from granum.index.mailbox import Mailbox
    from granum.index.policy import Policy

log = logging.getLogger(__name__)

#: How often the lease and the index are looked at, and how often answers to wishes, in seconds.
_SLOW, _QUICK = 0.25, 0.01
#: Changed documents that are told at once.
_MOST_CHANGES = 500
#: A commit may hold readings this much older than the last one's, in seconds.
_READING_LAG = 30.0


class Follower:
    """Reads; what it wants written it wishes for."""

    def __init__(
        self,
        path: Path,
        extractor_version: int,
        lease: Lease,
        mailbox: Mailbox,
        *,
        on_free: Callable[[], bool],
        on_change: Callable[[Sequence[DocumentChange]], None],
    ) -> None:
        """Opens the index for reading.

        Args:
            path: The index's first generation.
            extractor_version: For an index that its writer has not begun yet.
            lease: Asked for again and again.
            mailbox: Where wishes go.
            on_free: Called, in this object's thread, when the lease was got; ends the following if it returns True.
            on_change: Told what the other process has committed.

        Raises:
            IndexUnavailableError: There is no index and none can be made.
        """
        self._path = path
        self._lease = lease
        self._mailbox = mailbox
        self._on_free = on_free
        self._on_change = on_change
        if not generations(path):
            open_generation(path, extractor_version).connection.close()
        self.generation = current_generation(path)
        self.reader = Reader(self.generation)
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[Job, Future[Reindexed]]] = {}
        self._wake = threading.Event()
        self._ended = False
        self._seen: dict[str, tuple[int, int, float]] = {}
        self._since = time.time()
        self._thread = threading.Thread(target=self._follow, name="granum-follower", daemon=True)
        self._thread.start()

    @property
    def message(self) -> str:
        """See ``Role``."""
        holder = self._lease.holder()
        if self._lease.failure:
            return self._lease.failure
        return f"indexed by process {holder.pid}" if holder else "indexed by another process"

    def submit(self, job: Job) -> Future[Reindexed]:
        """See ``Role``."""
        future: Future[Reindexed] = Future()
        with self._lock:
            if self._ended:
                raise IndexUnavailableError("The index is closed. Open the workspace again.")
            try:
                self._waiting[self._mailbox.post(job)] = job, future
            except OSError as error:
                future.set_exception(
                    IndexUnavailableError(f"No wish can be left for the process that indexes: {error}.")
                )
        self._wake.set()
        return future

    def status(self) -> WriterStatus:
        """See ``Role``."""
        holder = self._lease.holder()
        with self._lock:
            waiting = len(self._waiting)
        return WriterStatus(
            queue_length=waiting,
            files_done=0,
            files_total=0,
            indexed_at=None,
            running=bool(waiting) or holder is None or not holder.resting,
            degraded=self._lease.failure or (holder.message if holder else ""),
        )

    def wait_idle(self, timeout: float) -> bool:
        """See ``Role``."""
        deadline = time.monotonic() + timeout
        while self.status().running:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_QUICK)
        return True

    def set_policy(self, policy: Policy, max_file_size: int) -> None:
        """See ``Role``."""

    def prepare(self) -> None:
        """See ``Role``."""

    def close(self) -> None:
        """See ``Role``. Wishes are taken back."""
        for _, future in self._end():
            with suppress(InvalidStateError):
                future.set_exception(IndexUnavailableError("The index was closed before the work was done."))
        if self._thread is not threading.current_thread():
            self._thread.join()
        self.reader.close()

    def hand_over(self) -> list[tuple[Job, Future[Reindexed]]]:
        """Ends the following; returns the wishes that are still open, which the caller fulfils."""
        waiting = self._end()
        self.reader.close()
        return waiting

    def _end(self) -> list[tuple[Job, Future[Reindexed]]]:
        with self._lock:
            self._ended = True
            waiting, self._waiting = self._waiting, {}
        self._wake.set()
        self._mailbox.take_back(waiting)
        return list(waiting.values())

    # -- the thread

    def _follow(self) -> None:
        looked_at = 0.0
        watch = _Watch(self.generation)
        while not self._ended:
            self._wake.wait(_QUICK if self._waiting else _SLOW)
            self._wake.clear()
            self._collect()
            if time.monotonic() < looked_at + _SLOW or self._ended:
                continue
            looked_at = time.monotonic()
            if self._lease.acquire() and self._on_free():
                break
            if current_generation(self._path) != self.generation:
                watch.close()
                self._reopen()
                watch = _Watch(self.generation)
            elif watch.has_changed():
                self._tell()
        watch.close()

    def _collect(self) -> None:
        """Passes answers on."""
        with self._lock:
            waiting = dict(self._waiting)
        for name, (_, future) in waiting.items():
            answer = self._mailbox.answer_of(name)
            if answer is None and not future.cancelled() and not self._mailbox.is_gone(name):
                continue
            with self._lock:
                self._waiting.pop(name, None)
            if future.cancelled():
                self._mailbox.take_back([name])
            elif answer is not None and not answer.failure:
                future.set_result(answer.reindexed)
            else:
                failure = answer.failure if answer else "The process that indexes gave no answer."
                future.set_exception(IndexUnavailableError(failure))

    def _reopen(self) -> None:
        """The other process has begun a new generation."""
        before = self.reader
        self.generation = current_generation(self._path)
        self.reader = Reader(self.generation)
        before.close()

    def _tell(self) -> None:
        """Tells which documents the last commits have changed."""
        try:
            with self.reader.snapshot() as snapshot:
                rows = snapshot.rows(
                    "SELECT path, version_id, is_stale, max(indexed_at, coalesce(stale_since, 0)) FROM document"
                    " WHERE indexed_at >= ?1 OR stale_since >= ?1 LIMIT ?2",
                    (self._since - _READING_LAG, _MOST_CHANGES),
                )
        except apsw.Error as error:
            log.info("the index cannot be followed right now", extra={"reason": str(error)})
            return
        seen = {row[0]: (row[1], row[2], row[3]) for row in rows}
        changes = [
            DocumentChange(path=path, added=0, removed=0, stale=0, version=row[0])
            for path, row in seen.items()
            if self._seen.get(path) != row and row[2] >= self._since
        ]
        self._seen = seen
        self._on_change(changes)


class _Watch:
    """Tells whether another process has committed, by a connection that does nothing else."""

    def __init__(self, generation: Path) -> None:
        self._connection: apsw.Connection | None = None
        self._version = 0
        with suppress(apsw.Error):
            self._connection = open_reader(generation)
            self._version = int(self._connection.pragma("data_version"))

    def has_changed(self) -> bool:
        if self._connection is None:
            return True
        try:
            version = int(self._connection.pragma("data_version"))
        except apsw.Error:
            return True
        changed, self._version = version != self._version, version
        return changed

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
