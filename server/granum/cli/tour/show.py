"""The tour's steps as text for a person: pure functions to renderables."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from granum.cli.text import at_home, duration, grid, kind, one_line, place, safe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from granum.cli.tour.choose import Choice
    from granum.cli.tour.edit import Edit
    from granum.cli.tour.report import TourFact, TourReport, TourRows

INDENT = (0, 0, 0, 3)
SHOWN = 6
DIFF_LINES = 40
ADVICE = "'granum doctor --why FILE' tells why a file is not indexed."


def opening(source: Path, files: int, left_out: int, seconds: float) -> RenderableType:
    """Which workspace, and that only a copy of it is worked on."""
    note = f"on a copy of {_files(files)}, made in {duration(seconds)}; the workspace itself is not touched"
    if left_out:
        note += f" ({left_out:,} more were left out: the tour copies a bounded part)"
    return Group(Text("A tour of ", "bold").append_text(safe(at_home(source), "bold cyan")), Text(note, "dim"))


def step(number: int, title: str) -> RenderableType:
    """A step's title."""
    return Group(Text(""), Rule(Text(f"{number}. {title}", "bold"), align="left", style="dim", characters="─"))


def started(seconds: float) -> RenderableType:
    """The server is up."""
    return _indented(Text(f"granum serve answered initialize after {duration(seconds)}"))


def indexed(rows: TourRows, problems: int, seconds: float) -> RenderableType:
    """The first index's rows."""
    words = ("files", "summaries", "chunks", "paragraphs", "propositions", "symbols", "references")
    table = grid(*("right" for _ in words))
    table.add_row(*(Text(f"{getattr(rows, word):,}", "bold") for word in words))
    table.add_row(*(Text(word, "dim") for word in words))
    line = Text(f"everything from nothing in {duration(seconds)}")
    if problems:
        line.append(f"  ({_files(problems)} only in part, or not at all; 'granum index' tells which)", "yellow")
    return _indented(line, Text(""), table)


def hovered(choice: Choice, root: Path, text: str, first: float, warm: float) -> RenderableType:
    """A hover as an editor shows it."""
    times = Text(f"{duration(first)} the first time, {duration(warm)} from then on (median of 20)", "dim")
    hover = safe(text) if text else Text("nothing that an ordinary language server does not show", "dim")
    return _indented(_title(choice, root), Panel(hover, border_style="dim", expand=False), times)


def hovered_at_call(root: Path, path: str, line: int, seconds: float) -> RenderableType:
    """The hover at a place that uses the symbol."""
    return _indented(
        Text("over a call of it, ", "dim").append_text(place(root, path, line)).append(f": {duration(seconds)}", "dim")
    )


def section(choice: Choice, root: Path, facts: Sequence[TourFact]) -> RenderableType:
    """A section of prose and what its document states."""
    note = Text("prose, which states facts of no symbol: instead of a hover, this is what it holds", "dim")
    return _indented(_title(choice, root), note, Text(""), _table(facts))


def _title(choice: Choice, root: Path) -> Text:
    return (
        safe(choice.name, "bold").append("  ").append_text(place(root, choice.path, choice.start_line, choice.end_line))
    )


def edited(before: Sequence[str], edit: Edit, path: str) -> RenderableType:
    """The edit as a diff."""
    lines = list(difflib.unified_diff(before, edit.lines, path, path, lineterm="", n=1))
    shown = [safe(line, _diff_style(line)) for line in lines[:DIFF_LINES]]
    if len(lines) > DIFF_LINES:
        shown.append(Text(f"… {len(lines) - DIFF_LINES} more lines", "dim"))
    return _indented(Text("; ".join(edit.deeds)), Text(""), *shown)


def saved(report: TourReport) -> RenderableType:
    """What the save did to the symbol's facts."""
    parts: list[RenderableType] = []
    if report.stale:
        parts.append(_group("stale", "bold yellow", "the source no longer says so", report.stale))
    if report.new:
        parts.append(_group("new", "bold green", "written by the edit", report.new))
    if report.kept:
        parts.append(_group("kept", "bold", "the same rows, at their new lines", report.kept))
    if not parts:
        parts.append(Text("no fact of it changed"))
    return _indented(*parts)


def _group(name: str, style: str, note: str, facts: Sequence[TourFact]) -> RenderableType:
    title = Text(f"{len(facts)} {name}", style).append(f"  {note}", "not bold dim")
    return Group(title, Padding(_table(facts, "dim strike" if name == "stale" else ""), (0, 0, 1, 2)))


def _table(facts: Sequence[TourFact], style: str = "") -> RenderableType:
    table = grid("fixed", "fixed", "wide")
    for fact in facts[:SHOWN]:
        table.add_row(Text(_lines(fact), "cyan"), kind(fact.type), safe(one_line(fact.text, 160), style))
    if len(facts) > SHOWN:
        table.add_row("", "", Text(f"and {len(facts) - SHOWN} more", "dim"))
    return table


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count:,} files"


def _lines(fact: TourFact) -> str:
    if fact.line_before and fact.line_after:
        moved = fact.line_before != fact.line_after
        return f"{fact.line_before} → {fact.line_after}" if moved else str(fact.line_after)
    return str(fact.line_before or fact.line_after)


def nothing_to_show(files: int) -> RenderableType:
    """The workspace states nothing that a hover could show."""
    reason = "It has no file that Granum indexes." if not files else "None of its files states a fact."
    return _indented(Text(f"There is nothing to hover over here. {reason}", "yellow"), Text(ADVICE, "dim"))


def closing(report: TourReport) -> RenderableType:
    """The measured times in one place."""
    seconds = report.seconds
    rows = (
        ("server up", seconds.start),
        ("first index", seconds.index),
        ("hover", seconds.hover),
        ("save → index followed", seconds.save_to_reindexed),
        ("save → an answer with the new facts", seconds.save_to_visible),
    )
    table = grid("fixed", "right")
    for name, value in rows:
        if value is not None:
            table.add_row(Text(name, "dim"), Text(duration(value), "bold"))
    return _indented(table)


def _indented(*parts: RenderableType) -> RenderableType:
    return Padding(Group(*parts), INDENT)


def _diff_style(line: str) -> str:
    if line.startswith(("---", "+++", "@@")):
        return "dim"
    return {"+": "green", "-": "red"}.get(line[:1], "")
