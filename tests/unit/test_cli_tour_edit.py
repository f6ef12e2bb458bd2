"""The tour's edit: it moves a definition, takes one statement out, adds others, and leaves code that parses."""

from __future__ import annotations

import ast
from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st

from granum.cli.tour.edit import FAILURE, PROSE_RULE, RULE, Statement, Target, plan
from granum.model.layers import SourceKind

CODE = dedent(
    '''\
    import os


    class Server:
        def run(self, port):
            """Runs the server.

            It must never run twice.
            """
            if port < 0:
                raise ValueError(
                    "negative port"
                )
            return port


    def other():
        pass
    '''
).split("\n")
RUN = Target(5, 14, "python", True)


def test_lines_come_above_the_definition_and_a_rule_and_a_failure_to_its_end() -> None:
    edit = plan(CODE, RUN, [])
    assert edit.lines[:4] == CODE[:4]
    assert edit.lines[4 + edit.inserted_above] == CODE[4]
    text = "\n".join(edit.lines)
    assert text.index(RULE) > text.index("return port")
    assert f'        if __debug__:\n            raise RuntimeError("{FAILURE}")\n\n\ndef other' in text
    ast.parse(text)


def test_a_raise_statement_of_several_lines_is_taken_out_whole() -> None:
    edit = plan(CODE, RUN, [Statement(8, 8, SourceKind.DOCSTRING), Statement(11, 13, SourceKind.RAISE)])
    text = "\n".join(edit.lines)
    assert edit.removed
    assert "negative port" not in text
    assert "It must never run twice." in text
    ast.parse(text)


def test_a_docstring_line_is_taken_out_where_nothing_else_can_be() -> None:
    edit = plan(CODE, RUN, [Statement(6, 6, SourceKind.DOCSTRING), Statement(8, 8, SourceKind.DOCSTRING)])
    text = "\n".join(edit.lines)
    assert "It must never run twice." not in text
    assert '"""Runs the server.' in text
    ast.parse(text)


def test_facts_outside_the_target_are_left_alone() -> None:
    edit = plan(CODE, RUN, [Statement(1, 1, SourceKind.COMMENT), Statement(18, 18, SourceKind.RAISE)])
    assert not edit.removed
    assert "\n".join(CODE[14:]) in "\n".join(edit.lines)


def test_a_function_on_one_line_only_moves() -> None:
    lines = ["def f(): return 1", ""]
    edit = plan(lines, Target(1, 1, "python", True), [])
    assert edit.lines[edit.inserted_above :] == lines
    ast.parse("\n".join(edit.lines))


def test_tabs_stay_tabs() -> None:
    lines = ["class A:", "\tdef f(self):", "\t\treturn 1"]
    edit = plan(lines, Target(2, 3, "python", True), [])
    ast.parse("\n".join(edit.lines))


def test_prose_gets_empty_lines_above_and_an_item_below() -> None:
    lines = ["# Title", "", "## Rules", "", "- Keys must be unique.", "- Never log a token.", "", "## Next", ""]
    edit = plan(lines, Target(3, 7, "markdown", False), [Statement(5, 5, SourceKind.BULLET)])
    text = "\n".join(edit.lines)
    assert "Keys must be unique" not in text
    assert "- Never log a token." in text
    assert text.index(f"- {PROSE_RULE}") < text.index("## Next")
    assert edit.lines[2 : 2 + edit.inserted_above] == [""] * edit.inserted_above


@given(
    depth=st.integers(0, 3),
    statements=st.lists(st.sampled_from(["x = 1", "if x:\n    y = 2", "raise ValueError('a')", "# c"]), min_size=1),
    source=st.sampled_from([SourceKind.RAISE, SourceKind.COMMENT]),
)
def test_whatever_the_body_the_result_parses(depth: int, statements: list[str], source: SourceKind) -> None:
    head = [f"{'    ' * level}class C{level}:" for level in range(depth)]
    body = [line for statement in statements for line in statement.split("\n")]
    indent = "    " * depth
    lines = [*head, f"{indent}def f(x=0):", *(f"{indent}    {line}" for line in body), f"{indent}    return x"]
    facts = [
        Statement(number, number, source)
        for number, line in enumerate(lines, 1)
        if line.lstrip().startswith("raise" if source is SourceKind.RAISE else "#")
    ]
    edit = plan(lines, Target(depth + 1, len(lines), "python", True), facts)
    ast.parse("\n".join(edit.lines))
    assert edit.removed == bool(facts)
