"""Promises that hold for any Python text: coordinates, nesting, determinism, no exception, no crash."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum import extract as package
from granum.extract import extract
from granum.extract.source import Source

if TYPE_CHECKING:
    from granum.model.layers import Extraction

SOURCES = sorted(Path(next(iter(package.__path__))).glob("*.py"))

PIECES = st.sampled_from(
    [
        "def f():",
        "class A(B):",
        "    def m(self, x: int = 1):",
        "        self.x = x",
        '    """Doc of it. It must hold.',
        '    """',
        "    # a comment that must hold",
        "x = 1  # trailing",
        "@deco(1)",
        "if x:",
        "    raise ValueError(f'bad {x}')",
        "else:",
        "try:",
        "except (A, B) as e:",
        "",
        "  ",
        "import a.b as c",
        "(",
        ")]}",
        "'''",
        "\x00\x0c\t",
        "größe = '\U0001f600'",
        "\ud800",
        "lambda x:",
        "match x:",
        "    case 1:",
        ":param x: y",
        "    Args:",
        "        x: must be y.",
        "\u2028x",
    ]
)


def check(text: str, extraction: Extraction) -> None:
    lines = text.split("\n")
    last = 0
    for paragraph in extraction.paragraphs:
        assert last < paragraph.start_line <= paragraph.end_line <= len(lines)
        last = paragraph.end_line
    keys = [(item.kind, item.qualified_name, item.ordinal) for item in extraction.paragraphs]
    assert len(set(keys)) == len(keys)
    symbol_keys = [(item.kind, item.qualified_name, item.ordinal) for item in extraction.symbols]
    assert len(set(symbol_keys)) == len(symbol_keys)
    names = {item.qualified_name for item in extraction.symbols}
    for symbol in extraction.symbols:
        assert 1 <= symbol.start_line <= symbol.name_line <= symbol.end_line <= len(lines)
        assert lines[symbol.name_line - 1][symbol.name_column : symbol.name_end_column] == symbol.name
        assert 0 <= symbol.paragraph < max(len(extraction.paragraphs), 1)
    for proposition in extraction.propositions:
        assert 12 <= len(proposition.text) <= 350
        for place in proposition.occurrences:
            around = extraction.paragraphs[place.paragraph]
            assert around.start_line <= place.start_line <= place.end_line
            assert place.symbol == "" or place.symbol in names
    for reference in extraction.references:
        shown = lines[reference.line - 1]
        assert shown[reference.column : reference.end_column] == reference.name.rpartition(".")[2]
        assert reference.scope == "" or reference.scope in names
    for chunk in extraction.chunks:
        assert 0 <= chunk.first_paragraph <= chunk.last_paragraph < len(extraction.paragraphs)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=25).map("\n".join))
def test_any_text_yields_rows_within_it(text: str) -> None:
    replaced = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    extraction = extract("pkg/a.py", text)
    check(replaced, extraction)
    assert extraction == extract("pkg/a.py", text)


@pytest.mark.parametrize("seed", range(12))
def test_real_code_with_random_damage_yields_rows_within_it(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(SOURCES).read_text(encoding="utf-8")
    for _ in range(chance.randint(0, 12)):
        at = chance.randrange(len(text))
        length = chance.choice([1, 1, 5, 40])
        text = text[:at] + chance.choice(["", "(", '"""', "\n", "\t", "é", ":", "def "]) + text[at + length :]
    check(text, extract("pkg/a.py", text))


def test_secrets_are_masked_before_anything_is_kept() -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    text = f'# must use {key} never\nKEY = "{key}"\n\n\ndef f():\n    """Uses {key} always."""\n    raise X("{key}")\n'
    extraction = extract("a.py", text)
    assert key not in repr(extraction)
    assert [item.name_line for item in extraction.symbols] == [1, 2, 5]


DEEP = {
    "indentation": "".join(" " * depth + "if x:\n" for depth in range(1200)) + " " * 1200 + "raise X('a')\n",
    "tabs": "".join("\t" * depth + "if x:\n" for depth in range(600)),
    "brackets": "x = " + "(" * 5000 + "1" + ")" * 5000 + "\n",
    "open brackets": "[" * 5000,
    "members": "a" + ".b" * 5000 + "()\n",
    "calls": "f(" * 5000 + ")" * 5000,
    "operators": "if " + " and ".join(["a"] * 5000) + ":\n    raise X('m')\n",
    "texts": "raise X(" + " + ".join(['"a"'] * 5000) + ")\n",
    "branches": "if a: pass\n" + "elif b: pass\n" * 1500 + "else:\n    raise X\n",
    "raises": "def f():\n" + "    if a:\n        raise X('m')\n" * 3000,
    "one line": "x=1;" * 20000,
    "one line beyond ASCII": "é='ü';" * 20000,
    "chain of calls": "x = a" + ".b(c)" * 40000,
    "marks": "# " + "-" * 5000 + "a" + "-" * 5000 + "b\n",
    "ticks": 'def f():\n    """' + "`" * 20000 + '"""\n',
    "decorators": "@a\n" * 3000 + "def f(): pass\n",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_extreme_texts_are_read(text: str) -> None:
    extraction = extract("a.py", text)
    assert extraction.line_count == text.count("\n") + (not text.endswith("\n"))


def test_lines_nested_too_deeply_for_the_grammar_are_told() -> None:
    extraction = extract("a.py", "def f(): ...\n" + DEEP["indentation"] + "def g(): ...\n")
    assert next(problem.code for problem in extraction.problems) == "too_deep"
    assert {item.name for item in extraction.symbols} >= {"f", "g"}


@given(st.text(alphabet="aé€😀\n", max_size=60), st.integers(1, 400))
def test_a_position_counts_code_points_in_lines_of_any_length(text: str, times: int) -> None:
    source = Source(text * times)
    before = ""
    for piece in (text, text * (times // 2)):
        before = (before + piece)[: len(source.text)]
        expected = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1)
        assert source.position(len(before.encode())) == expected


def test_a_call_at_the_end_of_a_long_chain_has_no_name_of_its_own() -> None:
    extraction = extract("a.py", "x = a" + ".b(c)" * 200 + "\ny = super().f(z)\n")
    calls = [reference.name for reference in extraction.references if reference.kind == "call"]
    assert calls == ["a.b", "super.f"]


def test_an_empty_file_has_no_rows_but_its_module() -> None:
    for text in ("", "\n\n  \n"):
        extraction = extract("a.py", text)
        assert (extraction.paragraphs, extraction.summaries, extraction.chunks) == ((), (), ())
        assert [symbol.kind for symbol in extraction.symbols] == ["module"]
