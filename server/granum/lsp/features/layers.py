"""``granum/layers``: everything that is known of a document, with its exact lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.lsp.reading import MAX_LINE
from granum.model.errors import InvalidRequestError

if TYPE_CHECKING:
    from granum.lsp import wire
    from granum.lsp.reading import Reading


def layers(reading: Reading, params: wire.LayersParams) -> wire.LayersResult:
    """The rows of the document, or those that touch the range's lines."""
    site = reading.folders.locate(params.text_document.uri)
    first, last = _lines(params.range)
    found = site.workspace.layers(
        site.path, start_line=first, end_line=last, include_text=params.include_text, token=reading.token
    )
    return reading.translation(site.folder).layers(found)


def _lines(span: wire.Range | None) -> tuple[int | None, int | None]:
    """The 1-based lines that a range touches. One that ends where a line begins does not touch that line."""
    if span is None:
        return None, None
    start, end = span.start, span.end
    if (end.line, end.character) < (start.line, start.character):
        raise InvalidRequestError("the end stands before the start", "range.end")
    first, last = min(start.line, MAX_LINE), min(end.line, MAX_LINE)
    touches_last = end.character > 0 or end.line == start.line
    return first + 1, last + 1 if touches_last else last
