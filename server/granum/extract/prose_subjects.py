"""Which objects a Sphinx directive describes, for the propositions in its description."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from granum.extract.outline import NamedObject
    from granum.model.layers import Proposition

#: An owner is looked for among so many objects before a line: a class with more members loses it.
FARTHEST_OWNER = 200


def with_subjects(propositions: Sequence[Proposition], objects: Sequence[NamedObject]) -> tuple[Proposition, ...]:
    """Adds the names that a directive describes to the mentions of each proposition in its description."""
    if not objects:
        return tuple(propositions)
    shared = _shared(objects)
    starts = [described.line for described in shared]
    return tuple(_with_subject(proposition, shared, starts) for proposition in propositions)


def _shared(objects: Sequence[NamedObject]) -> list[NamedObject]:
    """The objects, those on adjacent lines with the one description that stands below the last of them."""
    found: list[NamedObject] = []
    for described in reversed(objects):
        below = found[-1] if found else None
        if below is not None and described.line + 1 == below.line and described.end_line < below.end_line:
            found.append(msgspec.structs.replace(described, end_line=below.end_line))
        else:
            found.append(described)
    return found[::-1]


def _with_subject(proposition: Proposition, objects: Sequence[NamedObject], starts: Sequence[int]) -> Proposition:
    names = [name for place in proposition.occurrences for name in _around(place.start_line, objects, starts)]
    added = tuple(name for name in dict.fromkeys(names) if name not in proposition.mentions)
    return msgspec.structs.replace(proposition, mentions=proposition.mentions + added) if added else proposition


def _around(line: int, objects: Sequence[NamedObject], starts: Sequence[int]) -> list[str]:
    """The innermost object whose description holds the line, and those that share it; looks back a bounded way."""
    last = bisect_right(starts, line)
    for index in range(last - 1, max(-1, last - FARTHEST_OWNER), -1):
        if objects[index].end_line >= line:
            return [objects[index].name, *_sharers(objects, index)]
    return []


def _sharers(objects: Sequence[NamedObject], index: int) -> Iterator[str]:
    while index and objects[index - 1].line + 1 == objects[index].line:
        if objects[index - 1].end_line != objects[index].end_line:
            return
        index -= 1
        yield objects[index].name
