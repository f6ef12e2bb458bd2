"""Queries for documents, their layers and summaries, problems and counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from granum.index.rows import (
    CITED_COLUMNS,
    DOCUMENT_COLUMNS,
    FACT_COLUMNS,
    FACT_TABLES,
    PARAGRAPH_COLUMNS,
    SUMMARY_COLUMNS,
    chunk_view,
    cited_file,
    document_view,
    fact,
    paragraph_view,
    summary_view,
)
from granum.index.symbols import of_path
from granum.model.answers import LayerCounts, Layers, ProblemView
from granum.model.layers import Granularity, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Collection

    from granum.index.freshness import CitedFile
    from granum.index.reader import Snapshot
    from granum.model.answers import DocumentView, SummaryView, SymbolInfo

_SUMMARY = f"SELECT {SUMMARY_COLUMNS} FROM summary y LEFT JOIN document d ON d.id = y.document_id"
_LAST_LINE = 2**62
_CITED = f"SELECT {CITED_COLUMNS} FROM json_each(?) j JOIN document d ON d.path = j.value WHERE NOT d.is_stale"


def cited(snapshot: Snapshot, paths: Collection[str]) -> dict[str, CitedFile]:
    """What the files at these paths were when they were read."""
    found = map(cited_file, snapshot.rows(_CITED, (json.dumps(list(paths)),)))
    return {each.path: each for each in found}


def document(snapshot: Snapshot, path: str) -> DocumentView | None:
    """The indexed file at this path."""
    rows = snapshot.rows(
        f"SELECT {DOCUMENT_COLUMNS} FROM document d JOIN document_version v ON v.id = d.version_id"
        " WHERE d.path = ? AND NOT d.is_stale",
        (path,),
    )
    return document_view(rows[0], snapshot.view) if rows else None


def layers(
    snapshot: Snapshot,
    path: str,
    start_line: int | None,
    end_line: int | None,
    *,
    include_text: bool,
    include_stale: bool,
) -> Layers:
    """All rows of a document that touch the lines, in source order."""
    found = document(snapshot, path)
    if found is None and not include_stale:
        return Layers(path=path, document=None, problems=problems(snapshot, path))
    first, last = start_line or 1, _LAST_LINE if end_line is None else end_line
    lines = (path, last, first)
    view = snapshot.view
    live = "" if include_stale else "AND NOT {}.is_stale"
    text = ", g.text" if include_text else ""
    paragraphs = snapshot.rows(
        f"SELECT {PARAGRAPH_COLUMNS}{text} FROM document d JOIN paragraph g ON g.document_id = d.id"
        f" WHERE d.path = ? AND g.start_line <= ? AND g.end_line >= ? {live.format('g')}"
        " ORDER BY g.start_line, g.end_line DESC, g.id",
        lines,
    )
    propositions = snapshot.rows(
        f"SELECT {FACT_COLUMNS} FROM {FACT_TABLES}"
        f" WHERE d.path = ? AND o.start_line <= ? AND o.end_line >= ? {live.format('p')}"
        " ORDER BY o.start_line, o.end_line, p.id",
        lines,
    )
    chunks = snapshot.rows(
        "SELECT c.id, c.chunk_index, c.start_line, c.end_line, c.token_count FROM document d"
        " JOIN chunk c ON c.document_id = d.id WHERE d.path = ? AND c.start_line <= ? AND c.end_line >= ?"
        " ORDER BY c.chunk_index",
        lines,
    )
    summaries = snapshot.rows(
        f"{_SUMMARY} WHERE d.path = ? AND y.start_line <= ? AND y.end_line >= ?"
        " ORDER BY y.start_line, y.end_line DESC, y.id",
        lines,
    )
    return Layers(
        path=path,
        document=found,
        paragraphs=tuple(paragraph_view(row) for row in paragraphs),
        propositions=tuple(fact(row, view) for row in propositions),
        chunks=tuple(chunk_view(row, path) for row in chunks),
        summaries=tuple(summary_view(row) for row in summaries),
        symbols=tuple(s for s in of_path(snapshot, path) if s.start_line <= last and s.end_line >= first),
        problems=problems(snapshot, path),
    )


def summary(snapshot: Snapshot, path: str, granularity: Granularity, key: str) -> SummaryView | None:
    """The summary with this key; ``path`` is empty for a package."""
    of = "y.document_id = 0" if not path else "d.path = ?"
    params = (granularity, key) if not path else (granularity, key, path)
    rows = snapshot.rows(f"{_SUMMARY} WHERE y.granularity = ? AND y.key = ? AND {of}", params)
    return summary_view(rows[0]) if rows else None


def summary_of_document(snapshot: Snapshot, path: str) -> SummaryView | None:
    """The summary of a whole file."""
    whole = (Granularity.MODULE, Granularity.DOCUMENT)
    rows = snapshot.rows(f"{_SUMMARY} WHERE d.path = ? AND y.granularity IN (?, ?)", (path, *whole))
    return summary_view(rows[0]) if rows else None


def summary_of_symbol(snapshot: Snapshot, symbol: SymbolInfo) -> SummaryView | None:
    """The summary of a class, section or module; None for others."""
    if symbol.kind is SymbolKind.MODULE:
        return summary_of_document(snapshot, symbol.path)
    names = snapshot.rows("SELECT qualified_name FROM symbol WHERE id = ?", (symbol.id,))
    return summary(snapshot, symbol.path, Granularity.CHUNK, names[0][0]) if names else None


def counts(snapshot: Snapshot) -> LayerCounts:
    """Rows by layer; stale paragraphs and propositions apart."""
    one = snapshot.rows(
        "SELECT (SELECT count(*) FROM document WHERE NOT is_stale), (SELECT count(*) FROM paragraph),"
        " (SELECT count(*) FROM proposition), (SELECT count(*) FROM chunk), (SELECT count(*) FROM summary),"
        " (SELECT count(*) FROM symbol), (SELECT count(*) FROM reference),"
        " (SELECT count(*) FROM paragraph WHERE is_stale), (SELECT count(*) FROM proposition WHERE is_stale)"
    )[0]
    files, paragraphs, propositions, chunks, summaries, symbols, references, old_paragraphs, old_propositions = one
    return LayerCounts(
        files=files,
        paragraphs=paragraphs - old_paragraphs,
        propositions=propositions - old_propositions,
        chunks=chunks,
        summaries=summaries,
        symbols=symbols,
        references=references,
        stale=old_paragraphs + old_propositions,
    )


def problems(snapshot: Snapshot, path: str | None) -> tuple[ProblemView, ...]:
    """Of one file, or of all."""
    rows = snapshot.rows(
        "SELECT path, code, message, line FROM problem WHERE ?1 IS NULL OR path = ?1 ORDER BY path, line, code", (path,)
    )
    return tuple(ProblemView(path=p, code=code, message=message, line=line) for p, code, message, line in rows)
