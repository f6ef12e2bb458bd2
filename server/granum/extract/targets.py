"""What an assignment binds: the names and members on its left side, each with the expression that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from tree_sitter import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from granum.extract.definitions import Scopes
    from granum.extract.language import Match, Spec


class Assigned(msgspec.Struct, frozen=True, gc=False):
    """The left side of an assignment; ``owner`` is the definition around it, ``is_name`` tells one plain name."""

    node: Node
    statement: Node
    owner: int
    is_name: bool


class Target(msgspec.Struct, frozen=True, gc=False):
    """One name or member; ``value`` is None where no single expression is assigned to it.

    ``is_whole``: it is the whole left side of the assignment.
    """

    node: Node
    value: Node | None
    is_whole: bool


def read_assigned(matches: Iterable[Match], scopes: Scopes) -> list[Assigned]:
    """The left sides among an outline's matches."""
    return [
        Assigned(node, match["assignment"][0], scopes.owner(node.start_byte), node.type == "identifier")
        for match in matches
        for node in match["assigned"]
    ]


def targets(left: Assigned, spec: Spec) -> Iterator[Target]:
    """The targets of an assignment's left side: itself, or in ``a, (b, c) = x, y`` each of its parts."""
    return _parts(left.node, left.statement.child_by_field_name("right"), spec, is_whole=True)


def _parts(left: Node, value: Node | None, spec: Spec, *, is_whole: bool) -> Iterator[Target]:
    sequences = spec.definitions.sequences
    if left.type not in sequences:
        yield Target(left, value, is_whole)
        return
    parts = left.named_children
    values: list[Node | None] = [None] * len(parts)
    # with a starred part or value, or a comment between them, the sides do not match one to one
    if value is not None and value.type in sequences and value.named_child_count == len(parts):
        values = list(value.named_children)
    for part, its_value in zip(parts, values, strict=True):
        yield from _parts(part, its_value, spec, is_whole=False)
