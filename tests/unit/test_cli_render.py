"""Answers as text: what a person reads, and that nothing written in a workspace can harm a terminal."""

from __future__ import annotations

import pytest

from granum.cli import render
from granum.cli.output import as_plain
from granum.cli.text import at_home, duration, one_line, place, safe, size
from granum.model.answers import (
    BranchScope,
    Candidate,
    DocumentView,
    Fact,
    Facts,
    Health,
    LayerCounts,
    Layers,
    ParagraphView,
    ProblemView,
    Resolution,
    Role,
    Status,
    SymbolInfo,
)
from granum.model.layers import Freshness, Layer, ParagraphKind, PropositionType, SourceKind, SourceType, SymbolKind
from granum.model.retrieval import Hit, SearchResult, TaskIntent

ROOT = "/ws"


def symbol(fqn: str = "pkg.a.run") -> SymbolInfo:
    return SymbolInfo(
        id=1,
        fqn=fqn,
        name=fqn.rpartition(".")[2],
        kind=SymbolKind.FUNCTION,
        path="pkg/a.py",
        start_line=3,
        end_line=9,
        name_line=3,
        name_column=4,
        name_end_column=7,
        signature="def run(port: int) -> None",
    )


def fact(text: str = "Must never be called twice.", **changes: object) -> Fact:
    values: dict[str, object] = {
        "id": 7,
        "text": text,
        "hash": "0" * 64,
        "type": PropositionType.CONSTRAINT,
        "confidence": 0.93,
        "source": SourceKind.DOCSTRING,
        "path": "pkg/a.py",
        "start_line": 4,
        "end_line": 4,
        "symbol": "pkg.a.run",
        "freshness": Freshness.FRESH,
    }
    return Fact(**{**values, **changes})  # type: ignore[arg-type]


def facts(*rows: Fact) -> Facts:
    return Facts(resolution=Resolution(name="run", symbol=symbol(), confidence=1.0), facts=rows)


def test_facts_name_the_symbol_its_place_and_each_fact_with_its_line() -> None:
    text = as_plain(render.facts(facts(fact()), ROOT))
    assert "pkg.a.run  function  pkg/a.py:3-9" in text
    assert "def run(port: int) -> None" in text
    assert "constraint  0.93  Must never be called twice." in text
    assert "pkg/a.py:4" in text


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({"is_stale": True, "stale_since": 0.0}, "stale since"),
        ({"unsaved": True}, "unsaved"),
        ({"freshness": Freshness.STALE}, "the file has changed since"),
        ({"freshness": Freshness.UNKNOWN}, "not checked"),
        ({"also": 2}, "and in 2 more files"),
    ],
)
def test_a_fact_that_needs_a_warning_carries_one(changes: dict[str, object], mark: str) -> None:
    assert mark in as_plain(render.facts(facts(fact(**changes)), ROOT))


def test_a_fresh_fact_carries_no_mark() -> None:
    text = as_plain(render.facts(facts(fact()), ROOT))
    assert not any(word in text for word in ("stale", "unsaved", "changed", "checked"))


@pytest.mark.parametrize("trick", ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "a\x08b", "\u202egnp", "\rover"])
def test_control_characters_of_the_workspace_never_reach_the_terminal(trick: str) -> None:
    text = as_plain(render.facts(facts(fact(f"Must hold {trick} always.")), ROOT))
    assert not any((ord(char) < 32 and char != "\n") or 0x7F <= ord(char) <= 0x9F for char in text)
    assert "\u202e" not in text


def test_markup_of_the_workspace_is_shown_as_text() -> None:
    assert "[bold]x[/bold]" in as_plain(render.facts(facts(fact("Must keep [bold]x[/bold] as it is.")), ROOT))


def test_plain_output_has_no_escape_and_no_trailing_space() -> None:
    text = as_plain(render.facts(facts(fact(), fact("Only one may run.")), ROOT))
    assert "\x1b" not in text
    assert not any(line.endswith(" ") for line in text.split("\n"))


def test_ambiguous_names_list_their_candidates() -> None:
    candidates = tuple(Candidate(symbol=symbol(f"pkg.{m}.run"), confidence=0.5, reason="same name") for m in "ab")
    text = as_plain(render.resolution(Resolution(name="run", candidates=candidates), ROOT))
    assert "pkg.a.run" in text
    assert "pkg.b.run" in text


