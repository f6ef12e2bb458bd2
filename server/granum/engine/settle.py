"""Answers that were read from the index, brought in line with what the documents are now.

Each value that cites lines says afterwards how fresh it is: FRESH at the lines where it stands now, STALE where it
stands no more or where that could not be found out in time, UNKNOWN where its file could not be looked at.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from granum.model.answers import Candidate, Facts
from granum.model.layers import Freshness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from granum.engine.edition import Edition
    from granum.engine.present import Survey
    from granum.model.answers import Edge, Fact, LensCount, Resolution, SummaryView, SymbolInfo
    from granum.model.layers import PropositionType

replace = msgspec.structs.replace


def symbols(rows: Iterable[SymbolInfo], survey: Survey) -> tuple[SymbolInfo, ...]:
    """Definitions where they stand now."""
    rows = tuple(rows)
    sights = survey.of(row.path for row in rows)
    return tuple(_symbol(row, *sights[row.path]) for row in rows)


def _symbol(row: SymbolInfo, freshness: Freshness, edition: Edition | None) -> SymbolInfo:
    if row.id <= 0:  # made from the text as it is now
        return row
    return replace(row, freshness=freshness) if edition is None else edition.symbol(row)


def resolution(found: Resolution, survey: Survey) -> Resolution:
    """What a name stands for, as fresh as its worst definition."""
    rows = [found.symbol] if found.symbol is not None else []
    rows += [candidate.symbol for candidate in found.candidates]
    settled = symbols(rows, survey)
    meant = settled[0] if found.symbol is not None else None
    others = settled[1:] if found.symbol is not None else settled
    candidates = tuple(
        Candidate(symbol=symbol, confidence=candidate.confidence, reason=candidate.reason)
        for candidate, symbol in zip(found.candidates, others, strict=True)
    )
    worst = Freshness.worst(symbol.freshness for symbol in settled)
    return replace(found, symbol=meant, candidates=candidates, freshness=worst)


def facts(rows: Sequence[Fact], survey: Survey, *, of_whom: bool = True) -> tuple[Fact, ...]:
    """Facts where they stand now, in their order; ``of_whom`` as for ``Edition.facts``."""
    sights = survey.of(row.path for row in rows if not row.is_stale)
    edited: defaultdict[str, list[int]] = defaultdict(list)
    found = list(rows)
    for at, row in enumerate(rows):
        if row.is_stale:
            continue
        freshness, edition = sights[row.path]
        if edition is None:
            found[at] = replace(row, freshness=freshness)
        else:
            edited[row.path].append(at)
    for path, places in edited.items():
        edition = sights[path].edition
        if edition is not None:
            for at, fact in zip(places, edition.facts([rows[at] for at in places], of_whom=of_whom), strict=True):
                found[at] = fact
    return tuple(found)


def edges(rows: Sequence[Edge], survey: Survey) -> tuple[Edge, ...]:
    """References where they stand now, and the definitions at both ends."""
    ends = symbols((end for row in rows for end in (row.source, row.target) if end is not None), survey)
    ends_by_id = {end.id: end for end in ends}
    sights = survey.of(row.path for row in rows)
    lines = _reference_lines([row for row in rows if sights[row.path].edition is not None], survey)
    found = []
    for row in rows:
        freshness, edition = sights[row.path]
        line = row.line if edition is None else lines.get((row.path, row.kind, row.name, row.line))
        found.append(
            replace(
                row,
                source=None if row.source is None else ends_by_id[row.source.id],
                target=None if row.target is None else ends_by_id[row.target.id],
                line=row.line if line is None else line,
                freshness=freshness if edition is None else Freshness.STALE if line is None else Freshness.FRESH,
            )
        )
    return tuple(found)


def _reference_lines(rows: Sequence[Edge], survey: Survey) -> dict[tuple[str, str, str, int], int]:
    """The lines now of references in changed documents, by path, kind, name and line in the index."""
    found: dict[tuple[str, str, str, int], int] = {}
    by_path: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        by_path[row.path].add(row.name)
    for path, names in by_path.items():
        edition = survey.at(path).edition
        if edition is None:
            continue
        for key, before in survey.snapshot.reference_lines(path, sorted(names)).items():
            moved = edition.reference_lines(key, before)
            found.update(((path, key[0], key[1], line), now) for line, now in moved.items())
    return found


def lenses(path: str, survey: Survey) -> tuple[LensCount, ...]:
    """Counts above a document's definitions; those of a changed text are its own."""
    freshness, edition = survey.at(path)
    if edition is not None:
        return tuple(edition.lenses())
    rows = survey.snapshot.lens_counts(path)
    return tuple(replace(row, symbol=replace(row.symbol, freshness=freshness)) for row in rows)


def definitions(path: str, survey: Survey) -> tuple[SymbolInfo, ...]:
    """A document's definitions; those of a changed text are its own."""
    freshness, edition = survey.at(path)
    if edition is not None:
        return edition.symbols
    return tuple(replace(row, freshness=freshness) for row in survey.snapshot.symbols_of(path))


def whole(found: Facts, survey: Survey, types: Collection[PropositionType] | None) -> Facts:
    """What is known of a symbol, with the facts, of these types, that only a changed text of its document holds."""
    meant = resolution(found.resolution, survey)
    if meant.symbol is None:
        return Facts(resolution=meant, freshness=meant.freshness)
    own = facts(found.facts, survey)
    edition = survey.at(meant.symbol.path).edition
    if edition is not None:
        own += tuple(fact for fact in edition.added_about(meant.symbol, own) if types is None or fact.type in types)
    settled = Facts(
        resolution=meant,
        facts=own,
        mentions=facts(found.mentions, survey, of_whom=False),
        summary=None if found.summary is None else _summary(found.summary, survey),
        callers=edges(found.callers, survey),
        callees=edges(found.callees, survey),
    )
    return replace(settled, freshness=Freshness.worst(_states(settled, meant.symbol)))


def _summary(row: SummaryView, survey: Survey) -> SummaryView:
    freshness, edition = survey.at(row.path)
    return replace(row, freshness=freshness) if edition is None else edition.summary(row)


def _states(found: Facts, symbol: SymbolInfo) -> Iterator[Freshness]:
    yield symbol.freshness
    yield from (fact.freshness for fact in (*found.facts, *found.mentions) if not fact.is_stale)
    yield from (edge.freshness for edge in (*found.callers, *found.callees))
    if found.summary is not None:
        yield found.summary.freshness
