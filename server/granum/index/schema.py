"""The tables of index.db.

Everything here is derived from the workspace and may be deleted at any time. Text is stored once, in
``paragraph``, ``proposition`` and ``summary``; chunks are spans over paragraphs. All FTS tables are contentless
with delete support, so that removing a row needs no copy of its old text; stale rows are moved to the ``_stale``
twins and so cannot skew BM25.

A contentless table must keep full detail: with ``detail=column`` or ``none`` SQLite would re-read the text to count
instances, finds none, and BM25 is 0 for every row. So quoted phrases and column filters work in all of them.

The file must stay within a few times the size of the source, so bytes are spent on what nothing else tells:

- Texts are compressed (``packing``); a proposition's mentions are words of its text and are packed with it.
- What follows from other columns is no column but a computed one (``AS``), which queries name like any other: kinds
  from small integers, last names from names, headings from qualified names. A ``own_`` column holds the exceptions.
- Fully qualified names need the document's module, so that ``symbol`` is a view over ``definition``.
- An index stands only where no other way is short. What one document holds is found by its id alone, which is why
  keys within a document are kept unique by the writer (``code_rows``, ``knowledge_rows``) and by no index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.layers import ParagraphKind, PropositionType, ReferenceKind, SourceKind, SymbolKind

if TYPE_CHECKING:
    from enum import StrEnum

SCHEMA_VERSION = 1

#: Columns that hold the place of a value in its enumeration; the column of the value itself is computed from it.
CODED: dict[str, type[StrEnum]] = {
    "reference_kind_code": ReferenceKind,
    "proposition_type_code": PropositionType,
    "proposition_source_code": SourceKind,
    "paragraph_kind_code": ParagraphKind,
    "symbol_kind_code": SymbolKind,
}

#: The fully qualified name of a symbol s in its document d: joined by a dot, in prose by ``#`` to the
#: path.
FQN = """
CASE s.qualified_name WHEN '' THEN d.module
  ELSE ltrim(d.module || CASE d.module WHEN d.path THEN '#' ELSE '.' END || s.qualified_name, '.') END
""".strip()


#: Joins the items of ``paragraph.heading_path``; it stands in no heading.
UNIT_SEPARATOR = "\x1f"


def last_heading(path: str) -> str:
    """The expression of the last item of a heading path."""
    return f"substr({path}, length(rtrim({path}, replace({path}, char(31), ''))) + 1)"


def usual_heading_path(kind: str, name: str) -> str:
    """The expression of the heading path that follows from a paragraph's kind and qualified name."""
    return f"replace({name}, CASE {kind} WHEN '{ParagraphKind.SECTION}' THEN ' > ' ELSE '.' END, char(31))"


def _coded(column: str) -> str:
    """The definition of a coded column and of the column with its value, whose name is the column's second word."""
    cases = " ".join(f"WHEN {code} THEN '{value}'" for code, value in enumerate(CODED[column]))
    return f"{column} INTEGER NOT NULL,\n  {column.split('_')[1]} TEXT AS (CASE {column} {cases} END)"


TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  language TEXT NOT NULL,
  source_type TEXT NOT NULL,
  module TEXT NOT NULL,
  version_id INTEGER NOT NULL,
  content_sha256 BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  line_count INTEGER NOT NULL,
  eol TEXT NOT NULL,
  encoding TEXT NOT NULL,
  indexed_at REAL NOT NULL,
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL
);
CREATE INDEX document_module ON document (module);
CREATE INDEX document_content ON document (content_sha256);
-- the last part of the path, for imports of modules that lie outside packages
CREATE INDEX document_file_name ON document (replace(path, rtrim(path, replace(path, '/', '')), ''));

-- provenance: written when a content is first read, never rewritten
CREATE TABLE document_version (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  content_sha256 BLOB NOT NULL,
  branch_name TEXT NOT NULL,
  commit_sha TEXT NOT NULL,
  extractor_version INTEGER NOT NULL,
  first_seen REAL NOT NULL,
  UNIQUE (document_id, content_sha256)
);

