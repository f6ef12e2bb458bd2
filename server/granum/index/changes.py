"""The writes of one batch, gathered first and executed statement by statement.

Working out what changed only reads; the writes of all documents of a batch are then run with ``executemany``, which
spares most of the cost that single statements have. The order of ``STATEMENTS`` is the order of execution: rows
leave before rows come, so that no unique key is met twice.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from granum.index.schema import FTS_COLUMNS, STALE_TWINS, UNLINKED

if TYPE_CHECKING:
    import apsw

Values = tuple[Any, ...]


def _insert(table: str, columns: str, verb: str = "INSERT") -> str:
    return f"{verb} INTO {table} ({columns}) VALUES ({', '.join('?' * (columns.count(',') + 1))})"


@cache
def fts_insert(table: str) -> str:
    """The statement that adds a row: rowid, then the table's columns."""
    return _insert(table, ", ".join(("rowid", *FTS_COLUMNS[STALE_ORIGINS.get(table, table)])))


@cache
def fts_delete(table: str) -> str:
    """The statement that removes a row by rowid."""
    return f"DELETE FROM {table} WHERE rowid = ?"


STALE_ORIGINS = {twin: table for table, twin in STALE_TWINS.items()}
_FTS_TABLES = (*FTS_COLUMNS, *STALE_ORIGINS)

DELETE_OCCURRENCE = (
    "DELETE FROM occurrence WHERE proposition_id = ? AND start_line = ? AND end_line = ? AND paragraph_id = ?"
)
DELETE_MENTION = "DELETE FROM mention_row WHERE name_id = (SELECT id FROM name WHERE text = ?) AND proposition_id = ?"
DELETE_SYMBOL = "DELETE FROM definition WHERE id = ?"
#: A reference must never point at a definition that is gone: its id says nothing any more.
UNLINK_TARGET = (
    f"UPDATE reference_row SET status = {UNLINKED}, target_id = NULL, confidence_percent = 0 WHERE target_id = ?"
)
DELETE_REFERENCE = "DELETE FROM reference_row WHERE document_id = ? AND id = ?"
DELETE_IMPORT = "DELETE FROM import WHERE id = ?"
DELETE_CHUNK = "DELETE FROM chunk WHERE id = ?"
DELETE_SUMMARY = "DELETE FROM summary_row WHERE id = ?"
DELETE_BLOCK = "DELETE FROM text_block WHERE id = ?"
DELETE_PROBLEMS = "DELETE FROM problem WHERE path = ?"

INSERT_DOCUMENT = _insert(
    "document",
    "id, path, language, source_type, module, version_id, content_sha256, size, mtime_ns, ctime_ns, inode,"
    " line_count, eol, encoding, indexed_at",
)
UPDATE_DOCUMENT = (
    "UPDATE document SET path = ?, language = ?, source_type = ?, module = ?, version_id = ?, content_sha256 = ?,"
    " size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, line_count = ?, eol = ?, encoding = ?, indexed_at = ?,"
    " is_stale = 0, stale_since = NULL WHERE id = ?"
)
STAMP_DOCUMENT = "UPDATE document SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, indexed_at = ? WHERE id = ?"
STALE_DOCUMENT = "UPDATE document SET is_stale = 1, stale_since = ? WHERE id = ?"
INSERT_VERSION = _insert(
    "document_version", "id, document_id, content_sha256, branch_name, commit_sha, extractor_version, first_seen"
)

INSERT_PARAGRAPH = _insert(
    "paragraph_row",
    "id, document_id, version_id, paragraph_index, paragraph_kind_code, qualified_name, ordinal, own_section_heading,"
    " own_heading_path, start_line, end_line, token_count",
)
MOVE_PARAGRAPH = "UPDATE paragraph_row SET paragraph_index = ?, start_line = ?, end_line = ? WHERE id = ?"
REWRITE_PARAGRAPH = (
    "UPDATE paragraph_row SET version_id = ?, paragraph_index = ?, own_section_heading = ?, own_heading_path = ?,"
    " start_line = ?, end_line = ?, token_count = ?, own_text = NULL, is_stale = 0, stale_since = NULL,"
    " superseded_by = NULL WHERE id = ?"
)
STALE_PARAGRAPH = "UPDATE paragraph_row SET own_text = ?, is_stale = 1, stale_since = ?, superseded_by = ? WHERE id = ?"

INSERT_PROPOSITION = _insert(
    "proposition_row",
    "id, document_id, version_id, proposition_index, fingerprint, proposition_type_code, confidence_parts,"
    " proposition_source_code",
)
MOVE_PROPOSITION = "UPDATE proposition_row SET proposition_index = ? WHERE id = ?"
REWRITE_PROPOSITION = (
    "UPDATE proposition_row SET proposition_index = ?, proposition_type_code = ?, confidence_parts = ?,"
    " proposition_source_code = ?, own_text = NULL, is_stale = 0, stale_since = NULL, superseded_by = NULL"
    " WHERE id = ?"
)
STALE_PROPOSITION = (
    "UPDATE proposition_row SET own_text = ?, is_stale = 1, stale_since = ?, superseded_by = ? WHERE id = ?"
)
INSERT_OCCURRENCE = _insert("occurrence", "proposition_id, start_line, end_line, paragraph_id, symbol_id")
INSERT_MENTION = _insert("mention_row", "name_id, proposition_id")

