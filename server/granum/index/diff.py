"""What changed between the rows of a document and a new extraction of it; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Iterable, Mapping, Sequence

Key = TypeVar("Key", bound="Hashable")
Old = TypeVar("Old")
New = TypeVar("New")

#: The share of the words of two texts that must be common for one to be the successor of the other.
SUCCESSOR_SIMILARITY = 0.5
#: More pairs of texts than this are not compared: in a file that was rewritten no successor is evident, and a save
#: would wait for seconds.
MOST_PAIRS = 40_000

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
    groups: dict[Hashable, tuple[list[_Words], list[_Words]]] = {}
    for side, statements in enumerate((vanished, added)):
        for statement in statements:
            groups.setdefault(statement.group, ([], []))[side].append(_words(statement))
    found: dict[int, int] = {}
    taken: set[int] = set()
    pairs: list[tuple[float, int, int]] = []
    for before, after in groups.values():
        # first those of the same words: where a heading changed, all texts below it vanish and come back
        same = _of_same_words(_without(before, found), _without(after, taken))
        found.update(same)
        taken.update(same.values())
    for before, after in groups.values():
        pairs += _similar(_without(before, found), _without(after, taken))
    for _, before_id, after_id in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if before_id not in found and after_id not in taken:
            found[before_id] = after_id
            taken.add(after_id)
    return found


class _Words(NamedTuple):
    id: int
    words: frozenset[str]


def _words(statement: Statement) -> _Words:
    return _Words(statement.id, frozenset(_WORD.findall(statement.text.lower())))


def _without(statements: Sequence[_Words], ids: Container[int]) -> list[_Words]:
    return [statement for statement in statements if statement.id not in ids]


def _of_same_words(before: Sequence[_Words], after: Sequence[_Words]) -> dict[int, int]:
    """Pairs texts of the very same words, in the order of their ids."""
    free: dict[frozenset[str], list[int]] = {}
    for statement in sorted(after, key=lambda each: -each.id):
        free.setdefault(statement.words, []).append(statement.id)
    found: dict[int, int] = {}
    for statement in sorted(before):
        ids = free.get(statement.words)
        if ids and statement.words:
            found[statement.id] = ids.pop()
    return found


def _similar(before: Sequence[_Words], after: Sequence[_Words]) -> list[tuple[float, int, int]]:
    """The pairs that are similar enough, by common words in all words (Jaccard)."""
    if len(before) * len(after) > MOST_PAIRS:
        return []
    found: list[tuple[float, int, int]] = []
    for old in before:
        for new in after:
            smaller, larger = sorted((len(old.words), len(new.words)))
            if not smaller or smaller < larger * SUCCESSOR_SIMILARITY:
                continue
            common = len(old.words & new.words)
            similarity = common / (smaller + larger - common)
            if similarity >= SUCCESSOR_SIMILARITY:
                found.append((similarity, old.id, new.id))
    return found
