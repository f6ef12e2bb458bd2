"""The type of a sentence, its near misses, and the confidence table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.extract.classify import classify
from granum.extract.statement import Role
from granum.model.layers import PropositionType as T
from granum.model.layers import SourceKind as S

PLACES = {
    "doc": (S.DOCSTRING, Role.SUMMARY),
    "comment": (S.COMMENT, Role.COMMENT),
    "prose": (S.PROSE, Role.BODY),
    "bullet": (S.BULLET, Role.ITEM),
    "table": (S.TABLE, Role.TABLE_ROW),
}


def type_of(place: str, text: str, *, is_test: bool = False) -> T:
    source, role = PLACES[place]
    return classify(text, source, role, is_test=is_test)[0]


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        # security, and what only looks like it
        ("comment", "Run with shell=False, since the name comes from the user.", T.SECURITY_RULE),
        ("prose", "Never log a password or an access token.", T.SECURITY_RULE),
        ("prose", "Values are escaped before they reach the HTML.", T.SECURITY_RULE),
        ("doc", "Sanitizes a file name given by the client.", T.SECURITY_RULE),
        ("prose", "Only hosts of the allowlist are contacted.", T.SECURITY_RULE),
        ("comment", "sanitizePath drops everything outside the root.", T.SECURITY_RULE),
        ("comment", "Anonymous users are denied unless a permission is granted.", T.SECURITY_RULE),
        ("doc", "The tokenizer splits on white space.", T.IMPLEMENTATION_DETAIL),
        ("doc", "A cancel token that callers share.", T.IMPLEMENTATION_DETAIL),
        ("prose", "Each request takes one throttle token from the bucket.", T.IMPLEMENTATION_DETAIL),
        ("prose", "A coin token is worth one point.", T.IMPLEMENTATION_DETAIL),
        ("doc", "Handles the escape key.", T.BEHAVIOR),
        ("doc", "Returns the next token of the stream.", T.BEHAVIOR),
        ("doc", "Return the signature of the function.", T.BEHAVIOR),
        ("prose", "The passwordless mode has a shorter form.", T.IMPLEMENTATION_DETAIL),
        ("prose", "A signed integer holds the offset.", T.IMPLEMENTATION_DETAIL),
        # constraints
        ("doc", "The value must be positive.", T.CONSTRAINT),
        ("prose", "A name cannot hold a colon.", T.CONSTRAINT),
        ("comment", "Do not call this under the lock.", T.CONSTRAINT),
        ("prose", "At most five workers run.", T.CONSTRAINT),
        ("doc", "Handlers should return None for names that they do not know.", T.CONSTRAINT),
        ("bullet", "The option requires a config file.", T.CONSTRAINT),
        ("doc", "The one that should be first.", T.IMPLEMENTATION_DETAIL),
        ("comment", "A flag that tells if keys should be lower case.", T.IMPLEMENTATION_DETAIL),
        ("table", "System: Linux; Versions: >= 3.10", T.CONSTRAINT),
        ("table", "Name: colour; Meaning: of the line", T.IMPLEMENTATION_DETAIL),
        ("comment", "They do not count twice.", T.IMPLEMENTATION_DETAIL),
        ("prose", "Only a few of them are shown.", T.IMPLEMENTATION_DETAIL),
        ("comment", "The file is read only.", T.IMPLEMENTATION_DETAIL),
        # architecture
        ("doc", "A thin wrapper around the C library.", T.ARCHITECTURE),
        ("prose", "The engine depends on the index.", T.ARCHITECTURE),
        ("doc", "The façade of the retrieval layer.", T.ARCHITECTURE),
        ("comment", "Binds to any interface.", T.BEHAVIOR),
        # decisions
        ("comment", "We chose a list because it keeps the order.", T.DECISION),
        ("prose", "The name is kept for backwards compatibility.", T.DECISION),
        ("comment", "A dict instead of a list, to keep the keys apart.", T.DECISION),
        ("doc", "Deprecated: use open() instead.", T.DECISION),
        ("prose", 'Chosen option: "SQLite", because it always works offline.', T.DECISION),
        ("prose", "Its value is one string (instead of many).", T.IMPLEMENTATION_DETAIL),
        # risks
        ("doc", "Raises ValueError if the name is empty.", T.RISK),
        ("doc", "MinArgs returns an error if there is not at least one.", T.RISK),
        ("doc", "Dropping it will cause a panic.", T.RISK),
        ("comment", "Two writers may corrupt the file.", T.RISK),
        ("prose", "This may not work on Windows.", T.RISK),
        ("prose", "Warning: the format is experimental.", T.RISK),
        ("doc", "It never raises an error.", T.CONSTRAINT),
        # procedures
        ("prose", "Create a branch and push it.", T.PROCEDURE),
        ("prose", "To build the docs, run make.", T.PROCEDURE),
        ("prose", "When the port is taken, choose another one.", T.PROCEDURE),
        ("doc", "Use this to open a file.", T.PROCEDURE),
        ("bullet", "Make a topic branch: git switch -c name", T.PROCEDURE),
        ("bullet", "cc: a list of addresses", T.IMPLEMENTATION_DETAIL),
        # behaviour
        ("doc", "Return the smallest paragraph.", T.BEHAVIOR),
        ("doc", "Collate the objects.", T.BEHAVIOR),
        ("doc", "Safely gets the name.", T.BEHAVIOR),
        ("doc", "MatchAll allows several checks.", T.BEHAVIOR),
        ("comment", "this disables the listing", T.BEHAVIOR),
        ("prose", "The server will answer with a list.", T.BEHAVIOR),
        ("doc", "If the cache holds the key, the entry goes.", T.BEHAVIOR),
        ("doc", "Helper to parse a date.", T.BEHAVIOR),
        # the rest
        ("doc", "Tokens that can be used here.", T.IMPLEMENTATION_DETAIL),
        ("doc", "The default digest method.", T.IMPLEMENTATION_DETAIL),
        ("comment", "Scale it within the bucket", T.IMPLEMENTATION_DETAIL),
        ("prose", "fetch takes an address and a name.", T.BEHAVIOR),
        ("prose", "Support for gzip is there.", T.IMPLEMENTATION_DETAIL),
        ("prose", "There will be two of them.", T.IMPLEMENTATION_DETAIL),
    ],
)
def test_a_sentence_has_the_type_of_its_strongest_sign(place: str, text: str, expected: T) -> None:
    assert type_of(place, text) is expected


@pytest.mark.parametrize("text", ["It should set the key.", "Root has all permissions, never less.", "An empty list."])
def test_docs_and_comments_of_tests_are_evidence(text: str) -> None:
    assert type_of("doc", text, is_test=True) is T.TEST_EVIDENCE
    assert type_of("comment", text, is_test=True) is T.TEST_EVIDENCE


def test_our_reasons_stay_decisions_in_tests() -> None:
    assert type_of("comment", "The clock drifts, so we fake it.", is_test=True) is T.DECISION


@pytest.mark.parametrize(
    ("role", "source", "expected"),
    [
        (Role.RAISE, S.RAISE, T.RISK),
        (Role.RAISES, S.DOCSTRING, T.RISK),
        (Role.ASSERTION, S.ASSERTION, T.TEST_EVIDENCE),
        (Role.DEPRECATED, S.DIRECTIVE, T.DECISION),
        (Role.RETURNS, S.DOCSTRING, T.BEHAVIOR),
    ],
)
def test_the_source_decides_before_the_words(role: Role, source: S, expected: T) -> None:
    assert classify("It must never be a password.", source, role)[0] is expected


def test_a_parameter_is_a_detail_unless_it_limits() -> None:
    def parameter(text: str) -> T:
        return classify(text, S.DOCSTRING, Role.PARAMETER)[0]

    assert parameter("path: the path of the file") is T.IMPLEMENTATION_DETAIL
    assert parameter("count: must be at least one") is T.CONSTRAINT


@pytest.mark.parametrize(
    ("text", "source", "role", "confidence"),
    [
        ("The value must be positive.", S.DOCSTRING, Role.SUMMARY, 0.93),
        ("The value must be positive.", S.COMMENT, Role.COMMENT, 0.87),
        ("The value must be positive.", S.BULLET, Role.ITEM, 0.8175),
        ("The value must be positive.", S.NUMBERED, Role.ITEM, 0.795),
        ("The value must be positive.", S.PROSE, Role.BODY, 0.78),
        ("Never log a password.", S.DOCSTRING, Role.SUMMARY, 0.99),
        ("Never log a password.", S.PROSE, Role.BODY, 0.85),
        ("A thin wrapper around it.", S.DOCSTRING, Role.SUMMARY, 0.95),
        ("We chose it.", S.PROSE, Role.BODY, 0.80),
        ("Raises ValueError: no when x", S.RAISE, Role.RAISE, 0.80),
        ("Two threads may deadlock.", S.DOCSTRING, Role.SUMMARY, 0.80),
        ("test_a: assert x", S.ASSERTION, Role.ASSERTION, 0.87),
        ("Return it.", S.DOCSTRING, Role.SUMMARY, 0.85),
        ("Create a branch.", S.NUMBERED, Role.ITEM, 0.715),
        ("The name of it.", S.COMMENT, Role.COMMENT, 0.79),
    ],
)
def test_confidence_lies_between_the_bounds_by_source(text: str, source: S, role: Role, confidence: float) -> None:
    assert classify(text, source, role)[1] == pytest.approx(confidence)


@given(st.text(max_size=120), st.sampled_from(list(S)), st.sampled_from(list(Role)), st.booleans())
def test_any_text_has_a_type(text: str, source: S, role: Role, is_test: bool) -> None:
    kind, confidence = classify(text, source, role, is_test=is_test)
    assert kind in T
    assert 0.7 <= confidence <= 0.99


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("warning: A file-like object to write warnings to.", T.IMPLEMENTATION_DETAIL),
        ("pdb: If true, start the debugger when an error is raised.", T.IMPLEMENTATION_DETAIL),
        ("parallel: The maximum number of jobs, which must be positive.", T.CONSTRAINT),
    ],
)
def test_a_parameter_is_described_or_limited_but_is_no_risk(text: str, kind: T) -> None:
    assert classify(text, S.DOCSTRING, Role.PARAMETER)[0] is kind
