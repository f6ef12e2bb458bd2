"""The symbols of a code file: classes, functions, attributes and variables, with exact positions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from granum.extract.definitions import MODULE, Definition, Scopes
from granum.extract.targets import Target, targets
from granum.extract.types import annotated
from granum.model.layers import Symbol, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tree_sitter import Node

    from granum.extract.bindings import Bindings
    from granum.extract.language import Match, Spec
    from granum.extract.source import Source

#: Longer signatures are cut; they are shown on one line.
LONGEST_SIGNATURE = 240
LONGEST_VALUE = 120
#: A variable that is bound more often is a script's; its later bindings define nothing new.
MOST_REBINDINGS = 8

_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?![\w.\[(])")
_SUBSCRIPT = re.compile(r"\[[^\[\]]*\]")
_TAIL_COMMENT = re.compile(r"\s#\s[^\n]*(?=\n)")


class Found(NamedTuple):
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

    def __init__(
        self, source: Source, spec: Spec, definitions: Sequence[Definition], scopes: Scopes, bindings: Bindings
    ) -> None:
        self._source = source
        self._spec = spec
        self._definitions = definitions
        self._scopes = scopes
        self._bindings = bindings
        self._property = re.compile(spec.definitions.property_decorators)

    def find(self, assigned: Iterable[Match]) -> list[Found]:
        """All symbols in source order. An attribute set on the receiver counts once, where it is first set."""
        found = [self._defined(definition) for definition in self._definitions]
        known = {symbol.qualified_name for symbol in found}
        times: Counter[str] = Counter()
        on_receiver: list[Found] = []
        for _, match in assigned:
            node = match["assigned"][0]
            owner = self._scopes.owner(node.start_byte)
            if owner == MODULE or self._definitions[owner].is_class:
                prefix = "" if owner == MODULE else self._definitions[owner].qualified_name + "."
                for start, name in self._target_names(node):
                    times[prefix + name] += 1
                    if times[prefix + name] <= MOST_REBINDINGS:
                        found.append(self._variable(start, name, prefix + name, node, owner))
            elif node.type != "identifier":
                for target in targets(node, self._spec):
                    on_receiver += self._attributes(target, node.parent or node, owner)
        known.update(times)
        for symbol in on_receiver:
            if symbol.qualified_name not in known:
                known.add(symbol.qualified_name)
                found.append(symbol)
        found.sort(key=lambda symbol: symbol.name_start)
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
            return SymbolKind.CLASS
        if definition.parent == MODULE or not self._definitions[definition.parent].is_class:
            return SymbolKind.FUNCTION
        if any(self._property.search(decorator) for decorator in definition.decorators):
            return SymbolKind.PROPERTY
        return SymbolKind.METHOD

    def _signature(self, definition: Definition) -> str:
        end = definition.body.start_byte if definition.body else definition.end
        return one_line(self._head(definition.start, end, LONGEST_SIGNATURE)).removesuffix(":").rstrip()

    def _target_names(self, node: Node) -> list[tuple[int, str]]:
        """The names that an assignment's target binds, with their bytes; none of ``a.b`` and ``a[0]``."""
        if node.type == "attribute":
            return []
        text = self._text(node)
        if node.type == "identifier":
            return [(node.start_byte, text)]
        plain = _SUBSCRIPT.sub(lambda match: "." * len(match.group()), text)
        return [
            (node.start_byte + len(text[: match.start()].encode()), match.group()) for match in _NAME.finditer(plain)
        ]

    def _variable(self, start: int, name: str, qualified: str, node: Node, owner: int) -> Found:
        statement = node.parent or node
        return self._assigned(start, name, qualified, statement, self._variable_kind(statement, owner))

    def _variable_kind(self, statement: Node, owner: int) -> SymbolKind:
        value = statement.child_by_field_name("right")
        if value is not None and value.type in self._spec.definitions.function_values:
            return SymbolKind.FUNCTION if owner == MODULE else SymbolKind.METHOD
        return SymbolKind.VARIABLE if owner == MODULE else SymbolKind.ATTRIBUTE

    def _attributes(self, target: Target, statement: Node, owner: int) -> Iterator[Found]:
        receiver, _, name = self._text(target.node).partition(".")
        if receiver not in self._spec.definitions.receivers or not name.isidentifier():
            return
        around = self._class_around(owner)
        if around is None:
            return
        start = target.node.end_byte - len(name.encode())
        found = self._assigned(start, name, f"{around.qualified_name}.{name}", statement, SymbolKind.ATTRIBUTE)
        yield found._replace(type_name=self._bindings.target_type(target) or self._parameter_type(target.value, owner))

    def _class_around(self, owner: int) -> Definition | None:
        while owner != MODULE and not self._definitions[owner].is_class:
            owner = self._definitions[owner].parent
        return None if owner == MODULE else self._definitions[owner]

    def _parameter_type(self, value: Node | None, owner: int) -> str:
        """``self.x = x`` has the type of the parameter ``x``."""
        if value is None or value.type != "identifier":
            return ""
        return self._bindings.type_of(self._text(value), owner).removeprefix("?")

    def _assigned(self, start: int, name: str, qualified: str, statement: Node, kind: SymbolKind) -> Found:
        target = statement.child_by_field_name("left")
        first, last = self._source.line(statement.start_byte), self._source.line(max(statement.end_byte - 1, 0))
        return Found(
            start,
            start + len(name.encode()),
            first,
            last,
            name,
            qualified,
            kind,
            one_line(self._head(statement.start_byte, statement.end_byte, LONGEST_VALUE), LONGEST_VALUE),
            self._bindings.assigned_type(target) if target else "",
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
    ordinals: defaultdict[tuple[str, SymbolKind], int] = defaultdict(int)
    symbols = []
    for symbol in found:
        line, column = source.position(symbol.name_start)
        ordinal = ordinals[symbol.qualified_name, symbol.kind]
        ordinals[symbol.qualified_name, symbol.kind] += 1
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
