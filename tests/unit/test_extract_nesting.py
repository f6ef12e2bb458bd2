"""Five thousand levels of nesting cost the levels that nobody writes, and nothing that stands after them."""

from __future__ import annotations

import pytest

from granum.extract import extract

LEVELS = 5000
FACT = "The ledger must never be rewound."
CODE = f'def after():\n    """Goes on. {FACT}"""\n'
PROSE = f"\n\n{FACT}\n"


def _indented(line: str, width: int, levels: int) -> str:
    return "".join(" " * (width * level) + line + "\n" for level in range(levels))


NESTED = {
    "brackets": ("a.py", "x = " + "(" * LEVELS + "1" + ")" * LEVELS + "\n" + CODE),
    "brackets over lines": ("a.py", "x = " + "[\n" * LEVELS + "1" + "]\n" * LEVELS + CODE),
    "calls": ("a.py", "x = a" + "(1)" * LEVELS + "\n" + CODE),
    "attributes": ("a.py", "x = a" + ".b" * LEVELS + "\n" + CODE),
    "operators": ("a.py", "x = " + "1 + " * LEVELS + "1\n" + CODE),
    "branches": ("a.py", "if x:\n    pass\n" + "elif x:\n    pass\n" * LEVELS + CODE),
    "ifs": ("a.py", _indented("if x:", 1, LEVELS) + " " * LEVELS + "pass\n" + CODE),
    "functions": ("a.py", _indented("def f():", 1, 1000) + " " * 1000 + "pass\n" + CODE),
    "classes": ("a.py", _indented("class A:", 1, 1000) + " " * 1000 + "pass\n" + CODE),
    "quotes": ("a.md", ">" * LEVELS + " quoted" + PROSE),
    "lists on a line": ("a.md", "- " * LEVELS + "item" + PROSE),
    "lists": ("a.md", _indented("- item", 2, 1000) + PROSE),
    "emphasis": ("a.md", "*" * LEVELS + "x" + "*" * LEVELS + PROSE),
    "links": ("a.md", "![a](" * LEVELS + "x" + ")" * LEVELS + PROSE),
    "html": ("a.md", "<div>" * LEVELS + PROSE),
    "rst lists": ("a.rst", _indented("* item\n", 2, 1000) + PROSE),
    "rst notes": ("a.rst", _indented(".. note::\n", 3, 1000) + PROSE),
    "rst quotes": ("a.rst", _indented("quoted\n", 1, 1000) + PROSE),
    "rst markup": ("a.rst", "`a " * LEVELS + PROSE),
}
LEFT_OUT = {"ifs", "functions", "classes", "quotes", "lists on a line", "lists", "rst lists", "rst notes", "rst quotes"}


@pytest.mark.parametrize("kind", NESTED)
def test_what_follows_deep_nesting_is_read_and_what_is_left_out_is_told(kind: str) -> None:
    path, text = NESTED[kind]
    extraction = extract(path, text)
    found = {proposition.text: proposition for proposition in extraction.propositions}
    line = text[: text.index(FACT)].count("\n") + 1
    assert found[FACT].occurrences[0].start_line == line
    assert ({"too_deep"} if kind in LEFT_OUT else set()) == {problem.code for problem in extraction.problems}
