"""What a prose reader finds in a document, before it becomes layers.

The Markdown, reStructuredText and plain text readers all fill one ``Outline``; ``prose`` makes the extraction
of it, so that a further format needs a reader and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from granum.extract.statement import Statement

#: A longer title is cut: it would be repeated in every key below it.
LONGEST_TITLE = 200


class Heading(msgspec.Struct, frozen=True, gc=False):
    """A section's heading. ``start_line``..``end_line`` covers its adornment too, ``line`` and the columns its text."""

    level: int
    title: str
    start_line: int
    end_line: int
    line: int
    column: int
    end_column: int


class NamedObject(msgspec.Struct, frozen=True, gc=False):
    """An object that a directive describes (``.. function:: f(x)``); the columns span the last identifier."""

    name: str
    line: int
    column: int
    end_column: int
    end_line: int


def words(text: str) -> frozenset[str]:
    """The blank-separated words of a text, as a set: long lists of names read best so."""
    return frozenset(text.split())


@dataclass(slots=True)
class Outline:
    """A document's headings, statements and what must not be read as prose, all in source order.

    ``opaque`` are inclusive line ranges of code, comments and tables of contents; ``links`` the documents that
    it links to, as written; ``title`` comes from front matter; ``is_too_deep`` says that deeper blocks are left out.
    """

    headings: list[Heading] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    opaque: list[tuple[int, int]] = field(default_factory=list)
    objects: list[NamedObject] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    title: str = ""
    is_too_deep: bool = False

    @property
    def current_heading(self) -> str:
        """The title of the last heading so far, or empty."""
        return self.headings[-1].title if self.headings else ""
