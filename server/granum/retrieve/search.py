"""The plain ranked search: route, match, score, page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.errors import InvalidRequestError
from granum.model.layers import Freshness
from granum.model.retrieval import Profile, SearchResult
from granum.retrieve.candidates import filters_of, find
from granum.retrieve.evidence import by_evidence
from granum.retrieve.ftsquery import match_expression
from granum.retrieve.hits import hits
from granum.retrieve.query import understand
from granum.retrieve.rank import DocumentOf
from granum.retrieve.router import route
from granum.retrieve.score import classic

if TYPE_CHECKING:
    from granum.index.reader import Snapshot
    from granum.model.retrieval import SearchRequest

MAX_LIMIT = 1000

#: Rows of one layer that are scored. Ranks are relative to the rows scored, so that pages agree with each other only
#: while they come from one pool: the small one for everyday pages, the large one for whoever reads on and on.
POOL, LARGE_POOL = 300, 3000


def search(snapshot: Snapshot, request: SearchRequest, documents: DocumentOf | None = None) -> SearchResult:
    """Ranks what matches the query, in the layers that the intent or the request asks for.

    ``documents`` is kept by the caller from one search to the next.

    ``total`` counts all rows that match; at most ``LARGE_POOL`` of a layer can be reached by paging.

    Raises:
        InvalidRequestError: The limit, the offset or the path pattern makes no sense.
    """
    _check(request)
    plan = route(request)
    match = match_expression(request.query)
    if not match:
        return SearchResult(hits=(), total=0, intent=plan.intent, freshness=Freshness.FRESH, notes=plan.notes)
    filters = filters_of(snapshot, request)
    end = request.offset + request.limit
    pool = POOL if end <= POOL else LARGE_POOL
    query = None if request.profile is Profile.CLASSIC else understand(request.query)
    # evidence is counted of what holds now, and by words that tell something: a mere number is matched plainly
    if query is None or not query.terms or filters.only_stale:
        found = [find(snapshot, layer, match, filters, pool) for layer in plan.layers]
        scored = classic([candidate for layer in found for candidate in layer.candidates], plan)
        total = sum(layer.total for layer in found)
    else:
        scored, total = by_evidence(snapshot, query, plan, filters, pool, documents or DocumentOf())
    page = hits(snapshot, scored[request.offset : end])
    return SearchResult(
        hits=page,
        total=total,
        intent=plan.intent,
        freshness=Freshness.worst(hit.freshness for hit in page) if page else Freshness.FRESH,
        notes=plan.notes,
    )


def _check(request: SearchRequest) -> None:
    if not 1 <= request.limit <= MAX_LIMIT:
        raise InvalidRequestError(f"limit must be between 1 and {MAX_LIMIT}, not {request.limit}", field="limit")
    if request.offset < 0:
        raise InvalidRequestError(f"offset must not be negative, but is {request.offset}", field="offset")
