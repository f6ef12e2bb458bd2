"""Everything that Granum can be asked, as a client asks it, while the index is held back; and what of it is true.

An answer is taken apart into claims: that a definition, a statement, a text or a reference stands at some lines of a
file. A claim that is FRESH is compared with the file as it is now: the open buffer, else the disk.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol.types import SymbolKind

from granum.lsp import params, wire
from granum.lsp.buffers import Buffers
from granum.lsp.capabilities import ClientFlags
from granum.lsp.features.code_lens import code_lenses
from granum.lsp.features.facts import facts
from granum.lsp.features.hover import hover
from granum.lsp.features.layers import layers
from granum.lsp.features.search import search
from granum.lsp.features.symbol import symbol
from granum.lsp.features.symbols import document_symbols, workspace_symbols
from granum.lsp.folders import Folders, Site
from granum.lsp.params import OpenedDocument
from granum.lsp.reading import Reading
from granum.model.cancellation import CancelToken
from granum.model.layers import Freshness, Layer
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from granum.engine import Workspace
    from granum.model.answers import DocumentChange, Status

WATCHDOG = 60.0
_HOVER_LINE = re.compile(r"^- (?P<label>[\w ]+): (?P<text>.*) \[(?P<path>\S+):(?P<line>\d+)\](?: \((?P<marks>.*)\))?$")
_RAISED = re.compile(r"^Raises \w+: (?P<message>.*?)(?: when .*)?$")


class Claim(NamedTuple):
    """What one part of an answer says: that something stands at lines of a file."""

    answer: str
    kind: str
    what: str
    path: str
    start: int
    end: int
    freshness: str
    unsaved: bool = False

    def __str__(self) -> str:
        return f"{self.answer}: {self.kind} {self.what!r} at {self.path}:{self.start}-{self.end} {self.freshness}"


class Held:
    """A served workspace whose writer can be held back, so that what was saved is not indexed yet."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._open = threading.Event()
        self._open.set()
        self._waits = threading.Event()
        self._at_rest = threading.Event()
        self.folders = Folders(self)
        folder = self.folders.add(root.as_uri(), Settings())
        assert folder is not None
        assert folder.workspace is not None
        self.workspace: Workspace = folder.workspace
        self.buffers = Buffers()
        assert self._at_rest.wait(WATCHDOG)

    # what the engine tells, in its own threads

    def changed(self, _folder_uri: str, _changes: Sequence[DocumentChange]) -> None:
        if not self._open.is_set():
            self._waits.set()
        self._open.wait(WATCHDOG)

    def status_changed(self, _folder_uri: str, status: Status) -> None:
        if status.quiescent:
            self._at_rest.set()

    def progressed(self, _folder_uri: str, _done: int, _total: int) -> None:
        pass

    # the writer

    def hold(self) -> None:
        """Stops the writer between two transactions."""
        self._open.clear()
        self._waits.clear()
        file = self.root / "held.md"
        file.write_text(file.read_text() + "\nThe gate must be shut.\n")
        self.workspace.document_saved(file)
        assert self._waits.wait(WATCHDOG)

    def release(self) -> None:
        """Lets the writer go on, and waits until it has nothing more to do."""
        self._open.set()
        assert self.workspace.wait_idle(WATCHDOG)

    def close(self) -> None:
        self._open.set()
        self.folders.close()

    # the editor

    def open(self, path: str) -> None:
        file = self.root / path
        self.buffers.open(OpenedDocument(uri=file.as_uri(), version=1, text=file.read_text()))
        self.workspace.document_opened(file, file.read_text(), 1)

    def type(self, path: str, text: str) -> None:
        file = self.root / path
        buffer = self.buffers.get(file.as_uri())
        assert buffer is not None
        change = params.ContentChange(text=text)
        self.buffers.change(buffer.uri, buffer.version + 1, (change,), self.flags.encoding)
        self.workspace.document_changed(file, text, buffer.version)

    def save(self, path: str) -> None:
        file = self.root / path
        buffer = self.buffers.get(file.as_uri())
        assert buffer is not None
        file.write_text(buffer.text)
        self.workspace.document_saved(file)

    def text(self, path: str) -> str | None:
        """The file as it is now."""
        file = self.root / path
        buffer = self.buffers.get(file.as_uri())
        if buffer is not None:
            return buffer.text
        return file.read_text() if file.is_file() else None

    # the client

    flags = ClientFlags(hierarchical_symbols=True)

    def reading(self) -> Reading:
        return Reading(self.folders, self.buffers, self.flags, Settings(), CancelToken())

    def place(self, path: str, needle: str) -> dict[str, Any]:
        """The params of a position: the first character of ``needle`` in the file as it is now."""
        text = self.text(path)
        assert text is not None
        before = text[: text.index(needle)]
        at = wire.Position(line=before.count("\n"), character=len(before) - before.rfind("\n") - 1)
        return {"text_document": wire.TextDocument(uri=(self.root / path).as_uri()), "position": at}

    def site(self, path: str) -> Site:
        return self.folders.locate((self.root / path).as_uri())


