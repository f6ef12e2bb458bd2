"""The tour's course: copy, start, index, hover, edit, save, stop. Each step is shown as soon as it is done."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

from granum.cli.exits import UsageError
from granum.cli.lsp_client import Client
from granum.cli.progress import Bar
from granum.cli.tour import choose, edit, editor, show
from granum.cli.tour.copy import copy_workspace
from granum.cli.tour.report import TourFact, TourReport, TourRows, TourTimes
from granum.lsp import wire
from granum.model.layers import Layer, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from granum.cli.tour.choose import Choice
    from granum.cli.tour.copy import Copy

#: Files looked at for a telling symbol: those that answer the query best.
CANDIDATES = 12
HITS = 200


class Tell(Protocol):
    """Shows something to the person; silent when a program reads."""

    def __call__(self, *renderables: RenderableType) -> None:
        """Shows the renderables, one below the other."""


class Visit(NamedTuple):
    """The editor's connection, the copy it works on, and the person it tells."""

    client: Client
    copied: Copy
    tell: Tell


def journey(source: Path, scratch: Path, wanted: str, tell: Tell) -> TourReport:
    """Makes the whole tour.

    Args:
        source: The workspace; only read.
        scratch: An empty folder for the copy and its index.
        wanted: The symbol to hover over, or empty for the most telling one.
        tell: Shows a step.

    Raises:
        ServerError: The server failed.
        UsageError: The wanted symbol is not there.
    """
    copied = copy_workspace(source, scratch / (source.name or "workspace"))
    tell(show.opening(source, copied.files, copied.left_out, copied.seconds), show.step(1, "The server starts"))
    started = time.perf_counter()
    with Client(editor.server_command(), copied.root, editor.environment(scratch / "cache")) as client:
        visit = Visit(client, copied, tell)
        report = _index(visit, source, started)
        choice = _choose(visit, wanted)
        if choice is None:
            tell(show.step(3, "Hover"), show.nothing_to_show(report.rows.files))
        else:
            report = _look(visit, choice, report)
            report = _edit_and_save(visit, choice, report)
        stopping = time.perf_counter()
        client.stop()
        report = _timed(report, stop=time.perf_counter() - stopping)
    if choice is not None:
        tell(show.step(6, "In short"), show.closing(report))
    return report


def _index(visit: Visit, source: Path, started: float) -> TourReport:
    editor.initialize(visit.client, visit.copied.root)
    up = time.perf_counter()
    visit.tell(show.started(up - started), show.step(2, "It indexes the workspace"))
    with Bar("Indexing") as bar:
        status = editor.wait_until_indexed(visit.client, bar.advance)
    report = TourReport(
        workspace=str(source),
        files_copied=visit.copied.files,
        files_left_out=visit.copied.left_out,
        rows=msgspec.convert(status.counts, TourRows, from_attributes=True),
        problems=status.problems,
        seconds=TourTimes(copy=visit.copied.seconds, start=up - started, index=time.perf_counter() - up),
    )
    visit.tell(show.indexed(report.rows, report.problems, report.seconds.index))
    return report


def _choose(visit: Visit, wanted: str) -> Choice | None:
    client = visit.client
    if wanted:
        found = client.request(wire.Method.SYMBOL, {"fqn": wanted}, wire.SymbolResult)
        if found.symbol is None:
            names = ", ".join(candidate.symbol.fqn for candidate in found.candidates[:5])
            raise UsageError(f"no single symbol is called {wanted}", f"there are {names}" if names else "")
        return choose.of_symbol(editor.layers(client, found.symbol.location.uri), found.symbol.fqn)
    params = {"query": choose.TELLING_WORDS, "preferredLayers": [Layer.PROPOSITION], "limit": HITS}
    hits = client.request(wire.Method.SEARCH, params, wire.SearchResult).hits
    uris = [uri for uri, _ in Counter(hit.location.uri for hit in hits).most_common(CANDIDATES)]
    # a small or odd workspace may have nothing that the query finds
    others = [path.as_uri() for path in visit.copied.sample if path.as_uri() not in uris]
    return choose.best([editor.layers(client, uri) for uri in uris + others[: CANDIDATES - len(uris)]])


