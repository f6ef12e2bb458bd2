"""``granum layers``: every row that one file has in the index."""

from __future__ import annotations

from pathlib import Path

from granum.cli import render
from granum.cli.exits import Exit
from granum.cli.options import USUAL_QUERY, QueryOptions
from granum.cli.output import write, write_error, write_json
from granum.cli.text import heading
from granum.cli.workspace import opened, relative, root_of


def command(
    file: Path,
    /,
    *,
    text: bool = False,
    options: QueryOptions = USUAL_QUERY,
) -> int:
    """Shows the layers.

    Args:
        file: The file, as seen from the current folder.
        text: Also print each paragraph's text.
        options: Shared.
    """
    root = root_of(options, file)
    with opened(root, options) as workspace:
        answer = workspace.layers(relative(workspace, file), include_text=text)
    if options.json:
        write_json(answer)
    elif answer.document or answer.problems:
        write(render.layers(answer, str(root)))
    if answer.document is None:
        write_error(heading(f"{file} is not indexed.", f"'granum doctor --why {file}' tells the reason"))
    return Exit.OK if answer.document else Exit.NOTHING_FOUND