def claims(held: Held, names: Sequence[str], uses: Sequence[tuple[str, str]], paths: Sequence[str]) -> list[Claim]:
    """All that is said: of these names, of the names at these places (path and needle), and of these documents."""
    found: list[Claim] = []
    for name in names:
        found += _of_facts("facts by name", facts(held.reading(), wire.FactsParams(fqn=name, include_mentions=True)))
        found += _of_symbol("symbol by name", symbol(held.reading(), wire.SymbolParams(fqn=name)))
    for path, needle in uses:
        at = held.place(path, needle)
        found += _of_facts("facts by position", facts(held.reading(), wire.FactsParams(**at, include_mentions=True)))
        found += _of_symbol("symbol by position", symbol(held.reading(), wire.SymbolParams(**at)))
        found += _of_hover(hover(held.reading(), params.PositionParams(**at)))
    for path in paths:
        found += _of_document(held, path)
    found += _of_search(held)
    return found


def _of_document(held: Held, path: str) -> Iterator[Claim]:
    document = wire.TextDocument(uri=(held.root / path).as_uri())
    for include_text in (False, True):
        asked = wire.LayersParams(text_document=document, include_text=include_text)
        yield from _of_layers(f"layers, text {include_text}", layers(held.reading(), asked))
    lenses = code_lenses(held.reading(), params.DocumentParams(text_document=document))
    for lens in lenses or ():
        data = lens.data
        name, line = data["fqn"].rpartition(".")[2], lens.range.start.line + 1
        yield Claim("lens", "name", name, path, line, line, data["freshness"])
    symbols = document_symbols(held.reading(), params.DocumentParams(text_document=document))
    yield from _of_tree(path, symbols or ())


def _of_tree(path: str, symbols: Sequence[Any]) -> Iterator[Claim]:
    for each in symbols:
        freshness = "STALE" if "(stale)" in each.detail else "UNKNOWN" if "(not checked)" in each.detail else "FRESH"
        line = each.selection_range.start.line + 1
        yield Claim("document symbols", "name", each.name, path, line, line, freshness)
        yield from _of_tree(path, each.children)


def _of_search(held: Held) -> Iterator[Claim]:
    for layer in Layer:
        found = search(held.reading(), wire.SearchParams(query="shelf lock stock count", preferred_layers=(layer,)))
        for hit in found.hits:
            kind = {Layer.PROPOSITION: "fact", Layer.PARAGRAPH: "text"}.get(layer, layer.value)
            yield _placed("search", kind, hit.content, hit.location, hit.freshness)
    for query in ("take", "Stock", "#shelf lock"):
        for each in workspace_symbols(held.reading(), params.WorkspaceSymbolParams(query=query)):
            path = each.location.uri.removeprefix(held.root.as_uri() + "/")
            line = each.location.range.start.line + 1
            kind = "fact" if query.startswith("#") else "module" if each.kind == SymbolKind.Module else "name"
            yield Claim("workspace symbols", kind, each.name, path, line, line, each.data["freshness"])


