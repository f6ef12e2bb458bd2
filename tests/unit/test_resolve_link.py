"""Stored references: linked by the same rules, and linked again exactly when something they rest on changed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.index.connection import immediate
from granum.resolve import Linker, callees, callers, link
from tests.fixture import parse
from tests.indexed import Indexed

if TYPE_CHECKING:
    from collections.abc import Iterator

FIXTURE = """
//- /pkg/__init__.py
from .store import Store
//- /pkg/store.py
class Base:
    def close(self): pass
class Store(Base):
    def put(self, item):
        self.check(item)
        self.close()
    def check(self, item): pass
def open_store() -> Store:
    return Store()
//- /app.py
import json
from pkg import Store
from pkg.store import open_store
class Cache(Store):
    pass
def main(unknown):
    store = Store()
    store.put(1)
    open_store()
    unknown.put(2)
    json.dumps({})
main(None)
//- /docs/guide.md
# Guide

Call `Store.put` and then `close`, never `dumps`.
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Indexed]:
    indexed = Indexed(parse(FIXTURE).write(tmp_path / "root"), tmp_path / "index.db")
    indexed.link(indexed.read_all())
    yield indexed
    indexed.close()


def links(indexed: Indexed, path: str | None = None) -> list[tuple[str, str, int, str | None, float]]:
    """path, name, status, the target's full name and confidence of every reference, in order."""
    return list(
        indexed.connection.execute(
            "SELECT d.path, r.kind || ' ' || r.name, r.status, s.fqn, r.confidence FROM reference r"
            " JOIN document d ON d.id = r.document_id LEFT JOIN symbol s ON s.id = r.target_id"
            " WHERE ?1 IS NULL OR d.path = ?1 ORDER BY d.path, r.line, r.column, r.kind",
            (path,),
        )
    )


def target(indexed: Indexed, path: str, name: str) -> tuple[int, str | None]:
    found = [(status, fqn) for _, known, status, fqn, _ in links(indexed, path) if known == name]
    assert found, f"no reference {name}"
    return found[0]


def test_references_lead_to_definitions(workspace: Indexed) -> None:
    assert {name: (status, fqn) for _, name, status, fqn, _ in links(workspace, "app.py")} == {
        "import json": (3, None),
        "import pkg.Store": (1, "pkg.store.Store"),
        "import pkg.store.open_store": (1, "pkg.store.open_store"),
        "inherits Store": (1, "pkg.store.Store"),
        "call Store": (1, "pkg.store.Store"),
        "call store.put": (1, "pkg.store.Store.put"),
        "call open_store": (1, "pkg.store.open_store"),
        "call unknown.put": (3, None),
        "call json.dumps": (3, None),
        "call main": (1, "app.main"),
    }


def test_mentions_in_prose_lead_to_the_only_definition_of_that_name(workspace: Indexed) -> None:
    assert target(workspace, "docs/guide.md", "mention Store.put") == (1, "pkg.store.Store.put")
    assert target(workspace, "docs/guide.md", "mention close") == (1, "pkg.store.Base.close")
    assert target(workspace, "docs/guide.md", "mention dumps") == (3, None)


def test_a_definition_that_vanishes_unlinks_its_references_and_returning_links_them(workspace: Indexed) -> None:
    text = (workspace.root / "pkg/store.py").read_text()
    workspace.save("pkg/store.py", text.replace("open_store", "open_it"))
    assert target(workspace, "app.py", "call open_store") == (3, None)
    workspace.save("pkg/store.py", text)
    assert target(workspace, "app.py", "call open_store") == (1, "pkg.store.open_store")


def test_an_override_in_a_class_between_takes_the_references_over(workspace: Indexed) -> None:
    text = (workspace.root / "pkg/store.py").read_text()
    changed = text.replace("    def check", "    def close(self): pass\n    def check")
    workspace.save("pkg/store.py", changed)
    assert target(workspace, "pkg/store.py", "call self.close") == (1, "pkg.store.Store.close")
    assert target(workspace, "docs/guide.md", "mention close") == (2, None)


def test_a_new_module_links_what_was_looked_for_in_vain(workspace: Indexed) -> None:
    workspace.save("late.py", "from later import thing\nthing()\n")
    assert target(workspace, "late.py", "call thing") == (3, None)
    workspace.save("later.py", "def thing(): pass\n")
    assert target(workspace, "late.py", "call thing") == (1, "later.thing")
    workspace.remove("later.py")
    assert target(workspace, "late.py", "call thing") == (3, None)


def test_an_edit_inside_a_body_makes_nobody_wait(workspace: Indexed) -> None:
    text = (workspace.root / "pkg/store.py").read_text()
    (workspace.root / "pkg/store.py").write_text(text.replace("return Store()", "x = 1\n    return Store()"))
    ids = workspace.read(["pkg/store.py"])
    seen: list[str] = []
    workspace.connection.set_exec_trace(lambda _, sql, __: seen.append(sql) or True)
    with immediate(workspace.connection):
        link(workspace.connection, ids)
    workspace.connection.set_exec_trace(None)
    assert not [sql for sql in seen if "is_pending = 1 WHERE symbols_seen" in sql]


