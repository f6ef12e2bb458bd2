"""What a test's assertions exercise: the names of the code that they call, by themselves or to make what they look at.

``assert Ledger().post(3) == 3`` is evidence of ``Ledger.post``, as is ``assert ledger.post(3) == 3`` after
``ledger = Ledger()``, and ``assert total == 3`` after ``total = ledger.post(3)``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from granum.extract.types import is_class_name
from granum.model.layers import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from granum.extract.bindings import Bindings
    from granum.extract.language import Spec
    from granum.extract.references import Call
    from granum.extract.source import Source
    from granum.extract.symbols import Found
    from granum.model.layers import Import

#: Names of one assertion; one that calls more is about none of them.
MOST_NAMES = 8
#: How many locals a name is followed through: an object, what one of its methods gave, and what was read of that.
MOST_STEPS = 3

_ARGUMENTS = re.compile(r"\s*\([^()]*\)")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
#: The look-behind stands behind the first letter, so that the search runs from letter to letter.
_CHAIN = re.compile(r"[^\W\d](?<![\w.\"'].)\w*+(?:\.[^\W\d]\w*+)*+")


class Exercised:
    """The names that a test file's assertions exercise.

    Args:
        source: The file.
        spec: Its language.
        bindings: What its functions bind.
        calls: All its calls, by place.
        imports: What it imports.
        symbols: What it defines.
    """

    def __init__(
        self,
        source: Source,
        spec: Spec,
        bindings: Bindings,
        calls: Sequence[Call],
        imports: Sequence[Import],
        symbols: Iterable[Found],
    ) -> None:
        self._source = source
        self._receivers = frozenset(spec.definitions.receivers)
        self._bindings = bindings
        self._calls = calls
        self._starts = [node.start_byte for node, _ in calls]
        self._known: set[str] = set()
        self._attributes: dict[str, str] = {}
        for symbol in symbols:
            if "." not in symbol.qualified_name:
                self._known.add(symbol.name)
            elif symbol.kind is SymbolKind.ATTRIBUTE and _DOTTED.fullmatch(symbol.type_name):
                self._attributes.setdefault(symbol.name, symbol.type_name)
        self._imported = {
            item.local: f"{item.module}.{item.name}".strip(".") for item in imports if item.local and item.name != "*"
        }

    def names(self, first: Node, last: Node) -> tuple[str, ...]:
        """The dotted names that the code from one node to another exercises, those that it calls first."""
        start, end = first.start_byte, last.end_byte
        found: dict[str, None] = {}
        for name in dict.fromkeys(self._written(start, end)):
            found.update(dict.fromkeys(self._meant(name, start)))
            if len(found) >= MOST_NAMES:
                break
        return tuple(found)[:MOST_NAMES]

    def _written(self, start: int, end: int) -> Iterator[str]:
        """What is called, without arguments; then what else may be a local that a call has made."""
        called = self._calls[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        for _, text in called:
            if name := _without_arguments(text):
                yield name
        for chain in dict.fromkeys(_CHAIN.findall(self._source.slice(start, end))):
            first = chain.partition(".")[0]
            if first in self._receivers or self._local_type(first, start):
                yield chain

    def _meant(self, name: str, at: int) -> Iterator[str]:
        """The name by what its first part was made from, and by the module that it was imported from."""
        for _ in range(MOST_STEPS):
            first, _, rest = name.partition(".")
            if first in self._receivers:
                first, _, rest = rest.partition(".")
                type_name = self._attributes.get(first, "")
            else:
                type_name = self._local_type(first, at)
            if not type_name:
                break
            # what a function returned has members that belong to a class nobody named here
            name = f"{type_name}.{rest}" if rest and is_class_name(type_name) else type_name
        first, dot, rest = name.partition(".")
        if first in self._receivers:
            return
        origin = self._imported.get(first, "")
        if dot and (origin or first in self._known):
            yield name
        elif origin or first in self._known:
            yield first
        if origin and origin != first:
            yield f"{origin}{dot}{rest}"

    def _local_type(self, name: str, at: int) -> str:
        """The class or function that made a local, as written; empty for one that several may have made."""
        type_name = self._bindings.type_at(name, at)
        return type_name if type_name != name and _DOTTED.fullmatch(type_name) else ""


def _without_arguments(text: str) -> str:
    """``Ledger(1).post`` as ``Ledger.post``; empty where what is called hangs on no name."""
    while "(" in text:
        shorter = _ARGUMENTS.sub("", text)
        if shorter == text:
            return ""
        text = shorter
    return text if _DOTTED.fullmatch(text) else ""
