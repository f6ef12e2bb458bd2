"""The symbols of a code file: classes, functions, attributes and variables, with exact positions."""

from __future__ import annotations

import re
from collections import Counter
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from granum.extract.definitions import MODULE, Definition
from granum.extract.targets import Assigned, Target, targets
from granum.extract.types import annotated
from granum.model.layers import Symbol, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node

    from granum.extract.bindings import Bindings
    from granum.extract.language import Spec
    from granum.extract.source import Source

#: Longer signatures are cut; they are shown on one line.
LONGEST_SIGNATURE = 240
LONGEST_VALUE = 120
#: A variable that is bound more often is a script's; its later bindings define nothing new.
MOST_REBINDINGS = 8

_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?![\w.\[(])")
_SUBSCRIPT = re.compile(r"\[[^\[\]]*\]")
# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and every symbol needs some.
_CLASS, _FUNCTION, _METHOD = SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD
_ATTRIBUTE, _VARIABLE = SymbolKind.ATTRIBUTE, SymbolKind.VARIABLE
_TAIL_COMMENT = re.compile(r"\s#\s[^\n]*(?=\n)")


class Found(msgspec.Struct, frozen=True, gc=False):
    """A symbol before it has its ordinal and paragraph. Bytes; the name's and the whole's."""

    name_start: int
    name_end: int
    start_line: int
    end_line: int
    name: str
    qualified_name: str
    kind: SymbolKind
    signature: str
    type_name: str


class SymbolFinder:
    """Finds symbols among a file's definitions and assignments."""

    def __init__(self, source: Source, spec: Spec, definitions: Sequence[Definition], bindings: Bindings) -> None:
        self._source = source
        self._spec = spec
        self._definitions = definitions
        self._bindings = bindings
        self._property = re.compile(spec.definitions.property_decorators)

    def find(self) -> list[Found]:
        """All symbols in source order. An attribute set on the receiver counts once, where it is first set."""
        found = [self._defined(definition) for definition in self._definitions]
        known = {symbol.qualified_name for symbol in found}
        times: Counter[str] = Counter()
        on_receiver: list[Found] = []
        for left in self._bindings.assigned:
            owner = left.owner
            if owner == MODULE or self._definitions[owner].is_class:
                prefix = "" if owner == MODULE else self._definitions[owner].qualified_name + "."
                for start, name in self._target_names(left):
                    times[prefix + name] += 1
                    if times[prefix + name] <= MOST_REBINDINGS:
                        found.append(self._variable(start, name, prefix + name, left))
            elif not left.is_name:
                for target in targets(left, self._spec):
                    on_receiver += self._attributes(target, left)
        known.update(times)
        for symbol in on_receiver:
            if symbol.qualified_name not in known:
                known.add(symbol.qualified_name)
                found.append(symbol)
        found.sort(key=attrgetter("name_start"))
        return found

    def _defined(self, definition: Definition) -> Found:
        returns = definition.node.child_by_field_name("return_type")
        return Found(
            definition.name_node.start_byte,
            definition.name_node.end_byte,
            definition.start_line,
            definition.end_line,
            definition.name,
            definition.qualified_name,
            self._kind(definition),
            self._signature(definition),
            annotated(self._text(returns), self._spec) if returns else "",
        )

    def _kind(self, definition: Definition) -> SymbolKind:
        if definition.is_class:
            return _CLASS
        if definition.parent == MODULE or not self._definitions[definition.parent].is_class:
            return _FUNCTION
        if any(self._property.search(decorator) for decorator in definition.decorators):
            return SymbolKind.PROPERTY
        return _METHOD

    def _signature(self, definition: Definition) -> str:
        end = definition.body.start_byte if definition.body else definition.end
        return one_line(self._head(definition.start, end, LONGEST_SIGNATURE)).removesuffix(":").rstrip()

    def _target_names(self, left: Assigned) -> list[tuple[int, str]]:
        """The names that an assignment's target binds, with their bytes; none of ``a.b`` and ``a[0]``."""
        node = left.node
        if not left.is_name and node.type == "attribute":
            return []
        text = self._text(node)
        if left.is_name:
            return [(node.start_byte, text)]
        plain = _SUBSCRIPT.sub(lambda match: "." * len(match.group()), text)
        return [
            (node.start_byte + len(text[: match.start()].encode()), match.group()) for match in _NAME.finditer(plain)
        ]

    def _variable(self, start: int, name: str, qualified: str, left: Assigned) -> Found:
        statement = left.statement
        type_name = self._bindings.assigned_type(statement)
        return self._assigned(start, name, qualified, statement, self._variable_kind(left), type_name)

    def _variable_kind(self, left: Assigned) -> SymbolKind:
        value = left.statement.child_by_field_name("right")
        if value is not None and value.type in self._spec.definitions.function_values:
            return _FUNCTION if left.owner == MODULE else _METHOD
        return _VARIABLE if left.owner == MODULE else _ATTRIBUTE

    def _attributes(self, target: Target, left: Assigned) -> Iterator[Found]:
        receiver, _, name = self._text(target.node).partition(".")
        if receiver not in self._spec.definitions.receivers or not name.isidentifier():
            return
        around = self._class_around(left.owner)
        if around is None:
            return
        start = target.node.end_byte - len(name.encode())
        type_name = self._bindings.target_type(target, left.statement) or self._parameter_type(target.value, left.owner)
        yield self._assigned(start, name, f"{around.qualified_name}.{name}", left.statement, _ATTRIBUTE, type_name)

    def _class_around(self, owner: int) -> Definition | None:
        while owner != MODULE and not self._definitions[owner].is_class:
            owner = self._definitions[owner].parent
        return None if owner == MODULE else self._definitions[owner]

    def _parameter_type(self, value: Node | None, owner: int) -> str:
        """``self.x = x`` has the type of the parameter ``x``."""
        if value is None or value.type != "identifier":
            return ""
        return self._bindings.type_of(self._text(value), owner).removeprefix("?")

    def _assigned(
        self, start: int, name: str, qualified: str, statement: Node, kind: SymbolKind, type_name: str
    ) -> Found:
        first_byte, end_byte = statement.start_byte, statement.end_byte
        return Found(
            start,
            start + len(name.encode()),
            self._source.line(first_byte),
            self._source.line(max(end_byte - 1, 0)),
            name,
            qualified,
            kind,
            one_line(self._head(first_byte, end_byte, LONGEST_VALUE), LONGEST_VALUE),
            type_name,
        )

    def _head(self, start: int, end: int, longest: int) -> str:
        """As much of the text between two bytes as ``one_line`` reads, whatever its characters."""
        return self._source.slice(start, min(end, start + 16 * longest))

    def _text(self, node: Node) -> str:
        return self._source.slice(node.start_byte, node.end_byte)


def module_symbol(source: Source) -> Symbol:
    """The file itself. Its name comes from where the file lies, which an extraction does not know."""
    return Symbol(
        name="",
        qualified_name="",
        kind=SymbolKind.MODULE,
        ordinal=0,
        start_line=1,
        end_line=max(source.line_count, 1),
        name_line=1,
        name_column=0,
        name_end_column=0,
        paragraph=0,
    )


def finish(source: Source, found: Sequence[Found], paragraph_at: Callable[[int], int]) -> tuple[Symbol, ...]:
    """Symbols with their ordinals and paragraphs."""
    ordinals: dict[tuple[str, SymbolKind], int] = {}
    symbols = []
    for symbol in found:
        line, column = source.position(symbol.name_start)
        key = symbol.qualified_name, symbol.kind
        ordinal = ordinals[key] = ordinals.get(key, -1) + 1
        symbols.append(
            Symbol(
                name=symbol.name,
                qualified_name=symbol.qualified_name,
                kind=symbol.kind,
                ordinal=ordinal,
                start_line=symbol.start_line,
                end_line=symbol.end_line,
                name_line=line,
                name_column=column,
                name_end_column=column + len(symbol.name),
                paragraph=paragraph_at(line),
                signature=symbol.signature,
                type_name=symbol.type_name,
            )
        )
    return tuple(symbols)


def one_line(text: str, longest: int = LONGEST_SIGNATURE) -> str:
    """Code on one line: comments and line breaks out, brackets tight, cut with an ellipsis where too long."""
    head = text[: 4 * longest]
    if "\n" in head:
        if "#" in head:
            head = _TAIL_COMMENT.sub("", head)
        head = " ".join(head.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")").replace("[ ", "[")
        head = head.replace(", ]", "]").replace(" ]", "]")
    return head if len(head) <= longest else head[: longest - 1].rstrip() + "…"
