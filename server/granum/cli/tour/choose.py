"""What the tour shows: the symbol with the most telling facts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from granum.lsp.wire import FactView, LayersResult, SymbolView
from granum.model.layers import PropositionType, SourceKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A query that statements of rules and failures answer to, to find files worth a look in a large workspace.
TELLING_WORDS = "must never always only cannot required raises error warning invalid security"
ENOUGH_FACTS = 8
LONG = 80

CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
OTHER = frozenset({SymbolKind.CLASS, SymbolKind.SECTION})


class Choice(NamedTuple):
    """A symbol, the file that defines it, and how telling it is."""

    symbol: SymbolView
    layers: LayersResult
    worth: float


def best(documents: Iterable[LayersResult]) -> Choice | None:
    """The most telling symbol of these files; None where nothing states anything."""
    choices = [choice for layers in documents for choice in _choices(layers)]
    return max(choices, key=lambda choice: (choice.worth, choice.symbol.fqn), default=None)


def of_symbol(layers: LayersResult, fqn: str) -> Choice | None:
    """The choice that a person made."""
    return next((Choice(symbol, layers, 0.0) for symbol in layers.symbols if symbol.fqn == fqn), None)


def _choices(layers: LayersResult) -> list[Choice]:
    if layers.document is None or not layers.document.encoding.lower().startswith(("utf-8", "ascii")):
        return []
    facts: dict[str, list[FactView]] = {}
    for fact in layers.propositions:
        if not fact.is_stale:
            facts.setdefault(fact.symbol, []).append(fact)
    penalty = 6.0 if _is_test(layers.path) else 0.0
    return [
        Choice(symbol, layers, _worth(symbol, facts[symbol.fqn]) - penalty)
        for symbol in layers.symbols
        if symbol.kind in CALLABLE | OTHER and facts.get(symbol.fqn)
    ]


def _worth(symbol: SymbolView, facts: list[FactView]) -> float:
    """Many facts of many types, in code short enough to read, with a failure that the edit can take out."""
    types = Counter(fact.type for fact in facts)
    lines = symbol.location.end_line - symbol.location.start_line + 1
    worth = min(len(facts), ENOUGH_FACTS) + 2.0 * len(types)
    worth += 3.0 * (types[PropositionType.CONSTRAINT] > 0) + 2.0 * (types[PropositionType.SECURITY_RULE] > 0)
    worth += 3.0 * any(fact.source is SourceKind.RAISE for fact in facts)
    worth += 4.0 * (symbol.kind in CALLABLE)
    return worth - 4.0 * (lines > LONG) - 8.0 * (lines > 4 * LONG)


def _is_test(path: str) -> bool:
    return any(part.startswith(("test", "conftest")) for part in path.lower().split("/"))
