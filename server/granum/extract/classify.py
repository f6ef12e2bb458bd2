"""What type of fact a sentence states, and how sure that is.

A sentence's shape (the signs in it, how it opens, where it stands) is told once; then an ordered table of rules is
asked, and the first that holds names the type. The words are in ``lexicon``.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from granum.extract.lexicon import INSTRUCTIONS, SIGNS, USAGES, VERBS, Sign, words_in, words_of
from granum.extract.statement import Role
from granum.model.layers import PropositionType as Type
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: (lowest, highest) confidence of a type; the source's weight chooses between them.
CONFIDENCE: dict[Type, tuple[float, float]] = {
    Type.SECURITY_RULE: (0.85, 0.99),
    Type.CONSTRAINT: (0.78, 0.93),
    Type.ARCHITECTURE: (0.80, 0.95),
    Type.DECISION: (0.80, 0.95),
    Type.RISK: (0.80, 0.80),
    Type.TEST_EVIDENCE: (0.72, 0.87),
    Type.PROCEDURE: (0.70, 0.85),
    Type.BEHAVIOR: (0.70, 0.85),
    Type.IMPLEMENTATION_DETAIL: (0.70, 0.85),
}

#: How far a source lifts the confidence from the lowest value to the highest.
WEIGHT: dict[SourceKind, float] = {
    SourceKind.DOCSTRING: 1.0,
    SourceKind.RAISE: 1.0,
    SourceKind.ASSERTION: 1.0,
    SourceKind.COMMENT: 0.6,
    SourceKind.BULLET: 0.25,
    SourceKind.NUMBERED: 0.1,
    SourceKind.TABLE: 0.25,
    SourceKind.DIRECTIVE: 0.25,
    SourceKind.PROSE: 0.0,
}


_LABEL = re.compile(
    r"(?:note|nb|important|warning|caution|attention|tip|hint|hack|returns?|yields?|raises?|required"
    r"|[*(\"']+)(?:\([^)]*\))?\s*[:!]\s+|(?:please )?note that |\((?=[A-Z])",
    re.IGNORECASE,
)
_TERM = re.compile(r"[^:.;]{1,40}?(?:: | [-–—] )")
_PROHIBITION = re.compile(r"(?:^|[.;:!,–—-] |\b(?:so|please|important) )(?:do not|don['’]t)\b", re.IGNORECASE)
_PURPOSE = re.compile(r"(?:in order )?to \w+[^,]*, ", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:if|when|whenever|once|before|after|for|unless|until|while|as|on|in|with)\b[^,]*, ", re.IGNORECASE
)
_FAILS = re.compile(
    r"(?:[\w.()`]+ )?returns? (?:an? |the )?err(?:or)?s?\b|(?:.*?\W)??(?<!never )(?<!not )(?<!n't )"
    r"(?:(?:raises?|raised|throws?|thrown|panics?)\b(?! (?:the|awareness|by hand))|(?:may|might) not work\b)",
    re.IGNORECASE,
)
_FAILURES = words_in("raise raises raised throw throws thrown panic panics error errors err errs work")
_MODAL_ACT = re.compile(r"(?<!here )\bwill (?!not\b)\w", re.IGNORECASE)
_USE_FOR = re.compile(r"\w+ \S+ (?:to|for|when|instead)\b", re.IGNORECASE)
_YOU_WILL = re.compile(r"\byou(?:['’]ll| will) (\w+)", re.IGNORECASE)
#: "True if it should be kept" tells a meaning, no rule.
_ASKS_WHETHER = re.compile(r"\w.*\b(?:if|whether|how|what|which|where)\b[^,;]* should\b", re.IGNORECASE)
_WE_MUST = re.compile(r"\bwe (?:must|cannot|can't|may not)\b", re.IGNORECASE)
_WHICH_ACT = re.compile(r", which (?:also |then |only )?(\w+s)\b")
_VERSION = re.compile(r"(?:>=|<=|≥|≤|[<>] ?\d|\bv?\d+(?:\.\d+)*\+)")
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
#: Verbs that take ``for``; other words before it are nouns (``Support for …``).
_PREDICATES = words_in(
    "takes specifies returns accepts defines contains provides requires needs means gives allows creates begins starts"
)
_SEEKING = words_in(
    "look looks wait waits check checks search searches ask asks account accounts test tests listen listens watch"
    " watches scan scans apply applies allow allows provide provides prepare prepares poll polls set sets"
)
_HELPERS = words_in("helper function method decorator hook utility shortcut callback routine")


def _index() -> dict[str, tuple[tuple[str, Sign], ...]]:
    """First word of a phrase -> (the phrase between spaces, its sign)."""
    table: dict[str, list[tuple[str, Sign]]] = {}
    for sign, phrases in SIGNS.items():
        for phrase in phrases:
            table.setdefault(phrase.split()[0], []).append((f" {phrase} ", sign))
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
            for phrase, sign in _PHRASES.get(word, ()):
                if sign is Sign.FALSE_FRIEND:
                    spaced = spaced.replace(phrase, " _ ")
        found = _look_up(spaced.split())
    return found


def _look_up(words: Sequence[str]) -> dict[Sign, int]:
    found: dict[Sign, int] = {}
    spaced = ""
    for word in _PHRASES.keys() & set(words):
        spaced = spaced or f" {' '.join(words)} "
        for phrase, sign in _PHRASES[word]:
            if phrase in spaced:
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


def confidence_of(kind: Type, source: SourceKind) -> float:
    """Confidence of a type from a source, by the table of the semantics."""
    low, high = CONFIDENCE[kind]
    return round(low + (high - low) * WEIGHT[source], 4)


def classify(sentence: str, source: SourceKind, role: Role, *, is_test: bool = False) -> tuple[Type, float]:
    """The type of one sentence and its confidence.

    Args:
        sentence: markup stripped, white space folded.
        source: where it stands.
        role: the part that its statement plays there; it decides alone for raises and assertions.
        is_test: whether it stands in a test.
    """
    kind = _BY_ROLE.get(role) or type_of(shape_of(sentence, source, role, is_test=is_test))
    return kind, confidence_of(kind, source)


_BY_ROLE = {
    Role.RAISE: Type.RISK,
    Role.RAISES: Type.RISK,
    Role.ASSERTION: Type.TEST_EVIDENCE,
    Role.DEPRECATED: Type.DECISION,
}


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


def type_of(shape: Shape) -> Type:
    """The type of a sentence of this shape."""
    by_role = _BY_ROLE.get(shape.role)
    if by_role is not None:
        return by_role
    for kind, holds in RULES:
        if holds(shape):
            return kind
    return Type.IMPLEMENTATION_DETAIL


def _is_test(shape: Shape) -> bool:
    if not shape.is_test or not shape.is_code:
        return False
    return not _is_our_choice(shape)


def _fails(shape: Shape) -> bool:
    if shape.role is Role.PARAMETER or _FAILURES.isdisjoint(shape.words):
        return False
    return _FAILS.match(shape.text) is not None


def _is_security(shape: Shape) -> bool:
    if Sign.SECURITY in shape.signs:
        return True
    return "anitiz" in shape.text and any(word.startswith("sanitiz") for word in shape.words)


def _is_protection(shape: Shape) -> bool:
    """Something is kept safe, in words that mean it only in each other's company."""
    if shape.leads or shape.instructs:
        return False
    signs = shape.signs
    if Sign.ESCAPING in signs and Sign.MARKUP in signs:
        return True
    if Sign.CREDENTIAL in signs and (Sign.SAFETY in signs or Sign.MUST in signs or Sign.ACCESS in signs):
        return True
    return (Sign.TOKEN in signs and Sign.SAFETY in signs) or signs.get(Sign.ACCESS, 0) > 1


