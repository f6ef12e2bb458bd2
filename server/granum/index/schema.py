"""The tables of index.db.

Everything here is derived from the workspace and may be deleted at any time. Text is stored once, in
``paragraph``, ``proposition`` and ``summary``; chunks are spans over paragraphs. All FTS tables are contentless
with delete support, so that removing a row needs no copy of its old text; stale rows are moved to the ``_stale``
twins and so cannot skew BM25.

A contentless table must keep full detail: with ``detail=column`` or ``none`` SQLite would re-read the text to count
instances, finds none, and BM25 is 0 for every row. So quoted phrases and column filters work in all of them.

The file must stay within a few times the size of the source, so bytes are spent on what nothing else tells:

- Texts are compressed (``packing``); a proposition's mentions are words of its text and are packed with it.
- What follows from other columns is computed: kinds from small integers, last names from names, headings and fully
  qualified names from qualified names. An ``own_`` column holds the exceptions.
- An index stands only where no other way is short. What one document holds is found by its id alone, which is why
  keys within a document are kept unique by the writer (``code_rows``, ``knowledge_rows``) and by no index.

Queries read views, which have the computed columns: ``paragraph`` over ``paragraph_row``, and so on; ``symbol`` over
``definition``. They are no generated columns, which SQLite works out for every row that is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.layers import ParagraphKind, PropositionType, ReferenceKind, SourceKind, SymbolKind

if TYPE_CHECKING:
    from enum import StrEnum

SCHEMA_VERSION = 1

#: Columns that hold the place of a value in its enumeration.
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

#: The last part of a reference's dotted name.
LAST_NAME = "substr(name, length(rtrim(name, replace(name, '.', ''))) + 1)"
MENTION_CODE = list(ReferenceKind).index(ReferenceKind.MENTION)

#: Joins the items of ``paragraph.heading_path``; it stands in no heading.
UNIT_SEPARATOR = "\x1f"


def last_heading(path: str) -> str:
    """The expression of the last item of a heading path."""
    return f"substr({path}, length(rtrim({path}, replace({path}, char(31), ''))) + 1)"


def usual_heading_path(kind: str, name: str) -> str:
    """The expression of the heading path that follows from a paragraph's kind and qualified name."""
    return f"replace({name}, CASE {kind} WHEN '{ParagraphKind.SECTION}' THEN ' > ' ELSE '.' END, char(31))"


def value_of(column: str) -> str:
    """The expression of a coded column's value."""
    cases = " ".join(f"WHEN {code} THEN '{value}'" for code, value in enumerate(CODED[column]))
    return f"CASE {column} {cases} END"


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
CREATE INDEX document_stale ON document (stale_since) WHERE is_stale;
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

CREATE TABLE paragraph_row (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  paragraph_kind_code INTEGER NOT NULL,
  qualified_name TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  paragraph_index INTEGER NOT NULL,
  own_section_heading TEXT,        -- these three are NULL where they follow from the qualified name, as most do
  own_heading_path TEXT,           -- joined by char(31)
  own_symbol_names TEXT,           -- joined by space
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  packed_text BLOB NOT NULL,
  token_count INTEGER NOT NULL,
  summary TEXT NOT NULL,
  tags TEXT NOT NULL,              -- joined by space
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL,
  superseded_by INTEGER
);
-- (document_id, kind, qualified_name, ordinal) is unique; an index of it would be four times as large, and whoever
-- looks for a paragraph by its name knows the document
CREATE INDEX paragraph_document ON paragraph_row (document_id, paragraph_index);
CREATE INDEX paragraph_stale ON paragraph_row (stale_since) WHERE is_stale;

CREATE VIEW paragraph AS SELECT *, coalesce(own_section_heading, {last_heading("heading_path")}) AS section_heading
FROM (
  SELECT *, coalesce(own_heading_path, {usual_heading_path("kind", "qualified_name")}) AS heading_path
  FROM (
    SELECT *, {value_of("paragraph_kind_code")} AS kind, coalesce(own_symbol_names, qualified_name) AS symbol_names,
      unpacked(packed_text) AS text FROM paragraph_row
  )
);

