"""Markdown documents become sections, statements, mentions and summaries with exact places."""

from __future__ import annotations

from textwrap import dedent

from granum.extract.markdown import read_markdown
from granum.extract.prose import extract_markdown
from granum.extract.statement import Role
from granum.model.layers import Granularity, ParagraphKind, SourceKind, SourceType, SymbolKind


def text_of(source: str) -> str:
    return dedent(source).lstrip("\n")


def stated(source: str) -> list[tuple[str, str, int, int, str]]:
    return [
        (entry.role.value, entry.source.value, entry.start_line, entry.end_line, entry.text)
        for entry in read_markdown(text_of(source)).statements
    ]


GUIDE = """
    ---
    title: The guide
    tags: [a, b]
    ---
    Words before any heading.

    # Guide

    The cache keeps `Entry` objects
    until `Cache.clear()` is called.

    ## Rules

    - Never share a cache between threads.

    ```python
    # not a heading

    - not an item
    ```

    ## Rules

    Again.
"""


def test_each_heading_makes_a_section_with_exact_lines() -> None:
    found = extract_markdown("docs/guide.md", text_of(GUIDE))
    assert [
        (entry.qualified_name, entry.ordinal, entry.start_line, entry.end_line, entry.heading_path)
        for entry in found.paragraphs
    ] == [
        ("The guide", 0, 1, 5, ()),
        ("Guide", 0, 7, 10, ("Guide",)),
        ("Guide > Rules", 0, 12, 20, ("Guide", "Rules")),
        ("Guide > Rules", 1, 22, 24, ("Guide", "Rules")),
    ]
    assert {entry.kind for entry in found.paragraphs} == {ParagraphKind.SECTION}
    assert found.paragraphs[1].symbol_names == ("Entry", "Cache.clear")
    assert found.paragraphs[1].text == "# Guide\n\nThe cache keeps `Entry` objects\nuntil `Cache.clear()` is called."
    assert found.paragraphs[1].summary == "The cache keeps Entry objects until Cache.clear() is called."
    assert found.line_count == 24
    assert found.language == "markdown"


def test_headings_are_symbols_over_what_stands_below_them() -> None:
    found = extract_markdown("docs/guide.md", text_of(GUIDE))
    assert [
        (entry.qualified_name, entry.ordinal, entry.start_line, entry.end_line, entry.name_line, entry.name_column)
        for entry in found.symbols
    ] == [("Guide", 0, 7, 24, 7, 2), ("Guide > Rules", 0, 12, 20, 12, 3), ("Guide > Rules", 1, 22, 24, 22, 3)]
    assert [entry.paragraph for entry in found.symbols] == [1, 2, 3]
    assert {entry.kind for entry in found.symbols} == {SymbolKind.SECTION}


def test_code_marked_names_are_mentions_with_the_span_of_the_last_identifier() -> None:
    found = extract_markdown("docs/guide.md", text_of(GUIDE))
    assert [(entry.name, entry.line, entry.column, entry.end_column, entry.scope) for entry in found.references] == [
        ("Entry", 9, 17, 22, "Guide"),
        ("Cache.clear", 10, 13, 18, "Guide"),
    ]


def test_what_is_no_name_is_no_mention() -> None:
    source = "Use `a b`, `x = 1`, `None`, `settings.py`, `--flag`, [`f`](x.md), ``g(1, 2)`` and\n\n    `indented`\n"
    found = extract_markdown("a.md", source)
    assert [entry.name for entry in found.references] == ["f", "g"]


def test_setext_headings_and_anchors() -> None:
    outline = read_markdown("A *title*\n=====\n\nB {#b}\n---\n")
    assert [(entry.level, entry.title, entry.start_line, entry.end_line) for entry in outline.headings] == [
        (1, "A title", 1, 2),
        (2, "B", 4, 5),
    ]


def test_a_statement_has_one_text_line_for_each_source_line() -> None:
    assert stated("""
        First line of a
        paragraph.

        1. Do this
           first.
           - Nested
             item.
        2. [ ] Then that.

        > Quoted
        > words.
    """) == [
        ("body", "prose", 1, 2, "First line of a\nparagraph."),
        ("item", "numbered", 4, 5, "Do this\nfirst."),
        ("item", "bullet", 6, 7, "Nested\nitem."),
        ("item", "numbered", 8, 8, "Then that."),
        ("body", "prose", 10, 11, "Quoted\nwords."),
    ]


def test_a_table_row_carries_its_cells_under_their_headers() -> None:
    outline = read_markdown("| Name | Rule |\n|---|---|\n| a | must be set |\n| b |\n")
    rows = [(entry.start_line, entry.cells, entry.headers) for entry in outline.statements]
    assert rows == [(3, ("a", "must be set"), ("Name", "Rule")), (4, ("b", ""), ("Name", "Rule"))]
    assert {entry.role for entry in outline.statements} == {Role.TABLE_ROW}


def test_admonitions_of_every_dialect_have_a_role() -> None:
    assert stated("""
        > [!WARNING]
        > Do not call it twice.

        !!! note "Title"
            Indented words.

        !!! danger

            Behind a blank line.

            - and an item

        :::caution
        Docusaurus words.
        :::

        ```{warning}
        MyST words.
        ```

        Plain.
    """) == [
        ("warning", "directive", 2, 2, "Do not call it twice."),
        ("note", "directive", 5, 5, "Indented words."),
        ("warning", "directive", 9, 9, "Behind a blank line."),
        ("warning", "bullet", 11, 11, "and an item"),
        ("warning", "directive", 14, 14, "Docusaurus words."),
        ("warning", "directive", 18, 18, "MyST words."),
        ("body", "prose", 21, 21, "Plain."),
    ]


