"""What the name at a position stands for: a small workspace, a cursor, the expected definition."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from granum.extract import language_of
from granum.extract.identify import identifier_at
from granum.resolve import resolve_identifier, symbol_by_name
from tests.fixture import parse
from tests.indexed import Indexed

if TYPE_CHECKING:
    from granum.model.answers import Resolution


def resolve(fixture: str) -> Resolution | None:
    parsed = parse(fixture)
    assert parsed.cursor is not None
    path, line, column = parsed.cursor
    with tempfile.TemporaryDirectory() as folder:
        indexed = _indexed(parsed.write(Path(folder) / "root"), Path(folder))
        identifier = identifier_at(parsed.files[path], language_of(path) or "", line, column)
        assert identifier is not None, "no name under the cursor"
        with indexed.reader.snapshot() as snapshot:
            found = resolve_identifier(snapshot, path, identifier)
        indexed.close()
    return found


def named(fixture: str, partial: str) -> Resolution:
    with tempfile.TemporaryDirectory() as folder:
        indexed = _indexed(parse(fixture).write(Path(folder) / "root"), Path(folder))
        with indexed.reader.snapshot() as snapshot:
            found = symbol_by_name(snapshot, partial)
        indexed.close()
    return found


def check(fixture: str, expect: str | None) -> None:
    """``expect`` is ``path:line`` of the definition, None when no definition is clearly meant."""
    found = resolve(fixture)
    assert found is not None
    symbol = found.symbol
    assert (f"{symbol.path}:{symbol.name_line}" if symbol else None) == expect


def _indexed(root: Path, folder: Path) -> Indexed:
    indexed = Indexed(root, folder / "index.db")
    indexed.read_all()
    return indexed


PACKAGE = """
//- /pkg/__init__.py
from .models import Client as PublicClient
from .extra import *
//- /pkg/models.py
class Base:
    limit = 3
    def save(self):
        return self.check()
    def check(self):
        pass
class Client(Base):
    def get(self):
        return None
    @property
    def parent(self) -> "Base":
        return Base()
def make() -> Client:
    return Client()
default = Client()
//- /pkg/extra.py
def helper(): pass
def _private(): pass
"""


@pytest.mark.parametrize(
    ("code", "expect"),
    [
        ("from pkg.models import make\nma$0ke()", "pkg/models.py:13"),
        ("from pkg.models import make as build\nbui$0ld()", "pkg/models.py:13"),
        ("import pkg.models\npkg.models.ma$0ke()", "pkg/models.py:13"),
        ("import pkg.models as m\nm.ma$0ke()", "pkg/models.py:13"),
        ("import pkg\npkg.models.ma$0ke()", "pkg/models.py:13"),
        ("from pkg import models\nmodels.Client.g$0et", "pkg/models.py:8"),
        ("from pkg import PublicClient\nPublicCl$0ient()", "pkg/models.py:7"),
        ("import pkg\npkg.PublicClient.ge$0t", "pkg/models.py:8"),
        ("from pkg import helper\nhel$0per()", "pkg/extra.py:1"),
        ("from pkg import *\nhel$0per()", "pkg/extra.py:1"),
        ("from pkg import _private\n_pri$0vate()", None),
        ("from pkg.extra import _private\n_pri$0vate()", "pkg/extra.py:2"),
        ("from pkg.models import Client\nClient.sa$0ve", "pkg/models.py:3"),
        ("from pkg.models import Client\nClient().sa$0ve()", "pkg/models.py:3"),
        ("from pkg.models import Client\nClient.lim$0it", "pkg/models.py:2"),
        ("from pkg.models import default\ndefault.g$0et()", "pkg/models.py:8"),
        ("from pkg.models import default\ndefault.parent.che$0ck()", "pkg/models.py:5"),
        ("from pkg.models import make\nmake().sa$0ve()", "pkg/models.py:3"),
        ("from pkg.models import Cli$0ent", "pkg/models.py:7"),
        ("from pkg.models import Cli$0ent as Other", "pkg/models.py:7"),
        ("from pkg.models import Client\ndef f(c: Client):\n    c.g$0et()", "pkg/models.py:8"),
        ("from pkg.models import Client\ndef f(c: 'Client | None'):\n    c.g$0et()", "pkg/models.py:8"),
        (
            "from pkg.models import Client\nfrom typing import Optional\ndef f(c: Optional[Client]):\n    c.g$0et()",
            "pkg/models.py:8",
        ),
        ("from pkg.models import Client\ndef f():\n    c = Client()\n    c.sa$0ve()", "pkg/models.py:3"),
        ("from pkg.models import make\ndef f(make):\n    ma$0ke()", None),
        ("from pkg.models import default\ndef f(default):\n    default.g$0et()", None),
        ("def f():\n    from pkg.models import make\n    ma$0ke()", "pkg/models.py:13"),
        ("def f():\n    from pkg.models import make\ndef g():\n    ma$0ke()", None),
        (
            "from pkg.models import Client\nclass Sub(Client):\n    def f(self):\n        self.sa$0ve()",
            "pkg/models.py:3",
        ),
        (
            "from pkg.models import Client\nclass Sub(Client):\n    def save(self):\n        super().sa$0ve()",
            "pkg/models.py:3",
        ),
        (
            "from pkg.models import Client\nclass Sub(Client):\n    @classmethod\n    def f(cls):\n        cls.lim$0it",
            "pkg/models.py:2",
        ),
        (
            """from pkg.models import Client
