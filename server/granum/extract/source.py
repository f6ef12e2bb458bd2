"""One text with its UTF-8 bytes: tree-sitter speaks of bytes, the layers of lines and code points."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

_SURROGATE = re.compile("[\ud800-\udfff]")
#: Bytes that continue a character.
_CONTINUATION = bytes(range(0x80, 0xC0))
#: In a longer line, columns are counted from the last of its marks, which stand so many bytes apart.
_STRIDE = 1024


class Source:
    """A text whose lines end at LF. Lone surrogates, which UTF-8 cannot hold, stand as U+FFFD."""

    def __init__(self, text: str) -> None:
        self.is_ascii = text.isascii()
        self.text = text if self.is_ascii else _SURROGATE.sub("\ufffd", text)
        self.data = self.text.encode()
        self.lines = self.text.split("\n")
        self._starts = _line_starts(self.data)
        self._marks: dict[int, list[int]] = {}

    @property
    def line_count(self) -> int:
        """Lines of the text; a final line end begins no further line."""
        return len(self.lines) - (self.lines[-1] == "")

    def line(self, byte: int) -> int:
        """The 1-based line of a byte offset."""
        return bisect_right(self._starts, byte)

    def line_start(self, line: int) -> int:
        """The byte offset at which a 1-based line begins."""
        return self._starts[line - 1]

    def position(self, byte: int) -> tuple[int, int]:
        """Line (1-based) and column (code points) of a byte offset."""
        line = bisect_right(self._starts, byte)
        start = self._starts[line - 1]
        if self.is_ascii:
            return line, byte - start
        if self.lines[line - 1].isascii():
            return line, byte - start
        return line, self._column(line, start, byte)

    def byte(self, line: int, column: int) -> int:
        """The byte offset of a position, clamped into its line and the text."""
        index = min(max(line, 1), len(self.lines)) - 1
        return self._starts[index] + len(self.lines[index][: max(column, 0)].encode())

    def slice(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        if self.is_ascii:
            return self.text[start:end]
        return self.data[start:end].decode(errors="replace")

    def between(self, first: int, last: int) -> str:
        """The lines from one 1-based line to another, the last one without its end."""
        end = self._starts[last] - 1 if last < len(self._starts) else len(self.data)
        return self.slice(self._starts[first - 1], end)

    def size(self, first: int, last: int) -> int:
        """The bytes of the lines from one 1-based line to another."""
        end = self._starts[last] if last < len(self._starts) else len(self.data)
        return end - self._starts[first - 1]

    def _column(self, line: int, start: int, byte: int) -> int:
        """Code points from a line's start; a file that is all one line must not be counted anew each time."""
        mark, rest = divmod(byte - start, _STRIDE)
        if not mark:
            return _characters(self.data[start:byte])
        if line not in self._marks:
            parts = range(start, start + len(self.lines[line - 1].encode()), _STRIDE)
            counts = (_characters(self.data[part : part + _STRIDE]) for part in parts)
            self._marks[line] = list(accumulate(counts, initial=0))
        return self._marks[line][mark] + _characters(self.data[byte - rest : byte])


def _characters(data: bytes) -> int:
    return len(data.translate(None, _CONTINUATION))


def _line_starts(data: bytes) -> list[int]:
    lengths = map(len, data.split(b"\n"))
    starts = [before + number for number, before in enumerate(accumulate(lengths, initial=0))]
    del starts[-1]
    return starts
