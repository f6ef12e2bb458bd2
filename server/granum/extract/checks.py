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

    CHECK = auto()  # asserts, or expects something of a block
    WARNING = auto()
    DEPRECATED = auto()


# A member's look-up in its enum costs a dozen times that of a name (Python 3.11), and tests are full of assertions.
_CHECK, _ASSERTION, _ASSERTED = _Kind.CHECK, SourceKind.ASSERTION, Role.ASSERTION


@cache
def _kinds(spec: Spec, *, is_test: bool) -> Callable[[str], _Kind | None]:
    """Tells what a call of a name is; names recur from file to file, so that the patterns seldom run."""
    checks = re.compile(f"(?:{spec.tests.assertion})|(?:{spec.tests.expectation})")
    warning, deprecated = re.compile(spec.deprecations.calls), re.compile(spec.deprecations.decorators)

    @lru_cache(maxsize=1 << 15)
    def kind_of(name: str) -> _Kind | None:
        if is_test and checks.search(name):
            return _Kind.CHECK
        if deprecated.search(name):
            return _Kind.DEPRECATED
        return _Kind.WARNING if warning.search(name) else None

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
        for match in matches:
            tested = match["assert"][0]
            statement = tested.parent or tested
            owner = self._scopes.owner(statement.start_byte)
            yield self._assertion_statement(statement, owner, f"assert {self._one_line(tested)}")

    def calls(self, calls: Iterable[Call], *, is_test: bool) -> list[Statement]:
        """Asserting calls and expectations (in tests), and warnings of deprecation."""
        kinds = _kinds(self._spec, is_test=is_test)
        telling = ((call, kind) for call in calls if (kind := kinds(call.text)) is not None)
        return [statement for call, kind in telling if (statement := self._of_kind(kind, call)) is not None]

    def _of_kind(self, kind: _Kind, called: Call) -> Statement | None:
        call = called.node.parent
        if call is None:
            return None
        if kind is _CHECK:
            return self._check(call, called.owner)
        return self._deprecation(call, is_warning=kind is _Kind.WARNING)

    def _check(self, call: Node, owner: int) -> Statement | None:
        """``with raises(X): body`` expects something of its body; a call by itself asserts of its arguments."""
        around = call.parent
        if around is None:
            return None
        text = self._one_line(call)
        if around.type == "expression_statement":
            return self._assertion_statement(call, owner, text)
        block = _block_around(around, call.end_byte)
        if block is None:
            return None
        body = block.named_children[0] if block.named_children else None
        end = call
        if body is not None:
            first = self._one_line(body)
            if len(text) + len(first) <= LONGEST_ASSERTION:
                text, end = f"{text}: {first}", body
        return self._assertion_statement(call, owner, text, end)

    def _assertion_statement(self, node: Node, owner: int, text: str, end: Node | None = None) -> Statement:
        start_byte, end_byte = node.start_byte, (end or node).end_byte
        name = "" if owner == MODULE else self._definitions[owner].name
        if len(text) > LONGEST_ASSERTION:
            text = text[: LONGEST_ASSERTION - 1].rstrip() + "…"
        return Statement(
            text=f"{name}: {text}" if name else text,
            start_line=self._source.line(start_byte),
            end_line=self._source.line(max(end_byte - 1, 0)),
            source=_ASSERTION,
            role=_ASSERTED,
            symbol="" if owner == MODULE else self._definitions[owner].qualified_name,
            is_test=True,
            names=self._exercised.names(start_byte, end_byte, owner) if self._exercised else (),
        )

    def _deprecation(self, call: Node, *, is_warning: bool) -> Statement | None:
        arguments = call.child_by_field_name("arguments")
        if arguments is None or not arguments.named_children:
            return None
        message = arguments.named_children[0]
        if is_warning and not self._category.search(self._text(arguments)):
            return None
        literal = template(message, self._source, self._spec)
        if literal is None:
            return None
        owner = self._owner_of_decorator(call) if not is_warning else self._scopes.owner(call.start_byte)
        return Statement(
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


def _block_around(node: Node | None, end: int) -> Node | None:
    """The body of the block whose header a call that ends at a byte stands in (``with raises(X):``), if it does."""
    for _ in range(5):
        kind = "expression_statement" if node is None else node.type
        if node is None or kind == "expression_statement":
            return None
        body = node.child_by_field_name("body") if kind.endswith("_statement") else None
        if body is not None and body.start_byte >= end:
            return body
        node = node.parent
    return None
