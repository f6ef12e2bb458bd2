"""What type of fact a sentence states, and how sure that is.

A sentence's shape is told once (``shape``); then an ordered table of rules is asked, and the first that holds names
the type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from granum.extract.lexicon import INSTRUCTIONS, Sign, words_in
from granum.extract.shape import Opening, Shape, shape_of, third_person
from granum.extract.statement import Role
from granum.model.layers import PropositionType as Type
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Callable

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

_CONFIDENCE = {
    (kind, source): round(low + (high - low) * weight, 4)
    for kind, (low, high) in CONFIDENCE.items()
    for source, weight in WEIGHT.items()
}

_PROHIBITION = re.compile(r"(?:^|[.;:!,–—-] |\b(?:so|please|important) )(?:do not|don['’]t)\b", re.IGNORECASE)
_FAILS = re.compile(
    r"(?:[\w.()`]+ )?returns? (?:an? |the )?err(?:or)?s?\b|(?:.*?\W)??(?<!never )(?<!not )(?<!n't )"
    r"(?:(?:raises?|raised|throws?|thrown|panics?)\b(?! (?:the|awareness|by hand))|(?:may|might) not work\b)",
    re.IGNORECASE,
)
_FAILURES = words_in("raise raises raised throw throws thrown panic panics error errors err errs work")
_MODAL_ACT = re.compile(r"(?<!here )\bwill (?!not\b)\w", re.IGNORECASE)
_YOU_WILL = re.compile(r"\byou(?:['’]ll| will) (\w+)", re.IGNORECASE)
#: "True if it should be kept" tells a meaning, no rule.
_ASKS_WHETHER = re.compile(r"\W*+\w.*\b(?:if|whether|how|what|which|where)\b[^,;]* should\b", re.IGNORECASE)
_WE_MUST = re.compile(r"\bwe (?:must|cannot|can't|may not)\b", re.IGNORECASE)
_WHICH_ACT = re.compile(r", which (?:also |then |only )?(\w+s)\b")
_VERSION = re.compile(r"(?:>=|<=|≥|≤|[<>] ?\d|\bv?\d+(?:\.\d+)*\+)")


def confidence_of(kind: Type, source: SourceKind) -> float:
    """Confidence of a type from a source, by the table of the semantics."""
    return _CONFIDENCE[kind, source]


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


def type_of(shape: Shape) -> Type:
    """The type of a sentence of this shape."""
    by_role = _BY_ROLE.get(shape.role)
    if by_role is not None:
        return by_role
    rules = _PARAMETER_RULES if shape.role is Role.PARAMETER else RULES
    for kind, holds in rules:
        if holds(shape):
            return kind
    return Type.IMPLEMENTATION_DETAIL


def _is_test(shape: Shape) -> bool:
    if not shape.is_test or not shape.is_code:
        return False
    return not _is_our_choice(shape)


def _fails(shape: Shape) -> bool:
    if _FAILURES.isdisjoint(shape.words):
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
    if Sign.ARCHITECTURE not in shape.signs or shape.instructs:
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
    return Sign.SHOULD in shape.signs and not _ASKS_WHETHER.match(shape.text)


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

#: A parameter's description limits it, decides about it, or just tells what it is for: "a stream for warnings" is no
#: risk.
_PARAMETER_TYPES = {Type.SECURITY_RULE, Type.CONSTRAINT, Type.DECISION}
_PARAMETER_RULES = tuple((kind, holds) for kind, holds in RULES if kind in _PARAMETER_TYPES)
