"""Writes what was read of files: one batch of documents in one transaction.

Provenance: a ``document_version`` row tells on which branch and commit a content was first read; it is never
rewritten, and a document's rows refer to the version that brought them.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec

from granum.index import changes as sql
from granum.index.changes import Changes, Sequences
from granum.index.code_rows import put_imports, put_references, put_symbols, remove_code
from granum.index.derived_rows import put_blocks, put_chunks, put_summaries
from granum.index.paragraph_rows import put_paragraphs, stale_paragraphs
from granum.index.proposition_rows import Ids, Propositions, surroundings_before, surroundings_now
from granum.index.reading import Reading, State
from granum.index.schema import LAYERS, PARAGRAPHS, PROPOSITIONS, SUMMARIES
from granum.index.stored import Stored, load, nothing, texts_of
from granum.index.target import Target
from granum.index.vocabulary import Vocabulary
from granum.model.answers import DocumentChange, Reindexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    import apsw

    from granum.index.document_rows import DocumentRows
    from granum.index.freshness import FileStamp
    from granum.index.rows import Row


#: Statements that run for every file that was read, whether or not its rows changed.
_BOOKKEEPING = frozenset({sql.UPDATE_DOCUMENT, sql.INSERT_VERSION, sql.DELETE_PROBLEMS, sql.INSERT_PROBLEM})


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The branch and commit that are checked out; empty outside git."""

    branch: str = ""
    commit: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one reading did. ``change`` is None when no row changed; ``document_id`` 0 without a document.

    ``is_new_path`` tells that a document came to this path, or left it.
    """

    path: str
    reindexed: Reindexed
    document_id: int = 0
    change: DocumentChange | None = None
    is_new_path: bool = False


class _Known(msgspec.Struct, frozen=True):
    """A document's row, as far as deciding needs it."""

    id: int
    path: str
    module: str
    version_id: int
    content_sha256: bytes
    stamp: tuple[int, int, int, int]
    is_stale: bool


