"""What an unsaved buffer changes in answers that were read from the index; pure.

A saved fact that the buffer still holds moves to the buffer's lines. One that the buffer removed is STALE. One that
only the buffer holds is added, marked unsaved, with id 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from granum.model.answers import Fact
from granum.model.layers import Extraction, Freshness, Occurrence, ParagraphKind, Proposition, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from granum.model.answers import SymbolInfo

_NESTING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})


def marked(facts: Iterable[Fact], path: str, unsaved: Extraction) -> tuple[Fact, ...]:
    """The saved facts, those of ``path`` as the buffer leaves them."""
    held = {proposition.hash: proposition for proposition in unsaved.propositions}
    return tuple(fact if fact.path != path or fact.is_stale else _moved(fact, held.get(fact.hash)) for fact in facts)


def added(facts: Iterable[Fact], symbol: SymbolInfo, local_name: str, unsaved: Extraction) -> tuple[Fact, ...]:
    """The facts about ``symbol`` (``local_name`` in its document) that only the buffer holds."""
    known = {fact.hash for fact in facts if fact.path == symbol.path and not fact.is_stale}
    return tuple(
        _unsaved(proposition, place, symbol)
        for proposition in unsaved.propositions
        if proposition.hash not in known
        for place in _places(proposition, symbol.kind, local_name, unsaved)[:1]
    )


def _places(proposition: Proposition, kind: SymbolKind, name: str, unsaved: Extraction) -> list[Occurrence]:
    return [place for place in proposition.occurrences if _is_about(place, kind, name, unsaved)]


def _is_about(place: Occurrence, kind: SymbolKind, name: str, unsaved: Extraction) -> bool:
    """The same rule as for saved facts: nested functions belong to their parent, a header to its class."""
    if place.symbol == name or (kind in _NESTING and place.symbol.startswith(name + ".")):
        return True
    if kind is not SymbolKind.CLASS or not 0 <= place.paragraph < len(unsaved.paragraphs):
        return False
    around = unsaved.paragraphs[place.paragraph]
    return around.kind is ParagraphKind.CLASS and around.qualified_name == name


def _moved(fact: Fact, proposition: Proposition | None) -> Fact:
    if proposition is None:
        return msgspec.structs.replace(fact, freshness=Freshness.STALE)
    place = min(proposition.occurrences, key=lambda o: abs(o.start_line - fact.start_line))
    return msgspec.structs.replace(
        fact, start_line=place.start_line, end_line=place.end_line, freshness=Freshness.FRESH
    )


def _unsaved(proposition: Proposition, place: Occurrence, symbol: SymbolInfo) -> Fact:
    return Fact(
        id=0,
        text=proposition.text,
        hash=proposition.hash,
        type=proposition.type,
        confidence=proposition.confidence,
        source=proposition.source,
        path=symbol.path,
        start_line=place.start_line,
        end_line=place.end_line,
        symbol=symbol.fqn,
        freshness=Freshness.FRESH,
        mentions=proposition.mentions,
        unsaved=True,
    )
