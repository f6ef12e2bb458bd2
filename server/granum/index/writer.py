"""The only writer of the index: one thread that does the most urgent thing, again and again.

Four kinds of work, each in bounded steps so that a save never waits for long: walking folders, looking at files
(small urgent ones here, all others in worker processes), committing what was read, and linking. What comes first is
decided by ``Cause`` alone. At rest, which nobody needs to wait for, it tidies up.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from granum.index.backlog import Backlog
from granum.index.commit import ENVIRONMENT, Committer
from granum.index.generation import DAMAGE, mark_damaged
from granum.index.jobs import URGENT, Cause, Job
from granum.index.look import Rules, look, prepare
from granum.index.memory import give_back
from granum.index.options import Options, WriterStatus
from granum.index.reading import Reading
from granum.index.tidying import Tidying
from granum.index.triage import Look, Triage
from granum.index.workers import Workers, default_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    import apsw

    from granum.index.policy import Policy
    from granum.index.store import Outcome
    from granum.model.answers import DocumentChange, Reindexed

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
#: How long a step of walking may take, in seconds.
STEP_SECONDS = 0.05


class Writer:
    """Owns the writing connection from its making to ``close``. All methods are safe from any thread."""

    def __init__(self, connection: apsw.Connection, options: Options) -> None:
        self._options = options
        self._committer = Committer(connection, options.root, options.extractor_version, options.origin, options.linker)
        self._backlog = Backlog()
        self._changed = self._backlog.changed
        self._tidying = Tidying(self._committer, options.retention)
        self._triage = Triage(options, self._committer, self._backlog)
        self._busy = False
        self._indexed_at: float | None = None
        self._degraded = ""
        self._wants_ready = False
        self._workers = Workers(options.workers or default_workers(), self._triage.rules, self._backlog.receive)
        self._thread = threading.Thread(target=self._run, name="granum-writer", daemon=True)
        self._thread.start()

    # -- what others ask

    def submit(self, job: Job) -> Future[Reindexed]:
        """Brings a path in line with the disk; the future tells what that changed.

        Raises:
            IndexUnavailableError: The writer is closed.
        """
        with self._changed:
            if self._idle():
                self._backlog.begin_again()
            return self._backlog.submit(job)

    def wait_idle(self, timeout: float) -> bool:
        """Waits until nothing is queued and nothing runs; False when ``timeout`` seconds passed before."""
        with self._changed:
            return self._changed.wait_for(lambda: self._backlog.closing or self._idle(), timeout)

    def status(self) -> WriterStatus:
        """The state right now."""
        with self._changed:
            return WriterStatus(
                queue_length=len(self._backlog) + self._committer.waiting,
                files_done=self._backlog.done,
                files_total=self._backlog.total,
                indexed_at=self._indexed_at,
                running=not self._idle(),
                degraded=self._degraded,
            )

    @property
    def policy(self) -> Policy:
        """What files are judged by now; it is replaced when an ignore file changes."""
        return self._triage.policy

    def set_policy(self, policy: Policy, max_file_size: int) -> None:
        """Judges files by other rules from now on; a scan applies them to what is indexed."""
        with self._changed:
            self._triage.policy = policy
            self._triage.rules = Rules(root=os.fspath(self._options.root), max_file_size=max_file_size)
            self._workers.set_rules(self._triage.rules)

    def prepare(self) -> None:
        """Readies itself for quick saves, once there is nothing else to do."""
        with self._changed:
            self._wants_ready = True
            self._changed.notify_all()

    def close(self) -> None:
        """Finishes the transaction that runs, gives up what is queued and closes the connection."""
        with self._changed:
            self._backlog.closing = True
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
            while not self._backlog.closing:
                step = self._most_urgent()
                if step is not None:
                    self._busy = True
                    return step
                if self._busy:
                    self._come_to_rest()
                if self._tidying.is_wanted and self._idle():
                    return self._tidying.step
                self._changed.wait()
            return None

    def _come_to_rest(self) -> None:
        self._busy = False
        if self._idle():
            self._changed.notify_all()
            if self._options.on_idle is not None:
                self._options.on_idle()

    def _most_urgent(self) -> Callable[[], None] | None:
        choices: list[tuple[int, int, Callable[[], None]]] = []
        ready = self._backlog.ready()
        if ready is not None and self._is_batch(*ready):
            choices.append((ready[0], 0, self._commit_ready))
        queued = self._backlog.peek()
        if queued is not None and (queued in URGENT or self._has_room()):
            choices.append((queued, 1, self._take))
        walk = self._backlog.walk()
        if walk is not None:
            choices.append((walk.cause, 2, self._walk_on))
        if self._committer.waiting:
            choices.append((Cause.LINK, 3, self._committer.link_slice))
        if not choices and self._wants_ready and self._backlog.is_empty():
            return self._make_ready
        return min(choices, key=lambda choice: choice[:2])[2] if choices else None

    def _make_ready(self) -> None:
        """Loads the parsers here for small files and in a worker for large ones; tidies up after the scan."""
        self._wants_ready = False
        self._tidying.want()
        self._workers.prepare()
        self._committer.empty_log()
        self._committer.shrink()
        # in a thread of its own: the index is at rest, and whoever waits for that need not wait for this
        threading.Thread(target=_settle, name="granum-settle", daemon=True).start()

    def _is_batch(self, cause: Cause, count: int) -> bool:
        """Whether to commit now: for someone who waits, or when enough is there, or nothing more will come soon.

        Small transactions are dear in bulk: each makes its own segments of the full-text tables.
        """
        return cause in URGENT or count >= FULL_BATCH or self._backlog.no_more_comes()

    def _has_room(self) -> bool:
        return self._backlog.waiting < MOST_READY and self._backlog.looks < self._workers.count * AHEAD * TASK_FILES

    def _idle(self) -> bool:
        return not (self._busy or self._committer.waiting) and self._backlog.is_empty()

    # -- walking and looking

    def _walk_on(self) -> None:
        walk = self._backlog.walk()
        if walk is None:
            return
        deadline = time.monotonic() + STEP_SECONDS
        for found in walk.found:
            self._backlog.take_in(walk, found)
            if found.problems:
                self._committer.put_problems((path, p.code, p.message) for path, p in found.problems)
            if time.monotonic() > deadline:
                return
        self._backlog.end_walk(walk)

    def _take(self) -> None:
        cause = self._backlog.peek()
        entries, left = self._backlog.take(1 if cause in URGENT else TASK_FILES)
        few = not self._workers.started and left + len(entries) < FEW_FILES
        looks: list[Look] = []
        for entry in entries:
            sorted_out = self._triage.sort(entry)
            if isinstance(sorted_out, Reading):
                self._backlog.receive(sorted_out)
            elif sorted_out is not None:
                looks.append(sorted_out)
        here = [each.request for each in looks if each.size <= INLINE_BYTES and (few or each.cause in URGENT)]
        elsewhere = tuple(each.request for each in looks if each.request not in here)
        if elsewhere:
            self._workers.submit(elsewhere, int(cause or 0))
            self._wants_ready = self._wants_ready or cause not in URGENT
        for request in here:
            self._backlog.receive(look(self._triage.rules, request))

    # -- committing

    def _commit_ready(self) -> None:
        ready = self._backlog.ready()
        if ready is None:
            return
        readings, current = self._backlog.take_ready(BATCH_FILES)
        outcomes: Sequence[Outcome] = ()
        try:
            committed = self._committer.commit(current, link=ready[0] in URGENT)
            outcomes = committed.outcomes
            self._backlog.put(committed.renamed, Cause.SCAN, force=True)
            self._recover()
        except ENVIRONMENT as error:
            self._cannot_write(error)  # before those who wait are told, so that they find the reason
        finally:
            if outcomes:
                self._indexed_at = time.time()
                self._tidying.want(outcome.document_id for outcome in outcomes if outcome.change is not None)
            # also after a failure: who waits must not wait forever
            results = {each.turn: outcome.reindexed for each, outcome in zip(current, outcomes, strict=False)}
            self._backlog.settle(readings, results)
        if self._triage.cache is not None:
            self._triage.cache.keep(current)
        self._tell([outcome.change for outcome in outcomes if outcome.change is not None])

    def _tell(self, changes: Sequence[DocumentChange]) -> None:
        if changes and self._options.on_change is not None:
            self._options.on_change(changes)
        if self._options.on_progress is not None:
            self._options.on_progress(self._backlog.done, self._backlog.total)

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
                self._backlog.put(("",), Cause.SCAN)

    def _give_up(self, message: str) -> None:
        self._degrade(message)
        with suppress(OSError):  # on a read-only disk nothing can be rebuilt either
            mark_damaged(Path(self._committer.connection.filename))
        with self._changed:
            self._backlog.closing = True
        if self._options.on_damage is not None:
            self._options.on_damage(message)

    def _finish(self) -> None:
        """Ends the workers, tells everyone who still waits, and closes the connection."""
        self._workers.close()
        self._backlog.close()
        if self._triage.cache is not None:
            self._triage.cache.close()
        self._committer.connection.close()


def _settle() -> None:
    prepare()
    give_back()
