"""String literals as a reader sees them: the message of an error, the text of a doc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from granum.extract.language import Spec
    from granum.extract.source import Source

_ESCAPE = re.compile(r"\\([\\'\"`ntr]|\n)")
#: Statements and levels that are looked through for a message's text.
_NEAR = 4
#: Calls and operators around a message's text, at most.
_DEEPEST = 6
_FORMATTING = (".format", ".format_map", ".join")
_ESCAPED = {"n": " ", "t": " ", "r": " ", "\n": ""}


def is_literal(node: Node, spec: Spec) -> bool:
    """Whether a node is a string literal or several side by side."""
    return node.type in spec.strings.literal or node.type in spec.strings.concatenation


def text_of(node: Node, source: Source, spec: Spec) -> str:
    """A literal's text on one line, placeholders as ``{name}``, pieces joined."""
    if node.type in spec.strings.concatenation:
        return " ".join("".join(_piece(child, source, spec) for child in node.named_children).split())
    return " ".join(_piece(node, source, spec).split())


def _piece(node: Node, source: Source, spec: Spec) -> str:
    if node.type not in spec.strings.literal:
        return ""
    parts = []
    for child in node.named_children:
        if child.type in spec.strings.content:
            raw = source.slice(child.start_byte, child.end_byte)
            parts.append(_ESCAPE.sub(lambda match: _ESCAPED.get(match.group(1), match.group(1)), raw))
        elif child.type in spec.strings.placeholder:
            parts.append(_placeholder(child, source))
    return "".join(parts)


def _placeholder(node: Node, source: Source) -> str:
    """``{name!r:>10}`` shows as ``{name}``."""
    expression = node.child_by_field_name("expression")
    if expression is None:
        return "{}"
    return "{" + " ".join(source.slice(expression.start_byte, expression.end_byte).split()) + "}"


def template(node: Node, source: Source, spec: Spec) -> Node | None:
    """The literal in ``"…" % x``, ``"…".format(x)``, ``_("…")``, or in a variable that was just given it."""
    inner: Node | None = node
    for _ in range(_DEEPEST):
        if inner is None or is_literal(inner, spec):
            return inner
        inner = _inside(inner, source, spec)
    return None


def _inside(node: Node, source: Source, spec: Spec) -> Node | None:
    left = node.child_by_field_name("left")
    if left is not None:
        return left
    function = node.child_by_field_name("function")
    if function is not None:
        name = source.slice(function.start_byte, function.end_byte)
        if name.endswith(_FORMATTING):
            return function.child_by_field_name("object")
        arguments = node.child_by_field_name("arguments")
        is_translation = name.rpartition(".")[2] in spec.raises.translations
        return arguments.named_children[0] if is_translation and arguments and arguments.named_children else None
    if node.type in spec.positions.identifiers:
        return _assigned_before(node, source.slice(node.start_byte, node.end_byte), source)
    return node.named_children[0] if node.type in spec.definitions.transparent and node.named_children else None


def _assigned_before(node: Node, name: str, source: Source) -> Node | None:
    """What a name was given by one of the statements right before the one that a node stands in."""
    statement: Node | None = node
    for _ in range(_NEAR):
        if statement is None or statement.type.endswith("_statement"):
            break
        statement = statement.parent
    before = statement.prev_named_sibling if statement is not None else None
    for _ in range(_NEAR):
        if before is None:
            return None
        assignment = before.named_children[0] if before.named_children else None
        target = assignment.child_by_field_name("left") if assignment is not None else None
        if assignment is not None and target is not None and source.slice(target.start_byte, target.end_byte) == name:
            return assignment.child_by_field_name("right")
        before = before.prev_named_sibling
    return None


def unescaped_doc(text: str) -> str:
    """A doc literal's text with its escapes undone as far as no line moves."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_doc_escape, text)


def _doc_escape(match: re.Match[str]) -> str:
    escaped = match.group(1)
    return "\n" if escaped == "\n" else match.group() if escaped in "ntr" else escaped
