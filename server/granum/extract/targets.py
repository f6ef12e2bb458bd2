"""What an assignment binds: the names and members on its left side, each with the expression that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from granum.extract.language import Spec


class Target(NamedTuple):
    """One name or member; ``value`` is None where no single expression is assigned to it."""

    node: Node
    value: Node | None


def targets(left: Node, spec: Spec) -> Iterator[Target]:
    """The targets of an assignment's left side: itself, or in ``a, (b, c) = x, y`` each of its parts."""
    statement = left.parent
    value = statement.child_by_field_name("right") if statement is not None else None
    yield from _parts(left, value, spec)


def _parts(left: Node, value: Node | None, spec: Spec) -> Iterator[Target]:
    sequences = spec.definitions.sequences
    if left.type not in sequences:
        yield Target(left, value)
        return
    parts = left.named_children
    values: list[Node | None] = [None] * len(parts)
    # with a starred part or value, or a comment between them, the sides do not match one to one
    if value is not None and value.type in sequences and value.named_child_count == len(parts):
        values = list(value.named_children)
    for part, its_value in zip(parts, values, strict=True):
        yield from _parts(part, its_value, spec)
