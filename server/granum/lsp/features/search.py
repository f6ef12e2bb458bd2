"""``granum/search``: a ranked search over all layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.lsp import wire
from granum.lsp.folders import open_workspaces
from granum.model.layers import Freshness
from granum.model.retrieval import SearchRequest, TaskIntent

if TYPE_CHECKING:
    from granum.lsp.reading import Reading
    from granum.model.retrieval import SearchResult


def search(reading: Reading, params: wire.SearchParams) -> wire.SearchResult:
    """Hits of all folders, best first."""
    folders = open_workspaces(reading.folders.select(params.folder))
    paged_here = len(folders) > 1
    request = _request(params, paged_here)
    hits: list[tuple[float, wire.HitView]] = []
    results: list[SearchResult] = []
    for folder, workspace in folders:
        result = workspace.search(request, token=reading.token)
        results.append(result)
        translate = reading.translation(folder).hit
        hits.extend((hit.score, translate(hit)) for hit in result.hits)
    if paged_here:
        hits.sort(key=lambda scored: -scored[0])
        hits = hits[params.offset : params.offset + params.limit]
    return _summed(tuple(hit for _, hit in hits), results)


def _request(params: wire.SearchParams, paged_here: bool) -> SearchRequest:
    """The engine's request; where several folders answer, each gives all that the page could need."""
    return SearchRequest(
        query=params.query,
        task_intent=params.task_intent,
        preferred_layers=params.preferred_layers,
        proposition_types=params.proposition_types,
        granularity=params.granularity,
        path_glob=params.path_glob,
        branch_scope=params.branch_scope,
        include_stale=params.include_stale,
        limit=params.limit + params.offset if paged_here else params.limit,
        offset=0 if paged_here else params.offset,
    )


def _summed(hits: tuple[wire.HitView, ...], results: list[SearchResult]) -> wire.SearchResult:
    return wire.SearchResult(
        hits=hits,
        total=sum(result.total for result in results),
        intent=results[0].intent if results else TaskIntent.UNKNOWN,
        freshness=Freshness.worst(result.freshness for result in results),
        notes=tuple(dict.fromkeys(note for result in results for note in result.notes)),
    )
