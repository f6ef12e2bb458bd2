"""The marks of an issue's text: title, code fences, inline code, comments, headings of templates, links.

Markdown is read line by line as people write it in issue trackers, not as a renderer would: an unclosed fence, half a
quotation or a trace pasted as prose must lose nothing. Every pattern is bounded, so that time is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from granum.retrieve.query.links import without_links
from granum.retrieve.query.wordlists import says_nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Code points of a query that are read: an issue with its logs; not a dump.
MAX_CHARACTERS = 20_000
#: A first line longer than this is a paragraph; its first sentence is the title.
MAX_TITLE = 250

_FENCE = re.compile(r"[ \t]{0,12}(?:>[ \t]?){0,3}(`{3,}|~{3,}|\{\{\{)")
_FENCE_ENDS = {"`": "```", "~": "~~~", "{": "}}}"}
#: Indented code, and prompts of shells and interpreters.
_CODE_LINE = re.compile(r"(?: {4}|\t| {0,3}(?:>>> |\.\.\. |In ?\[\d{0,5}\]: |\$ ))")
_INLINE = re.compile(r"(?::[a-zA-Z][\w:+.-]{0,40}:)?(`{1,2})([^`\n]{1,300})\1")
_TITLE_MARK = re.compile(r"(?:#{1,6}[ \t]+|(?:subject|title)[ \t]{0,4}:[ \t]*)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。！？](?:\s|$)")
_NOT_A_TITLE = re.compile(
    r"[ \t]{0,12}(?:`{3}|~{3}|\{\{\{|Traceback \(|panic: |thread '|Exception in thread |File \"|at )"
)


class Kind(Enum):
    """How a piece of text is marked."""

    PROSE = auto()
    CODE = auto()
    INLINE = auto()


class Piece(NamedTuple):
    """A stretch of text under one mark."""

    text: str
    kind: Kind
    in_title: bool = False


class Marked(NamedTuple):
    """A text, read by its marks. ``whole`` still holds links and fences, for what reads lines as they were printed."""

    title: str
    body: str
    pieces: tuple[Piece, ...]
    whole: str
    is_cut: bool


def read(text: str) -> Marked:
    """Splits a text into title and body, and both into pieces."""
    folded, is_cut = _folded(text)
    whole = _without_comments(folded)
    title, rest = _title(whole)
    pieces = [Piece(piece.text, piece.kind, in_title=True) for piece in _spans(title)]
    kept: list[str] = []
    for line, kind in _lines(rest):
        if kind is Kind.PROSE and says_nothing(line):
            continue
        kept.append(line)
        pieces += [Piece(without_links(line), kind)] if kind is Kind.CODE else _spans(line)
    return Marked(title, "\n".join(kept).strip(), tuple(pieces), whole, is_cut)


def _folded(text: str) -> tuple[str, bool]:
    """LF, NFC, no NUL and no surrogate, and its beginning only; the same for either kind of line end."""
    lines = text[: 2 * MAX_CHARACTERS + 2].replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    head = lines[:MAX_CHARACTERS].encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFC", head), len(lines) > MAX_CHARACTERS


def _without_comments(text: str) -> str:
    """Without HTML comments, which hold what a template tells its writer; an unclosed one stays."""
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join(kept) + text[at:]


def _title(text: str) -> tuple[str, str]:
    first, _, rest = text.lstrip().partition("\n")
    if not first or _NOT_A_TITLE.match(first):
        return "", text
    mark = _TITLE_MARK.match(first)
    title = first[mark.end() :] if mark else first
    if len(title) > MAX_TITLE:
        end = _SENTENCE_END.search(title, 0, MAX_TITLE)
        at = end.end() if end else MAX_TITLE
        title, rest = title[:at], f"{title[at:]}\n{rest}"
    return title.strip(), rest


def _lines(text: str) -> Iterator[tuple[str, Kind]]:
    """Each line with its kind; the fences themselves are left out."""
    closing = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if closing:
            if closing in line[:80] and not line.strip(f" \t>{closing[0]}"):
                closing = ""
            else:
                yield line, Kind.CODE
        elif fence and closing not in line[fence.end() :]:
            closing = _FENCE_ENDS[fence[1][0]]
        else:
            yield line, Kind.CODE if _CODE_LINE.match(line) else Kind.PROSE


def _spans(line: str) -> Iterator[Piece]:
    """A line of prose, and the code marked in it."""
    at = 0
    for span in _INLINE.finditer(line):
        yield Piece(without_links(line[at : span.start()]), Kind.PROSE)
        yield Piece(without_links(span[2]), Kind.INLINE)
        at = span.end()
    yield Piece(without_links(line[at:]), Kind.PROSE)
