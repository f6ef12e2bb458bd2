"""The places of a code file that refer to symbols: calls, bases, imports, and names in docs and comments."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import msgspec
from tree_sitter import Node

from granum.extract.bindings import UNKNOWN
from granum.extract.definitions import MODULE, Definition, Scopes
from granum.model.layers import Import, Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from granum.extract.bindings import Bindings
    from granum.extract.language import Match, Spec
    from granum.extract.source import Source

#: Bytes of a called function's text that are read: each call of a chain ``a.b().c()…`` holds all those before it.
LONGEST_CALL = 400

_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
#: An import's module and name; broken code may have anything there.
_IMPORTED = re.compile(r"(?=\S)\.*(?:[^\W\d]\w*(?:\.[^\W\d]\w*)*)? (?:\*|[^\W\d]\w*(?:\.[^\W\d]\w*)*)?")
_BESIDE_DOT = re.compile(r"\s*\.\s*")
_MARKED = re.compile(r"(?<!`)``([^`\n]{1,120})``(?!`)|(?<!`)`([^`\n]{1,160})`(?!`)")
_CODE_NAME = re.compile(r"[~!]?\.?([^\W\d]\w*(?:\.[^\W\d]\w*)*)(?:\(\))?$")
_TARGET = re.compile(r"<([^<>]+)>$")
# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and there are many references.
_CALL, _INHERITS, _IMPORT, _MENTION = (
    ReferenceKind.CALL,
    ReferenceKind.INHERITS,
    ReferenceKind.IMPORT,
    ReferenceKind.MENTION,
)


class Call(msgspec.Struct, frozen=True, gc=False):
    """A called function: its node, its bytes, its text, and the definition around it."""

    node: Node
    start: int
    end: int
    text: str
    owner: int


class _Name(msgspec.Struct, frozen=True, gc=False):
    """A dotted name with its first part, and the length of its last."""

    name: str
    first: str
    last_length: int


def read_calls(source: Source, matches: Iterable[Match], scopes: Scopes) -> list[Call]:
    """The calls among an outline's matches.

    Of a longer text there is only the end, behind a bracket so that it is no name.
    """
    calls = []
    owner, text_of = scopes.owner, source.slice
    for match in matches:
        node = match["call"][0]
        start, end = node.start_byte, node.end_byte
        text = text_of(start, end) if end - start <= LONGEST_CALL else ")" + text_of(end - LONGEST_CALL, end)
        calls.append(Call(node, start, end, text, owner(start)))
    return calls


@cache
def _speller(base_call: str, base_name: str) -> Callable[[str], _Name | None]:
    """Tells the dotted name that a text spells, if it does; the same ones recur from file to file."""

    @lru_cache(maxsize=1 << 15)
    def spelled(text: str) -> _Name | None:
        name = _dotted(text, base_call, base_name)
        first, _, rest = name.partition(".")
        return _Name(name, first, len(rest.rpartition(".")[2] or first)) if name else None

    return spelled


def _dotted(text: str, base_call: str, base_name: str) -> str:
    if _DOTTED.fullmatch(text):
        return text if text != base_name else ""
    if base_call and text.startswith(base_call):
        text = base_name + text[len(base_call) :]
    if "." not in text or "(" in text or "[" in text:
        return ""
    text = _BESIDE_DOT.sub(".", text)
    return text if _DOTTED.fullmatch(text) else ""


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
        self._spelled = _speller(spec.definitions.base_call, spec.definitions.base_name)

    def calls(self, calls: Iterable[Call]) -> list[Reference]:
        """Calls of dotted names; what is called on another call's result has no name to follow."""
        named = ((call, self._spelled(call.text)) for call in calls)
        return [self._reference(_CALL, name, call.start, call.end, call.owner) for call, name in named if name]

    def bases(self, matches: Iterable[Match]) -> Iterator[Reference]:
        """Each base of each class; the scope is the class itself."""
        for match in matches:
            node = match["base"][0]
            if name := self._spelled(self._text(node)):
                start = node.start_byte
                yield self._reference(_INHERITS, name, start, node.end_byte, self._scopes.owner(start))

    def imports(self, matches: Iterable[Match]) -> Iterator[tuple[Import, Reference]]:
        """Each name that an import binds, and the reference that it is."""
        for match in matches:
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
        for match in matches:
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
        return Reference(kind=_MENTION, name=name, line=line, column=column, end_column=column + len(name), scope=scope)

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
                kind=_MENTION,
                name=name,
                line=line,
                column=end_column - len(name.rpartition(".")[2]),
                end_column=end_column,
                scope=scope,
            )

    def _reference(self, kind: ReferenceKind, name: _Name, start: int, end: int, owner: int) -> Reference:
        line, end_column = self._source.position(end)
        first = name.first
        is_inner = self._bindings.is_inner(first, start)
        return Reference(
            kind=kind,
            name=name.name,
            line=line,
            column=end_column - name.last_length,
            end_column=end_column,
            scope="" if owner == MODULE else self._definitions[owner].qualified_name,
            local_type=UNKNOWN if is_inner else self._bindings.type_of(first, owner),
        )

    def _import_reference(self, name: str, node: Node, owner: int) -> Reference:
        line, end_column = self._source.position(node.end_byte)
        return Reference(
            kind=_IMPORT,
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
