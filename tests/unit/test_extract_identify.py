"""The name at a position."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from granum.extract import language_of
from granum.extract.identify import Identifier, identifier_at
from tests.fixture import parse


def at(text: str) -> Identifier | None:
    fixture = parse(text)
    assert fixture.cursor is not None
    language = language_of(fixture.cursor.path)
    assert language is not None
    return identifier_at(fixture.files[fixture.cursor.path], language, fixture.cursor.line, fixture.cursor.column)


def name(text: str) -> str | None:
    found = at(text)
    return found.name if found else None


def test_the_name_ends_with_the_identifier_under_the_cursor() -> None:
    assert name("//- /a.py\na$0.b.c()\n") == "a"
    assert name("//- /a.py\na.$0b.c()\n") == "a.b"
    assert name("//- /a.py\na.b.c$0()\n") == "a.b.c"
    assert name("//- /a.py\na.b(c.$0d)\n") == "c.d"


def test_calls_in_a_chain_are_shown_as_brackets() -> None:
    assert name("//- /a.py\nqs.filter(x=1).order$0('y')\n") == "qs.filter().order"
    assert name("//- /a.py\nsuper().sa$0ve()\n") == "super().save"
    assert name("//- /a.py\n(await make()).g$0o()\n") == "make().go"
    assert name("//- /a.py\n(a if b else c).g$0o()\n") is None
    assert name("//- /a.py\n'text'.jo$0in(x)\n") is None


def test_columns_span_that_identifier_in_code_points() -> None:
    found = at("//- /a.py\nx = ß.größ$0e  # 😀\n")
    assert found is not None
    assert (found.name, found.line, found.column, found.end_column) == ("ß.größe", 1, 6, 11)


def test_names_on_imports() -> None:
    assert name("//- /a.py\nimport os.pa$0th as p\n") == "os.path"
    assert name("//- /a.py\nfrom .a.b$0 import c\n") == "a.b"
    assert name("//- /a.py\nfrom .a import c$0 as d\n") == "c"


def test_a_definitions_own_name() -> None:
    text = "//- /a.py\nclass A:\n    def m(self):\n        def $0inner(): ...\n"
    found = at(text)
    assert found is not None
    assert (found.is_definition, found.qualified_name, found.scope) == (True, "A.m.inner", "A.m")


def test_attributes_and_variables_are_defined_where_they_are_assigned() -> None:
    for text, qualified in [
        ("//- /a.py\nLI$0MIT: int = 3\n", "LIMIT"),
        ("//- /a.py\na, b$0 = 1, 2\n", "b"),
        ("//- /a.py\nclass A:\n    x$0 = 1\n", "A.x"),
        ("//- /a.py\nclass A:\n    def m(self):\n        self.y$0 = 1\n", "A.y"),
    ]:
        found = at(text)
        assert found is not None
        assert (found.is_definition, found.qualified_name) == (True, qualified)


def test_uses_are_no_definitions() -> None:
    for text in [
        "//- /a.py\nx += LIM$0IT\n",
        "//- /a.py\nLIM$0IT += 1\n",
        "//- /a.py\nx = LIM$0IT\n",
        "//- /a.py\nx.LIM$0IT = 1\n",
        "//- /a.py\nclass A:\n    def m(self):\n        self.y.z$0 = 1\n",
        "//- /a.py\nclass A(B$0): ...\n",
    ]:
        found = at(text)
        assert found is not None
        assert not found.is_definition


def test_how_a_function_binds_the_first_name() -> None:
    text = """
        //- /a.py
        import os
        def f(client: "Client", path):
            made = Maker()
            def inner():
                {}
        """
    for line, binding in [
        ("cl$0ient.get()", ("parameter", "Client")),
        ("client.g$0et()", ("parameter", "Client")),
        ("pa$0th", ("parameter", "")),
        ("made.g$0o()", ("local", "Maker")),
        ("o$0s.path", ("", "")),
        ("with A() as b: b$0.c", ("local", "A")),
        ("[v$0 for v in path]", ("local", "")),
        ("lambda q: q$0", ("local", "")),
        ("[path for path in p], pa$0th", ("parameter", "")),
    ]:
        found = at(text.replace("{}", line))
        assert found is not None
        assert (found.local_binding, found.local_type) == binding, line
        assert found.scope == "f.inner"


def test_texts_have_names_only_in_code_marks() -> None:
    assert name('//- /a.py\n"""See `A.ru$0n` there."""\n') == "A.run"
    assert name("//- /a.py\n# see ``other.f$0n()``\n") == "other.fn"
    assert name("//- /a.py\n# see :class:`the title <pkg.C$0>`\n") == "pkg.C"
    assert name("//- /a.py\n# see :func:`~pkg.f$0n`\n") == "pkg.fn"
    assert name("//- /a.py\n# see oth$0er\n") is None
    assert name('//- /a.py\nx = "oth$0er"\n') is None
    assert name('//- /a.py\nx = f"{oth$0er}"\n') == "other"


def test_nothing_on_keywords_white_space_numbers_and_argument_names() -> None:
    for text in [
        "//- /a.py\nret$0urn x\n",
        "//- /a.py\nx  $0  = 1\n",
        "//- /a.py\nx = 12$03\n",
        "//- /a.py\nf(ke$0y=1)\n",
        "//- /a.py\n$0\n",
    ]:
        assert at(text) is None


def test_a_name_is_also_found_at_its_end() -> None:
    assert name("//- /a.py\nf(abc$0)\n") == "abc"
    assert name("//- /a.py\nabc$0") == "abc"


def test_prose_has_names_in_code_marks() -> None:
    assert name("//- /a.md\nCall `pkg.ru$0n()` first.\n") == "pkg.run"
    assert name("//- /a.rst\nCall :meth:`~pkg.Cls.r$0un` first.\n") == "pkg.Cls.run"
    assert name("//- /a.md\nCall pkg.ru$0n first.\n") is None


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ab.()[]:=\n \"'`#é\ud800\x00defclass", max_size=80),
    st.integers(-3, 12),
    st.integers(-3, 90),
)
def test_any_position_of_any_text_has_an_answer(text: str, line: int, column: int) -> None:
    found = identifier_at(text, "python", line, column)
    if found is not None:
        shown = text.split("\n")[found.line - 1]
        assert 0 <= found.column < found.end_column <= len(shown)


@pytest.mark.parametrize(
    ("text", "column", "name"),
    [
        ("Use :meth:`.Store.get` here.", 18, "Store.get"),
        ("Use ``Store.get()`` here.", 8, "Store"),
        ("Use :meth:`.Store.get` here.", 6, None),
        ("A :term:`object` is a thing.", 11, None),
        ("Set :rst:dir:`math` here.", 16, None),
        ("Run ``pip install granum``.", 10, None),
        ("See `True`.", 6, None),
    ],
)
def test_only_what_names_code_in_prose_has_a_name(text: str, column: int, name: str | None) -> None:
    found = identifier_at(text + "\n", "rst", 1, column)
    assert (found.name if found else None) == name
