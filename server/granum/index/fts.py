"""What the full-text tables hold of each row, in the order of ``schema.FTS_COLUMNS``.

The tables are contentless: to know whether an indexed row changed, the values that went in are worked out again
from the stored rows and compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index.schema import UNIT_SEPARATOR
from granum.text.tokens import camel_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from granum.index.stored import ParagraphBody
    from granum.model.layers import Summary

Indexed = tuple[str, ...]


def paragraph_values(body: ParagraphBody, module: str, parts: str | None = None) -> Indexed:
    """The values of ``paragraph_fts``; ``parts`` if they are known already."""
    heading = body.heading_path.replace(UNIT_SEPARATOR, " ") or body.section_heading
    known = camel_parts(body.text) if parts is None else parts
    return body.text, known, body.symbol_names, heading, body.summary, body.tags, module


def proposition_values(text: str, symbols: Iterable[str], heading: str, tags: str, module: str) -> Indexed:
    """The values of ``proposition_fts``; ``symbols`` are the names it is about, in the order of its places."""
    names = " ".join(dict.fromkeys(name for name in symbols if name))
    return text, camel_parts(f"{text} {names}"), names, heading, tags, module


def chunk_values(paragraphs: Sequence[tuple[ParagraphBody, str]], module: str) -> Indexed:
    """The values of ``chunk_fts``, from its paragraphs and their parts."""
    return (
        "\n\n".join(body.text for body, _ in paragraphs),
        " ".join(parts for _, parts in paragraphs if parts),
        " ".join(body.symbol_names for body, _ in paragraphs if body.symbol_names),
        module,
    )


def summary_values(summary: Summary, module: str) -> Indexed:
    """The values of ``summary_fts``."""
    text = "\n".join((summary.summary_text, *summary.responsibilities, *summary.constraints_mentioned))
    symbols = " ".join((summary.key, *summary.key_symbols))
    return text, camel_parts(f"{text} {symbols}"), symbols, module