def test_what_is_no_prose_states_nothing() -> None:
    assert (
        stated("""
        [![Build](https://x/badge.svg)](https://x) ![logo](y.png)

        <!-- A comment that must never be read. -->

        <div>
        Words inside HTML must stay out.
        </div>

        ```
        code must stay out
        ```

            indented code must stay out

        - [Chapter one](#one)
        - [Chapter two](two.md)

        [ref]: https://example.org "A reference must stay out"

        ***
    """)
        == []
    )


def test_a_decision_record_keeps_its_sections_and_tells_its_decision() -> None:
    source = text_of("""
        # 7. Use one writer

        ## Status

        Accepted

        ## Context

        Several threads write to the database at the moment.

        ## Decision

        One thread writes, fed by a priority queue.
    """)
    found = extract_markdown("docs/adr/0007-one-writer.md", source)
    assert found.source_type is SourceType.ADR
    assert found.summaries[0].purpose == "One thread writes, fed by a priority queue."
    assert [entry.heading for entry in read_markdown(source).statements] == ["Status", "Context", "Decision"]
    assert "One thread writes, fed by a priority queue." in [entry.text for entry in found.propositions]


def test_the_document_summary_tells_title_purpose_sections_and_links() -> None:
    source = text_of("""
        # Store

        Thank you for reading!

        The store keeps rows on disk, see [the design](design.md#rows).

        ## Writing

        Callers must hold the `Lease` before they write to `Store.rows`.

        ## Reading

        Readers never wait for a `Lease` at all.
    """)
    summary = extract_markdown("docs/store.md", source).summaries[0]
    assert summary.granularity is Granularity.DOCUMENT
    assert summary.purpose == "The store keeps rows on disk, see the design."
    assert summary.summary_text == f"Store\n{summary.purpose}\nSections: Writing; Reading."
    assert summary.responsibilities == (
        "Writing: Callers must hold the Lease before they write to Store.rows.",
        "Reading: Readers never wait for a Lease at all.",
    )
    assert summary.key_symbols == ("Lease", "Store.rows")
    assert summary.important_interactions == ("design.md",)
    assert "Callers must hold the Lease before they write to Store.rows." in summary.constraints_mentioned


def test_a_long_document_has_a_summary_for_each_long_top_section() -> None:
    words = "The reader keeps every word of this sentence in place. " * 90
    one = f"## One\n\n{words}\n\n### Part\n\nA small part stands here too.\n"
    source = f"# Doc\n\n{one}\n## Two\n\n{words}\n\n## Three\n\nShort.\n"
    summaries = extract_markdown("docs/doc.md", source).summaries
    assert [(entry.granularity, entry.key) for entry in summaries] == [
        (Granularity.DOCUMENT, "docs/doc.md"),
        (Granularity.CHUNK, "Doc > One"),
        (Granularity.CHUNK, "Doc > Two"),
    ]
    assert (summaries[1].start_line, summaries[1].end_line) == (3, 9)
    assert summaries[1].responsibilities == ("Part: A small part stands here too.",)


def test_a_long_section_is_split_at_blank_lines_but_not_inside_a_fence() -> None:
    block = "word " * 400
    fence = "```\n" + "\n\n".join(["code " * 100] * 4) + "\n```"
    source = f"# A\n\n{block}\n\n{block}\n\n{fence}\n\n{block}\n"
    found = extract_markdown("a.md", source)
    assert len(found.paragraphs) > 1
    assert {entry.qualified_name for entry in found.paragraphs} == {"A"}
    assert [entry.ordinal for entry in found.paragraphs] == list(range(len(found.paragraphs)))
    assert all(entry.text.count("```") % 2 == 0 for entry in found.paragraphs)
    assert all(entry.token_count <= 1000 for entry in found.paragraphs)


def test_propositions_stand_in_their_section_with_their_own_lines() -> None:
    source = "# A\n\nThe first sentence states a fact about\nthe cache. You must never\nclear it twice.\n"
    found = extract_markdown("a.md", source)
    places = {entry.text: entry.occurrences[0] for entry in found.propositions}
    place = places["You must never clear it twice."]
    assert (place.start_line, place.end_line, place.paragraph) == (4, 5, 0)
    assert {entry.source for entry in found.propositions} == {SourceKind.PROSE}


def test_changelogs_licences_and_credits_state_nothing_but_breaking_changes() -> None:
    source = text_of("""
        # Changelog

        ## 2.0

        - The parser must be given a path.

        ## 2.1

        ### Breaking changes

        - The parser must be given a root.
    """)
    assert [entry.text for entry in extract_markdown("CHANGELOG.md", source).propositions] == [
        "The parser must be given a root."
    ]
    licence = "# License\n\nYou must not remove this notice.\n"
    assert extract_markdown("LICENSE.md", licence).propositions == ()
    assert extract_markdown("README.md", "# A\n\n## License\n\nYou must not remove this notice.\n").propositions == ()


def test_empty_and_blank_documents_have_no_layers() -> None:
    for source in ("", "\n\n", "   \n"):
        found = extract_markdown("a.md", source)
        assert found.paragraphs == ()
        assert found.summaries == ()


def test_five_thousand_levels_of_nesting_are_read_to_a_bounded_depth() -> None:
    staircase = "\n".join("  " * level + "- x" for level in range(900))
    for source in ("> " * 5000 + "deep", "- " * 5000 + "deep", staircase):
        found = extract_markdown("a.md", source)
        assert found.paragraphs[0].start_line == 1
        assert found.paragraphs[-1].end_line == source.count("\n") + 1
