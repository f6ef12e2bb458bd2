"""The definitions of a code file: classes and functions, how they nest, and the lines that belong to each."""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec
from tree_sitter import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from granum.extract.comments import Comment
    from granum.extract.language import Match
    from granum.extract.source import Source

MODULE = -1


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """A class or function.

    ``start``..``end`` is the definition in bytes from its keyword on, ``whole`` begins at its first decorator.
    ``start_line``..``end_line`` also takes in comment lines directly above, and deeper ones that follow.
    ``parent`` is the index of the definition around it, or ``MODULE``.
    """

    index: int
    name: str
    qualified_name: str
    is_class: bool
    parent: int
    node: Node
    name_node: Node
    body: Node | None
    whole: int
    start: int
    end: int
    start_line: int
    end_line: int
    decorators: tuple[str, ...]


class Scopes:
    """Which definition is innermost at a byte."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._starts = [0]
        self._owners = [MODULE]
        open_: list[Definition] = []
        for definition in definitions:
            while open_ and open_[-1].end <= definition.start:
                self._close(open_)
            open_.append(definition)
            self._mark(definition.start, definition.index)
        while open_:
            self._close(open_)

    def owner(self, byte: int) -> int:
        """The index of the innermost definition around a byte, or ``MODULE``."""
        return self._owners[bisect_right(self._starts, byte) - 1]

    def owners(self, places: Iterable[int]) -> list[int]:
        """The owner of each byte."""
        starts, owners = self._starts, self._owners
        return [owners[bisect_right(starts, byte) - 1] for byte in places]

    def _close(self, open_: list[Definition]) -> None:
        closed = open_.pop()
        self._mark(closed.end, open_[-1].index if open_ else MODULE)

    def _mark(self, byte: int, owner: int) -> None:
        self._starts.append(byte)
        self._owners.append(owner)


def find(
    source: Source,
    functions: Iterable[Match],
    classes: Iterable[Match],
    wrapped: Iterable[Match],
    comments: Mapping[int, Comment],
) -> list[Definition]:
    """All definitions in source order, from the outline's matches.

    Args:
        source: the text.
        functions: matches that name a function, and capture all of it.
        classes: matches that name a class, and capture all of it.
        wrapped: matches of definitions within their decorators.
        comments: the comments by line.
    """
    matches = [(match["function"][0], match["function.name"][0], False) for match in functions]
    matches += [(match["class"][0], match["class.name"][0], True) for match in classes]
    named = sorted(((match[0].start_byte, *match) for match in matches), key=itemgetter(0))
    wrappers = {node.id: match["wrapper"][0] for match in wrapped for node in match["wrapped"]}
    found: list[Definition] = []
    open_: list[Definition] = []
    for start, node, name_node, is_class in named:
        while open_ and open_[-1].end <= start:
            open_.pop()
        parent = open_[-1] if open_ else None
        wrapper = wrappers.get(node.id)
        whole = wrapper.start_byte if wrapper else start
        end = node.end_byte
        name = source.slice(name_node.start_byte, name_node.end_byte)
        line, column = source.position(whole)
        definition = Definition(
            index=len(found),
            name=name,
            qualified_name=f"{parent.qualified_name}.{name}" if parent else name,
            is_class=is_class,
            parent=parent.index if parent else MODULE,
            node=node,
            name_node=name_node,
            body=node.child_by_field_name("body"),
            whole=whole,
            start=start,
            end=end,
            start_line=_with_comments_above(line, column, comments),
            end_line=_with_comments_below(source, source.line(max(end - 1, 0)), column, comments),
            decorators=_decorators(source, wrapper) if wrapper else (),
        )
        found.append(definition)
        open_.append(definition)
    return found


def _with_comments_above(line: int, column: int, comments: Mapping[int, Comment]) -> int:
    while (above := comments.get(line - 1)) and above.is_own_line and above.column == column:
        line -= 1
    return line


def _with_comments_below(source: Source, last: int, column: int, comments: Mapping[int, Comment]) -> int:
    """The grammar ends a block at its last statement; comments that follow at the block's depth belong to it."""
    lines = source.lines
    line = last + 1
    while line <= len(lines):
        below = comments.get(line)
        if below and below.is_own_line and below.column > column:
            last = line
        elif lines[line - 1].strip():
            break
        line += 1
    return last


def _decorators(source: Source, wrapper: Node) -> tuple[str, ...]:
    """The decorators' dotted names as written, without their arguments."""
    texts = [source.slice(child.start_byte, child.end_byte) for child in wrapper.named_children[:-1]]
    return tuple(text[1:].split("(", 1)[0].strip() for text in texts if text.startswith("@"))
