"""The name of a type, as an annotation or a constructor writes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from granum.extract.language import Spec
    from granum.extract.source import Source

_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_CLASS_NAME = re.compile(r"(?:.*\.)?_*[A-Z]\w*$")
#: What an annotation that names types is made of.
_ANNOTATION = re.compile(r"[^\W\d][\w.\[\]|,\s\"'()]*$")
#: A longer annotation is a structure, no name to follow.
LONGEST_ANNOTATION = 120
#: Brackets and ``await`` around a call, at most.
_DEEPEST = 4


def annotated(annotation: str, spec: Spec) -> str:
    """An annotation as written, without white space beside marks and without quotes; empty where it names no type."""
    text = annotation.strip().strip("\"'").strip()
    if len(text) > LONGEST_ANNOTATION or text in spec.definitions.constants or not _ANNOTATION.match(text):
        return ""
    return " ".join(text.replace("'", "").replace('"', "").split())


def constructed(value: Node | None, source: Source, spec: Spec) -> str:
    """The dotted name of the class or function that an expression calls; empty where it is no such call.

    Of ``x or Foo()`` it is that of the part that is a call; of ``Foo() if x else Bar()`` both, as ``Foo | Bar``.
    """
    for _ in range(_DEEPEST):
        if value is None or value.type in spec.definitions.constructions:
            break
        if value.type in spec.definitions.alternatives:
            ends = (value.named_children[0], value.named_children[-1])
            return " | ".join(dict.fromkeys(filter(None, (constructed(end, source, spec) for end in ends))))
        value = value.named_children[0] if value.type in spec.definitions.transparent and value.named_children else None
    function = value.child_by_field_name("function") if value is not None else None
    if function is None:
        return ""
    name = source.slice(function.start_byte, function.end_byte)
    return name if _DOTTED.fullmatch(name) else ""


def is_class_name(name: str) -> bool:
    """Whether a dotted name is spelled as classes are."""
    return _CLASS_NAME.match(name) is not None


def caught(value: Node, source: Source) -> str:
    """The class that an expression names, as ``except X as error`` does; empty unless it looks like a class."""
    name = source.slice(value.start_byte, value.end_byte)
    return name if _DOTTED.fullmatch(name) and is_class_name(name) else ""
