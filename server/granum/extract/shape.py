"""The shape of a sentence: which signs stand in it, how it opens, and where it stands.

An opening tells what a sentence does: an imperative in a doc comment says what the code does, in prose what the
reader is to do. Verbs are known by a list, and unknown ones by the article behind them.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING

import msgspec

from granum.extract.lexicon import INSTRUCTIONS, USAGES, VERBS, Sign, Wording, worded, words_in, words_of
from granum.extract.signs import signs_of
from granum.extract.statement import Role
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Sequence

_LABEL = re.compile(
    r"(?:note|nb|important|warning|caution|attention|tip|hint|hack|returns?|yields?|raises?|required"
    r"|[*(\"']+)(?:\([^)]*\))?\s*[:!]\s+|(?:please )?note that |\((?=[A-Z])",
    re.IGNORECASE,
)
#: How a label begins; most sentences begin otherwise, and need no look at its pattern.
_LABEL_HEADS = ("no", "nb", "im", "wa", "ca", "at", "ti", "hi", "ha", "re", "yi", "ra", "pl", "*", "(", '"', "'")
_TERM = re.compile(r"[^:.;]{1,40}?(?:: | [-–—] )")
_PURPOSE = re.compile(r"(?:in order )?to \w+[^,]*, ", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:if|when|whenever|once|before|after|for|unless|until|while|as|on|in|with)\b[^,]*, ", re.IGNORECASE
)
_CONDITION_HEADS = frozenset({"if", "wh", "on", "be", "af", "fo", "un", "as", "in", "wi"})
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


class Opening(Enum):
    """How a sentence begins."""

    OTHER = auto()
    IMPERATIVE = auto()  # Return the …
    THIRD_PERSON = auto()  # Returns the …; name returns the …; this returns
    USAGE = auto()  # Use this to …
    INSTRUCTION = auto()  # To do this, call …; When that happens, call …
    CONDITION = auto()  # If it is not set, …


# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and every sentence needs many.
_OTHER, _IMPERATIVE, _THIRD_PERSON = Opening.OTHER, Opening.IMPERATIVE, Opening.THIRD_PERSON
_USAGE, _INSTRUCTION = Opening.USAGE, Opening.INSTRUCTION
_ITEM, _COMMENT = Role.ITEM, SourceKind.COMMENT
_CODE = frozenset({SourceKind.DOCSTRING, SourceKind.COMMENT})
#: Roles whose text may begin with the term that it explains.
_TERMED = frozenset({Role.PARAMETER, Role.ITEM, Role.TABLE_ROW})


class Shape(msgspec.Struct, frozen=True, gc=False):
    """All that the rules ask about a sentence.

    ``signs`` counts the different phrases of each sign. ``is_code``: it stands in code, where an imperative tells what
    the code does. ``acts``: its first verb tells what something does. ``instructs``: it tells the reader what to do.
    """

    text: str
    words: tuple[str, ...]
    different: set[str]
    signs: dict[Sign, int]
    opening: Opening
    source: SourceKind
    role: Role
    is_test: bool
    is_code: bool
    acts: bool
    instructs: bool

    @property
    def leads(self) -> bool:
        """Whether the verb that tells what something does is its first word."""
        return self.acts and (self.opening is _IMPERATIVE or third_person(self.words[0]))


def third_person(word: str) -> bool:
    """Whether a word is one of the known verbs with the ending of the third person."""
    if not word.endswith("s"):
        return False
    return word[:-1] in VERBS or (word.endswith("es") and (word[:-2] in VERBS or word[:-3] + "y" in VERBS))


def opening_of(sentence: str, words: Sequence[str]) -> Opening:
    """How the sentence opens; labels (``Note:``) and adverbs before the first verb are passed over."""
    if sentence[:3].lower() in {"to ", "in "} and _PURPOSE.match(sentence):
        return _INSTRUCTION
    at = 0
    while at < len(words) - 1 and _is_adverb(words[at]):
        at += 1
    first, second, third = (*words[at : at + 3], "", "")[:3]
    if first in USAGES and second not in _FINITE:
        return _USAGE
    if (by_verb := _opening_by_verb(sentence, first, second, third)) is not None:
        return by_verb
    if third_person(second) and second not in _DESCRIBING and _is_subject(sentence, first):
        return _THIRD_PERSON
    if first in _HELPERS or second in _HELPERS:
        return _opening_of_helper(words)
    return _opening_by_condition(sentence)


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and word not in VERBS)


def _opening_by_verb(sentence: str, first: str, second: str, third: str) -> Opening | None:
    """The opening if the first of up to three words is a verb, known or told by the article behind it."""
    if sentence[1:2].isupper() or second in _FINITE or (second == "for" and first not in _SEEKING):
        return None
    if third_person(first) and second not in _NOUN_AFTER:
        return _OTHER if first in _DESCRIBING else _THIRD_PERSON
    if first in VERBS:
        if second in _PREDICATES:
            return _THIRD_PERSON
        return _IMPERATIVE if second != "by" and third not in _FINITE else None
    if first in _FUNCTION_WORDS or second not in _DETERMINERS or not first.isalpha():
        return None
    if first.endswith("ing") or f"{first} {second}" not in sentence.lower():
        return None
    return _THIRD_PERSON if first.endswith("s") and not first.endswith("ss") else _IMPERATIVE


def _opening_of_item(text: str, words: Sequence[str], role: Role) -> Opening:
    """``Make a branch: git …`` is an instruction with a colon in it; ``name: the …`` is a definition."""
    if role is _ITEM and len(words) > 1 and words[0] in INSTRUCTIONS and words[1] in _DETERMINERS:
        return opening_of(text, words)
    return _OTHER


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
            return _THIRD_PERSON if verb in VERBS or third_person(verb) else _OTHER
    return _OTHER


def _opening_by_condition(sentence: str) -> Opening:
    match = _CONDITION.match(sentence) if sentence[:2].lower() in _CONDITION_HEADS else None
    if match is None:
        return _OTHER
    rest = words_of(sentence[match.end() :])
    return _INSTRUCTION if rest and rest[0] in INSTRUCTIONS else Opening.CONDITION


def shape_of(wording: Wording, source: SourceKind, role: Role, *, is_test: bool = False) -> Shape:
    """Tell the sentence's signs and opening."""
    label = _LABEL.match(wording.text) if wording.text[:2].lower().startswith(_LABEL_HEADS) else None
    if label:
        wording = worded(wording.text[label.end() :])
    text, words = wording.text, wording.words
    signs = signs_of(wording)
    if label and label.group()[:4].lower() in {"warn", "caut"}:
        signs[Sign.DANGER] = 1
    opening = _opening_in(text, words, role)
    is_code = source in _CODE
    return Shape(
        text,
        words,
        wording.different,
        signs,
        opening,
        source,
        role,
        is_test,
        is_code,
        acts=opening is _THIRD_PERSON or (is_code and opening is _IMPERATIVE),
        instructs=_instructs(text, opening, source, is_code=is_code),
    )


def _opening_in(text: str, words: Sequence[str], role: Role) -> Opening:
    """The opening of the sentence, or of what it says of the term that it begins with."""
    term = _TERM.match(text) if role in _TERMED else None
    if term is None:
        return opening_of(text, words) if words else _OTHER
    body = text[term.end() :]
    body_words = words_of(body)
    if not body_words:
        return _OTHER
    opening = opening_of(body, body_words)
    return opening if opening is _THIRD_PERSON else _opening_of_item(text, words, role)


def _instructs(text: str, opening: Opening, source: SourceKind, *, is_code: bool) -> bool:
    if opening is _IMPERATIVE:
        return not is_code
    if opening is _USAGE:
        # in a comment, "Use the cached one" tells what the next line does
        return source is not _COMMENT or _USE_FOR.match(text) is not None
    return opening is _INSTRUCTION and not is_code
