"""A query's words by their worth."""

from __future__ import annotations

import re
from math import log1p
from typing import TYPE_CHECKING

from granum.retrieve.query.marks import Kind
from granum.retrieve.query.values import Term
from granum.retrieve.query.wordlists import NOISE_WORDS, STOP_WORDS
from granum.text.tokens import identifier_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from granum.retrieve.query.marks import Piece

MAX_TERMS = 60
#: Longer words are noise (base64, minified code), in code points.
MAX_WORD = 100

#: What an occurrence is worth, each under log1p; measured on real issues whose fix is known.
IN_TITLE, IN_BODY, AS_PART = 2.5, 1.4, 0.2
#: Factors.
IDENTIFIER, NOISE = 1.05, 0.6

# FTS5's unicode61 keeps a combining mark with the letter before it, as Python's \w does not
_WORD = re.compile(r"[\w\u0300-\u036f]+")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_MIN_PART = 2


class _Count:
    """How often, and as what, one word occurs."""

    __slots__ = ("in_body", "in_code", "in_parts", "in_title", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.in_title = self.in_body = self.in_parts = 0
        self.in_code = False

    def term(self) -> Term:
        is_part = not (self.in_title or self.in_body)
        is_identifier = self.in_code or is_compound(self.text)
        weight = (IN_TITLE * log1p(self.in_title) + IN_BODY * log1p(self.in_body) + AS_PART * log1p(self.in_parts)) * (
            IDENTIFIER if is_identifier else 1.0
        )
        if self.text.casefold() in NOISE_WORDS:
            weight *= NOISE
        return Term(self.text, weight, is_identifier, is_part, self.in_title > 0)


def terms(pieces: Iterable[Piece]) -> tuple[tuple[Term, ...], int]:
    """The best terms, best first, and how many there were in all. Stop words only when there is nothing else."""
    counts: dict[str, _Count] = {}
    for piece in pieces:
        for word in words(piece.text):
            count = _counted(counts, word)
            count.in_code |= piece.kind is not Kind.PROSE
            if piece.in_title:
                count.in_title += 1
            else:
                count.in_body += 1
            for part in _parts(word):
                _counted(counts, part).in_parts += 1
    kept = {key: count for key, count in counts.items() if key not in STOP_WORDS} or counts
    ranked = sorted((count.term() for count in kept.values()), key=lambda term: -term.weight)
    return tuple(ranked[:MAX_TERMS]), len(ranked)


def words(text: str) -> Iterator[str]:
    """The words of a text, each step of a dotted name by itself; no numbers."""
    for match in _WORD.finditer(text):
        word = match.group().strip("_")
        if 1 < len(word) <= MAX_WORD and not word.isdigit():
            yield word


def is_compound(word: str) -> bool:
    """Whether a word is more likely a name in code than a word of prose."""
    return "_" in word.strip("_") or bool(_CAMEL.search(word))


def _parts(word: str) -> list[str]:
    parts = [part for part in identifier_parts(word) if len(part) >= _MIN_PART and not part.isdigit()]
    whole = word.casefold()
    return [part for part in parts if part.casefold() != whole]


def _counted(counts: dict[str, _Count], word: str) -> _Count:
    key = word.casefold()
    count = counts.setdefault(key, _Count(word))
    # an identifier's own case tells its parts
    if not is_compound(count.text) and is_compound(word):
        count.text = word
    return count
