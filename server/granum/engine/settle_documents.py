"""Whole documents and search results, brought in line with what the documents are now; see ``settle``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from granum.model.answers import ChunkView, Fact, Layers, ParagraphView, SummaryView, SymbolInfo
from granum.model.layers import Freshness, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from granum.engine.edition import Edition
    from granum.engine.present import Survey
    from granum.model.retrieval import Hit, SearchResult

replace = msgspec.structs.replace

_LAST_LINE = 2**62

_Row = ParagraphView | SummaryView | ChunkView
_Rows = dict[tuple[Layer, int], _Row]
R = TypeVar("R", ParagraphView, Fact, ChunkView, SummaryView, SymbolInfo)


def layers(path: str, survey: Survey, *, start_line: int | None, end_line: int | None, include_text: bool) -> Layers:
    """The rows of a document that touch the lines as it is now."""
    freshness, edition = survey.at(path)
    snapshot = survey.snapshot
    if edition is None:
        found = snapshot.layers(path, start_line, end_line, include_text=include_text)
        return _as_they_are(found, freshness)
    # the index's lines are others than those that the caller means, and texts tell paragraphs apart
    found = _edited(snapshot.layers(path, include_text=True), edition)
    return _touching(found, start_line or 1, _LAST_LINE if end_line is None else end_line, include_text=include_text)


def _as_they_are(found: Layers, freshness: Freshness) -> Layers:
    def all_of(rows: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(row if getattr(row, "is_stale", False) else replace(row, freshness=freshness) for row in rows)

    return replace(
        found,
        document=None if found.document is None else replace(found.document, freshness=freshness),
        paragraphs=all_of(found.paragraphs),
        propositions=all_of(found.propositions),
        chunks=all_of(found.chunks),
        summaries=all_of(found.summaries),
        symbols=all_of(found.symbols),
        freshness=freshness,
    )


def _edited(found: Layers, edition: Edition) -> Layers:
    """The document's row speaks of another content, and so does the answer as a whole."""
    paragraphs = [row if row.is_stale else edition.paragraph(row) for row in found.paragraphs]
    propositions = edition.facts(found.propositions)
    stale = Freshness.STALE
    return replace(
        found,
        document=None if found.document is None else replace(found.document, freshness=stale),
        paragraphs=tuple(paragraphs),
        propositions=(*propositions, *edition.added(propositions)),
        chunks=tuple(_chunk(row, found.paragraphs, paragraphs) for row in found.chunks),
        summaries=tuple(map(edition.summary, found.summaries)),
        symbols=edition.symbols,
        problems=edition.problems(),
        freshness=stale,
    )


def _chunk(row: ChunkView, before: Sequence[ParagraphView], after: Sequence[ParagraphView]) -> ChunkView:
    """A chunk is where it was if all its paragraphs moved by as many lines, so that nothing came between them."""
    moves = {
        new.start_line - old.start_line if new.freshness is Freshness.FRESH else None
        for old, new in zip(before, after, strict=True)
        if not old.is_stale and old.start_line >= row.start_line and old.end_line <= row.end_line
    }
    move = moves.pop() if len(moves) == 1 else None
    if move is None:
        return replace(row, freshness=Freshness.STALE)
    return replace(row, start_line=row.start_line + move, end_line=row.end_line + move, freshness=Freshness.FRESH)


def _touching(found: Layers, first: int, last: int, *, include_text: bool) -> Layers:
    def those(rows: Iterable[R]) -> tuple[R, ...]:
        touching = (row for row in rows if row.start_line <= last and row.end_line >= first)
        return tuple(sorted(touching, key=lambda row: (row.start_line, -row.end_line)))

    paragraphs = those(found.paragraphs)
    return replace(
        found,
        paragraphs=paragraphs if include_text else tuple(replace(row, text="") for row in paragraphs),
        propositions=those(found.propositions),
        chunks=those(found.chunks),
        summaries=those(found.summaries),
        symbols=those(found.symbols),
    )


def result(found: SearchResult, survey: Survey) -> SearchResult:
    """Hits where they stand now, in their order."""
    sights = survey.of(hit.path for hit in found.hits if not hit.is_stale)
    rows: dict[str, _Rows] = {}
    hits = []
    for hit in found.hits:
        if hit.is_stale:
            hits.append(hit)
            continue
        freshness, edition = sights[hit.path]
        if edition is None:
            hits.append(replace(hit, freshness=freshness))
        elif hit.layer is Layer.PROPOSITION:
            hits.append(_statement(hit, edition))
        else:
            if hit.path not in rows:
                rows[hit.path] = _rows(_edited(survey.snapshot.layers(hit.path, include_text=True), edition))
            hits.append(_placed(hit, rows[hit.path].get((hit.layer, hit.id))))
    worst = Freshness.worst(hit.freshness for hit in hits) if hits else Freshness.FRESH
    return replace(found, hits=tuple(hits), freshness=worst)


def _statement(hit: Hit, edition: Edition) -> Hit:
    found = edition.statement(hit.content, hit.symbol)
    if found is None:
        return replace(hit, freshness=Freshness.STALE)
    place, symbol = found
    return replace(hit, symbol=symbol, start_line=place.start_line, end_line=place.end_line, freshness=Freshness.FRESH)


def _rows(found: Layers) -> _Rows:
    rows: _Rows = {(Layer.PARAGRAPH, row.id): row for row in found.paragraphs}
    rows |= {(Layer.SUMMARY, row.id): row for row in found.summaries}
    rows |= {(Layer.CHUNK, row.id): row for row in found.chunks}
    return rows


def _placed(hit: Hit, row: _Row | None) -> Hit:
    if row is None:
        return replace(hit, freshness=Freshness.STALE)
    return replace(hit, start_line=row.start_line, end_line=row.end_line, freshness=row.freshness)
