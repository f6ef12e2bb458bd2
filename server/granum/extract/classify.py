"""What type of fact a sentence states, and how sure that is.

The types are tried in the order of ``PropositionType``; the first whose signs hold wins. Strong signs are tried
for all types before weak ones. The words are in ``lexicon``.
"""

from __future__ import annotations

import re

from granum.extract.lexicon import INSTRUCTIONS, SIGNS, VERBS, Sign
from granum.extract.statement import Role
from granum.model.layers import PropositionType as Type
from granum.model.layers import SourceKind

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


_WORD = re.compile(r"[\w'’=.]*\w")


def _index() -> dict[str, tuple[tuple[str, Sign], ...]]:
    """First word of a phrase -> (the phrase between spaces, its sign)."""
    table: dict[str, list[tuple[str, Sign]]] = {}
    for sign, phrases in SIGNS.items():
        for phrase in phrases:
            table.setdefault(phrase.split()[0], []).append((f" {phrase} ", sign))
    return {word: tuple(entries) for word, entries in table.items()}


_PHRASES = _index()


def words_of(sentence: str) -> list[str]:
    """The sentence's words, lower case; identifiers and hyphenated words also by their parts."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]


def signs_of(words: list[str]) -> set[Sign]:
    """All signs whose phrases stand in the sentence."""
    spaced = ""
    found: set[Sign] = set()
    for word in words:
        entries = _PHRASES.get(word)
        if entries is None:
            continue
        for phrase, sign in entries:
            if sign in found:
                continue
            if not spaced:
                spaced = f" {' '.join(words)} "
            if phrase in spaced:
                found.add(sign)
    return found


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
    kind = _by_role(role) or _by_words(sentence, source, role, is_test=is_test)
    return kind, confidence_of(kind, source)


def _by_role(role: Role) -> Type | None:
    if role in {Role.RAISE, Role.RAISES}:
        return Type.RISK
    if role is Role.ASSERTION:
        return Type.TEST_EVIDENCE
    if role is Role.DEPRECATED:
        return Type.DECISION
    return None


def base_verb(word: str, verbs: frozenset[str]) -> bool:
    """Whether a word is one of these verbs in its base form."""
    return word in verbs


def third_person(word: str) -> bool:
    """Whether a word is one of the known verbs with the ending of the third person."""
    if not word.endswith("s"):
        return False
    return word[:-1] in VERBS or (word.endswith("es") and (word[:-2] in VERBS or word[:-3] + "y" in VERBS))


def _by_words(sentence: str, source: SourceKind, role: Role, *, is_test: bool) -> Type:
    words = words_of(sentence)
    if not words:
        return Type.IMPLEMENTATION_DETAIL
    signs = signs_of(words)
    if is_test and source in {SourceKind.DOCSTRING, SourceKind.COMMENT} and Sign.DECISION not in signs:
        return Type.TEST_EVIDENCE
    credential = Sign.CREDENTIAL in signs and Sign.PROTECTION in signs and Sign.NO_CREDENTIAL not in signs
    documented = source in {SourceKind.DOCSTRING, SourceKind.COMMENT}
    acts = third_person(words[0]) or (documented and words[0] in VERBS)
    instructs = not documented and words[0] in INSTRUCTIONS
    if Sign.SECURITY in signs:
        return Type.SECURITY_RULE
    if credential and not acts and not instructs:
        return Type.SECURITY_RULE
    if Sign.MUST in signs and Sign.NO_LIMIT not in signs:
        return Type.CONSTRAINT
    if Sign.ARCHITECTURE in signs and not acts and not instructs:
        return Type.ARCHITECTURE
    if Sign.DECISION in signs:
        return Type.DECISION
    if Sign.RISK in signs:
        return Type.RISK
    if Sign.TEST in signs and is_test:
        return Type.TEST_EVIDENCE
    if acts:
        return Type.BEHAVIOR
    if Sign.SHOULD in signs or (Sign.LIMIT in signs and Sign.NO_LIMIT not in signs):
        return Type.CONSTRAINT
    if instructs or Sign.PROCEDURE in signs:
        return Type.PROCEDURE
    if Sign.MODAL_BEHAVIOR in signs or role is Role.RETURNS:
        return Type.BEHAVIOR
    return Type.IMPLEMENTATION_DETAIL
