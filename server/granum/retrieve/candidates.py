"""The rows of each layer that match, with every filter inside the statement before its LIMIT."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pathspec

from granum.index.schema import FTS_COLUMNS, STALE_TWINS
from granum.model.answers import BranchScope
from granum.model.errors import InvalidRequestError
from granum.model.layers import Layer, PropositionType, SourceType
from granum.retrieve.score import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from granum.index.reader import Snapshot
    from granum.model.retrieval import SearchRequest

#: How much a term's match in each column of the FTS tables counts. A name or heading says what the row is about, so
#: it outweighs a word in passing; ``parts`` repeat identifiers of the text, so they count less than the text itself;
#: the module names a whole file, which only breaks ties.
COLUMN_WEIGHTS = {
    "text": 1.0,
    "parts": 0.6,
    "symbols": 3.0,
    "heading": 2.0,
    "summary": 1.5,
    "tags": 1.0,
    "module": 0.8,
}

_TYPES = {kind.value: kind for kind in PropositionType}
_SOURCES = {kind.value: kind for kind in SourceType}


#: What is searched of a chunk is what is searched of its paragraphs, without what only tells of a single one.
_CHUNK_COLUMNS = ("text", "parts", "symbols", "module")


class _Source(NamedTuple):
    """A layer's tables: the FTS table, the base table, and the expression of its first line."""

    fts: str
    base: str
    first_line: str = "b.start_line"


_LAYERS = {
    Layer.PARAGRAPH: _Source("paragraph_fts", "paragraph"),
    Layer.PROPOSITION: _Source(
        "proposition_fts", "proposition", "(SELECT min(start_line) FROM occurrence o WHERE o.proposition_id = b.id)"
    ),
    Layer.SUMMARY: _Source("summary_fts", "summary"),
    Layer.CHUNK: _Source("paragraph_fts", "chunk"),
}


class Found(NamedTuple):
    """The best rows of one layer, and how many rows matched in all."""

    candidates: list[Candidate]
    total: int


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What a row must fulfil. ``documents`` and ``packages`` are None where every file is wanted."""

    types: tuple[PropositionType, ...] | None
    granularity: str | None
    only_stale: bool
    include_stale: bool
    documents: tuple[int, ...] | None = None
    packages: tuple[str, ...] | None = None


def filters_of(snapshot: Snapshot, request: SearchRequest) -> Filters:
    """The request's filters, its paths and branch scope as document ids.

    Raises:
        InvalidRequestError: The path pattern is malformed.
    """
    historical = request.branch_scope is BranchScope.HISTORICAL
    filters = Filters(
        types=request.proposition_types,
        granularity=request.granularity,
        only_stale=historical,
        include_stale=request.include_stale or historical,
    )
    scope = None if historical else request.branch_scope
    if not request.path_glob and scope is None:
        return filters
    matches = _pattern(request.path_glob)
    scope_of = snapshot.view.scope_of

    def is_wanted(path: str) -> bool:
        return (matches is None or matches.match_file(path)) and (scope is None or scope_of(path) is scope)

    documents = tuple(i for i, path in snapshot.rows("SELECT id, path FROM document") if is_wanted(path))
    keys = snapshot.rows("SELECT key FROM summary WHERE document_id = 0")
    packages = tuple(key for (key,) in keys if is_wanted(key) or is_wanted(f"{key}/"))
    return msgspec.structs.replace(filters, documents=documents, packages=packages)


def _pattern(glob: str) -> pathspec.GitIgnoreSpec | None:
    if not glob:
        return None
    try:
        return pathspec.GitIgnoreSpec.from_lines([glob])
    except ValueError as error:
        raise InvalidRequestError(f"'{glob}' is not a path pattern: {error}", field="pathGlob") from error


def find(snapshot: Snapshot, layer: Layer, match: str, filters: Filters, limit: int) -> Found:
    """The layer's rows that match, best first, at most ``limit`` of each table."""
    source = _LAYERS[layer]
    tables = [] if filters.only_stale else [source.fts]
    if filters.include_stale and source.fts in STALE_TWINS and layer is not Layer.CHUNK:
        tables.append(STALE_TWINS[source.fts])
    candidates: list[Candidate] = []
    total = 0
    for table in tables:
        condition, params = conditions(layer, filters)
        is_chunk = layer is Layer.CHUNK
        statement = _chunk_statement(condition) if is_chunk else _statement(source, layer, table, condition)
        rows = snapshot.rows(statement, (match, *params, limit))
        candidates += _candidates(layer, rows)
        total += rows[0][-1] if rows else 0
    return Found(candidates, total)