def _look(visit: Visit, choice: Choice, report: TourReport) -> TourReport:
    """Opens the file and hovers over the symbol, then over a call of it; a section is shown as it is."""
    client, root = visit.client, visit.copied.root
    editor.open_document(client, choice.uri, choice.language, (root / choice.path).read_bytes().decode())
    place = _place(choice, 0)
    if place is None:
        facts = [_fact(fact, fact.location.start_line, 0) for fact in _facts(client, choice, 0)]
        visit.tell(show.step(3, "Look at a section"), show.section(choice, root, facts))
        return msgspec.structs.replace(report, section=choice.name, path=choice.path)
    text, first = editor.hover(client, place)
    warm = editor.warm_hover(client, place)
    visit.tell(show.step(3, "Hover over a symbol"), show.hovered(choice, root, text, first, warm))
    report = _timed(report, first_hover=first, hover=warm)
    report = msgspec.structs.replace(report, symbol=choice.name, path=choice.path, hover=text)
    callers = editor.facts(client, place, include_stale=False).callers
    where = next((edge.location for edge in callers if edge.kind is ReferenceKind.CALL), None)
    if where is None:
        return report
    _, seconds = editor.hover(client, editor.Place(where.uri, where.range.start.line, where.range.start.character))
    visit.tell(show.hovered_at_call(root, where.path, where.start_line, seconds))
    return _timed(report, hover_at_call=seconds)


def _edit_and_save(visit: Visit, choice: Choice, report: TourReport) -> TourReport:
    """Edits the copy, saves it, and compares the facts before and after."""
    client = visit.client
    path = visit.copied.root / choice.path
    before = _facts(client, choice, 0)
    source = _Source.of(path.read_bytes().decode())
    target = edit.Target(choice.start_line, choice.end_line, choice.language, choice.is_function)
    planned = edit.plan(source.lines, target, [_statement(fact) for fact in before])
    visit.tell(show.step(4, "An edit"), show.edited(source.lines, planned, choice.path))
    text = source.join(planned.lines)
    editor.change_document(client, choice.uri, text)
    path.write_bytes(text.encode())
    saving = time.perf_counter()
    reindexed = editor.save(client, choice.uri)
    after = _facts(client, choice, planned.inserted_above, include_stale=True)
    report = _timed(report, save_to_reindexed=reindexed, save_to_visible=time.perf_counter() - saving)
    if choice.name_at is None:
        after = (*after, *editor.gone_stale(client, choice.path, _missing(before, after)))
    report = msgspec.structs.replace(report, **_compared(before, after))
    visit.tell(show.step(5, "The save: the facts before and after"), show.saved(report))
    return report


def _facts(client: Client, choice: Choice, moved_by: int, *, include_stale: bool = False) -> tuple[wire.FactView, ...]:
    """The symbol's own facts; for a section, those of its document."""
    place = _place(choice, moved_by)
    if place is not None:
        return editor.facts(client, place, include_stale=include_stale).facts
    return tuple(fact for fact in editor.layers(client, choice.uri).propositions if not fact.is_stale)


def _missing(before: Sequence[wire.FactView], after: Sequence[wire.FactView]) -> list[wire.FactView]:
    there = {fact.id for fact in after}
    return [fact for fact in before if fact.id not in there]


def _compared(before: Sequence[wire.FactView], after: Sequence[wire.FactView]) -> dict[str, tuple[TourFact, ...]]:
    """Sorts the facts into kept (the same row), stale and new."""
    lines = {fact.id: fact.location.start_line for fact in before}
    now = [fact for fact in after if not fact.is_stale]
    kept = [_fact(fact, lines[fact.id], fact.location.start_line) for fact in now if fact.id in lines]
    stale = [_fact(fact, lines[fact.id], 0) for fact in after if fact.is_stale and fact.id in lines]
    new = [_fact(fact, 0, fact.location.start_line) for fact in now if fact.id not in lines]
    return {"kept": tuple(kept), "stale": tuple(stale), "new": tuple(new)}


def _fact(fact: wire.FactView, before: int, after: int) -> TourFact:
    return TourFact(
        id=fact.id,
        text=fact.text,
        type=fact.type,
        line_before=before,
        line_after=after,
        superseded_by=fact.superseded_by,
    )


def _timed(report: TourReport, **seconds: float) -> TourReport:
    return msgspec.structs.replace(report, seconds=msgspec.structs.replace(report.seconds, **seconds))


def _place(choice: Choice, moved_by: int) -> editor.Place | None:
    at = choice.name_at
    return editor.Place(choice.uri, at.line + moved_by, at.character) if at else None


def _statement(fact: wire.FactView) -> edit.Statement:
    return edit.Statement(fact.location.start_line, fact.location.end_line, fact.source)


class _Source(NamedTuple):
    """A file's lines and the line end between them, so that an edit keeps it."""

    lines: list[str]
    eol: str

    @classmethod
    def of(cls, text: str) -> _Source:
        eol = "\r\n" if "\r\n" in text else "\n"
        return cls(text.split(eol), eol)

    def join(self, lines: Iterable[str]) -> str:
        return self.eol.join(lines)
