"""The places of a code file that refer to symbols: calls, bases, imports, and names in docs and comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from granum.extract.bindings import UNKNOWN
from granum.extract.definitions import MODULE, Definition, Scopes
from granum.model.layers import Import, Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tree_sitter import Node

    from granum.extract.bindings import Bindings
    from granum.extract.language import Match, Spec
    from granum.extract.source import Source

#: A called function's node, and its text.
Call = tuple["Node", str]

#: Bytes of a called function's text that are read: each call of a chain ``a.b().c()…`` holds all those before it.
LONGEST_CALL = 400

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
#: An import's module and name; broken code may have anything there.
_IMPORTED = re.compile(r"(?=\S)\.*(?:[^\W\d]\w*(?:\.[^\W\d]\w*)*)? (?:\*|[^\W\d]\w*(?:\.[^\W\d]\w*)*)?")
_BESIDE_DOT = re.compile(r"\s*\.\s*")
_MARKED = re.compile(r"(?<!`)``([^`\n]{1,120})``(?!`)|(?<!`)`([^`\n]{1,160})`(?!`)")
_CODE_NAME = re.compile(r"[~!]?\.?([^\W\d]\w*(?:\.[^\W\d]\w*)*)(?:\(\))?$")
_TARGET = re.compile(r"<([^<>]+)>$")


def read_calls(source: Source, functions: Iterable[Node]) -> list[Call]:
    """Called functions with their texts; of a longer one only the end, behind a bracket so that it is no name."""
    calls = []
    for node in functions:
        start, end = node.start_byte, node.end_byte
        if end - start > LONGEST_CALL:
            calls.append((node, ")" + source.slice(end - LONGEST_CALL, end)))
        else:
            calls.append((node, source.slice(start, end)))
    return calls


class ReferenceFinder:
    """Turns the outline's matches into references and imports."""

    def __init__(
        self, source: Source, spec: Spec, definitions: Sequence[Definition], scopes: Scopes, bindings: Bindings
    ) -> None:
        self._source = source
        self._spec = spec
        self._definitions = definitions
        self._scopes = scopes
        self._bindings = bindings
        self._silent = {*spec.definitions.receivers, *spec.definitions.constants}

    def calls(self, calls: Iterable[Call]) -> Iterator[Reference]:
        """Calls of dotted names; what is called on another call's result has no name to follow."""
        for node, text in calls:
            if name := self._dotted(text):
                yield self._reference(ReferenceKind.CALL, name, node, self._scopes.owner(node.start_byte))

    def bases(self, matches: Iterable[Match]) -> Iterator[Reference]:
        """Each base of each class; the scope is the class itself."""
        for _, match in matches:
            node = match["base"][0]
            if name := self.name_of(node):
                yield self._reference(ReferenceKind.INHERITS, name, node, self._scopes.owner(node.start_byte))

    def imports(self, matches: Iterable[Match]) -> Iterator[tuple[Import, Reference]]:
        """Each name that an import binds, and the reference that it is."""
        for _, match in matches:
            module_node = match["import.module"][0]
            written = _BESIDE_DOT.sub(".", self._text(module_node))
            module = written.lstrip(".")
            name_node = _first(match, "import.name") or _first(match, "import.star")
            name = self._text(name_node) if name_node else ""
            local_node = _first(match, "import.local")
            local = self._text(local_node) if local_node else (name or module)
            if not _IMPORTED.fullmatch(f"{written} {name}") or (name_node is not None and not name):
                continue
            owner = self._scopes.owner(module_node.start_byte)
            node = name_node or module_node
            line = self._source.line(node.start_byte)
            target = written if not name or name == "*" else f"{written}{'' if written.endswith('.') else '.'}{name}"
            binding = Import(
                local="" if name == "*" else local,
                module=module,
                level=len(written) - len(module),
                name=name,
                line=line,
                scope=self._scope(owner),
            )
            yield binding, self._import_reference(target, module_node if name == "*" else node, owner)

    def exports(self, matches: Sequence[Match]) -> tuple[Reference, ...]:
        """The names that the module lists for a star import, about the variable that lists them.

        None where one of its lists is built up from other things: the other names alone would hide those.
        """
        found: list[Reference] = []
        for _, match in matches:
            node = match["exports"][0]
            if self._scopes.owner(node.start_byte) != MODULE or node.parent is None:
                continue
            names = self._listed(node.parent.child_by_field_name("right"))
            if names is None:
                return ()
            found += (self._export(name, self._text(node)) for name in names)
        return tuple(found)

    def _listed(self, value: Node | None) -> list[Node] | None:
        """The contents of a list of plain strings; None for anything else."""
        if value is None or value.type not in self._spec.definitions.sequences:
            return None
        contents: list[Node] = []
        for item in value.named_children:
            if item.type not in self._spec.strings.literal:
                if item.is_extra:  # a comment
                    continue
                return None
            parts = item.named_children[1:-1]
            if len(parts) != 1 or not self._text(parts[0]).isidentifier():
                return None
            contents += parts
        return contents

    def _export(self, node: Node, scope: str) -> Reference:
        line, column = self._source.position(node.start_byte)
        name = self._text(node)
        return Reference(
            kind=ReferenceKind.MENTION, name=name, line=line, column=column, end_column=column + len(name), scope=scope
        )

    def mentions(self, text_start: int, text_end: int, scope: str) -> Iterator[Reference]:
        """Names marked as code in the text between two bytes."""
        text = self._source.slice(text_start, text_end)
        if "`" not in text:
            return
        for match in _MARKED.finditer(text):
            group = 1 if match.group(1) else 2
            inner = match.group(group)
            target = _TARGET.search(inner)
            shift = match.start(group) + (target.start(1) if target else 0)
            named = _CODE_NAME.match((target.group(1) if target else inner).strip())
            if not named or named.group(1) in self._silent:
                continue
            shift += (target.group(1) if target else inner).find(named.group(1))
            name = named.group(1)
            before = shift + len(name)
            end = text_start + (before if self._source.is_ascii else len(text[:before].encode()))
            line, end_column = self._source.position(end)
            yield Reference(
                kind=ReferenceKind.MENTION,
                name=name,
                line=line,
                column=end_column - len(name.rpartition(".")[2]),
                end_column=end_column,
                scope=scope,
            )

    def name_of(self, node: Node) -> str:
        """The dotted name that a node spells; empty where it is no plain name."""
        return self._dotted(self._text(node))

    def _dotted(self, name: str) -> str:
        if _DOTTED.fullmatch(name):
            return name if name != self._spec.definitions.base_name else ""
        base_call = self._spec.definitions.base_call
        if base_call and name.startswith(base_call):
            name = self._spec.definitions.base_name + name[len(base_call) :]
        if "." not in name or "(" in name or "[" in name:
            return ""
        name = _BESIDE_DOT.sub(".", name)
        return name if _DOTTED.fullmatch(name) else ""

    def _reference(self, kind: ReferenceKind, name: str, node: Node, owner: int) -> Reference:
        first, _, rest = name.partition(".")
        last = rest.rpartition(".")[2] or first
        line, end_column = self._source.position(node.end_byte)
        is_inner = self._bindings.is_inner(first, node.start_byte)
        return Reference(
            kind=kind,
            name=name,
            line=line,
            column=end_column - len(last),
            end_column=end_column,
            scope=self._scope(owner),
            local_type=UNKNOWN if is_inner else self._bindings.type_of(first, owner),
        )

    def _import_reference(self, name: str, node: Node, owner: int) -> Reference:
        line, end_column = self._source.position(node.end_byte)
        return Reference(
            kind=ReferenceKind.IMPORT,
            name=name,
            line=line,
            column=max(end_column - len(name.rpartition(".")[2]), 0),
            end_column=end_column,
            scope=self._scope(owner),
        )

    def _scope(self, owner: int) -> str:
        return "" if owner == MODULE else self._definitions[owner].qualified_name

    def _text(self, node: Node) -> str:
        return self._source.slice(node.start_byte, node.end_byte)


def _first(match: Mapping[str, list[Node]], capture: str) -> Node | None:
    nodes = match.get(capture)
    return nodes[0] if nodes else None
