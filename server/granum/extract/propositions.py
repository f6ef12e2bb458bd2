"""Which sentences of a document's statements are propositions, and where each stands."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from granum.extract.blocks import Block, blocks
from granum.extract.classify import TYPE_BY_ROLE, confidence_of, type_of
from granum.extract.lexicon import worded
from granum.extract.names import mentions_in
from granum.extract.noise import is_noise
from granum.extract.segment import Sentence, sentences
from granum.extract.selection import is_worth
from granum.extract.shape import shape_of
from granum.extract.statement import Role, Statement
from granum.model.layers import Occurrence, Paragraph, Proposition, PropositionType, SourceKind
from granum.text.normalise import fingerprint, folded, normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST = 12
LONGEST = 350
LONGEST_COMMENT = 160

_FINAL = frozenset({Role.RAISE, Role.ASSERTION})
_PROSE = frozenset({Role.BODY, Role.ITEM})
#: Sources that mix prose with code, lists and directives.
_MIXED = frozenset({SourceKind.DOCSTRING, SourceKind.COMMENT})
# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and every sentence needs many.
_SUMMARY, _BODY, _COMMENT, _TABLE_ROW = Role.SUMMARY, Role.BODY, Role.COMMENT, Role.TABLE_ROW
_RETURNS, _PARAMETER, _RAISES = Role.RETURNS, Role.PARAMETER, Role.RAISES
_DECIDED = PropositionType.DECISION
#: What stands under this heading of a decision record is the decision, in whatever words.
_DECISION = re.compile(r"(?:the )?decisions?(?: outcome| made)?$", re.IGNORECASE)
_UNDECIDED = frozenset({PropositionType.BEHAVIOR, PropositionType.IMPLEMENTATION_DETAIL, PropositionType.PROCEDURE})
#: A line in bold and nothing else is a title that its author spared the markup of one.
_TITLE = re.compile(r"\*\*[^*.\n]+\*\*:?")
_CLAUSE = re.compile(r"[;:] |(?:,| [-–—]) (?:which|so|because|but|and|or|where|while|although|since|as|e\.g\.|for) |, ")


class Fact(msgspec.Struct, frozen=True, gc=False):
    """A sentence worth keeping, before equal ones are joined."""

    text: str
    start_line: int
    end_line: int
    type: PropositionType
    confidence: float
    source: SourceKind
    symbol: str
    mentions: tuple[str, ...]


def assemble(statements: Sequence[Statement], paragraphs: Sequence[Paragraph]) -> tuple[Proposition, ...]:
    """The propositions of one document, in the order of their first occurrence.

    Args:
        statements: what stands in the document, in any order.
        paragraphs: the document's paragraphs; each occurrence is attached to the smallest one around it.
    """
    if not paragraphs:
        return ()
    enclosing = _Enclosing(paragraphs)
    first: dict[str, Fact] = {}
    places: dict[str, list[Occurrence]] = {}
    for fact in select(statements):
        key = fingerprint(fact.text)
        place = Occurrence(
            start_line=fact.start_line,
            end_line=fact.end_line,
            paragraph=enclosing.paragraph(fact.start_line, fact.end_line),
            symbol=fact.symbol,
        )
        known = first.get(key)
        if known is None:
            first[key] = fact
            places[key] = [place]
            continue
        places[key].append(place)
        if (fact.confidence, -fact.start_line) > (known.confidence, -known.start_line):
            first[key] = fact
    found = [
        Proposition(
            text=fact.text,
            hash=key,
            type=fact.type,
            confidence=fact.confidence,
            source=fact.source,
            occurrences=_ordered(places[key]),
            mentions=fact.mentions,
        )
        for key, fact in first.items()
    ]
    found.sort(key=_first_place)
    return tuple(found)


def _ordered(places: list[Occurrence]) -> tuple[Occurrence, ...]:
    return tuple(places) if len(places) == 1 else tuple(sorted(set(places)))


def _first_place(proposition: Proposition) -> Occurrence:
    return proposition.occurrences[0]


def select(statements: Sequence[Statement]) -> list[Fact]:
    """The facts that the statements state, sentence by sentence."""
    found: list[Fact] = []
    described = ""
    for statement in statements:
        role = statement.role
        if role in _FINAL:
            fact = _final(statement)
        elif role is _TABLE_ROW:
            fact = _row(statement)
        else:
            first = role is _SUMMARY
            if role is _BODY:
                # the label is the object that a directive describes: what is said of it first is its summary
                first = statement.label not in {"", described}
                described = statement.label
            found += _sentences(statement, first=first)
            continue
        if fact is not None:
            found.append(fact)
    return found


def _sentences(statement: Statement, *, first: bool) -> list[Fact]:
    found: list[Fact] = []
    lead = lead_of(statement)
    for block in blocks(statement.text) if statement.source in _MIXED else [Block(statement.text, 0)]:
        if "**" in block.text and _TITLE.fullmatch(block.text.strip()):
            continue
        parts = sentences(block.text)
        start = statement.start_line + block.offset
        for sentence in _joined(parts) if statement.role is _COMMENT else parts:
            raw = f"{block.prefix}{lead}{sentence.text}"
            lines = start + sentence.first_line_offset, start + sentence.last_line_offset
            fact = _fact(statement, raw, lines, first=first)
            if fact is not None:
                found.append(fact)
            first, lead = False, ""
    return found


def lead_of(statement: Statement) -> str:
    """What stands before the first sentence so that it can be read alone: the parameter's name, for instance."""
    role, label = statement.role, statement.label
    if role is _RETURNS:
        return "" if statement.text.lstrip().lower().startswith(("return", "yield")) else "Returns: "
    if role is _PARAMETER and label and not statement.text.lstrip().startswith(f"{label}:"):
        return f"{label}: "
    if role is _RAISES and label and not statement.text.lstrip().startswith("Raises "):
        return f"Raises {label}: "
    return ""


