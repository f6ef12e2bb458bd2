"""What the full-text tables hold of each row, in the order of ``schema.FTS_COLUMNS``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index.schema import SECTION_CODE, UNIT_SEPARATOR

if TYPE_CHECKING:
    from granum.index.document_rows import ParagraphRow
    from granum.index.packing import Fields
    from granum.index.summary_body import SummaryBody

Indexed = tuple[str | None, ...]


def paragraph_values(row: ParagraphRow, text: Fields, parts: str, module: str) -> Indexed:
    """The values of ``paragraph_fts``."""
    name, own_heading, own_path = row[1], row[3], row[4]
    # a path's separators part its words, whichever they are
    heading = (name if own_path is None else own_path) or own_heading or ""
    body, summary, symbols, tags = text
    return body, parts, name if symbols is None else symbols, heading, summary, tags, module


def proposition_values(text: str | None, parts: str, about: str, home: Home, module: str) -> Indexed:
    """The values of ``proposition_fts``; ``about`` are the names it is about, in the order of its places."""
    return text, parts, about, *home, module


#: Of the paragraph where a proposition first stands: section heading and tags.
Home = tuple[str, str]
NO_HOME: Home = ("", "")


def home_of(row: ParagraphRow, text: Fields) -> Home:
    """What the full-text row of a proposition takes from its paragraph."""
    kind, name, own_heading, own_path = row[0], row[1], row[3], row[4]
    if own_heading is not None:
        heading = own_heading
    elif own_path is not None:
        heading = own_path.rpartition(UNIT_SEPARATOR)[2]
    else:
        heading = name.rpartition(" > " if kind == SECTION_CODE else ".")[2]
    return heading, text[3] or ""


def summary_words(key: str, body: SummaryBody) -> tuple[str, str]:
    """What is searched of a summary: its text, and the symbols that it is about."""
    text, _, symbols, duties, constraints, _ = body
    return "\n".join((text, *duties, *constraints)), " ".join((key, *symbols))


def summary_values(key: str, body: SummaryBody, parts: str, module: str) -> Indexed:
    """The values of ``summary_fts``."""
    text, symbols = summary_words(key, body)
    return text, parts, symbols, module
