"""What holds for every prose document, whatever its text; and what a path says of it."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.extract.outline import NamedObject
from granum.extract.plain import read_plain
from granum.extract.prose import extract_markdown, extract_plain, extract_rst, source_type_of
from granum.extract.prose_noise import announces_breakage, has_no_facts, is_changelog, is_reference_only
from granum.extract.prose_subjects import with_subjects
from granum.model.layers import Occurrence, Proposition, PropositionType, SourceKind, SourceType

if TYPE_CHECKING:
    from collections.abc import Callable

    from granum.model.layers import Extraction

EXTRACTORS = [extract_markdown, extract_rst, extract_plain]

MARKDOWN = """\
---
title: T
---
Title
=====

Some `name` and [a link](b.md) that must hold.

## Two `code`

- item *one*
  wrapped

  1. nested

| A | B |
|---|---|
| 1 | `x` |

> [!NOTE]
> Words.

!!! warning
    Never.

```py
code
```

<div>
html
</div>

:::tip
x
:::
"""

RST = """\
.. _t:

=====
Title
=====

Some ``name`` and :class:`~a.B` here::

    literal

* item
  wrapped

  - nested

1. one

Term
  Definition.

:field: body

.. note:: Words
   go on.

.. function:: f(x)

   Does it.

   :param x: must be set

+---+---+
| A | B |
+===+===+
| 1 | 2 |
+---+---+

=== ===
A   B
=== ===
1   2
=== ===

.. list-table::
   :header-rows: 1

   * - A
     - B
   * - 1
     - 2

>>> code
1

.. csv-table::
   :header: A, B

   1, "2
