"""The tables of index.db.

Everything here is derived from the workspace and may be deleted at any time. Text is stored once: the texts of a
document's paragraphs, facts and summaries in ``text_block``; chunks are spans over paragraphs. All FTS tables are
contentless with delete support, so that removing a row needs no copy of its old text; stale rows are moved to the
``_stale`` twins and so cannot skew BM25.

A contentless table must keep full detail: with ``detail=column`` or ``none`` SQLite would re-read the text to count
instances, finds none, and BM25 is 0 for every row. So quoted phrases and column filters work in all of them.

The file must stay within a few times the size of the source, so bytes are spent on what nothing else tells:

- Texts are compressed, many together (``packing``).
- Names that come again and again are written once (``name``).
- What follows from other columns is computed: kinds from small integers, last names from names, headings and fully
  qualified names from qualified names. An ``own_`` column holds the exceptions.
- An index stands only where no other way is short. What one document holds is found by its id alone, which is why
  keys within a document are kept unique by the writer (``document_rows``) and by no index.

Queries read views, which have the computed columns: ``paragraph`` over ``paragraph_row``, and so on; ``symbol`` over
``definition``. They are no generated columns, which SQLite works out for every row that is written.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from granum.model.layers import Granularity, ParagraphKind, PropositionType, ReferenceKind, SourceKind, SymbolKind

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
    "granularity_code": Granularity,
}
#: ``proposition.confidence`` is stored in these parts of one.
CONFIDENCE_PARTS = 10_000

#: The layers of ``text_block``.
PARAGRAPHS, PROPOSITIONS, SUMMARIES = LAYERS = range(3)
#: How many bits of a block's id tell its layer and its first row.
_LAYER_BITS, _FIRST_BITS = 2, 24

#: The fully qualified name of a symbol s in its document d: joined by a dot, in prose by ``#`` to the
#: path.
FQN = """
CASE s.qualified_name WHEN '' THEN d.module
  ELSE ltrim(d.module || CASE d.module WHEN d.path THEN '#' ELSE '.' END || s.qualified_name, '.') END
""".strip()

#: Joins the items of ``paragraph.heading_path``; it stands in no heading.
UNIT_SEPARATOR = "\x1f"


def code_of(value: StrEnum) -> int:
    """What a coded column holds for the value."""
    return codes(value.__class__)[value]


@cache
def codes(values: type[StrEnum]) -> dict[StrEnum, int]:
    """What coded columns hold, by value."""
    return {value: code for code, value in enumerate(values)}


#: The code of a paragraph of prose.
SECTION_CODE = code_of(ParagraphKind.SECTION)


def block_id(document_id: int, layer: int, first: int = 0) -> int:
    """The id of the block of a document's texts that begins with this row of the layer."""
    return document_id << _LAYER_BITS + _FIRST_BITS | layer << _FIRST_BITS | first


def layer_and_first(row_id: int) -> tuple[int, int]:
    """The layer and first row of the block with this id."""
    return row_id >> _FIRST_BITS & (1 << _LAYER_BITS) - 1, row_id & (1 << _FIRST_BITS) - 1


def _value(column: str) -> str:
    """The select list of a coded column's value, named by the column without its table and its ending."""
    cases = " ".join(f"WHEN {code} THEN '{value}'" for code, value in enumerate(CODED[column]))
    return f"CASE {column} {cases} END AS {column.removesuffix('_code').rpartition('_')[2]}"


def _last(name: str) -> str:
    """The expression of the last part of a dotted name."""
    return f"substr({name}, length(rtrim({name}, replace({name}, '.', ''))) + 1)"


def _field(layer: int, index: str, field: int) -> str:
    """The expression of a field of the row with this index, from its own block or the document's."""
    shift = _LAYER_BITS + _FIRST_BITS
    key = f"(document_id << {shift}) + {layer << _FIRST_BITS} + {index}"
    block = f"(SELECT b.packed FROM text_block b WHERE b.id <= {key} ORDER BY b.id DESC LIMIT 1)"
    return f"packed_field(coalesce(own_text, {block}), {index}, {field})"


