"""reStructuredText documents become sections, statements, mentions and described objects with exact places."""

from __future__ import annotations

from textwrap import dedent

import pytest

from granum.extract.prose import extract_rst
from granum.extract.rst import read_rst
from granum.extract.statement import Role
from granum.model.layers import SourceKind


def text_of(source: str) -> str:
    return dedent(source).lstrip("\n")


def stated(source: str) -> list[tuple[str, str, int, int, str]]:
    return [
        (entry.role.value, entry.source.value, entry.start_line, entry.end_line, entry.text)
        for entry in read_rst(text_of(source)).statements
    ]


def test_titles_take_their_levels_from_the_order_of_their_styles() -> None:
    outline = read_rst(
        text_of("""
            ========
              Over
            ========

            Under
            =====

            Deep ``code``
            -------------

            Again
            =====

            ----

            Short title
            ----
        """)
    )
    assert [
        (entry.level, entry.title, entry.start_line, entry.end_line, entry.line, entry.column)
        for entry in outline.headings
    ] == [
        (1, "Over", 1, 3, 2, 2),
        (2, "Under", 5, 6, 5, 0),
        (3, "Deep code", 8, 9, 8, 0),
        (2, "Again", 11, 12, 11, 0),
        (3, "Short title", 16, 17, 16, 0),
    ]


def test_sections_become_paragraphs_with_their_heading_path() -> None:
    source = ".. _top:\n\nGuide\n=====\n\nIntro words.\n\nRules\n-----\n\nNever do it.\n"
    found = extract_rst("docs/guide.rst", source)
    assert [(entry.qualified_name, entry.start_line, entry.end_line) for entry in found.paragraphs] == [
        ("Guide", 3, 6),
        ("Guide > Rules", 8, 11),
    ]


def test_lists_of_every_kind() -> None:
    assert stated("""
        * A bullet
          that wraps.

          Its second paragraph.

          - Nested.

        1. First step.
        #. Second step.

        (a) In parentheses.

        Term
            Its definition
            wraps too.

        -v, --verbose   Says more.
    """) == [
        ("item", "bullet", 1, 2, "A bullet\nthat wraps."),
        ("item", "bullet", 4, 4, "Its second paragraph."),
        ("item", "bullet", 6, 6, "Nested."),
        ("item", "numbered", 8, 8, "First step."),
        ("item", "numbered", 9, 9, "Second step."),
        ("item", "numbered", 11, 11, "In parentheses."),
        ("item", "bullet", 14, 15, "Its definition\nwraps too."),
        ("item", "bullet", 17, 17, "Says more."),
    ]


def test_a_sentence_that_begins_like_an_enumeration_is_a_paragraph() -> None:
    assert stated("A. Einstein was\na physicist.\n") == [("body", "prose", 1, 2, "A. Einstein was\na physicist.")]


def test_admonitions_carry_their_role_wherever_their_text_begins() -> None:
    assert stated("""
        .. note::

           Words of a note.

        .. warning:: It begins here
           and goes on.

           - An item in it.

        .. admonition:: A title

           Titled words.

        .. seealso::

           Never read this.
    """) == [
        ("note", "directive", 3, 3, "Words of a note."),
        ("warning", "directive", 5, 6, "It begins here\nand goes on."),
        ("warning", "bullet", 8, 8, "An item in it."),
        ("note", "directive", 12, 12, "Titled words."),
    ]


def test_version_directives_say_what_happened_when() -> None:
    assert stated("""
        .. versionadded:: 1.0

        .. versionchanged:: 2.0

           It returns a tuple.

        .. deprecated:: 3.0 Use the other.

        .. deprecated-removed:: 3.1 4.0
           Gone soon.
    """) == [
        ("note", "directive", 5, 5, "Changed in version 2.0: It returns a tuple."),
        ("deprecated", "directive", 7, 7, "Deprecated since version 3.0: Use the other."),
        ("deprecated", "directive", 10, 10, "Deprecated since version 3.1: Gone soon."),
    ]


OBJECTS = """
    .. class:: pkg.Store(path)
       :no-index:

       Keeps all rows.

       .. method:: get(key)
       .. method:: aget(key)

          Returns a row.

          Later words.

          :param key: what to find
          :type key: str
          :param int limit: at most so many
          :returns: the row
          :raises KeyError: if it is missing
"""


