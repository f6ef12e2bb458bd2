"""Which sentences become propositions, in what form, and where they stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.extract.propositions import LONGEST, SHORTEST, assemble, mentions_in, shorten
from granum.extract.statement import Role, Statement
from granum.model.layers import Occurrence, Paragraph, ParagraphKind, Proposition, SourceKind
from granum.model.layers import PropositionType as T
from granum.text.normalise import fingerprint

SOURCE_OF = {
    Role.COMMENT: SourceKind.COMMENT,
    Role.BODY: SourceKind.PROSE,
    Role.ITEM: SourceKind.BULLET,
    Role.TABLE_ROW: SourceKind.TABLE,
    Role.RAISE: SourceKind.RAISE,
    Role.ASSERTION: SourceKind.ASSERTION,
    Role.WARNING: SourceKind.DIRECTIVE,
    Role.DEPRECATED: SourceKind.DIRECTIVE,
}


def statement(text: str, role: Role = Role.SUMMARY, start: int = 1, **fields: Any) -> Statement:
    fields.setdefault("source", SOURCE_OF.get(role, SourceKind.DOCSTRING))
    return Statement(text=text, role=role, start_line=start, end_line=start + text.count("\n"), **fields)


def paragraph(start: int, end: int, index: int = 0) -> Paragraph:
    return Paragraph(
        kind=ParagraphKind.FUNCTION,
        qualified_name=f"f{index}",
        ordinal=0,
        paragraph_index=index,
        start_line=start,
        end_line=end,
        text="",
        token_count=1,
    )


def facts(*statements: Statement) -> tuple[Proposition, ...]:
    return assemble(statements, [paragraph(1, 1000)])


def texts(*statements: Statement) -> list[str]:
    return [fact.text for fact in facts(*statements)]


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (Role.SUMMARY, "See the base class for it."),
        (Role.SUMMARY, "The class supports three ways:"),
        (Role.SUMMARY, "Too short."),
        (Role.BODY, "Thanks for taking part in this."),
        (Role.BODY, "This section describes how the cache is built."),
        (Role.BODY, "For more information, see the manual of the tool."),
        (Role.BODY, "Read the section on caches in the documentation first."),
        (Role.BODY, "Is the cache cleared when it is full?"),
        (Role.BODY, "For example, the cache is cleared when it is full."),
        (Role.BODY, "We now look at the cache and how it is built."),
        (Role.ITEM, "Choose one of these ways:"),
        (Role.BODY, "If you are new to this, the tutorial helps."),
        (Role.BODY, "To read the last of them, you could do this:"),
        (Role.BODY, "Another option is to clear the cache by hand."),
        (Role.BODY, "A store of every word and its meaning"),
        (Role.BODY, "https://example.org/a/very/long/address"),
        (Role.BODY, "**Utility methods of a class**"),
        (Role.COMMENT, "Copyright 2020 the authors of this file"),
        (Role.COMMENT, "SPDX-License-Identifier: Apache-2.0"),
        (Role.COMMENT, "noqa: E501 because the line must be long"),
        (Role.COMMENT, "type: ignore[override] as it must be so"),
        (Role.COMMENT, "value = cache.get(name)"),
        (Role.COMMENT, "def cached(name):"),
        (Role.COMMENT, "return value"),
        (Role.COMMENT, "if name in cache:"),
        (Role.COMMENT, "import os.path"),
        (Role.COMMENT, "-------- parsing --------"),
        (Role.COMMENT, "clear the cache of names"),
        (Role.COMMENT, "TODO: clear the cache because it must be small"),
        (Role.ITEM, "the name of it"),
        (Role.PARAMETER, "name: the name of the file"),
        (Role.RETURNS, "Returns: A string"),
    ],
)
def test_what_states_nothing_is_dropped(role: Role, text: str) -> None:
    assert texts(statement(text, role)) == []


@pytest.mark.parametrize(
    ("role", "text"),
    [
        (Role.SUMMARY, "Base class for handlers."),
        (Role.SUMMARY, "Read the next line of the file."),
        (Role.BODY, "The table is created on first use."),
        (Role.BODY, "The command runs as another user."),
        (Role.BODY, "Please open an issue first."),
        (Role.COMMENT, "Otherwise the lock is held twice."),
        (Role.COMMENT, "class attributes (of the base) cannot be set here"),
        (Role.ITEM, "Install the package."),
        (Role.ITEM, "name: the part before the dot, in lower case"),
        (Role.PARAMETER, "name: None if there is no file"),
        (Role.RETURNS, "Returns: True if the file is there."),
        (Role.WARNING, "The format is experimental."),
    ],
)
def test_what_states_a_fact_is_kept(role: Role, text: str) -> None:
    assert texts(statement(text, role)) == [text]


def test_a_comment_that_repeats_the_code_beside_it_is_dropped() -> None:
    comment = "Now the cached names are cleared again"
    assert texts(statement(comment, Role.COMMENT, context="cached_names.clear()")) == []
    assert texts(statement("Never clear cached names", Role.COMMENT, context="cached_names")) != []


def test_two_sentences_of_a_short_comment_are_one_fact() -> None:
    short = statement("The entry is too old.\nDo not try the next one.", Role.COMMENT)
    assert texts(short) == ["The entry is too old. Do not try the next one."]
    (fact,) = facts(short)
    assert (fact.type, fact.occurrences[0].start_line, fact.occurrences[0].end_line) == (T.CONSTRAINT, 1, 2)


def test_an_instruction_before_code_loses_its_colon() -> None:
    text = "To use it for all requests, put its name into the settings:"
    assert texts(statement(text, Role.BODY)) == [text[:-1]]


def test_the_first_words_of_a_described_object_are_its_summary() -> None:
    noun = statement("Directory of pickled trees.", Role.BODY, label="Env.trees")
    assert texts(noun) == ["Directory of pickled trees."]
    assert texts(statement("Directory of pickled trees.", Role.BODY)) == []


@pytest.mark.parametrize(
    ("role", "label", "text", "expected"),
    [
        (Role.PARAMETER, "name", "None if there is no file", "name: None if there is no file"),
        (Role.PARAMETER, "name", "name: None if there is no file", "name: None if there is no file"),
        (Role.RETURNS, "", "True if the file is there.", "Returns: True if the file is there."),
        (Role.RAISES, "KeyError", "the name is unknown", "Raises KeyError: the name is unknown"),
        (Role.RAISES, "KeyError", "Raises KeyError: no name", "Raises KeyError: no name"),
    ],
)
def test_a_section_entry_can_be_read_alone(role: Role, label: str, text: str, expected: str) -> None:
    assert texts(statement(text, role, label=label)) == [expected]


def test_table_rows_name_their_headers() -> None:
    row = statement(
        "| a | b |", Role.TABLE_ROW, headers=("System", "Versions", "Notes"), cells=("Linux", ">= 3.10", "")
    )
    (fact,) = facts(row)
    assert (fact.text, fact.type) == ("System: Linux; Versions: >= 3.10", T.CONSTRAINT)
    assert texts(statement("| a |", Role.TABLE_ROW, headers=("Name",), cells=("a lonely cell",))) == []


def test_raises_and_assertions_are_taken_as_they_stand() -> None:
    raised = "Raises ValueError: no name in `x` when not name"
    asserted = "test_x: assert x == ['a:']"
    long = "test_y: assert " + "y" * 400
    found = facts(
        statement(raised, Role.RAISE), statement(asserted, Role.ASSERTION, 2), statement(long, Role.ASSERTION, 3)
    )
    assert [fact.text for fact in found[:2]] == [raised, asserted]
    assert len(found[2].text) == LONGEST
    assert [fact.type for fact in found] == [T.RISK, T.TEST_EVIDENCE, T.TEST_EVIDENCE]


def test_under_a_decision_heading_a_plain_sentence_is_the_decision() -> None:
    text = "We store every row in one file."
    assert [fact.type for fact in facts(statement(text, Role.BODY, heading="Decision"))] == [T.DECISION]
    assert texts(statement(text, Role.BODY, heading="Usage")) == []


def test_a_version_directive_stands_before_its_text() -> None:
    doc = statement("Return it.\n\n.. versionchanged:: 2.0\n    The name is\n    kept.")
    found = facts(doc)
    assert [(f.text, f.occurrences[0].start_line, f.occurrences[0].end_line) for f in found] == [
        ("Changed in version 2.0: The name is kept.", 4, 5),
    ]


def test_equal_texts_share_a_row_with_all_their_places() -> None:
    paragraphs = [paragraph(1, 40, 0), paragraph(2, 9, 1), paragraph(10, 19, 2)]
    same = "The name must be *unique*."
    found = assemble(
        [
            statement(same, start=12, symbol="B.f"),
            statement("The name must\nbe unique.", Role.COMMENT, start=3, symbol="A.f"),
            statement("Never call it twice.", start=30),
        ],
        paragraphs,
    )
    assert [fact.text for fact in found] == ["The name must be unique.", "Never call it twice."]
    assert found[0].hash == fingerprint(same)
    assert (found[0].source, found[0].confidence) == (SourceKind.DOCSTRING, 0.93)
    assert found[0].occurrences == (
        Occurrence(start_line=3, end_line=4, paragraph=1, symbol="A.f"),
        Occurrence(start_line=12, end_line=12, paragraph=2, symbol="B.f"),
    )
    assert found[1].occurrences[0].paragraph == 0


def test_a_fact_between_paragraphs_belongs_to_the_one_before() -> None:
    (fact,) = assemble([statement("The name must be unique.", start=20)], [paragraph(1, 5, 0), paragraph(30, 40, 1)])
    assert fact.occurrences[0].paragraph == 0
    assert assemble([statement("The name must be unique.")], []) == ()


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Calls ``os.path.join`` and `close()`.", ("os.path.join", "close")),
        ("Use :class:`~a.b.Cache` or :func:`the one <a.f>`.", ("a.b.Cache", "a.f")),
        ("SkipQueue keeps last_item of self.items.", ("SkipQueue", "last_item", "self.items")),
        ("Words, e.g. these, at 2.0 or x/y.", ()),
        ("Set ``a = 1`` twice: `name` and `name`.", ("name",)),
        ("An __init__ with maxSize.", ("__init__", "maxSize")),
    ],
)
def test_mentions_are_names_as_written(sentence: str, names: tuple[str, ...]) -> None:
    assert mentions_in(sentence) == names


def test_a_long_sentence_is_cut_at_a_clause() -> None:
    head = "The name must be unique " + "and so on " * 20
    assert shorten(f"{head.strip()}; " + "x" * 200) == head.strip()
    assert shorten("x" * 400) == ""
    assert shorten("x" * LONGEST) == "x" * LONGEST


@given(
    st.lists(
        st.tuples(st.text(max_size=400), st.sampled_from([r for r in Role if r is not Role.TABLE_ROW])), max_size=4
    )
)
def test_any_statement_gives_well_formed_facts(rows: list[tuple[str, Role]]) -> None:
    statements = [statement(text, role, start=1 + 10 * at, label="x") for at, (text, role) in enumerate(rows)]
    found = facts(*statements)
    assert len({fact.hash for fact in found}) == len(found)
    for fact in found:
        assert SHORTEST <= len(fact.text) <= LONGEST
        assert fact.occurrences
        assert all(place.start_line <= place.end_line for place in fact.occurrences)
