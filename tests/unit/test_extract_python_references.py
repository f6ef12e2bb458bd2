"""Calls, bases, imports and mentions of Python files."""

from __future__ import annotations

from granum.extract import extract
from granum.model.layers import Extraction, ReferenceKind
from tests.fixture import parse


def read(text: str) -> Extraction:
    ((path, content),) = parse(text).files.items()
    return extract(path, content)


def names(text: str, kind: ReferenceKind) -> list[tuple[str, str, str]]:
    return [(item.name, item.scope, item.local_type) for item in read(text).references if item.kind is kind]


def test_calls_are_dotted_as_written_with_the_scope_around_them() -> None:
    text = """
        //- /a.py
        main()
        class A(Base):
            @route("/x")
            @plain
            def m(self, client: Client, x=default()):
                self.client.get(x)
                super().m(x)
                client.send()
                build()().x()
                a.b(c(1))
        """
    assert names(text, ReferenceKind.CALL) == [
        ("main", "", ""),
        ("route", "A", ""),
        ("plain", "A", ""),
        ("default", "A.m", ""),
        ("self.client.get", "A.m", ""),
        ("super.m", "A.m", ""),
        ("client.send", "A.m", "Client"),
        ("build", "A.m", ""),
        ("a.b", "A.m", ""),
        ("c", "A.m", ""),
    ]


def test_a_reference_spans_its_last_identifier() -> None:
    extraction = read("//- /a.py\nä = ünder.größe(1)\n")
    (call,) = extraction.references
    assert (call.name, call.line, call.column, call.end_column) == ("ünder.größe", 1, 10, 15)


def test_local_names_hide_the_modules() -> None:
    text = """
        //- /a.py
        def f(path, *rest, reader: "Reader" = None):
            with Lock() as lock, other as unknown:
                lock.take()
                unknown.x()
            try:
                path.join()
            except errors.Bad as error:
                error.show()
            made = Maker()
            made.go()
            for item in rest:
                item.go()
            reader.read()
            def inner():
                reader.again()
                os.remove()
            [each.x() for each in rest]
        """
    assert [(name, local) for name, _, local in names(text, ReferenceKind.CALL)] == [
        ("Lock", ""),
        ("lock.take", "Lock"),
        ("unknown.x", "?"),
        ("path.join", "?"),
        ("error.show", "errors.Bad"),
        ("Maker", ""),
        ("made.go", "Maker"),
        ("item.go", "?"),
        ("reader.read", "Reader"),
        ("reader.again", "Reader"),
        ("os.remove", ""),
        ("each.x", "?"),
    ]


def test_a_global_name_is_not_local() -> None:
    text = "//- /a.py\ndef f():\n    global cache\n    cache = Cache()\n    cache.clear()\n"
    assert names(text, ReferenceKind.CALL)[-1] == ("cache.clear", "f", "")


def test_each_base_is_inherited_in_the_scope_of_the_class() -> None:
    text = "//- /a.py\nclass A(Base, mod.Other[int], Generic[T], metaclass=Meta):\n    class B(A): ...\n"
    assert names(text, ReferenceKind.INHERITS) == [
        ("Base", "A", ""),
        ("mod.Other", "A", ""),
        ("Generic", "A", ""),
        ("A", "A.B", ""),
    ]


def test_imports_bind_names_and_refer_to_modules() -> None:
    extraction = read(
        """
        //- /a.py
        from __future__ import annotations
        import os
        import a.b
        import a.b as ab
        from . import sibling
        from ..up import (one as two, three)
        from star import *
        def f():
            from late import name
        """
    )
    assert [(i.local, i.module, i.level, i.name, i.line, i.scope) for i in extraction.imports] == [
        ("os", "os", 0, "", 2, ""),
        ("a.b", "a.b", 0, "", 3, ""),
        ("ab", "a.b", 0, "", 4, ""),
        ("sibling", "", 1, "sibling", 5, ""),
        ("two", "up", 2, "one", 6, ""),
        ("three", "up", 2, "three", 6, ""),
        ("", "star", 0, "*", 7, ""),
        ("name", "late", 0, "name", 9, "f"),
    ]
    assert [(r.name, r.line, r.column, r.end_column) for r in extraction.references] == [
        ("os", 2, 7, 9),
        ("a.b", 3, 9, 10),
        ("a.b", 4, 9, 10),
        (".sibling", 5, 14, 21),
        ("..up.one", 6, 18, 21),
        ("..up.three", 6, 30, 35),
        ("star", 7, 5, 9),
        ("late.name", 9, 21, 25),
    ]


def test_code_marked_names_in_docs_and_comments_are_mentions() -> None:
    text = """
        //- /a.py
        def f():
            \"\"\"See `Other.run`, ``plain()``, :meth:`~pkg.Cls.go`, :class:`the title <pkg.Cls>`, `not a name`.\"\"\"
            # unlike `g`, which returns `None`
            x = "`no.mention`"
        """
    assert [name for name, _, _ in names(text, ReferenceKind.MENTION)] == [
        "Other.run",
        "plain",
        "pkg.Cls.go",
        "pkg.Cls",
        "g",
    ]
    mention = read(text).references[2]
    assert (mention.line, mention.column, mention.end_column, mention.scope) == (2, 53, 55, "f")


def test_a_lambda_or_comprehension_binds_within_itself_only() -> None:
    text = """
        //- /a.py
        [item() for item in items]
        item()
        def f():
            first = lambda load, n=1: load()
            load()
            second = {key(): value() for key, value in load()}
            value()
            a, b = Maker(), 1
            a.run()
            c = given or Maker()
            c.run()
        """
    assert [(name, local_type) for name, _, local_type in names(text, ReferenceKind.CALL)] == [
        ("item", "?"),
        ("item", ""),
        ("load", "?"),
        ("load", ""),
        ("key", "?"),
        ("value", "?"),
        ("load", ""),
        ("value", ""),
        ("Maker", ""),
        ("a.run", "Maker"),
        ("Maker", ""),
        ("c.run", "Maker"),
    ]


def test_listed_exports_are_mentions_of_what_they_name() -> None:
    text = """
        //- /a.py
        __all__ = [
            "one",  # the first
            'two',
        ]
        __all__ += ("three",)
        """
    assert [(name, scope) for name, scope, _ in names(text, ReferenceKind.MENTION)] == [
        ("one", "__all__"),
        ("two", "__all__"),
        ("three", "__all__"),
    ]
    places = [(r.line, r.column, r.end_column) for r in read(text).references]
    assert places == [(2, 5, 8), (3, 5, 8), (5, 13, 18)]


def test_exports_that_are_built_up_are_not_known() -> None:
    for more in ("+ other.__all__", "+ ['two']"):
        assert names(f"//- /a.py\n__all__ = ['one'] {more}\n", ReferenceKind.MENTION) == []
    for more in ("__all__ += other.__all__", "__all__.extend(other)", "__all__ += [name]"):
        assert names(f"//- /a.py\n__all__ = ['one']\n{more}\n", ReferenceKind.MENTION) == []
