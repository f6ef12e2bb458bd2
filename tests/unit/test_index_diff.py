"""What a new extraction changes in the rows of a document, and that the rest is left alone."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.index.diff import Statement, by_key, by_order, successors
from granum.index.jobs import Cause, Job
from tests.index_rows import WATCHDOG, Index, indexing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = dedent('''\
    """Loads settings."""


    def load(path):
        """Returns the settings, and must never follow a link out of the root."""
        if not path:
            raise ValueError("a path is needed")
        return path


    def store(path):
        """Writes the settings back to the place they came from."""
        return load(path)
''')


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    root = tmp_path / "root"
    root.mkdir()
    with indexing(root, tmp_path / "db" / "index.db") as found:
        yield found


def assert_as_fresh(index: Index, database: Path) -> None:
    """The live rows are those of a new index of the same disk."""
    index.settle()
    with indexing(index.root, database) as new:
        new.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        new.settle()
        found, wanted = index.rows(), new.rows()
    for table in wanted:
        assert found[table] == wanted[table], table


def facts(index: Index) -> dict[str, tuple[int, int, int]]:
    found = index.query(
        "SELECT p.text, p.id, o.start_line, p.is_stale FROM proposition p JOIN occurrence o ON o.proposition_id = p.id"
    )
    return {text: (row_id, line, stale) for text, row_id, line, stale in found}


def ids(index: Index, table: str) -> dict[str, int]:
    return dict(index.query(f"SELECT qualified_name, id FROM {table}"))


def test_rows_are_paired_by_key() -> None:
    delta = by_key({"a": 1, "b": 2}, [("b", "B"), ("c", "C")])
    assert (delta.added, delta.kept, delta.vanished) == (["C"], [(2, "B")], [1])


def test_rows_of_one_key_are_paired_in_their_order() -> None:
    delta = by_order({"f": [1, 2, 3]}, [("f", "A"), ("f", "B"), ("g", "C")])
    assert (delta.added, delta.kept, delta.vanished) == (["C"], [(1, "A"), (2, "B")], [3])


@pytest.mark.parametrize(
    ("before", "after", "succeeds"),
    [
        ("The path must be absolute.", "The path must be relative.", True),
        ("The path must be absolute.", "The path must be absolute and inside of the root.", True),
        ("The path must be absolute.", "Returns nothing at all.", False),
    ],
)
def test_a_successor_shares_half_of_the_words(before: str, after: str, succeeds: bool) -> None:
    found = successors([Statement(1, "here", before)], [Statement(2, "here", after)])
    assert found == ({1: 2} if succeeds else {})


def test_a_successor_stands_in_the_same_group() -> None:
    assert successors([Statement(1, "here", "It must hold.")], [Statement(2, "there", "It must hold!")]) == {}


def test_two_vanished_texts_have_two_successors() -> None:
    vanished = [Statement(1, "g", "a value must be set first"), Statement(2, "g", "a value must be set last")]
    added = [Statement(3, "g", "a value must be set very last"), Statement(4, "g", "a value must be set very first")]
    assert successors(vanished, added) == {1: 4, 2: 3}


def test_texts_that_moved_below_another_heading_succeed_each_other_one_by_one() -> None:
    texts = [f"The value {number} of section {number} must hold." for number in range(300)]
    vanished = [Statement(number, "here", text) for number, text in enumerate(texts)]
    added = [Statement(1000 + number, "here", text) for number, text in enumerate(texts)]
    assert successors(vanished, added) == {number: 1000 + number for number in range(300)}


def test_a_text_succeeds_once_though_it_stands_in_several_places() -> None:
    vanished = [Statement(1, "here", "It must hold."), Statement(2, "there", "It must hold.")]
    added = [Statement(3, place, "It must hold.") for place in ("here", "there")]
    assert successors(vanished, added) == {1: 3}


def test_a_file_that_was_rewritten_has_no_evident_successors() -> None:
    vanished = [Statement(number, "here", f"It must hold for case {number}.") for number in range(300)]
    added = [Statement(1000 + number, "here", f"It must hold in {number} places.") for number in range(300)]
    assert successors(vanished, added) == {}


def test_lines_move_and_ids_stay(index: Index) -> None:
    index.save("a.py", SOURCE)
    before = {table: ids(index, table) for table in ("paragraph", "symbol")}
    before_facts = facts(index)
    index.save("a.py", "# a remark\n\n" + SOURCE)
    assert before["symbol"].items() <= ids(index, "symbol").items()
    assert before["paragraph"].items() <= ids(index, "paragraph").items()
    after = facts(index)
    for text, (row_id, line, _) in before_facts.items():
        assert after[text] == (row_id, line + 2, 0)


def test_an_unchanged_file_costs_no_row(index: Index) -> None:
    index.save("a.py", SOURCE)
    changed: list[object] = []
    before = index.query("SELECT total FROM (SELECT count(*) AS total FROM document_version)")
    result = index.writer.submit(Job(cause=Cause.FORCED, path="a.py")).result(WATCHDOG)
    assert (result.files, result.added, result.updated, result.stale) == (1, 0, 0, 0)
    assert index.query("SELECT total FROM (SELECT count(*) AS total FROM document_version)") == before
    assert changed == []


def test_an_edited_function_keeps_its_row(index: Index) -> None:
    index.save("a.py", SOURCE)
    before = ids(index, "paragraph")
    index.save("a.py", SOURCE.replace("return load(path)", "return load(path or '.')"))
    assert ids(index, "paragraph") == before
    assert index.query("SELECT count(*) FROM paragraph WHERE text LIKE '%or ''.''%' AND NOT is_stale") == [(1,)]


def test_an_edited_fact_goes_stale_and_names_its_successor(index: Index) -> None:
    index.save("a.py", SOURCE)
    index.save("a.py", SOURCE.replace("must never follow a link", "must never follow any link"))
    found = index.query(
        "SELECT o.text, o.is_stale, o.stale_since > 0, n.text, n.is_stale FROM proposition o"
        " JOIN proposition n ON n.id = o.superseded_by"
    )
    assert [(old[1], old[2], old[4]) for old in found] == [(1, 1, 0)]
    assert "follow a link" in found[0][0]
    assert "follow any link" in found[0][3]


def test_returning_text_revives_its_row(index: Index) -> None:
    index.save("a.py", SOURCE)
    before = facts(index)
    without = "\n".join(line for line in SOURCE.split("\n") if "raise" not in line)
    index.save("a.py", without)
    gone = [text for text, (_, _, stale) in facts(index).items() if stale]
    assert gone
    assert "ValueError" in gone[0]
    index.save("a.py", SOURCE)
    assert facts(index) == before
    assert index.query("SELECT stale_since, superseded_by FROM proposition WHERE is_stale = 0 AND stale_since") == []


def test_a_deleted_file_leaves_stale_facts_and_no_symbols(index: Index) -> None:
    index.save("a.py", SOURCE)
    count = len(facts(index))
    index.save("a.py", None)
    assert index.query("SELECT is_stale FROM document") == [(1,)]
    assert [stale for _, _, stale in facts(index).values()] == [1] * count
    for table in ("symbol", "reference", "import", "chunk", "summary"):
        assert index.query(f"SELECT count(*) FROM {table}") == [(0,)], table
    index.save("a.py", SOURCE)
    assert [stale for _, _, stale in facts(index).values()] == [0] * count


@pytest.mark.parametrize("old_first", [True, False])
def test_a_rename_carries_rows_over(index: Index, tmp_path: Path, old_first: bool) -> None:
    index.save("a.py", SOURCE)
    before = facts(index)
    (index.root / "a.py").rename(index.root / "b.py")
    for path in ("a.py", "b.py") if old_first else ("b.py", "a.py"):
        index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path=path)).result(WATCHDOG)
    assert facts(index) == before
    assert index.query("SELECT path, module, is_stale FROM document") == [("b.py", "b", 0)]
    assert {fqn for (fqn,) in index.query("SELECT fqn FROM symbol")} >= {"b.load", "b.store"}
    assert_as_fresh(index, tmp_path / "new.db")


def test_a_copy_is_no_rename(index: Index) -> None:
    index.save("a.py", SOURCE)
    index.save("b.py", SOURCE)
    assert sorted(index.query("SELECT path, is_stale FROM document")) == [("a.py", 0), ("b.py", 0)]


def test_provenance_tells_where_a_content_was_first_read(tmp_path: Path) -> None:
    from granum.index.store import Origin

    origins = iter([Origin(branch="main", commit="1" * 40), Origin(branch="topic", commit="2" * 40)] + [Origin()] * 9)
    root = tmp_path / "root"
    root.mkdir()
    with indexing(root, tmp_path / "index.db", origin=lambda: next(origins)) as index:
        index.save("a.py", SOURCE)
        index.save("a.py", SOURCE + "\n\nLIMIT = 3\n")
        index.save("a.py", SOURCE)
        found = index.query("SELECT branch_name, commit_sha FROM document_version ORDER BY id")
        assert found == [("main", "1" * 40), ("topic", "2" * 40)]
        current = "SELECT v.branch_name FROM document d JOIN document_version v ON v.id = d.version_id"
        assert index.query(current) == [("main",)]


def test_making_a_folder_a_package_renames_its_modules(index: Index, tmp_path: Path) -> None:
    index.save("x/pkg/mod.py", SOURCE)
    assert index.query("SELECT module FROM document") == [("x.pkg.mod",)]
    index.save("x/pkg/__init__.py", "")
    index.settle()
    modules = "SELECT module FROM document WHERE path = 'x/pkg/mod.py'"
    assert index.query(modules) == [("pkg.mod",)]
    assert ("pkg.mod.load",) in index.query("SELECT fqn FROM symbol")
    assert_as_fresh(index, tmp_path / "new.db")
    index.save("x/pkg/__init__.py", None)
    index.settle()
    assert index.query(modules) == [("x.pkg.mod",)]


# -- any history ends in the same rows as a fresh index

PATHS = ("a.py", "pkg/__init__.py", "pkg/b.py", "pkg/sub/c.py", "docs/guide.md", "docs/page.rst")
PYTHON = (
    '"""Reads the configuration of the workspace."""\n',
    "import os\nfrom pkg.b import load\n",
    'def load(path):\n    """Returns the text, and must never be called twice."""\n    return open(path)\n',
    'def load(path):\n    """Returns the text, and must never be called again."""\n    return os.path.join(path)\n',
    dedent('''\
        class Store(Base):
            """Keeps values. Writers must hold the lock."""

            limit: int = 3

            def put(self, value):
                # SECURITY: the value must be escaped before it is stored
                if value is None:
                    raise ValueError("value is required")
                return self.put(load(value))
    '''),
    "def test_load():\n    assert load('x') == 'x'\n",
    "LIMIT = 3  # at most three are allowed at any time\n",
    "def broken(:\n",
)
PROSE = (
    "Guide\n=====\n\nThe server must be started before the client.\n",
    "Usage\n-----\n\n* Always call ``load`` with an absolute path.\n* Never share a Store between threads.\n",
    "We decided to keep one writer because it is simpler.\n",
    "\n\nMore about camelCaseNames and HTTPServer.\n",
)


def contents(path: str) -> st.SearchStrategy[str]:
    blocks = PYTHON if path.endswith(".py") else PROSE
    return st.lists(st.sampled_from(blocks), min_size=1, max_size=4).map("\n\n".join)


writes = st.sampled_from(PATHS).flatmap(lambda path: st.tuples(st.just("write"), st.just(path), contents(path)))
deletes = st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just(""))
renames = st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS))
steps = st.lists(
    st.tuples(
        st.one_of(writes, writes, deletes, renames), st.sampled_from(["save", "event", "scan", "nothing", "tidy"])
    ),
    min_size=3,
    max_size=10,
)


def change(root: Path, step: tuple[str, str, str]) -> tuple[str, ...]:
    kind, path, other = step
    file = root / path
    if kind == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(other)
        return (path,)
    if not file.exists():
        return ()
    if kind == "delete":
        file.unlink()
        return (path,)
    (root / other).parent.mkdir(parents=True, exist_ok=True)
    file.rename(root / other)
    return (path, other)


def follow(index: Index, touched: tuple[str, ...], how: str) -> None:
    if how == "scan":
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
    elif how == "tidy":  # what is stale leaves at once, but for what each document's last change left
        index.tidy(versions=1)
        index.tidy(days=0)
    elif how != "nothing":
        cause = Cause.SAVED if how == "save" else Cause.CHANGED_ON_DISK
        for future in [index.writer.submit(Job(cause=cause, path=path)) for path in touched]:
            future.result(WATCHDOG)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(history=steps)
def test_any_history_ends_in_the_rows_of_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[tuple[str, str, str], str]]
) -> None:
    base = tmp_path_factory.mktemp("history")
    root = base / "root"
    root.mkdir()
    with indexing(root, base / "old.db") as old:
        for step, how in history:
            follow(old, change(root, step), how)
        old.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        assert_as_fresh(old, base / "new.db")
