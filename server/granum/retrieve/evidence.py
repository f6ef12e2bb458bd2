"""The score profile ``default``: what the layers tell of a paragraph and its file, summed.

Paragraphs are ranked by evidence (``rank``). A row of another layer is worth its own match, and what the paragraph
or file is worth that it speaks of; so a telling sentence about the right function stands near it, and the same words
about something else do not. Within an intent the preferred layers and types come first among equals.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from granum.model.layers import Layer, SourceType
from granum.retrieve.candidates import Filters, conditions, find
from granum.retrieve.rank import Question, rank
from granum.retrieve.rank.postings import Restriction, quoted
from granum.retrieve.score import TYPE_NEUTRAL, Candidate, Scored, layer_bonus, normalised_ranks, ordered, type_bonus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from granum.index.reader import Snapshot
    from granum.retrieve.query import Query
    from granum.retrieve.rank import DocumentOf, Ranking
    from granum.retrieve.router import Plan

#: What a row of a layer beside the paragraphs is worth: its own match, and the paragraph or file that it is about.
OWN, ABOUT = 0.35, 0.5
#: The most that the intent's preferences add.
LAYER_PREFERENCE, TYPE_PREFERENCE = 0.05, 0.10
#: What the match of a row is worth whose text is gone.
STALE = 0.5
#: Words that the other layers are asked for: those that tell most of the paragraphs tell most of them too.
_WORDS = 16


def by_evidence(
    snapshot: Snapshot, query: Query, plan: Plan, filters: Filters, pool: int, documents: DocumentOf
) -> tuple[list[Scored], int]:
    """The rows of the plan's layers, best first, ties by layer, path, line and id; and how many match in all.

    Words that stand in a large part of all paragraphs are not counted where the query has others.
    """
    restriction = Restriction(*conditions(Layer.PARAGRAPH, filters))
    ranking = rank(snapshot, Question(query=query, intent=plan.intent, restriction=restriction), documents, pool)
    match = " OR ".join(quoted(word.text) for word in ranking.words[:_WORDS])
    candidates: list[Candidate] = []
    total = 0
    if Layer.PARAGRAPH in plan.layers:
        candidates += _paragraphs(snapshot, ranking)
        total += ranking.total
    only_stale = msgspec.structs.replace(filters, only_stale=True)
    for layer in plan.layers if match else ():
        if layer is not Layer.PARAGRAPH or filters.include_stale:
            found = find(snapshot, layer, match, only_stale if layer is Layer.PARAGRAPH else filters, pool)
            candidates += found.candidates
            total += found.total
    return _scored(snapshot, candidates, ranking, plan), total


def _paragraphs(snapshot: Snapshot, ranking: Ranking) -> list[Candidate]:
    rows = snapshot.rows(
        "SELECT g.id, d.source_type, d.path, g.start_line FROM json_each(?) j JOIN paragraph g ON g.id = j.value"
        " JOIN document d ON d.id = g.document_id",
        (json.dumps([unit.id for unit in ranking.units]),),
    )
    return [
        Candidate(row_id, Layer.PARAGRAPH, 0.0, None, SourceType(source), is_stale=False, path=path, line=line)
        for row_id, source, path, line in rows
    ]


def _scored(snapshot: Snapshot, candidates: Sequence[Candidate], ranking: Ranking, plan: Plan) -> list[Scored]:
    highest = max((unit.score for unit in ranking.units), default=0.0) or 1.0
    units = {unit.id: unit for unit in ranking.units}
    about = _about(snapshot, candidates, {key: unit.score / highest for key, unit in units.items()}, ranking)
    scored: list[Scored] = []
    for candidate, own in zip(candidates, normalised_ranks(candidates), strict=True):
        unit = units.get(candidate.id) if candidate.layer is Layer.PARAGRAPH and not candidate.is_stale else None
        if unit is not None:
            parts = {name: (OWN + ABOUT) * value / highest for name, value in unit.breakdown.items()}
        else:
            parts = {
                "match": OWN * own * (STALE if candidate.is_stale else 1.0),
                "about": ABOUT * about.get((candidate.layer, candidate.id), 0.0),
            }
        parts["layer_preference"] = LAYER_PREFERENCE * layer_bonus(candidate.layer, plan.layers)
        parts["type_preference"] = TYPE_PREFERENCE * (
            TYPE_NEUTRAL if candidate.type is None else type_bonus(candidate.type, plan)
        )
        scored.append(Scored(sum(parts.values()), parts, candidate))
    return ordered(scored)


def _about(
    snapshot: Snapshot, candidates: Sequence[Candidate], units: Mapping[int, float], ranking: Ranking
) -> dict[tuple[Layer, int], float]:
    """What the paragraph or file is worth, between 0 and 1, that a candidate of another layer is about."""
    files = dict(ranking.files)
    found: dict[tuple[Layer, int], float] = {}
    ids = {layer: json.dumps([c.id for c in candidates if c.layer is layer]) for layer in Layer}
    for proposition, paragraph in snapshot.rows(
        "SELECT o.proposition_id, o.paragraph_id FROM json_each(?) j JOIN occurrence o ON o.proposition_id = j.value",
        (ids[Layer.PROPOSITION],),
    ):
        key = Layer.PROPOSITION, proposition
        found[key] = max(found.get(key, 0.0), units.get(paragraph, 0.0))
    for layer, table in ((Layer.SUMMARY, "summary"), (Layer.CHUNK, "chunk")):
        rows = snapshot.rows(
            f"SELECT r.id, r.document_id FROM json_each(?) j JOIN {table} r ON r.id = j.value", (ids[layer],)
        )
        found.update({(layer, row): files.get(document, 0.0) for row, document in rows})
    return found
