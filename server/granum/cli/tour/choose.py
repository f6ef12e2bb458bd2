"""What the tour shows: the symbol with the most telling facts, or in prose the section with the most."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from granum.model.layers import ParagraphKind, PropositionType, SourceKind, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from granum.lsp.wire import FactView, LayersResult, Position, SymbolView

#: A query that statements of rules and failures answer to, to find files worth a look in a large workspace.
TELLING_WORDS = "must never always only cannot required raises error warning invalid security"
ENOUGH_FACTS = 8
LONG = 80

CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD})
OTHER = frozenset({SymbolKind.CLASS, SymbolKind.SECTION})


class Choice(NamedTuple):
    """What the tour works on: a symbol, or a section where ``name_at`` is None. Lines are 1-based and inclusive."""

    name: str
    uri: str
    path: str
    start_line: int
    end_line: int
    language: str
    is_function: bool
    name_at: Position | None
    worth: float


def best(documents: Sequence[LayersResult]) -> Choice | None:
    """The most telling symbol of these files, else the fullest section; None where nothing states anything."""
    return _best(documents, _symbols) or _best(documents, _sections)


def of_symbol(layers: LayersResult, fqn: str) -> Choice | None:
    """The choice that a person made."""
    return next((_symbol(layers, symbol, 0.0) for symbol in layers.symbols if symbol.fqn == fqn), None)


def _best(documents: Iterable[LayersResult], choices: Callable[[LayersResult], Iterator[Choice]]) -> Choice | None:
    found = [choice for layers in documents if _is_editable(layers) for choice in choices(layers)]
    return max(found, key=lambda choice: (choice.worth, choice.name), default=None)


def _is_editable(layers: LayersResult) -> bool:
    """Whether the tour can write the file back as it was, but for its edit."""
    return layers.document is not None and layers.document.encoding.lower() in ("utf-8", "ascii")


def _symbols(layers: LayersResult) -> Iterator[Choice]:
    facts: dict[str, list[FactView]] = {}
    for fact in layers.propositions:
        facts.setdefault(fact.symbol, []).append(fact)
    penalty = 6.0 if _is_test(layers.path) else 0.0
    for symbol in layers.symbols:
        if symbol.kind in CALLABLE | OTHER and facts.get(symbol.fqn):
            yield _symbol(layers, symbol, _worth(symbol, facts[symbol.fqn]) - penalty)


def _symbol(layers: LayersResult, symbol: SymbolView, worth: float) -> Choice:
    return Choice(
        name=symbol.fqn,
        uri=symbol.location.uri,
        path=symbol.location.path,
        start_line=symbol.location.start_line,
        end_line=symbol.location.end_line,
        language=layers.document.language if layers.document else "",
        is_function=symbol.kind in CALLABLE,
        name_at=symbol.name_range.start,
        worth=worth,
    )


def _sections(layers: LayersResult) -> Iterator[Choice]:
    for paragraph in layers.paragraphs:
        first, last = paragraph.location.start_line, paragraph.location.end_line
        held = [fact for fact in layers.propositions if first <= fact.location.start_line <= last]
        if paragraph.kind is ParagraphKind.SECTION and held:
            yield Choice(
                name=paragraph.qualified_name or paragraph.section_heading or layers.path,
                uri=layers.uri,
                path=layers.path,
                start_line=first,
                end_line=last,
                language=layers.document.language if layers.document else "",
                is_function=False,
                name_at=None,
                worth=min(len(held), ENOUGH_FACTS) + sum(fact.source is SourceKind.BULLET for fact in held),
            )


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
