"""What answers make of texts that the index has not read, and what they tell the index of them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from granum.engine import Workspace
from granum.engine.extractions import INLINE_CHARACTERS
from granum.engine.present import ANSWER_CHARACTERS
from granum.index.freshness import MAX_FILES
from granum.model.layers import Freshness
from granum.model.retrieval import SearchRequest
from granum.model.settings import Settings
from tests.fixture import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from granum.model.answers import Fact

WATCHDOG = 60.0
FRESH, STALE, UNKNOWN = Freshness.FRESH, Freshness.STALE, Freshness.UNKNOWN

Opener = "Callable[[str], Workspace]"


@pytest.fixture
def open_workspace(tmp_path: Path) -> Iterator[Callable[[str], Workspace]]:
    """Opens workspaces that keep their index in line by themselves, as a server's do."""
    opened: list[Workspace] = []

    def opener(text: str) -> Workspace:
        root = tmp_path / "root"
        root.mkdir()
        parse(text).write(root)
        workspace = Workspace.open(root, index_dir=tmp_path / "index")
        opened.append(workspace)
        workspace.start()
        workspace.reindex()
        assert workspace.wait_idle(WATCHDOG)
        return workspace

    yield opener
    for workspace in opened:
        workspace.close()


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WATCHDOG
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def open_with(workspace: Workspace, path: str, text: str) -> None:
    """Opens a file in an editor that holds another text than the disk, as after a crash."""
    workspace.document_opened(workspace.root / path, text, 1)


def states(facts: tuple[Fact, ...]) -> dict[tuple[str, int], Freshness]:
    return {(fact.text, fact.start_line): fact.freshness for fact in facts}


SHELF = '''
//- /shelf.py
class Shelf:
    def take(self, count):
        """Callers must hold the lock."""


class Rack:
    def take(self, count):
        """Callers must hold the lock."""
'''
LOCK = "Callers must hold the lock."


# -- the right symbol


