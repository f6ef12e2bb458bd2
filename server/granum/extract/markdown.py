"""Reads Markdown (CommonMark with tables, front matter and the common admonitions) into an outline.

Only blocks are parsed; inline markup stays in the statements, whose sentences are cut before it is stripped.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from granum.extract.outline import LONGEST_TITLE, Heading, Outline, words
from granum.extract.prose_noise import is_reference_only
from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind
from granum.text.normalise import strip_markup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

#: Deeper blocks are left out.
MAX_NESTING = 100
#: Columns of indentation, quote marks and list markers that cannot yet nest so deep.
_DEEP = MAX_NESTING - 10
#: An admonition's indented content is Markdown again, to this depth.
MAX_ADMONITIONS = 6

_ROLES: dict[str, Role] = {
    **dict.fromkeys(words("warning warn danger caution error bug failure"), Role.WARNING),
    **dict.fromkeys(
        words("note tip hint important attention info abstract summary question success admonition details"), Role.NOTE
    ),
    "deprecated": Role.DEPRECATED,
}
_FENCED_FRONT = r"{0}[ \t]*\n(?:.*\n)*?{1}[ \t]*(?:\n|$)"
_FRONT_MATTER = re.compile(
    _FENCED_FRONT.format("---", r"(?:---|\.\.\.)") + "|" + _FENCED_FRONT.format(r"\+\+\+", r"\+\+\+")
)
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_ALERT = re.compile(r"\[!(\w+)\]\s*$|\[!(\w+)\][ \t]*", re.ASCII)
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)\s+([\w-]+)(?:\s+.*)?$")
_CONTAINER = re.compile(r":{3,}\s*\{?([\w-]*)\}?.*$")
_MYST = re.compile(r"\{([\w:-]+)\}\s*(.*)$")
_ODD_BLANK = re.compile(r"(?:[\s>]|[-+*](?=\s|$))*$")
_BLOCK_SIGNS = re.compile(r"(?:[ \t>]|[-+*](?=\s)|\d{1,9}[.)](?=\s))*")
_LINK = re.compile(r"\]\(<?([^()\s>#]+)")
_IMAGE = re.compile(r"\[?!\[[^\[\]]*\]\([^()]*\)(?:\]\([^()]*\))?")
_TASK = re.compile(r"\[[ xX]\]\s+")
_ANCHOR = re.compile(r"\s*(?:\{[#.:][^{}]*\}|\[]\(#[^()]*\)|<a\s[^<>]*>\s*</a>)\s*")


class _Frame(NamedTuple):
    """A container block that is open: what it makes of the text in it."""

    closes: str
    role: Role
    source: SourceKind


def read_markdown(text: str) -> Outline:
    """The outline of a Markdown document; never raises."""
    outline = Outline()
    front = _FRONT_MATTER.match(text)
    if front:
        lines = front.group().count("\n")
        title = _FRONT_TITLE.search(front.group())
        outline.title = title.group(1)[:LONGEST_TITLE] if title else ""
        outline.opaque.append((1, max(1, lines)))
        text = "\n" * lines + text[front.end() :]
    _Reader(text, 0, outline, Role.BODY, SourceKind.PROSE, 0).read()
    return outline


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _is_deep(line: str) -> bool:
    """Whether the line can stand in too many blocks: each takes a column at least."""
    return len(line) > _DEEP and len(_BLOCK_SIGNS.match(line)[0].expandtabs(4)) > _DEEP  # type: ignore[index]


class _Reader:
    """One pass over the block tokens of a text whose first line is line ``offset`` + 1 of the document."""

    def __init__(self, text: str, offset: int, outline: Outline, role: Role, source: SourceKind, depth: int) -> None:
        self.lines = text.split("\n")
        self.tokens: Sequence[Token] = _parser().parse(text)
        if any(token.level >= MAX_NESTING - 1 for token in self.tokens):
            # the parser ends at the first block that is too deep, and would lose all that follows
            outline.is_too_deep = True
            self.tokens = _parser().parse("\n".join("" if _is_deep(line) else line for line in self.lines))
        self.offset = offset
        self.outline = outline
        self.frames = [_Frame("", role, source)]
        self.depth = depth
        self.pending: Role | None = None
        self.headers: tuple[str, ...] = ()
        self.cells: list[str] = []
        self.row_at = 0

    def read(self) -> None:
        """Reads every token into the outline."""
        for index, token in enumerate(self.tokens):
            kind = token.type
            if kind == "inline":
                self._inline(self.tokens[index - 1], token)
            elif kind == self.frames[-1].closes:
                self.frames.pop()
            elif kind in _OPENERS:
                self._enter(kind)
            elif kind in ("thead_open", "tr_open", "thead_close", "tr_close"):
                self._table(token)
            elif kind in ("fence", "code_block", "html_block"):
                self._opaque(token)
            if kind not in ("code_block", "paragraph_open", "paragraph_close", "inline"):
                self.pending = None

    def _enter(self, kind: str) -> None:
        frame = self.frames[-1]
        closes, source = _OPENERS[kind]
        if kind == "blockquote_open":
            self.frames.append(_Frame(closes, frame.role, frame.source))
        else:
            role = frame.role if frame.role in (Role.WARNING, Role.DEPRECATED) else Role.ITEM
            self.frames.append(_Frame(closes, role, source))

    def _opaque(self, token: Token) -> None:
        start, end = token.map or (0, 0)
        if token.type == "code_block" and self.pending is not None:
            self._nested(start, end, self.pending)
            return
        directive = _MYST.match(token.info) if token.type == "fence" else None
        role = _ROLES.get(directive.group(1)) if directive else None
        if role is not None:
            self._nested(start + 1, end - 1, role)
            return
        self.outline.opaque.append((self.offset + start + 1, self.offset + end))

    def _nested(self, start: int, end: int, role: Role) -> None:
        """Reads lines that are Markdown again: an admonition's content."""
        if self.depth >= MAX_ADMONITIONS or start >= end:
            return
        lines = self.lines[start:end]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        text = "\n".join(line[indent:] for line in lines)
        _Reader(text, self.offset + start, self.outline, role, SourceKind.DIRECTIVE, self.depth + 1).read()

    # Text

    def _inline(self, opener: Token, token: Token) -> None:
        content = token.content
        start = self._first_line(token)
        if "](" in content:
            self.outline.links += _LINK.findall(content)
        if opener.type == "heading_open":
            self._heading(opener, content, start)
        elif opener.type in ("td_open", "th_open"):
            self.cells.append(_IMAGE.sub("", content))
        else:
            self._paragraph(content, start)

    def _first_line(self, token: Token) -> int:
        """The line on which the content begins: the parser drops leading lines of odd white space (a form feed)."""
        start, end = token.map or (0, 0)
        dropped = end - start - 1 - token.content.count("\n")
        while dropped > 0 and _ODD_BLANK.match(self.lines[start]):
            start += 1
            dropped -= 1
        return start

    def _heading(self, opener: Token, content: str, start: int) -> None:
        end = opener.map[1] if opener.map else start + 1
        if self.depth or not content.strip():
            return
        line = self.lines[start]
        first = content.partition("\n")[0]
        column = max(line.find(first), 0)
        plain = _ANCHOR.sub(" ", content.replace("\n", " "))
        title = " ".join(strip_markup(_IMAGE.sub("", plain)).split())[:LONGEST_TITLE]
        number = self.offset + start + 1
        heading = Heading(
            int(opener.tag[1:]),
            title or first[:LONGEST_TITLE],
            number,
            self.offset + end,
            number,
            column,
            column + len(first),
        )
        self.outline.headings.append(heading)

    def _paragraph(self, content: str, start: int) -> None:
        """Splits off what marks an admonition, and states the rest."""
        frame = self.frames[-1]
        lines = content.split("\n")
        head = lines[0]
        if match := _ADMONITION.match(head):
            self.pending = _ROLES.get(match.group(1).lower(), Role.NOTE)
            self._state(lines[1:], start + 1, self.pending, SourceKind.DIRECTIVE)
        elif frame.closes == "blockquote_close" and (match := _ALERT.match(head)):
            role = _ROLES.get((match.group(1) or match.group(2)).lower(), Role.NOTE)
            self.frames[-1] = _Frame(frame.closes, role, SourceKind.DIRECTIVE)
            self._state([head[match.end() :], *lines[1:]], start, role, SourceKind.DIRECTIVE)
        elif head.startswith(":::"):
            self._container(lines, start)
        elif lines[-1].startswith(":::"):
            self._state(lines[:-1], start, frame.role, frame.source)
            self._leave_container()
        else:
            self._state(lines, start, frame.role, frame.source)

    def _container(self, lines: list[str], start: int) -> None:
        """Reads ``:::warning`` blocks, whose fences are paragraphs or lines of paragraphs to CommonMark."""
        match = _CONTAINER.match(lines[0])
        name = match.group(1).lower() if match else ""
        if not name:
            self._leave_container()
            self._state(lines[1:], start + 1, self.frames[-1].role, self.frames[-1].source)
            return
        closed = lines[-1].startswith(":::") and len(lines) > 1
        role = _ROLES.get(name, self.frames[-1].role)
        self._state(lines[1:-1] if closed else lines[1:], start + 1, role, SourceKind.DIRECTIVE)
        if not closed and name in _ROLES and len(self.frames) < MAX_NESTING:
            outer = self.frames[-1]
            self.frames[-1] = _Frame(outer.closes, role, SourceKind.DIRECTIVE)

    def _leave_container(self) -> None:
        frame = self.frames[-1]
        if frame.source is SourceKind.DIRECTIVE:
            self.frames[-1] = _Frame(frame.closes, Role.BODY, SourceKind.PROSE)

    def _state(self, lines: list[str], start: int, role: Role, source: SourceKind) -> None:
        lines = [_IMAGE.sub("", line).strip() if "![" in line else line.strip() for line in lines]
        while lines and not lines[0]:
            lines = lines[1:]
            start += 1
        while lines and not lines[-1]:
            lines = lines[:-1]
        if not lines:
            return
        if role is Role.ITEM:
            lines[0] = _TASK.sub("", lines[0], count=1) if _TASK.match(lines[0]) else lines[0]
        text = "\n".join(lines)
        if is_reference_only(text):
            return
        first = self.offset + start + 1
        statement = Statement(
            text=text,
            start_line=first,
            end_line=first + len(lines) - 1,
            source=source,
            role=role,
            heading=self.outline.current_heading,
        )
        self.outline.statements.append(statement)

    def _table(self, token: Token) -> None:
        """Collects a table's headers, then states each row below them."""
        if token.type == "thead_open":
            self.headers = ()
        elif token.type == "thead_close":
            self.headers = tuple(self.cells)
        elif token.type == "tr_open":
            self.cells = []
            self.row_at = token.map[0] if token.map else 0
        elif any(self.headers):
            self._row(self.row_at)

    def _row(self, at: int) -> None:
        line = self.offset + at + 1
        statement = Statement(
            text=self.lines[at].strip(),
            start_line=line,
            end_line=line,
            source=SourceKind.TABLE,
            role=Role.TABLE_ROW,
            heading=self.outline.current_heading,
            cells=tuple(self.cells),
            headers=self.headers,
        )
        self.outline.statements.append(statement)


_OPENERS: dict[str, tuple[str, SourceKind]] = {
    "bullet_list_open": ("bullet_list_close", SourceKind.BULLET),
    "ordered_list_open": ("ordered_list_close", SourceKind.NUMBERED),
    "blockquote_open": ("blockquote_close", SourceKind.PROSE),
}