CREATE TABLE proposition_row (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  packed_statement BLOB NOT NULL,  -- mentions, joined by space, and text, of which the former are words
  proposition_type_code INTEGER NOT NULL,
  confidence REAL NOT NULL,
  proposition_source_code INTEGER NOT NULL,
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL,
  superseded_by INTEGER
);
-- finds the same fact in other files; the beginning tells nearly all hashes apart, and they are compared whole.
-- (document_id, hash) is unique
CREATE INDEX proposition_hash ON proposition_row (substr(hash, 1, 6));
CREATE INDEX proposition_document ON proposition_row (document_id);
CREATE INDEX proposition_stale ON proposition_row (stale_since) WHERE is_stale;

CREATE VIEW proposition AS SELECT *, {value_of("proposition_type_code")} AS type,
  {value_of("proposition_source_code")} AS source, second_of(packed_statement) AS text,
  first_of(packed_statement) AS mentions FROM proposition_row;

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
  symbol_kind_code INTEGER NOT NULL,
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
CREATE VIEW symbol AS SELECT s.*, {value_of("symbol_kind_code")} AS kind,
  (SELECT {FQN} FROM document d WHERE d.id = s.document_id) AS fqn FROM definition s;

-- status: 0 not yet looked at, 1 resolved (target_id set), 2 ambiguous, 3 outside the workspace or unknown.
-- The largest table by rows: clustered by document, so that it needs no index for reading one
CREATE TABLE reference_row (
  document_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  reference_kind_code INTEGER NOT NULL,
  name TEXT NOT NULL,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  end_column INTEGER NOT NULL,
  scope_id INTEGER,
  local_type TEXT NOT NULL DEFAULT '',  -- how a function binds the first name; see model.layers.Reference
  status INTEGER NOT NULL DEFAULT 0,
  target_id INTEGER,
  confidence_percent INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (document_id, id)
) WITHOUT ROWID;
CREATE INDEX reference_target ON reference_row (target_id) WHERE target_id IS NOT NULL;
-- names in prose are linked again when a definition of the name comes
CREATE INDEX reference_mention ON reference_row ({LAST_NAME}) WHERE reference_kind_code = {MENTION_CODE};

CREATE VIEW reference AS SELECT *, {value_of("reference_kind_code")} AS kind, {LAST_NAME} AS last_name,
  confidence_percent / 100.0 AS confidence FROM reference_row;

-- what linking knows: the names that a document offers to others (compressed; as its dependents were linked
-- against them), and whether the document waits for being linked again because a source of its own changed
CREATE TABLE linkage (
  document_id INTEGER PRIMARY KEY,
  interface BLOB,
  symbols_seen INTEGER,            -- the highest symbol id when it was linked; NULL when it was not yet
  is_pending INTEGER NOT NULL DEFAULT 0
);
-- each linking asks for the lowest: without this it would read all of them
CREATE INDEX linkage_seen ON linkage (symbols_seen);
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

-- folders with documents that changed since their summary was made
CREATE TABLE unsummarised (folder TEXT PRIMARY KEY) WITHOUT ROWID;

-- document_id 0 for packages, whose key is the folder's path
CREATE TABLE summary_row (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  granularity TEXT NOT NULL,
  key TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  packed_body BLOB NOT NULL,       -- a JSON array of what the view takes out, which repeats much of itself
  UNIQUE (document_id, granularity, key)
);

-- the lists are JSON arrays of strings
CREATE VIEW summary AS SELECT *, body ->> 0 AS summary_text, body ->> 1 AS purpose, body -> 2 AS key_symbols,
  body -> 3 AS responsibilities, body -> 4 AS constraints_mentioned, body -> 5 AS important_interactions
FROM (SELECT *, unpacked(packed_body) AS body FROM summary_row);

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
