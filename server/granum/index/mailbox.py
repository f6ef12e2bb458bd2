"""Wishes of processes that may not write an index, for the one that may: small files in the folder that they share.

A reading process takes a name of its own and holds the system's lock on ``NAME.peer`` while it lives. A wish is
``NAME-COUNT.wish``, its answer ``NAME-COUNT.done``. The holder of the lease writes the answer and then removes the
wish; the wisher removes the answer, or its wish when nobody waits for it any more. What a holder that died has left
undone is still there for the next; what wishers that died have left is removed.
"""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from granum.index import shared
from granum.index.jobs import Cause, Job
from granum.index.oslock import NoLocksError, OsLock
from granum.model.answers import Reindexed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

WISH, ANSWER, PEER = ".wish", ".done", ".peer"
#: Wishes that are taken in at one look; more wait in the folder.
MOST_AT_ONCE = 500
#: A letter holds a path, which systems bound at some 4 KB.
LARGEST_BYTES = 64 * 1024
_TRIES = 10


class _Letter(msgspec.Struct, frozen=True, kw_only=True):
    cause: Cause
    path: str


class Outbox:
    """The side of one process that wishes. Not locked: its owner is."""

    def __init__(self, index: Path) -> None:
        self._folder = shared.folder_of(index)
        self._count = 0
        self._lock: OsLock | None = None
        self._name = ""

    def open(self) -> None:
        """Takes a name.

        Raises:
            OSError: Nothing can be written there.
            NoLocksError: The file system lends no locks.
        """
        for _ in range(_TRIES):
            self._name = secrets.token_hex(8)
            self._lock = OsLock(self._folder / (self._name + PEER))
            if self._lock.acquire():  # else the holder took the new file for that of a dead process
                return

    def is_in_place(self) -> bool:
        """Whether others see that this process lives; if not, somebody deleted the folder."""
        return self._lock is not None and self._lock.is_in_place()

    def post(self, job: Job) -> str:
        """Leaves a wish and returns its name.

        Raises:
            OSError: It cannot be written.
        """
        self._count += 1
        name = f"{self._name}-{self._count}"
        shared.put(self._folder / (name + WISH), msgspec.json.encode(_Letter(cause=job.cause, path=job.path)))
        return name

    def answers(self, names: Collection[str]) -> Iterator[tuple[str, Reindexed | None]]:
        """What became of these wishes as far as it is known; taken out of the folder. None for a wish that is lost."""
        try:
            there = {entry.name for entry in self._folder.iterdir()}
        except OSError:
            there = set()
        for name in names:
            if name + ANSWER in there:
                yield name, self._take(name)
            elif name + WISH not in there:
                # it may have been answered since the look: the answer comes before the wish goes
                yield name, self._take(name)

    def take_back(self, names: Iterable[str]) -> None:
        """Removes wishes that nobody waits for any more, and their answers."""
        for name in names:
            _remove(self._folder / (name + WISH))
            _remove(self._folder / (name + ANSWER))

    def close(self) -> None:
        """Gives the name up; wishes that are left are done for nobody."""
        if self._lock is not None:
            self._lock.release()
            _remove(self._lock.file)

    def _take(self, name: str) -> Reindexed | None:
        file = self._folder / (name + ANSWER)
        try:
            answer = msgspec.json.decode(file.read_bytes(), type=Reindexed)
        except (OSError, msgspec.DecodeError):
            answer = None
        _remove(file)
        return answer


class Mail(msgspec.Struct, frozen=True, kw_only=True):
    """What a look into the folder has found: wishes by name, all and those not known; and whether anybody is there."""

    names: frozenset[str]
    wishes: dict[str, Job]
    has_peers: bool


class Inbox:
    """The side of the process that does what others wish. For one thread."""

    def __init__(self, index: Path) -> None:
        self._folder = shared.folder_of(index)

    def look(self, known: Collection[str]) -> Mail:
        """Looks for wishes other than the known ones; what is no wish is removed."""
        names: set[str] = set()
        wishes: dict[str, Job] = {}
        has_peers = False
        for file in self._files():
            if file.suffix == PEER:
                has_peers = True
            elif file.suffix == WISH:
                names.add(file.stem)
                if file.stem not in known and len(wishes) < MOST_AT_ONCE:
                    job = _read(file)
                    if job is not None:
                        wishes[file.stem] = job
        return Mail(names=frozenset(names), wishes=wishes, has_peers=has_peers)

    def answer(self, name: str, answer: Reindexed) -> None:
        """Answers a wish."""
        with suppress(OSError):  # a full disk: whoever waits finds its wish lost
            shared.put(self._folder / (name + ANSWER), msgspec.json.encode(answer))
        _remove(self._folder / (name + WISH))

    def clean(self) -> None:
        """Removes what wishers have left that live no more; their wishes are still done."""
        files = self._files()
        living = {file.stem for file in files if file.suffix == PEER and not _is_dead(file)}
        for file in files:
            owner = file.name.partition("-")[0] if file.suffix != PEER else file.stem
            if file.suffix not in ("", ".json", WISH) and owner not in living:
                _remove(file)

    def _files(self) -> list[Path]:
        try:
            return list(self._folder.iterdir())
        except OSError:
            return []


def _read(file: Path) -> Job | None:
    try:
        with file.open("rb") as stream:
            letter = msgspec.json.decode(stream.read(LARGEST_BYTES), type=_Letter)
    except FileNotFoundError:
        return None  # taken back just now
    except (OSError, msgspec.DecodeError) as error:
        log.warning("a wish cannot be read", extra={"file": file.name, "reason": str(error)})
        _remove(file)
        return None
    path = PurePosixPath(letter.path)
    if path.is_absolute() or ".." in path.parts or "\0" in letter.path:
        log.warning("a wish leads out of the workspace", extra={"file": file.name})
        _remove(file)
        return None
    return Job(cause=letter.cause, path=letter.path)


def _is_dead(peer: Path) -> bool:
    """Whether nobody holds the lock on a wisher's file."""
    lock = OsLock(peer)
    try:
        return lock.acquire()
    except (OSError, NoLocksError):
        return False
    finally:
        lock.release()


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink(missing_ok=True)