class Batch:
    """The readings of one transaction. Within it each path comes at most once, files that are gone last.

    ``put`` only reads; ``flush`` writes everything that was put.
    """

    def __init__(
        self,
        connection: apsw.Connection,
        root: Path,
        origin: Origin,
        extractor_version: int,
        module_of: Callable[[str], str],
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self._connection = connection
        self._root = root
        self._origin = origin
        self._extractor_version = extractor_version
        self._module_of = module_of
        self._now = time.time()
        self._sequences = Sequences(connection)
        self._vocabulary = vocabulary or Vocabulary(connection)
        self._changes = Changes()
        self._carried: set[int] = set()

    def put(self, reading: Reading) -> Outcome:
        """Works out what the reading changes. A failure in it leaves the batch as it was."""
        changes = Changes()
        outcome = self._put(reading, changes)
        self._changes.merge(changes)
        return outcome

    def flush(self) -> None:
        """Writes the batch, within the caller's transaction."""
        self._vocabulary.flush()
        self._changes.flush(self._connection)
        self._sequences.save(self._connection)

    def _put(self, reading: Reading, changes: Changes) -> Outcome:
        known = self._known(reading.path)
        if reading.state is State.UNCHANGED and known is not None:
            self._stamp(known, reading, changes)
            return Outcome(path=reading.path, reindexed=Reindexed(files=1, unchanged=1), document_id=known.id)
        self._put_problems(reading, changes)
        if reading.state is State.READ and reading.rows is not None and reading.stamp is not None:
            known = known or self._moved_here(reading)
            return self._write(known, reading, reading.rows, reading.stamp, changes)
        return self._remove(known, reading, changes)

    def _known(self, path: str) -> _Known | None:
        return self._one("path = ?", path)

    def _one(self, condition: str, *params: object) -> _Known | None:
        rows: Iterable[Row] = self._connection.execute(
            "SELECT id, path, module, version_id, content_sha256, size, mtime_ns, ctime_ns, inode, is_stale"
            f" FROM document WHERE {condition} LIMIT 1",
            params,
        )
        for row in rows:
            return _Known(row[0], row[1], row[2], row[3], row[4], row[5:9], bool(row[9]))
        return None

    def _moved_here(self, reading: Reading) -> _Known | None:
        """The document that was renamed to this path: of the same content, its own file gone.

        The old path's turn came in an earlier batch, or comes later in this one, which then leaves it alone. Empty
        files are all alike and have nothing to carry over.
        """
        if reading.stamp is None or not reading.stamp.size:
            return None
        rows: list[Row] = self._connection.execute(
            "SELECT id, path FROM document WHERE content_sha256 = ? ORDER BY is_stale, stale_since DESC, path LIMIT 50",
            (reading.content_sha256,),
        ).fetchall()
        gone = [row for row in rows if row[0] not in self._carried and not os.path.lexists(self._root / row[1])]
        if not gone:
            return None
        name = reading.path.rpartition("/")[2]
        document_id: int = min(gone, key=lambda row: row[1].rpartition("/")[2] != name)[0]
        self._carried.add(document_id)
        return self._one("id = ?", document_id)

    def _write(
        self, known: _Known | None, reading: Reading, rows: DocumentRows, stamp: FileStamp, changes: Changes
    ) -> Outcome:
        stored = load(self._connection, known.id) if known else nothing(self._sequences.take("document")[0])
        version_id = self._version(stored.document_id, known, reading, changes)
        module = self._module_of(reading.path)
        target = self._target(stored.document_id, version_id, reading.path, module, changes)
        columns = (
            reading.path,
            rows.language,
            rows.source_type,
            module,
            version_id,
            reading.content_sha256,
            *msgspec.structs.astuple(stamp),
            rows.line_count,
            reading.eol,
            reading.encoding,
            reading.read_at,
        )
        if known is None:
            changes.add(sql.INSERT_DOCUMENT, stored.document_id, *columns)
        else:
            changes.add(sql.UPDATE_DOCUMENT, *columns, known.id)
        _put_layers(target, stored, rows)
        problems = (reading.problem is not None) + len(rows.problems)
        arrived = known is None or known.is_stale or known.path != reading.path
        return _outcome(target, Reindexed(files=1, problems=problems), is_new_path=arrived)

    def _target(self, document_id: int, version_id: int, path: str, module: str, changes: Changes) -> Target:
        return Target(
            document_id=document_id,
            version_id=version_id,
            path=path,
            module=module,
            now=self._now,
            changes=changes,
            sequences=self._sequences,
            vocabulary=self._vocabulary,
        )

    def _version(self, document_id: int, known: _Known | None, reading: Reading, changes: Changes) -> int:
        if known is not None and known.content_sha256 == reading.content_sha256:
            return known.version_id
        if known is not None:
            for (version_id,) in self._connection.execute(
                "SELECT id FROM document_version WHERE document_id = ? AND content_sha256 = ?",
                (document_id, reading.content_sha256),
            ):
                return int(version_id)
        version_id = self._sequences.take("document_version")[0]
        changes.add(
            sql.INSERT_VERSION,
            version_id,
            document_id,
            reading.content_sha256,
            self._origin.branch,
            self._origin.commit,
            self._extractor_version,
            self._now,
        )
        return version_id

    def _stamp(self, known: _Known, reading: Reading, changes: Changes) -> None:
        stamp = reading.stamp
        if stamp is not None and msgspec.structs.astuple(stamp) != known.stamp:
            changes.add(sql.STAMP_DOCUMENT, *msgspec.structs.astuple(stamp), reading.read_at, known.id)

    def _remove(self, known: _Known | None, reading: Reading, changes: Changes) -> Outcome:
        problems = int(reading.problem is not None)
        if known is None or known.is_stale or known.id in self._carried:
            files = int(reading.state is not State.MISSING)
            return Outcome(
                path=reading.path, reindexed=Reindexed(files=files, problems=problems), is_new_path=not files
            )
        stored = load(self._connection, known.id)
        target = self._target(known.id, known.version_id, known.path, known.module, changes)
        changes.add(sql.STALE_DOCUMENT, self._now, known.id)
        _remove_layers(target, stored)
        return _outcome(target, Reindexed(removed_files=1, problems=problems), is_new_path=True)

    def _put_problems(self, reading: Reading, changes: Changes) -> None:
        changes.add(sql.DELETE_PROBLEMS, reading.path)
        found = [] if reading.problem is None else [reading.problem]
        found.extend(reading.rows.problems if reading.rows else ())
        # a file without a document has nowhere else to keep what tells that it need not be looked at again
        stamp = "" if reading.rows or reading.stamp is None else reading.stamp.text()
        changes.extend(
            sql.INSERT_PROBLEM,
            [(reading.path, problem.code, problem.message, problem.line, stamp) for problem in found],
        )


def _put_layers(target: Target, old: Stored, new: DocumentRows) -> None:
    before = [old.texts(layer) for layer in LAYERS]
    now = [texts_of(new.blocks, layer) for layer in LAYERS]
    paragraph_ids = put_paragraphs(target, old, before[PARAGRAPHS], new, now[PARAGRAPHS])
    symbol_ids = put_symbols(target, old, new.symbols, paragraph_ids)
    ids = Ids(paragraph_ids, [*symbol_ids, None], [*target.vocabulary.ids(new.names), 0])
    around = surroundings_now(target.module, new, now[PARAGRAPHS], ids)
    propositions = Propositions(target, old, before[PROPOSITIONS], surroundings_before(old, before[PARAGRAPHS]))
    propositions.put(new, now[PROPOSITIONS], around, ids)
    put_references(target, old, new.references, ids.names, ids.symbols)
    put_imports(target, old, new.imports)
    put_chunks(target, old, new.chunks)
    put_summaries(target, old, before[SUMMARIES], new.summaries, now[SUMMARIES], new.summary_parts)
    put_blocks(target, old, new.blocks)


def _remove_layers(target: Target, old: Stored) -> None:
    """Leaves of a vanished document what may be asked for as history."""
    paragraphs, facts = old.texts(PARAGRAPHS), old.texts(PROPOSITIONS)
    stale_paragraphs(target, old, paragraphs, [row for row in old.paragraphs.values() if not row.is_stale])
    live = [row for row in old.propositions.values() if not row.is_stale]
    Propositions(target, old, facts, surroundings_before(old, paragraphs)).stale(live)
    remove_code(target, old)
    put_chunks(target, old, ())
    put_summaries(target, old, [], (), [], ())
    put_blocks(target, old, ())


def _outcome(target: Target, so_far: Reindexed, *, is_new_path: bool) -> Outcome:
    tally = target.tally
    touched = is_new_path or bool(target.changes.statements() - _BOOKKEEPING)
    change = DocumentChange(
        path=target.path, added=tally.added + tally.revived, removed=0, stale=tally.stale, version=target.version_id
    )
    return Outcome(
        path=target.path,
        reindexed=msgspec.structs.replace(
            so_far, added=tally.added, updated=tally.updated, stale=tally.stale, revived=tally.revived
        ),
        document_id=target.document_id,
        change=change if touched else None,
        is_new_path=is_new_path,
    )
