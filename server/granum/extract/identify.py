"""The name at a position of a text: what it spells, where it stands, and how the code around it binds it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

import msgspec

from granum.extract.bindings import UNKNOWN, Bindings
from granum.extract.definitions import MODULE, Scopes, find
from granum.extract.language import load
from granum.extract.mentions import marked_around
from granum.extract.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from granum.extract.language import CodeLanguage

#: Steps of a chain (``a.b().c``) that are followed back from the cursor.
LONGEST_CHAIN = 30


class Identifier(msgspec.Struct, frozen=True, kw_only=True):
    """The name under a position.

    ``name`` is dotted, from its first identifier up to and including the one under the position, calls in it as
    ``()``. Line and columns span that one. ``scope`` is the local name of the definition around it. For a
    definition's own name ``qualified_name`` is its local name. ``local_binding`` tells how an enclosing function
    binds the first identifier: empty when none does, else ``parameter`` or ``local``; ``local_type`` is its
    annotation or what is called to make it, as written. ``module`` is set where the name is a part of the module
    that an import names: the module as written, leading dots included, up to the identifier.
    """

    name: str
    line: int
    column: int
    end_column: int
    scope: str = ""
    is_definition: bool = False
    qualified_name: str = ""
    local_binding: str = ""
    local_type: str = ""
    module: str = ""


def identifier_at(text: str, language: str, line: int, column: int) -> Identifier | None:
    """The name at or directly before a position.

    In comments, doc comments and prose only a name marked as code counts. None elsewhere in texts, on keywords,
    operators and white space.

    Args:
        text: the whole text, LF line ends.
        language: as ``extract.language_of`` names it.
        line: 1-based; past the end it is clamped.
        column: 0-based, in code points; past the line's end it is clamped.
    """
    return parsed(text, language).identifier_at(line, column)


def parsed(text: str, language: str) -> Located:
    """A text made ready for questions about several positions of it."""
    code = load(language)
    return Prose(text) if code is None else Syntax(text, code)


class Located(Protocol):
    """A text that tells the names at its positions."""

    def identifier_at(self, line: int, column: int) -> Identifier | None:
        """The name at or directly before a position, see ``identifier_at``."""


class Prose:
    """A text without a grammar: only names marked as code count."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")

    def identifier_at(self, line: int, column: int) -> Identifier | None:
        """The name at or directly before a position, see ``identifier_at``."""
        number = min(max(line, 1), len(self._lines))
        return _marked(self._lines[number - 1], number, column, "")


