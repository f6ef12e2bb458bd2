"""Dotted names and annotations as written, and the names that no workspace defines."""

from __future__ import annotations

import builtins
import re
import sys
from functools import lru_cache

#: Names that Python itself binds in every module.
BUILTINS = frozenset(dir(builtins))
#: Members of the types that most objects are of: ``text.split`` of an unknown ``text`` is a string's, not a namesake's.
BUILTIN_MEMBERS = frozenset(
    name for kind in (str, bytes, int, float, list, tuple, dict, set, BaseException) for name in dir(kind)
)

#: Top-level modules of the standard library, of the Python that runs Granum.
STANDARD_LIBRARY = frozenset(sys.stdlib_module_names)

#: The step that stands for a call in a split name: ``make().x`` is ``("make", "()", "x")``.
CALL = "()"

#: Type constructors whose meaning is that of their arguments.
_TRANSPARENT = frozenset({"Optional", "Union", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly"})

#: Wrappers around a result that code gets at before it uses the name's attributes.
_AWAITED = frozenset({"Awaitable", "Coroutine"})

_STEP = re.compile(r"\w+|\(\)|[^\w.\s]+")
_ANNOTATION_TOKEN = re.compile(r"[\w.]+|[\[\]|,]")


@lru_cache(maxsize=65536)
def split(name: str) -> tuple[str, ...]:
    """The steps of a dotted name; an empty tuple when it holds anything but identifiers, dots and ``()``.

    ``super().save`` gives ``("super", "()", "save")``.
    """
    steps = tuple(_STEP.findall(name))
    return steps if all(step == CALL or step.isidentifier() for step in steps) else ()


@lru_cache(maxsize=16384)
def annotated_types(annotation: str) -> tuple[str, ...]:
    """The dotted names of the classes that an annotation (or a called constructor's name) may stand for.

    Quotes, ``Optional``, ``Union``, ``X | None``, ``Annotated`` and the like are taken off; a generic stands
    for its origin. ``type[X]`` gives ``"type[X]"``: the class itself, not an instance. Empty when unknown.
    """
    tokens = _ANNOTATION_TOKEN.findall(annotation.replace('"', "").replace("'", ""))
    names, _ = _alternatives(tokens, 0)
    return tuple(dict.fromkeys(name for name in names if name != "None"))


def _alternatives(tokens: list[str], at: int) -> tuple[list[str], int]:
    """Reads ``A | B[C]`` up to a comma or a closing bracket."""
    names: list[str] = []
    while at < len(tokens) and tokens[at] not in {"]", ","}:
        token = tokens[at]
        at += 1
        if token in {"|", "["}:
            continue
        arguments: list[list[str]] = []
        if at < len(tokens) and tokens[at] == "[":
            arguments, at = _arguments(tokens, at + 1)
        names += _meaning(token, arguments)
    return names, at


def _arguments(tokens: list[str], at: int) -> tuple[list[list[str]], int]:
    arguments: list[list[str]] = []
    while at < len(tokens) and tokens[at] != "]":
        names, at = _alternatives(tokens, at)
        arguments.append(names)
        if at < len(tokens) and tokens[at] == ",":
            at += 1
    return arguments, at + 1


def _meaning(origin: str, arguments: list[list[str]]) -> list[str]:
    last = origin.rpartition(".")[2]
    if last in _TRANSPARENT:
        chosen = arguments if last == "Union" else arguments[:1]
        return [name for names in chosen for name in names]
    if last in _AWAITED and arguments:
        return arguments[-1]
    if last in {"type", "Type"} and arguments:
        return [f"type[{name}]" for name in arguments[0]]
    return [origin]


def module_steps(module: str) -> tuple[str, ...]:
    """The parts of a module's dotted name; empty for the empty name."""
    return tuple(module.split(".")) if module else ()
