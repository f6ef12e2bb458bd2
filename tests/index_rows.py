"""What an index holds, in terms that do not depend on ids, versions and history: for comparing two indexes."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from granum.extract import EXTRACTOR_VERSION
from granum.index.commit import Committer
from granum.index.connection import open_reader, open_writer
from granum.index.generation import open_generation
from granum.index.jobs import Cause, Job
from granum.index.policy import Policy
from granum.index.schema import FTS_COLUMNS, STALE_TWINS
from granum.index.store import Origin
from granum.index.tidying import Tidying
from granum.index.writer import Options, Writer
from granum.model.settings import RetentionSettings, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import apsw

WATCHDOG = 60.0

_ROWS = {
    "document": "SELECT path, language, source_type, module, hex(content_sha256), size, line_count, eol, encoding"
    " FROM document WHERE NOT is_stale",
    "paragraph": "SELECT d.path, g.kind, g.qualified_name, g.ordinal, g.paragraph_index, g.start_line, g.end_line,"
    " g.section_heading, g.heading_path, g.symbol_names, g.text, g.token_count, g.summary, g.tags"
    " FROM paragraph g JOIN document d ON d.id = g.document_id WHERE NOT g.is_stale",
    "proposition": "SELECT d.path, hex(p.hash), p.text, p.type, p.confidence, p.source, p.mentions, o.start_line,"
    " o.end_line, g.kind, g.qualified_name, g.ordinal, s.fqn"
    " FROM proposition p JOIN document d ON d.id = p.document_id LEFT JOIN occurrence o ON o.proposition_id = p.id"
    " LEFT JOIN paragraph g ON g.id = o.paragraph_id LEFT JOIN symbol s ON s.id = o.symbol_id WHERE NOT p.is_stale",
    "mention": "SELECT d.path, hex(p.hash), m.name FROM mention m JOIN proposition p ON p.id = m.proposition_id"
    " JOIN document d ON d.id = p.document_id WHERE NOT p.is_stale",
    "symbol": "SELECT d.path, s.name, s.qualified_name, s.fqn, s.kind, s.ordinal, s.start_line, s.end_line,"
    " s.name_line, s.name_column, s.name_end_column, s.signature, s.type_name, g.kind, g.qualified_name, g.ordinal"
    " FROM symbol s JOIN document d ON d.id = s.document_id LEFT JOIN paragraph g ON g.id = s.paragraph_id",
    "reference": "SELECT d.path, r.kind, r.name, r.last_name, r.local_type, r.line, r.column, r.end_column, s.fqn"
    " FROM reference r JOIN document d ON d.id = r.document_id LEFT JOIN symbol s ON s.id = r.scope_id",
    "import": "SELECT d.path, i.local, i.module, i.level, i.name, i.line, i.scope"
    " FROM import i JOIN document d ON d.id = i.document_id",
    "chunk": "SELECT d.path, c.chunk_index, c.first_paragraph, c.last_paragraph, c.start_line, c.end_line,"
    " c.token_count FROM chunk c JOIN document d ON d.id = c.document_id",
    "summary": "SELECT d.path, y.granularity, y.key, y.start_line, y.end_line, y.summary_text, y.purpose,"
    " y.key_symbols, y.responsibilities, y.constraints_mentioned, y.important_interactions"
    " FROM summary y LEFT JOIN document d ON d.id = y.document_id",
    "problem": "SELECT path, code, line FROM problem",
}
_FTS_KEYS = {
    "paragraph_fts": "SELECT g.id, d.path || g.kind || g.qualified_name || g.ordinal FROM paragraph g"
    " JOIN document d ON d.id = g.document_id WHERE NOT g.is_stale",
    "proposition_fts": "SELECT p.id, d.path || hex(p.hash) FROM proposition p"
    " JOIN document d ON d.id = p.document_id WHERE NOT p.is_stale",
    "summary_fts": "SELECT y.id, coalesce(d.path, '') || y.granularity || y.key FROM summary y"
    " LEFT JOIN document d ON d.id = y.document_id",
}
_STALE_IDS = {
    "paragraph_fts": "SELECT id FROM paragraph WHERE is_stale",
    "proposition_fts": "SELECT id FROM proposition WHERE is_stale",
}
#: What refers to a row that must be there: (table, column, table referred to).
_REFERENCES = (
    ("document", "version_id", "document_version"),
    ("document_version", "document_id", "document"),
    ("paragraph", "document_id", "document"),
    ("paragraph", "version_id", "document_version"),
    ("paragraph", "superseded_by", "paragraph"),
    ("proposition", "document_id", "document"),
    ("proposition", "version_id", "document_version"),
    ("proposition", "superseded_by", "proposition"),
    ("occurrence", "proposition_id", "proposition"),
    ("occurrence", "paragraph_id", "paragraph"),
    ("mention", "proposition_id", "proposition"),
    ("linkage", "document_id", "document"),
    ("linkage_source", "document_id", "document"),
    ("linkage_source", "source_id", "document"),
    ("linkage_name", "document_id", "document"),
)


def rows(connection: apsw.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """All live rows by table, sorted; the full-text tables by the terms at their places."""
    found = {table: sorted(connection.execute(sql).fetchall(), key=repr) for table, sql in _ROWS.items()}
    for table, sql in _FTS_KEYS.items():
        terms_of = f"USING fts5vocab(main, {table}, instance)"
        connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{table}_terms {terms_of}")
        keys = dict(connection.execute(sql).fetchall())
        terms = connection.execute(f'SELECT doc, term, col, "offset" FROM temp.{table}_terms').fetchall()
        found[table] = sorted((keys.get(row_id, f"no row {row_id}"), *rest) for row_id, *rest in terms)
    return found


def assert_full_text_is_consistent(connection: apsw.Connection) -> None:
    """The main tables hold exactly the live rows, their twins exactly the stale ones."""
    for table in FTS_COLUMNS:
        held = {row_id for (row_id,) in connection.execute(f"SELECT rowid FROM {table}")}
        assert held == {row[0] for row in connection.execute(_FTS_KEYS[table])}, table
        if table in STALE_TWINS:
            twin = {row_id for (row_id,) in connection.execute(f"SELECT rowid FROM {STALE_TWINS[table]}")}
            assert twin == {row_id for (row_id,) in connection.execute(_STALE_IDS[table])}, table


def assert_nothing_dangles(connection: apsw.Connection) -> None:
    """No row refers to one that is gone."""
    for table, column, target in _REFERENCES:
        dangling = f"SELECT {column} FROM {table} WHERE {column} NOT IN (SELECT id FROM {target})"
        assert connection.execute(dangling).fetchall() == [], f"{table}.{column}"


def wait_for(predicate: Callable[[], bool]) -> None:
    """Waits until the predicate holds, for what tells of itself by nothing else."""
    deadline = time.monotonic() + WATCHDOG
    pause = threading.Event()
    while not predicate():
        assert time.monotonic() < deadline, "it did not come about"
        pause.wait(0.002)


class Index:
    """A writer on ``root`` and a way to look at what it wrote."""

    def __init__(self, root: Path, database: Path, **options: Any) -> None:
        generation = open_generation(database, EXTRACTOR_VERSION)
        self.root = root
        self.path = generation.path
        real = root.resolve()
        policy = Policy(real, Settings())
        given = Options(root=real, policy=policy, extractor_version=EXTRACTOR_VERSION, workers=1)
        self.writer = Writer(generation.connection, msgspec.structs.replace(given, **options))

    def save(self, path: str, text: str | None) -> None:
        """Writes a file, or removes it where there is no text, and waits until it is read."""
        file = self.root / path
        if text is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.writer.submit(Job(cause=Cause.SAVED, path=path)).result(WATCHDOG)

    def settle(self) -> None:
        """Waits until the writer has nothing more to do, and has tidied up."""
        assert self.writer.wait_idle(WATCHDOG), "the writer did not come to rest"
        wait_for(lambda: not self.writer._tidying.is_wanted)

    def query(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """The rows of a query, on a connection of its own."""
        connection = open_reader(self.path)
        try:
            return connection.execute(sql, params).fetchall()
        finally:
            connection.close()

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """See ``rows``."""
        connection = open_reader(self.path)
        try:
            connection.execute("PRAGMA query_only=0")  # the vocabulary tables are made in the temporary schema
            assert_full_text_is_consistent(connection)
            assert_nothing_dangles(connection)
            return rows(connection)
        finally:
            connection.close()

    def tidy(self, days: int = 30, versions: int = 20) -> None:
        """Tidies up as the writer does at rest, here and now, and with a look at every document."""
        self.settle()
        with tidying(self.path, days, versions) as work:
            while work.is_wanted:
                work.step()


@contextmanager
def tidying(database: Path, days: int = 30, versions: int = 20) -> Iterator[Tidying]:
    """A round of tidying at its beginning, on a connection of its own."""
    connection = open_writer(database)
    try:
        committer = Committer(connection, database.parent, EXTRACTOR_VERSION, Origin, None)
        work = Tidying(committer, lambda: RetentionSettings(days=days, versions=versions))
        work.want(row[0] for row in connection.execute("SELECT id FROM document").fetchall())
        yield work
    finally:
        connection.close()


@contextmanager
def indexing(root: Path, database: Path, **options: Any) -> Iterator[Index]:
    """An index of ``root`` for as long as the block runs; nothing is read before a job asks for it."""
    index = Index(root, database, **options)
    try:
        yield index
    finally:
        index.writer.close()
