"""``granum facts``: what is known of a symbol."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from granum.cli import render
from granum.cli.exits import Exit
from granum.cli.options import USUAL_QUERY, QueryOptions
from granum.cli.output import write, write_error, write_json
from granum.cli.text import heading, safe
from granum.cli.workspace import Place, opened, place, relative, root_of
from granum.model.layers import PropositionType, SymbolKind

if TYPE_CHECKING:
    from granum.engine import Workspace
    from granum.model.answers import Facts, SymbolInfo

SUGGESTIONS = 5


def command(
    symbol: str,
    /,
    *,
    type: Annotated[tuple[PropositionType, ...], Parameter(negative="")] = (),  # noqa: A002 - the option's name
    stale: bool = False,
    no_mentions: bool = False,
    options: QueryOptions = USUAL_QUERY,
) -> int:
    """Shows facts.

    Args:
        symbol: A symbol's name, whole or its last parts; or FILE:LINE, or FILE:LINE:COLUMN (both from 1).
        type: Only facts of this type; may be repeated.
        stale: Also show what was stated once and is no longer.
        no_mentions: Leave out statements elsewhere that name the symbol.
        options: Shared.
    """
    where = place(symbol)
    root = root_of(options, where.path if where else None)
    with opened(root, options) as workspace:
        types = type or None
        if where is None:
            answer = workspace.facts_of(symbol, types=types, include_stale=stale, include_mentions=not no_mentions)
        else:
            path, line, column = _position(workspace, where)
            answer = workspace.facts_at(
                path, line, column, types=types, include_stale=stale, include_mentions=not no_mentions
            )
        found = bool(answer.facts or answer.mentions)
        similar = () if found or answer.resolution.symbol else _similar(workspace, symbol)
    if options.json:
        write_json(answer)
    elif found or answer.resolution.symbol:
        write(render.facts(answer, str(root)))
    if not found and not answer.resolution.symbol:
        _explain(symbol, answer, similar, root)
    return Exit.OK if found else Exit.NOTHING_FOUND


def _position(workspace: Workspace, where: Place) -> tuple[str, int, int]:
    """The position to ask about. A line alone means the innermost definition around it."""
    path = relative(workspace, where.path)
    if where.column is not None:
        return path, where.line, where.column
    around = [symbol for symbol in workspace.symbols(path) if _is_around(symbol, where.line)]
    if not around:
        return path, where.line, 0
    innermost = max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line))
    return path, innermost.name_line, innermost.name_column


def _is_around(symbol: SymbolInfo, line: int) -> bool:
    """Whether a definition holds the line; a module holds them all and has no name to ask at."""
    return symbol.kind is not SymbolKind.MODULE and symbol.start_line <= line <= symbol.end_line


def _similar(workspace: Workspace, name: str) -> tuple[str, ...]:
    """Names in the workspace that the person may have meant, closest first."""
    last = name.rpartition(".")[2]
    known: dict[str, SymbolInfo] = {}
    for query in (last, last[: max(3, len(last) // 2)], last[:1]):
        found = workspace.find_symbols(query, 200) if query else ()
        # code before the headings that merely carry its name
        for symbol in sorted(found, key=lambda symbol: symbol.kind is SymbolKind.SECTION):
            known.setdefault(symbol.name, symbol)
    close = difflib.get_close_matches(last, known, n=SUGGESTIONS, cutoff=0.6)
    return tuple(known[match].fqn for match in close)


def _explain(symbol: str, answer: Facts, similar: tuple[str, ...], root: Path) -> None:
    """Says on stderr why there is no answer, and what might be one."""
    if answer.resolution.candidates:
        write_error(
            heading(f"{symbol} may be any of these; add a part of the name in front:"),
            render.resolution(answer.resolution, str(root)),
        )
    elif similar:
        write_error(heading(f"No symbol is called {symbol}. Similar names:"), *(safe(f"  {name}") for name in similar))
    else:
        write_error(heading(f"Nothing is known of {symbol} in {root}."))
