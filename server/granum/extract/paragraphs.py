"""The paragraphs of a code file: every line with something on it belongs to exactly one.

A function, method and class is a unit; what a unit's inner units leave of its lines is the unit's own. So a
class keeps its header and the statements between its methods, and the module its preamble and the statements
between definitions.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from granum.extract.chunks import SURELY_SHORT, split_long
from granum.extract.definitions import MODULE, Definition
from granum.model.layers import Paragraph, ParagraphKind
from granum.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping, Sequence

    from granum.extract.source import Source

#: From so many lines on, a function inside a function has its own paragraph.
LONG_NESTED = 40

# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and every paragraph needs some.
_MODULE, _STATEMENTS, _CLASS = ParagraphKind.MODULE, ParagraphKind.STATEMENTS, ParagraphKind.CLASS
_METHOD, _FUNCTION = ParagraphKind.METHOD, ParagraphKind.FUNCTION


class Span(msgspec.Struct, frozen=True, order=True, gc=False):
    """Lines (inclusive) of one kind that belong to a definition, or to the module."""

    start_line: int
    end_line: int
    kind: ParagraphKind
    owner: int


def spans(
    source: Source,
    definitions: Sequence[Definition],
    block_opener: re.Pattern[str],
) -> list[Span]:
    """The paragraphs' lines in source order; none overlap."""
    inner = _inner_units(definitions)
    found: list[Span] = []
    stack = [MODULE]
    while stack:
        owner = stack.pop()
        start, end = (1, len(source.lines)) if owner == MODULE else _lines_of(definitions[owner])
        children = [definitions[index] for index in inner.get(owner, ())]
        stack += [child.index for child in children]
        found += _own_spans(source, owner, (start, end), children, definitions, block_opener)
    found.sort()
    return [part for span in found for part in _split(source, span)]


def build(
    source: Source,
    found: Sequence[Span],
    definitions: Sequence[Definition],
    names_by_span: Mapping[int, Sequence[str]],
    summaries: Mapping[int, str],
    tags: Mapping[int, tuple[str, ...]],
) -> tuple[Paragraph, ...]:
    """Paragraphs from their spans.

    Args:
        source: the text.
        found: spans in order.
        definitions: the file's definitions.
        names_by_span: local names of the symbols in each span.
        summaries: the first documented sentence of each definition.
        tags: tags of each definition.
    """
    ordinals: dict[tuple[ParagraphKind, str], int] = {}
    paragraphs = []
    for index, span in enumerate(found):
        qualified = "" if span.owner == MODULE else definitions[span.owner].qualified_name
        key = span.kind, qualified
        ordinal = ordinals[key] = ordinals.get(key, -1) + 1
        text = source.between(span.start_line, span.end_line)
        paragraphs.append(
            Paragraph(
                kind=span.kind,
                qualified_name=qualified,
                ordinal=ordinal,
                paragraph_index=index,
                start_line=span.start_line,
                end_line=span.end_line,
                text=text,
                token_count=estimate_tokens(text),
                section_heading="" if span.owner == MODULE else definitions[span.owner].name,
                heading_path=tuple(qualified.split(".")) if qualified else (),
                symbol_names=tuple(names_by_span.get(index, ())),
                summary=summaries.get(span.owner, "") if _is_head(span, definitions) else "",
                tags=tags.get(span.owner, ()),
            )
        )
    return tuple(paragraphs)


def _is_head(span: Span, definitions: Sequence[Definition]) -> bool:
    """Whether the lines are the owner's first, where its doc stands."""
    if span.owner == MODULE:
        return span.kind is _MODULE
    return span.start_line == definitions[span.owner].start_line


def _lines_of(definition: Definition) -> tuple[int, int]:
    return definition.start_line, definition.end_line


def _inner_units(definitions: Sequence[Definition]) -> dict[int, list[int]]:
    """By unit (or module): the units directly inside. A line begins one unit at most."""
    units: dict[int, list[int]] = defaultdict(list)
    unit_around: dict[int, int] = {MODULE: MODULE}
    for definition in definitions:
        around = unit_around[definition.parent]
        siblings = units[around]
        taken = definitions[siblings[-1]].end_line if siblings else 0
        if around != MODULE:
            taken = max(taken, definitions[around].start_line)
        is_unit = definition.start_line > taken and (
            definition.end_line - definition.start_line + 1 >= LONG_NESTED
            or definition.parent == MODULE
            or (definition.parent == around and definitions[around].is_class)
        )
        if is_unit:
            siblings.append(definition.index)
        unit_around[definition.index] = definition.index if is_unit else around
    return units


def _own_spans(
    source: Source,
    owner: int,
    lines: tuple[int, int],
    children: Sequence[Definition],
    definitions: Sequence[Definition],
    block_opener: re.Pattern[str],
) -> Iterator[Span]:
    cursor = lines[0]
    own_kind = _kind(owner, definitions)
    for number, (start, end) in enumerate([*map(_lines_of, children), (lines[1] + 1, lines[1])]):
        gap = _trimmed(source, cursor, start - 1)
        cursor = max(cursor, end + 1)
        if gap is None:
            continue
        is_head = number == 0
        if not is_head and _opens_block(source, gap, block_opener):
            continue
        kind = _STATEMENTS if owner == MODULE and not is_head else own_kind
        yield Span(gap[0], gap[1], kind, owner)


def _kind(owner: int, definitions: Sequence[Definition]) -> ParagraphKind:
    if owner == MODULE:
        return _MODULE
    definition = definitions[owner]
    if definition.is_class:
        return _CLASS
    in_class = definition.parent != MODULE and definitions[definition.parent].is_class
    return _METHOD if in_class else _FUNCTION


def _trimmed(source: Source, start: int, end: int) -> tuple[int, int] | None:
    lines = source.lines
    while start <= end and not lines[start - 1].strip():
        start += 1
    while end >= start and not lines[end - 1].strip():
        end -= 1
    return (start, end) if start <= end else None


def _opens_block(source: Source, gap: tuple[int, int], block_opener: re.Pattern[str]) -> bool:
    """Whether the lines only open blocks (``else:``) around the definitions beside them."""
    return all(not line.strip() or block_opener.match(line) for line in source.lines[gap[0] - 1 : gap[1]])


def _split(source: Source, span: Span) -> list[Span]:
    if source.size(span.start_line, span.end_line) <= SURELY_SHORT:
        return [span]
    parts = split_long(source.lines[span.start_line - 1 : span.end_line], span.start_line)
    return [Span(start, end, span.kind, span.owner) for start, end in parts]
