"""From scored rows to hits: contents and places are read for the rows of one page only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from granum.model.layers import Freshness, Granularity, Layer
from granum.model.retrieval import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.reader import Snapshot
    from granum.retrieve.score import Scored

#: Each statement: id, content, start line, end line, symbol, content hash, commit, confidence,
#: granularity.
_PARAGRAPHS = """
SELECT g.id, g.text, g.start_line, g.end_line,
  coalesce((SELECT s.fqn FROM symbol s WHERE s.document_id = g.document_id AND s.qualified_name = g.qualified_name
    AND s.kind <> 'section' ORDER BY s.paragraph_id <> g.id, s.start_line LIMIT 1), ''),
  v.content_sha256, v.commit_sha, NULL, NULL
FROM json_each(?) j JOIN paragraph g ON g.id = j.value JOIN document d ON d.id = g.document_id
JOIN document_version v ON v.id = g.version_id
"""
_PROPOSITIONS = """
SELECT p.id, p.text, o.start_line, o.end_line, coalesce(s.fqn, ''),
  v.content_sha256, v.commit_sha, p.confidence, NULL
FROM json_each(?) j JOIN proposition p ON p.id = j.value JOIN document d ON d.id = p.document_id
JOIN document_version v ON v.id = p.version_id
LEFT JOIN occurrence o ON o.proposition_id = p.id LEFT JOIN symbol s ON s.id = o.symbol_id
ORDER BY p.id, o.start_line DESC, o.end_line DESC
"""
_SUMMARIES = """
SELECT y.id, y.summary_text, y.start_line, y.end_line,
  CASE WHEN d.language IS NULL THEN ''
    ELSE coalesce((SELECT s.fqn FROM symbol s WHERE s.document_id = y.document_id AND s.qualified_name = y.key
      AND s.kind = 'class' LIMIT 1), CASE WHEN y.granularity = 'module' THEN d.module ELSE '' END) END,
  d.content_sha256, v.commit_sha, NULL, y.granularity, y.key
FROM json_each(?) j JOIN summary y ON y.id = j.value LEFT JOIN document d ON d.id = y.document_id
LEFT JOIN document_version v ON v.id = d.version_id
"""
_CHUNKS = """
SELECT c.id,
  (SELECT group_concat(text, char(10) || char(10)) FROM (SELECT g.text FROM paragraph g
    WHERE g.document_id = c.document_id AND NOT g.is_stale
      AND g.paragraph_index BETWEEN c.first_paragraph AND c.last_paragraph ORDER BY g.paragraph_index)),
  c.start_line, c.end_line, '', d.content_sha256, v.commit_sha, NULL, NULL
FROM json_each(?) j JOIN chunk c ON c.id = j.value JOIN document d ON d.id = c.document_id
JOIN document_version v ON v.id = d.version_id
"""
_STATEMENTS = {
    Layer.PARAGRAPH: _PARAGRAPHS,
    Layer.PROPOSITION: _PROPOSITIONS,
    Layer.SUMMARY: _SUMMARIES,
    Layer.CHUNK: _CHUNKS,
}


def hits(snapshot: Snapshot, page: Sequence[Scored]) -> tuple[Hit, ...]:
    """The hits of a page, in its order."""
    rows = {layer: _rows(snapshot, layer, page) for layer in {scored.candidate.layer for scored in page}}
    return tuple(
        _hit(scored, row)
        for scored in page
        if (row := rows[scored.candidate.layer].get(scored.candidate.id)) is not None
    )


def _rows(snapshot: Snapshot, layer: Layer, page: Sequence[Scored]) -> dict[int, tuple[Any, ...]]:
    ids = [scored.candidate.id for scored in page if scored.candidate.layer is layer]
    return {row[0]: row for row in snapshot.rows(_STATEMENTS[layer], (json.dumps(ids),))}


def _hit(scored: Scored, row: tuple[Any, ...]) -> Hit:
    candidate = scored.candidate
    _, content, start, end, symbol, content_hash, commit, confidence, granularity = row[:9]
    return Hit(
        id=candidate.id,
        layer=candidate.layer,
        content=content or "",
        score=scored.score,
        score_breakdown=scored.breakdown,
        path=candidate.path,
        start_line=start or 0,
        end_line=end or 0,
        symbol=symbol,
        content_sha256=content_hash.hex() if content_hash else "",
        commit=commit or "",
        freshness=Freshness.STALE if candidate.is_stale else Freshness.UNKNOWN,
        type=candidate.type,
        confidence=confidence,
        granularity=Granularity(granularity) if granularity else None,
        is_stale=candidate.is_stale,
    )
