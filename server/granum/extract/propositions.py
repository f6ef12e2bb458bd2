"""Which sentences of a document's statements are propositions, and where each stands."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from granum.extract.blocks import Block, blocks
from granum.extract.classify import classify, confidence_of, type_of
from granum.extract.noise import is_noise
from granum.extract.segment import Sentence, sentences
from granum.extract.selection import is_worth
from granum.extract.shape import shape_of
from granum.extract.statement import Role, Statement
from granum.model.layers import Occurrence, Paragraph, Proposition, PropositionType, SourceKind
from granum.text.normalise import fingerprint, normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHORTEST = 12
LONGEST = 350
LONGEST_COMMENT = 160

_FINAL = frozenset({Role.RAISE, Role.ASSERTION})
#: What stands under this heading of a decision record is the decision, in whatever words.
_DECISION = re.compile(r"(?:the )?decisions?(?: outcome| made)?$", re.IGNORECASE)
_UNDECIDED = frozenset({PropositionType.BEHAVIOR, PropositionType.IMPLEMENTATION_DETAIL, PropositionType.PROCEDURE})
#: A line in bold and nothing else is a title that its author spared the markup of one.
_TITLE = re.compile(r"\*\*[^*.\n]+\*\*:?")
_CLAUSE = re.compile(r"[;:] |(?:,| [-–—]) (?:which|so|because|but|and|or|where|while|although|since|as|e\.g\.|for) |, ")
_NAMES = re.compile(
    r"``([^`\n]{1,120})``|:[\w:+-]+:`([^`\n]{1,160})`|`([^`\n]{1,120})`"
    # a plain word, the most frequent case, fails at once
    r"|(?<![\w./:@-])(?=[A-Za-z_])(?![A-Z]?[a-z]*+(?!\w|\.\w))([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]\w*_\w+|_+[A-Za-z]\w*|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w+)"
    r"(?![\w/@])"
)
_MAY_NAME = re.compile(r"[a-z][A-Z]|\w\.\w")
_TARGET = re.compile(r"<([^<>]+)>$")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")
_NO_NAMES = frozenset({"e.g", "i.e", "a.k.a"})


class Fact(NamedTuple):
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
    places: dict[str, set[Occurrence]] = {}
    for fact in select(statements):
        key = fingerprint(fact.text)
        known = first.get(key)
        if known is None or (fact.confidence, -fact.start_line) > (known.confidence, -known.start_line):
            first[key] = fact
        place = Occurrence(
            start_line=fact.start_line,
            end_line=fact.end_line,
            paragraph=enclosing.paragraph(fact.start_line, fact.end_line),
            symbol=fact.symbol,
        )
        places.setdefault(key, set()).add(place)
    found = [
        Proposition(
            text=fact.text,
            hash=key,
            type=fact.type,
            confidence=fact.confidence,
            source=fact.source,
            occurrences=tuple(sorted(places[key])),
            mentions=fact.mentions,
        )
        for key, fact in first.items()
    ]
    found.sort(key=lambda proposition: proposition.occurrences[0])
    return tuple(found)


def select(statements: Sequence[Statement]) -> Iterator[Fact]:
    """The facts that the statements state, sentence by sentence."""
    described = ""
    for statement in statements:
        first = statement.role is Role.SUMMARY
        if statement.role is Role.BODY:
            # the label is the object that a directive describes: what is said of it first is its summary
            first = statement.label not in {"", described}
            described = statement.label
        if statement.role in _FINAL:
            yield from _final(statement)
        elif statement.role is Role.TABLE_ROW:
            yield from _row(statement)
        else:
            yield from _sentences(statement, first=first)


def _sentences(statement: Statement, *, first: bool) -> Iterator[Fact]:
    lead = lead_of(statement)
    is_mixed = statement.source in {SourceKind.DOCSTRING, SourceKind.COMMENT}
    for block in blocks(statement.text) if is_mixed else [Block(statement.text, 0)]:
        if _TITLE.fullmatch(block.text.strip()):
            continue
        found = sentences(block.text)
        for sentence in _joined(found) if statement.role is Role.COMMENT else found:
            start = statement.start_line + block.offset + sentence.first_line_offset
            end = statement.start_line + block.offset + sentence.last_line_offset
            raw = f"{block.prefix}{lead}{sentence.text}"
            yield from _fact(statement, raw, start, end, first=first)
            first, lead = False, ""


def lead_of(statement: Statement) -> str:
    """What stands before the first sentence so that it can be read alone: the parameter's name, for instance."""
    label, text = statement.label, statement.text.lstrip()
    if statement.role is Role.PARAMETER and label and not text.startswith(f"{label}:"):
        return f"{label}: "
    if statement.role is Role.RETURNS and not text.lower().startswith(("return", "yield")):
        return "Returns: "
    if statement.role is Role.RAISES and label and not text.startswith("Raises "):
        return f"Raises {label}: "
    return ""


