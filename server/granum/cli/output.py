"""How an answer leaves the process: as JSON, as coloured text on a terminal, or as plain text into a pipe."""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from granum.text.controls import escape_json

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Columns of text that goes into a pipe or a file, where no terminal says how wide it is.
PLAIN_WIDTH = 120


def write_json(value: object) -> None:
    """Prints one value of the model as indented JSON on stdout."""
    encoded = msgspec.json.format(msgspec.json.encode(value), indent=2)
    sys.stdout.write(escape_json(encoded.decode()) + "\n")


def write(*renderables: RenderableType) -> None:
    """Prints for a person on stdout; without colour, links or padding when that is no terminal."""
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(*renderables, sep="\n")
    else:
        sys.stdout.write(as_plain(*renderables))


def write_error(*renderables: RenderableType) -> None:
    """Prints for a person on stderr: why there is no answer."""
    console = Console(stderr=True, highlight=False)
    if console.is_terminal:
        console.print(*renderables, sep="\n")
    else:
        sys.stderr.write(as_plain(*renderables))


def as_plain(*renderables: RenderableType, width: int | None = None) -> str:
    """The text as it goes into a pipe: no escape sequence, no space at the end of a line."""
    columns = width or int(os.environ.get("COLUMNS") or 0) or PLAIN_WIDTH
    buffer = StringIO()
    Console(file=buffer, width=columns, highlight=False, color_system=None, force_terminal=False).print(
        *renderables, sep="\n"
    )
    return "\n".join(line.rstrip() for line in buffer.getvalue().split("\n"))


def progress_console() -> Console | None:
    """The console for progress bars: stderr, if a person watches it."""
    console = Console(stderr=True)
    return console if console.is_terminal else None
