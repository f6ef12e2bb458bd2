"""Definitions by a partial name, where nothing but the name is known: prose, comments, questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.layers import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.model.answers import SymbolInfo

#: Definitions looked at for one name.
MAX_NAMED = 200
#: Longer than any name, in characters and in dotted steps, each of which would cost searches: it is a text.
LONGEST_NAME = 1000
MOST_STEPS = 32

_ORDER = {
    SymbolKind.CLASS: 0,
    SymbolKind.FUNCTION: 1,
    SymbolKind.METHOD: 2,
    SymbolKind.PROPERTY: 2,
    SymbolKind.MODULE: 4,
}


def plain(partial: str) -> str:
    """A name as a person writes it (``module:Class.method()``), in dots alone."""
    name = partial.strip().strip("`").strip()
    if name.endswith(")"):
        name = name.partition("(")[0]
    return name.replace("::", ".").replace(":", ".").replace("#", ".").strip(". ")


def ranked(named: Sequence[SymbolInfo], name: str) -> list[SymbolInfo]:
    """The exact name, then classes, functions, methods, variables, modules; fewer dots first; prose headings never."""
    return sorted(
        {symbol.id: symbol for symbol in named if symbol.kind != SymbolKind.SECTION}.values(),
        key=lambda s: (s.fqn != name, _ORDER.get(s.kind, 3), s.fqn.count("."), s.fqn, s.path, s.start_line),
    )


def clearly_meant(found: Sequence[SymbolInfo], name: str) -> SymbolInfo | None:
    """The first, when it has exactly that name or all have one full name; a module does not rival a definition."""
    if not found:
        return None
    first = found[0]
    rivals = [s for s in found if s.fqn == name] or found
    rivals = [s for s in rivals if s.kind != SymbolKind.MODULE] or rivals
    return first if all(s.fqn == first.fqn for s in rivals) and len({s.path for s in rivals}) == 1 else None