def _is_our_choice(shape: Shape) -> bool:
    if shape.text.startswith(("Chosen option", "Decision: ", "Decision outcome")):
        return True
    return Sign.CHOICE in shape.signs and Sign.WE in shape.signs


def _is_rule(shape: Shape) -> bool:
    if Sign.MUST in shape.signs and (not _is_our_choice(shape) or _WE_MUST.search(shape.text)):
        return True
    return bool(("don't" in shape.words or "do" in shape.words) and _PROHIBITION.search(shape.text))


def _is_architecture(shape: Shape) -> bool:
    if Sign.ARCHITECTURE not in shape.signs or shape.instructs or shape.role is Role.PARAMETER:
        return False
    return not shape.acts or shape.words[0] in _STRUCTURAL


_STRUCTURAL = words_in("provide provides define defines wrap wraps delegate delegates decouple decouples")


def _is_choice(shape: Shape) -> bool:
    signs = shape.signs
    if shape.text.startswith("Deprecated"):
        return True
    if Sign.CHOICE in signs:
        return not shape.acts and not shape.instructs
    return Sign.REASON in signs and (Sign.WE in signs or shape.words[0] == "because")


def _is_preference(shape: Shape) -> bool:
    if shape.acts or shape.instructs:
        return False
    if Sign.PREFERENCE in shape.signs and (shape.source is SourceKind.COMMENT or Sign.WE in shape.signs):
        return True
    return "because" in shape.words