def test_linking_again_changes_nothing(workspace: Indexed) -> None:
    before = links(workspace)
    ids = [row[0] for row in workspace.connection.execute("SELECT id FROM document")]
    changes = workspace.connection.total_changes()
    workspace.link(ids)
    assert links(workspace) == before
    rewritten = workspace.connection.execute("SELECT count(*) FROM reference").fetchall()[0][0]
    assert workspace.connection.total_changes() - changes < rewritten + 60


def test_callers_and_callees_are_read_one_step_away(workspace: Indexed) -> None:
    with workspace.reader.snapshot() as snapshot:
        put = snapshot.symbols_by_fqn("pkg.store.Store.put")[0]
        main = snapshot.symbols_by_fqn("app.main")[0]
        incoming = callers(snapshot, put.id, 10)
        outgoing = callees(snapshot, main.id, 10)
        assert callers(snapshot, put.id, 0) == ()
        assert len(callees(snapshot, main.id, 2)) == 2
    assert [(e.source.fqn if e.source else "", e.path, e.line) for e in incoming] == [("app.main", "app.py", 8)]
    assert [e.target.fqn for e in outgoing if e.target] == [
        "pkg.store.Store",
        "pkg.store.Store.put",
        "pkg.store.open_store",
    ]


_NAMES = st.sampled_from(["alpha", "beta", "Gamma", "Delta"])
#: Modules beside each other, in packages, in a folder that may become one, and of one name at several distances.
_PATHS = [
    "one.py",
    "two.py",
    "three.py",
    "pkg/__init__.py",
    "pkg/one.py",
    "pkg/two.py",
    "pkg/sub/__init__.py",
    "pkg/sub/two.py",
    "lib/pkg/two.py",
    "lib/__init__.py",
]
_MODULES = st.sampled_from(["one", "two", "three", "pkg", "pkg.one", "pkg.two", "pkg.sub", "pkg.sub.two", "sub.two"])
_ORIGINS = st.one_of(_MODULES, st.sampled_from([".", "..", ".one", ".two", ".sub", ".sub.two", "..two", "..one"]))
_MEMBERS = st.one_of(_NAMES, st.sampled_from(["one", "two", "sub", "pkg"]))
_LINES = st.one_of(
    st.builds("def {}(): pass".format, _NAMES),
    st.builds("class {}: pass".format, _NAMES),
    st.builds("class {}({}):\n    def {}(self):\n        self.{}()".format, _NAMES, _NAMES, _NAMES, _NAMES),
    st.builds("from {} import {}".format, _ORIGINS, _MEMBERS),
    st.builds("from {} import {} as {}".format, _ORIGINS, _MEMBERS, _NAMES),
    st.builds("from {} import *".format, _ORIGINS),
    st.builds("import {}".format, _MODULES),
    st.builds("import {} as {}".format, _MODULES, _NAMES),
    st.builds("{}()".format, _NAMES),
    st.builds("{}.{}()".format, _MODULES, _NAMES),
    st.builds("x = {}()\nx.{}()".format, _NAMES, _NAMES),
    st.builds("# see `{}` and `{}`".format, _NAMES, _MODULES),
    st.builds("__all__ = ['{}']".format, _NAMES),
)
_TEXTS = st.lists(_LINES, max_size=5).map("\n".join)
_FILES = st.one_of(st.none(), _TEXTS)
_EDITS = st.lists(st.tuples(st.sampled_from(_PATHS), _FILES), max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(start=st.fixed_dictionaries(dict.fromkeys(_PATHS, _FILES)), edits=_EDITS)
def test_linking_change_by_change_equals_linking_from_nothing(
    start: dict[str, str | None], edits: list[tuple[str, str | None]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        for path, text in start.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                (root / path).write_text(text)
        indexed = Indexed(root, Path(folder) / "index.db")
        indexed.link(indexed.read_all())
        for path, edited in edits:
            if edited is not None:
                indexed.save(path, edited)
            elif (root / path).exists():
                indexed.remove(path)
        fresh = Indexed(root, Path(folder) / "fresh.db")
        fresh.link(fresh.read_all())
        assert links(indexed) == links(fresh)
        indexed.close()
        fresh.close()


def test_a_linker_that_remembers_sees_every_change(workspace: Indexed) -> None:
    linker = Linker()
    ids = [row[0] for row in workspace.connection.execute("SELECT id FROM document ORDER BY id")]
    with immediate(workspace.connection):
        linker(workspace.connection, ids)
    text = (workspace.root / "pkg/store.py").read_text()
    (workspace.root / "pkg/store.py").write_text(text.replace("def put", "def put_in"))
    changed = workspace.read(["pkg/store.py"])
    with immediate(workspace.connection):
        linker(workspace.connection, changed)
    assert target(workspace, "app.py", "call store.put") == (3, None)
