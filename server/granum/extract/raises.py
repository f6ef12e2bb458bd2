"""Statements about failures: ``Raises TYPE: message when CONDITION``."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from granum.extract.definitions import MODULE, Definition, Scopes
from granum.extract.literals import is_literal, template, text_of
from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from granum.extract.language import CodeLanguage, Match
    from granum.extract.source import Source

LONGEST_MESSAGE = 190
LONGEST_CONDITION = 120
_SOURCE, _ROLE = SourceKind.RAISE, Role.RAISE

_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_SIMPLE = re.compile(r"[^\W\d][\w.]*(?:\([^()]*\)|\[[^\[\]]*\])?$")
_NEGATED = re.compile(r"not\s+(?=[^\W\d][\w.]*(?:\([^()]*\)|\[[^\[\]]*\])?$)")


class Guards:
    """Blocks with the conditions under which they run, for finding the innermost around a byte."""

    def __init__(self, blocks: Iterable[tuple[int, int, str]]) -> None:
        joined: dict[tuple[int, int], list[str]] = {}
        for start, end, text in blocks:
            joined.setdefault((start, -end), []).append(text)
        self._starts: list[int] = [0]
        self._texts: list[str] = [""]
        open_: list[tuple[int, str]] = []
        for (start, minus_end), texts in sorted(joined.items()):
            self._close(open_, start)
            open_.append((-minus_end, _joined(texts)))
            self._mark(start, open_[-1][1])
        self._close(open_, None)

    def innermost(self, byte: int) -> str:
        """The condition of the smallest block around a byte; empty outside of all."""
        return self._texts[bisect_right(self._starts, byte) - 1]

    def _close(self, open_: list[tuple[int, str]], start: int | None) -> None:
        while open_ and (start is None or open_[-1][0] <= start):
            end, _ = open_.pop()
            self._mark(end, open_[-1][1] if open_ else "")

    def _mark(self, byte: int, text: str) -> None:
        self._starts.append(byte)
        self._texts.append(text)


def _joined(texts: Sequence[str]) -> str:
    """``when a`` and ``when b`` as ``when a and b``."""
    head = texts[0].partition(" ")[0]
    return " and ".join([texts[0], *(text.removeprefix(head).strip() for text in texts[1:])])


class RaiseFinder:
    """Words a file's raise statements; conditions are looked up in the function around each."""

    def __init__(
        self, source: Source, language: CodeLanguage, definitions: Sequence[Definition], scopes: Scopes, root: Node
    ) -> None:
        self._source = source
        self._language = language
        self._spec = language.spec
        self._definitions = definitions
        self._scopes = scopes
        self._root = root
        self._guards: dict[int, Guards] = {}

    def raises(self, matches: Iterable[Match], *, is_test: bool) -> Iterator[Statement]:
        """Each raise statement; a bare re-raise, also of the handler's own name, says nothing."""
        for match in matches:
            raised = match["raise"][0]
            owner = self._scopes.owner(raised.start_byte)
            type_node, message_node = self._parts(raised)
            name = self._one_line(type_node)
            if not name or self._is_reraise(raised, name):
                continue
            message = self._message(message_node) if message_node else ""
            condition = self._condition(raised, owner)
            if not condition and name.rpartition(".")[2] in self._spec.raises.abstract and owner != MODULE:
                condition = "when not overridden"
            yield self._statement(raised, owner, name, message, condition, is_test=is_test)

    def assertions(self, matches: Iterable[Match], *, is_test: bool) -> Iterator[Statement]:
        """Assertions with a message outside of tests: they fail as raise statements do."""
        for match in matches:
            tested = match["assert"][0]
            message = tested.next_named_sibling
            if message is None or not is_literal(message, self._spec):
                continue
            owner = self._scopes.owner(tested.start_byte)
            condition = "when " + negated(self._one_line(tested))
            text = text_of(message, self._source, self._spec)
            yield self._statement(tested, owner, self._spec.raises.assertion_error, text, condition, is_test=is_test)

    def _statement(
        self, node: Node, owner: int, name: str, message: str, condition: str, *, is_test: bool
    ) -> Statement:
        text = f"Raises {name}"
        if message:
            text += f": {_cut(message, LONGEST_MESSAGE)}"
        if condition:
            text += f" {_cut(condition, LONGEST_CONDITION)}"
        statement = node.parent or node
        return Statement(
            text=text,
            start_line=self._source.line(statement.start_byte),
            end_line=self._source.line(max(statement.end_byte - 1, 0)),
            source=_SOURCE,
            role=_ROLE,
            symbol="" if owner == MODULE else self._definitions[owner].qualified_name,
            label=name,
            is_test=is_test,
        )

    def _parts(self, raised: Node) -> tuple[Node, Node | None]:
        """The exception's type and message: ``X("m")``, ``cast(X, value)``, ``X``."""
        if raised.type not in self._spec.definitions.constructions:
            return raised, None
        function = raised.child_by_field_name("function")
        arguments = raised.child_by_field_name("arguments")
        if function is None or not _DOTTED.fullmatch(self._text(function)):
            return raised, None
        given = [child for child in arguments.named_children if child.type != "comment"] if arguments else []
        if self._text(function) in self._spec.raises.casts and len(given) > 1:
            return given[0], given[1]
        return function, self._message_argument(given)

    def _message_argument(self, given: Sequence[Node]) -> Node | None:
        """The first argument that is a text, or else the first one that may be a message."""
        values = [value for value in map(self._value_of, given) if value is not None]
        texts = (value for value in values if template(value, self._source, self._spec))
        return next(texts, values[0] if values else None)

    def _value_of(self, argument: Node) -> Node | None:
        """An argument's value; None for ``name=value`` whose name is none of a message."""
        name = argument.child_by_field_name("name")
        value = argument.child_by_field_name("value")
        if name is None or value is None:
            return argument
        return value if self._text(name) in self._spec.raises.message_keywords else None

    def _message(self, node: Node) -> str:
        literal = template(node, self._source, self._spec)
        return text_of(literal, self._source, self._spec) if literal else self._one_line(node)

    def _is_reraise(self, raised: Node, name: str) -> bool:
        """Whether the name is what the handler around caught (``except X as exc: … raise exc``)."""
        if raised.type in self._spec.definitions.constructions or not name.isidentifier():
            return False
        node = raised.parent
        while node is not None and node.type not in self._spec.raises.handlers:
            node = node.parent
        return node is not None and any(
            self._text(alias) == name
            for child in node.named_children
            if (alias := child.child_by_field_name("alias")) is not None
        )

    def _condition(self, node: Node, owner: int) -> str:
        guards = self._guards.get(owner)
        if guards is None:
            guards = self._guards[owner] = self._guards_of(owner)
        return guards.innermost(node.start_byte)

    def _guards_of(self, owner: int) -> Guards:
        node = self._root if owner == MODULE else self._definitions[owner].node
        return Guards(
            (match["body"][0].start_byte, match["body"][0].end_byte, self._worded(index, match))
            for index, match in self._language.guards.matches(node)
        )

    def _worded(self, index: int, match: dict[str, list[Node]]) -> str:
        form = self._language.guards.forms[index]
        conditions = [self._unwrapped(node) for node in match.get("condition", ())]
        if form == "when not {}":
            return "when " + " and ".join(map(negated, conditions))
        return form.format(*conditions) if len(conditions) == form.count("{}") else form.replace("{}", conditions[0])

    def _unwrapped(self, node: Node) -> str:
        """A condition's text without brackets around the whole of it."""
        text = self._one_line(node)
        wrapped = node.type in {"parenthesized_expression", "tuple"} and text.startswith("(") and text.endswith(")")
        return text[1:-1].strip().rstrip(",") if wrapped else text

    def _one_line(self, node: Node) -> str:
        text = self._text(node)
        if "\n" not in text:
            return text
        lines = (re.sub(r"\s#\s.*$", "", line) for line in text.split("\n"))
        return " ".join(" ".join(lines).split()).replace("( ", "(").replace(" )", ")").replace(",)", ")")

    def _text(self, node: Node) -> str:
        return self._source.slice(node.start_byte, node.end_byte)


def negated(condition: str) -> str:
    """The opposite of a condition, in the shortest plain form."""
    if bare := _NEGATED.match(condition):
        return condition[bare.end() :]
    return f"not {condition}" if _SIMPLE.match(condition) else f"not ({condition})"


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return text[: longest - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
