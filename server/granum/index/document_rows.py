"""The rows of one document as its text alone yields them, worked out where the text is read.

They have no ids yet: places in the lists stand for them, -1 for none. Names stand in ``names`` once and elsewhere by
their place. Where rows have keys, those are distinct within the document, also should an extraction repeat one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from granum.index.fts import summary_words
from granum.index.packing import blocks, packed
from granum.index.schema import CONFIDENCE_PARTS, PARAGRAPHS, PROPOSITIONS, SUMMARIES, UNIT_SEPARATOR, code_of, codes
from granum.index.summary_body import encode_summary_body, summary_body
from granum.model.layers import ParagraphKind, Problem, ReferenceKind
from granum.text.tokens import camel_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from enum import StrEnum

    from granum.index.packing import Fields
    from granum.model.layers import Extraction, Paragraph, Proposition, Reference, Summary, Symbol

#: kind, qualified name, ordinal, own section heading, own heading path, start line, end line, token count.
ParagraphRow = tuple[int, str, int, str | None, str | None, int, int, int]
#: fingerprint, type, confidence, source.
PropositionRow = tuple[int, int, int, int]
#: proposition, start line, end line, paragraph, symbol.
OccurrenceRow = tuple[int, int, int, int, int]
#: proposition, name.
MentionRow = tuple[int, int]
#: kind, qualified name, ordinal, own name, start line, end line, name line, name column, name end column, signature,
#: type name, paragraph.
SymbolRow = tuple[int, str, int, str | None, int, int, int, int, int, str, str, int]
#: kind, name, local type, scope, line, column, own length.
ReferenceRow = tuple[int, int, int, int, int, int, int | None]
#: local, module, level, name, scope, line.
ImportRow = tuple[str, str, int, str, str, int]
#: first paragraph, last paragraph, start line, end line, token count.
ChunkRow = tuple[int, int, int, int, int]
#: granularity, key, start line, end line.
SummaryRow = tuple[int, str, int, int]
#: layer, first row, packed block.
BlockRow = tuple[int, int, bytes]


class DocumentRows(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """All rows of a document. ``blocks`` hold the texts; the ``parts`` of camelCase identifiers are as in the FTS."""

    language: str
    source_type: str
    line_count: int
    problems: tuple[Problem, ...]
    names: tuple[str, ...]
    blocks: tuple[BlockRow, ...]
    paragraphs: tuple[ParagraphRow, ...]
    paragraph_parts: tuple[str, ...]
    propositions: tuple[PropositionRow, ...]
    proposition_parts: tuple[str, ...]
    occurrences: tuple[OccurrenceRow, ...]
    mentions: tuple[MentionRow, ...]
    symbols: tuple[SymbolRow, ...]
    references: tuple[ReferenceRow, ...]
    imports: tuple[ImportRow, ...]
    chunks: tuple[ChunkRow, ...]
    summaries: tuple[SummaryRow, ...]
    summary_parts: tuple[str, ...]


def document_rows(extraction: Extraction) -> DocumentRows:
    """The rows of what a text yielded."""
    names = _Names()
    symbols = _symbol_rows(extraction.symbols)
    by_name = _ByName(extraction.symbols)
    distinct = tuple({fact.hash: fact for fact in extraction.propositions}.values())
    occurrences = [_occurrences(number, fact, by_name) for number, fact in enumerate(distinct)]
    about = [_about(places, symbols) for places in occurrences]
    summaries = _summaries(extraction.summaries)
    bodies = [summary_body(summary) for summary in summaries]
    texts = (
        (PARAGRAPHS, [_paragraph_text(paragraph) for paragraph in extraction.paragraphs]),
        (PROPOSITIONS, [(fact.text, " ".join(fact.mentions)) for fact in distinct]),
        (SUMMARIES, [(encode_summary_body(body),) for body in bodies]),
    )
    return DocumentRows(
        language=extraction.language,
        source_type=extraction.source_type.value,
        line_count=extraction.line_count,
        problems=extraction.problems,
        paragraphs=_paragraph_rows(extraction.paragraphs),
        paragraph_parts=tuple(camel_parts(paragraph.text) for paragraph in extraction.paragraphs),
        propositions=tuple(map(_proposition_row, distinct)),
        proposition_parts=tuple(camel_parts(f"{f.text} {a}") for f, a in zip(distinct, about, strict=True)),
        occurrences=tuple(place for places in occurrences for place in places),
        mentions=tuple(_mentions(distinct, names)),
        symbols=symbols,
        references=tuple(_reference_rows(extraction.references, names, by_name)),
        imports=tuple((i.local, i.module, i.level, i.name, i.scope, i.line) for i in extraction.imports),
        chunks=tuple(
            (c.first_paragraph, c.last_paragraph, c.start_line, c.end_line, c.token_count) for c in extraction.chunks
        ),
        summaries=tuple((code_of(y.granularity), y.key, y.start_line, y.end_line) for y in summaries),
        summary_parts=tuple(
            camel_parts(" ".join(summary_words(y.key, body))) for y, body in zip(summaries, bodies, strict=True)
        ),
        blocks=tuple((layer, block.first, packed(block)) for layer, rows in texts for block in blocks(rows)),
        names=tuple(name for name in names if name),
    )


class _Names(dict[str, int]):
    """Gives each name its place; the empty one has none."""

    def __init__(self) -> None:
        super().__init__({"": -1})

    def __missing__(self, name: str) -> int:
        place = self[name] = len(self) - 1
        return place


class _ByName:
    """Finds the symbol of a name at a line. Overloads and conditional definitions share a name."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._first: dict[str, int] = {}
        self._repeated: dict[str, list[tuple[int, int, int]]] = {}
        for place, symbol in enumerate(symbols):
            name = symbol.qualified_name
            if (first := self._first.setdefault(name, place)) != place:
                others = self._repeated.setdefault(name, [(symbols[first].start_line, symbols[first].end_line, first)])
                others.append((symbol.start_line, symbol.end_line, place))

    def at(self, name: str, line: int) -> int:
        """The symbol of this name around the line, else its first; -1 without one."""
        for start, end, place in self._repeated.get(name, ()):
            if start <= line <= end:
                return place
        return self._first.get(name, -1)


