"""The process that writes an index: it holds the lease, and does what others wish beside its own work."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from granum.index.generation import is_marked_damaged, open_generation
from granum.index.mailbox import Answer
from granum.index.reader import Reader
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

    import apsw

    from granum.index.jobs import Job
    from granum.index.lease import Lease
    from granum.index.mailbox import Mailbox
    from granum.index.options import WriterStatus
    from granum.index.policy import Policy
    from granum.index.writer import Writer
    from granum.model.answers import Reindexed

#: How often the folder of wishes is looked at, in seconds: when nobody has wished for long, and when somebody has.
_SLOW, _QUICK = 0.25, 0.02
#: How long after a wish the next one is expected.
_EXPECTANT_SECONDS = 60.0


class Holder:
    """Owns the writer. The lease must be held, and is released by ``close``."""

    def __init__(
        self,
        path: Path,
        extractor_version: int,
        lease: Lease,
        mailbox: Mailbox,
        writer: Callable[[apsw.Connection], Writer],
        *,
        is_set_going: Callable[[], bool],
        on_damage: Callable[[str], None],
        degraded: Callable[[], str],
    ) -> None:
        """Opens the index.

        Args:
            path: The index's first generation.
            extractor_version: Of the rows that are written.
            lease: Is held.
            mailbox: Where others leave their wishes.
            writer: Makes the writer on the open index.
            is_set_going: Whether the first scan is over; before, an idle writer does not mean that all is read.
            on_damage: Called when another process found the index damaged.
            degraded: What else than the writer keeps the index from being what the disk holds.

        Raises:
            IndexUnavailableError: It can neither be opened nor rebuilt; the lease is free again.
        """
        self._lease = lease
        self._mailbox = mailbox
        self._on_damage = on_damage
        self._degraded = degraded
        self._is_set_going = is_set_going
        try:
            opened = open_generation(path, extractor_version)
        except BaseException:
            lease.release()
            raise
        self.generation = opened.path
        self.message = opened.message
        self.reader = Reader(opened.path)
        self._writer = writer(opened.connection)
        self._taken: dict[str, Future[Reindexed]] = {}
        self._ended = threading.Event()
        self._mail = threading.Thread(target=self._serve, name="granum-mail", daemon=True)
        self._mail.start()

    def submit(self, job: Job) -> Future[Reindexed]:
        """See ``Role``."""
        return self._writer.submit(job)

    def status(self) -> WriterStatus:
        """See ``Role``."""
        return self._writer.status()

    def wait_idle(self, timeout: float) -> bool:
        """See ``Role``."""
        return self._writer.wait_idle(timeout)

    def set_policy(self, policy: Policy, max_file_size: int) -> None:
        """See ``Role``."""
        self._writer.set_policy(policy, max_file_size)

    def prepare(self) -> None:
        """See ``Role``."""
        self._writer.prepare()

    def close(self) -> None:
        """See ``Role``. Wishes that are not done yet stay for the next holder."""
        self._ended.set()
        # the last connection copies the log into the file, which a reader's cannot
        self.reader.close()
        self._writer.close()
        if self._mail is not threading.current_thread():
            self._mail.join()
        self._lease.release()

    def _serve(self) -> None:
        """Does what others wish, and tells them how it stands."""
        self._mailbox.clean()
        expected_until = 0.0
        pause = 0.0
        while not self._ended.wait(pause):
            status = self._writer.status()
            message = status.degraded or self._degraded()
            self._lease.tell(resting=self._is_set_going() and not status.running, message=message)
            if self._take() or self._taken:
                expected_until = time.monotonic() + _EXPECTANT_SECONDS
            self._answer()
            if is_marked_damaged(self.generation):  # by a process that only reads
                self._on_damage("another process found it damaged")
                return
            pause = _QUICK if time.monotonic() < expected_until else _SLOW

    def _take(self) -> bool:
        wishes = self._mailbox.wishes(self._taken)
        for wish in wishes:
            try:
                self._taken[wish.name] = self._writer.submit(wish.job)
            except IndexUnavailableError:  # closed meanwhile
                return False
        return bool(wishes)

    def _answer(self) -> None:
        for name in [name for name, future in self._taken.items() if future.done()]:
            future = self._taken.pop(name)
            error = None if future.cancelled() else future.exception()
            if error is None:
                self._mailbox.answer(name, Answer(reindexed=future.result()))
            elif not self._ended.is_set():
                self._mailbox.answer(name, Answer(failure=str(error)))
