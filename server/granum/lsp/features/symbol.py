"""``granum/symbol``: what a place or the end of a name stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.lsp import wire
from granum.lsp.folders import open_workspaces
from granum.model.errors import InvalidRequestError
from granum.model.layers import Freshness

if TYPE_CHECKING:
    from granum.lsp.reading import Reading
    from granum.model.answers import Resolution


def symbol(reading: Reading, params: wire.SymbolParams) -> wire.SymbolResult:
    """The symbol, or the candidates. By name, the first folder that knows it answers."""
    if params.text_document is not None and params.position is not None:
        point = reading.point(params.text_document.uri, params.position)
        found = point.site.workspace.symbol_at(point.site.path, point.line, point.column, token=reading.token)
        return point.translation.resolution(found, point.site.path)
    name = name_of(params)
    for folder, workspace in open_workspaces(reading.folders.select(params.folder)):
        resolution = workspace.symbol_named(name, token=reading.token)
        if is_known(resolution):
            return reading.translation(folder).resolution(resolution, None)
    return unknown(name)


def unknown(name: str) -> wire.SymbolResult:
    """What is told of a name that leads nowhere."""
    return wire.SymbolResult(
        name=name,
        range=None,
        is_definition=False,
        symbol=None,
        confidence=0.0,
        candidates=(),
        freshness=Freshness.UNKNOWN,
    )


def name_of(params: wire.SymbolParams | wire.FactsParams) -> str:
    """The name that stands in for a place.

    Raises:
        InvalidRequestError: There is neither.
    """
    if params.fqn:
        return params.fqn
    if params.text_document is not None:
        raise InvalidRequestError("required together with textDocument", "position")
    raise InvalidRequestError("required unless textDocument and position are given", "fqn")


def is_known(resolution: Resolution) -> bool:
    """Whether a name leads anywhere."""
    return resolution.symbol is not None or bool(resolution.candidates)
