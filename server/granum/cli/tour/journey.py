"""The tour's course: copy, start, index, hover, edit, save, stop. Each step is shown as soon as it is done."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
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

    from rich.console import RenderableType

    from granum.cli.tour.copy import Copy

#: Files looked at for a telling symbol: those that answer the query best.
CANDIDATES = 12
HITS = 200


class Tell(Protocol):
    """Shows something to the person; silent when a program reads."""

    def __call__(self, *renderables: RenderableType) -> None:
        """Shows the renderables, one below the other."""


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
        editor.initialize(client, copied.root)
        up = time.perf_counter()
        tell(show.started(up - started), show.step(2, "It indexes the workspace"))
        with Bar("Indexing") as bar:
            status = editor.wait_until_indexed(client, bar.advance)
        times = TourTimes(copy=copied.seconds, start=up - started, index=time.perf_counter() - up)
        report = TourReport(
            workspace=str(source),
            files_copied=copied.files,
            files_left_out=copied.left_out,
            rows=msgspec.convert(status.counts, TourRows, from_attributes=True),
            problems=status.problems,
            seconds=times,
        )
        tell(show.indexed(report.rows, report.problems, times.index))
        choice = _choose(client, copied, wanted)
        if choice is None:
            tell(show.step(3, "Hover"), show.nothing_to_show(report.rows.files))
        else:
            report = _hover(client, copied, choice, report, tell)
            report = _edit_and_save(client, copied, choice, report, tell)
        stopping = time.perf_counter()
        client.stop()
        report = _timed(report, stop=time.perf_counter() - stopping)
    if choice is not None:
        tell(show.step(6, "In short"), show.closing(report))
    return report


def _choose(client: Client, copied: Copy, wanted: str) -> choose.Choice | None:
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
    uris += [path.as_uri() for path in copied.sample if path.as_uri() not in uris][: CANDIDATES - len(uris)]
    return choose.best(editor.layers(client, uri) for uri in uris)


def _hover(client: Client, copied: Copy, choice: choose.Choice, report: TourReport, tell: Tell) -> TourReport:
    """Opens the file and hovers over the symbol, then over a call of it."""
    symbol = choice.symbol
    path = copied.root / symbol.location.path
    language = choice.layers.document.language if choice.layers.document else ""
    editor.open_document(client, symbol.location.uri, language, path.read_bytes().decode())
    place = _place(symbol, 0)
    text, first = editor.hover(client, place)
    warm = editor.warm_hover(client, place)
    tell(show.step(3, "Hover over a symbol"), show.hovered(symbol, copied.root, text, first, warm))
    report = _timed(report, first_hover=first, hover=warm)
    report = msgspec.structs.replace(report, symbol=symbol.fqn, path=symbol.location.path, hover=text)
    calls = [
        edge for edge in editor.facts(client, place, include_stale=False).callers if edge.kind is ReferenceKind.CALL
    ]
    if calls:
        where = calls[0].location
        there = editor.Place(where.uri, where.range.start.line, where.range.start.character)
        again, seconds = editor.hover(client, there)
        report = _timed(report, hover_at_call=seconds)
        tell(show.hovered_at_call(copied.root, where.path, where.start_line, seconds, same=again == text))
    return report


def _edit_and_save(client: Client, copied: Copy, choice: choose.Choice, report: TourReport, tell: Tell) -> TourReport:
    """Edits the copy, saves it, and compares the symbol's facts before and after."""
    symbol = choice.symbol
    path = copied.root / symbol.location.path
    before = editor.facts(client, _place(symbol, 0), include_stale=False).facts
    source = _Source.of(path.read_bytes().decode())
    planned = edit.plan(source.lines, _target(choice), [_statement(fact) for fact in before])
    tell(show.step(4, "An edit"), show.edited(source.lines, planned, symbol.location.path))
    text = source.join(planned.lines)
    editor.change_document(client, symbol.location.uri, text)
    path.write_bytes(text.encode())
    saving = time.perf_counter()
    reindexed = editor.save(client, symbol.location.uri)
    after = editor.facts(client, _place(symbol, planned.inserted_above), include_stale=True).facts
    report = _timed(report, save_to_reindexed=reindexed, save_to_visible=time.perf_counter() - saving)
    report = msgspec.structs.replace(report, **_compared(before, after))
    tell(show.step(5, f"The save: facts of {symbol.name} before and after"), show.saved(report))
    return report


def _compared(before: Sequence[wire.FactView], after: Sequence[wire.FactView]) -> dict[str, tuple[TourFact, ...]]:
    """Sorts the facts into kept (same row), stale and new."""
    old = {fact.id: fact for fact in before}
    now = {fact.id: fact for fact in after if not fact.is_stale}
    stale = [fact for fact in after if fact.is_stale and fact.id in old]
    return {
        "kept": tuple(
            _fact(fact, old[id_].location.start_line, fact.location.start_line)
            for id_, fact in now.items()
            if id_ in old
        ),
        "stale": tuple(_fact(fact, old[fact.id].location.start_line, 0) for fact in stale),
        "new": tuple(_fact(fact, 0, fact.location.start_line) for id_, fact in now.items() if id_ not in old),
    }


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


def _place(symbol: wire.SymbolView, moved_by: int) -> editor.Place:
    start = symbol.name_range.start
    return editor.Place(symbol.location.uri, start.line + moved_by, start.character)


def _target(choice: choose.Choice) -> edit.Target:
    location = choice.symbol.location
    language = choice.layers.document.language if choice.layers.document else ""
    return edit.Target(location.start_line, location.end_line, language, choice.symbol.kind in choose.CALLABLE)


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
