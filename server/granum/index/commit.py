"""Turns readings into committed rows, and links what was written; everything here runs in the writer's thread."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw
import msgspec

from granum.index import changes as sql
from granum.index import owed, packages
from granum.index.connection import BUSY_TIMEOUT_MS, immediate
from granum.index.generation import DAMAGE
from granum.index.modules import Modules, is_marker, renamed_modules
from granum.index.reading import State
from granum.index.store import Batch, Origin, Outcome
from granum.model.answers import Reindexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from granum.index.reading import Reading

log = logging.getLogger(__name__)

#: A slice of linking is made as long as this, in seconds, so that a save waits no longer.
_SLICE_SECONDS = 0.04
_FIRST_SLICE = 4
_LARGEST_SLICE = 256
_PACKAGES_AT_ONCE = 50
#: Documents linked in the transaction that wrote them; more are left to slices.
_LINKED_AT_ONCE = 16

#: Errors of the disk or of another process rather than of a row; what was read is not at fault.
ENVIRONMENT = (
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.PermissionsError,
    apsw.AuthError,
)


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    """What a transaction did, reading by reading; ``renamed`` are files whose module has another name now."""

    outcomes: tuple[Outcome, ...]
    renamed: tuple[str, ...] = ()


class Committer:
    """Owns the writing connection."""

    def __init__(
        self,
        connection: apsw.Connection,
        root: Path,
        extractor_version: int,
        origin: Callable[[], Origin],
        linker: Callable[[apsw.Connection, Sequence[int]], None] | None,
    ) -> None:
        self.connection = connection
        self._root = root
        self._extractor_version = extractor_version
        self._origin = origin
        self._linker = linker
        self._unlinked: dict[int, None] = {}
        self._folders: dict[str, None] = {}
        self._slice = _FIRST_SLICE

    @property
    def waiting(self) -> int:
        """Documents and folders that wait for a slice of linking."""
        return len(self._unlinked) + len(self._folders)

    def commit(self, readings: Sequence[Reading], *, link: bool) -> Committed:
        """Writes the readings in one transaction.

        A reading that cannot be written gets a problem of its own, and the others are written without it.

        Args:
            readings: At most one for each path.
            link: Whether to link the documents in the same transaction, rather than in slices later.

        Raises:
            apsw.Error: One of ``ENVIRONMENT`` or ``DAMAGE``; nothing was written.
        """
        ordered = sorted(range(len(readings)), key=lambda i: readings[i].state is State.MISSING)
        try:
            written = self._commit([readings[i] for i in ordered], link=link)
        except (*ENVIRONMENT, *DAMAGE):
            raise
        except Exception:
            log.exception("writing %d files failed", len(readings))
            if len(readings) > 1:
                return self._one_by_one(readings, link=link)
            return Committed(outcomes=(self._internal_problem(readings[0]),))
        by_index = dict(zip(ordered, written.outcomes, strict=True))
        return Committed(outcomes=tuple(by_index[i] for i in range(len(readings))), renamed=written.renamed)

    def put_problems(self, problems: Iterable[tuple[str, str, str]]) -> None:
        """Replaces the problems of paths that are no documents, folders for instance: (path, code, message)."""
        with immediate(self.connection):
            for path, code, message in problems:
                self.connection.execute(sql.DELETE_PROBLEMS, (path,))
                self.connection.execute(sql.INSERT_PROBLEM, (path, code, message, 0, ""))

    def drop_problems(self, path: str) -> None:
        """Forgets the problems of a path."""
        self.connection.execute(sql.DELETE_PROBLEMS, (path,))

    def take_up(self) -> list[str]:
        """Takes up what an earlier process left undone.

        Returns:
            The files whose module has another name than the index says.
        """
        self._note_pending(exclude=())
        self._folders.update(dict.fromkeys(owed.folders(self.connection)))
        return renamed_modules(self.connection, Modules(self._root), "")

    def link_slice(self) -> None:
        """Links some of the waiting documents and summarises some of the waiting folders, in one transaction."""
        started = time.monotonic()
        document_ids = list(self._unlinked)[: self._slice]
        folders = [] if document_ids else list(self._folders)[:_PACKAGES_AT_ONCE]
        with immediate(self.connection):
            if document_ids:
                self._link(document_ids)
            packages.refresh(self.connection, folders)
            owed.summarised(self.connection, folders)
        for document_id in document_ids:
            self._unlinked.pop(document_id, None)
        for folder in folders:
            self._folders.pop(folder, None)
        self._note_pending(exclude=document_ids)
        if document_ids:
            wanted = int(self._slice * _SLICE_SECONDS / max(time.monotonic() - started, 1e-3))
            self._slice = max(1, min(_LARGEST_SLICE, 2 * self._slice, wanted))

    def shrink(self) -> None:
        """Frees the connection's page cache, which bulk work filled; the system's own cache holds the pages too."""
        self.connection.execute("PRAGMA shrink_memory")

    def empty_log(self) -> None:
        """Copies the write-ahead log into the file and cuts it to nothing, unless a reader or a writer is in the way.

        SQLite itself would leave a scan's log, of many megabytes, beside the file for as long as it is open.
        """
        self.connection.set_busy_timeout(0)
        try:
            with suppress(apsw.BusyError, apsw.LockedError):
                self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)

    def drop_waiting(self) -> None:
        """Gives up the linking that waits; after a failure that would only repeat itself."""
        self._unlinked.clear()
        self._folders.clear()

    def _commit(self, readings: Sequence[Reading], *, link: bool) -> Committed:
        modules = Modules(self._root)
        with immediate(self.connection):
            batch = Batch(self.connection, self._root, self._origin(), self._extractor_version, modules.name)
            outcomes = [batch.put(reading) for reading in readings]
            batch.flush()
            changed = [outcome for outcome in outcomes if outcome.change is not None]
            document_ids = [outcome.document_id for outcome in changed]
            folders = {
                packages.folder_of(outcome.path) for outcome in outcomes if outcome.change or outcome.is_new_path
            }
            now = link and len(document_ids) <= _LINKED_AT_ONCE
            if now and document_ids:
                self._link(document_ids)
                packages.refresh(self.connection, sorted(folders))
            elif not now:
                owed.note(self.connection, document_ids if self._linker else (), folders)
            renamed = self._renamed(outcomes, modules)
        if not now:
            self._unlinked.update(dict.fromkeys(document_ids))
            self._folders.update(dict.fromkeys(sorted(folders)))
        elif document_ids:
            self._note_pending(exclude=document_ids)
        return Committed(outcomes=tuple(outcomes), renamed=tuple(renamed))

    def _one_by_one(self, readings: Sequence[Reading], *, link: bool) -> Committed:
        alone = [self.commit([reading], link=link) for reading in readings]
        return Committed(
            outcomes=tuple(committed.outcomes[0] for committed in alone),
            renamed=tuple(path for committed in alone for path in committed.renamed),
        )

    def _internal_problem(self, reading: Reading) -> Outcome:
        message = "Granum could not store what the file holds; its log tells why."
        stamp = "" if reading.stamp is None else reading.stamp.text()
        with immediate(self.connection):
            self.connection.execute(sql.DELETE_PROBLEMS, (reading.path,))
            self.connection.execute(sql.INSERT_PROBLEM, (reading.path, "internal", message, 0, stamp))
        return Outcome(path=reading.path, reindexed=Reindexed(files=1, problems=1))

    def _renamed(self, outcomes: Iterable[Outcome], modules: Modules) -> list[str]:
        """The files whose module's name changed because a package marker came or went."""
        markers = {
            packages.folder_of(outcome.path) for outcome in outcomes if outcome.is_new_path and is_marker(outcome.path)
        }
        return [path for folder in sorted(markers) for path in renamed_modules(self.connection, modules, folder)]

    def _link(self, document_ids: Sequence[int]) -> None:
        if self._linker is None:
            return
        try:
            # a savepoint: what a failed linker wrote is undone, and the documents' own rows stay
            with self.connection:
                self._linker(self.connection, document_ids)
        except (*ENVIRONMENT, *DAMAGE):
            raise
        except Exception:
            log.exception("linking %d documents failed", len(document_ids))
            owed.give_up(self.connection, document_ids)

    def _note_pending(self, exclude: Sequence[int]) -> None:
        """Takes up the documents that linking left for later; those just linked would come back forever."""
        if self._linker is None:
            return
        known = set(exclude)
        waiting = owed.documents(self.connection, _LARGEST_SLICE)
        self._unlinked.update(dict.fromkeys(each for each in waiting if each not in known))