_SYMBOL_NAME = f"coalesce(own_name, {_last('qualified_name')})"

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- every name that references, mentions and imports spell, once; 0 stands for none. Names stay when nothing spells
-- them any more: a workspace's vocabulary grows slowly
CREATE TABLE name (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

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

-- the texts of a document's live rows, layer by layer, each in the order of the rows' index: id is ``block_id``
CREATE TABLE text_block (id INTEGER PRIMARY KEY, packed BLOB NOT NULL);

CREATE TABLE paragraph_row (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  paragraph_kind_code INTEGER NOT NULL,
  qualified_name TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  paragraph_index INTEGER NOT NULL,
  own_section_heading TEXT,        -- NULL where it follows from the qualified name, as most do
  own_heading_path TEXT,           -- joined by char(31); NULL likewise
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  own_text BLOB,                   -- of a stale paragraph: a block of its own
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL,
  superseded_by INTEGER
);
-- (document_id, kind, qualified_name, ordinal) is unique; an index of it would be four times as large, and whoever
-- looks for a paragraph by its name knows the document
CREATE INDEX paragraph_document ON paragraph_row (document_id, paragraph_index);
CREATE INDEX paragraph_stale ON paragraph_row (stale_since) WHERE is_stale;

CREATE VIEW paragraph AS SELECT *,
  coalesce(own_section_heading, {_last("heading_path").replace("'.'", "char(31)")}) AS section_heading
FROM (SELECT *, coalesce(own_heading_path,
    replace(qualified_name, CASE kind WHEN '{ParagraphKind.SECTION}' THEN ' > ' ELSE '.' END, char(31)))
    AS heading_path
  FROM (SELECT *, {_value("paragraph_kind_code")},
      {_field(PARAGRAPHS, "paragraph_index", 0)} AS text,
      {_field(PARAGRAPHS, "paragraph_index", 1)} AS summary,
      coalesce({_field(PARAGRAPHS, "paragraph_index", 2)}, qualified_name) AS symbol_names, -- joined by space
      {_field(PARAGRAPHS, "paragraph_index", 3)} AS tags                                    -- joined by space
    FROM paragraph_row));

CREATE TABLE proposition_row (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  version_id INTEGER NOT NULL,
  proposition_index INTEGER NOT NULL,
  fingerprint INTEGER NOT NULL,    -- the first eight bytes of the hash, which follows from the text
  proposition_type_code INTEGER NOT NULL,
  confidence_parts INTEGER NOT NULL,
  proposition_source_code INTEGER NOT NULL,
  own_text BLOB,                   -- of a stale proposition: a block of its own
  is_stale INTEGER NOT NULL DEFAULT 0,
  stale_since REAL,
  superseded_by INTEGER
);
-- finds the same fact in other files. (document_id, fingerprint) is unique
CREATE INDEX proposition_fingerprint ON proposition_row (fingerprint);
CREATE INDEX proposition_document ON proposition_row (document_id);
CREATE INDEX proposition_stale ON proposition_row (stale_since) WHERE is_stale;

CREATE VIEW proposition AS SELECT *, hash_of(text) AS hash
FROM (SELECT *, {_value("proposition_type_code")}, {_value("proposition_source_code")},
    confidence_parts / {CONFIDENCE_PARTS}.0 AS confidence,
    {_field(PROPOSITIONS, "proposition_index", 0)} AS text,
    {_field(PROPOSITIONS, "proposition_index", 1)} AS mentions                              -- joined by space
  FROM proposition_row);

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

-- names by which a proposition mentions symbols: the last identifier, for look-up from a symbol
CREATE TABLE mention_row (
  name_id INTEGER NOT NULL,
  proposition_id INTEGER NOT NULL,
  PRIMARY KEY (name_id, proposition_id)
) WITHOUT ROWID;

CREATE VIEW mention AS SELECT n.text AS name, m.proposition_id FROM mention_row m JOIN name n ON n.id = m.name_id;

CREATE TABLE definition (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  paragraph_id INTEGER NOT NULL,
  own_name TEXT,                   -- NULL where it is the last part of the qualified name
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
CREATE INDEX definition_name ON definition ({_SYMBOL_NAME});

-- definitions with their fully qualified names, which would double the table if they were stored
CREATE VIEW symbol AS SELECT s.*, {_SYMBOL_NAME} AS name, {_value("symbol_kind_code")},
  (SELECT {FQN} FROM document d WHERE d.id = s.document_id) AS fqn FROM definition s;

-- status: 0 not yet looked at, 1 resolved (target_id set), 2 ambiguous, 3 outside the workspace or unknown.
-- The largest table by rows: clustered by document, so that it needs no index for reading one
CREATE TABLE reference_row (
  document_id INTEGER NOT NULL,
  id INTEGER NOT NULL,             -- counted within the document
  reference_kind_code INTEGER NOT NULL,
  name_id INTEGER NOT NULL,
  type_id INTEGER NOT NULL,        -- how a function binds the first name, 0 where none does; see model.layers.Reference
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  own_length INTEGER,              -- NULL where it is that of the name's last part
  scope_id INTEGER,
  status INTEGER NOT NULL DEFAULT 0,
  target_id INTEGER,
  confidence_percent INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (document_id, id)
) WITHOUT ROWID;
CREATE INDEX reference_target ON reference_row (target_id) WHERE target_id IS NOT NULL;

CREATE VIEW reference AS SELECT *, column + coalesce(own_length, length(last_name)) AS end_column
FROM (SELECT *, {_last("name")} AS last_name
  FROM (SELECT *, {_value("reference_kind_code")}, confidence_percent / 100.0 AS confidence,
      (SELECT n.text FROM name n WHERE n.id = name_id) AS name,
      coalesce((SELECT n.text FROM name n WHERE n.id = type_id), '') AS local_type
    FROM reference_row));

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

-- what else links rest on: names that were looked for, so that a document that comes by one links those again. Either
-- the dotted name of a module, found or not, since a new file whose path ends so may be a better answer; or, with
-- is_mention, the last name of a definition that prose may mean
CREATE TABLE linkage_name (
  name_id INTEGER NOT NULL,
  is_mention INTEGER NOT NULL,
  document_id INTEGER NOT NULL,
  PRIMARY KEY (name_id, is_mention, document_id)
) WITHOUT ROWID;
CREATE INDEX linkage_name_document ON linkage_name (document_id);

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
  token_count INTEGER NOT NULL
);
CREATE INDEX chunk_document ON chunk (document_id, first_paragraph);

-- folders with documents that changed since their summary was made
CREATE TABLE unsummarised (folder TEXT PRIMARY KEY) WITHOUT ROWID;

-- document_id 0 for packages, whose key is the folder's path
CREATE TABLE summary_row (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  granularity_code INTEGER NOT NULL,
  key TEXT NOT NULL,
  summary_index INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  own_text BLOB                    -- of a package: a block of its own
);
-- (document_id, granularity, key) is unique
CREATE INDEX summary_document ON summary_row (document_id);
CREATE INDEX summary_package ON summary_row (key) WHERE document_id = 0;

-- the lists are JSON arrays of strings
CREATE VIEW summary AS SELECT *, body ->> 0 AS summary_text, body ->> 1 AS purpose, body -> 2 AS key_symbols,
  body -> 3 AS responsibilities, body -> 4 AS constraints_mentioned, body -> 5 AS important_interactions
FROM (SELECT *, {_value("granularity_code")}, {_field(SUMMARIES, "summary_index", 0)} AS body FROM summary_row);

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
