"""``granum status``: the state of a workspace."""

from __future__ import annotations

from granum.cli import render
from granum.cli.exits import Exit
from granum.cli.options import USUAL_QUERY, QueryOptions
from granum.cli.output import write, write_json
from granum.cli.workspace import opened, root_of


def command(*, options: QueryOptions = USUAL_QUERY) -> int:
    """Shows the state.

    Args:
        options: Shared.
    """
    with opened(root_of(options), options) as workspace:
        value = workspace.status()
    if options.json:
        write_json(value)
    else:
        write(render.status(value))
    return Exit.OK
