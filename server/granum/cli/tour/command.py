"""The command: which workspace to tour, and whether a person or a program reads the result."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from granum.cli.exits import Exit
from granum.cli.options import PLAIN, OutputOptions
from granum.cli.output import write, write_json
from granum.cli.tour.journey import journey
from granum.cli.workspace import folder

if TYPE_CHECKING:
    from rich.console import RenderableType


def command(path: Path | None = None, /, *, symbol: str = "", options: OutputOptions = PLAIN) -> int:
    """Tours.

    Args:
        path: The workspace. Default: the current folder.
        symbol: Hover over this symbol; by default over the one with the most telling facts.
        options: Shared.
    """
    source = folder(path or Path.cwd())
    with tempfile.TemporaryDirectory(prefix="granum-tour-") as scratch:
        report = journey(source, Path(scratch).resolve(), symbol, _unseen if options.json else write)
    if options.json:
        write_json(report)
    return Exit.OK if report.symbol or report.section else Exit.NOTHING_FOUND


def _unseen(*_: RenderableType) -> None:
    """A program reads the report alone."""