def _chunk_statement(conditions: str) -> str:
    """A chunk scores what its paragraphs score together."""
    weights = ", ".join(
        str(COLUMN_WEIGHTS[column] if column in _CHUNK_COLUMNS else 0.0) for column in FTS_COLUMNS["paragraph_fts"]
    )
    join = "JOIN paragraph_row f ON f.id = paragraph_fts.rowid" if conditions else ""
    return f"""
SELECT b.id, c.score, NULL, d.source_type, 0, d.path, b.start_line, c.total
FROM (
  SELECT id, sum(score) AS score, count(*) OVER () AS total
  FROM (
    SELECT (SELECT k.id FROM chunk k WHERE k.document_id = g.document_id AND k.first_paragraph <= g.paragraph_index
      ORDER BY k.first_paragraph DESC LIMIT 1) AS id, p.score
    FROM (SELECT paragraph_fts.rowid AS id, bm25(paragraph_fts, {weights}) AS score FROM paragraph_fts {join}
      WHERE paragraph_fts MATCH '{{{" ".join(_CHUNK_COLUMNS)}}} : (' || ? || ')'{conditions} LIMIT -1) p
    JOIN paragraph_row g ON g.id = p.id
  )
  GROUP BY id ORDER BY score, id LIMIT ?
) c
JOIN chunk b ON b.id = c.id JOIN document d ON d.id = b.document_id
ORDER BY c.score, b.id
"""


def _statement(source: _Source, layer: Layer, table: str, conditions: str) -> str:
    weights = ", ".join(str(COLUMN_WEIGHTS[column]) for column in FTS_COLUMNS[source.fts])
    kind = "b.type" if layer is Layer.PROPOSITION else "NULL"
    stale = "b.is_stale" if source.fts in STALE_TWINS else "0"
    path = "coalesce(d.path, b.key)" if layer is Layer.SUMMARY else "d.path"
    join = f"JOIN {source.base} f ON f.id = {table}.rowid" if conditions else ""
    # the inner statement ranks by the FTS table alone; what only the best rows need is joined to them afterwards
    return f"""
SELECT b.id, c.score, {kind}, coalesce(d.source_type, 'code_file'), {stale}, {path}, {source.first_line}, c.total
FROM (
  SELECT id, score, count(*) OVER () AS total
  FROM (SELECT {table}.rowid AS id, bm25({table}, {weights}) AS score FROM {table} {join}
    WHERE {table} MATCH ?{conditions} LIMIT -1)
  ORDER BY score, id LIMIT ?
) c
JOIN {source.base} b ON b.id = c.id LEFT JOIN document d ON d.id = b.document_id
ORDER BY c.score, b.id
"""


def conditions(layer: Layer, filters: Filters) -> tuple[str, tuple[str, ...]]:
    """What a row of the layer's base table, f, must fulfil, as SQL that begins with AND, and its parameters."""
    wanted: list[str] = []
    params: list[str] = []
    if layer is Layer.PROPOSITION and filters.types is not None:
        wanted.append("f.type IN (SELECT value FROM json_each(?))")
        params.append(json.dumps(filters.types))
    if layer is Layer.SUMMARY and filters.granularity is not None:
        wanted.append("f.granularity = ?")
        params.append(filters.granularity)
    if filters.documents is not None:
        among = "f.document_id IN (SELECT value FROM json_each(?))"
        params.append(json.dumps(filters.documents))
        if layer is Layer.SUMMARY:
            among = f"({among} OR f.document_id = 0 AND f.key IN (SELECT value FROM json_each(?)))"
            params.append(json.dumps(filters.packages))
        wanted.append(among)
    return "".join(f" AND {condition}" for condition in wanted), tuple(params)


def _candidates(layer: Layer, rows: Iterable[tuple[Any, ...]]) -> list[Candidate]:
    return [
        Candidate(
            id=row_id,
            layer=layer,
            bm25=score,
            type=_TYPES[kind] if kind else None,
            source_type=_SOURCES[source_type],
            is_stale=bool(is_stale),
            path=path,
            line=line or 0,
        )
        for row_id, score, kind, source_type, is_stale, path, line, _ in rows
    ]
