"""The text of open documents, kept as the client edits it.

A buffer is a list of lines with their ends: an edit replaces a few of them and never touches the rest, so that a
thousand edits in one notification cost a thousand short lines and not a thousand copies of the file. Its text has
the client's own line ends; lines end at LF, CRLF and lone CR only.
"""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING

from granum.text.lines import LineIndex, PositionEncoding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from granum.lsp.params import ContentChange, OpenedDocument
    from granum.lsp.wire import Position, Range

log = logging.getLogger(__name__)

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_ENDS = "\r\n"


def split_lines(text: str) -> list[str]:
    """Splits text after each line end; what follows the last one, be it empty, is the last line."""
    lines = _LINE.findall(text)
    if not lines or lines[-1][-1] in _ENDS:
        lines.append("")
    return lines


class Buffer:
    """One open document."""

    def __init__(self, uri: str, language: str, version: int, text: str) -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self._lines = split_lines(text)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._lines)

    @property
    def line_count(self) -> int:
        """The number of lines; at least 1."""
        return len(self._lines)

    def line(self, number: int) -> str:
        """Line ``number`` (1-based) without its end; empty for one that does not exist. Safe from any thread."""
        try:
            return self._lines[number - 1].rstrip(_ENDS) if number > 0 else ""
        except IndexError:  # asked instead of compared: an edit on the loop may shorten the list in between
            return ""

    def apply(self, change: ContentChange, encoding: PositionEncoding) -> None:
        """Applies one edit. Positions past a line's or the text's end mean that end."""
        if change.range is None:
            self._lines = split_lines(change.text)
            return
        start, end = sorted(self._places(change.range, encoding))
        head = self._lines[start[0]][: start[1]] + change.text
        first = start[0]
        if head == "" or head[0] == "\n":
            # a line end that now stands behind a lone CR joins it
            first, head = self._joined(first, head)
        self._lines[first : end[0] + 1] = self._resplit(head + self._lines[end[0]][end[1] :], end[0])

    def _joined(self, first: int, head: str) -> tuple[int, str]:
        if first and self._lines[first - 1].endswith("\r"):
            return first - 1, self._lines[first - 1] + head
        return first, head

    def _resplit(self, text: str, end: int) -> list[str]:
        lines = split_lines(text)
        if end + 1 < len(self._lines) and lines[-1] == "":
            lines.pop()  # the text ends with its last line's end; the line behind it is in the list already
        return lines

    def _places(self, span: Range, encoding: PositionEncoding) -> Iterator[tuple[int, int]]:
        """The list index and the code point column of both ends."""
        for position in (span.start, span.end):
            yield self._place(position, encoding)

    def _place(self, position: Position, encoding: PositionEncoding) -> tuple[int, int]:
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        line = self.line(position.line + 1)
        return position.line, LineIndex(line).decode_column(1, position.character, encoding)


class Buffers:
    """All open documents, by the URI that the client gave them."""

    def __init__(self) -> None:
        self._buffers: dict[str, Buffer] = {}

    def get(self, uri: str) -> Buffer | None:
        """The open document of that URI."""
        return self._buffers.get(uri)

    def __iter__(self) -> Iterator[Buffer]:
        return iter(tuple(self._buffers.values()))

    def open(self, document: OpenedDocument) -> Buffer:
        """Begins a document; one that is open already begins anew."""
        buffer = Buffer(document.uri, document.language_id, document.version, document.text)
        self._buffers[document.uri] = buffer
        return buffer

    def change(
        self, uri: str, version: int | None, changes: Sequence[ContentChange], encoding: PositionEncoding
    ) -> Buffer | None:
        """Applies edits in their order.

        Returns:
            The document, or None when the edits were rejected: it is not open, or the version is not newer than
            the one it has. An edit out of order would be applied to a text that it was not made for.
        """
        buffer = self._buffers.get(uri)
        if buffer is None:
            log.warning("edit of a document that is not open", extra={"uri": uri})
            return None
        if version is not None and version <= buffer.version:
            log.warning("edit out of order", extra={"uri": uri, "version": version, "known": buffer.version})
            return None
        for change in changes:
            buffer.apply(change, encoding)
        buffer.version = buffer.version + 1 if version is None else version
        return buffer

    def close(self, uri: str) -> Buffer | None:
        """Ends a document and returns it; None when it was not open."""
        return self._buffers.pop(uri, None)
