"""``granum search``: a ranked search over all layers."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from granum.cli import render
from granum.cli.exits import Exit
from granum.cli.options import USUAL_QUERY, QueryOptions
from granum.cli.output import write, write_error, write_json
from granum.cli.text import heading, one_line
from granum.cli.workspace import opened, root_of
from granum.model.layers import Layer, PropositionType
from granum.model.retrieval import SearchRequest, TaskIntent


def command(
    *text: str,
    intent: TaskIntent = TaskIntent.UNKNOWN,
    layer: Annotated[tuple[Layer, ...], Parameter(negative="")] = (),
    type: Annotated[tuple[PropositionType, ...], Parameter(negative="")] = (),  # noqa: A002 - the option's name
    path: str = "",
    stale: bool = False,
    limit: Annotated[int, Parameter(alias="-n")] = 10,
    offset: int = 0,
    options: QueryOptions = USUAL_QUERY,
) -> int:
    """Searches.

    Args:
        text: What to look for; words that begin with a dash come after a lone --.
        intent: What you are about to do; it chooses which layers and types count most; unknown unless told.
        layer: Prefer this layer to the intent's own; may be repeated, best first.
        type: Only propositions of this type; may be repeated.
        path: Only files whose path matches this pattern.
        stale: Also search what was stated once and is no longer.
        limit: How many hits to show at most; 10 unless told.
        offset: How many of the best hits to leave out.
        options: Shared.
    """
    request = SearchRequest(
        query=" ".join(text),
        task_intent=intent,
        preferred_layers=layer,
        proposition_types=type or None,
        path_glob=path,
        include_stale=stale,
        limit=limit,
        offset=offset,
    )
    root = root_of(options)
    with opened(root, options) as workspace:
        result = workspace.search(request)
    if options.json:
        write_json(result)
    elif result.hits:
        write(render.search(result, str(root)))
    else:
        write_error(heading(f"Nothing in {root} matches {one_line(request.query, 80)!r}."))
    return Exit.OK if result.hits else Exit.NOTHING_FOUND
