"""The only writer of the index: one thread that does the most urgent thing, again and again.

Four kinds of work, each in bounded steps so that a save never waits for long: walking folders, looking at files
(small urgent ones here, all others in worker processes), committing what was read, and linking. What comes first is
decided by ``Cause`` alone.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from granum.index.commit import ENVIRONMENT, Committer
from granum.index.freshness import FileStamp
from granum.index.generation import DAMAGE, mark_damaged
from granum.index.jobs import URGENT, Cause, Entry, Job, Queue, Ticket
from granum.index.look import Rules, look, prepare
from granum.index.memory import give_back
from granum.index.options import Options, WriterStatus
from granum.index.policy import RULE_FILES
from granum.index.reading import Reading, Request, State
from granum.index.scan import known_below, known_file, walk
from granum.index.workers import Workers, default_workers
from granum.model.answers import Reindexed
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    import apsw

    from granum.index.policy import Policy
    from granum.index.scan import Found, Known
    from granum.index.store import Outcome
    from granum.model.answers import DocumentChange

__all__ = ["Options", "Writer", "WriterStatus"]

log = logging.getLogger(__name__)

#: Files up to this size, in bytes, are read in the writer's thread when they are urgent or few.
INLINE_BYTES = 16 * 1024
#: With fewer files than this waiting, starting processes would take longer than reading the files.
FEW_FILES = 24
#: Files a task of a worker; and how many tasks' worth each worker may have before it.
TASK_FILES = 16
AHEAD = 3
#: Readings that wait for being committed, and how many of them make one transaction.
MOST_READY = 400
BATCH_FILES = 32
FULL_BATCH = 24
#: How long a step of walking, or of reading files here, may take, in seconds.
STEP_SECONDS = 0.05


class _Walk:
    """A walk that goes on step by step."""

    __slots__ = ("cause", "found", "known", "tickets")

    def __init__(self, cause: Cause, found: Iterator[Found], known: dict[str, Known], tickets: list[Ticket]) -> None:
        self.cause = cause
        self.found = found
        self.known = known
        self.tickets = tickets


class Writer:
    """Owns the writing connection from its making to ``close``. All methods are safe from any thread."""

    def __init__(self, connection: apsw.Connection, options: Options) -> None:
        self._options = options
        self._committer = Committer(connection, options.root, options.extractor_version, options.origin, options.linker)
        self._rules = Rules(root=os.fspath(options.root), max_file_size=options.max_file_size)
        self._changed = threading.Condition()
        self._queue = Queue()
        self._walks: list[_Walk] = []
        self._in_flight: dict[int, Entry] = {}
        self._latest: dict[str, int] = {}
        self._ready: dict[Cause, list[Reading]] = {cause: [] for cause in Cause}
        self._turn = 0
        self._busy = False
        self._closing = False
        self._done = self._total = 0
        self._indexed_at: float | None = None
        self._degraded = ""
        self._wants_ready = False
        self._workers = Workers(options.workers or default_workers(), self._rules, self._receive)
        self._thread = threading.Thread(target=self._run, name="granum-writer", daemon=True)
        self._thread.start()

    # -- what others ask

    def submit(self, job: Job) -> Future[Reindexed]:
        """Brings a path in line with the disk; the future tells what that changed.

        Raises:
            IndexUnavailableError: The writer is closed.
        """
        ticket = Ticket()
        with self._changed:
            if self._closing:
                raise IndexUnavailableError("The index is closed. Open the workspace again.")
            self._put(job.path, job.cause, [ticket])
            self._changed.notify_all()
        return ticket.future

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is queued and nothing runs; False when ``timeout`` seconds passed before."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closing or self._idle(), timeout)

    def status(self) -> WriterStatus:
        """The state right now."""
        with self._changed:
            return WriterStatus(
                queue_length=len(self._queue) + len(self._in_flight) + len(self._walks) + self._committer.waiting,
                files_done=self._done,
                files_total=self._total,
                indexed_at=self._indexed_at,
                running=not self._idle(),
                degraded=self._degraded,
            )

    def set_policy(self, policy: Policy, max_file_size: int) -> None:
        """Judges files by other rules from now on; a scan applies them to what is indexed."""
        with self._changed:
            self._options = msgspec.structs.replace(self._options, policy=policy, max_file_size=max_file_size)
            self._rules = Rules(root=self._rules.root, max_file_size=max_file_size)
            self._workers.set_rules(self._rules)

    def prepare(self) -> None:
        """Readies itself for quick saves, once there is nothing else to do."""
        with self._changed:
            self._wants_ready = True
            self._changed.notify_all()

    def close(self) -> None:
        """Finishes the transaction that runs, gives up what is queued and closes the connection."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join()

    # -- the thread

    def _run(self) -> None:
        try:
            while (step := self._next()) is not None:
                self._do(step)
        finally:
            self._finish()

    def _do(self, step: Callable[[], None]) -> None:
        try:
            step()
        except DAMAGE as error:
            self._give_up(f"The index is damaged ({error}); it must be rebuilt.")
        except ENVIRONMENT as error:
            self._committer.drop_waiting()
            self._cannot_write(error)
        except Exception:
            # the last guard: whatever goes wrong with one step must not end the indexing of all others
            log.exception("a step of the writer failed")

    def _next(self) -> Callable[[], None] | None:
        """Waits for work and returns the most urgent step; None at the end."""
        with self._changed:
            while not self._closing:
                step = self._most_urgent()
                if step is not None:
                    self._busy = True
                    return step
                self._busy = False
                if self._idle():
                    self._changed.notify_all()
                    if self._options.on_idle is not None:
                        self._options.on_idle()
                self._changed.wait()
            return None

    def _most_urgent(self) -> Callable[[], None] | None:
        choices: list[tuple[int, int, Callable[[], None]]] = []
        ready = next((cause for cause in Cause if self._ready[cause]), None)
        if ready is not None and self._is_batch(ready):
            choices.append((ready, 0, self._commit_ready))
        queued = self._queue.peek()
        if queued is not None and (queued in URGENT or self._has_room()):
            choices.append((queued, 1, self._take))
        if self._walks:
            choices.append((min(walk.cause for walk in self._walks), 2, self._walk_on))
        if self._committer.waiting:
            choices.append((Cause.LINK, 3, self._committer.link_slice))
        if not choices and self._wants_ready and not self._in_flight:
            return self._make_ready
        return min(choices, key=lambda choice: choice[:2])[2] if choices else None

    def _make_ready(self) -> None:
        """Loads the parsers here for small files and in a worker for large ones; tidies up after the scan."""
        self._wants_ready = False
        self._workers.prepare()
        self._committer.empty_log()
        self._committer.shrink()
        # in a thread of its own: the index is at rest, and whoever waits for that need not wait for this
        threading.Thread(target=_settle, name="granum-settle", daemon=True).start()

    def _is_batch(self, cause: Cause) -> bool:
        """Whether to commit now: for someone who waits, or when enough is there, or nothing more will come soon.

        Small transactions are dear in bulk: each makes its own segments of the full-text tables.
        """
        if cause in URGENT or len(self._ready[cause]) >= FULL_BATCH:
            return True
        return len(self._in_flight) == sum(map(len, self._ready.values())) and not self._queue and not self._walks

    def _has_room(self) -> bool:
        waiting = sum(map(len, self._ready.values()))
        return waiting < MOST_READY and len(self._in_flight) - waiting < self._workers.count * AHEAD * TASK_FILES

    def _idle(self) -> bool:
        return not (self._queue or self._in_flight or self._walks or self._committer.waiting or self._busy)

    # -- walking

    def _walk_on(self) -> None:
        walk = min(self._walks, key=lambda walk: walk.cause)
        deadline = time.monotonic() + STEP_SECONDS
        for found in walk.found:
            with self._changed:
                for path in found.paths:
                    self._put(path, walk.cause, walk.tickets)
                for ticket in walk.tickets:
                    ticket.add(Reindexed(files=found.settled, unchanged=found.settled))
            if found.problems:
                self._committer.put_problems((path, p.code, p.message) for path, p in found.problems)
            if time.monotonic() > deadline:
                return
        with self._changed:
            self._walks.remove(walk)
            for path in walk.known:
                self._put(path, walk.cause, walk.tickets)
            self._keep(ticket for ticket in walk.tickets if ticket.done())

    # -- looking at files

    def _take(self) -> None:
        with self._changed:
            cause = self._queue.peek()
            entries = self._queue.take(1 if cause in URGENT else TASK_FILES)
            few = not self._workers.started and len(self._queue) + len(entries) < FEW_FILES
        requests: list[tuple[Entry, Request, int]] = []
        for entry in entries:
            prepared = self._prepare(entry)
            if isinstance(prepared, Reading):
                self._receive(prepared)
            elif prepared is not None:
                requests.append((entry, *prepared))
        here = [r for e, r, size in requests if size <= INLINE_BYTES and (few or e.cause in URGENT)]
        inline = {request.turn for request in here}
        elsewhere = tuple(request for _, request, _ in requests if request.turn not in inline)
        if elsewhere:
            self._workers.submit(elsewhere, int(cause or 0))
            self._wants_ready = self._wants_ready or cause not in URGENT
        for request in here:
            self._receive(look(self._rules, request))

    def _prepare(self, entry: Entry) -> Reading | tuple[Request, int] | None:
        """What can be told of a path without reading it; else the request for that and the file's size."""
        if entry.unwanted:
            self._drop(entry)
            return None
        path = entry.path
        if path.rpartition("/")[2] in RULE_FILES:
            self._judge_anew(entry)
            return None
        try:
            status = os.stat(self._options.root / path)  # noqa: PTH116  its errors tell the cases apart
        except (FileNotFoundError, NotADirectoryError):
            return self._vanished(entry)
        except OSError:
            return self._request(entry, None), 0
        if stat.S_ISDIR(status.st_mode):
            return self._folder(entry)
        turn = self._begin(entry)
        # late: the languages' specifications are not needed to answer from the index
        from granum.extract import language_of

        if language_of(path) is None or not self._options.policy.verdict(path, is_dir=False).keep:
            return Reading(path=path, state=State.REFUSED, turn=turn)
        known = known_file(self._committer.connection, path)
        if known is None and entry.cause is not Cause.SCAN:  # a scan meets what is gone by itself
            self._put_below(entry)
        if known is not None and not entry.force and known.is_settled(FileStamp.of(status)):
            return Reading(path=path, state=State.UNCHANGED, turn=turn)
        return self._request(entry, known, turn), status.st_size

    def _request(self, entry: Entry, known: Known | None, turn: int | None = None) -> Request:
        content = b"" if known is None or entry.force else known.content_sha256
        return Request(path=entry.path, known_sha256=content, turn=self._begin(entry) if turn is None else turn)

    def _vanished(self, entry: Entry) -> Reading:
        self._put_below(entry)
        return Reading(path=entry.path, state=State.MISSING, turn=self._begin(entry))

    def _put_below(self, entry: Entry) -> None:
        """What the index has below a path that is no folder (any more) is to be looked at too."""
        below = [] if not entry.path else list(known_below(self._committer.connection, entry.path))
        with self._changed:
            for path in below:
                self._put(path, entry.cause, entry.tickets)

    def _folder(self, entry: Entry) -> Reading | None:
        """Begins to walk a folder. A file that the index has under the same name was replaced by it, and is gone."""
        known = known_file(self._committer.connection, entry.path) if entry.path else None
        gone = Entry(entry.path, entry.cause)
        if known is not None:
            with self._changed:
                gone.take_part(entry.tickets)
                self._total += 1
        self._start_walk(entry)
        return None if known is None else Reading(path=entry.path, state=State.MISSING, turn=self._begin(gone))

    def _start_walk(self, entry: Entry) -> None:
        if entry.path:
            self._committer.drop_problems(entry.path)
        known = known_below(self._committer.connection, entry.path)
        if not entry.path:
            # a scan of everything also finds what ignore files that changed unnoticed say now
            self._options = msgspec.structs.replace(self._options, policy=self._options.policy.fresh())
        found = walk(self._options.root, entry.path, self._options.policy, known, everything=entry.force)
        with self._changed:
            # the entry's hold on its tickets passes to the walk
            self._walks.append(_Walk(entry.cause, found, known, entry.tickets))
            self._done += 1

    def _judge_anew(self, entry: Entry) -> None:
        """An ignore file came, changed or went: what it rules is walked again."""
        with self._changed:
            self._options = msgspec.structs.replace(self._options, policy=self._options.policy.fresh())
            self._put(entry.path.rpartition("/")[0], entry.cause, entry.tickets)
        self._drop(entry)

    def _begin(self, entry: Entry) -> int:
        """Notes that the file is being looked at. An earlier look that still runs is overtaken: it may be older."""
        with self._changed:
            self._turn += 1
            overtaken = self._in_flight.get(self._latest.get(entry.path, 0))
            if overtaken is not None:
                entry.tickets.extend(overtaken.tickets)
                overtaken.tickets = []
            self._in_flight[self._turn] = entry
            self._latest[entry.path] = self._turn
            return self._turn

    def _receive(self, reading: Reading) -> None:
        """Takes in a reading; called from any thread."""
        with self._changed:
            entry = self._in_flight.get(reading.turn)
            if entry is not None:
                self._ready[entry.cause].append(reading)
                self._changed.notify_all()

    def _drop(self, entry: Entry) -> None:
        with self._changed:
            self._done += 1
            self._keep(ticket for ticket in entry.tickets if ticket.done())

    # -- committing

    def _commit_ready(self) -> None:
        with self._changed:
            cause = next(cause for cause in Cause if self._ready[cause])
            readings = self._ready[cause][:BATCH_FILES]
            del self._ready[cause][:BATCH_FILES]
            current = [reading for reading in readings if self._latest.get(reading.path) == reading.turn]
        outcomes: tuple[Outcome, ...] = ()
        renamed: tuple[str, ...] = ()
        try:
            committed = self._committer.commit(current, link=cause in URGENT)
            outcomes, renamed = committed.outcomes, committed.renamed
            self._recover()
        except ENVIRONMENT as error:
            self._cannot_write(error)  # before those who wait are told, so that they find the reason
        finally:
            # also after a failure: who waits must not wait forever
            self._settle(readings, current, outcomes, renamed)
        self._tell([outcome.change for outcome in outcomes if outcome.change is not None])

    def _settle(
        self,
        readings: Sequence[Reading],
        current: Sequence[Reading],
        outcomes: Sequence[Outcome],
        renamed: Iterable[str],
    ) -> None:
        results = {r.turn: outcome.reindexed for r, outcome in zip(current, outcomes, strict=False)}
        failure = Reindexed(files=1, problems=1)
        with self._changed:
            for path in renamed:
                self._put(path, Cause.SCAN, (), force=True)
            for reading in readings:
                entry = self._in_flight.pop(reading.turn)
                if self._latest.get(reading.path) == reading.turn:
                    del self._latest[reading.path]
                result = results.get(reading.turn, failure)
                self._keep(ticket for ticket in entry.tickets if ticket.done(result))
            self._done += len(readings)
            if outcomes:
                self._indexed_at = time.time()

    def _tell(self, changes: Sequence[DocumentChange]) -> None:
        if changes and self._options.on_change is not None:
            self._options.on_change(changes)
        if self._options.on_progress is not None:
            self._options.on_progress(self._done, self._total)

    # -- under the lock

    def _put(self, path: str, cause: Cause, tickets: Iterable[Ticket], *, force: bool = False) -> None:
        if self._idle():
            self._done = self._total = 0
        if self._queue.put(path, cause, tickets, force=force):
            self._total += 1

    def _keep(self, tickets: Iterable[Ticket]) -> None:
        for ticket in tickets:
            ticket.keep()

    # -- when things go wrong

    def _cannot_write(self, error: apsw.Error) -> None:
        self._degrade(f"The index cannot be written: {error}. Free some space or check the permissions.")

    def _degrade(self, message: str) -> None:
        log.warning("%s", message)
        with self._changed:
            self._degraded = message

    def _recover(self) -> None:
        """After the disk works again, a scan finds what could not be written meanwhile."""
        if self._degraded:
            with self._changed:
                self._degraded = ""
                self._put("", Cause.SCAN, ())

    def _give_up(self, message: str) -> None:
        self._degrade(message)
        with suppress(OSError):  # on a read-only disk nothing can be rebuilt either
            mark_damaged(Path(self._committer.connection.filename))
        with self._changed:
            self._closing = True
        if self._options.on_damage is not None:
            self._options.on_damage(message)

    def _finish(self) -> None:
        """Ends the workers, tells everyone who still waits, and closes the connection."""
        self._workers.close()
        with self._changed:
            self._closing = True
            tickets = {
                ticket for entry in (*self._queue.clear(), *self._in_flight.values()) for ticket in entry.tickets
            }
            tickets.update(ticket for walk in self._walks for ticket in walk.tickets)
            self._in_flight.clear()
            self._walks.clear()
            self._changed.notify_all()
        for ticket in tickets:
            ticket.give_up(IndexUnavailableError("The index was closed before the work was done."))
        self._committer.connection.close()


def _settle() -> None:
    prepare()
    give_back()
