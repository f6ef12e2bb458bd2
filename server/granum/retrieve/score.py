"""The score profile ``classic``: a weighted sum of five terms, each between 0 and 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from granum.model.layers import Layer, PropositionType, SourceType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from granum.retrieve.router import Plan

FTS_RANK = "fts_rank_normalized"
LAYER_PREFERENCE = "layer_preference_bonus"
PROPOSITION_TYPE = "proposition_type_bonus"
SOURCE_QUALITY = "source_quality"
FRESHNESS = "freshness_bonus"

WEIGHTS = {FTS_RANK: 0.50, LAYER_PREFERENCE: 0.20, PROPOSITION_TYPE: 0.15, SOURCE_QUALITY: 0.10, FRESHNESS: 0.05}

#: By the layer's place among the preferred ones.
LAYER_BONUS = (1.0, 0.6, 0.3)
OTHER_LAYER_BONUS = 0.2

TYPE_MATCH, TYPE_NEUTRAL, TYPE_MISMATCH = 1.0, 0.5, 0.0

SOURCE_QUALITIES = {
    SourceType.ADR: 1.0,
    SourceType.ARCHITECTURE_DOC: 0.95,
    SourceType.API_SPEC: 0.90,
    SourceType.README: 0.85,
    SourceType.CODE_FILE: 0.80,
    SourceType.TEST_REPORT: 0.75,
    SourceType.MARKDOWN: 0.70,
    SourceType.CODE_COMMENT: 0.65,
    SourceType.GIT_DIFF: 0.60,
    SourceType.RUNTIME_LOG: 0.50,
}


class Candidate(NamedTuple):
    """A row that matched. ``bm25`` is FTS5's: the lower, the better."""

    id: int
    layer: Layer
    bm25: float
    type: PropositionType | None
    source_type: SourceType
    is_stale: bool
    path: str
    line: int


class Scored(NamedTuple):
    """A candidate with its score and the weighted terms that it is the sum of."""

    score: float
    breakdown: dict[str, float]
    candidate: Candidate


def classic(candidates: Sequence[Candidate], plan: Plan) -> list[Scored]:
    """Scores the candidates of all layers; best first, ties by layer, path, line and id."""
    ranks = normalised_ranks(candidates)
    scored = [_score(candidate, rank, plan) for candidate, rank in zip(candidates, ranks, strict=True)]
    return ordered(scored)


def ordered(scored: Iterable[Scored]) -> list[Scored]:
    """Best first, ties by layer, path, line and id."""
    places = {layer: place for place, layer in enumerate(Layer)}
    return sorted(
        scored,
        key=lambda s: (-s.score, places[s.candidate.layer], s.candidate.path, s.candidate.line, s.candidate.id),
    )


def _score(candidate: Candidate, rank: float, plan: Plan) -> Scored:
    breakdown = {
        FTS_RANK: WEIGHTS[FTS_RANK] * rank,
        LAYER_PREFERENCE: WEIGHTS[LAYER_PREFERENCE] * layer_bonus(candidate.layer, plan.layers),
        PROPOSITION_TYPE: WEIGHTS[PROPOSITION_TYPE] * type_bonus(candidate.type, plan),
        SOURCE_QUALITY: WEIGHTS[SOURCE_QUALITY] * SOURCE_QUALITIES[candidate.source_type],
        FRESHNESS: WEIGHTS[FRESHNESS] * (0.0 if candidate.is_stale else 1.0),
    }
    return Scored(sum(breakdown.values()), breakdown, candidate)


def normalised_ranks(candidates: Sequence[Candidate]) -> list[float]:
    """Within each layer the best becomes 1 and the worst 0; a single one, or all the same, 1."""
    bounds = {layer: _bounds(c.bm25 for c in candidates if c.layer == layer) for layer in {c.layer for c in candidates}}
    ranks = []
    for candidate in candidates:
        best, worst = bounds[candidate.layer]
        ranks.append(1.0 if best == worst else (worst - candidate.bm25) / (worst - best))
    return ranks


def _bounds(values: Iterable[float]) -> tuple[float, float]:
    known = list(values)
    return min(known), max(known)


def layer_bonus(layer: Layer, preferred: Sequence[Layer]) -> float:
    """Between 0 and 1 by the layer's place among the preferred ones."""
    place = preferred.index(layer) if layer in preferred else len(LAYER_BONUS)
    return LAYER_BONUS[place] if place < len(LAYER_BONUS) else OTHER_LAYER_BONUS


def type_bonus(kind: PropositionType | None, plan: Plan) -> float:
    """Whether the intent welcomes the type, between 0 and 1."""
    if kind is None or plan.welcome_types is None:
        return TYPE_NEUTRAL
    return TYPE_MATCH if kind in plan.welcome_types else TYPE_MISMATCH
