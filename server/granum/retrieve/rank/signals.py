"""The signals that files and paragraphs are ranked by. Each is brought to between 0 and 1, its best at 1."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from granum.retrieve.rank.postings import quoted, rarity

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from granum.index.reader import Snapshot
    from granum.retrieve.query import Query
    from granum.retrieve.rank.postings import Posting, Word

Scores = dict[int, float]

#: BM25's saturation of a word's count, and how much a file's length counts against it.
_SATURATION, _LENGTH = 1.2, 0.5
#: Paragraphs of a file that its worth is summed from.
_BEST = 8
#: Words that a module's name is searched for.
_MODULE_WORDS = 40
#: A shorter file name is also a common word.
_SHORTEST_NAME = 8
#: What a file's name alone is worth, and each further stack frame in proportion to the one before.
_NAME, _FRAMES_DECAY = 0.6, 0.7


def normalised(scores: Scores) -> Scores:
    """The scores in proportion to the highest."""
    highest = max(scores.values(), default=0.0)
    return {key: score / highest for key, score in scores.items()} if highest > 0 else {}


def text(found: Sequence[Posting]) -> Scores:
    """By paragraph: its words' BM25, weighted as the question weighs them."""
    scores: Scores = {}
    for posting in found:
        weight = posting.word.weight
        for unit, bm25 in zip(posting.units, posting.scores, strict=True):
            scores[unit] = scores.get(unit, 0.0) + weight * bm25
    return normalised(scores)


def best_units(units: Scores, document_of: Sequence[int], decay: float) -> Scores:
    """By document: the sum of its best paragraphs, each counted ``decay`` times as much as the one before."""
    by_document: dict[int, list[float]] = {}
    for unit, score in units.items():
        by_document.setdefault(document_of[unit], []).append(score)
    return normalised(
        {
            document: sum(score * decay**place for place, score in enumerate(sorted(scores, reverse=True)[:_BEST]))
            for document, scores in by_document.items()
        }
    )


def whole(found: Sequence[Posting], document_of: Sequence[int], lines: Mapping[int, int], population: int) -> Scores:
    """By document: BM25 over it as one text, in which a word counts once for each paragraph that holds it."""
    average = sum(lines.values()) / len(lines) if lines else 1.0
    scores: Scores = {}
    for posting in found:
        counts = Counter(map(document_of.__getitem__, posting.units))
        value = posting.word.weight * rarity(len(counts), population)
        for document, count in counts.items():
            length = 1.0 - _LENGTH + _LENGTH * lines.get(document, average) / average
            scores[document] = scores.get(document, 0.0) + value * count * (_SATURATION + 1) / (
                count + _SATURATION * length
            )
    return normalised(scores)


def module(snapshot: Snapshot, words: Sequence[Word]) -> Scores:
    """By document: how well its module's and path's words match."""
    match = " OR ".join(quoted(word.text) for word in words[:_MODULE_WORDS])
    if not match:
        return {}
    rows = snapshot.rows(
        "SELECT y.document_id, max(f.score) FROM (SELECT rowid, -bm25(summary_fts, 0, 0, 0, 1) AS score"
        " FROM summary_fts WHERE summary_fts MATCH ? LIMIT -1) f JOIN summary y ON y.id = f.rowid"
        " WHERE y.document_id > 0 GROUP BY y.document_id",
        (f"module : ({match})",),
    )
    return normalised(dict(rows))


def mentioned(query: Query, paths: Mapping[int, str]) -> Scores:
    """By document: 1 where the query or its innermost stack frame names its path or module, else less or nothing."""
    named = {mention.path.casefold().strip("/"): 1.0 if "/" in mention.path else _NAME for mention in query.paths}
    for place, frame in enumerate(query.frames):
        path = frame.path.casefold().strip("/")
        named[path] = max(named.get(path, 0.0), _FRAMES_DECAY**place)
    modules = frozenset(module.casefold() for module in query.modules)
    scores = {document: _mention(path.casefold(), named, modules) for document, path in paths.items()}
    return {document: score for document, score in scores.items() if score}


def _mention(path: str, named: Mapping[str, float], modules: Container[str]) -> float:
    """How surely the file at a path is meant; paths are compared by their ends, since either may be given in part."""
    steps = path.split("/")
    score = 0.0
    for start in range(len(steps)):
        end = "/".join(steps[start:])
        if start < len(steps) - 1 or len(end) >= _SHORTEST_NAME or len(steps) == 1:
            score = max(score, named.get(end, 0.0))
    for mention, worth in named.items():
        if mention.endswith("/" + path):
            score = max(score, worth)
    dotted = path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    parts = dotted.split(".")
    if any(".".join(parts[start:]) in modules for start in range(len(parts) - 1)):
        score = max(score, 1.0)
    return score
