"""A module is a symbol like any other: it is found by name and by import, and its facts and importers are its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from granum.extract.identify import identifier_at
from granum.model.layers import ReferenceKind, SymbolKind
from granum.resolve import callees, callers, resolve_identifier, symbol_by_name
from tests.fixture import parse
from tests.indexed import Indexed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIXTURE = '''
//- /shop/__init__.py
//- /shop/stock.py
"""What lies on the shelves."""
# Must never be imported by the till.


def reserve(item): pass
//- /shop/till/__init__.py
def open_till(): pass
stock = 1
//- /shop/till/drawer.py
//- /names/tool.py
//- /app.py
from shop import stock
import shop.till.drawer
from shop.stock import reserve
import names.tool
stock.reserve(1)
def main(): pass
main()
//- /docs/guide.md
# Guide

Read `shop.stock` before `drawer`, never `stock`.
'''


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Indexed]:
    indexed = Indexed(parse(FIXTURE).write(tmp_path / "root"), tmp_path / "index.db")
    indexed.link(indexed.read_all())
    yield indexed
    indexed.close()


@pytest.mark.parametrize(
    ("partial", "expect"),
    [
        ("shop.stock", ("shop.stock", SymbolKind.MODULE)),
        ("till.drawer", ("shop.till.drawer", SymbolKind.MODULE)),
        ("shop", ("shop", SymbolKind.MODULE)),
        ("till", ("shop.till", SymbolKind.MODULE)),
        ("stock", ("shop.till.stock", SymbolKind.VARIABLE)),
        ("stock.reserve", ("shop.stock.reserve", SymbolKind.FUNCTION)),
    ],
)
def test_a_module_is_found_by_its_name_unless_a_definition_has_it(
    workspace: Indexed, partial: str, expect: tuple[str, SymbolKind]
) -> None:
    with workspace.reader.snapshot() as snapshot:
        found = symbol_by_name(snapshot, partial).symbol
    assert found
    assert (found.fqn, found.kind) == expect


def test_a_definition_of_a_module_s_very_name_is_preferred(workspace: Indexed) -> None:
    workspace.save("shop/till/__init__.py", "def drawer(): pass\n")
    with workspace.reader.snapshot() as snapshot:
        resolution = symbol_by_name(snapshot, "shop.till.drawer")
    assert resolution.symbol
    assert resolution.symbol.kind is SymbolKind.FUNCTION
    assert [candidate.symbol.path for candidate in resolution.candidates] == ["shop/till/drawer.py"]


@pytest.mark.parametrize(
    ("code", "expect"),
    [
        ("from shop import st$0ock", "shop/stock.py"),
        ("from sh$0op import stock", "shop/__init__.py"),
        ("from sh$0op.stock import reserve", "shop/__init__.py"),
        ("from shop.st$0ock import (\n    reserve,\n)", "shop/stock.py"),
        ("import shop.till.dra$0wer as d", "shop/till/drawer.py"),
        ("import shop.ti$0ll.drawer", "shop/till/__init__.py"),
        ("import shop.till.drawer\nshop.ti$0ll", "shop/till/__init__.py"),
        ("from shop import stock as s\ns$0.reserve()", "shop/stock.py"),
        ("from shop import stock\nstock.rese$0rve()", "shop/stock.py"),
        ("import names.to$0ol", "names/tool.py"),
        ("import nam$0es.tool", None),
        ("from json.deco$0der import x", None),
    ],
)
def test_an_import_leads_to_the_module_under_the_cursor(workspace: Indexed, code: str, expect: str | None) -> None:
    parsed = parse(f"//- /app.py\n{code}\n")
    cursor = parsed.cursor
    assert cursor
    text = parsed.files["app.py"]
    workspace.save("app.py", text)
    identifier = identifier_at(text, "python", cursor.line, cursor.column)
    assert identifier
    with workspace.reader.snapshot() as snapshot:
        found = resolve_identifier(snapshot, "app.py", identifier).symbol
    assert (found.path if found else None) == expect


@pytest.mark.parametrize(
    ("code", "expect"), [("from ..st$0ock import x", "shop/stock.py"), ("from .dra$0wer import x", None)]
)
def test_a_relative_import_leads_to_the_module(workspace: Indexed, code: str, expect: str | None) -> None:
    (workspace.root / "shop/till/drawer.py").unlink()
    workspace.read(["shop/till/drawer.py"])
    cursor = parse(f"//- /a.py\n{code}\n").cursor
    assert cursor
    text = code.replace("$0", "")
    workspace.save("shop/till/late.py", text)
    identifier = identifier_at(text, "python", cursor.line, cursor.column)
    assert identifier
    with workspace.reader.snapshot() as snapshot:
        found = resolve_identifier(snapshot, "shop/till/late.py", identifier).symbol
    assert (found.path if found else None) == expect


def test_what_is_said_at_the_top_is_about_the_module(workspace: Indexed) -> None:
    with workspace.reader.snapshot() as snapshot:
        (module,) = snapshot.symbols_by_fqn("shop.stock")
        facts = snapshot.facts_for_symbol(module.id)
        summary = snapshot.summary_of_symbol(module)
        assert (module.name, module.path, module.start_line, module.end_line) == ("stock", "shop/stock.py", 1, 5)
        assert (module.name_line, module.name_column, module.name_end_column) == (1, 0, 0)
    assert {fact.text for fact in facts} == {"What lies on the shelves.", "Must never be imported by the till."}
    assert {fact.symbol for fact in facts} == {"shop.stock"}
    assert summary
    assert summary.purpose == "What lies on the shelves."


def test_a_module_s_callers_are_its_importers(workspace: Indexed) -> None:
    with workspace.reader.snapshot() as snapshot:
        (stock,) = snapshot.symbols_by_fqn("shop.stock")
        (app,) = snapshot.symbols_by_fqn("app")
        (main,) = snapshot.symbols_by_fqn("app.main")
        importers = callers(snapshot, stock.id, 9)
        assert [(e.kind, e.path, e.line, e.target.fqn if e.target else "") for e in importers] == [
            (ReferenceKind.IMPORT, "app.py", 1, "shop.stock")
        ]
        assert [e.source.fqn for e in callers(snapshot, main.id, 9) if e.source] == ["app"]
        assert [e.target.fqn for e in callees(snapshot, app.id, 9) if e.target] == ["shop.stock.reserve", "app.main"]


def test_references_to_modules_are_linked(workspace: Indexed) -> None:
    rows = workspace.connection.execute(
        "SELECT r.kind || ' ' || r.name, s.fqn FROM reference r JOIN document d ON d.id = r.document_id"
        " LEFT JOIN symbol s ON s.id = r.target_id WHERE r.kind IN ('import', 'mention')"
        " ORDER BY d.path, r.line, r.column"
    )
    assert list(rows) == [
        ("import shop.stock", "shop.stock"),
        ("import shop.till.drawer", "shop.till.drawer"),
        ("import shop.stock.reserve", "shop.stock.reserve"),
        ("import names.tool", "names.tool"),
        ("mention shop.stock", "shop.stock"),
        ("mention drawer", "shop.till.drawer"),
        ("mention stock", "shop.till.stock"),
    ]


def test_only_the_whole_name_finds_a_module_among_symbols(workspace: Indexed) -> None:
    with workspace.reader.snapshot() as snapshot:
        assert [s.fqn for s in snapshot.find_symbols("draw", 9)] == []
        assert [s.fqn for s in snapshot.find_symbols("Drawer", 9)] == ["shop.till.drawer"]
        assert SymbolKind.MODULE not in {s.kind for s in snapshot.find_symbols("", 99)}


def test_a_nearer_file_takes_an_import_over_at_once(workspace: Indexed) -> None:
    workspace.save("jobs/run.py", "import names.tool\nnames.tool.work()\n")
    workspace.save("names/tool.py", "def work(): pass\n")

    def target() -> list[str]:
        rows = workspace.connection.execute(
            "SELECT t.path FROM reference r JOIN document d ON d.id = r.document_id JOIN symbol s ON s.id = r.target_id"
            " JOIN document t ON t.id = s.document_id WHERE d.path = 'jobs/run.py' AND r.kind = 'call'"
        )
        return [row[0] for row in rows]

    assert target() == ["names/tool.py"]
    workspace.save("jobs/names/tool.py", "def work(): pass\n")
    assert target() == ["jobs/names/tool.py"]
    workspace.remove("jobs/names/tool.py")
    assert target() == ["names/tool.py"]


def test_a_folder_that_becomes_a_package_is_no_place_to_import_from(workspace: Indexed) -> None:
    workspace.save("far/away/deep.py", "def work(): pass\n")
    workspace.save("jobs/run.py", "from away.deep import work\n")
    count = "SELECT count(*) FROM reference WHERE name = 'away.deep.work' AND target_id IS NOT NULL"
    assert list(workspace.connection.execute(count)) == [(1,)]
    workspace.save("far/__init__.py", "")
    assert list(workspace.connection.execute(count)) == [(0,)]
    workspace.remove("far/__init__.py")
    assert list(workspace.connection.execute(count)) == [(1,)]


def test_a_module_s_bare_name_is_a_word_like_others(workspace: Indexed) -> None:
    workspace.save("docs/more.md", "# More\n\n- Never open `stock` at night.\n- Never open `shop.stock` twice.\n")
    with workspace.reader.snapshot() as snapshot:
        found = snapshot.mentions_of(("stock",), fqn="shop.stock")
        assert [f.text for f in found if f.path == "docs/more.md"] == ["Never open shop.stock twice."]
        variable = snapshot.mentions_of(("stock",), fqn="shop.till.stock")
        assert "Never open stock at night." in [f.text for f in variable]
        package = snapshot.mentions_of(("shop",), fqn="shop")
        assert package == (), "a project's name stands in sentences about anything"
