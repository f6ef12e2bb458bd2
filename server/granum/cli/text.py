"""Pieces of text for a terminal: safe, coloured by kind, linked to their place.

What stands in a workspace was written by others. Control characters in it could move the cursor, retitle the
window or hide text, so that each is replaced before it reaches a terminal; markup in it is never interpreted.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.style import Style
from rich.table import Table
from rich.text import Text

from granum.model.answers import Fact
from granum.model.layers import Freshness, PropositionType
from granum.text.controls import visible

if TYPE_CHECKING:
    from pathlib import Path

TYPE_COLOURS: Final = {
    PropositionType.SECURITY_RULE: "bold red",
    PropositionType.CONSTRAINT: "yellow",
    PropositionType.ARCHITECTURE: "blue",
    PropositionType.DECISION: "magenta",
    PropositionType.RISK: "red",
    PropositionType.TEST_EVIDENCE: "green",
    PropositionType.PROCEDURE: "cyan",
    PropositionType.BEHAVIOR: "default",
    PropositionType.IMPLEMENTATION_DETAIL: "dim",
}


def safe(text: str, style: str | Style = "") -> Text:
    """Text of the workspace, with every control character made visible."""
    return Text(visible(text.replace("\t", "    ")), style=style)


def one_line(text: str, limit: int = 200) -> str:
    """The text on one line, cut at ``limit`` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def place(root: Path | str, path: str, line: int = 0, end_line: int = 0) -> Text:
    """``path:line`` or ``path:first-last``, a hyperlink where the terminal knows them."""
    from pathlib import Path as RealPath

    lines = "" if not line else f":{line}" if end_line <= line else f":{line}-{end_line}"
    target = RealPath(root) / path
    link = target.as_uri() + (f"#L{line}" if line else "") if target.is_absolute() else None
    return safe(path + lines, Style(color="cyan", link=link))


def at_home(path: Path | str) -> str:
    """The path with the person's home folder as ``~``."""
    from pathlib import Path as RealPath

    try:
        return str("~" / RealPath(path).relative_to(RealPath.home()))
    except (ValueError, RuntimeError):  # it lies elsewhere, or there is no home
        return str(path)


def heading(text: str, note: str = "") -> Text:
    """A section's title."""
    title = safe(text, "bold")
    return title.append_text(safe(f"  {note}", "dim")) if note else title


def clock(seconds: float | None) -> str:
    """A point in time (seconds since 1970) in local time, or ``never``."""
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S") if seconds else "never"


def duration(seconds: float) -> str:
    """A length of time with its unit: ``7.3 ms``, ``120 ms``, ``1.42 s``, ``2 min 5 s``."""
    if seconds < 0.01:
        return f"{seconds * 1000:.1f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def size(count: int) -> str:
    """A number of bytes with its unit."""
    if count < 1024:
        return f"{count} B"
    if count < 1024**2:
        return f"{count / 1024:.0f} KiB"
    return f"{count / 1024**2:.1f} MiB" if count < 1024**3 else f"{count / 1024**3:.1f} GiB"


def kind(type_: PropositionType) -> Text:
    """A proposition's type in its colour."""
    return Text(type_.value.replace("_", " "), TYPE_COLOURS[type_])


def grid(*columns: str) -> Table:
    """A table without lines. Each column is ``fixed`` (never wrapped), ``right`` or ``wide`` (wrapped)."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(no_wrap=column != "wide", justify="right" if column == "right" else "left", overflow="fold")
    return table


def marks(fact: Fact) -> Text:
    """What a reader must know before trusting a fact: stale, unsaved, unchecked, said elsewhere too."""
    words: list[tuple[str, str]] = []
    if fact.is_stale:
        words.append(("stale since " + clock(fact.stale_since), "bold yellow"))
    elif fact.unsaved:
        words.append(("unsaved", "bold cyan"))
    elif fact.freshness is Freshness.STALE:
        words.append(("the file has changed since", "bold yellow"))
    elif fact.freshness is Freshness.UNKNOWN:
        words.append(("not checked", "dim"))
    if fact.superseded_by is not None:
        words.append(("superseded", "dim"))
    if fact.also:
        words.append((f"and in {fact.also} more file{'s' if fact.also > 1 else ''}", "dim"))
    return Text("  ").join(Text(word, style) for word, style in words)
