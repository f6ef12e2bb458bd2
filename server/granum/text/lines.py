r"""The one mapper between offsets and positions.

Coordinate systems, and who speaks which:

========================= ============================================ ==================================
system                    line                                         column
========================= ============================================ ==================================
core (``Position``)       1-based                                      0-based, code points
``str`` offset            none                                         0-based, code points from the start
LSP                       0-based (the caller adds 1)                  0-based, units of the negotiated
                                                                       encoding: UTF-8 bytes, UTF-16 code
                                                                       units or UTF-32 code points
tree-sitter               0-based row (the caller adds 1)              0-based UTF-8 bytes
========================= ============================================ ==================================

A line ends at LF, CRLF or lone CR and nowhere else: a form feed, VT, NEL, U+2028 or U+2029 is an ordinary
character. Text that ends with a line end has one more, empty, line behind it, since a cursor can stand there.
A position past the end of a line means the end of that line (before its line end), one past the last line means
the end of the text, and a column inside a character means the character's start: clients send all of these
while edits are under way, and none may raise.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import StrEnum
from itertools import accumulate
from typing import NamedTuple

_EOL = re.compile(r"\r\n|\n|\r")


class PositionEncoding(StrEnum):
    """The unit in which a protocol counts columns (the names are LSP's)."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Position(NamedTuple):
    """A place between two characters: line 1-based, column 0-based in code points."""

    line: int
    column: int


class LineIndex:
    """The lines of one text, with any mixture of line ends. Immutable; building it costs one pass."""

    __slots__ = ("_ascii", "_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ascii = text.isascii()
        self._starts = _line_starts(text)

    @property
    def line_count(self) -> int:
        """The number of lines; at least 1."""
        return len(self._starts)

    def line(self, number: int) -> str:
        """Line ``number`` (1-based) without its line end; empty for a line that does not exist."""
        if not 1 <= number <= len(self._starts):
            return ""
        return self.text[self._starts[number - 1] : self._end(number)]

    def offset(self, line: int, column: int) -> int:
        """The offset of a position, clamped to the line's and the text's bounds."""
        if line < 1:
            return 0
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + max(column, 0), self._end(line))

    def position(self, offset: int) -> Position:
        """The position of an offset, clamped to the text. An offset inside CRLF is the end of its line."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return Position(line, min(offset, self._end(line)) - self._starts[line - 1])

    def encode_column(self, line: int, column: int, encoding: PositionEncoding) -> int:
        """A code point column of a line, in units of ``encoding``; clamped to the line's length."""
        column = max(column, 0)
        text = self.line(line)
        if column >= len(text):
            return _units(text, encoding)
        return column if self._ascii else _units(text[:column], encoding)

    def decode_column(self, line: int, units: int, encoding: PositionEncoding) -> int:
        """The code point column at ``units`` of ``encoding`` in a line.

        Clamped to the line's length; inside a character, the character's start.
        """
        units = max(units, 0)
        text = self.line(line)
        if encoding is PositionEncoding.UTF32 or self._ascii or text.isascii():
            return min(units, len(text))
        return _decode_column(text, units, encoding)

    def _end(self, line: int) -> int:
        """The offset of the end of a line that exists, before its line end."""
        if line == len(self._starts):
            return len(self.text)
        after = self._starts[line]
        return after - 2 if self.text.startswith("\r\n", after - 2) else after - 1


def _line_starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(match.end() for match in _EOL.finditer(text))]
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    starts.pop()
    return starts


def _units(text: str, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return len(text)
    # a lone surrogate cannot be encoded strictly, yet JSON can bring one in
    if encoding is PositionEncoding.UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _decode_column(text: str, units: int, encoding: PositionEncoding) -> int:
    if encoding is PositionEncoding.UTF8:
        head = text.encode("utf-8", "surrogatepass")[:units]
        # a cut character lost its last bytes: count the lead bytes of whole characters only
        whole = head.decode("utf-8", "ignore") if not _has_surrogate(text) else None
    else:
        head = text.encode("utf-16-le", "surrogatepass")[: units * 2]
        whole = head.decode("utf-16-le", "ignore") if not _has_surrogate(text) else None
    return len(whole) if whole is not None else _walk(text, units, encoding)


def _has_surrogate(text: str) -> bool:
    return _SURROGATE.search(text) is not None


_SURROGATE = re.compile("[\ud800-\udfff]")


def _walk(text: str, units: int, encoding: PositionEncoding) -> int:
    passed = 0
    for column, char in enumerate(text):
        passed += _units(char, encoding)
        if passed > units:
            return column
    return len(text)
