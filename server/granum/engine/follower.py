"""A process that only reads an index, because another one writes it; it takes over when that one is gone."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from granum.engine.waiting import give_up, keep
from granum.index.bulletin import Board
from granum.index.generation import open_nothing, readable_generation
from granum.index.mailbox import Outbox
from granum.index.options import WriterStatus
from granum.index.oslock import NoLocksError
from granum.index.reader import Reader
from granum.model.answers import Role
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from granum.index.bulletin import Bulletin
    from granum.index.jobs import Job
    from granum.index.lease import Lease
    from granum.model.answers import DocumentChange, Reindexed
    from granum.model.settings import Settings

log = logging.getLogger(__name__)

#: How often the lease, the bulletin and the generation are looked at, and how often answers to wishes, in seconds.
LOOK_SECONDS, ANSWER_SECONDS = 0.25, 0.01
#: How long after a failed attempt the lease is asked for again, in seconds.
RETRY_SECONDS = 5.0
#: Wishes that lie in the folder at once, for the holder's sake; more wait here.
MOST_POSTED = 100
#: How often a wish that was lost with the folder is posted again.
MOST_POSTS = 3


class _Wish(NamedTuple):
    job: Job
    future: Future[Reindexed]
    posts: int = 0


class News(NamedTuple):
    """Who is told what a follower finds out, in the follower's thread."""

    on_free: Callable[[], None]
    on_change: Callable[[Sequence[DocumentChange]], None]
    on_progress: Callable[[int, int], None] | None
    on_status: Callable[[], None]


