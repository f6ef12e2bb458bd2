"""Paragraphs, symbols and signatures of Python files."""

from __future__ import annotations

from granum.extract import extract
from granum.model.layers import Extraction, ParagraphKind, Symbol, SymbolKind
from tests.fixture import parse


def read(text: str) -> Extraction:
    ((path, content),) = parse(text).files.items()
    return extract(path, content)


def spans(text: str) -> list[tuple[str, str, int, int, int]]:
    return [
        (item.kind.value, item.qualified_name, item.ordinal, item.start_line, item.end_line)
        for item in read(text).paragraphs
    ]


def definitions(extraction: Extraction) -> list[Symbol]:
    """The symbols without that of the module itself, which every file has."""
    return [item for item in extraction.symbols if item.kind is not SymbolKind.MODULE]


def symbols(text: str) -> dict[str, tuple[SymbolKind, str, str]]:
    return {item.qualified_name: (item.kind, item.signature, item.type_name) for item in definitions(read(text))}


def test_every_function_method_class_header_and_preamble_is_a_paragraph() -> None:
    assert spans(
        """
        //- /pkg/a.py
        \"\"\"Doc.\"\"\"
        import os

        LIMIT = 3


        # about f
        @decorated
        def f():
            return 1


        class A(B):
            \"\"\"Doc of A.\"\"\"
            x = 1

            def m(self):
                pass

            y = 2

            @property
            def p(self):
                pass


        register(A)

        if __name__ == "__main__":
            f()
        """
    ) == [
        ("module", "", 0, 1, 4),
        ("function", "f", 0, 7, 10),
        ("class", "A", 0, 13, 15),
        ("method", "A.m", 0, 17, 18),
        ("class", "A", 1, 20, 20),
        ("method", "A.p", 0, 22, 24),
        ("statements", "", 0, 27, 30),
    ]


def test_a_nested_function_belongs_to_its_parent_unless_it_is_long() -> None:
    short = "//- /a.py\ndef outer():\n    def inner():\n        pass\n    return inner\n"
    assert spans(short) == [("function", "outer", 0, 1, 4)]
    body = "".join(f"        x{number} = {number}\n" for number in range(50))
    long = f"//- /a.py\ndef outer():\n    a = 1\n    def inner():\n{body}    return inner\n"
    assert spans(long) == [
        ("function", "outer", 0, 1, 2),
        ("function", "outer.inner", 0, 3, 53),
        ("function", "outer", 1, 54, 54),
    ]


def test_redefinitions_and_conditional_definitions_have_ordinals() -> None:
    text = """
        //- /a.py
        try:
            import fast
        except ImportError:
            def load():
                return 1
        else:
            def load():
                return 2
        """
    assert spans(text) == [
        ("module", "", 0, 1, 3),
        ("function", "load", 0, 4, 5),
        ("function", "load", 1, 7, 8),
    ]
    assert [(item.qualified_name, item.ordinal) for item in definitions(read(text))] == [("load", 0), ("load", 1)]


def test_a_long_paragraph_is_split_at_blank_lines_under_one_name() -> None:
    block = "".join(f"    value_{number} = compute(value_{number}, {number})\n" for number in range(60))
    extraction = read(f"//- /a.py\ndef f():\n{block}\n{block}\n{block}")
    assert [(item.qualified_name, item.ordinal, item.heading_path) for item in extraction.paragraphs] == [
        ("f", 0, ("f",)),
        ("f", 1, ("f",)),
        ("f", 2, ("f",)),
    ]
    assert [(item.start_line, item.end_line) for item in extraction.paragraphs] == [(1, 61), (63, 122), (124, 183)]
    assert all(item.token_count <= 1100 for item in extraction.paragraphs)


def test_comments_that_end_a_body_belong_to_it() -> None:
    assert spans(
        """
        //- /a.py
        def f():
            return 1
            # a last word

        # not f's

        def g(): pass
        """
    ) == [("function", "f", 0, 1, 3), ("statements", "", 0, 5, 5), ("function", "g", 0, 7, 7)]


def test_symbols_have_their_kinds() -> None:
    found = symbols(
        """
        //- /a.py
        LIMIT = 3
        a, (b, c) = 1, (2, 3)
        type Alias[T] = list[T]
        short = lambda x: x
        __all__ = ["LIMIT"]
        class Color(Enum):
            RED = 1
            name: str
            shorter = lambda self: 1
            class Meta:
                ordering = []
            async def fetch(self, url: str) -> "Reply":
                self.last = url
            @property
            def ready(self) -> bool: ...
            @ready.setter
            def ready(self, value): ...
            @functools.cached_property
            def cached(self): ...
        def outer():
            local = 1
            def inner(): ...
        """
    )
    assert {name: kind.value for name, (kind, _, _) in found.items()} == {
        "LIMIT": "variable",
        "a": "variable",
        "b": "variable",
        "c": "variable",
        "Alias": "variable",
        "short": "function",
        "__all__": "variable",
        "Color": "class",
        "Color.RED": "attribute",
        "Color.name": "attribute",
        "Color.shorter": "method",
        "Color.Meta": "class",
        "Color.Meta.ordering": "attribute",
        "Color.fetch": "method",
        "Color.last": "attribute",
        "Color.ready": "property",
        "Color.cached": "property",
        "outer": "function",
        "outer.inner": "function",
    }
    assert found["Color.fetch"][1:] == ('async def fetch(self, url: str) -> "Reply"', "Reply")
    assert found["Color"][1] == "class Color(Enum)"


