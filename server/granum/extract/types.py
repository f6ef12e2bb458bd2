"""The name of a type, as an annotation or a constructor writes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from granum.extract.language import Spec
    from granum.extract.source import Source

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")
_CLASS_NAME = re.compile(r"(?:.*\.)?_*[A-Z]\w*$")
#: Annotations nest; past this many wrappers there is no name worth having.
_DEEPEST = 6


def annotated(annotation: str, spec: Spec) -> str:
    """The dotted name in an annotation that counts: ``Optional["Foo"]``, ``Foo | None`` and ``Foo[int]`` are Foo."""
    text = annotation
    for _ in range(_DEEPEST):
        text = text.strip().strip("\"'").strip()
        match = _DOTTED.match(text)
        if not match:
            return ""
        name = re.sub(r"\s+", "", match.group())
        rest = text[match.end() :].lstrip()
        is_null = name in spec.definitions.null_types
        is_wrapper = name.rpartition(".")[2] in spec.definitions.type_wrappers
        if (is_null and rest.startswith("|")) or (is_wrapper and rest.startswith("[")):
            text = rest[1:]
        else:
            return "" if is_null else name
    return ""


def constructed(value: Node | None, source: Source, spec: Spec) -> str:
    """The class that an expression calls; empty unless it looks like one (its last name is capitalised)."""
    if value is None or value.type not in spec.definitions.constructions:
        return ""
    function = value.child_by_field_name("function")
    if function is None:
        return ""
    name = source.slice(function.start_byte, function.end_byte)
    return name if _DOTTED.fullmatch(name) and _CLASS_NAME.match(name) else ""