"""

_PIECES = [line for source in (MARKDOWN, RST) for line in source.split("\n")]
_LINE = st.one_of(
    st.sampled_from(_PIECES),
    st.sampled_from(_PIECES).map(lambda line: f"   {line}"),
    st.sampled_from(_PIECES).map(lambda line: line[: len(line) // 2]),
    st.text(alphabet=" \t`*_-=~#>|+:.[](){}<>!\"'$\\ab1\u00e9\U0001f600\x0b\x0c\u2028\x85\x00", max_size=30),
)
_DOCUMENT = st.one_of(
    st.lists(_LINE, max_size=40).map("\n".join),
    st.text(max_size=300).map(lambda text: text.replace("\r", "\n")),
)


@pytest.mark.parametrize("extract", EXTRACTORS, ids=lambda extract: extract.__name__)
@given(source=_DOCUMENT)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_and_every_place_lies_within_it(
    extract: Callable[[str, str], Extraction], source: str
) -> None:
    found = extract("docs/page.txt", source)
    lines = source.split("\n")
    count = len(lines)
    assert found == extract("docs/page.txt", source)
    assert not found.problems
    _check_paragraphs(found, lines)
    for proposition in found.propositions:
        assert 12 <= len(proposition.text) <= 350
        for place in proposition.occurrences:
            paragraph = found.paragraphs[place.paragraph]
            assert paragraph.start_line <= place.start_line <= place.end_line <= count
            assert place.start_line <= paragraph.end_line
    for symbol in found.symbols:
        assert 1 <= symbol.start_line <= symbol.name_line <= symbol.end_line <= count
        assert 0 <= symbol.name_column <= symbol.name_end_column <= len(lines[symbol.name_line - 1])
        assert found.paragraphs[symbol.paragraph].start_line == symbol.start_line
    for reference in found.references:
        named = lines[reference.line - 1][reference.column : reference.end_column]
        assert named == reference.name.rpartition(".")[2]
    assert len({(entry.qualified_name, entry.ordinal) for entry in found.symbols}) == len(found.symbols)
    assert len({(entry.granularity, entry.key) for entry in found.summaries}) == len(found.summaries)


def _check_paragraphs(found: Extraction, lines: list[str]) -> None:
    before = 0
    for index, paragraph in enumerate(found.paragraphs):
        assert paragraph.paragraph_index == index
        assert before < paragraph.start_line <= paragraph.end_line <= len(lines)
        assert paragraph.text == "\n".join(lines[paragraph.start_line - 1 : paragraph.end_line])
        if before:
            assert not any(line.strip() for line in lines[before : paragraph.start_line - 1])
        before = paragraph.end_line
    if found.paragraphs:
        assert not any(line.strip() for line in lines[before:])
        covered = [index for chunk in found.chunks for index in range(chunk.first_paragraph, chunk.last_paragraph + 1)]
        assert covered == list(range(len(found.paragraphs)))
    assert len({(entry.qualified_name, entry.ordinal) for entry in found.paragraphs}) == len(found.paragraphs)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", SourceType.README),
        ("pkg/readme.rst", SourceType.README),
        ("docs/adr/0001-x.md", SourceType.ADR),
        ("docs/decisions/storage.md", SourceType.ADR),
        ("doc/adr-12.md", SourceType.ADR),
        ("docs/0007-one-writer.md", SourceType.ADR),
        ("docs/architecture.md", SourceType.ARCHITECTURE_DOC),
        ("docs/design-overview.md", SourceType.ARCHITECTURE_DOC),
        ("docs/redesigned.md", SourceType.MARKDOWN),
        ("docs/api.rst", SourceType.API_SPEC),
        ("docs/openapi.md", SourceType.API_SPEC),
        ("docs/capital.md", SourceType.MARKDOWN),
        ("docs/guide.md", SourceType.MARKDOWN),
    ],
)
def test_the_path_tells_what_kind_of_document_it_is(path: str, expected: SourceType) -> None:
    assert source_type_of(path) is expected


def test_changelogs_are_told_by_name_or_folder() -> None:
    assert all(map(is_changelog, ["CHANGES.rst", "docs/releases/1.2.txt", "HISTORY.md", "NEWS", "a/whats-new.md"]))
    assert not any(map(is_changelog, ["docs/historyless.md", "docs/news-reader.md", "docs/guide.md", "changed.md"]))
    assert announces_breakage("Backwards incompatible changes in 5.2")
    assert not announces_breakage("Bugfixes")


def test_licences_and_lists_of_people_hold_no_facts() -> None:
    assert all(map(has_no_facts, ["LICENSE", "LICENCE.txt", "docs/AUTHORS.rst", "COPYING"]))
    assert not any(map(has_no_facts, ["docs/authorship.md", "docs/licenses-used.md", "README.md"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Chapter](one.md)", True),
        ("[![Build](a.svg)](b) [![Docs](c.svg)](d)", True),
        (":doc:`/one` and :ref:`two`", False),
        (":doc:`/one`, :ref:`two`", True),
        ("``name``", True),
        ("Example: ``f(1)``", True),
        ("Default: ``None``", False),
        ("Words alone.", False),
    ],
)
def test_blocks_of_references_alone_are_told(text: str, expected: bool) -> None:
    assert is_reference_only(text) is expected


def test_a_text_without_markup_gives_paragraphs_lists_and_titles() -> None:
    source = dedent("""\
        Notes on the store
        ==================

        The store keeps every row until
        it is compacted.

          1) Stop the writer before a copy is made.
          2) Start it again after that.

        name      value
        one       1

        def f(x):
            return g(x);

        Rows
        ----
        A row must never be larger than a page.
    """)
    outline = read_plain(source)
    assert [(entry.level, entry.title, entry.start_line, entry.end_line) for entry in outline.headings] == [
        (1, "Notes on the store", 1, 2),
        (2, "Rows", 16, 17),
    ]
    assert [(entry.source, entry.start_line, entry.end_line, entry.text) for entry in outline.statements] == [
        (SourceKind.PROSE, 4, 5, "The store keeps every row until\nit is compacted."),
        (SourceKind.NUMBERED, 7, 7, "Stop the writer before a copy is made."),
        (SourceKind.NUMBERED, 8, 8, "Start it again after that."),
        (SourceKind.PROSE, 18, 18, "A row must never be larger than a page."),
    ]
    found = extract_plain("notes.txt", source)
    assert [entry.qualified_name for entry in found.paragraphs] == ["Notes on the store", "Notes on the store > Rows"]


def test_a_text_file_that_shows_markup_is_read_as_restructuredtext() -> None:
    found = extract_plain("docs/page.txt", "Page\n~~~~\n\n.. warning::\n\n   You must never call ``f()`` twice.\n")
    assert [entry.text for entry in found.propositions] == ["You must never call f() twice."]
    assert found.propositions[0].source is SourceKind.DIRECTIVE
    assert extract_rst("README", "Just plain words that\n   hang in the air.\n").propositions == ()


def test_a_block_too_long_for_prose_states_nothing() -> None:
    found = extract_markdown("a.md", "It must never be read. " * 1000)
    assert found.propositions == ()
    assert len(found.paragraphs) == 1


def test_the_innermost_described_object_is_the_subject() -> None:
    objects = [NamedObject("A", 1, 0, 1, 9), NamedObject("A.f", 3, 0, 1, 3), NamedObject("A.g", 4, 0, 1, 6)]
    facts = [_fact("of g and f", 5), _fact("of the class", 8), _fact("of nothing", 20)]
    assert [entry.mentions for entry in with_subjects(facts, objects)] == [("A.g", "A.f"), ("A",), ()]


def _fact(text: str, line: int) -> Proposition:
    return Proposition(
        text=text,
        hash=text,
        type=PropositionType.BEHAVIOR,
        confidence=0.7,
        source=SourceKind.PROSE,
        occurrences=(Occurrence(start_line=line, end_line=line, paragraph=0),),
    )


@pytest.mark.parametrize(
    ("text", "is_sentence"),
    [
        ("The store is closed at night.", True),
        ("(The store, mostly) is closed!", True),
        ("The store closes", False),
        ("one two. three", False),
        ("word " * 10_000, False),
    ],
)
def test_plain_text_is_read_where_it_reads_as_a_sentence(text: str, is_sentence: bool) -> None:
    assert bool(extract_plain("notes.txt", text + "\n").propositions) is is_sentence
