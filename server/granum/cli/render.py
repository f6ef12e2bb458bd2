"""Answers of the engine as text for a person: pure functions from values of the model to renderables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from granum.cli.text import at_home, clock, grid, heading, kind, marks, one_line, place, safe, size
from granum.model.answers import Facts, Health, LayerCounts, Layers, ProblemView, Resolution, Status
from granum.model.layers import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from granum.model.answers import Edge, Fact, ParagraphView, SummaryView, SymbolInfo
    from granum.model.retrieval import Hit, SearchResult

INDENT = (0, 0, 0, 2)
NOTHING = Text("")
MANY = 12


def facts(answer: Facts, root: str) -> RenderableType:
    """A symbol, what it states, what is said of it elsewhere, and its neighbours."""
    symbol = answer.resolution.symbol
    parts: list[RenderableType] = [_symbol_header(symbol, root)] if symbol else []
    if answer.summary and answer.summary.purpose:
        parts.append(Padding(safe(one_line(answer.summary.purpose, 300), "italic"), INDENT))
    parts += _section(
        "Facts",
        [fact_table(answer.facts, root, symbol.fqn if symbol else "")]
        if answer.facts
        else [Text("none stated here", "dim")],
    )
    if answer.mentions:
        parts += _section("Said of it elsewhere", [fact_table(answer.mentions, root)])
    if answer.callers:
        does = "Imported" if symbol and symbol.kind is SymbolKind.MODULE else "Called"
        parts += _section(f"{does} by ({len(answer.callers)})", [_edges(answer.callers, root, callers=True)])
    if answer.callees:
        parts += _section(f"Calls ({len(answer.callees)})", [_edges(answer.callees, root, callers=False)])
    return Group(*parts)


def fact_table(facts: Iterable[Fact], root: str, focus: str = "") -> RenderableType:
    """Facts, each over two lines: what it says, then where, of what (unless that is the focus), and how fresh."""
    table = grid("fixed", "right", "wide")
    for fact in facts:
        style = "dim strike" if fact.is_stale else ""
        table.add_row(kind(fact.type), Text(f"{fact.confidence:.2f}", "dim"), safe(one_line(fact.text, 360), style))
        where = Text("  ").join(
            piece
            for piece in (
                place(root, fact.path, fact.start_line, fact.end_line),
                safe("" if fact.symbol == focus else fact.symbol, "dim"),
                marks(fact),
            )
            if piece
        )
        table.add_row("", "", where)
    return table


def resolution(answer: Resolution, root: str) -> RenderableType:
    """Which definitions a name may stand for."""
    table = grid("fixed", "right", "fixed", "fixed")
    for candidate in answer.candidates:
        symbol = candidate.symbol
        where = place(root, symbol.path, symbol.start_line)
        table.add_row(safe(symbol.fqn, "bold"), f"{candidate.confidence:.2f}", safe(candidate.reason, "dim"), where)
    return table


def search(result: SearchResult, root: str) -> RenderableType:
    """Ranked hits, best first."""
    parts: list[RenderableType] = [Text(note, "yellow") for note in result.notes]
    table = grid("right", "fixed", "wide")
    for rank, hit in enumerate(result.hits, 1):
        table.add_row(Text(f"{rank}.", "dim"), Text(f"{hit.score:.3f}", "dim"), _hit(hit, root))
    return Group(*parts, table, Text(f"{len(result.hits)} of {result.total} hits", "dim"))


def _hit(hit: Hit, root: str) -> RenderableType:
    what = kind(hit.type) if hit.type else Text(hit.layer.value)
    line = Text("  ").join(
        piece
        for piece in (what, place(root, hit.path, hit.start_line, hit.end_line), safe(hit.symbol, "bold"))
        if piece
    )
    if hit.is_stale:
        line.append("  stale", "bold yellow")
    return Group(line, safe(one_line(hit.content, 240)))


def layers(answer: Layers, root: str) -> RenderableType:
    """All rows of one file, layer by layer."""
    document = answer.document
    if document is None:
        return problems(answer.problems, root)
    about = f"{document.language}, {document.line_count} lines, {size(document.size)}, {document.encoding}"
    parts: list[RenderableType] = [place(root, document.path).append(f"  {about}", "dim")]
    for summary in answer.summaries:
        parts += _section(f"Summary ({summary.granularity.value})", [_summary(summary)])
    parts += _section(f"Paragraphs ({len(answer.paragraphs)})", [_paragraphs(answer.paragraphs)])
    parts += _section(f"Propositions ({len(answer.propositions)})", [_propositions(answer.propositions)])
    parts += _section(
        f"Chunks ({len(answer.chunks)})",
        [safe(", ".join(f"{c.start_line}-{c.end_line} (~{c.token_count} tokens)" for c in answer.chunks))],
    )
    if answer.problems:
        parts += _section("Problems", [problems(answer.problems, root)])
    return Group(*parts)


def _summary(summary: SummaryView) -> RenderableType:
    parts: list[RenderableType] = [safe(one_line(summary.summary_text, 400))]
    rows = (("Key symbols", summary.key_symbols), ("Must hold", summary.constraints_mentioned))
    table = grid("fixed", "wide")
    for title, values in rows:
        if values:
            table.add_row(Text(title, "dim"), safe(one_line(", ".join(values), 400)))
    return Group(*parts, table) if table.row_count else Group(*parts)


def _paragraphs(paragraphs: Sequence[ParagraphView]) -> RenderableType:
    table = grid("right", "fixed", "wide")
    for paragraph in paragraphs:
        name = paragraph.qualified_name or paragraph.section_heading or "(module)"
        label = safe(name, "dim strike" if paragraph.is_stale else "bold")
        if paragraph.summary:
            label = label.append_text(safe("  " + one_line(paragraph.summary, 120), "not bold dim"))
        table.add_row(f"{paragraph.start_line}-{paragraph.end_line}", Text(paragraph.kind.value, "dim"), label)
        if paragraph.text:
            table.add_row("", "", Padding(safe(paragraph.text, "not bold"), (0, 0, 1, 2)))
    return table


def _propositions(propositions: Sequence[Fact]) -> RenderableType:
    table = grid("right", "fixed", "wide")
    for fact in propositions:
        text = safe(one_line(fact.text, 360), "dim strike" if fact.is_stale else "")
        note = marks(fact)
        table.add_row(str(fact.start_line), kind(fact.type), text.append("  ").append_text(note) if note else text)
    return table


def counts(rows: LayerCounts) -> RenderableType:
    """Rows by layer, largest grain first."""
    table = grid("fixed", "right")
    for name in ("files", "summaries", "chunks", "paragraphs", "propositions", "symbols", "references", "stale"):
        table.add_row(Text(name, "dim"), f"{getattr(rows, name):,}")
    return table


HEALTH_COLOURS = {Health.READY: "green", Health.DEGRADED: "bold red"}


def status(value: Status) -> RenderableType:
    """The state of one workspace."""
    table = grid("fixed", "wide")
    health = Text(value.health.value, HEALTH_COLOURS.get(value.health, "yellow"))
    rows: list[tuple[str, RenderableType]] = [
        ("workspace", safe(at_home(value.root))),
        ("health", health.append_text(safe(f"  {value.message}", "default")) if value.message else health),
        ("branch", safe(f"{value.branch or '(none)'}  {value.head[:12]}{'  with changes' if value.dirty else ''}")),
        ("index", safe(at_home(value.index_path)).append(f"  {size(value.index_bytes)}", "dim")),
        ("changed", Text(clock(value.indexed_at) if value.indexed_at else "not in this run")),
        ("watcher", Text(value.watcher or "off")),
        ("waiting", Text(f"{value.queue_length:,} files")),
        ("problems", Text(f"{value.problems:,}")),
    ]
    for name, cell in rows:
        table.add_row(Text(name, "dim"), cell)
    return Group(table, NOTHING, counts(value.counts))


def problems(values: Sequence[ProblemView], root: str, limit: int = MANY) -> RenderableType:
    """Files, or parts of them, that are not in the index, and why."""
    table = grid("wide", "fixed", "wide")
    for problem in values[:limit]:
        table.add_row(place(root, problem.path, problem.line), Text(problem.code, "yellow"), safe(problem.message))
    if len(values) > limit:
        table.add_row(Text(f"and {len(values) - limit:,} more; --json lists all", "dim"))
    return table


def _symbol_header(symbol: SymbolInfo, root: str) -> RenderableType:
    title = safe(symbol.fqn, "bold").append(f"  {symbol.kind.value}  ", "dim")
    title.append_text(place(root, symbol.path, symbol.start_line, symbol.end_line))
    if not symbol.signature:
        return title
    return Group(title, Padding(safe(one_line(symbol.signature, 240), "green"), INDENT))


def _edges(edges: Sequence[Edge], root: str, *, callers: bool) -> RenderableType:
    table = grid("fixed", "fixed")
    for edge in edges[:MANY]:
        other = edge.source if callers else edge.target
        table.add_row(safe(other.fqn if other else edge.name), place(root, edge.path, edge.line))
    if len(edges) > MANY:
        table.add_row(Text(f"and {len(edges) - MANY} more", "dim"))
    return table


def _section(title: str, body: list[RenderableType]) -> list[RenderableType]:
    return [NOTHING, heading(title), *(Padding(part, INDENT) for part in body)]
