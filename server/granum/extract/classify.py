"""What type of fact a sentence states, and how sure that is.

A sentence's shape is told once (``shape``); then an ordered table of rules is asked, and the first that holds names
the type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from granum.extract.lexicon import INSTRUCTIONS, Sign, worded, words_in
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
    kind = TYPE_BY_ROLE.get(role) or type_of(shape_of(worded(sentence), source, role, is_test=is_test))
    return kind, confidence_of(kind, source)


#: What a statement's role decides by itself.
TYPE_BY_ROLE = {
    Role.RAISE: Type.RISK,
    Role.RAISES: Type.RISK,
    Role.ASSERTION: Type.TEST_EVIDENCE,
    Role.DEPRECATED: Type.DECISION,
}

# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and every sentence needs many.
_RETURNS, _PARAMETER, _WARNING, _TABLE_ROW = Role.RETURNS, Role.PARAMETER, Role.WARNING, Role.TABLE_ROW
_COMMENT = SourceKind.COMMENT
_IMPERATIVE, _CONDITION = Opening.IMPERATIVE, Opening.CONDITION
_IMPLEMENTATION_DETAIL = Type.IMPLEMENTATION_DETAIL
_SECURITY, _CREDENTIAL, _TOKEN, _SAFETY, _ACCESS = Sign.SECURITY, Sign.CREDENTIAL, Sign.TOKEN, Sign.SAFETY, Sign.ACCESS
_ESCAPING, _MARKUP, _MUST, _LIMIT, _SHOULD = Sign.ESCAPING, Sign.MARKUP, Sign.MUST, Sign.LIMIT, Sign.SHOULD
_ARCHITECTURE, _INTERFACE, _CHOICE, _WE = Sign.ARCHITECTURE, Sign.INTERFACE, Sign.CHOICE, Sign.WE
_PREFERENCE, _REASON, _FAILURE, _DANGER = Sign.PREFERENCE, Sign.REASON, Sign.FAILURE, Sign.DANGER
_TEST, _PROCEDURE, _OUTCOME = Sign.TEST, Sign.PROCEDURE, Sign.OUTCOME


def type_of(shape: Shape) -> Type:
    """The type of a sentence of this shape."""
    by_role = TYPE_BY_ROLE.get(shape.role)
    if by_role is not None:
        return by_role
    for kind, holds in _PARAMETER_RULES if shape.role is _PARAMETER else RULES:
        if holds(shape):
            return kind
    return _IMPLEMENTATION_DETAIL


def _is_test(shape: Shape) -> bool:
    if not shape.is_test or not shape.is_code:
        return False
    return not _is_our_choice(shape)


def _fails(shape: Shape) -> bool:
    if _FAILURES.isdisjoint(shape.different):
        return False
    return _FAILS.match(shape.text) is not None


def _is_security(shape: Shape) -> bool:
    if _SECURITY in shape.signs:
        return True
    return "anitiz" in shape.text and any(word.startswith("sanitiz") for word in shape.words)


def _is_protection(shape: Shape) -> bool:
    """Something is kept safe, in words that mean it only in each other's company."""
    if shape.leads or shape.instructs:
        return False
    signs = shape.signs
    if _ESCAPING in signs and _MARKUP in signs:
        return True
    if _CREDENTIAL in signs and (_SAFETY in signs or _MUST in signs or _ACCESS in signs):
        return True
    return (_TOKEN in signs and _SAFETY in signs) or signs.get(_ACCESS, 0) > 1


def _is_our_choice(shape: Shape) -> bool:
    if shape.text.startswith(("Chosen option", "Decision: ", "Decision outcome")):
        return True
    return _CHOICE in shape.signs and _WE in shape.signs


def _is_rule(shape: Shape) -> bool:
    if _MUST in shape.signs and (not _is_our_choice(shape) or _WE_MUST.search(shape.text)):
        return True
    return bool(("don't" in shape.different or "do" in shape.different) and _PROHIBITION.search(shape.text))


