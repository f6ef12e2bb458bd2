"""The blocks of a statement's text: paragraphs and list items, without what is no prose.

Doc comments mix prose with doctests, literal blocks, fences, tables, titles and directives. What is left out
here can become no proposition.
"""

from __future__ import annotations

import re

import msgspec

from granum.extract.rst_markup import without_literal_mark


class Block(msgspec.Struct, frozen=True, gc=False):
    """Lines that belong together. ``offset`` counts lines from the statement's first, from 0.

    ``prefix`` is what a directive says of the block (``Changed in version 2.0: ``) and stands before its text.
    """

    text: str
    offset: int
    is_item: bool = False
    prefix: str = ""


_FENCE = re.compile(r"\s*(```|~~~)")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|\(?(?:\d{1,3}|#|[a-zA-Z])[.)])\s+(?=\S)")
#: A line that opens no construct and no item: it goes on with the paragraph before it.
_GOES_ON = re.compile(r"\s*[a-zA-Z](?![.)])").match
#: What a line must begin with to be an item: most begin with a word, and need no further look.
_MAY_BE_ITEM = re.compile(r"[^a-zA-Z]|[a-zA-Z][.)]").match
_DIRECTIVE = re.compile(r"(\s*)\.\.\s+(?:([\w:.+-]+)::\s*(.*)|(.*))$")
_FIELD = re.compile(r"\s*:[A-Za-z][\w ,.*-]*:(?:\s|$)")
_RULE = re.compile(r"\s*([=\-~^\"'`*+#<>_:.])\1{2,}\s*$")
_TABLE = re.compile(r"\s*(?:\|.*\||\+[-=+]+\+?|=+(?:\s+=+)+|\|?\s*:?-{2,}:?\s*\|.*)\s*$")
_TAG_ONLY = re.compile(r"\s*</?[a-zA-Z!][^>]*>\s*$")
_VERSIONS = {
    "versionadded": "Added in version {}: ",
    "versionchanged": "Changed in version {}: ",
    "versionremoved": "Removed in version {}: ",
    "deprecated": "Deprecated since version {}: ",
}
_ADMONITIONS = frozenset(
    {"note", "warning", "important", "caution", "danger", "attention", "hint", "tip", "admonition", "error"}
)


def indent_of(line: str) -> int:
    """Columns before the first character; a tab counts as one."""
    return len(line) - len(line.lstrip())


def blocks(text: str) -> list[Block]:
    """The prose blocks of ``text``, in order."""
    if "\n" not in text and _GOES_ON(text):
        return [Block(text, 0)]
    return _Reader(text.split("\n")).read()


class _Reader:
    """One pass over the lines."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.found: list[Block] = []
        self.open: list[str] = []
        self.opened_at = 0
        self.is_item = False
        self.item_indent = 0
        self.prefix = ""

    def read(self) -> list[Block]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if self.open and not self.is_item and "::" not in line and _GOES_ON(line):
                self.open.append(line)  # most lines
                self.at += 1
            elif not self._skip(line):
                self._take(line)
                self.at += 1
        self._close()
        return self.found

    def _skip(self, line: str) -> bool:
        """Leave out a construct that begins at this line; the position is then behind it."""
        stripped = line.lstrip()
        if not stripped:
            self._close()
            self.at += 1
        elif stripped.startswith(("```", "~~~")):
            self._close()
            self._past_fence(stripped[:3])
        elif stripped.startswith(">>>"):
            self._close()
            self._past_blank()
        elif stripped.startswith("..") and (match := _DIRECTIVE.match(line)):
            self._close()
            self._directive(match)
        elif stripped[0].isalpha():  # most lines; none of what follows begins so
            return False
        elif _RULE.match(line):
            self.open = self.open[:-1] if len(self.open) == 1 and not self.is_item else self.open
            self._close()
            self.at += 1
        elif _TABLE.match(line) or _TAG_ONLY.match(line) or (not self.open and _FIELD.match(line)):
            self._close()
            self.at += 1
        else:
            return False
        return True

    def _take(self, line: str) -> None:
        item = _ITEM.match(line) if _MAY_BE_ITEM(line.lstrip()[:2]) else None
        if item and (self.is_item or not self.open or not line[item.end() - 2].isalnum()) and self._begins_item(item):
            self._close()
            self.is_item = True
            self.item_indent = len(item.group(1))
            self.opened_at = self.at
            self.open = [line[item.end() :]]
            return
        if self.is_item and self.open and indent_of(line) <= self.item_indent:
            self._close()
        if not self.open:
            self.opened_at = self.at
        self.open.append(line)
        if line.rstrip().endswith("::"):
            self._past_literal(indent_of(line))

    def _begins_item(self, item: re.Match[str]) -> bool:
        """A single letter or number needs a list before it or a block's beginning (``a. word`` wraps too)."""
        marker = item.group().strip()
        return marker in "-*+•" or not self.open or self.is_item

    def _close(self) -> None:
        if self.open:
            text = "\n".join(self.open)
            self.found.append(Block(text, self.opened_at, self.is_item, self.prefix))
        self.open = []
        self.is_item = False
        self.prefix = ""

    def _past_fence(self, mark: str) -> None:
        self.at += 1
        while self.at < len(self.lines) and not self.lines[self.at].lstrip().startswith(mark):
            self.at += 1
        self.at += 1

    def _past_blank(self) -> None:
        while self.at < len(self.lines) and self.lines[self.at].strip():
            self.at += 1

    def _past_literal(self, indent: int) -> None:
        """After ``::``: skip the deeper lines that follow; the line itself is closed."""
        following = self.at + 1
        while following < len(self.lines) and not self.lines[following].strip():
            following += 1
        if following >= len(self.lines) or indent_of(self.lines[following]) <= indent:
            return
        self.open[-1] = without_literal_mark(self.open[-1].rstrip())
        self._close()
        self._past_deeper(indent, following)
        self.at -= 1

    def _past_deeper(self, indent: int, start: int) -> None:
        self.at = start
        while self.at < len(self.lines) and (
            not self.lines[self.at].strip() or indent_of(self.lines[self.at]) > indent
        ):
            self.at += 1

    def _directive(self, match: re.Match[str]) -> None:
        name = (match.group(2) or "").lower()
        argument = match.group(3) or ""
        if name in _VERSIONS:
            version, _, rest = argument.partition(" ")
            self.prefix = _VERSIONS[name].format(version)
            if rest:
                self.open, self.opened_at = [rest], self.at
            self.at += 1
        elif name in _ADMONITIONS:
            if argument and name != "admonition":
                self.open, self.opened_at = [argument], self.at
            self.at += 1
        else:
            self._past_deeper(len(match.group(1)), self.at + 1)
