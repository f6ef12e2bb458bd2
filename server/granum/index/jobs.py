"""What is asked of the writer, by cause, and the queue that keeps it: most urgent first, one entry a path."""

from __future__ import annotations

import heapq
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from enum import IntEnum
from typing import TYPE_CHECKING

import msgspec

from granum.model.answers import Reindexed

if TYPE_CHECKING:
    from collections.abc import Iterable


class Cause(IntEnum):
    """Why a path is to be looked at; the smaller, the more urgent."""

    SAVED = 0
    OPENED = 1
    FORCED = 2  # extracted again whatever its content
    CHANGED_ON_DISK = 3
    SCAN = 4
    LINK = 5


#: Causes whose documents are linked in the same transaction: someone looks at them right now.
URGENT = frozenset({Cause.SAVED, Cause.OPENED})


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A path to be brought in line with the disk: a file, or a folder with all below it ("" is the root).

    That a path vanished needs no job of its own kind: it shows when its turn comes.
    """

    cause: Cause
    path: str = ""


class Ticket:
    """A promise to tell what became of a job: kept once all paths that it led to are done.

    Used by the thread that owns the queue, under its lock.
    """

    __slots__ = ("_open", "_total", "future")

    def __init__(self) -> None:
        self.future: Future[Reindexed] = Future()
        self._open = 0
        self._total = Reindexed()

    def begin(self) -> None:
        """One more path, or one more part of a walk, is to be waited for."""
        self._open += 1

    def done(self, result: Reindexed | None = None) -> bool:
        """One is done; True when it was the last, and ``keep`` may be called."""
        if result is not None:
            self._total = self._total + result
        self._open -= 1
        return self._open == 0

    def add(self, result: Reindexed) -> None:
        """Counts what needed no work."""
        self._total = self._total + result

    def give_up(self, error: Exception) -> None:
        """Tells that the work will not be done."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)

    def keep(self) -> None:
        """Tells the result to who waits for it."""
        with suppress(InvalidStateError):  # who asked has cancelled it
            self.future.set_result(self._total)


class Entry:
    """One path that waits for its turn."""

    __slots__ = ("cause", "force", "path", "tickets")

    def __init__(self, path: str, cause: Cause) -> None:
        self.path = path
        self.cause = cause
        self.force = cause is Cause.FORCED
        self.tickets: list[Ticket] = []

    def take_part(self, tickets: Iterable[Ticket]) -> None:
        """The tickets are kept only when this path is done too."""
        for ticket in tickets:
            ticket.begin()
            self.tickets.append(ticket)

    @property
    def unwanted(self) -> bool:
        """Whether all who forced it have cancelled."""
        return self.cause is Cause.FORCED and all(ticket.future.cancelled() for ticket in self.tickets)


class Queue:
    """Entries by urgency, then in the order they came. Not locked: its owner is."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._heap: list[tuple[int, int, str]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, path: str, cause: Cause, tickets: Iterable[Ticket], *, force: bool = False) -> bool:
        """Adds a path, or joins the entry that it has already, which keeps the more urgent cause.

        Returns:
            Whether the entry is new.
        """
        entry = self._entries.get(path)
        is_new = entry is None
        if entry is None:
            entry = self._entries[path] = Entry(path, cause)
            self._push(path, cause)
        elif cause < entry.cause:
            entry.cause = cause
            self._push(path, cause)
        entry.force = entry.force or force or cause is Cause.FORCED
        entry.take_part(tickets)
        return is_new

    def peek(self) -> Cause | None:
        """The most urgent cause, None when the queue is empty."""
        while self._heap:
            cause, _, path = self._heap[0]
            entry = self._entries.get(path)
            if entry is not None and entry.cause == cause:
                return entry.cause
            heapq.heappop(self._heap)  # its entry was taken, or became more urgent
        return None

    def take(self, limit: int) -> list[Entry]:
        """Removes and returns up to ``limit`` entries of the most urgent cause."""
        cause = self.peek()
        taken: list[Entry] = []
        while cause is not None and len(taken) < limit and self.peek() == cause:
            taken.append(self._entries.pop(heapq.heappop(self._heap)[2]))
        return taken

    def clear(self) -> list[Entry]:
        """Removes and returns everything."""
        entries = list(self._entries.values())
        self._entries.clear()
        self._heap.clear()
        return entries

    def _push(self, path: str, cause: Cause) -> None:
        self._count += 1
        heapq.heappush(self._heap, (int(cause), self._count, path))
