"""``textDocument/documentSymbol`` and ``workspace/symbol``.

Definitions with their grain, and after ``#`` propositions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from granum.lsp import markup
from granum.lsp.convert import lsp_range
from granum.lsp.folders import open_workspaces
from granum.lsp.markup import one_line
from granum.model.layers import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from granum.lsp.convert import Translation
    from granum.lsp.params import DocumentParams, WorkspaceSymbolParams
    from granum.lsp.reading import Reading
    from granum.model.answers import Fact, SymbolInfo
    from granum.model.layers import Freshness

MAX_FOUND = 200
MAX_FACT_NAME = 120
PROPOSITION_PREFIX = "#"

_KINDS = {
    SymbolKind.MODULE: types.SymbolKind.Module,
    SymbolKind.CLASS: types.SymbolKind.Class,
    SymbolKind.FUNCTION: types.SymbolKind.Function,
    SymbolKind.METHOD: types.SymbolKind.Method,
    SymbolKind.PROPERTY: types.SymbolKind.Property,
    SymbolKind.ATTRIBUTE: types.SymbolKind.Field,
    SymbolKind.VARIABLE: types.SymbolKind.Variable,
    SymbolKind.SECTION: types.SymbolKind.String,
}


def document_symbols(
    reading: Reading, params: DocumentParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    """The definitions of a document: a tree where the client can show one, else a list."""
    site = reading.folders.find(params.text_document.uri)
    if site is None:
        return None
    found = [
        each for each in site.workspace.symbols(site.path, token=reading.token) if each.kind is not SymbolKind.MODULE
    ]
    translation = reading.translation(site.folder)
    if reading.flags.hierarchical_symbols:
        return _tree(found, translation)
    return [_information(each, translation) for each in found]


def workspace_symbols(reading: Reading, params: WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Definitions by a part of their name, or propositions by their words. ``data`` tells how fresh each is."""
    found: list[types.WorkspaceSymbol] = []
    query = params.query.strip()
    for folder, workspace in open_workspaces(reading.folders.select(None)):
        translation = reading.translation(folder)
        if query.startswith(PROPOSITION_PREFIX):
            facts = workspace.find_propositions(
                query[len(PROPOSITION_PREFIX) :].strip(), MAX_FOUND, token=reading.token
            )
            found.extend(_proposition(fact, translation) for fact in facts)
        else:
            symbols = workspace.find_symbols(query, MAX_FOUND, token=reading.token)
            found.extend(_found(each, translation) for each in symbols)
    return found[:MAX_FOUND]


def _tree(symbols: Iterable[SymbolInfo], translation: Translation) -> list[types.DocumentSymbol]:
    """Nests definitions by their lines."""
    roots: list[types.DocumentSymbol] = []
    open_ones: list[tuple[int, list[types.DocumentSymbol]]] = []
    for symbol in sorted(symbols, key=lambda each: (each.start_line, -each.end_line, each.name_line, each.name_column)):
        while open_ones and open_ones[-1][0] < symbol.end_line:
            open_ones.pop()
        children: list[types.DocumentSymbol] = []
        (open_ones[-1][1] if open_ones else roots).append(_document_symbol(symbol, translation, children))
        if symbol.end_line > symbol.start_line:
            open_ones.append((symbol.end_line, children))
    return roots


def _document_symbol(
    symbol: SymbolInfo, translation: Translation, children: list[types.DocumentSymbol]
) -> types.DocumentSymbol:
    span = translation.place(symbol.path, symbol.start_line, symbol.end_line).range
    return types.DocumentSymbol(
        name=one_line(symbol.name) or symbol.fqn,
        kind=_KINDS[symbol.kind],
        detail=_marked(one_line(symbol.signature) or symbol.kind.value, symbol.freshness),
        range=lsp_range(span),
        selection_range=lsp_range(translation.name_range(symbol)),
        children=children,
    )


def _information(symbol: SymbolInfo, translation: Translation) -> types.SymbolInformation:
    return types.SymbolInformation(
        name=one_line(symbol.name) or symbol.fqn,
        kind=_KINDS[symbol.kind],
        location=_location(symbol, translation),
        container_name=_marked(_container(symbol), symbol.freshness) or None,
    )


def _found(symbol: SymbolInfo, translation: Translation) -> types.WorkspaceSymbol:
    return types.WorkspaceSymbol(
        name=one_line(symbol.name) or symbol.fqn,
        kind=_KINDS[symbol.kind],
        location=_location(symbol, translation),
        container_name=_marked(_container(symbol), symbol.freshness) or None,
        data=_data(symbol.freshness),
    )


def _location(symbol: SymbolInfo, translation: Translation) -> types.Location:
    return types.Location(uri=translation.uri(symbol.path), range=lsp_range(translation.name_range(symbol)))


def _data(freshness: Freshness) -> dict[str, str]:
    return {"freshness": freshness.value}


def _container(symbol: SymbolInfo) -> str:
    return symbol.fqn.removesuffix(symbol.name).rstrip(".> ")


def _marked(text: str, freshness: Freshness) -> str:
    """What stands beside a name, for people to see that it may be gone."""
    mark = markup.mark(freshness)
    return f"{text} ({mark})".lstrip() if mark else text


def _proposition(fact: Fact, translation: Translation) -> types.WorkspaceSymbol:
    text = one_line(fact.text)
    place = translation.place(fact.path, fact.start_line, fact.end_line)
    return types.WorkspaceSymbol(
        name=text if len(text) <= MAX_FACT_NAME else f"{text[: MAX_FACT_NAME - 1]}…",
        kind=types.SymbolKind.String,
        location=types.Location(uri=place.uri, range=lsp_range(place.range)),
        container_name=_marked(f"{fact.type.value} · {fact.symbol or fact.path}", fact.freshness),
        data=_data(fact.freshness),
    )
