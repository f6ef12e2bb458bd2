"""String literals as a reader sees them: the message of an error, the text of a doc."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from granum.extract.language import Spec
    from granum.extract.source import Source

_ESCAPE = re.compile(r"\\([\\'\"`ntr]|\n)")
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


def unescaped_doc(text: str) -> str:
    """A doc literal's text with its escapes undone as far as no line moves."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_doc_escape, text)


def _doc_escape(match: re.Match[str]) -> str:
    escaped = match.group(1)
    return "\n" if escaped == "\n" else match.group() if escaped in "ntr" else escaped
