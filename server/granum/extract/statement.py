"""The joint between what stands in a source and which of it is worth keeping.

Language engines (code, Markdown, reStructuredText) describe a document as statements; ``propositions`` decides
which of their sentences are facts, and of what type.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from granum.model.layers import SourceKind


class Role(StrEnum):
    """What part a block of text plays where it stands."""

    SUMMARY = "summary"  # a doc comment, or the part of it before its sections
    PARAMETER = "parameter"  # one parameter's description; the label is its name
    RETURNS = "returns"
    RAISES = "raises"  # the label is the exception's type
    NOTE = "note"
    WARNING = "warning"
    DEPRECATED = "deprecated"  # the label is the directive's argument, a version for instance
    BODY = "body"  # a prose paragraph
    ITEM = "item"  # a list item
    TABLE_ROW = "table_row"  # cells and headers are set
    COMMENT = "comment"
    RAISE = "raise"  # final form: ``Raises TYPE: message when CONDITION``
    ASSERTION = "assertion"  # final form: ``test_name: assert EXPR``


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A block of text from a source, markers and indentation removed, its lines kept.

    ``text`` has one line for each source line from ``start_line`` on, so that a sentence's own lines can be
    told. ``symbol`` is the local name of the symbol that the text documents, or empty. ``context`` is the code
    or heading beside it that a reader would see (the commented line, the function's name), for telling a
    comment that only repeats it. ``names`` are dotted names that the text is about beside those that it spells.
    """

    text: str
    start_line: int
    end_line: int
    source: SourceKind
    role: Role
    symbol: str = ""
    label: str = ""
    heading: str = ""
    context: str = ""
    is_test: bool = False
    cells: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
