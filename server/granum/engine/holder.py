"""The process that writes an index: it holds the lease, and does what others wish beside its own work."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

import msgspec

from granum import __version__
from granum.index.bulletin import MOST_CHANGES, Board, Bulletin
from granum.index.generation import is_marked_damaged, open_generation, prune
from granum.index.mailbox import Inbox
from granum.index.policy import Policy
from granum.index.reader import Reader
from granum.index.writer import Options, Writer
from granum.model.answers import Role
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from granum.engine.watching import Watching
    from granum.index.jobs import Job
    from granum.index.lease import Lease
    from granum.index.options import WriterStatus
    from granum.model.answers import DocumentChange, Reindexed
    from granum.model.settings import Settings

#: How often the shared folder is looked at, in seconds: while nobody else is there, and while somebody is.
ALONE_SECONDS, TOGETHER_SECONDS = 0.25, 0.02
#: How often what dead processes left is removed, in seconds.
CLEAN_SECONDS = 2.0


class Holder:
    """Owns the writer, under a lease that its maker holds for as long as this lives."""

    name = Role.INDEXER
    is_empty = False

    def __init__(
        self,
        index: Path,
        lease: Lease,
        options: Options,
        settings: Settings,
        *,
        is_starting: Callable[[], bool],
        watching: Watching,
        on_damage: Callable[[str], None],
        on_lost: Callable[[], None],
    ) -> None:
        """Opens the index, and begins to listen to others.

        Args:
            index: The index's first generation.
            lease: Is held.
            options: What the writer works by.
            settings: Those that rule.
            is_starting: Whether a first scan is about to come; before, an idle writer does not mean that all is read.
            watching: Tells how far it can be relied on.
            on_damage: Told in words, when a process that only reads found the index damaged.
            on_lost: Called when somebody deleted the index or the lease.

        Raises:
            IndexUnavailableError: The index can neither be opened nor rebuilt.
        """
        self._index = index
        self._lease = lease
        self._settings = settings
        self._is_starting = is_starting
        self._has_worked = False
        self._watching = watching
        self._on_damage = on_damage
        self._on_lost = on_lost
        self._on_change = options.on_change
        self._changes: deque[DocumentChange] = deque(maxlen=MOST_CHANGES)
        self._changes_told = 0
        self._lock = threading.Lock()
        opened = open_generation(index, options.extractor_version)
        self.generation = opened.path
        self.message = opened.message
        self.reader = Reader(opened.path)
        self._root = options.root
        self._writer = Writer(opened.connection, msgspec.structs.replace(options, on_change=self._changed))
        self._inbox = Inbox(index)
        self._board = Board(index)
        self._taken: dict[str, Future[Reindexed]] = {}
        self._cleaned = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="granum-holder", daemon=True)
        self._thread.start()

    @property
    def watcher(self) -> str:
        """See ``Role``."""
        return self._watching.kind

    def submit(self, job: Job) -> Future[Reindexed]:
        """See ``Role``."""
        self._has_worked = True
        return self._writer.submit(job)

    def status(self) -> WriterStatus:
        """See ``Role``."""
        return self._writer.status()

    def wait_idle(self, timeout: float) -> bool:
        """See ``Role``."""
        return self._writer.wait_idle(timeout)

    def update_settings(self, settings: Settings) -> bool:
        """See ``Role``."""
        self._settings = settings
        self._writer.set_policy(Policy.load(self._root, settings), settings.max_file_size)
        return True

    def prepare(self) -> None:
        """See ``Role``."""
        self._writer.prepare()

    def close(self) -> None:
        """See ``Role``. Wishes that are not done yet stay for the next holder."""
        self._ended.set()
        # the last connection copies the log into the file, which a reader's cannot
        self.reader.close()
        self._writer.close()
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._answer()

    def _changed(self, changes: Sequence[DocumentChange]) -> None:
        """In the writer's thread."""
        with self._lock:
            self._changes_told += len(changes)
            self._changes.extend(changes)
        if self._on_change is not None:
            self._on_change(changes)

    # -- the thread

    def _serve(self) -> None:
        """Does what others wish, and tells them how it stands, which they must know before they get an answer."""
        prune(self._index)
        slowly = 0.0
        pause = 0.0
        while not self._ended.wait(pause):
            together = self._take_in()
            self._board.put(self._bulletin(with_changes=together))
            self._answer()
            pause = TOGETHER_SECONDS if together else ALONE_SECONDS
            if time.monotonic() >= slowly:
                slowly = time.monotonic() + ALONE_SECONDS
                if not self._is_sound():
                    return

    def _take_in(self) -> bool:
        """Takes wishes on, and gives up those that were taken back; tells whether anybody else is there."""
        mail = self._inbox.look(self._taken)
        for name, future in self._taken.items():
            if name not in mail.names:
                future.cancel()
        for name, job in mail.wishes.items():
            try:
                self._taken[name] = self.submit(job)
            except IndexUnavailableError:  # closed meanwhile; the wish stays for the next holder
                break
        return mail.has_peers or bool(self._taken)

    def _answer(self) -> None:
        for name in [name for name, future in self._taken.items() if future.done()]:
            future = self._taken.pop(name)
            if future.cancelled():
                continue
            if future.exception() is None:
                self._inbox.answer(name, future.result())
            # else the writer gave up before it was done: the wish stays for the next one

    def _is_sound(self) -> bool:
        """Looks after what changes seldom; False when this holder is at its end."""
        if self._lease.is_lost() or not self.generation.exists():
            self._on_lost()
            return False
        if is_marked_damaged(self.generation):
            self._on_damage("Another process found the index damaged.")
            return False
        if time.monotonic() >= self._cleaned + CLEAN_SECONDS:
            self._cleaned = time.monotonic()
            self._inbox.clean()
        return True

    def _bulletin(self, *, with_changes: bool) -> Bulletin:
        status = self._writer.status()
        with self._lock:
            changes = tuple(self._changes) if with_changes else ()
            changes_before = self._changes_told - len(changes)
        return Bulletin(
            pid=os.getpid(),
            since=self._lease.since,
            version=__version__,
            generation=self.generation.name,
            exclude=self._settings.exclude,
            max_file_size=self._settings.max_file_size,
            running=status.running or self._is_starting() or not self._has_worked,
            queue_length=status.queue_length,
            files_done=status.files_done,
            files_total=status.files_total,
            degraded=status.degraded or self._watching.reason,
            message=self.message,
            watcher=self.watcher,
            changes_before=changes_before,
            changes=changes,
        )
