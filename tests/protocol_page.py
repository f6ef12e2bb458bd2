"""How docs/protocol.md spells the types of wire.py."""

from __future__ import annotations

import types
import typing
from enum import Enum
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", dict: "object"}


def spell_type(hint: Any) -> str:
    """A type as the page names it."""
    origin = typing.get_origin(hint)
    if origin is tuple:
        return f"{spell_type(typing.get_args(hint)[0])}[]"
    if origin in (typing.Union, types.UnionType):
        return " \\| ".join(map(spell_type, typing.get_args(hint)))
    if origin is dict:
        return f"object of {spell_type(typing.get_args(hint)[1])}"
    if origin is typing.Literal:
        return " or ".join(f'`"{value}"`' for value in typing.get_args(hint))
    return _PLAIN.get(hint) or f"`{hint.__name__}`"


def spell_default(field: msgspec.structs.FieldInfo) -> str:
    """A field's default as the page names it; fields without one are required in params and always there in results."""
    if field.required:
        return "-"
    default = field.default if field.default is not msgspec.NODEFAULT else ()
    return f"`{msgspec.json.encode(default).decode()}`"


def enums_of(struct: type[msgspec.Struct]) -> Iterator[type[Enum]]:
    """The enumerations that a type's fields use."""
    waiting = list(typing.get_type_hints(struct).values())
    while waiting:
        hint = waiting.pop()
        if isinstance(hint, type) and issubclass(hint, Enum):
            yield hint
        waiting.extend(typing.get_args(hint))