class B:
    def __init__(self):
        self.c = Client()
    def f(self):
        self.c.g$0et()""",
            "pkg/models.py:8",
        ),
        (
            """from pkg.models import Client
class B:
    def __init__(self, c: Client):
        self.c = c
    def f(self):
        self.c.g$0et()""",
            "pkg/models.py:8",
        ),
    ],
)
def test_names_are_followed_through_imports_classes_and_types(code: str, expect: str | None) -> None:
    check(f"{PACKAGE}//- /app.py\n{code}\n", expect)


@pytest.mark.parametrize(
    "code",
    [
        "import logging\nlogging.getLo$0gger()",
        "from logging import getLogger\ngetLo$0gger()",
        "import requests\nrequests.g$0et()",
        "from requests import get\ng$0et()",
        "from requests import *\nhel$0per()",
        "pri$0nt()",
        "from unittest import TestCase\nclass T(TestCase):\n    def t(self):\n        self.check$0Me()",
    ],
)
def test_a_name_from_outside_never_means_one_of_the_workspace(code: str) -> None:
    fixture = f"""
//- /pkg/__init__.py
//- /pkg/logging.py
def getLogger(): pass
//- /pkg/requests.py
def get(): pass
def helper(): pass
def print(): pass
def checkMe(): pass
//- /pkg/app.py
{code}
"""
    found = resolve(fixture)
    assert found is not None
    assert found.symbol is None
    assert found.candidates == ()


def test_a_name_on_an_import_line_is_what_is_imported() -> None:
    check(
        "//- /a.py\nfrom b import Loa$0der as Base\nclass Loader(Base): pass\n//- /b.py\nclass Loader: pass\n", "b.py:1"
    )


def test_a_local_hides_what_another_function_imports() -> None:
    check("//- /a.py\ndef f():\n    from b import app\ndef g(app):\n    ap$0p\n//- /b.py\napp = 1\n", None)


def test_a_relative_import_climbs_packages() -> None:
    check(
        """
//- /src/top/__init__.py
//- /src/top/a/__init__.py
//- /src/top/a/one.py
from ..b.two import thing
th$0ing()
//- /src/top/b/__init__.py
//- /src/top/b/two.py
def thing(): pass
""",
        "src/top/b/two.py:1",
    )


def test_a_namespace_package_is_found_by_the_path() -> None:
    check(
        """
//- /src/ns/pkg/__init__.py
//- /src/ns/pkg/mod.py
def thing(): pass
//- /tests/test_mod.py
from ns.pkg.mod import thing
thi$0ng()
""",
        "src/ns/pkg/mod.py:1",
    )


def test_a_script_imports_its_neighbour() -> None:
    check("//- /tools/a.py\nimport b\nb.ru$0n()\n//- /tools/b.py\ndef run(): pass\n", "tools/b.py:1")


def test_of_two_modules_of_one_name_the_nearer_is_meant() -> None:
    check(
        """
//- /one/conf.py
def load(): pass
//- /two/conf.py
def load(): pass
//- /two/main.py
from conf import load
lo$0ad()
""",
        "two/conf.py:1",
    )


def test_a_class_scope_is_hidden_from_its_methods() -> None:
    check("//- /a.py\ndef x(): pass\nclass C:\n    def x(self): pass\n    def f(self):\n        x$0()\n", "a.py:1")
    check("//- /a.py\ndef x(): pass\nclass C:\n    def x(self): pass\n    y = x$0(1)\n", "a.py:3")


def test_a_nested_function_is_seen_from_inside_only() -> None:
    check("//- /a.py\ndef f():\n    def g(): pass\n    g$0()\n", "a.py:2")
    check("//- /a.py\ndef f():\n    def g(): pass\ng$0()\n", None)


def test_bases_are_asked_in_pythons_order() -> None:
    check(
        """
//- /a.py
class Root:
    def run(self): pass
class Left(Root): pass
class Right(Root):
    def run(self): pass
class Both(Left, Right):
    def go(self):
        self.ru$0n()
""",
        "a.py:5",
    )


def test_a_circle_of_star_imports_ends() -> None:
    check("//- /a.py\nfrom b import *\nmiss$0ing()\n//- /b.py\nfrom a import *\n", None)


def test_a_class_that_inherits_from_itself_ends() -> None:
    check("//- /a.py\nclass A(A):\n    def f(self):\n        self.miss$0ing()\n", None)


def test_overloads_are_one_meaning_and_the_body_counts() -> None:
    found = resolve(
        """