CREATE TABLE paragraph (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  {_coded("paragraph_kind_code")},
  qualified_name TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  paragraph_index INTEGER NOT NULL,
  own_section_heading TEXT,        -- these three are NULL where they follow from the qualified name, as most do
  section_heading TEXT AS (coalesce(own_section_heading, {last_heading("heading_path")})),
  own_heading_path TEXT,           -- joined by char(31)
  heading_path TEXT AS (coalesce(own_heading_path, {usual_heading_path("kind", "qualified_name")})),
  own_symbol_names TEXT,           -- joined by space
  symbol_names TEXT AS (coalesce(own_symbol_names, qualified_name)),
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  packed_text BLOB NOT NULL,
  text TEXT AS (unpacked(packed_text)),
  token_count INTEGER NOT NULL,
  summary TEXT NOT NULL,
  tags TEXT NOT NULL,              -- joined by space
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL,
  superseded_by INTEGER
);
-- (document_id, kind, qualified_name, ordinal) is unique; an index of it would be four times as large, and whoever
-- looks for a paragraph by its name knows the document
CREATE INDEX paragraph_document ON paragraph (document_id, paragraph_index);
CREATE INDEX paragraph_stale ON paragraph (stale_since) WHERE is_stale;

CREATE TABLE proposition (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  packed_statement BLOB NOT NULL,  -- mentions and text, of which the former are words
  text TEXT AS (second_of(packed_statement)),
  {_coded("proposition_type_code")},
  confidence REAL NOT NULL,
  {_coded("proposition_source_code")},
  mentions TEXT AS (first_of(packed_statement)),  -- joined by space
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL,
  superseded_by INTEGER
);
-- finds the same fact in other files; the beginning tells nearly all hashes apart, and they are compared whole.
-- (document_id, hash) is unique
CREATE INDEX proposition_hash ON proposition (substr(hash, 1, 6));
CREATE INDEX proposition_document ON proposition (document_id);
CREATE INDEX proposition_stale ON proposition (stale_since) WHERE is_stale;

-- each place where a proposition stands; a stale proposition keeps its last places
CREATE TABLE occurrence (
  proposition_id INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  paragraph_id INTEGER NOT NULL,
  symbol_id INTEGER,               -- the symbol it is about; NULL for the document itself
  PRIMARY KEY (proposition_id, start_line, end_line, paragraph_id)
) WITHOUT ROWID;
CREATE INDEX occurrence_symbol ON occurrence (symbol_id) WHERE symbol_id IS NOT NULL;
CREATE INDEX occurrence_paragraph ON occurrence (paragraph_id);

-- names by which a proposition mentions symbols: the last identifier, for look-up from a symbol
CREATE TABLE mention (
  name TEXT NOT NULL,
  proposition_id INTEGER NOT NULL,
  PRIMARY KEY (name, proposition_id)
) WITHOUT ROWID;

CREATE TABLE definition (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  paragraph_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  qualified_name TEXT NOT NULL,
  {_coded("symbol_kind_code")},
  ordinal INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  name_line INTEGER NOT NULL,
  name_column INTEGER NOT NULL,
  name_end_column INTEGER NOT NULL,
  signature TEXT NOT NULL,
  type_name TEXT NOT NULL
);
-- (document_id, qualified_name, kind, ordinal) is unique
CREATE INDEX definition_document ON definition (document_id, start_line);
CREATE INDEX definition_name ON definition (name);

-- what queries read: definitions with their fully qualified names, which would double the table if they were stored
CREATE VIEW symbol AS SELECT s.*, (SELECT {FQN} FROM document d WHERE d.id = s.document_id) AS fqn FROM definition s;

-- status: 0 not yet looked at, 1 resolved (target_id set), 2 ambiguous, 3 outside the workspace or unknown.
-- The largest table by rows: clustered by document, so that it needs no index for reading one
CREATE TABLE reference (
  document_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  {_coded("reference_kind_code")},
  name TEXT NOT NULL,
  last_name TEXT AS (substr(name, length(rtrim(name, replace(name, '.', ''))) + 1)),
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  end_column INTEGER NOT NULL,
  scope_id INTEGER,
  local_type TEXT NOT NULL DEFAULT '',  -- how a function binds the first name; see model.layers.Reference
  status INTEGER NOT NULL DEFAULT 0,
  target_id INTEGER,
  confidence_percent INTEGER NOT NULL DEFAULT 0,
  confidence REAL AS (confidence_percent / 100.0),
  PRIMARY KEY (document_id, id)
) WITHOUT ROWID;
CREATE INDEX reference_target ON reference (target_id) WHERE target_id IS NOT NULL;
-- names in prose are linked again when a definition of the name comes
CREATE INDEX reference_mention ON reference (last_name) WHERE kind = 'mention';

