"""Keeps index.db small while there is nothing else to do.

A round removes what retention no longer keeps, gives the pages that this frees back to the file system, and copies the
write-ahead log into the file. It goes in slices, each one short transaction: a save that comes in between waits for one
of them at most, and a reader for none. Full-text tables need none of their own: each write to them merges some
segments, and leaves out what deleted rows left behind.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw

from granum.index import retention
from granum.index.commit import ENVIRONMENT
from granum.index.connection import immediate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from granum.index.commit import Committer
    from granum.index.rows import Row
    from granum.model.settings import RetentionSettings

log = logging.getLogger(__name__)

#: A slice that removes rows is made as long as this, in seconds.
SLICE_SECONDS = 0.02
FEWEST_ROWS, MOST_ROWS = 8, 512
#: Documents whose changes are counted at once.
DOCUMENTS_AT_ONCE = 64
#: Pages that a slice gives back, and free ones that stay for what comes next: as many, or such a part of the file.
FREED_AT_ONCE = 64
SPARE_PAGES, SPARE_PART = 128, 8
#: Pages written before the log is copied, 2 MiB. SQLite itself waits for eight times as many, and then has the save
#: whose turn it is wait for a tenth of a second.
LOGGED_PAGES = 256
DAY = 86_400.0


class Tidying:
    """Owns what is to be looked at, and the round that runs. Used by the writer's thread alone."""

    def __init__(self, committer: Committer, kept: Callable[[], RetentionSettings]) -> None:
        self._kept = kept
        self._committer = committer
        self._connection = committer.connection
        self._wanted = False
        self._changed: dict[int, None] = {}
        self._round: Iterator[None] | None = None
        self._rows = FEWEST_ROWS
        self._copied_at = 0

    @property
    def is_wanted(self) -> bool:
        """Whether ``step`` may find something to do."""
        return self._wanted or self._round is not None

    def want(self, document_ids: Iterable[int] = ()) -> None:
        """Asks for a look at what is due; also at the superseded versions of these documents, which changed."""
        self._wanted = True
        self._changed.update(dict.fromkeys(document_ids))

    def step(self) -> None:
        """Does one slice. When it cannot write, the round ends, and what changes next begins another."""
        if self._round is None:
            self._round = self._slices()
            self._wanted = False
        is_over = True
        try:
            for _ in self._round:
                is_over = False
                break
        except ENVIRONMENT as error:
            log.warning("the index was not tidied: %s", error)
        finally:
            if is_over:
                self._round = None

    def _slices(self) -> Iterator[None]:
        """A round; it may be left for good after any slice."""
        pages, kept = self._pragma("page_count"), self._kept()
        yield from self._expire(time.time(), kept.days)
        while self._changed:
            some = list(self._changed)[:DOCUMENTS_AT_ONCE]
            for document_id in some:
                del self._changed[document_id]
            yield from self._thin_out(some, kept.versions)
        yield from self._free()
        yield from self._copy_log()
        if self._pragma("page_count") < pages:
            self._committer.empty_log()

    def _expire(self, now: float, days: int) -> Iterator[None]:
        before, after = now - days * DAY, now + DAY
        if not retention.is_due(self._connection, before, after):
            return
        yield from self._in_slices(lambda limit: retention.recall(self._connection, now, after, limit))
        yield from self._in_slices(lambda limit: self._remove(retention.expired(self._connection, before, limit)))
        yield from self._in_slices(lambda limit: retention.remove_documents(self._connection, before, limit))

    def _thin_out(self, document_ids: Sequence[int], kept: int) -> Iterator[None]:
        crowded = retention.crowded(self._connection, document_ids, kept)
        if not crowded:
            return
        yield from self._in_slices(
            lambda limit: self._remove(retention.superseded(self._connection, crowded, kept, limit))
        )
        yield from self._in_slices(lambda limit: retention.remove_versions(self._connection, crowded, kept, limit))

    def _remove(self, doomed: retention.Doomed) -> int:
        if doomed:
            retention.remove(self._connection, doomed)
        return len(doomed)

    def _in_slices(self, work: Callable[[int], int]) -> Iterator[None]:
        """Runs ``work``, each time in a transaction and for at most so many rows, until it finds no more of them."""
        done = True
        while done:
            begun = time.monotonic()
            with immediate(self._connection):
                rows = work(self._rows)
            if done := rows > 0:
                fitting = int(rows * SLICE_SECONDS / max(time.monotonic() - begun, 1e-3))
                self._rows = max(FEWEST_ROWS, min(fitting, 2 * self._rows, MOST_ROWS))
                yield
                yield from self._copy_log()

    def _free(self) -> Iterator[None]:
        """Gives free pages back once there are many, until few are left: to and fro would move the same pages."""
        free, spare = self._pragma("freelist_count"), max(SPARE_PAGES, self._pragma("page_count") // SPARE_PART)
        before = free + 1 if free > spare else 0
        while spare // 2 < free < before:  # it stays as it is in a file that was made without this
            self._connection.execute(f"PRAGMA incremental_vacuum({FREED_AT_ONCE})").fetchall()
            yield
            yield from self._copy_log()
            before, free = free, self._pragma("freelist_count")

    def _copy_log(self) -> Iterator[None]:
        """Copies the log into the file when there is enough of it, as far as no reader still needs the old pages."""
        written = self._connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]
        if written - self._copied_at < LOGGED_PAGES:
            return
        self._copied_at = written
        with suppress(apsw.BusyError, apsw.LockedError):  # another process does so right now
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        yield

    def _pragma(self, name: str) -> int:
        rows: list[Row] = self._connection.execute(f"PRAGMA {name}").fetchall()
        found: int = rows[0][0]
        return found
