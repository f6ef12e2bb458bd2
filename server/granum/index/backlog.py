"""What the writer has before it: paths that wait, looks that run, readings that wait to be committed.

The one state that the writer's thread shares with those who ask and with the workers; ``changed`` guards it and tells
of news. Every method takes the lock itself, and may be called with it held.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from granum.index.jobs import Cause, Entry, Job, Queue, Ticket
from granum.model.answers import Reindexed
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from granum.index.reading import Reading
    from granum.index.scan import Found, Known


class Walk:
    """A walk of a folder that goes on step by step; ``known`` loses every file that it meets."""

    __slots__ = ("cause", "found", "known", "tickets")

    def __init__(self, cause: Cause, found: Iterator[Found], known: dict[str, Known], tickets: list[Ticket]) -> None:
        self.cause = cause
        self.found = found
        self.known = known
        self.tickets = tickets


class ReadyBatch(NamedTuple):
    """Readings to be committed together. ``current`` are those that no later look has overtaken."""

    readings: Sequence[Reading]
    current: Sequence[Reading]


class Backlog:
    """Owns the queue, the looks in flight, the walks and the readings that are ready."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.closing = False
        self.done = self.total = 0
        self._queue = Queue()
        self._walks: list[Walk] = []
        self._in_flight: dict[int, Entry] = {}
        self._latest: dict[str, int] = {}
        self._ready: dict[Cause, list[Reading]] = {cause: [] for cause in Cause}
        self._turn = 0

    def __len__(self) -> int:
        with self.changed:
            return len(self._queue) + len(self._in_flight) + len(self._walks)

    # -- paths that wait

    def submit(self, job: Job) -> Future[Reindexed]:
        """Queues a path; the future tells what became of it.

        Raises:
            IndexUnavailableError: The writer is closed.
        """
        ticket = Ticket()
        with self.changed:
            if self.closing:
                raise IndexUnavailableError("The index is closed. Open the workspace again.")
            self.put((job.path,), job.cause, [ticket])
            self.changed.notify_all()
        return ticket.future

    def put(self, paths: Iterable[str], cause: Cause, tickets: Iterable[Ticket] = (), *, force: bool = False) -> None:
        """Queues paths, or joins them to what waits already; the tickets are kept only when these are done too."""
        with self.changed:
            tickets = list(tickets)
            for path in paths:
                self.total += self._queue.put(path, cause, tickets, force=force)

    def peek(self) -> Cause | None:
        """The most urgent cause that waits."""
        with self.changed:
            return self._queue.peek()

    def take(self, limit: int) -> tuple[list[Entry], int]:
        """Removes up to ``limit`` entries of the most urgent cause; also returns how many wait after that."""
        with self.changed:
            return self._queue.take(limit), len(self._queue)

    def drop(self, entry: Entry) -> None:
        """An entry needs no look; its tickets are done with it."""
        with self.changed:
            self.done += 1
            _keep(ticket for ticket in entry.tickets if ticket.done())

    # -- walks

    def begin_walk(self, entry: Entry, found: Iterator[Found], known: dict[str, Known]) -> None:
        """Starts a walk. The entry's hold on its tickets passes to it."""
        with self.changed:
            self._walks.append(Walk(entry.cause, found, known, entry.tickets))
            self.done += 1

    def walk(self) -> Walk | None:
        """The most urgent walk."""
        with self.changed:
            return min(self._walks, key=lambda walk: walk.cause, default=None)

    def take_in(self, walk: Walk, found: Found) -> None:
        """Queues what a walk has found in a folder."""
        with self.changed:
            self.put(found.paths, walk.cause, walk.tickets)
            for ticket in walk.tickets:
                ticket.add(Reindexed(files=found.settled, unchanged=found.settled))

    def end_walk(self, walk: Walk) -> None:
        """Queues what the walk has not met, which is gone."""
        with self.changed:
            self._walks.remove(walk)
            self.put(walk.known, walk.cause, walk.tickets)
            _keep(ticket for ticket in walk.tickets if ticket.done())

    # -- looks

    def begin(self, entry: Entry) -> int:
        """Notes that the file is being looked at. An earlier look that still runs is overtaken: it may be older."""
        with self.changed:
            self._turn += 1
            overtaken = self._in_flight.get(self._latest.get(entry.path, 0))
            if overtaken is not None:
                entry.tickets.extend(overtaken.tickets)
                overtaken.tickets = []
            self._in_flight[self._turn] = entry
            self._latest[entry.path] = self._turn
            return self._turn

    def begin_beside(self, entry: Entry) -> int:
        """Notes a second look that an entry leads to, as of the file whose place a folder has taken."""
        with self.changed:
            beside = Entry(entry.path, entry.cause)
            beside.take_part(entry.tickets)
            self.total += 1
            return self.begin(beside)

    def in_flight(self, folder: str) -> list[str]:
        """Paths in a folder, or below, that are being looked at or whose readings wait to be committed."""
        prefix = f"{folder}/" if folder else ""
        with self.changed:
            return [path for path in self._latest if path.startswith(prefix)]

    def is_in_flight(self, path: str) -> bool:
        """Whether a path is being looked at, or its reading waits to be committed."""
        with self.changed:
            return path in self._latest

    @property
    def looks(self) -> int:
        """Looks that have not come back."""
        with self.changed:
            return len(self._in_flight) - self.waiting

    def receive(self, reading: Reading) -> None:
        """Takes in a reading, from any thread."""
        with self.changed:
            entry = self._in_flight.get(reading.turn)
            if entry is not None:
                self._ready[entry.cause].append(reading)
                self.changed.notify_all()

    # -- readings

    @property
    def waiting(self) -> int:
        """Readings that wait to be committed."""
        with self.changed:
            return sum(map(len, self._ready.values()))

    def ready(self) -> tuple[Cause, int] | None:
        """The most urgent cause of which readings wait, and how many of it."""
        with self.changed:
            return next(((cause, len(readings)) for cause, readings in self._ready.items() if readings), None)

    def no_more_comes(self) -> bool:
        """Whether nothing waits but what is ready."""
        with self.changed:
            return not (self._queue or self._walks or self.looks)

    def take_ready(self, limit: int) -> ReadyBatch:
        """Removes up to ``limit`` readings of the most urgent cause; they stay in flight until ``settle``."""
        with self.changed:
            readings: Sequence[Reading] = ()
            ready = self.ready()
            if ready is not None:
                waiting = self._ready[ready[0]]
                readings, waiting[:] = waiting[:limit], waiting[limit:]
            return ReadyBatch(readings, [each for each in readings if self._latest.get(each.path) == each.turn])

    def settle(self, readings: Iterable[Reading], results: Mapping[int, Reindexed]) -> None:
        """Tells those who wait what became of readings, by turn; one without a result could not be written."""
        failure = Reindexed(files=1, problems=1)
        with self.changed:
            for reading in readings:
                entry = self._in_flight.pop(reading.turn)
                if self._latest.get(reading.path) == reading.turn:
                    del self._latest[reading.path]
                result = results.get(reading.turn, failure)
                _keep(ticket for ticket in entry.tickets if ticket.done(result))
                self.done += 1

    # -- the end

    def is_empty(self) -> bool:
        """Whether nothing is to be done and nothing is being done."""
        with self.changed:
            return not (self._queue or self._in_flight or self._walks)

    def begin_again(self) -> None:
        """Counts files from nothing, before the first of new work."""
        self.done = self.total = 0

    def close(self) -> None:
        """Gives up everything and tells those who wait."""
        with self.changed:
            self.closing = True
            tickets = {t for entry in (*self._queue.clear(), *self._in_flight.values()) for t in entry.tickets}
            tickets.update(ticket for walk in self._walks for ticket in walk.tickets)
            self._in_flight.clear()
            self._walks.clear()
            self.changed.notify_all()
        for ticket in tickets:
            ticket.give_up(IndexUnavailableError("The index was closed before the work was done."))


def _keep(tickets: Iterable[Ticket]) -> None:
    for ticket in tickets:
        ticket.keep()
