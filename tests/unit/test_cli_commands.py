"""The commands as a person or a script runs them: real processes on a small workspace, real index."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import msgspec
import pytest

from granum.cli.doctor import DoctorReport
from granum.cli.index import IndexReport
from granum.model.answers import Facts, Layers, Status
from granum.model.retrieval import SearchResult
from tests.fixture import parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

T = TypeVar("T")

WORKSPACE = """
//- /shop/__init__.py
//- /shop/cart.py
'''The cart.'''


class Cart:
    '''Holds items until they are paid.'''

    def add(self, item, count):
        '''Adds an item.

        The count must never be negative.
        '''
        if count < 0:
            raise ValueError("count is negative")
        return count

    def clear(self):
        '''Removes all items.'''
//- /shop/order.py
from shop.cart import Cart


def order(cart: Cart):
    '''Orders what is in the cart.'''
    cart.add("bag", 1)


def clear():
    '''Forgets all orders.'''
//- /docs/guide.md
# Guide

- `Cart.add` must be called once for each item.
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a command in the workspace, whose index all tests of this module share."""
    root = tmp_path_factory.mktemp("ws")
    parse(WORKSPACE).write(root)
    environment = {**os.environ, "GRANUM_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}
    environment.pop("COLUMNS", None)

    def call(*words: str, cwd: Path = root, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "granum", *words],
            cwd=cwd,
            env={**environment, **changes},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


def decoded(done: subprocess.CompletedProcess[str], type_: type[T], code: int = 0) -> T:
    """The JSON that the command printed, which must be one value of the type, alone on stdout."""
    assert done.returncode == code, done.stderr
    return msgspec.json.decode(done.stdout, type=type_)


def test_index_reports_rows_time_and_no_problem(run: Run) -> None:
    report = decoded(run("index", "--json"), IndexReport)
    assert report.status.counts.files == 4
    assert report.status.counts.propositions > 3
    assert report.problems == ()
    assert report.seconds > 0
    assert report.status.quiescent


def test_a_second_index_finds_nothing_to_do_and_force_reads_all(run: Run) -> None:
    run("index")
    again = decoded(run("index", "--json"), IndexReport).reindexed
    assert (again.files, again.unchanged) == (4, 4)
    forced = decoded(run("index", "--force", "--json"), IndexReport).reindexed
    assert (forced.files, forced.unchanged) == (4, 0)


def test_index_for_a_person_names_the_layers(run: Run) -> None:
    done = run("index")
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("files", "paragraphs", "propositions", "Indexed"))
    assert "\x1b" not in done.stdout + done.stderr


def test_facts_by_a_part_of_the_name(run: Run) -> None:
    facts = decoded(run("facts", "Cart.add", "--json"), Facts)
    assert facts.resolution.symbol is not None
    assert facts.resolution.symbol.fqn == "shop.cart.Cart.add"
    texts = [fact.text for fact in facts.facts]
    assert "The count must never be negative." in texts
    assert any(text.startswith("Raises ValueError: count is negative") for text in texts)
    assert any("once for each item" in fact.text for fact in facts.mentions)


def test_facts_can_be_limited_to_a_type(run: Run) -> None:
    facts = decoded(run("facts", "Cart.add", "--type", "risk", "--no-mentions", "--json"), Facts)
    assert {fact.type for fact in facts.facts} == {"risk"}
    assert facts.mentions == ()


@pytest.mark.parametrize("place", ["shop/cart.py:13", "shop/cart.py:7:9", "shop/order.py:6:12"])
def test_facts_by_place(run: Run, place: str) -> None:
    symbol = decoded(run("facts", place, "--json"), Facts).resolution.symbol
    assert symbol is not None
    assert symbol.fqn == "shop.cart.Cart.add"


def test_facts_for_a_person_carry_their_places(run: Run) -> None:
    done = run("facts", "Cart.add")
    assert "shop.cart.Cart.add  method  shop/cart.py:7-14" in done.stdout
    assert "shop/cart.py:10" in done.stdout
    assert "Called by (1)" in done.stdout


def test_an_ambiguous_name_lists_its_candidates(run: Run) -> None:
    done = run("facts", "clear")
    assert done.returncode == 1
    assert done.stdout == ""
    assert "shop.cart.Cart.clear" in done.stderr
    assert "shop.order.clear" in done.stderr


def test_a_misspelt_name_gets_suggestions(run: Run) -> None:
    done = run("facts", "Crat")
    assert done.returncode == 1
    assert "shop.cart.Cart" in done.stderr


def test_an_unknown_name_is_still_json(run: Run) -> None:
    facts = decoded(run("facts", "zzz.qqq", "--json"), Facts, code=1)
    assert facts.resolution.symbol is None


def test_search_ranks_and_explains_its_score(run: Run) -> None:
    result = decoded(run("search", "count", "negative", "--json"), SearchResult)
    assert result.hits[0].path == "shop/cart.py"
    for hit in result.hits:
        assert sum(hit.score_breakdown.values()) == pytest.approx(hit.score)


@pytest.mark.parametrize("query", ["zzzqqq", "", '" OR * NEAR( ) -', "x" * 100_000])
def test_odd_queries_find_nothing_and_say_so(run: Run, query: str) -> None:
    done = run("search", "--", query)
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr) < 1000
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("limit", ["0", "-3", "100000000"])
def test_an_absurd_limit_is_wrong_usage(run: Run, limit: str) -> None:
    done = run("search", "cart", "--limit", limit)
    assert done.returncode == 2
    assert done.stderr.startswith("granum: ")


def test_an_unknown_intent_is_wrong_usage_with_the_choices(run: Run) -> None:
    done = run("search", "cart", "--intent", "dancing")
    assert done.returncode == 2
    assert "bug" in done.stderr


def test_layers_of_a_file(run: Run) -> None:
    layers = decoded(run("layers", "shop/cart.py", "--json"), Layers)
    assert layers.document is not None
    assert [symbol.fqn for symbol in layers.symbols if symbol.kind == "method"] == [
        "shop.cart.Cart.add",
        "shop.cart.Cart.clear",
    ]
    assert all(paragraph.text == "" for paragraph in layers.paragraphs)
    with_text = decoded(run("layers", "shop/cart.py", "--text", "--json"), Layers)
    assert any("count < 0" in paragraph.text for paragraph in with_text.paragraphs)


def test_a_path_counts_from_the_current_folder(run: Run, tmp_path: Path) -> None:
    subprocess.run(("git", "init", "-q", str(tmp_path)), check=True)
    parse("//- /a/b.py\n'''About b.'''\n").write(tmp_path)
    layers = decoded(run("layers", "b.py", "--json", cwd=tmp_path / "a"), Layers)
    assert layers.path == "a/b.py"


def test_a_file_that_is_not_indexed_exits_1_with_a_hint(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0")
    done = run("layers", "x.bin", cwd=tmp_path)
    assert done.returncode == 1
    assert "granum doctor --why x.bin" in done.stderr


@pytest.mark.parametrize(("file", "message"), [("no.py", "there is no file no.py"), ("shop", "shop is a folder")])
def test_a_wrong_file_is_wrong_usage(run: Run, file: str, message: str) -> None:
    done = run("layers", file)
    assert done.returncode == 2
    assert message in done.stderr


def test_status_is_ready_and_counts(run: Run) -> None:
    status = decoded(run("status", "--json"), Status)
    assert status.health == "ready"
    assert status.counts.files == 4


def test_an_edit_is_seen_unless_no_update_is_asked_for(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("def f():\n    '''Must always be first.'''\n")
    root = ("--root", str(tmp_path), "--json")
    assert [fact.text for fact in decoded(run("facts", "f", *root), Facts).facts] == ["Must always be first."]
    file.write_text("def f():\n    '''Must always be last of all.'''\n")
    old = decoded(run("facts", "f", "--no-update", *root), Facts)
    assert [(fact.id > 0, fact.text, fact.freshness) for fact in old.facts] == [
        (True, "Must always be first.", "STALE"),
        (False, "Must always be last of all.", "FRESH"),
    ]
    new = decoded(run("facts", "f", *root), Facts)
    assert [(fact.text, fact.freshness) for fact in new.facts] == [("Must always be last of all.", "FRESH")]
    stale = decoded(run("facts", "f", "--stale", *root), Facts)
    assert {fact.text for fact in stale.facts if fact.is_stale} == {"Must always be first."}


@pytest.mark.parametrize("command", [("index",), ("status",), ("search", "x")])
def test_an_index_folder_that_cannot_be_made_is_a_fault_of_the_machine(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "file").write_text("")
    done = run(*command, "--index-path", str(tmp_path / "file" / "deep"), cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_the_doctor_finds_the_same_fault(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("doctor", "--json", "--index-path", str(tmp_path / "file" / "deep"))
    report = decoded(done, DoctorReport, code=3)
    assert [check.name for check in report.checks if check.outcome == "failure"] == ["Index folder"]


def test_the_doctor_is_content_with_a_fresh_index(run: Run) -> None:
    run("index")
    report = decoded(run("doctor", "--why", "shop/cart.py", "--json"), DoctorReport)
    assert [check for check in report.checks if check.outcome == "failure"] == []
    assert "whole" in report.checks[-1].detail
    assert report.why is not None
    assert report.why.indexed


def test_the_index_lies_where_it_is_wanted(run: Run, tmp_path: Path) -> None:
    report = decoded(run("index", "--index-path", str(tmp_path / "mine"), "--json"), IndexReport)
    assert report.status.index_path.startswith(str(tmp_path / "mine"))


def test_nothing_is_left_in_the_workspace(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    run("index", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.py"]


def test_several_processes_that_begin_at_once_all_succeed(run: Run, tmp_path: Path) -> None:
    parse(WORKSPACE).write(tmp_path / "ws")
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: run("index", "--json", cwd=tmp_path / "ws"), range(4)))
    reports = [decoded(each, IndexReport) for each in done]
    assert {report.status.counts.files for report in reports} == {4}
