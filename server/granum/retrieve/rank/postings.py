"""Which paragraphs hold which of a question's words, within a bound of work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from granum.index.schema import FTS_COLUMNS
from granum.retrieve.rank.weights import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from granum.index.reader import Snapshot

#: Rows that are read for one question in all, and for one word; some 2 µs each. A word that more rows hold tells
#: least, and is left out where others are there.
MOST_ROWS = 12_000
MOST_ROWS_OF_WORD = 3_000
#: With no more words than this, none is left out.
FEW_WORDS = 3

_COLUMN_WEIGHTS = ", ".join(str(COLUMNS[column]) for column in FTS_COLUMNS["paragraph_fts"])


class Word(NamedTuple):
    """A word of the question, and how much it counts in it."""

    text: str
    weight: float


class Posting(NamedTuple):
    """The paragraphs that hold a word, and their BM25 in the same order (the higher, the better)."""

    word: Word
    units: tuple[int, ...]
    scores: tuple[float, ...]


class Restriction(NamedTuple):
    """A condition on the rows of ``paragraph`` (as f) and its parameters; empty for all."""

    sql: str = ""
    params: tuple[str, ...] = ()


def postings(snapshot: Snapshot, words: Iterable[Word], restriction: Restriction) -> list[Posting]:
    """The words' paragraphs, the weightiest words first; a word that no paragraph holds may be in another layer."""
    chosen = list(words)
    spare = len(chosen) > FEW_WORDS
    statement = _statement(restriction)
    found: list[Posting] = []
    left = MOST_ROWS
    for word in chosen:
        match = quoted(word.text)
        most = min(MOST_ROWS_OF_WORD, left) if spare else left
        if (spare or found) and _has_more_rows_than(snapshot, match, most):
            continue
        rows = snapshot.rows(statement, (match, *restriction.params, MOST_ROWS))
        units, scores = zip(*rows, strict=True) if rows else ((), ())
        found.append(Posting(word, units, scores))
        left -= len(rows)
        if left <= 0:
            break
    return found


def _has_more_rows_than(snapshot: Snapshot, match: str, most: int) -> bool:
    """Told without scores, which would take several times as long."""
    probe = "SELECT 1 FROM paragraph_fts WHERE paragraph_fts MATCH ? LIMIT 1 OFFSET ?"
    return bool(snapshot.rows(probe, (match, most)))


def _statement(restriction: Restriction) -> str:
    join = "JOIN paragraph f ON f.id = paragraph_fts.rowid" if restriction.sql else ""
    return (
        f"SELECT paragraph_fts.rowid, -bm25(paragraph_fts, {_COLUMN_WEIGHTS}) FROM paragraph_fts {join}"
        f" WHERE paragraph_fts MATCH ?{restriction.sql} LIMIT ?"
    )


def quoted(text: str) -> str:
    """The text as one phrase of a MATCH expression."""
    return '"' + text.replace('"', '""') + '"'


def rarity(holders: int, population: int) -> float:
    """BM25's inverse document frequency."""
    return math.log(1.0 + (population - holders + 0.5) / (holders + 0.5))