INSERT_SYMBOL = _insert(
    "definition",
    "id, document_id, symbol_kind_code, qualified_name, ordinal, paragraph_id, own_name, start_line, end_line,"
    " name_line, name_column, name_end_column, signature, type_name",
)
UPDATE_SYMBOL = (
    "UPDATE definition SET paragraph_id = ?, own_name = ?, start_line = ?, end_line = ?, name_line = ?,"
    " name_column = ?, name_end_column = ?, signature = ?, type_name = ? WHERE id = ?"
)
INSERT_REFERENCE = _insert(
    "reference_row",
    "document_id, id, reference_kind_code, name_id, type_id, scope_id, line, column, own_length",
)
MOVE_REFERENCE = "UPDATE reference_row SET line = ?, column = ?, own_length = ? WHERE document_id = ? AND id = ?"
INSERT_IMPORT = _insert("import", "id, document_id, local, module, level, name, scope, line")
MOVE_IMPORT = "UPDATE import SET line = ? WHERE id = ?"

INSERT_CHUNK = _insert(
    "chunk", "id, document_id, chunk_index, first_paragraph, last_paragraph, start_line, end_line, token_count"
)
UPDATE_CHUNK = (
    "UPDATE chunk SET first_paragraph = ?, last_paragraph = ?, start_line = ?, end_line = ?, token_count = ?"
    " WHERE id = ?"
)
INSERT_SUMMARY = _insert(
    "summary_row", "id, document_id, summary_index, granularity_code, key, start_line, end_line, own_text"
)
UPDATE_SUMMARY = "UPDATE summary_row SET summary_index = ?, start_line = ?, end_line = ?, own_text = ? WHERE id = ?"
PUT_BLOCK = _insert("text_block", "id, packed", "INSERT OR REPLACE")
INSERT_PROBLEM = _insert("problem", "path, code, message, line, stamp", "INSERT OR IGNORE")

STATEMENTS = (
    *(fts_delete(table) for table in _FTS_TABLES),
    DELETE_OCCURRENCE,
    DELETE_MENTION,
    UNLINK_TARGET,
    DELETE_SYMBOL,
    DELETE_REFERENCE,
    DELETE_IMPORT,
    DELETE_CHUNK,
    DELETE_SUMMARY,
    DELETE_BLOCK,
    DELETE_PROBLEMS,
    STALE_DOCUMENT,
    UPDATE_DOCUMENT,
    STAMP_DOCUMENT,
    INSERT_DOCUMENT,
    INSERT_VERSION,
    PUT_BLOCK,
    MOVE_PARAGRAPH,
    REWRITE_PARAGRAPH,
    STALE_PARAGRAPH,
    INSERT_PARAGRAPH,
    MOVE_PROPOSITION,
    REWRITE_PROPOSITION,
    STALE_PROPOSITION,
    INSERT_PROPOSITION,
    INSERT_OCCURRENCE,
    INSERT_MENTION,
    UPDATE_SYMBOL,
    INSERT_SYMBOL,
    MOVE_REFERENCE,
    INSERT_REFERENCE,
    MOVE_IMPORT,
    INSERT_IMPORT,
    UPDATE_CHUNK,
    INSERT_CHUNK,
    UPDATE_SUMMARY,
    INSERT_SUMMARY,
    INSERT_PROBLEM,
    *(fts_insert(table) for table in _FTS_TABLES),
)
_KNOWN = frozenset(STATEMENTS)
_SEQUENCED = (
    "document",
    "document_version",
    "paragraph",
    "proposition",
    "symbol",
    "import",
    "chunk",
    "summary",
)


class Sequences:
    """Hands out row ids, so that rows that refer to each other can be written in bulk.

    The last id of each table is kept in ``meta``: an id that was once used never comes back for another row, because
    stale rows and links may still name it. One transaction's worth; made at its beginning.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        kept = dict(connection.execute("SELECT key, value FROM meta WHERE key LIKE 'last_id.%'"))
        self._last = {table: int(kept.get(f"last_id.{table}", 0)) for table in _SEQUENCED}
        self._kept = dict(self._last)

    def take(self, table: str, count: int = 1) -> range:
        """The next ids of the table."""
        first = self._last[table] + 1
        self._last[table] += count
        return range(first, first + count)

    def save(self, connection: apsw.Connection) -> None:
        """Writes what was handed out, within the transaction."""
        moved = [(f"last_id.{table}", last) for table, last in self._last.items() if last != self._kept[table]]
        connection.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", moved)
        self._kept = dict(self._last)


class Changes:
    """Gathers writes; ``flush`` executes them."""

    def __init__(self) -> None:
        self._values: dict[str, list[Values]] = {}

    def add(self, statement: str, *values: Any) -> None:  # noqa: ANN401  column values are of any type
        """One execution of one of ``STATEMENTS``."""
        self._values.setdefault(statement, []).append(values)

    def extend(self, statement: str, rows: list[Values]) -> None:
        """Many executions of one of ``STATEMENTS``."""
        if rows:
            self._values.setdefault(statement, []).extend(rows)

    def merge(self, other: Changes) -> None:
        """Takes over another's writes."""
        for statement, rows in other._values.items():
            self.extend(statement, rows)

    def statements(self) -> frozenset[str]:
        """The statements that would run."""
        return frozenset(self._values)

    def flush(self, connection: apsw.Connection) -> None:
        """Executes everything in the order of ``STATEMENTS`` and forgets it."""
        if not self._values.keys() <= _KNOWN:
            raise ValueError("a statement has no place in the order of execution")
        for statement in STATEMENTS:
            rows = self._values.get(statement)
            if rows:
                connection.executemany(statement, rows)
        self._values.clear()
