"""From a question's words to ranked paragraphs and files."""

from __future__ import annotations

import heapq
import json
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from granum.model.retrieval import TaskIntent
from granum.retrieve.query import Query
from granum.retrieve.rank import signals
from granum.retrieve.rank.kinds import PRIORS, kind_of
from granum.retrieve.rank.postings import Restriction, Word, postings
from granum.retrieve.rank.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from granum.index.reader import Snapshot
    from granum.retrieve.rank.documents import DocumentOf
    from granum.retrieve.rank.signals import Scores

#: Files that are looked at beyond their paragraphs' text.
_FILES = 2_000


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, for what, and among which paragraphs."""

    query: Query
    intent: TaskIntent = TaskIntent.UNKNOWN
    restriction: Restriction = Restriction()


class RankedUnit(NamedTuple):
    """A paragraph with its score, which is the sum of the breakdown."""

    id: int
    document_id: int
    score: float
    breakdown: dict[str, float]


class Ranking(NamedTuple):
    """The best paragraphs and files (document id, worth), best first; ``total`` counts the paragraphs that match.

    ``words`` are those of the question that were asked for: the others are nowhere, or nearly everywhere.
    """

    units: list[RankedUnit]
    files: list[tuple[int, float]]
    total: int
    words: tuple[Word, ...]


class _File(NamedTuple):
    path: str
    lines: int
    prior: float


def rank(
    snapshot: Snapshot, question: Question, documents: DocumentOf, limit: int, weights: Weights = WEIGHTS
) -> Ranking:
    """Ranks the paragraphs that hold the question's words, at most ``limit`` of them."""
    words = tuple(Word(term.text, term.weight) for term in question.query.terms)
    found = postings(snapshot, words, question.restriction)
    document_of = documents.ids(snapshot)
    text = signals.text(found)
    best = signals.best_units(text, document_of, weights.decay)
    files = _files(snapshot, heapq.nlargest(_FILES, best, key=lambda document: (best[document], -document)), question)
    [(population,)] = snapshot.rows("SELECT count(*) FROM document WHERE NOT is_stale")
    evidence = {
        "best_units": best,
        "whole": signals.whole(found, document_of, {key: file.lines for key, file in files.items()}, population),
        "module": signals.module(snapshot, words),
        "mentioned": signals.mentioned(question.query, {key: file.path for key, file in files.items()}),
    }
    weighted = _worth(evidence, files, weights)
    return Ranking(
        units=_units(text, document_of, files, weighted, weights, limit),
        files=sorted(
            ((key, files[key].prior * sum(parts.values())) for key, parts in weighted.items()),
            key=lambda row: (-row[1], files[row[0]].path),
        ),
        total=len(text),
        words=tuple(posting.word for posting in found),
    )


def _files(snapshot: Snapshot, ids: Sequence[int], question: Question) -> dict[int, _File]:
    rows = snapshot.rows(
        "SELECT d.id, d.path, d.line_count, d.source_type FROM json_each(?) j JOIN document d ON d.id = j.value",
        (json.dumps(list(ids)),),
    )
    priors = PRIORS[question.intent]
    return {row[0]: _File(row[1], row[2], priors[kind_of(row[1], row[3])]) for row in rows}


def _worth(evidence: Mapping[str, Scores], files: Mapping[int, _File], weights: Weights) -> dict[int, dict[str, float]]:
    """By document, what each signal adds to its worth; the most worthy document's parts sum to 1."""
    given = {name: getattr(weights, name) for name in evidence}
    parts = {
        document: {name: given[name] * scores[document] for name, scores in evidence.items() if document in scores}
        for document in files
    }
    highest = max((sum(each.values()) for each in parts.values()), default=0.0) or 1.0
    return {document: {name: value / highest for name, value in each.items()} for document, each in parts.items()}


def _units(
    text: Scores,
    document_of: Sequence[int],
    files: Mapping[int, _File],
    worth: Mapping[int, Mapping[str, float]],
    weights: Weights,
    limit: int,
) -> list[RankedUnit]:
    sums = {document: weights.file * sum(parts.values()) for document, parts in worth.items()}
    scored = (
        (file.prior * (weights.text * score + sums[document]), -unit)
        for unit, score in text.items()
        if (file := files.get(document := document_of[unit])) is not None
    )
    return [
        RankedUnit(
            -negative, document, score, _breakdown(text[-negative], files[document].prior, worth[document], weights)
        )
        for score, negative in heapq.nlargest(limit, scored)
        for document in (document_of[-negative],)
    ]


def _breakdown(text: float, prior: float, worth: Mapping[str, float], weights: Weights) -> dict[str, float]:
    own = {"text": prior * weights.text * text}
    return own | {f"file.{name}": prior * weights.file * value for name, value in worth.items()}