class Follower:
    """Reads; what it wants written it wishes for."""

    name = Role.READER

    def __init__(
        self,
        index: Path,
        extractor_version: int,
        lease: Lease,
        settings: Callable[[], Settings],
        news: News,
        failure: str = "",
    ) -> None:
        """Begins to follow.

        Args:
            index: The index's first generation.
            extractor_version: Of the rows that are read.
            lease: Asked for again and again.
            settings: The own ones, which do not rule.
            news: Told. ``on_free`` is called when the lease was got, and ends the following; it may raise
                ``IndexUnavailableError``, upon which the lease is let go of for a while.
            failure: Why this process cannot write the index itself, if it has tried.

        Raises:
            IndexUnavailableError: Nothing can be written beside the index.
        """
        self._index = index
        self._extractor_version = extractor_version
        self._lease = lease
        self._settings = settings
        self._news = news
        self._failure = failure
        self._retry_at = time.monotonic() + RETRY_SECONDS if failure else 0.0
        self._board = Board(index)
        self._bulletin = self._board.read()
        self._heard = _end(self._bulletin)
        self._outbox = Outbox(index)
        try:
            self._outbox.open()
        except OSError as error:
            raise IndexUnavailableError(f"Nothing can be written beside the index: {error}.") from error
        self._lock = threading.Lock()
        self._unposted: deque[_Wish] = deque()
        self._posted: dict[str, _Wish] = {}
        self._ended = False
        self._wake = threading.Event()
        #: Whether there is nothing to read yet.
        self.is_empty = True
        # a deleted index comes back under its old name
        self._inode: int | None = None
        self.generation = index
        self.reader = Reader(partial(open_nothing, extractor_version))
        self._follow_generation()
        self._thread = threading.Thread(target=self._run, name="granum-follower", daemon=True)
        self._thread.start()

    @property
    def message(self) -> str:
        """See ``Role``."""
        if self._failure:
            return self._failure
        bulletin = self._bulletin
        if bulletin is None:
            return "Indexed by another process."
        own = self._settings()
        differs = (bulletin.exclude, bulletin.max_file_size) != (own.exclude, own.max_file_size)
        ruled = ", by its own granum.exclude and granum.maxFileSize" if differs else ""
        return f"{bulletin.message} Indexed by process {bulletin.pid}{ruled}.".lstrip()

    @property
    def watcher(self) -> str:
        """See ``Role``."""
        return self._bulletin.watcher if self._bulletin else ""

    @property
    def _reads(self) -> str:
        return "" if self.is_empty else self.generation.name

    def submit(self, job: Job) -> Future[Reindexed]:
        """See ``Role``."""
        future: Future[Reindexed] = Future()
        with self._lock:
            if self._ended:
                raise IndexUnavailableError("The index is closed. Open the workspace again.")
            self._unposted.append(_Wish(job, future))
            self._post()
        self._wake.set()
        return future

    def status(self) -> WriterStatus:
        """See ``Role``."""
        bulletin = self._board.read()
        with self._lock:
            waiting = len(self._unposted) + len(self._posted)
        return WriterStatus(
            queue_length=waiting + (bulletin.queue_length if bulletin else 0),
            files_done=bulletin.files_done if bulletin else 0,
            files_total=bulletin.files_total if bulletin else 0,
            indexed_at=None,
            # what the holder has done cannot be read here before its generation is
            running=bool(waiting) or bulletin is None or bulletin.running or bulletin.generation != self._reads,
            degraded=self._failure or (bulletin.degraded if bulletin else ""),
        )

    def wait_idle(self, timeout: float) -> bool:
        """See ``Role``."""
        deadline = time.monotonic() + timeout
        while self.status().running:
            if self._ended or time.monotonic() >= deadline:
                return self._ended
            time.sleep(ANSWER_SECONDS)
        return True

    def update_settings(self, _: Settings) -> bool:
        """See ``Role``. Those of the process that writes rule."""
        return False

    def prepare(self) -> None:
        """See ``Role``."""

    def close(self) -> None:
        """See ``Role``. Wishes are taken back."""
        for wish in self._end():
            give_up(wish.future)
        if self._thread is not threading.current_thread():
            self._thread.join()
        self.reader.close()

    def hand_over(self) -> list[tuple[Job, Future[Reindexed]]]:
        """Ends the following from its own thread; returns the wishes that are still open, which the caller fulfils."""
        open_wishes = self._end()
        self.reader.close()
        return [(wish.job, wish.future) for wish in open_wishes]

    def _end(self) -> list[_Wish]:
        with self._lock:
            self._ended = True
            open_wishes = [*self._posted.values(), *self._unposted]
            self._outbox.take_back(self._posted)
            self._posted.clear()
            self._unposted.clear()
            self._outbox.close()
        self._wake.set()
        return open_wishes

    # -- wishes

    def _post(self) -> None:
        """Posts what waits, as far as there is room; under the lock."""
        while self._unposted and len(self._posted) < MOST_POSTED:
            wish = self._unposted.popleft()
            try:
                self._posted[self._outbox.post(wish.job)] = wish._replace(posts=wish.posts + 1)
            except OSError as error:
                message = f"No wish can be left for the process that indexes: {error}."
                with suppress(InvalidStateError):
                    wish.future.set_exception(IndexUnavailableError(message))

    def _collect(self) -> None:
        """Passes answers on, and takes back the wishes that nobody waits for any more."""
        with self._lock:
            posted = dict(self._posted)
        answers = dict(self._outbox.answers(posted))
        if None not in answers.values() and answers:
            self._follow_generation()  # whoever is told must find the rows
        unwanted = [name for name, wish in posted.items() if name not in answers and wish.future.cancelled()]
        self._outbox.take_back(unwanted)
        with self._lock:
            for name in (*answers, *unwanted):
                self._posted.pop(name, None)
            lost = [posted[name] for name, answer in answers.items() if answer is None]
            self._unposted.extendleft(wish for wish in lost if wish.posts < MOST_POSTS)
            self._post()
        for name, answer in answers.items():
            if answer is not None:
                keep(posted[name].future, answer)
            elif posted[name].posts >= MOST_POSTS:
                give_up(posted[name].future)

    # -- the thread

    def _run(self) -> None:
        look_at = 0.0
        while not self._ended:
            self._wake.wait(ANSWER_SECONDS if self._posted or self.is_empty else LOOK_SECONDS)
            self._wake.clear()
            if self.is_empty:
                self._follow_generation()
            if self._posted:
                self._collect()
            if time.monotonic() >= look_at and not self._ended:
                look_at = time.monotonic() + LOOK_SECONDS
                if self._has_taken_over():
                    return
                self._follow_generation()
                self._hear()
                self._stay_known()

    def _stay_known(self) -> None:
        """Puts up this process's sign of life again, where somebody deleted it with the folder."""
        with self._lock, suppress(OSError):
            if not self._ended and not self._outbox.is_in_place():
                self._outbox.close()
                self._outbox.open()

    def _has_taken_over(self) -> bool:
        if time.monotonic() < self._retry_at:
            return False
        try:
            if not self._lease.acquire():
                self._failure = ""  # somebody else can
                return False
            self._news.on_free()
        except (IndexUnavailableError, NoLocksError) as error:
            log.warning("the index cannot be taken over", extra={"reason": str(error)})
            self._lease.release()
            self._failure = str(error)
            self._retry_at = time.monotonic() + RETRY_SECONDS
            return False
        return True

    def _follow_generation(self) -> None:
        """Reads the generation that the holder writes; nothing, before there is one."""
        known = self.generation if self._inode == _inode_of(self.generation) else None
        found = readable_generation(self._index, self._extractor_version, known)
        if found is None:
            return
        self._inode = _inode_of(found)
        before, self.reader = self.reader, Reader(found)
        self.generation, self.is_empty = found, False
        before.close()
        self._news.on_status()

    def _hear(self) -> None:
        """Tells what is new on the board."""
        before, self._bulletin = self._bulletin, self._board.read()
        now = self._bulletin
        if now is None or now == before:
            return
        holder, seen = self._heard
        first = max(0, seen - now.changes_before) if holder == (now.pid, now.since) else 0
        self._heard = _end(now)
        changes = now.changes[first:]
        if changes:
            self._news.on_change(changes)
        if self._news.on_progress is not None and now.running:
            self._news.on_progress(now.files_done, now.files_total)
        self._news.on_status()


def _inode_of(file: Path) -> int | None:
    try:
        return file.stat().st_ino
    except OSError:
        return None


def _end(bulletin: Bulletin | None) -> tuple[tuple[int, float], int]:
    """Whose changes were told up to which one."""
    if bulletin is None:
        return (0, 0.0), 0
    return (bulletin.pid, bulletin.since), bulletin.changes_before + len(bulletin.changes)