def _joined(found: list[Sentence]) -> list[Sentence]:
    """The two sentences of a short comment as one: the second seldom stands without the first."""
    if len(found) != 2 or len(found[0].text) + len(found[1].text) > LONGEST_COMMENT:
        return found
    return [Sentence(f"{found[0].text} {found[1].text}", found[0].first_line_offset, found[1].last_line_offset)]


def _row(statement: Statement) -> Iterator[Fact]:
    pairs = [
        f"{header}: {cell}" if header else cell
        for header, cell in zip_longest(statement.headers, statement.cells, fillvalue="")
        if cell.strip()
    ]
    if len(pairs) > 1:
        yield from _fact(statement, "; ".join(pairs), statement.start_line, statement.end_line)


def _final(statement: Statement) -> Iterator[Fact]:
    """A statement that is one fact as it stands; code is cut where it must be, never dropped for its length."""
    text = " ".join(statement.text.split())
    if len(text) > LONGEST:
        text = text[: LONGEST - 1].rstrip() + "…"
    if len(text) >= SHORTEST:
        kind, confidence = classify(text, statement.source, statement.role)
        lines = statement.start_line, statement.end_line
        mentions = tuple(dict.fromkeys((*mentions_in(text), *statement.names)))
        yield Fact(text, *lines, kind, confidence, statement.source, statement.symbol, mentions)


def _fact(statement: Statement, raw: str, start: int, end: int, *, first: bool = False) -> Iterator[Fact]:
    """The fact of one sentence, or nothing."""
    text = shorten(normalise(raw))
    if len(text) < SHORTEST or (statement.role is not Role.TABLE_ROW and is_noise(text)):
        return
    text = text.removesuffix(":")
    shape = shape_of(text, statement.source, statement.role, is_test=statement.is_test)
    kind = type_of(shape)
    if kind in _UNDECIDED and statement.role in {Role.BODY, Role.ITEM} and _DECISION.match(statement.heading):
        kind = PropositionType.DECISION
    if not is_worth(statement, shape, kind, first=first):
        return
    confidence = confidence_of(kind, statement.source)
    yield Fact(text, start, end, kind, confidence, statement.source, statement.symbol, mentions_in(raw))


def shorten(text: str) -> str:
    """A text over the limit, cut at its last clause boundary before it; empty where there is none."""
    if len(text) <= LONGEST:
        return text
    cut = 0
    for match in _CLAUSE.finditer(text, 0, LONGEST):
        cut = match.start()
    return text[:cut].rstrip(" ,;:-–—") if cut >= LONGEST // 3 else ""


def mentions_in(sentence: str) -> tuple[str, ...]:
    """Names of symbols in a sentence as written: in code marks, dotted, CamelCase or snake_case; each once."""
    if "`" not in sentence and "_" not in sentence and not _MAY_NAME.search(sentence):
        return ()
    found: dict[str, None] = {}
    for marked, role, code, bare in _NAMES.findall(sentence):
        name = marked or code or bare
        if role:
            target = _TARGET.search(role)
            name = (target.group(1) if target else role).lstrip("~!.")
        name = name.strip().removesuffix("()").lstrip("@")
        if _DOTTED.match(name) and name.lower() not in _NO_NAMES:
            found[name] = None
    return tuple(found)


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
        inner = self._at(start)
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

    def _at(self, line: int) -> int:
        return self._by_line[line] if 0 <= line < len(self._by_line) else -1

    def _before(self, line: int) -> int:
        for candidate in range(min(line, len(self._by_line) - 1), -1, -1):
            if self._by_line[candidate] >= 0:
                return self._by_line[candidate]
        return 0