def _distinct(keys: Iterable[tuple[StrEnum, str, int]]) -> Iterator[tuple[int, str, int]]:
    """The keys with their kinds' codes, each ordinal raised until the key is a new one."""
    seen: set[tuple[int, str, int]] = set()
    for kind, name, ordinal in keys:
        key = (code_of(kind), name, ordinal)
        while key in seen:
            key = (key[0], name, key[2] + 1)
        seen.add(key)
        yield key


def _paragraph_rows(paragraphs: Sequence[Paragraph]) -> tuple[ParagraphRow, ...]:
    keys = _distinct((p.kind, p.qualified_name, p.ordinal) for p in paragraphs)
    return tuple(
        (*key, *_own_headings(p), p.start_line, p.end_line, p.token_count)
        for key, p in zip(keys, paragraphs, strict=True)
    )


def _own_headings(paragraph: Paragraph) -> tuple[str | None, str | None]:
    """The section heading and the heading path, None where the schema works them out."""
    joint = " > " if paragraph.kind is ParagraphKind.SECTION else "."
    usual = paragraph.qualified_name.replace(joint, UNIT_SEPARATOR)
    path = UNIT_SEPARATOR.join(paragraph.heading_path)
    heading = paragraph.section_heading
    return None if heading == path.rpartition(UNIT_SEPARATOR)[2] else heading, None if path == usual else path


def _paragraph_text(paragraph: Paragraph) -> Fields:
    symbols = " ".join(paragraph.symbol_names)
    own = None if symbols == paragraph.qualified_name else symbols
    return paragraph.text, paragraph.summary, own, " ".join(paragraph.tags)


def _proposition_row(fact: Proposition) -> PropositionRow:
    fingerprint = int.from_bytes(bytes.fromhex(fact.hash[:16]), signed=True)
    return fingerprint, code_of(fact.type), round(fact.confidence * CONFIDENCE_PARTS), code_of(fact.source)


def _occurrences(number: int, fact: Proposition, by_name: _ByName) -> list[OccurrenceRow]:
    """The places of a proposition in order, each once."""
    found: dict[tuple[int, int, int], OccurrenceRow] = {}
    for place in sorted(fact.occurrences):
        row = (number, place.start_line, place.end_line, place.paragraph, by_name.at(place.symbol, place.start_line))
        found.setdefault(row[1:4], row)
    return list(found.values())


def _about(places: Sequence[OccurrenceRow], symbols: Sequence[SymbolRow]) -> str:
    """The names of the symbols that a proposition is about, which its places tell."""
    return " ".join(dict.fromkeys(symbols[place[4]][1] for place in places if place[4] >= 0 and symbols[place[4]][1]))


def _mentions(facts: Sequence[Proposition], names: _Names) -> Iterator[MentionRow]:
    for number, fact in enumerate(facts):
        if fact.mentions:
            places = {names[mention.rpartition(".")[2]] for mention in fact.mentions}
            yield from [(number, place) for place in sorted(places) if place >= 0]


def _summaries(summaries: Sequence[Summary]) -> tuple[Summary, ...]:
    """The summaries without those that repeat a key."""
    found: dict[tuple[str, str], Summary] = {}
    for summary in summaries:
        found.setdefault((summary.granularity.value, summary.key), summary)
    return tuple(found.values())


def _symbol_rows(symbols: Sequence[Symbol]) -> tuple[SymbolRow, ...]:
    keys = _distinct((s.kind, s.qualified_name, s.ordinal) for s in symbols)
    return tuple(
        (
            kind,
            name,
            ordinal,
            None if s.name == name.rpartition(".")[2] else s.name,
            s.start_line,
            s.end_line,
            s.name_line,
            s.name_column,
            s.name_end_column,
            s.signature,
            s.type_name,
            s.paragraph,
        )
        for (kind, name, ordinal), s in zip(keys, symbols, strict=True)
    )


def _reference_rows(references: Sequence[Reference], names: _Names, by_name: _ByName) -> Iterator[ReferenceRow]:
    kinds = codes(ReferenceKind)
    at = by_name.at
    for reference in references:
        name, line, column = reference.name, reference.line, reference.column
        length = reference.end_column - column
        yield (
            kinds[reference.kind],
            names[name],
            names[reference.local_type],
            at(reference.scope, line),
            line,
            column,
            None if length == len(name.rpartition(".")[2]) else length,
        )
