"""``granum/facts``: what is known of the symbol at a place, or of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.lsp import wire
from granum.lsp.features.symbol import is_known, name_of, unknown
from granum.lsp.folders import open_workspaces
from granum.model.layers import Freshness

if TYPE_CHECKING:
    from granum.lsp.reading import Reading


def facts(reading: Reading, params: wire.FactsParams) -> wire.FactsResult:
    """The facts. By name, the first folder that knows it answers."""
    if params.text_document is not None and params.position is not None:
        point = reading.point(params.text_document.uri, params.position)
        found = point.site.workspace.facts_at(
            point.site.path,
            point.line,
            point.column,
            types=params.types,
            include_stale=params.include_stale,
            include_mentions=params.include_mentions,
            token=reading.token,
        )
        return point.translation.facts(found, point.site.path)
    name = name_of(params)
    for folder, workspace in open_workspaces(reading.folders.select(params.folder)):
        found = workspace.facts_of(
            name,
            types=params.types,
            include_stale=params.include_stale,
            include_mentions=params.include_mentions,
            token=reading.token,
        )
        if is_known(found.resolution):
            return reading.translation(folder).facts(found, None)
    return _unknown(name)


def _unknown(name: str) -> wire.FactsResult:
    return wire.FactsResult(
        focus=unknown(name),
        facts=(),
        mentions=(),
        summary=None,
        callers=(),
        callees=(),
        freshness=Freshness.UNKNOWN,
    )
