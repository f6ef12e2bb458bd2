"""A text of a document that the index has not read: an unsaved buffer, or a file that changed since; pure.

Rows that were read from the index are found again in it by what they are, never by where they stood: a definition by
its name and kind, a fact by its statement and the symbol that it is about, a paragraph by its name and exact text, a
reference by its name and the definition around it. What stands more than once keeps its order.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from granum.index.symbols import fqn_of
from granum.model.answers import Fact, LensCount, ProblemView, SymbolInfo
from granum.model.layers import Freshness, ParagraphKind, PropositionType, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from granum.index.freshness import CitedFile
    from granum.model.answers import ParagraphView, SummaryView
    from granum.model.layers import Extraction, Occurrence, Paragraph, Proposition, Reference, Summary, Symbol
    from granum.resolve import Table

replace = msgspec.structs.replace

_NESTING = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
_RULES = frozenset({PropositionType.SECURITY_RULE, PropositionType.CONSTRAINT})


class Edition:
    """What a newer text of the document at ``path`` extracts to. Safe from any thread: all of it is only read.

    ``unsaved`` tells that only an open buffer holds the text.
    """

    def __init__(self, cited: CitedFile, extraction: Extraction, *, unsaved: bool) -> None:
        self.path = cited.path
        self.module = cited.module
        self.extraction = extraction
        self.unsaved = unsaved
        self._document_id = cited.document_id
        self._table: Table | None = None

    # -- definitions

    @cached_property
    def symbols(self) -> tuple[SymbolInfo, ...]:
        """All definitions, in source order, as the index would have them; their ids tell only these apart."""
        return tuple(self._info(symbol, -at) for at, symbol in enumerate(self.extraction.symbols, 1))

    def _info(self, symbol: Symbol, symbol_id: int) -> SymbolInfo:
        return SymbolInfo(
            id=symbol_id,
            fqn=self._fqn(symbol.qualified_name),
            name=symbol.name or self.module.rpartition(".")[2],
            kind=symbol.kind,
            path=self.path,
            start_line=symbol.start_line,
            end_line=symbol.end_line,
            name_line=symbol.name_line,
            name_column=symbol.name_column,
            name_end_column=symbol.name_end_column,
            signature=symbol.signature,
            ordinal=symbol.ordinal,
            freshness=Freshness.FRESH,
        )

    def _fqn(self, qualified_name: str) -> str:
        return fqn_of(self.module, self.path, qualified_name)

    @cached_property
    def _by_name(self) -> dict[tuple[str, SymbolKind], list[SymbolInfo]]:
        found: defaultdict[tuple[str, SymbolKind], list[SymbolInfo]] = defaultdict(list)
        for symbol in self.symbols:
            found[symbol.fqn, symbol.kind].append(symbol)
        return found

    def symbol(self, row: SymbolInfo) -> SymbolInfo:
        """The definition where it stands now, STALE where it is no more."""
        found = _same(row, self._by_name.get((row.fqn, row.kind), ()))
        return replace(row, freshness=Freshness.STALE) if found is None else replace(found, id=row.id)

    def table(self, rows: Callable[[], Iterable[SymbolInfo]]) -> Table:
        """The document's names as the text has them.

        Args:
            rows: The definitions that the index has of the document; asked for once.
        """
        if self._table is None:
            from granum.resolve import Table

            ids: dict[int, int] = {}
            for row in rows():
                here = _same(row, self._by_name.get((row.fqn, row.kind), ()))
                if here is not None:
                    ids.setdefault(here.id, row.id)
            table = Table.of(self._document_id, self.path, self.module, self.extraction, ids)
            table.unread = {symbol.id: symbol for symbol in self.symbols if symbol.id not in ids}
            self._table = table
        return self._table

    @cached_property
    def _places_of_names(self) -> dict[str, list[Symbol]]:
        found: defaultdict[str, list[Symbol]] = defaultdict(list)
        for symbol in self.extraction.symbols:
            found[symbol.qualified_name].append(symbol)
        return found

    def _symbol_at(self, name: str, line: int) -> Symbol | None:
        """The symbol of this local name around the line, else its first, as the index joins facts to symbols."""
        named = self._places_of_names.get(name, ())
        around = (symbol for symbol in named if symbol.start_line <= line <= symbol.end_line)
        return next(around, named[0] if named else None)

    # -- facts

    @cached_property
    def _occurrences(self) -> dict[tuple[str, str], list[Occurrence]]:
        """Places in source order by the statement's hash and the full name of the symbol."""
        found: defaultdict[tuple[str, str], list[Occurrence]] = defaultdict(list)
        for proposition in self.extraction.propositions:
            for place in sorted(proposition.occurrences):
                found[proposition.hash, self._about(place)].append(place)
        return found

    def _about(self, place: Occurrence) -> str:
        return self._fqn(place.symbol) if place.symbol in self._places_of_names else ""

    def facts(self, rows: Sequence[Fact], *, of_whom: bool = True) -> list[Fact]:
        """The facts where they stand now, in the order given; STALE those that are no more said of their symbol.

        Args:
            rows: The facts.
            of_whom: False where it does not matter whom they are said of: then that is told anew.
        """
        ranks: defaultdict[tuple[str, str], int] = defaultdict(int)
        found: dict[int, Fact] = {}
        for at in sorted(range(len(rows)), key=lambda at: (rows[at].start_line, rows[at].end_line)):
            row = rows[at]
            if row.is_stale:
                found[at] = row
                continue
            key = row.hash, row.symbol
            places = self._occurrences.get(key, ())
            place = places[ranks[key]] if ranks[key] < len(places) else None
            ranks[key] += 1
            if place is None and not of_whom and (place := self._first_places.get(row.hash)):
                row = replace(row, symbol=self._about(place))
            found[at] = _moved(row, place)
        return [found[at] for at in range(len(rows))]

    @cached_property
    def _first_places(self) -> dict[str, Occurrence]:
        return {each.hash: min(each.occurrences) for each in self.extraction.propositions if each.occurrences}

    def added(self, rows: Iterable[Fact]) -> list[Fact]:
        """The facts of the document that none of these, settled before, holds. Their id is 0."""
        held = {(fact.hash, fact.symbol) for fact in rows if fact.freshness is Freshness.FRESH}
        return [
            self._fact(proposition, place)
            for proposition in self.extraction.propositions
            for place in sorted(proposition.occurrences)
            if (proposition.hash, self._about(place)) not in held
        ]

    def added_about(self, symbol: SymbolInfo, rows: Iterable[Fact]) -> list[Fact]:
        """The facts about a definition that none of these, settled before, holds; each once, at its first place."""
        held = {fact.hash for fact in rows if fact.freshness is Freshness.FRESH}
        return [
            self._fact(proposition, place)
            for proposition in self.extraction.propositions
            if proposition.hash not in held
            for place in [each for each in sorted(proposition.occurrences) if self._is_about(each, symbol)][:1]
        ]

    def _is_about(self, place: Occurrence, symbol: SymbolInfo) -> bool:
        """The same rule as for saved facts: nested functions belong to their parent, a header to its class."""
        about = self._about(place)
        if about == symbol.fqn or (symbol.kind in _NESTING and about.startswith(symbol.fqn + ".")):
            return True
        if symbol.kind is not SymbolKind.CLASS or not 0 <= place.paragraph < len(self.extraction.paragraphs):
            return False
        around = self.extraction.paragraphs[place.paragraph]
        return around.kind is ParagraphKind.CLASS and self._fqn(around.qualified_name) == symbol.fqn

    def _fact(self, proposition: Proposition, place: Occurrence) -> Fact:
        return Fact(
            id=0,
            text=proposition.text,
            hash=proposition.hash,
            type=proposition.type,
            confidence=proposition.confidence,
            source=proposition.source,
            path=self.path,
            start_line=place.start_line,
            end_line=place.end_line,
            symbol=self._about(place),
            freshness=Freshness.FRESH,
            mentions=proposition.mentions,
            unsaved=self.unsaved,
        )

    def statement(self, text: str, symbol: str) -> tuple[Occurrence, str] | None:
        """A place of a statement of exactly this text, and whom it is about: the symbol of this full name if it can."""
        content = next((each.hash for each in self.extraction.propositions if each.text == text), "")
        places = self._occurrences.get((content, symbol))
        if places:
            return places[0], symbol
        first = self._first_places.get(content)
        return None if first is None else (first, self._about(first))

    def lenses(self) -> list[LensCount]:
        """Counts of facts above each definition that has some."""
        kinds: defaultdict[int, list[PropositionType]] = defaultdict(list)
        place_of = {id(symbol): at for at, symbol in enumerate(self.extraction.symbols)}
        for proposition in self.extraction.propositions:
            named = (self._symbol_at(place.symbol, place.start_line) for place in proposition.occurrences)
            for at in {place_of[id(symbol)] for symbol in named if symbol is not None}:
                kinds[at].append(proposition.type)
        return [
            LensCount(
                symbol=self.symbols[at],
                rules=sum(kind in _RULES for kind in found),
                risks=found.count(PropositionType.RISK),
                tests=found.count(PropositionType.TEST_EVIDENCE),
                facts=len(found),
            )
            for at, found in sorted(kinds.items())
        ]

    # -- texts

    @cached_property
    def _paragraphs(self) -> dict[tuple[ParagraphKind, str], list[Paragraph]]:
        found: defaultdict[tuple[ParagraphKind, str], list[Paragraph]] = defaultdict(list)
        for paragraph in self.extraction.paragraphs:
            found[paragraph.kind, paragraph.qualified_name].append(paragraph)
        return found

    def paragraph(self, row: ParagraphView) -> ParagraphView:
        """The paragraph, whose row has its text, where it stands now.

        STALE where its text is another, at the lines of what bears its name now, if anything does.
        """
        named = self._paragraphs.get((row.kind, row.qualified_name), ())
        same = [each for each in named if each.text == row.text]
        found = next((each for each in same if each.ordinal == row.ordinal), same[0] if same else None)
        if found is not None:
            return replace(row, start_line=found.start_line, end_line=found.end_line, freshness=Freshness.FRESH)
        heir = next((each for each in named if each.ordinal == row.ordinal), None)
        if heir is None:
            return replace(row, freshness=Freshness.STALE)
        return replace(row, start_line=heir.start_line, end_line=heir.end_line, freshness=Freshness.STALE)

    def summary(self, row: SummaryView) -> SummaryView:
        """The summary where it stands now; STALE where it says something else by now."""
        named = (s for s in self.extraction.summaries if s.granularity is row.granularity and s.key == row.key)
        found = next(named, None)
        if found is None:
            return replace(row, freshness=Freshness.STALE)
        state = Freshness.FRESH if _says_the_same(row, found) else Freshness.STALE
        return replace(row, start_line=found.start_line, end_line=found.end_line, freshness=state)

    def problems(self) -> tuple[ProblemView, ...]:
        """What of the text could not be read, and why."""
        return tuple(
            ProblemView(path=self.path, code=each.code, message=each.message, line=each.line)
            for each in self.extraction.problems
        )

    # -- references

    @cached_property
    def _references(self) -> dict[tuple[str, str, str], list[Reference]]:
        """In source order, by kind, name and the local name of the definition around them."""
        found: defaultdict[tuple[str, str, str], list[Reference]] = defaultdict(list)
        for reference in sorted(self.extraction.references, key=lambda each: (each.line, each.column)):
            scope = reference.scope if reference.scope in self._places_of_names else ""
            found[reference.kind, reference.name, scope].append(reference)
        return found

    def reference_lines(self, key: tuple[str, str, str], before: Sequence[int]) -> dict[int, int]:
        """Where the references of one kind, name and scope stood and stand; nothing where one came or went.

        Args:
            key: Kind, name and the local name of the definition around.
            before: The lines of all of them in the index, in source order.
        """
        after = self._references.get(key, ())
        if len(after) != len(before):
            return {}
        return dict(zip(reversed(before), (each.line for each in reversed(after)), strict=True))


def _same(row: SymbolInfo, named: Sequence[SymbolInfo]) -> SymbolInfo | None:
    """The row's definition among those of its name and kind: by order and signature; the only one may have another."""
    alike = [each for each in named if each.signature == row.signature]
    for each in alike:
        if each.ordinal == row.ordinal or len(alike) == 1:
            return each
    return named[0] if len(named) == 1 and named[0].ordinal == row.ordinal else None


def _moved(row: Fact, place: Occurrence | None) -> Fact:
    if place is None:
        return replace(row, freshness=Freshness.STALE)
    return replace(row, start_line=place.start_line, end_line=place.end_line, freshness=Freshness.FRESH)


def _says_the_same(row: SummaryView, summary: Summary) -> bool:
    return all(getattr(row, name) == getattr(summary, name) for name in _SAID)


_SAID = (
    "summary_text",
    "purpose",
    "key_symbols",
    "responsibilities",
    "constraints_mentioned",
    "important_interactions",
)