def test_an_attribute_set_on_self_has_the_type_it_was_given_first() -> None:
    found = symbols(
        """
        //- /a.py
        class A:
            kept: int = 0
            def __init__(self, client: Client | None, other):
                self.client = client
                self.made = pool.Pool(4)
                self.told: Optional["Foo"] = None
                self.other = other
                self.kept = 1
            def later(self):
                self.made = None
                self.late = await_it()
        """
    )
    assert {name: type_name for name, (kind, _, type_name) in found.items() if kind is SymbolKind.ATTRIBUTE} == {
        "A.kept": "int",
        "A.client": "Client | None",
        "A.made": "pool.Pool",
        "A.told": "Optional[Foo]",
        "A.other": "",
        "A.late": "await_it",
    }


def test_a_signature_is_one_compact_line() -> None:
    found = symbols(
        """
        //- /a.py
        def f(  # type: ignore
            a: int,  # first
            *,
            b: str = "x",
        ) -> None: ...
        """
    )
    assert found["f"][1] == 'def f(a: int, *, b: str = "x") -> None'


def test_name_positions_count_code_points() -> None:
    extraction = read("//- /a.py\nclass Ä:\n    größe = 'ß'; 𐐨 = 1\n    def méthode(self): ...\n")
    found = definitions(extraction)
    assert [(item.name, item.name_line, item.name_column, item.name_end_column) for item in found] == [
        ("Ä", 1, 6, 7),
        ("größe", 2, 4, 9),
        ("𐐨", 2, 17, 18),
        ("méthode", 3, 8, 15),
    ]


def test_a_symbol_knows_its_paragraph_and_whole_lines() -> None:
    extraction = read("//- /a.py\nX = 1\n\n# why\n@d\ndef f():\n    pass\n")
    module, x, f = extraction.symbols
    assert (module.kind, module.qualified_name, module.name) == (SymbolKind.MODULE, "", "")
    assert (module.paragraph, module.start_line, module.end_line, module.name_line) == (0, 1, 6, 1)
    assert (x.paragraph, x.start_line, x.end_line) == (0, 1, 1)
    assert (f.paragraph, f.start_line, f.end_line, f.name_line) == (1, 3, 6, 5)
    assert extraction.paragraphs[1].symbol_names == ("f",)
    assert extraction.paragraphs[1].tags == ("d",)


def test_a_paragraph_shows_its_docs_first_sentence() -> None:
    extraction = read('//- /a.py\n"""Of the module. More."""\ndef f():\n    """Does it, e.g. now.\n\n    More."""\n')
    assert [item.summary for item in extraction.paragraphs] == ["Of the module.", "Does it, e.g. now."]


def test_broken_code_keeps_what_parses() -> None:
    extraction = read("//- /a.py\ndef good():\n    return 1\n\ndef broken(:\n    x = (\n\nclass Fine:\n    pass\n")
    assert "good" in {item.qualified_name for item in extraction.symbols}
    assert [problem.code for problem in extraction.problems] == ["syntax_error"]
    assert extraction.paragraphs[0].kind is ParagraphKind.FUNCTION


def test_chunks_pack_consecutive_paragraphs_without_cutting_one() -> None:
    functions = "\n\n".join(f"def f{n}(a, b):\n    return compute(a, b, {n})" for n in range(60))
    extraction = read(f"//- /a.py\n{functions}\n")
    chunks = extraction.chunks
    assert [chunk.first_paragraph for chunk in chunks[1:]] == [chunk.last_paragraph + 1 for chunk in chunks[:-1]]
    assert (chunks[0].first_paragraph, chunks[-1].last_paragraph) == (0, 59)
    assert all(250 <= chunk.token_count <= 400 for chunk in chunks[:-1])


def test_every_part_of_a_tuple_target_is_an_attribute() -> None:
    found = symbols(
        """
        //- /a.py
        class A:
            def __init__(self, client: Client):
                [self.first, other.second] = 1, 2
                self.client, (self.pool, local) = client, (Pool(), 1)
                self.rest, *self.more = made()
                self.kept = client or Pool()
                self.chosen = Pool() if client else Other()
        """
    )
    assert {name: type_name for name, (kind, _, type_name) in found.items() if kind is SymbolKind.ATTRIBUTE} == {
        "A.client": "Client",
        "A.pool": "Pool",
        "A.first": "",
        "A.rest": "",
        "A.kept": "Pool",
        "A.chosen": "Pool | Other",
    }
