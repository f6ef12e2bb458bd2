"""What a user types, as an FTS5 MATCH expression that cannot be a syntax error.

Only quoted runs of word characters, joined by OR, ever reach the expression, and it is bound as a parameter.
"""

from __future__ import annotations

import re
import unicodedata

from granum.retrieve.query.terms import is_compound
from granum.text.tokens import identifier_parts

#: Of a longer query (an issue's text, a pasted log) only the beginning is read, in code points.
MAX_CHARACTERS = 20_000

#: Words kept of a query; each costs a walk through its posting list.
MAX_WORDS = 32

#: Terms of the expression, the words' parts included.
MAX_TERMS = 80

#: Longer words are noise (base64, minified code).
MAX_WORD_LENGTH = 100

#: Parts of identifiers shorter than this say nothing.
_MIN_PART = 2

# FTS5's unicode61 keeps a combining mark with the letter before it, as Python's \w does not
_MARKS = "\u0300-\u036f"
_DOTTED = re.compile(rf"[\w{_MARKS}]+(?:\.[^\W\d][\w{_MARKS}]*)*")

#: Words of English that stand in every document: they are asked for only when nothing else is.
_COMMON_WORDS = """
a about an and any are as at be been but by can could did do does for from get has have how i if in into is it its me my
no not of on or should so some than that the their them then there these they this to us was we were what when where
which who why will with would you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def match_expression(text: str) -> str:
    """The MATCH expression for a query; empty when nothing in it is a word.

    Every word is quoted and any may match. An identifier is asked for whole (``snake_case`` and ``a.b`` as a phrase)
    and by its parts.
    """
    # as typed: the tokenizer folds case itself, and not quite as Python does
    terms: dict[str, str] = {}
    for word in chosen_words(text):
        for term in _terms(word):
            if len(terms) < MAX_TERMS:
                terms.setdefault(term.casefold(), f'"{term}"')
    return " OR ".join(terms.values())


def chosen_words(text: str) -> list[str]:
    """The words that are asked for, in the order of their worth: identifiers, then longer ones, then earlier ones."""
    found: dict[str, str] = {}
    for match in _DOTTED.finditer(unicodedata.normalize("NFC", text[:MAX_CHARACTERS])):
        word = match.group()
        if len(word) <= MAX_WORD_LENGTH and any(character.isalnum() for character in word):
            # an identifier's own case tells its parts, so that 'HttpRequest' wins over 'httprequest'
            known = found.setdefault(word.casefold(), word)
            if not is_identifier(known) and is_identifier(word):
                found[word.casefold()] = word
    words = [word for key, word in found.items() if key not in _COMMON] or list(found.values())
    return sorted(words, key=lambda word: (not is_identifier(word), -len(word)))[:MAX_WORDS]


def is_identifier(word: str) -> bool:
    """Whether a word is more likely a name in code than a word of prose."""
    return "." in word or is_compound(word)


def _terms(word: str) -> list[str]:
    """The word itself, then its parts where it has several."""
    terms = [word]
    steps = word.split(".")
    if len(steps) > 1:
        terms += steps
    parts = [part for step in steps for part in identifier_parts(step)]
    if len(parts) > 1:
        terms += [part for part in parts if len(part) >= _MIN_PART]
    return terms
