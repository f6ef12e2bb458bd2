"""What a test's assertions exercise: the names of the code that they call, by themselves or to make what they look at.

``assert Ledger().post(3) == 3`` is evidence of ``Ledger.post``, as is ``assert ledger.post(3) == 3`` after
``ledger = Ledger()``, and ``assert total == 3`` after ``total = ledger.post(3)``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

from granum.extract.types import is_class_name
from granum.model.layers import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
#: A chain of names begins a run of characters that stand in names, or before something that is none.
_CHAIN = re.compile(r"[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+")
_RUN = re.compile(r"[\w.\"']+")
#: What parts the runs of ASCII text, as blanks.
_PARTED = bytes(code if chr(code).isalnum() or chr(code) in "_.\"'" else ord(" ") for code in range(128)).ljust(256)
_ATTRIBUTE = SymbolKind.ATTRIBUTE


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
        self._starts = [call.start for call in calls]
        # what a name means is the same all over a function, unless an expression in it binds names of its own
        self._is_even = not bindings.has_inner
        self._known_meanings: dict[tuple[int, str], list[str]] = {}
        self._known: set[str] = set()
        self._attributes: dict[str, str] = {}
        for symbol in symbols:
            if "." not in symbol.qualified_name:
                self._known.add(symbol.name)
            elif symbol.kind is _ATTRIBUTE and _DOTTED.fullmatch(symbol.type_name):
                self._attributes.setdefault(symbol.name, symbol.type_name)
        self._imported = {
            item.local: f"{item.module}.{item.name}".strip(".") for item in imports if item.local and item.name != "*"
        }

    def names(self, start: int, end: int, owner: int) -> tuple[str, ...]:
        """The dotted names that the code between two bytes exercises, those that it calls first.

        Args:
            start: Its first byte.
            end: The byte behind it.
            owner: The definition around it.
        """
        bound = self._bindings.bound_in(owner)
        found: dict[str, None] = {}
        for name in self._written(start, end, owner, bound):
            found.update(dict.fromkeys(self._meant(name, start, owner, bound)))
            if len(found) >= MOST_NAMES:
                break
        return tuple(found)[:MOST_NAMES]

    def _written(self, start: int, end: int, owner: int, bound: Mapping[str, str]) -> dict[str, None]:
        """What is called, without arguments; then what else may be a local that a call has made."""
        called = self._calls[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        found = dict.fromkeys([_without_arguments(call.text) for call in called])
        text = self._source.slice(start, end)
        runs = text.encode().translate(_PARTED).decode().split() if text.isascii() else _RUN.findall(text)
        for run in dict.fromkeys(runs):
            first, chain = _chain(run)
            if first in self._receivers or (first in bound and self._local_type(first, start, owner)):
                found[chain] = None
        return found

    def _meant(self, name: str, at: int, owner: int, bound: Mapping[str, str]) -> Sequence[str]:
        """The name by what its first part was made from, and by the module that it was imported from."""
        first, _, rest = name.partition(".")
        if first in self._receivers:
            if rest.partition(".")[0] not in self._attributes:
                return ()
        elif first not in bound and first not in self._imported and first not in self._known:
            return ()
        key = owner if self._is_even else at, name
        meanings = self._known_meanings.get(key)
        if meanings is None:
            meanings = self._known_meanings[key] = list(self._meanings(self._followed(name, at, owner)))
        return meanings

    def _followed(self, name: str, at: int, owner: int) -> str:
        """The name with its first part replaced by what made it, as often as that is known."""
        for _ in range(MOST_STEPS):
            first, _, rest = name.partition(".")
            if first in self._receivers:
                first, _, rest = rest.partition(".")
                type_name = self._attributes.get(first, "")
            else:
                type_name = self._local_type(first, at, owner)
            if not type_name:
                break
            # what a function returned has members that belong to a class nobody named here
            name = f"{type_name}.{rest}" if rest and is_class_name(type_name) else type_name
        return name

    def _meanings(self, name: str) -> Iterator[str]:
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

    def _local_type(self, name: str, at: int, owner: int) -> str:
        """The class or function that made a local, as written; empty for one that several may have made."""
        type_name = self._bindings.type_of(name, owner)
        if type_name == name or self._bindings.is_inner(name, at):
            return ""
        return type_name if _DOTTED.fullmatch(type_name) else ""


@lru_cache(maxsize=1 << 14)
def _chain(run: str) -> tuple[str, str]:
    """The chain of names that a run of characters begins with, behind its first name; empty where it is none."""
    match = _CHAIN.match(run)
    return (match.group().partition(".")[0], match.group()) if match else ("", "")


@lru_cache(maxsize=1 << 14)
def _without_arguments(text: str) -> str:
    """``Ledger(1).post`` as ``Ledger.post``; empty where what is called hangs on no name."""
    while "(" in text:
        shorter = _ARGUMENTS.sub("", text)
        if shorter == text:
            return ""
        text = shorter
    return text if _DOTTED.fullmatch(text) else ""
