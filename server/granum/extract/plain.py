"""Reads text without markup into an outline: paragraphs between blank lines, lists, underlined titles."""

from __future__ import annotations

import re

from granum.extract.outline import LONGEST_TITLE, Heading, Outline
from granum.extract.rst_markup import BULLET, ENUMERATOR, indent_of, underlines
from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind

_STRUCTURE = re.compile(
    r"^[ ]*\.\. (?:[\w:-]{1,60}::|_[^:\n]+:)|(?<![\w:]):[\w:]{1,40}:`[^`\n]+`|``[^`\n]+``|::\n[ ]*\n[ ]+\S|`__?(?!\w)",
    re.MULTILINE,
)
#: How a sentence begins (two words and something more), and a word that may end one. Apart, since one pattern for both
#: would read a long line without a full stop again from each of its words.
_BEGINS = re.compile(r"\w[,;]?\s+\w+[,;]?\s+\S+\s")
_ENDS = re.compile(r"(?<=\s)[^\w\s]*\w[^\s.!?:)]*[.!?:)]")
_CODE = re.compile(r"[{};]\s*$|^\s*(?:[$>#]|def |class |import |</?\w)|\w+\(.*\)\s*$|^\s*[\w.-]+\s*[=<>]=?\s*\S+\s*$")
#: Columns: words set apart by more than the two spaces behind a full stop.
_ALIGNED = re.compile(r"[^\s.!?:]\s{2,}\S|\t")
#: A text file with so few words a line is a list of names or data.
_FEWEST_WORDS = 3


def is_structured(text: str) -> bool:
    """Whether a text file uses reStructuredText's markup."""
    return _STRUCTURE.search(text) is not None


def read_plain(text: str) -> Outline:
    """The outline of a text without markup; only blocks that read as sentences become statements."""
    outline = Outline()
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        if _is_heading(lines, at):
            outline.headings.append(_heading(lines, at))
            at += 2
            continue
        stop = _block_end(lines, at)
        _state(lines, at, stop, outline)
        at = stop
    return outline


def _is_sentence(text: str) -> bool:
    begins = _BEGINS.search(text)
    return begins is not None and _ENDS.search(text, begins.end()) is not None


def _is_heading(lines: list[str], at: int) -> bool:
    title = lines[at].strip()
    if at + 1 >= len(lines) or len(title) > LONGEST_TITLE or (at and lines[at - 1].strip()):
        return False
    under = lines[at + 1].strip()
    return len(under) >= 3 and any(map(str.isalnum, title)) and underlines(title, under)


def _heading(lines: list[str], at: int) -> Heading:
    line = lines[at].rstrip()
    column = indent_of(line)
    level = 1 if lines[at + 1].strip()[0] in "=#*" else 2
    return Heading(level, line.strip(), at + 1, at + 2, at + 1, column, len(line))


def _begins_item(line: str) -> re.Match[str] | None:
    text = line.strip()
    return BULLET.match(text) or ENUMERATOR.match(text)


def _block_end(lines: list[str], at: int) -> int:
    """The line behind a paragraph or list item."""
    stop = at + 1
    while stop < len(lines) and lines[stop].strip() and not _begins_item(lines[stop]) and not _is_heading(lines, stop):
        stop += 1
    return stop


def _state(lines: list[str], at: int, stop: int, outline: Outline) -> None:
    block = [line.strip() for line in lines[at:stop]]
    item = _begins_item(block[0])
    if item:
        block[0] = block[0][item.end() :]
    text = "\n".join(block)
    words = text.split()
    if len(words) < _FEWEST_WORDS * len(block) or not _is_sentence(text[:2000]):
        return
    if sum(1 for line in block if _CODE.search(line) or _ALIGNED.search(line)) * 2 > len(block):
        return
    numbered = item is not None and item.re is ENUMERATOR
    source = SourceKind.NUMBERED if numbered else SourceKind.BULLET if item else SourceKind.PROSE
    statement = Statement(
        text=text,
        start_line=at + 1,
        end_line=stop,
        source=source,
        role=Role.ITEM if item else Role.BODY,
        heading=outline.current_heading,
    )
    outline.statements.append(statement)