def _joined(found: list[Sentence]) -> list[Sentence]:
    """The two sentences of a short comment as one: the second seldom stands without the first."""
    if len(found) != 2 or len(found[0].text) + len(found[1].text) > LONGEST_COMMENT:
        return found
    return [Sentence(f"{found[0].text} {found[1].text}", found[0].first_line_offset, found[1].last_line_offset)]


def _row(statement: Statement) -> Fact | None:
    pairs = [
        f"{header}: {cell}" if header else cell
        for header, cell in zip_longest(statement.headers, statement.cells, fillvalue="")
        if cell.strip()
    ]
    if len(pairs) < 2:
        return None
    return _fact(statement, "; ".join(pairs), (statement.start_line, statement.end_line))


def _final(statement: Statement) -> Fact | None:
    """A statement that is one fact as it stands; code is cut where it must be, never dropped for its length."""
    text = folded(statement.text)
    if len(text) > LONGEST:
        text = text[: LONGEST - 1].rstrip() + "…"
    if len(text) < SHORTEST:
        return None
    source = statement.source
    kind = TYPE_BY_ROLE[statement.role]
    mentions = mentions_in(text)
    if statement.names:
        mentions = tuple(dict.fromkeys((*mentions, *statement.names)))
    lines = statement.start_line, statement.end_line
    return Fact(text, *lines, kind, confidence_of(kind, source), source, statement.symbol, mentions)


def _fact(statement: Statement, raw: str, lines: tuple[int, int], *, first: bool = False) -> Fact | None:
    """The fact of one sentence, or none."""
    text = shorten(normalise(raw))
    if len(text) < SHORTEST:
        return None
    wording = worded(text)
    role, source = statement.role, statement.source
    if role is not _TABLE_ROW and is_noise(wording):
        return None
    if text.endswith(":"):
        text = text[:-1]
        wording = replace(wording, text=text)
    shape = shape_of(wording, source, role, is_test=statement.is_test)
    kind = type_of(shape)
    if kind in _UNDECIDED and role in _PROSE and _DECISION.match(statement.heading):
        kind = _DECIDED
    if not is_worth(statement, shape, kind, first=first):
        return None
    return Fact(text, *lines, kind, confidence_of(kind, source), source, statement.symbol, mentions_in(raw))


def shorten(text: str) -> str:
    """A text over the limit, cut at its last clause boundary before it; empty where there is none."""
    if len(text) <= LONGEST:
        return text
    cut = 0
    for match in _CLAUSE.finditer(text, 0, LONGEST):
        cut = match.start()
    return text[:cut].rstrip(" ,;:-–—") if cut >= LONGEST // 3 else ""


class _Enclosing:
    """Finds the smallest paragraph around a range of lines."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        last = max(paragraph.end_line for paragraph in paragraphs)
        self._paragraphs = paragraphs
        self._by_line: list[int] = [-1] * (last + 2)
        largest_first = sorted(
            range(len(paragraphs)), key=lambda index: paragraphs[index].start_line - paragraphs[index].end_line
        )
        for index in largest_first:
            paragraph = paragraphs[index]
            span = paragraph.end_line - paragraph.start_line + 1
            self._by_line[paragraph.start_line : paragraph.end_line + 1] = [index] * span

    def paragraph(self, start: int, end: int) -> int:
        """The index of the smallest paragraph around the lines; of the nearest before them if there is none."""
        inner = self._by_line[start] if 0 <= start < len(self._by_line) else -1
        if inner >= 0 and self._paragraphs[inner].end_line >= end:
            return inner
        around = [
            (paragraph.end_line - paragraph.start_line, index)
            for index, paragraph in enumerate(self._paragraphs)
            if paragraph.start_line <= start and paragraph.end_line >= end
        ]
        if around:
            return min(around)[1]
        return inner if inner >= 0 else self._before(start)

    def _before(self, line: int) -> int:
        for candidate in range(min(line, len(self._by_line) - 1), -1, -1):
            if self._by_line[candidate] >= 0:
                return self._by_line[candidate]
        return 0
