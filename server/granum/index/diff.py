"""What changed between the rows of a document and a new extraction of it; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

Key = TypeVar("Key", bound="Hashable")
Old = TypeVar("Old")
New = TypeVar("New")

#: The share of the words of two texts that must be common for one to be the successor of the other.
SUCCESSOR_SIMILARITY = 0.5

_WORD = re.compile(r"[^\W_]+")


class Delta(NamedTuple, Generic[Key, Old, New]):
    """Rows by what happens to them; ``kept`` pairs are compared by the caller."""

    added: list[New]
    kept: list[tuple[Old, New]]
    vanished: list[Old]


class Statement(NamedTuple):
    """A text that may succeed another; ``group`` holds what both must have in common."""

    id: int
    group: Hashable
    text: str


def by_key(old: Mapping[Key, Old], new: Iterable[tuple[Key, New]]) -> Delta[Key, Old, New]:
    """Pairs rows of equal key. The new keys must be distinct."""
    added: list[New] = []
    kept: list[tuple[Old, New]] = []
    seen: set[Key] = set()
    for key, row in new:
        found = old.get(key)
        if found is None:
            added.append(row)
        else:
            kept.append((found, row))
            seen.add(key)
    return Delta(added, kept, [row for key, row in old.items() if key not in seen])


def by_order(old: Mapping[Key, Sequence[Old]], new: Iterable[tuple[Key, New]]) -> Delta[Key, Old, New]:
    """Pairs rows of equal key in their order, for rows whose key comes more than once."""
    added: list[New] = []
    kept: list[tuple[Old, New]] = []
    used: dict[Key, int] = {}
    for key, row in new:
        rows = old.get(key, ())
        at = used.get(key, 0)
        if at < len(rows):
            kept.append((rows[at], row))
            used[key] = at + 1
        else:
            added.append(row)
    return Delta(added, kept, [row for key, rows in old.items() for row in rows[used.get(key, 0) :]])


def successors(vanished: Sequence[Statement], added: Sequence[Statement]) -> dict[int, int]:
    """Which added text evidently takes the place of which vanished one: id to id.

    Of the texts in the same group the one that shares most words, if it shares at least ``SUCCESSOR_SIMILARITY`` of
    the words of both together. The best pairs are matched first and each text once, so that two edited sentences are
    not both succeeded by one.
    """
    groups: dict[Hashable, list[Statement]] = {}
    for statement in added:
        groups.setdefault(statement.group, []).append(statement)
    pairs = [
        (similarity, before.id, after.id)
        for before in vanished
        for after in groups.get(before.group, ())
        if (similarity := _similarity(before.text, after.text)) >= SUCCESSOR_SIMILARITY
    ]
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, before_id, after_id in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if before_id not in found and after_id not in taken:
            found[before_id] = after_id
            taken.add(after_id)
    return found


def _similarity(before: str, after: str) -> float:
    """Common words by all words (Jaccard), without regard to case."""
    first, second = (frozenset(_WORD.findall(text.lower())) for text in (before, after))
    return len(first & second) / len(first | second) if first or second else 0.0