def test_objects_are_described_by_a_summary_and_their_fields() -> None:
    outline = read_rst(text_of(OBJECTS))
    assert [(entry.name, entry.line, entry.column, entry.end_column, entry.end_line) for entry in outline.objects] == [
        ("pkg.Store", 1, 15, 20, 17),
        ("pkg.Store.get", 6, 15, 18, 6),
        ("pkg.Store.aget", 7, 15, 19, 17),
    ]
    assert [(entry.role, entry.label, entry.start_line, entry.text) for entry in outline.statements] == [
        (Role.SUMMARY, "pkg.Store", 4, "Keeps all rows."),
        (Role.SUMMARY, "pkg.Store.aget", 9, "Returns a row."),
        (Role.BODY, "", 11, "Later words."),
        (Role.PARAMETER, "key", 13, "what to find"),
        (Role.PARAMETER, "limit", 15, "at most so many"),
        (Role.RETURNS, "", 16, "the row"),
        (Role.RAISES, "KeyError", 17, "if it is missing"),
    ]


def test_propositions_mention_the_objects_that_share_their_description() -> None:
    found = extract_rst("docs/api.rst", text_of(OBJECTS))
    mentions = {entry.text: set(entry.mentions) for entry in found.propositions}
    assert mentions["Keeps all rows."] == {"pkg.Store"}
    assert mentions["Returns a row."] >= {"pkg.Store.aget", "pkg.Store.get"}


@pytest.mark.parametrize(
    ("directive", "rows"),
    [
        (
            """
            +-------+---------+
            | Name  | Rule    |
            +=======+=========+
            | a     | one     |
            |       | two     |
            +-------+---------+
            | spans both      |
            +-------+---------+
            """,
            [(4, 5, ("a", "one two")), (7, 7, ("spans both", ""))],
        ),
        (
            """
            ====== =======
            Name   Rule
            ====== =======
            a      one
                   two
            b      three four
            ====== =======
            """,
            [(4, 5, ("a", "one two")), (6, 6, ("b", "three four"))],
        ),
        (
            """
            .. list-table:: Title
               :header-rows: 1

               * - Name
                 - Rule
               * - a
                 - one
                   two
            """,
            [(6, 8, ("a", "one two"))],
        ),
        (
            """
            .. csv-table:: Title
               :header: "Name", "Rule"

               "a", "one, two"
               b, three
            """,
            [(4, 4, ("a", "one, two")), (5, 5, ("b", "three"))],
        ),
    ],
    ids=["grid", "simple", "list", "csv"],
)
def test_tables(directive: str, rows: list[tuple[int, int, tuple[str, ...]]]) -> None:
    statements = read_rst(text_of(directive)).statements
    assert [(entry.start_line, entry.end_line, entry.cells) for entry in statements] == rows
    assert {entry.headers for entry in statements} == {("Name", "Rule")}
    assert {entry.source for entry in statements} == {SourceKind.TABLE}


def test_what_is_no_prose_states_nothing() -> None:
    assert (
        stated("""
        :orphan:

        .. A comment that must stay out.
           All of it.

        .. code-block:: python

           must_stay_out()

        .. toctree::

           one
           two

        >>> must_stay_out()
        1

        .. |name| replace:: must stay out

        .. _target: https://must.stay.out

        .. image:: must-stay-out.png

        __ https://must.stay.out

        * :doc:`/only/a/reference`

        .. contents::
    """)
        == []
    )


def test_a_literal_block_is_code_and_its_announcement_is_kept_with_one_colon() -> None:
    outline = read_rst("Write this::\n\n    `never` a mention\n\n    still code\n\nBehind `it` again.\n")
    assert [(entry.start_line, entry.text) for entry in outline.statements] == [
        (1, "Write this:"),
        (7, "Behind `it` again."),
    ]
    assert outline.opaque == [(3, 5)]
    found = extract_rst("a.rst", "Write this::\n\n    `never` a mention\n\n    still code\n\nBehind `it` again.\n")
    assert [entry.name for entry in found.references] == ["it"]


def test_roles_name_what_they_refer_to() -> None:
    source = "See :class:`~a.b.Store`, :meth:`the title <Store.get>`, :func:`run()`, :ref:`label`, :pep:`8`, `link`_.\n"
    found = extract_rst("a.rst", source)
    assert [(entry.name, source[entry.column : entry.end_column]) for entry in found.references] == [
        ("a.b.Store", "Store"),
        ("Store.get", "get"),
        ("run", "run"),
    ]


def test_nesting_is_read_to_a_bounded_depth() -> None:
    sources = [
        "\n\n".join("  " * level + "words" for level in range(700)),
        "\n\n".join("  " * level + "- words" for level in range(700)),
        "\n\n".join("   " * level + ".. note::" for level in range(500)),
        "- " * 5000 + "words",
    ]
    for source in sources:
        found = extract_rst("a.rst", f"{source}\n\nlast words\n")
        assert found.paragraphs[-1].end_line == source.count("\n") + 3


def test_sixty_thousand_unclosed_inline_marks_do_not_hang() -> None:
    for mark in ("*a ", "`a ", "|a ", ":a:`b ", "[a", "(a) ", ":a:", "``a "):
        source = mark * 60_000
        assert extract_rst("a.rst", source).paragraphs[0].end_line == 1
