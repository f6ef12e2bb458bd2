"""From values to an answer: one definition, a choice of several, or none; and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from granum.resolve.follow import ANYTHING, Follower
from granum.resolve.meaning import OUTSIDE, Values
from granum.resolve.names import split
from granum.resolve.table import Definition, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Confidence by how a name was followed; chosen by the share that a second opinion (jedi) confirms.
OWN_NAME = 1.0
IMPORTED = 0.98
MEMBER = 0.95
TYPED = 0.9
ONLY_ONE_SO_NAMED = 0.8
ONE_OF_SEVERAL = 0.5
SAME_NAME_ONLY = 0.2


class Outcome(NamedTuple):
    """The definitions that a name may stand for, best first; ``is_foreign`` when it is none of the workspace's."""

    definitions: tuple[Definition, ...]
    confidence: float
    is_foreign: bool

    @property
    def meant(self) -> Definition | None:
        """The one definition that is clearly meant: all have one and the same full name."""
        if not self.definitions:
            return None
        first = self.definitions[0]
        same = all(
            d.qualified_name == first.qualified_name and d.table.module == first.table.module for d in self.definitions
        )
        return first if same else None


def outcome_of(values: Values, certainty: float) -> Outcome:
    """Keeps what the workspace defines."""
    definitions: list[Definition] = []
    for value in values:
        if isinstance(value, Definition):
            definitions.append(value)
        elif isinstance(value, Table) and value.self_definition:
            definitions.append(value.self_definition)
    return Outcome(tuple(definitions), certainty if definitions else 0.0, OUTSIDE in values)


def resolve_name(follower: Follower, table: Table, scope: str, name: str, local_type: str = "") -> Outcome:
    """What a dotted name in code means."""
    values = follower.name(table, scope, name, local_type)
    return outcome_of(values, certainty(table, name, local_type, values))


def certainty(table: Table, name: str, local_type: str, values: Values) -> float:
    """How sure the way is that led to the values."""
    if local_type not in {"", ANYTHING}:
        return TYPED
    if len(split(name)) > 2:
        return TYPED
    if "." in name:
        return MEMBER
    own = all(isinstance(value, Definition) and value.table is table for value in values)
    return OWN_NAME if own else IMPORTED


def one_meaning(definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """Every definition of the same name in the same document, the one that counts first."""
    first = definitions[0]
    return tuple(first.table.definitions.get(first.qualified_name, (first,)))
