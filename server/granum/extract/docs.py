"""The true doc literals of a file: first in a module, class or function, or right behind an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from granum.extract import docstrings
from granum.extract.definitions import MODULE, Definition
from granum.extract.docstrings import Doc
from granum.extract.literals import unescaped_doc
from granum.extract.segment import first_sentence
from granum.extract.statement import Role, Statement
from granum.model.layers import SymbolKind
from granum.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from tree_sitter import Node

    from granum.extract.language import CodeLanguage, Match
    from granum.extract.source import Source
    from granum.extract.symbols import Found

#: An attribute's doc begins on the next line, or leaves this one free.
_MOST_LINES_APART = 2
_LONGEST_PREFIX = 6
#: Bytes of one doc that are read; what is longer is data.
_LONGEST_DOC = 50_000
_VALUES = frozenset({SymbolKind.ATTRIBUTE, SymbolKind.VARIABLE})
_SUMMARY = Role.SUMMARY


class LocatedDoc(msgspec.Struct, frozen=True, gc=False):
    """A doc with its bytes, and the definition (or module) that it opens; None behind an attribute."""

    doc: Doc
    start: int
    end: int
    owner: int | None


def find(
    source: Source,
    language: CodeLanguage,
    matches: Iterable[Match],
    definitions: Sequence[Definition],
    found: Sequence[Found],
    root: Node,
    *,
    is_test: bool,
) -> list[LocatedDoc]:
    """All doc literals in order. A literal elsewhere, an SQL text for instance, is none."""
    owners = {item.body.id: item.index for item in definitions if item.body is not None}
    owners[root.id] = MODULE
    attributes = {symbol.end_line: symbol.qualified_name for symbol in found if symbol.kind in _VALUES}
    docs: list[LocatedDoc] = []
    for match in matches:
        node = match["text"][0]
        prefix = language.doc_prefix.match(source.slice(node.start_byte, node.start_byte + _LONGEST_PREFIX))
        statement = node.parent
        if not prefix or statement is None or statement.parent is None:
            continue
        before = statement.prev_named_sibling
        while before is not None and before.is_extra:
            before = before.prev_named_sibling
        owner: int | None = None
        symbol: str | None = None
        if before is None:
            owner = owners.get(statement.parent.id)
            if owner is not None:
                symbol = "" if owner == MODULE else definitions[owner].qualified_name
        elif source.line(node.start_byte) - source.line(before.end_byte) <= _MOST_LINES_APART:
            symbol = attributes.get(source.line(max(before.end_byte - 1, 0)))
        if symbol is not None:
            is_class = owner is not None and owner != MODULE and definitions[owner].is_class
            doc = Doc(
                docstrings.dedented(_content(source, node, prefix.group())),
                source.line(node.start_byte),
                symbol,
                is_class,
                is_test,
            )
            docs.append(LocatedDoc(doc, node.start_byte, node.end_byte, owner))
    return docs


def read(documented: Sequence[LocatedDoc], names: Container[str]) -> tuple[dict[int, str], list[Statement]]:
    """The first sentence of each definition's doc, and all docs' statements.

    Args:
        documented: the docs.
        names: local names of the file's symbols; what a class says of an attribute that is none is about the class.
    """
    summaries: dict[int, str] = {}
    statements: list[Statement] = []
    for located in documented:
        own = list(docstrings.statements(located.doc))
        statements += [
            item if item.symbol in names else msgspec.structs.replace(item, symbol=located.doc.symbol) for item in own
        ]
        if located.owner is not None and own and own[0].role is _SUMMARY:
            summaries[located.owner] = normalise(first_sentence(own[0].text.partition("\n\n")[0]))
    return summaries, statements


def _content(source: Source, node: Node, prefix: str) -> str:
    start = node.start_byte + len(prefix)
    text = source.slice(start, min(node.end_byte, start + _LONGEST_DOC)).removesuffix(prefix.lstrip("rRuU"))
    return text if "r" in prefix.lower() else unescaped_doc(text)
