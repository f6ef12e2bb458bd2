"""A sentence before a literal block keeps neither of the block's colons, in docs and in pages alike."""

from __future__ import annotations

import pytest

from granum.extract import extract
from granum.extract.rst_markup import without_literal_mark


@pytest.mark.parametrize(
    ("line", "shown"),
    [("Use it. ::", "Use it."), ("Use it::", "Use it:"), ("::", ""), ("a::b", "a::b"), ("Use it.", "Use it.")],
)
def test_the_mark_is_read_as_people_read_it(line: str, shown: str) -> None:
    assert without_literal_mark(line) == shown


PROSE = "The store must never be opened twice. ::\n\n    open(store)\n"


def test_the_same_sentence_comes_from_a_page_and_from_a_docstring() -> None:
    page = extract("docs/page.rst", f"Title\n=====\n\n{PROSE}")
    doc = extract(
        "pkg/a.py", 'def f():\n    """Opens.\n\n' + "".join(f"    {x}\n" for x in PROSE.split("\n")) + '    """\n'
    )
    rule = "The store must never be opened twice."
    assert [p.text for p in page.propositions] == [rule]
    assert rule in [p.text for p in doc.propositions]