def _is_architecture(shape: Shape) -> bool:
    if _ARCHITECTURE not in shape.signs or shape.instructs:
        return False
    return not shape.acts or shape.words[0] in _STRUCTURAL


_STRUCTURAL = words_in("provide provides define defines wrap wraps delegate delegates decouple decouples")


def _is_choice(shape: Shape) -> bool:
    signs = shape.signs
    if shape.text.startswith("Deprecated"):
        return True
    if _CHOICE in signs:
        return not shape.acts and not shape.instructs
    return _REASON in signs and (_WE in signs or shape.words[0] == "because")


def _is_preference(shape: Shape) -> bool:
    if shape.acts or shape.instructs:
        return False
    if _PREFERENCE in shape.signs and (shape.source is _COMMENT or _WE in shape.signs):
        return True
    return "because" in shape.different


def _is_danger(shape: Shape) -> bool:
    return _DANGER in shape.signs or shape.role is _WARNING


def _tells_you(shape: Shape) -> bool:
    if _PROCEDURE in shape.signs or shape.words[:2] == ("how", "to"):
        return True
    match = _YOU_WILL.search(shape.text) if "you" in shape.text else None
    return bool(match and match.group(1) in INSTRUCTIONS and match.group(1) not in {"have", "get", "see", "find"})


def _is_limit(shape: Shape) -> bool:
    if shape.role is _TABLE_ROW:
        return bool(_VERSION.search(shape.text)) or _LIMIT in shape.signs
    if _LIMIT in shape.signs:
        return True
    return _SHOULD in shape.signs and not _ASKS_WHETHER.match(shape.text)


def _is_behavior(shape: Shape) -> bool:
    if shape.acts:
        if shape.source is _COMMENT and shape.opening is _IMPERATIVE:
            return shape.words[0] in {"return", "get"}
        return True
    return shape.role is _RETURNS


def _is_outcome(shape: Shape) -> bool:
    if _OUTCOME in shape.signs or (shape.opening is _CONDITION and shape.source is not _COMMENT):
        return True
    if "will" in shape.different and _MODAL_ACT.search(shape.text):
        return True
    match = _WHICH_ACT.search(shape.text) if "which" in shape.different else None
    return bool(match and third_person(match.group(1)))


#: In order; the first rule that holds names the type. What a sentence states outright comes before what its
#: words hint at, so most types stand here twice.
RULES: tuple[tuple[Type, Callable[[Shape], bool]], ...] = (
    (Type.TEST_EVIDENCE, _is_test),
    (Type.BEHAVIOR, lambda shape: shape.role is _RETURNS),
    (Type.RISK, _fails),
    (Type.SECURITY_RULE, _is_security),
    (Type.SECURITY_RULE, _is_protection),
    (Type.CONSTRAINT, _is_rule),
    (Type.DECISION, _is_our_choice),
    (Type.ARCHITECTURE, _is_architecture),
    (Type.DECISION, _is_choice),
    (Type.RISK, lambda shape: _FAILURE in shape.signs),
    (Type.TEST_EVIDENCE, lambda shape: _TEST in shape.signs and shape.is_test),
    (Type.PROCEDURE, lambda shape: shape.instructs or (not shape.is_code and "please" in shape.different)),
    (Type.BEHAVIOR, _is_behavior),
    (Type.CONSTRAINT, _is_limit),
    (Type.DECISION, _is_preference),
    (Type.RISK, _is_danger),
    (Type.PROCEDURE, _tells_you),
    (Type.BEHAVIOR, _is_outcome),
    (Type.ARCHITECTURE, lambda shape: _INTERFACE in shape.signs and shape.opening is not _IMPERATIVE),
)

#: A parameter's description limits it, decides about it, or just tells what it is for: "a stream for warnings" is no
#: risk.
_PARAMETER_TYPES = {Type.SECURITY_RULE, Type.CONSTRAINT, Type.DECISION}
_PARAMETER_RULES = tuple((kind, holds) for kind, holds in RULES if kind in _PARAMETER_TYPES)