//- /a.py
from typing import overload
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x):
    return x
f$0(1)
"""
    )
    assert found is not None
    assert found.symbol is not None
    assert found.symbol.name_line == 6
    assert [candidate.symbol.name_line for candidate in found.candidates] == [3, 5]


def test_a_conditional_fallback_beside_a_foreign_import_is_meant() -> None:
    check("//- /a.py\ntry:\n    from fast import f\nexcept ImportError:\n    def f(): pass\nf$0()\n", "a.py:4")


def test_a_definition_under_the_cursor_is_itself() -> None:
    check("//- /a.py\nif x:\n    def f(): pass\nelse:\n    def f$0(): pass\n", "a.py:4")


def test_an_unknown_receiver_gives_a_choice_only_for_a_rare_name() -> None:
    found = resolve("//- /a.py\nclass A:\n    def rare(self): pass\ndef f(x):\n    x.ra$0re()\n")
    assert found is not None
    assert found.symbol is None
    assert [candidate.symbol.fqn for candidate in found.candidates] == ["a.A.rare"]
    assert found.candidates[0].confidence <= 0.2
    many = "".join(f"class A{i}:\n    def often(self): pass\n" for i in range(6))
    found = resolve(f"//- /a.py\n{many}def f(x):\n    x.oft$0en()\n")
    assert found is not None
    assert found.candidates == ()


def test_a_marked_name_in_prose_stands_for_the_only_definition() -> None:
    check(
        "//- /pkg/a.py\nclass Client:\n    def get(self): pass\n//- /docs/x.md\nUse `Client.g$0et()` here.\n",
        "pkg/a.py:2",
    )
    check("//- /a.py\ndef get(): pass\n//- /b.py\ndef get(): pass\n//- /docs/x.md\nUse `g$0et` here.\n", None)


@pytest.mark.parametrize(
    ("partial", "expect"),
    [
        ("pkg.models.Client.get", "pkg.models.Client.get"),
        ("Client.get", "pkg.models.Client.get"),
        ("pkg.models:Client.get()", "pkg.models.Client.get"),
        ("make(1, 2)", "pkg.models.make"),
        ("pkg.PublicClient.get", "pkg.models.Client.get"),
        ("Client.save", "pkg.models.Base.save"),
        ("nothing.of.it", None),
        ("", None),
        ("\x00'\"*", None),
    ],
)
def test_a_symbol_is_found_by_a_partial_name(partial: str, expect: str | None) -> None:
    found = named(PACKAGE, partial)
    assert (found.symbol.fqn if found.symbol else None) == expect


def test_an_ambiguous_name_lists_classes_first_and_fewer_dots_before_more() -> None:
    fixture = """
//- /a.py
class C:
    def item(self): pass
//- /b.py
def item(): pass
//- /c.py
class item: pass
"""
    found = named(fixture, "item")
    assert found.symbol is None
    assert [candidate.symbol.fqn for candidate in found.candidates] == ["c.item", "b.item", "a.C.item"]


def test_a_member_of_a_builtin_type_gives_no_choice_however_rare_its_namesake() -> None:
    found = resolve("""
        //- /pkg/a.py
        class Log:
            def split(self):
                pass
        //- /pkg/b.py
        def use(text):
            text.spl$0it()
    """)
    assert found is not None
    assert (found.symbol, found.candidates) == (None, ())


def test_a_long_list_of_exports_is_known_whole() -> None:
    listed = ", ".join(f'"name_{number}"' for number in range(60))
    module = f"__all__ = [{listed}, '_kept']\ndef _kept(): pass\ndef name_59(): pass\ndef left_out(): pass\n"
    for name, expect in (("_kept", "b.py:2"), ("name_59", "b.py:3"), ("left_out", None)):
        check(f"//- /a.py\nfrom b import *\n{name}$0()\n//- /b.py\n{module}", expect)


def test_an_empty_list_of_exports_exports_nothing() -> None:
    check("//- /a.py\nfrom b import *\nf$0()\n//- /b.py\n__all__ = []\ndef f(): pass\n", None)


def test_every_class_of_a_union_may_be_meant() -> None:
    text = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n    def only(self): pass\n"
    found = resolve(f"//- /a.py\n{text}def f(x: A | B | None):\n    x.ru$0n()\n")
    assert found is not None
    assert found.symbol is None
    assert [candidate.symbol.fqn for candidate in found.candidates] == ["a.A.run", "a.B.run"]
    check(f"//- /a.py\n{text}def f(x: A | B):\n    x.on$0ly()\n", "a.py:5")
    check(
        f"//- /a.py\n{text}class C:\n    def __init__(self, x: B = None):\n        self.x, self.y = x or B(), 1\n"
        "    def f(self):\n        self.x.on$0ly()\n",
        "a.py:5",
    )
