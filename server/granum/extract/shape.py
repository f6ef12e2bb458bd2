"""The shape of a sentence: which signs stand in it, how it opens, and where it stands.

An opening tells what a sentence does: an imperative in a doc comment says what the code does, in prose what the
reader is to do. Verbs are known by a list, and unknown ones by the article behind them.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from granum.extract.lexicon import INSTRUCTIONS, SIGNS, USAGES, VERBS, Sign, words_in, words_of
from granum.extract.statement import Role
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL = re.compile(
    r"(?:note|nb|important|warning|caution|attention|tip|hint|hack|returns?|yields?|raises?|required"
    r"|[*(\"']+)(?:\([^)]*\))?\s*[:!]\s+|(?:please )?note that |\((?=[A-Z])",
    re.IGNORECASE,
)
_TERM = re.compile(r"[^:.;]{1,40}?(?:: | [-–—] )")
_PURPOSE = re.compile(r"(?:in order )?to \w+[^,]*, ", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:if|when|whenever|once|before|after|for|unless|until|while|as|on|in|with)\b[^,]*, ", re.IGNORECASE
)
_USE_FOR = re.compile(r"\w+ \S+ (?:to|for|when|instead)\b", re.IGNORECASE)
#: After these words a word in ``-s`` before them was a noun, and one in its base form too.
_FINITE = words_in("is are was were has have had can may will must should could would do does did isn't aren't of")
_NOUN_AFTER = _FINITE | {"that", "which", "consists"}
#: Verbs that tell how something is made or why, not what it does.
_DESCRIBING = words_in("uses makes")
_DETERMINERS = words_in("a an the this these all each any every its one whether given")
_FUNCTION_WORDS = words_in(
    "a an the in on at by for from of to with without within into onto over under after before during until since as if"
    " when while where unless whether because although though than then thus so and or but nor not only just even also"
    " like unlike per via about above below between through across against around both all any some each such what"
    " which who this that these those it they there here is are was were be been has have had do does did can may"
    " might will would shall should must let now once instead otherwise besides inside outside upon yes no either"
    " behind beside beyond among despite till towards near whereas except regarding"
    " neither always never usually sometimes often hence therefore however almost exactly probably maybe same"
)
_ADVERBS = words_in("only also just then simply automatically optionally internally first finally recursively")
_SUBJECTS = words_in("this it which that")
#: Verbs of a subject that is named like a verb: ``fetch takes two arguments``.
_PREDICATES = words_in(
    "takes specifies returns accepts defines contains provides requires needs means gives allows creates begins starts"
)
#: Verbs that take ``for``; other words before it are nouns (``Support for …``).
_SEEKING = words_in(
    "look looks wait waits check checks search searches ask asks account accounts test tests listen listens watch"
    " watches scan scans apply applies allow allows provide provides prepare prepares poll polls set sets"
)
_HELPERS = words_in("helper function method decorator hook utility shortcut callback routine")


def _index() -> dict[str, tuple[tuple[str, str, Sign], ...]]:
    """First word of a phrase -> (its second word or empty, the phrase between spaces, its sign)."""
    table: dict[str, list[tuple[str, str, Sign]]] = {}
    for sign, phrases in SIGNS.items():
        for phrase in phrases:
            first, second = [*phrase.split(), ""][:2]
            table.setdefault(first, []).append((second, f" {phrase} ", sign))
    return {word: tuple(entries) for word, entries in table.items()}


_PHRASES = _index()


class Opening(Enum):
    """How a sentence begins."""

    OTHER = auto()
    IMPERATIVE = auto()  # Return the …
    THIRD_PERSON = auto()  # Returns the …; name returns the …; this returns
    USAGE = auto()  # Use this to …
    INSTRUCTION = auto()  # To do this, call …; When that happens, call …
    CONDITION = auto()  # If it is not set, …


class Shape(NamedTuple):
    """All that the rules ask about a sentence."""

    text: str
    words: tuple[str, ...]
    signs: dict[Sign, int]
    opening: Opening
    source: SourceKind
    role: Role
    is_test: bool

    @property
    def is_code(self) -> bool:
        """Whether it stands in code, where an imperative tells what the code does."""
        return self.source in {SourceKind.DOCSTRING, SourceKind.COMMENT}

    @property
    def acts(self) -> bool:
        """Whether its first verb tells what something does."""
        return self.opening is Opening.THIRD_PERSON or (self.opening is Opening.IMPERATIVE and self.is_code)

    @property
    def leads(self) -> bool:
        """Whether the verb that tells what something does is its first word."""
        return self.acts and (self.opening is Opening.IMPERATIVE or third_person(self.words[0]))

    @property
    def instructs(self) -> bool:
        """Whether it tells the reader what to do."""
        if self.opening is Opening.IMPERATIVE:
            return not self.is_code
        if self.opening is Opening.USAGE:
            # in a comment, "Use the cached one" tells what the next line does
            return self.source is not SourceKind.COMMENT or _USE_FOR.match(self.text) is not None
        return self.opening is Opening.INSTRUCTION and not self.is_code


def signs_of(words: Sequence[str]) -> dict[Sign, int]:
    """How many different phrases of each sign stand in the sentence."""
    found = _look_up(words)
    if Sign.FALSE_FRIEND in found:
        spaced = f" {' '.join(words)} "
        for word in words:
            for _, phrase, sign in _PHRASES.get(word, ()):
                if sign is Sign.FALSE_FRIEND:
                    spaced = spaced.replace(phrase, " _ ")
        found = _look_up(spaced.split())
    return found


def _look_up(words: Sequence[str]) -> dict[Sign, int]:
    found: dict[Sign, int] = {}
    spaced = f" {' '.join(words)} "
    different = set(words)
    for word in _PHRASES.keys() & different:
        for second, phrase, sign in _PHRASES[word]:
            # the second word is looked up first: few sentences hold it, and the search for a phrase is dear
            if not second or (second in different and phrase in spaced):
                found[sign] = found.get(sign, 0) + 1
    return found


def third_person(word: str) -> bool:
    """Whether a word is one of the known verbs with the ending of the third person."""
    if not word.endswith("s"):
        return False
    return word[:-1] in VERBS or (word.endswith("es") and (word[:-2] in VERBS or word[:-3] + "y" in VERBS))


def opening_of(sentence: str, words: Sequence[str]) -> Opening:
    """How the sentence opens; labels (``Note:``) and adverbs before the first verb are passed over."""
    if sentence[:3].lower() in {"to ", "in "} and (match := _PURPOSE.match(sentence)):
        return Opening.INSTRUCTION
    at = 0
    while at < len(words) - 1 and _is_adverb(words[at]):
        at += 1
    first = words[at]
    second = words[at + 1] if at + 1 < len(words) else ""
    if first in USAGES and second not in _FINITE:
        return Opening.USAGE
    if (by_verb := _opening_by_verb(sentence, words[at : at + 3])) is not None:
        return by_verb
    if _is_subject(sentence, first) and third_person(second) and second not in _DESCRIBING:
        return Opening.THIRD_PERSON
    if first in _HELPERS or second in _HELPERS:
        return _opening_of_helper(words)
    match = _CONDITION.match(sentence)
    if match is None:
        return Opening.OTHER
    rest = words_of(sentence[match.end() :])
    return Opening.INSTRUCTION if rest and rest[0] in INSTRUCTIONS else Opening.CONDITION


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and word not in VERBS)


def _opening_by_verb(sentence: str, words: Sequence[str]) -> Opening | None:
    """The opening if the first of up to three words is a verb, known or told by the article behind it."""
    first, second, third = (*words, "", "")[:3]
    if sentence[1:2].isupper() or second in _FINITE or (second == "for" and first not in _SEEKING):
        return None
    if third_person(first) and second not in _NOUN_AFTER:
        return Opening.OTHER if first in _DESCRIBING else Opening.THIRD_PERSON
    if first in VERBS and second in _PREDICATES:
        return Opening.THIRD_PERSON
    if first in VERBS and second != "by" and third not in _FINITE:
        return Opening.IMPERATIVE
    if first in VERBS or first in _FUNCTION_WORDS or second not in _DETERMINERS or not first.isalpha():
        return None
    if first.endswith("ing") or f"{first} {second}" not in sentence.lower():
        return None
    return Opening.THIRD_PERSON if first.endswith("s") and not first.endswith("ss") else Opening.IMPERATIVE


def _opening_of_item(text: str, words: Sequence[str], role: Role) -> Opening:
    """``Make a branch: git …`` is an instruction with a colon in it; ``name: the …`` is a definition."""
    if role is Role.ITEM and len(words) > 1 and words[0] in INSTRUCTIONS and words[1] in _DETERMINERS:
        return opening_of(text, words)
    return Opening.OTHER


def _is_subject(sentence: str, first: str) -> bool:
    """Whether the first word is a pronoun or the name of something in code."""
    if first in _SUBJECTS:
        return True
    start = sentence.split(" ", 1)[0]
    return bool("_" in start or start.endswith("()") or "." in start[:-1] or any(map(str.isupper, start[1:])))


def _opening_of_helper(words: Sequence[str]) -> Opening:
    """``Helper to return …``, ``A decorator that checks …``."""
    for position, word in enumerate(words[1:6], 1):
        if word in {"to", "that", "which"} and position + 1 < len(words):
            verb = words[position + 1]
            return Opening.THIRD_PERSON if verb in VERBS or third_person(verb) else Opening.OTHER
    return Opening.OTHER


def shape_of(sentence: str, source: SourceKind, role: Role, *, is_test: bool = False) -> Shape:
    """Tell the sentence's signs and opening."""
    label = _LABEL.match(sentence)
    text = sentence[label.end() :] if label else sentence
    words = words_of(text)
    signs = signs_of(words)
    if label and label.group()[:4].lower() in {"warn", "caut"}:
        signs[Sign.DANGER] = 1
    opening = Opening.OTHER
    term = _TERM.match(text) if role in {Role.PARAMETER, Role.ITEM, Role.TABLE_ROW} else None
    body = text[term.end() :] if term else text
    body_words = words_of(body) if term else words
    if body_words:
        opening = opening_of(body, body_words)
        if term and opening is not Opening.THIRD_PERSON:
            opening = _opening_of_item(text, words, role)
    return Shape(text, words, signs, opening, source, role, is_test)
