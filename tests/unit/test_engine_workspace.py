"""The façade over a real index: questions by position and name, saves, unsaved buffers."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import apsw
import pytest

from granum.engine import Workspace
from granum.model.answers import Health
from granum.model.cancellation import CancelToken
from granum.model.errors import CancelledRequestError, IndexUnavailableError, InvalidRequestError, NotInWorkspaceError
from granum.model.layers import Freshness, PropositionType
from granum.model.retrieval import SearchRequest
from tests.fixture import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from granum.model.answers import Layers, Status

WATCHDOG = 60.0

SHOP = """
//- /shop/__init__.py
//- /shop/stock.py
class Stock:
    \"\"\"Counts what lies on the shelves.\"\"\"

    def take(self, count):
        \"\"\"Takes goods off the shelf.

        Callers must hold the shelf's lock.
        \"\"\"
        if count < 0:
            raise ValueError("count must not be negative")
        return count
//- /shop/till.py
from shop.stock import Stock


def sell(stock: Stock):
    return stock.take(1)
//- /README.md
# Shop

`Stock.take` must never be called from a signal handler.
"""

Opener = "Callable[[str], Workspace]"


@pytest.fixture
def open_workspace(tmp_path: Path) -> Iterator[Callable[[str], Workspace]]:
    opened: list[Workspace] = []

    def opener(text: str) -> Workspace:
        root = tmp_path / "root"
        root.mkdir()
        parse(text).write(root)
        workspace = Workspace.open(root, index_dir=tmp_path / "index")
        opened.append(workspace)
        workspace.reindex()
        return workspace

    yield opener
    for workspace in opened:
        workspace.close()


def texts(workspace: Workspace, fqn: str, *, include_stale: bool = False) -> list[str]:
    return [fact.text for fact in workspace.facts_of(fqn, include_stale=include_stale).facts]


def test_facts_of_a_reference_are_those_of_its_definition(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    facts = workspace.facts_at("shop/till.py", 5, 18)
    assert facts.resolution.symbol is not None
    assert facts.resolution.symbol.fqn == "shop.stock.Stock.take"
    assert (facts.resolution.line, facts.resolution.column, facts.resolution.end_column) == (5, 17, 21)
    stated = {(fact.text, fact.type, fact.start_line) for fact in facts.facts}
    assert ("Callers must hold the shelf's lock.", PropositionType.CONSTRAINT, 7) in stated
    assert ("Raises ValueError: count must not be negative when count < 0", PropositionType.RISK, 10) in stated
    assert facts.freshness is Freshness.FRESH


def test_statements_elsewhere_that_mention_a_symbol_are_told_apart(open_workspace: Callable[[str], Workspace]) -> None:
    facts = open_workspace(SHOP).facts_of("Stock.take")
    assert [(fact.path, fact.start_line, fact.text) for fact in facts.mentions] == [
        ("README.md", 3, "Stock.take must never be called from a signal handler.")
    ]
    assert facts.callers[0].source is not None
    assert facts.callers[0].source.fqn == "shop.till.sell"


def test_a_save_makes_vanished_facts_stale_and_keeps_the_others_ids(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(SHOP)
    before = {fact.text: fact for fact in workspace.facts_of("Stock.take").facts}
    file = workspace.root / "shop/stock.py"
    text = file.read_text()
    file.write_text(
        "# a new first line\n\n" + text.replace("Callers must hold the shelf's lock.", "Callers may be many.")
    )
    done = workspace.document_saved(file).result(WATCHDOG)
    assert (done.files, done.stale) == (1, 1)
    raised = "Raises ValueError: count must not be negative when count < 0"
    after = {fact.text: fact for fact in workspace.facts_of("Stock.take", include_stale=True).facts}
    assert after[raised].id == before[raised].id
    assert after[raised].start_line == before[raised].start_line + 2
    gone = after["Callers must hold the shelf's lock."]
    assert gone.is_stale
    assert gone.stale_since is not None
    assert "Callers must hold the shelf's lock." not in texts(workspace, "Stock.take")


def test_an_unsaved_buffer_moves_adds_and_outdates_facts(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    file = workspace.root / "shop/stock.py"
    text = file.read_text()
    workspace.document_opened(file, text, 1)
    edited = "#\n" + text.replace("Callers must hold the shelf's lock.", "Callers must own the whole shelf.")
    workspace.document_changed(file, edited, 2)
    facts = {fact.text: fact for fact in workspace.facts_at("shop/stock.py", 5, 9).facts}
    assert facts["Callers must hold the shelf's lock."].freshness is Freshness.STALE
    assert facts["Callers must own the whole shelf."].unsaved
    moved = facts["Raises ValueError: count must not be negative when count < 0"]
    assert (moved.start_line, moved.freshness) == (11, Freshness.FRESH)


def test_a_position_without_a_name_has_no_facts(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    assert workspace.facts_at("shop/till.py", 2, 0).resolution.name == ""
    assert workspace.facts_at("shop/till.py", 9_999, 9_999).facts == ()
    assert workspace.facts_at("shop/missing.py", 1, 0).facts == ()


def test_impossible_positions_and_foreign_paths_are_refused(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    with pytest.raises(InvalidRequestError):
        workspace.symbol_at("shop/till.py", 0, 0)
    with pytest.raises(NotInWorkspaceError):
        workspace.symbol_at("../secret.py", 1, 0)


def test_a_cancelled_question_is_not_answered(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledRequestError):
        workspace.search(SearchRequest(query="lock"), token=token)


def test_status_counts_rows_and_is_quiescent_after_the_scan(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    assert workspace.wait_idle(WATCHDOG)
    status = workspace.status()
    assert (status.health, status.quiescent, status.counts.files, status.queue_length) == (Health.READY, True, 4, 0)
    assert status.counts.propositions == len(
        [
            fact
            for path in ("shop/stock.py", "shop/till.py", "README.md")
            for fact in workspace.layers(path).propositions
        ]
    )


def test_search_finds_the_rule(open_workspace: Callable[[str], Workspace]) -> None:
    result = open_workspace(SHOP).search(SearchRequest(query="which lock must callers hold"))
    assert result.hits[0].content == "Callers must hold the shelf's lock."
    assert (result.hits[0].path, result.hits[0].start_line) == ("shop/stock.py", 7)


def test_between_a_save_and_its_rows_the_buffer_answers(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    file = workspace.root / "shop/stock.py"
    text = "#\n" + file.read_text()
    workspace.document_opened(file, file.read_text(), 1)
    workspace.document_changed(file, text, 2)
    file.write_text(text)
    future = workspace.document_saved(file)
    early = {fact.text: fact.start_line for fact in workspace.facts_of("Stock.take").facts}
    future.result(WATCHDOG)
    late = {fact.text: fact.start_line for fact in workspace.facts_of("Stock.take").facts}
    assert early == late
    assert late["Callers must hold the shelf's lock."] == 8
    assert workspace.facts_of("Stock.take").freshness is Freshness.FRESH


def test_edits_made_while_a_save_is_indexed_stay_unsaved(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHOP)
    file = workspace.root / "shop/stock.py"
    saved = file.read_text().replace("Callers must hold the shelf's lock.", "Callers must own the whole shelf.")
    workspace.document_opened(file, file.read_text(), 1)
    workspace.document_changed(file, saved, 2)
    file.write_text(saved)
    future = workspace.document_saved(file)
    workspace.document_changed(file, saved.replace("Callers must own the whole shelf.", "Nothing is required."), 3)
    future.result(WATCHDOG)
    facts = {fact.text: fact for fact in workspace.facts_of("Stock.take").facts}
    assert facts["Callers must own the whole shelf."].freshness is Freshness.STALE


def test_a_started_workspace_is_not_at_rest_before_its_first_scan(tmp_path: Path) -> None:
    root = parse(SHOP).write(tmp_path / "root")
    for attempt in range(2):
        told: list[Status] = []
        done = threading.Event()

        def listen(status: Status, told: list[Status] = told, done: threading.Event = done) -> None:
            told.append(status)
            if status.quiescent:
                done.set()

        workspace = Workspace.open(root, index_dir=tmp_path / "index", on_status=listen)
        try:
            workspace.start()
            assert done.wait(WATCHDOG)
            at_rest = told[-1]
            assert (at_rest.health, at_rest.counts.files) == (Health.READY, 4)
            assert at_rest.indexed_at is not None, f"attempt {attempt}: an old index has an age too"
        finally:
            workspace.close()


def test_closing_copies_the_log_into_the_index(open_workspace: Callable[[str], Workspace], tmp_path: Path) -> None:
    workspace = open_workspace("//- /a.py\nLIMIT = 3\n")
    assert workspace.find_symbols("LIMIT", 5)
    workspace.close()
    assert [file.name.partition(".")[2] for file in (tmp_path / "index").rglob("index-*.db*")] == ["db"]


def test_a_damaged_text_that_only_a_question_meets_has_the_index_rebuilt(
    open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    workspace = open_workspace("//- /a.py\ndef f():\n    return " + " + ".join(f"value_{i}" for i in range(40)) + "\n")
    (index,) = (tmp_path / "index").rglob("index-*.db")
    connection = apsw.Connection(str(index))
    connection.execute("UPDATE text_block SET packed = randomblob(200)")
    connection.close()
    with pytest.raises(IndexUnavailableError, match="being rebuilt"):
        workspace.layers("a.py", include_text=True)
    deadline = time.monotonic() + WATCHDOG
    while not (found := _layers_or_none(workspace)) and time.monotonic() < deadline:
        workspace.wait_idle(0.1)
    assert found
    assert "value_39" in found.paragraphs[0].text
    assert "damaged" in workspace.status().message


def _layers_or_none(workspace: Workspace) -> Layers | None:
    """The rebuilt layers, as soon as they are there."""
    try:
        found = workspace.layers("a.py", include_text=True)
    except (IndexUnavailableError, apsw.Error):
        return None
    return found if found.paragraphs else None