class Syntax:
    """A parsed text, for several positions of it."""

    def __init__(self, text: str, language: CodeLanguage) -> None:
        self._source = Source(text)
        self._language = language
        self._spec = language.spec
        # not when first asked for: a cached property's lock would have the readers of all texts wait for each other
        self._root = language.parse(self._source.data).root_node

    def identifier_at(self, line: int, column: int) -> Identifier | None:
        """The name at or directly before a position, see ``identifier_at``."""
        byte = self._source.byte(line, column)
        number, _ = self._source.position(byte)
        node = self._node_at(byte)
        if node is None:
            return None
        around = self._definitions_around(node)
        if self._is_text(node):
            scope = ".".join(map(self._name_of, around))
            return _marked(self._source.lines[number - 1], number, column, scope)
        if node.parent is not None and node.parent.type in self._spec.positions.argument_names:
            name = node.parent.child_by_field_name("name")
            if name is not None and name.id == node.id:
                return None
        return self._identifier(node, around)

    def _node_at(self, byte: int) -> Node | None:
        """The identifier at the byte or ending there; else the text around it."""
        at = self._root.named_descendant_for_byte_range(byte, byte)
        if at is not None and at.type in self._spec.positions.identifiers and at.start_byte <= byte < at.end_byte:
            return at
        before = self._root.named_descendant_for_byte_range(byte - 1, byte - 1) if byte else None
        if before is not None and before.type in self._spec.positions.identifiers and before.end_byte == byte:
            return before
        return next((node for node in (at, before) if node is not None and self._is_text(node)), None)

    def _is_text(self, node: Node) -> bool:
        return node.type in self._spec.positions.texts

    def _definitions_around(self, node: Node) -> list[Node]:
        """The class and function nodes around a node, outermost first; not the one whose name it is."""
        found = []
        child, parent = node, node.parent
        while parent is not None:
            if parent.type in self._spec.definitions.nodes and not self._is_outside(parent, child):
                found.append(parent)
            child, parent = parent, parent.parent
        return found[::-1]

    def _is_outside(self, definition: Node, child: Node) -> bool:
        """The name of a definition belongs to what is around it."""
        name = definition.child_by_field_name("name")
        return name is not None and name.id == child.id

    def _name_of(self, definition: Node) -> str:
        name = definition.child_by_field_name("name")
        return self._source.slice(name.start_byte, name.end_byte) if name is not None else ""

    def _identifier(self, node: Node, around: Sequence[Node]) -> Identifier | None:
        name = self._spelled(node)
        if not name:
            return None
        line, column = self._source.position(node.start_byte)
        _, end_column = self._source.position(node.end_byte)
        scope = ".".join(map(self._name_of, around))
        qualified = self._defined(node, name, around, scope)
        binding, type_name = ("", "") if qualified else self._bound(node, name, around)
        return Identifier(
            name=name,
            line=line,
            column=column,
            end_column=end_column,
            scope=scope,
            is_definition=bool(qualified),
            qualified_name=qualified,
            local_binding=binding,
            local_type=type_name,
            module=self._module(node),
        )

    # -- the name

    def _spelled(self, node: Node) -> str:
        """The dotted name up to a node; empty where it begins with something that is no name."""
        if self._is_in_import(node):
            return self._source.slice(self._dotted_start(node), node.end_byte)
        parent = node.parent
        receiver = parent.child_by_field_name("object") if parent and self._is_member(parent) else None
        if receiver is None or receiver.id == node.id:
            return self._text(node)
        return self._receiver(receiver, self._text(node))

    def _is_member(self, node: Node) -> bool:
        return node.type in self._spec.positions.members

    def _receiver(self, receiver: Node, member: str) -> str:
        """The chain that ends in ``receiver``, and its member."""
        suffix = "." + member
        node: Node | None = receiver
        for _ in range(LONGEST_CHAIN):
            if node is None:
                return ""
            if node.type in self._spec.positions.identifiers:
                return self._text(node) + suffix
            if self._is_member(node):
                step = node.child_by_field_name("attribute")
                if step is None:
                    return ""
                suffix = "." + self._text(step) + suffix
                node = node.child_by_field_name("object")
            elif node.type in self._spec.definitions.constructions:
                suffix = "()" + suffix
                node = node.child_by_field_name("function")
            elif node.type in self._spec.definitions.transparent and node.named_children:
                node = node.named_children[0]
            else:
                return ""
        return ""

    def _is_in_import(self, node: Node) -> bool:
        return self._import_around(node) is not None

    def _import_around(self, node: Node) -> Node | None:
        parent = node.parent
        for _ in range(4):
            if parent is None or parent.type in self._spec.positions.imports:
                return parent
            parent = parent.parent
        return None

    def _module(self, node: Node) -> str:
        """The module that an import names, up to the node in it; empty where the node is in no such place."""
        statement = self._import_around(node)
        for _, match in self._language.outline.matches(statement) if statement is not None else ():
            for module in match.get("import.module", ()):
                if module.start_byte <= node.start_byte and node.end_byte <= module.end_byte:
                    return "".join(self._source.slice(module.start_byte, node.end_byte).split())
        return ""

    def _dotted_start(self, node: Node) -> int:
        parent = node.parent
        return parent.start_byte if parent is not None and parent.type == "dotted_name" else node.start_byte

    # -- what it is

    def _defined(self, node: Node, name: str, around: Sequence[Node], scope: str) -> str:
        """The local name of what a node names as its definition; empty where it does not."""
        parent = node.parent
        if parent is None:
            return ""
        last = name.rpartition(".")[2]
        prefix = f"{scope}." if scope else ""
        named = parent.child_by_field_name("name")
        if parent.type in self._spec.definitions.nodes and named is not None and named.id == node.id:
            return prefix + last
        innermost = around[-1] if around else None
        if innermost is None or innermost.type in self._spec.definitions.class_nodes:
            return prefix + last if self._is_target(node) else ""
        receiver, _, attribute = name.partition(".")
        if attribute == last and receiver in self._spec.definitions.receivers and self._is_target(parent):
            return self._class_name(around, last)
        return ""

    def _class_name(self, around: Sequence[Node], attribute: str) -> str:
        for index in range(len(around) - 1, -1, -1):
            if around[index].type in self._spec.definitions.class_nodes:
                return ".".join([*map(self._name_of, around[: index + 1]), attribute])
        return ""

    def _is_target(self, node: Node) -> bool:
        """Whether something is assigned to a node."""
        parent = node.parent
        for _ in range(3):
            if parent is None:
                return False
            left = parent.child_by_field_name("left")
            if left is not None:
                is_assignment = parent.child_by_field_name("right") or parent.child_by_field_name("type")
                operator = parent.child_by_field_name("operator") or parent.child_by_field_name("operators")
                return is_assignment is not None and operator is None and node.end_byte <= left.end_byte
            parent = parent.parent if parent.type.endswith(("pattern", "pattern_list", "list")) else None
        return False

    def _bound(self, node: Node, name: str, around: Sequence[Node]) -> tuple[str, str]:
        """How the lambdas, comprehensions and functions around bind the name's first identifier, and its type."""
        first = re.split(r"[.(]", name, maxsplit=1)[0]
        if first in self._spec.definitions.receivers:
            return "", ""
        found = self._language.outline.by_kind(self._outermost(node, around))
        definitions = find(self._source, found["function.name"], found["class.name"], found["wrapped"], {})
        scopes = Scopes(definitions)
        bindings = Bindings(self._source, self._spec, definitions, scopes)
        bindings.add_all(found)
        if bindings.is_inner(first, node.start_byte):
            return "local", ""
        binder = bindings.binder_of(first, scopes.owner(node.start_byte))
        if binder is None or binder == MODULE:
            return "", ""
        type_name = bindings.type_of(first, binder)
        kind = "parameter" if bindings.is_parameter(first, binder) else "local"
        return kind, "" if type_name == UNKNOWN else type_name

    def _outermost(self, node: Node, around: Sequence[Node]) -> Node:
        """All that can bind a name locally: the outermost function, else the statement of the class or module."""
        if functions := [item for item in around if item.type not in self._spec.definitions.class_nodes]:
            return functions[0]
        outer = around[-1].child_by_field_name("body") if around else self._root
        while node.parent is not None and (outer is None or node.parent.id != outer.id):
            node = node.parent
        return node

    def _text(self, node: Node) -> str:
        return self._source.slice(node.start_byte, node.end_byte)


def _marked(text: str, line: int, column: int, scope: str) -> Identifier | None:
    """The code-marked name around a column of a line."""
    column = min(max(column, 0), len(text))
    span = marked_around(text, column)
    if span is None:
        return None
    begin, end = _under(text, *span, column)
    return Identifier(
        name=text[span[0] : end].replace("::", "."),
        line=line,
        column=begin,
        end_column=end,
        scope=scope,
    )


def _under(text: str, start: int, end: int, column: int) -> tuple[int, int]:
    """The identifier of a dotted name that a column is in; the last one where it is in none."""
    found = (start, end)
    for part in re.finditer(r"[^\W\d]\w*", text[start:end]):
        found = (start + part.start(), start + part.end())
        if column <= found[1]:
            break
    return found
