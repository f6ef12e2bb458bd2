"""What tests assert and expect, and what code warns of: deprecations."""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from granum.extract.definitions import MODULE, Definition, Scopes
from granum.extract.literals import template, text_of
from granum.extract.statement import Role, Statement
from granum.model.layers import SourceKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tree_sitter import Node

    from granum.extract.exercised import Exercised
    from granum.extract.language import CodeLanguage, Match, Spec
    from granum.extract.references import Call
    from granum.extract.source import Source

#: Longer assertions are data, not facts; they are cut.
LONGEST_ASSERTION = 240


class _Kind(Enum):
    """What a call is to the finder."""

    PLAIN = auto()
    ASSERTION = auto()
    EXPECTATION = auto()
    WARNING = auto()
    DEPRECATED = auto()


@cache
def _kinds(spec: Spec, *, is_test: bool) -> Callable[[str], _Kind]:
    """Tells what a call of a name is; names recur from file to file, so that the patterns seldom run."""
    assertion, expectation = re.compile(spec.tests.assertion), re.compile(spec.tests.expectation)
    warning, deprecated = re.compile(spec.deprecations.calls), re.compile(spec.deprecations.decorators)

    @lru_cache(maxsize=16384)
    def kind_of(name: str) -> _Kind:
        if is_test and assertion.search(name):
            return _Kind.ASSERTION
        if is_test and expectation.search(name):
            return _Kind.EXPECTATION
        if deprecated.search(name):
            return _Kind.DEPRECATED
        return _Kind.WARNING if warning.search(name) else _Kind.PLAIN

    return kind_of


class CheckFinder:
    """Finds assertions in tests, and deprecations anywhere."""

    def __init__(
        self,
        source: Source,
        language: CodeLanguage,
        definitions: Sequence[Definition],
        scopes: Scopes,
        exercised: Exercised | None = None,
    ) -> None:
        self._exercised = exercised
        self._source = source
        self._spec = language.spec
        self._definitions = definitions
        self._scopes = scopes
        self._category = re.compile(self._spec.deprecations.categories)

    def asserts(self, matches: Iterable[Match]) -> Iterator[Statement]:
        """Assert statements of tests."""
        for _, match in matches:
            tested = match["assert"][0]
            statement = tested.parent or tested
            yield self._assertion_statement(statement, f"assert {self._one_line(tested)}")

    def calls(self, calls: Iterable[Call], *, is_test: bool) -> Iterator[Statement]:
        """Asserting calls and expectations (in tests), and warnings of deprecation."""
        kinds = _kinds(self._spec, is_test=is_test)
        for function, name in calls:
            kind = kinds(name)
            if kind is not _Kind.PLAIN:
                yield from self._of_kind(kind, function)

    def _of_kind(self, kind: _Kind, function: Node) -> Iterator[Statement]:
        if kind is _Kind.ASSERTION:
            return self._asserting_call(function)
        if kind is _Kind.EXPECTATION:
            return self._expectation_call(function)
        return self._deprecation(function, is_warning=kind is _Kind.WARNING)

    def _asserting_call(self, function: Node) -> Iterator[Statement]:
        call = function.parent
        if call is None or call.parent is None:
            return
        if call.parent.type == "expression_statement":
            yield self._assertion_statement(call, self._one_line(call))
        else:
            yield from self._expectation_call(function)

    def _expectation_call(self, function: Node) -> Iterator[Statement]:
        """``with raises(X): body`` expects something of its body; a call by itself expects of its arguments."""
        call = function.parent
        if call is None:
            return
        block = _block_below(call)
        if block is None:
            if call.parent is not None and call.parent.type == "expression_statement":
                yield self._assertion_statement(call, self._one_line(call))
            return
        body = block.named_children[0] if block.named_children else None
        text = self._one_line(call)
        end = call
        if body is not None:
            first = self._one_line(body)
            if len(text) + len(first) <= LONGEST_ASSERTION:
                text, end = f"{text}: {first}", body
        yield self._assertion_statement(call, text, end)

    def _assertion_statement(self, node: Node, text: str, end: Node | None = None) -> Statement:
        owner = self._scopes.owner(node.start_byte)
        name = "" if owner == MODULE else self._definitions[owner].name
        if len(text) > LONGEST_ASSERTION:
            text = text[: LONGEST_ASSERTION - 1].rstrip() + "…"
        return Statement(
            text=f"{name}: {text}" if name else text,
            start_line=self._source.line(node.start_byte),
            end_line=self._source.line(max((end or node).end_byte - 1, 0)),
            source=SourceKind.ASSERTION,
            role=Role.ASSERTION,
            symbol="" if owner == MODULE else self._definitions[owner].qualified_name,
            is_test=True,
            names=self._exercised.names(node, end or node) if self._exercised else (),
        )

    def _deprecation(self, function: Node, *, is_warning: bool) -> Iterator[Statement]:
        call = function.parent
        arguments = call.child_by_field_name("arguments") if call is not None else None
        if call is None or arguments is None or not arguments.named_children:
            return
        message = arguments.named_children[0]
        if is_warning and not self._category.search(self._text(arguments)):
            return
        literal = template(message, self._source, self._spec)
        if literal is None:
            return
        owner = self._owner_of_decorator(call) if not is_warning else self._scopes.owner(call.start_byte)
        yield Statement(
            text=text_of(literal, self._source, self._spec),
            start_line=self._source.line(call.start_byte),
            end_line=self._source.line(max(call.end_byte - 1, 0)),
            source=SourceKind.DIRECTIVE,
            role=Role.DEPRECATED,
            symbol="" if owner == MODULE else self._definitions[owner].qualified_name,
        )

    def _owner_of_decorator(self, call: Node) -> int:
        """The definition below a decorator, or the one around it."""
        at = call.start_byte
        below = (item.index for item in self._definitions if item.whole <= at < item.start)
        return next(below, self._scopes.owner(at))

    def _one_line(self, node: Node) -> str:
        text = self._source.slice(node.start_byte, min(node.end_byte, node.start_byte + 8 * LONGEST_ASSERTION))
        if "\n" not in text:
            return text
        return " ".join(text.split()).replace("( ", "(").replace(", )", ")").replace(" )", ")")

    def _text(self, node: Node) -> str:
        return self._source.slice(node.start_byte, node.end_byte)


def _block_below(call: Node) -> Node | None:
    """The body of the block whose header the call stands in (``with raises(X):``), if it does."""
    node = call.parent
    for _ in range(5):
        kind = "expression_statement" if node is None else node.type
        if node is None or kind == "expression_statement":
            return None
        body = node.child_by_field_name("body") if kind.endswith("_statement") else None
        if body is not None and body.start_byte >= call.end_byte:
            return body
        node = node.parent
    return None