def _is_danger(shape: Shape) -> bool:
    return Sign.DANGER in shape.signs or shape.role is Role.WARNING


def _tells_you(shape: Shape) -> bool:
    if Sign.PROCEDURE in shape.signs or shape.words[:2] == ("how", "to"):
        return True
    match = _YOU_WILL.search(shape.text) if "you" in shape.text else None
    return bool(match and match.group(1) in INSTRUCTIONS and match.group(1) not in {"have", "get", "see", "find"})


def _is_limit(shape: Shape) -> bool:
    if shape.role is Role.TABLE_ROW:
        return bool(_VERSION.search(shape.text)) or Sign.LIMIT in shape.signs
    if Sign.LIMIT in shape.signs:
        return True
    return Sign.SHOULD in shape.signs and not _ASKS_WHETHER.search(shape.text)


def _is_behavior(shape: Shape) -> bool:
    if shape.acts:
        if shape.source is SourceKind.COMMENT and shape.opening is Opening.IMPERATIVE:
            return shape.words[0] in {"return", "get"}
        return True
    return shape.role is Role.RETURNS


def _is_outcome(shape: Shape) -> bool:
    if Sign.OUTCOME in shape.signs or (shape.opening is Opening.CONDITION and shape.source is not SourceKind.COMMENT):
        return True
    if "will" in shape.words and _MODAL_ACT.search(shape.text):
        return True
    match = _WHICH_ACT.search(shape.text) if "which" in shape.words else None
    return bool(match and third_person(match.group(1)))


#: In order; the first rule that holds names the type. What a sentence states outright comes before what its
#: words hint at, so most types stand here twice.
RULES: tuple[tuple[Type, Callable[[Shape], bool]], ...] = (
    (Type.TEST_EVIDENCE, _is_test),
    (Type.BEHAVIOR, lambda shape: shape.role is Role.RETURNS),
    (Type.RISK, _fails),
    (Type.SECURITY_RULE, _is_security),
    (Type.SECURITY_RULE, _is_protection),
    (Type.CONSTRAINT, _is_rule),
    (Type.DECISION, _is_our_choice),
    (Type.ARCHITECTURE, _is_architecture),
    (Type.DECISION, _is_choice),
    (Type.RISK, lambda shape: Sign.FAILURE in shape.signs),
    (Type.TEST_EVIDENCE, lambda shape: Sign.TEST in shape.signs and shape.is_test),
    (Type.PROCEDURE, lambda shape: shape.instructs or (not shape.is_code and "please" in shape.words)),
    (Type.BEHAVIOR, _is_behavior),
    (Type.CONSTRAINT, _is_limit),
    (Type.DECISION, _is_preference),
    (Type.RISK, _is_danger),
    (Type.PROCEDURE, _tells_you),
    (Type.BEHAVIOR, _is_outcome),
    (Type.ARCHITECTURE, lambda shape: Sign.INTERFACE in shape.signs and shape.opening is not Opening.IMPERATIVE),
)