def _of_facts(answer: str, result: wire.FactsResult) -> Iterator[Claim]:
    yield from _of_symbol(answer, result.focus)
    for fact in result.facts:
        yield _of_fact(f"{answer}, own", fact)
    for fact in result.mentions:
        yield _of_fact(f"{answer}, mention", fact)
    if result.summary is not None:
        yield _placed(
            f"{answer}, summary", "summary", result.summary.key, result.summary.location, result.summary.freshness
        )
    for edge in (*result.callers, *result.callees):
        yield _placed(f"{answer}, edge", "use", edge.name.rpartition(".")[2], edge.location, edge.freshness)
        for end in (edge.source, edge.target):
            if end is not None:
                yield _of_definition(f"{answer}, edge", end)


def _of_symbol(answer: str, result: wire.SymbolResult) -> Iterator[Claim]:
    found = [each.symbol for each in result.candidates]
    if result.symbol is not None:
        found.append(result.symbol)
    assert result.freshness is Freshness.worst(each.freshness for each in found)
    for each in found:
        yield _of_definition(answer, each)


def _of_layers(answer: str, result: wire.LayersResult) -> Iterator[Claim]:
    for fact in result.propositions:
        yield _of_fact(answer, fact)
    for each in result.symbols:
        yield _of_definition(answer, each)
    for paragraph in result.paragraphs:
        kind, what = ("text", paragraph.text) if paragraph.text else ("paragraph", paragraph.qualified_name)
        yield _placed(answer, kind, what, paragraph.location, paragraph.freshness)
    for summary in result.summaries:
        yield _placed(answer, "summary", summary.key, summary.location, summary.freshness)
    for chunk in result.chunks:
        yield _placed(answer, "chunk", str(chunk.chunk_index), chunk.location, chunk.freshness)


def _of_hover(shown: Any) -> Iterator[Claim]:
    for line in shown.contents.value.split("\n") if shown is not None else ():
        match = _HOVER_LINE.match(line)
        if match:
            marks = (match["marks"] or "").split(", ")
            freshness = "STALE" if "stale" in marks else "UNKNOWN" if "not checked" in marks else "FRESH"
            at = int(match["line"])
            yield Claim("hover", "fact", match["text"], match["path"], at, at, freshness, "unsaved" in marks)


def _of_definition(answer: str, each: wire.SymbolView) -> Claim:
    line = each.name_range.start.line + 1
    assert each.location.start_line <= line <= each.location.end_line
    kind = "module" if each.kind == "module" else "name"
    return Claim(answer, kind, each.name, each.location.path, line, line, each.freshness)


def _of_fact(answer: str, fact: wire.FactView) -> Claim:
    return _placed(answer, "fact", fact.text, fact.location, fact.freshness, unsaved=fact.unsaved)


def _placed(
    answer: str, kind: str, what: str, place: wire.Place, freshness: Freshness, *, unsaved: bool = False
) -> Claim:
    return Claim(answer, kind, what, place.path, place.start_line, place.end_line, freshness, unsaved)


def is_true(claim: Claim, text: str | None) -> bool:
    """Whether what is claimed stands at those lines of the text."""
    if text is None:
        return False
    lines = text.split("\n")[claim.start - 1 : claim.end]
    shown = "\n".join(lines)
    if claim.kind == "name":
        return re.search(rf"^\s*(?:def|class)?\s*(?:#+ )?(?:self\.)?{re.escape(claim.what)}\b", shown) is not None
    if claim.kind == "use":
        return re.search(rf"\b{re.escape(claim.what)}\b", shown) is not None
    if claim.kind == "text":
        return claim.what == shown
    if claim.kind == "fact":
        raised = _RAISED.match(claim.what)
        return _words(raised["message"] if raised else claim.what) in _words(shown)
    return bool(lines)


def _words(text: str) -> str:
    return " ".join(re.findall(r"[\w.']+", text)).rstrip(".")