def test_hits_are_ranked_and_notes_come_first() -> None:
    hit = Hit(
        id=1,
        layer=Layer.PARAGRAPH,
        content="first line\nsecond",
        score=0.91234,
        score_breakdown={"fts": 0.91234},
        path="docs/x.md",
        start_line=2,
        end_line=5,
        symbol="",
        content_sha256="0" * 64,
        commit="",
        freshness=Freshness.FRESH,
    )
    result = SearchResult(
        hits=(hit,), total=9, intent=TaskIntent.UNKNOWN, freshness=Freshness.FRESH, notes=("intent 'x' is unknown",)
    )
    lines = as_plain(render.search(result, ROOT)).split("\n")
    assert lines[0] == "intent 'x' is unknown"
    assert lines[1].split() == ["1.", "0.912", "paragraph", "docs/x.md:2-5"]
    assert lines[2].strip() == "first line second"
    assert lines[3] == "1 of 9 hits"


def test_layers_show_paragraphs_propositions_and_problems() -> None:
    document = DocumentView(
        id=1,
        path="pkg/a.py",
        language="python",
        source_type=SourceType.CODE_FILE,
        module="pkg.a",
        content_sha256="0" * 64,
        size=2048,
        line_count=9,
        eol="\n",
        encoding="utf-8",
        branch_scope=BranchScope.GLOBAL,
        provenance=None,
        freshness=Freshness.FRESH,
    )
    paragraph = ParagraphView(
        id=1,
        kind=ParagraphKind.FUNCTION,
        qualified_name="run",
        path="pkg/a.py",
        start_line=3,
        end_line=9,
        section_heading="",
        heading_path=(),
        symbol_names=("run",),
        token_count=20,
        summary="Runs it.",
        freshness=Freshness.FRESH,
        text="def run(port):\n    ...",
    )
    layers = Layers(
        path="pkg/a.py",
        document=document,
        paragraphs=(paragraph,),
        propositions=(fact(),),
        problems=(ProblemView(path="pkg/a.py", code="syntax", message="broken", line=8),),
    )
    text = as_plain(render.layers(layers, ROOT))
    assert "pkg/a.py  python, 9 lines, 2 KiB, utf-8" in text
    assert "3-9  function  run  Runs it." in text
    assert "def run(port):" in text
    assert "4  constraint  Must never be called twice." in text
    assert "pkg/a.py:8  syntax  broken" in text


def test_status_names_health_branch_and_counts() -> None:
    status = Status(
        root=ROOT,
        health=Health.DEGRADED,
        quiescent=True,
        role=Role.READER,
        message="no more watches",
        counts=LayerCounts(files=1234, propositions=5),
        queue_length=0,
        files_done=0,
        files_total=0,
        indexed_at=None,
        branch="main",
        head="0123456789abcdef",
        dirty=True,
        watcher="polling",
        index_path="/cache/index.db",
        index_bytes=3 * 1024 * 1024,
        problems=2,
    )
    text = as_plain(render.status(status))
    assert "degraded  no more watches" in text
    assert "main  0123456789ab  with changes" in text
    assert "1,234" in text
    assert "3.0 MiB" in text
    assert "not in this run" in text


def test_many_problems_are_cut_with_a_hint() -> None:
    rows = [ProblemView(path=f"f{n}.py", code="size", message="too large") for n in range(40)]
    text = as_plain(render.problems(rows, ROOT))
    assert "and 28 more; --json lists all" in text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.00734, "7.3 ms"), (0.1204, "120 ms"), (1.416, "1.42 s"), (125.9, "2 min 5 s")]
)
def test_durations_have_a_fitting_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(10, "10 B"), (4096, "4 KiB"), (5 * 1024**2 + 1, "5.0 MiB")])
def test_sizes_have_a_fitting_unit(count: int, text: str) -> None:
    assert size(count) == text


def test_the_home_folder_is_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("USERPROFILE", "/home/ada")
    assert at_home("/home/ada/src/x").replace("\\", "/") == "~/src/x"
    assert at_home("/srv/x") == "/srv/x"


def test_one_line_folds_and_cuts() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


def test_a_place_is_a_link_to_its_line() -> None:
    text = place(ROOT, "a dir/b.py", 3)
    assert text.plain == "a dir/b.py:3"
    assert getattr(text.style, "link", None) == "file:///ws/a%20dir/b.py#L3"


def test_safe_keeps_ordinary_text() -> None:
    assert safe("naïve — 漢字 🙂").plain == "naïve — 漢字 🙂"