-- what linking knows: the names that a document offers to others (compressed; as its dependents were linked
-- against them), and whether the document waits for being linked again because a source of its own changed
CREATE TABLE linkage (
  document_id INTEGER PRIMARY KEY,
  interface BLOB,
  symbols_seen INTEGER,            -- the highest symbol id when it was linked; NULL when it was not yet
  is_pending INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX linkage_pending ON linkage (document_id) WHERE is_pending = 1;

-- the documents whose names were consulted when a document was linked; a name consulted in vain is kept too
CREATE TABLE linkage_source (
  document_id INTEGER NOT NULL,
  source_id INTEGER NOT NULL,
  PRIMARY KEY (document_id, source_id)
) WITHOUT ROWID;
CREATE INDEX linkage_source_source ON linkage_source (source_id);

-- the dotted names of modules that were looked for: a new file whose path ends so may be a better answer, or the
-- first one, and links those documents again
CREATE TABLE linkage_missing (
  name TEXT NOT NULL,
  document_id INTEGER NOT NULL,
  PRIMARY KEY (name, document_id)
) WITHOUT ROWID;
CREATE INDEX linkage_missing_document ON linkage_missing (document_id);

CREATE TABLE import (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  local TEXT NOT NULL,
  module TEXT NOT NULL,
  level INTEGER NOT NULL,
  name TEXT NOT NULL,
  line INTEGER NOT NULL,
  scope TEXT NOT NULL
);
CREATE INDEX import_document ON import (document_id);

CREATE TABLE chunk (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  chunk_index INTEGER NOT NULL,
  first_paragraph INTEGER NOT NULL,  -- paragraph_index, inclusive
  last_paragraph INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  UNIQUE (document_id, chunk_index)
);

-- document_id 0 for packages, whose key is the folder's path
CREATE TABLE summary (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  granularity TEXT NOT NULL,
  key TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  packed_body BLOB NOT NULL,       -- a JSON array of the next six, which repeat much of each other
  summary_text TEXT AS (unpacked(packed_body) ->> 0),
  purpose TEXT AS (unpacked(packed_body) ->> 1),
  key_symbols TEXT AS (unpacked(packed_body) -> 2),             -- the lists are JSON arrays of strings
  responsibilities TEXT AS (unpacked(packed_body) -> 3),
  constraints_mentioned TEXT AS (unpacked(packed_body) -> 4),
  important_interactions TEXT AS (unpacked(packed_body) -> 5),
  UNIQUE (document_id, granularity, key)
);

-- stamp: of a file without a document, 'size:mtime:ctime:inode', so that a scan need not look at it again
CREATE TABLE problem (
  path TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  line INTEGER NOT NULL,
  stamp TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (path, code, line)
) WITHOUT ROWID;
"""

#: FTS table -> its indexed columns. ``parts`` holds the parts of camelCase identifiers, which unicode61 keeps whole.
FTS_COLUMNS = {
    "paragraph_fts": ("text", "parts", "symbols", "heading", "summary", "tags", "module"),
    "proposition_fts": ("text", "parts", "symbols", "heading", "tags", "module"),
    "summary_fts": ("text", "parts", "symbols", "module"),
    "chunk_fts": ("text", "parts", "symbols", "module"),
}

#: Tables whose stale rows are searched only on request.
STALE_TWINS = {"paragraph_fts": "paragraph_fts_stale", "proposition_fts": "proposition_fts_stale"}

#: Values of ``reference.status``.
UNLINKED, RESOLVED, AMBIGUOUS, EXTERNAL = 0, 1, 2, 3


def fts_statements() -> list[str]:
    """The statements that create every FTS table and every stale twin."""
    tables = dict(FTS_COLUMNS)
    tables.update({twin: FTS_COLUMNS[table] for table, twin in STALE_TWINS.items()})
    return [
        f"CREATE VIRTUAL TABLE {table} USING fts5({', '.join(columns)}, content='', contentless_delete=1,"
        " tokenize='porter unicode61')"
        for table, columns in tables.items()
    ]


def create_statements() -> str:
    """All statements of a new index, apart from what ``meta`` is filled with."""
    return TABLES + ";\n".join(fts_statements()) + ";"
