"""Which signs stand in a sentence: its words are looked up in one table of all phrases."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from granum.extract.lexicon import SIGNS, Sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.extract.lexicon import Wording


class _Phrases(NamedTuple):
    """The phrases that begin with one word: what it is a sign of alone, and the longer ones by their second word."""

    alone: tuple[Sign, ...]
    seconds: frozenset[str]
    longer: dict[str, list[tuple[str, Sign]]]


def _index() -> dict[str, _Phrases]:
    """The longer phrases stand between spaces, as a sentence is searched for them."""
    alone: defaultdict[str, list[Sign]] = defaultdict(list)
    longer: defaultdict[str, dict[str, list[tuple[str, Sign]]]] = defaultdict(dict)
    for sign, phrases in SIGNS.items():
        for phrase in phrases:
            first, second = [*phrase.split(), ""][:2]
            if second:
                longer[first].setdefault(second, []).append((f" {phrase} ", sign))
            else:
                alone[first].append(sign)
    return {
        word: _Phrases(tuple(alone[word]), frozenset(longer[word]), longer[word])
        for word in alone.keys() | longer.keys()
    }


def _false_friends() -> dict[str, list[str]]:
    """By their first word, the phrases that are taken out of a sentence."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for phrase in SIGNS[Sign.FALSE_FRIEND]:
        found[phrase.split()[0]].append(f" {phrase} ")
    return dict(found)


_PHRASES = _index()
_FIRSTS = frozenset(_PHRASES)
_FALSE_FRIENDS = _false_friends()
_FALSE_FRIEND = Sign.FALSE_FRIEND


def signs_of(wording: Wording) -> dict[Sign, int]:
    """How many different phrases of each sign stand in the sentence."""
    words = wording.words
    found = _look_up(words, wording.different)
    if _FALSE_FRIEND in found:
        spaced = f" {' '.join(words)} "
        for word in words:
            for phrase in _FALSE_FRIENDS.get(word, ()):
                spaced = spaced.replace(phrase, " _ ")
        rest = spaced.split()
        found = _look_up(rest, set(rest))
    return found


def _look_up(words: Sequence[str], different: set[str]) -> dict[Sign, int]:
    found: dict[Sign, int] = {}
    spaced = ""
    for word in _FIRSTS & different:
        alone, seconds, longer = _PHRASES[word]
        for sign in alone:
            found[sign] = found.get(sign, 0) + 1
        # few sentences hold the second word of a phrase, and the search for the whole is dear
        for second in seconds & different:
            spaced = spaced or f" {' '.join(words)} "
            for phrase, sign in longer[second]:
                if phrase in spaced:
                    found[sign] = found.get(sign, 0) + 1
    return found