def test_a_statement_that_two_symbols_share_is_never_shown_at_the_others_place(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(SHELF)
    text = (workspace.root / "shelf.py").read_text()
    without_rack = text[: text.index("class Rack")]
    open_with(workspace, "shelf.py", without_rack)
    assert states(workspace.facts_of("Rack.take").facts) == {(LOCK, 8): STALE}
    assert states(workspace.facts_of("Shelf.take").facts) == {(LOCK, 3): FRESH}
    without_shelf = text[text.index("class Rack") :]
    workspace.document_changed(workspace.root / "shelf.py", without_shelf, 2)
    assert states(workspace.facts_of("Shelf.take").facts) == {(LOCK, 3): STALE}
    assert states(workspace.facts_of("Rack.take").facts) == {(LOCK, 3): FRESH}


PROPERTY = '''
//- /level.py
class Tank:
    @property
    def level(self):
        """Reading must be cheap."""
        return 1

    @level.setter
    def level(self, value):
        """Setting must be rare."""
'''


@pytest.mark.parametrize(("needle", "line"), [("def level(self):", 9), ("def level(self, value):", 14)])
def test_of_definitions_of_one_name_the_one_under_the_cursor_is_meant(
    open_workspace: Callable[[str], Workspace], needle: str, line: int
) -> None:
    workspace = open_workspace(PROPERTY)
    text = "#\n" * 6 + (workspace.root / "level.py").read_text()
    open_with(workspace, "level.py", text)
    assert text.split("\n")[line - 1].strip() == needle
    found = workspace.symbol_at("level.py", line, 8).symbol
    assert found is not None
    assert (found.fqn, found.name_line, found.freshness) == ("level.Tank.level", line, FRESH)


IMPORTS = """
//- /one.py
def run():
    pass
//- /two.py
def run():
    pass
//- /use.py
from one import run as first
from two import run as second
"""


def test_a_name_on_an_import_is_that_of_its_line_in_the_text_as_it_is_now(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(IMPORTS)
    text = "#\n" + (workspace.root / "use.py").read_text()
    open_with(workspace, "use.py", text)
    names = [workspace.symbol_at("use.py", line, 16).symbol for line in (2, 3)]
    assert [each and each.fqn for each in names] == ["one.run", "two.run"]
    (workspace.root / "use.py").write_text(text)
    workspace.document_closed(workspace.root / "use.py")
    names = [workspace.symbol_at("use.py", line, 16).symbol for line in (2, 3)]
    assert [each and each.fqn for each in names] == ["one.run", "two.run"]


def test_a_definition_that_only_the_buffer_has_is_known_with_its_facts(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(SHELF)
    text = (workspace.root / "shelf.py").read_text()
    added = 'def fresh():\n    """It must be quick."""\n\n\nfresh()\n'
    open_with(workspace, "shelf.py", text + added)
    line = (text + added).count("\n")
    facts = workspace.facts_at("shelf.py", line, 2)
    assert facts.resolution.symbol is not None
    assert (facts.resolution.symbol.fqn, facts.resolution.symbol.name_line) == ("shelf.fresh", line - 4)
    assert [(fact.text, fact.unsaved) for fact in facts.facts] == [("It must be quick.", True)]


def test_a_chunk_is_found_again_only_where_all_its_paragraphs_are(open_workspace: Callable[[str], Workspace]) -> None:
    bodies = [f"def f{i}():\n" + "".join(f"    value_{i}_{j} = {j}\n" for j in range(60)) for i in range(6)]
    workspace = open_workspace("//- /a.py\n" + "\n\n".join(bodies))
    before = {chunk.chunk_index: chunk for chunk in workspace.layers("a.py").chunks}
    assert len(before) > 3
    text = (workspace.root / "a.py").read_text()
    edited = text.replace("value_2_30 = 30\n", "value_2_30 = 31\n    # one more line\n")
    open_with(workspace, "a.py", edited)
    old, new = text.split("\n"), edited.split("\n")
    for index, chunk in ((chunk.chunk_index, chunk) for chunk in workspace.layers("a.py").chunks):
        was = old[before[index].start_line - 1 : before[index].end_line]
        is_same = new[chunk.start_line - 1 : chunk.end_line] == was
        assert (chunk.freshness is FRESH) == ("value_2_30 = 30" not in "".join(was)) == is_same


# -- whose text


def test_a_buffer_that_is_opened_with_unsaved_text_speaks_for_its_file(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(SHELF)
    text = (workspace.root / "shelf.py").read_text()
    open_with(workspace, "shelf.py", "#\n" + text.replace("hold the lock", "own the lock"))
    facts = workspace.facts_of("Shelf.take")
    assert states(facts.facts) == {(LOCK, 3): STALE, ("Callers must own the lock.", 4): FRESH}
    assert [fact.unsaved for fact in facts.facts] == [False, True]


def test_a_buffer_closed_without_a_save_leaves_the_word_to_the_disk(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHELF)
    text = (workspace.root / "shelf.py").read_text()
    before = workspace.facts_of("Shelf.take")
    open_with(workspace, "shelf.py", "#\n" + text)
    assert states(workspace.facts_of("Shelf.take").facts) == {(LOCK, 4): FRESH}
    workspace.document_closed(workspace.root / "shelf.py")
    assert workspace.facts_of("Shelf.take") == before


def test_an_open_buffer_outlives_what_another_program_does_to_its_file(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(SHELF)
    file = workspace.root / "shelf.py"
    text = file.read_text()
    open_with(workspace, "shelf.py", text)
    file.write_text("#\n" + text.replace("class Rack", "class Tray"))
    early = workspace.facts_of("Rack.take")
    assert states(early.facts) == {(LOCK, 8): FRESH}
    until(lambda: bool(workspace.find_symbols("Tray", 1)))
    tray = workspace.facts_of("Tray.take")
    assert {fact.freshness for fact in tray.facts} == {STALE}, "the buffer has no such class"
    rack = workspace.facts_at("shelf.py", 7, 8)
    assert [(fact.text, fact.start_line, fact.unsaved) for fact in rack.facts] == [(LOCK, 8, True)]


def test_line_ends_and_byte_order_marks_make_no_other_text(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace("//- /a.py\n")
    (workspace.root / "a.py").write_bytes(b"\xef\xbb\xbfdef f():\r\n    '''It must be quick.'''\r\n")
    workspace.reindex(["a.py"])
    open_with(workspace, "a.py", "def f():\n    '''It must be quick.'''\n")
    found = workspace.layers("a.py")
    assert (found.freshness, {fact.id > 0 for fact in found.propositions}) == (FRESH, {True})


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_link_out_of_the_root_in_a_files_place_is_not_read(
    open_workspace: Callable[[str], Workspace], tmp_path: Path
) -> None:
    workspace = open_workspace("//- /a.py\ndef f():\n    '''It must be quick.'''\n")
    (tmp_path / "secret.py").write_text("def f():\n    '''The code word must be xyzzy.'''\n")
    (workspace.root / "a.py").unlink()
    (workspace.root / "a.py").symlink_to(tmp_path / "secret.py")
    facts = workspace.facts_of("a.f").facts
    assert [(fact.text, fact.freshness) for fact in facts] == [("It must be quick.", STALE)]


# -- bounds


def _many(count: int, characters: int) -> str:
    filler = "# a line\n" * (characters // len("# a line\n"))
    return "\n".join(
        f"//- /m{number:03}.py\ndef f{number}():\n    '''Zebra {number} must run.'''\n{filler}\n"
        for number in range(count)
    )


def test_an_answer_extracts_so_much_text_only_and_the_next_one_goes_on(
    open_workspace: Callable[[str], Workspace],
) -> None:
    size = INLINE_CHARACTERS - 200
    count = ANSWER_CHARACTERS // size + 2
    workspace = open_workspace(_many(count, size))
    for number in range(count):
        path = f"m{number:03}.py"
        open_with(workspace, path, "#\n" + (workspace.root / path).read_text())
    request = SearchRequest(query="zebra", limit=200)

    def found() -> list[int]:
        hits = [hit for hit in workspace.search(request).hits if hit.layer == "proposition"]
        assert all(hit.freshness is (FRESH if hit.start_line == 3 else STALE) for hit in hits)
        return [hit.start_line for hit in hits]

    first = found()
    assert (len(first), first.count(3)) == (count, ANSWER_CHARACTERS // size)
    assert found().count(3) == count


def test_files_beyond_the_first_two_hundred_are_not_looked_at(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(_many(MAX_FILES + 5, 0))
    result = workspace.search(SearchRequest(query="zebra", limit=1000))
    files = {hit.path: hit.freshness for hit in result.hits if hit.layer == "proposition"}
    assert len(files) == MAX_FILES + 5
    assert list(files.values()).count(UNKNOWN) == 5
    assert result.freshness is UNKNOWN


def test_a_large_buffer_is_marked_until_it_is_extracted_elsewhere_and_then_right(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(_many(1, 2 * INLINE_CHARACTERS))
    text = (workspace.root / "m000.py").read_text()
    open_with(workspace, "m000.py", "#\n" * 3 + text)

    def found() -> tuple[int, Freshness]:
        (fact,) = workspace.facts_of("m000.f0").facts
        return fact.start_line, fact.freshness

    assert found() in {(2, STALE), (5, FRESH)}
    until(lambda: found() == (5, FRESH))
    symbol = workspace.symbol_at("m000.py", 4, 5).symbol
    assert symbol is not None
    assert (symbol.fqn, symbol.name_line, symbol.freshness) == ("m000.f0", 4, FRESH)


def test_a_buffer_that_grew_too_large_to_be_indexed_is_marked_and_not_read(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(_many(1, 0))
    workspace.update_settings(Settings(max_file_size=4096))
    assert workspace.wait_idle(WATCHDOG)
    text = (workspace.root / "m000.py").read_text()
    open_with(workspace, "m000.py", "#\n" * 4096 + text)
    (fact,) = workspace.facts_of("m000.f0").facts
    assert (fact.start_line, fact.freshness) == (2, STALE)
    assert workspace.symbol_at("m000.py", 4097, 5).symbol is None


# -- the index is told


def test_what_an_answer_finds_changed_is_read_though_nobody_watched(open_workspace: Callable[[str], Workspace]) -> None:
    workspace = open_workspace(SHELF)
    text = (workspace.root / "shelf.py").read_text()
    (workspace.root / "shelf.py").write_text("#\n" + text)
    assert workspace.layers("shelf.py").freshness is STALE
    until(lambda: workspace.layers("shelf.py").freshness is FRESH)
    (fact, *_) = workspace.layers("shelf.py").propositions
    assert (fact.start_line, fact.id > 0) == (4, True)


def test_what_an_answer_finds_gone_is_forgotten_though_nobody_watched(
    open_workspace: Callable[[str], Workspace],
) -> None:
    workspace = open_workspace(SHELF)
    (workspace.root / "shelf.py").unlink()
    assert {fact.freshness for fact in workspace.facts_of("Shelf.take").facts} == {STALE}
    until(lambda: workspace.symbols("shelf.py") == ())


def test_a_workspace_that_was_not_started_only_answers(tmp_path: Path) -> None:
    root = parse(SHELF).write(tmp_path / "root")
    workspace = Workspace.open(root, index_dir=tmp_path / "index")
    try:
        workspace.reindex()
        (root / "shelf.py").unlink()
        assert {fact.freshness for fact in workspace.facts_of("Shelf.take").facts} == {STALE}
        assert workspace.wait_idle(WATCHDOG)
        assert workspace.symbols("shelf.py") != ()
    finally:
        workspace.close()
