"""What a function's parameters and variables bind, so that a local name is not taken for the module's."""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING

from granum.extract.definitions import MODULE, Definition, Scopes
from granum.extract.targets import Assigned, Target, read_assigned, targets
from granum.extract.types import annotated, caught, constructed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

    from granum.extract.language import Match, Spec
    from granum.extract.source import Source

UNKNOWN = "?"

_PARAMETER = re.compile(r"\**\s*([A-Za-z_]\w*)\s*(:)?")
_NAMES = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?![\w.\[(])")


class Bindings:
    """Names bound inside functions, each with its type as written or ``UNKNOWN``.

    ``assigned`` are all left sides of assignments, read once for all who ask.
    """

    def __init__(self, source: Source, spec: Spec, definitions: Sequence[Definition], scopes: Scopes) -> None:
        self.assigned: list[Assigned] = []
        self._source = source
        self._spec = spec
        self._definitions = definitions
        self._scopes = scopes
        self._names: dict[int, dict[str, str]] = {}
        self._bound: dict[int, Mapping[str, str]] = {MODULE: {}}  # filled when asked for, after all is taken in
        self._parameters: set[tuple[int, str]] = set()
        self._inner: dict[str, list[tuple[int, int]]] = {}  # disjoint, in order

    def add_all(self, matches: Mapping[str, Sequence[Match]]) -> None:
        """Takes in an outline's matches, by the first capture of each."""
        self.add_parameters(matches.get("parameter", ()))
        self.assigned = read_assigned(matches.get("assigned", ()), self._scopes)
        self.add_assigned(self.assigned)
        self.add_targets(matches.get("target", ()))
        self.add_inner(matches.get("inner", ()))
        self.drop_outer(matches.get("outer", ()))

    def add_parameters(self, matches: Iterable[Match]) -> None:
        """Takes in parameters; a receiver (self) is bound by its class and left out."""
        receivers = self._spec.definitions.receivers
        for match in matches:
            node = match["parameter"][0]
            text = self._source.slice(node.start_byte, node.end_byte)
            found = _PARAMETER.match(text)
            if found and found.group(1) not in receivers:
                annotation = node.child_by_field_name("type") if found.group(2) else None
                self._bind(node, found.group(1), self._annotated(annotation))
                self._parameters.add((self._scopes.owner(node.start_byte), found.group(1)))

    def add_assigned(self, left_sides: Iterable[Assigned]) -> None:
        """Takes in assigned names inside functions."""
        for left in left_sides:
            if not self._is_function(left.owner):
                continue
            if left.is_name:
                name = self._source.slice(left.node.start_byte, left.node.end_byte)
                self._bind_in(left.owner, name, self.assigned_type(left.statement))
                continue
            for target in targets(left, self._spec):
                if target.node.type == "identifier":
                    name = self._source.slice(target.node.start_byte, target.node.end_byte)
                    self._bind_in(left.owner, name, constructed(target.value, self._source, self._spec))
                else:
                    self._bind_all(target.node)

    def add_targets(self, matches: Iterable[Match]) -> None:
        """Takes in names bound by loops and ``as``."""
        for match in matches:
            node = match["target"][0]
            around = node.parent.parent if node.parent and node.parent.type == "as_pattern_target" else None
            value = around.named_children[0] if around and around.named_children else None
            if value is None or node.type != "identifier":
                self._bind_all(node)
            else:
                name = self._source.slice(node.start_byte, node.end_byte)
                type_name = constructed(value, self._source, self._spec) or caught(value, self._source)
                self._bind(node, name, type_name)

    def add_inner(self, matches: Iterable[Match]) -> None:
        """Takes in names that only a lambda or a comprehension binds: they hide others within it, nowhere else."""
        inner: dict[str, set[tuple[int, int]]] = {}
        for match in matches:
            node = match["inner"][0]
            around = node.parent.parent if node.parent else None
            if around is None:
                continue
            bound, _, _ = self._source.slice(node.start_byte, node.end_byte).partition("=")
            for name in _NAMES.findall(bound):
                inner.setdefault(name, set()).add((around.start_byte, around.end_byte))
        self._inner = {name: _outermost(sorted(spans)) for name, spans in inner.items()}

    def drop_outer(self, matches: Iterable[Match]) -> None:
        """Forgets names that a function declares to be its module's or its outer function's."""
        for match in matches:
            node = match["outer"][0]
            names = self._names.get(self._scopes.owner(node.start_byte))
            if names:
                names.pop(self._source.slice(node.start_byte, node.end_byte), None)

    @property
    def has_inner(self) -> bool:
        """Whether any lambda or comprehension binds a name."""
        return bool(self._inner)

    def is_inner(self, name: str, byte: int) -> bool:
        """Whether a lambda or a comprehension around a byte binds a name."""
        spans = self._inner.get(name)
        if spans is None:
            return False
        at = bisect_right(spans, byte, key=itemgetter(0)) - 1
        return at >= 0 and byte < spans[at][1]

    def type_of(self, name: str, owner: int) -> str:
        """How the functions around ``owner``, itself included, bind a name; empty when none does."""
        return self.bound_in(owner).get(name, "")

    def bound_in(self, owner: int) -> Mapping[str, str]:
        """All names that the functions around ``owner``, itself included, bind, with their types."""
        bound = self._bound.get(owner)
        if bound is None:
            outer = self.bound_in(self._definitions[owner].parent)
            own = self._names.get(owner)
            bound = self._bound[owner] = {**outer, **own} if own else outer
        return bound

    def binder_of(self, name: str, owner: int) -> int | None:
        """The innermost function around ``owner``, itself included, that binds a name."""
        while owner != MODULE:
            found = self._names.get(owner)
            if found and name in found:
                return owner
            owner = self._definitions[owner].parent
        return None

    def is_parameter(self, name: str, owner: int) -> bool:
        """Whether a function binds a name as its parameter."""
        return (owner, name) in self._parameters

    def assigned_type(self, statement: Node) -> str:
        """The type that an assignment gives its target: the annotation, or the class called; else empty."""
        annotation = statement.child_by_field_name("type")
        return self._annotated(annotation) or constructed(
            statement.child_by_field_name("right"), self._source, self._spec
        )

    def target_type(self, target: Target, statement: Node) -> str:
        """The type that an assignment gives one of its targets."""
        annotation = statement.child_by_field_name("type") if target.is_whole else None
        return self._annotated(annotation) or constructed(target.value, self._source, self._spec)

    def _annotated(self, annotation: Node | None) -> str:
        if annotation is None:
            return ""
        return annotated(self._source.slice(annotation.start_byte, annotation.end_byte), self._spec)

    def _bind_all(self, node: Node) -> None:
        for name in _NAMES.findall(self._source.slice(node.start_byte, node.end_byte)):
            self._bind(node, name, "")

    def _bind(self, node: Node, name: str, type_name: str) -> None:
        owner = self._scopes.owner(node.start_byte)
        if self._is_function(owner):
            self._bind_in(owner, name, type_name)

    def _bind_in(self, owner: int, name: str, type_name: str) -> None:
        names = self._names.setdefault(owner, {})
        if type_name and names.get(name, UNKNOWN) == UNKNOWN:
            names[name] = type_name
        else:
            names.setdefault(name, UNKNOWN)

    def _is_function(self, owner: int) -> bool:
        return owner != MODULE and not self._definitions[owner].is_class


def _outermost(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of spans that hold each other or lie apart, in order: those that none of the others holds."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
