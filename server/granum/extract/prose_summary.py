"""Summaries of prose: one of the document, and of each top-level section where the document is long."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from granum.extract.segment import first_sentence as opening_of
from granum.extract.statement import Role, Statement
from granum.model.layers import (
    Granularity,
    Paragraph,
    Proposition,
    PropositionType,
    Reference,
    SourceKind,
    Summary,
)
from granum.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from granum.extract.outline import Outline
    from granum.extract.prose import Section

_T = TypeVar("_T")

KEY_SYMBOLS = 15
MOST_CONSTRAINTS = 12
MOST_LINKS = 15
MOST_SECTIONS = 40
#: Above so many tokens a document's top-level sections have summaries of their own.
LONG_DOCUMENT = 1500
#: A smaller section's text is its own best summary.
LONG_SECTION = 400

_COURTESY = re.compile(r"(?:many |first off, )?(?:thank|welcome|hi\b|hello|congratulations)", re.IGNORECASE)
_DECISION = re.compile(r"decision(?: outcome| taken)?\W*$", re.IGNORECASE)
_RULES = frozenset({PropositionType.CONSTRAINT, PropositionType.SECURITY_RULE})
_OPENING_ROLES = frozenset({Role.BODY, Role.SUMMARY, Role.NOTE, Role.ITEM})
#: A sentence is looked for in so many characters of so many statements.
_HEAD = 700
_TRIES = 6


def first_sentence(statements: Sequence[Statement]) -> str:
    """The first real sentence of the statements, markup stripped; empty if there is none near their beginning."""
    for statement in statements[:_TRIES]:
        if statement.role not in _OPENING_ROLES:
            continue
        text = normalise(opening_of(statement.text[:_HEAD]))
        if len(text) >= 20 and text.count(" ") >= 3 and not text.endswith(":") and not _COURTESY.match(text):
            return text
    return ""


def summarise_prose(
    path: str,
    outline: Outline,
    sections: Sequence[Section],
    paragraphs: Sequence[Paragraph],
    propositions: Sequence[Proposition],
    references: Sequence[Reference],
    statements: Sequence[Statement],
) -> tuple[Summary, ...]:
    """The document's summary, then one for each long top-level section of a long document."""
    if not paragraphs:
        return ()
    title = outline.title or (outline.headings[0].title if outline.headings else PurePosixPath(path).name)
    clusters = list(_clusters(sections))
    purpose = _purpose(clusters, statements)
    responsibilities = tuple(
        f"{cluster[0].path[-1]}: {sentence}"
        for cluster in clusters
        if (sentence := first_sentence(_within(statements, cluster)))
    )[:MOST_SECTIONS]
    names = [cluster[0].path[-1] for cluster in clusters][:MOST_SECTIONS]
    document = Summary(
        granularity=Granularity.DOCUMENT,
        key=path,
        start_line=paragraphs[0].start_line,
        end_line=paragraphs[-1].end_line,
        summary_text=_joined(title, purpose, names),
        purpose=purpose,
        key_symbols=_key_symbols(references),
        responsibilities=responsibilities,
        constraints_mentioned=_rules(propositions, 1, paragraphs[-1].end_line),
        important_interactions=_interactions(outline),
    )
    if sum(paragraph.token_count for paragraph in paragraphs) <= LONG_DOCUMENT or len(clusters) < 2:
        return (document,)
    return (document, *_cluster_summaries(title, clusters, paragraphs, propositions, references, statements))


def _purpose(clusters: Sequence[Sequence[Section]], statements: Sequence[Statement]) -> str:
    """What was decided, in a decision record; else the first sentence."""
    for cluster in clusters:
        if _DECISION.match(cluster[0].path[-1]):
            return first_sentence(_within(statements, cluster)) or first_sentence(statements)
    return first_sentence(statements)


def _cluster_summaries(
    title: str,
    clusters: Sequence[Sequence[Section]],
    paragraphs: Sequence[Paragraph],
    propositions: Sequence[Proposition],
    references: Sequence[Reference],
    statements: Sequence[Statement],
) -> Iterator[Summary]:
    seen: dict[str, int] = {}
    for cluster in clusters:
        first, last = cluster[0].start_line, cluster[-1].end_line
        size = sum(entry.token_count for entry in _between(paragraphs, first, last, _start))
        if size < LONG_SECTION:
            continue
        name = cluster[0].name
        seen[name] = seen.get(name, 0) + 1
        purpose = first_sentence(_within(statements, cluster))
        below = [section.path[-1] for section in cluster[1:]]
        yield Summary(
            granularity=Granularity.CHUNK,
            key=name if seen[name] == 1 else f"{name} ({seen[name]})",
            start_line=first,
            end_line=last,
            summary_text=_joined(f"{title}: {cluster[0].path[-1]}", purpose, below[:MOST_SECTIONS]),
            purpose=purpose,
            key_symbols=_key_symbols(_between(references, first, last, _line)),
            responsibilities=tuple(
                f"{section.path[-1]}: {sentence}"
                for section in cluster[1:]
                if (sentence := first_sentence(_within(statements, [section])))
            )[:MOST_SECTIONS],
            constraints_mentioned=_rules(propositions, first, last),
        )


def _clusters(sections: Sequence[Section]) -> Iterator[list[Section]]:
    """Each top-level section with those below it; a single title over everything is not counted as a level."""
    titled = [section for section in sections if section.path]
    tops = [section for section in titled if len(section.path) == 1]
    depth = 2 if len(tops) == 1 and titled[0] is tops[0] else 1
    cluster: list[Section] = []
    for section in titled:
        if len(section.path) <= depth:
            if cluster:
                yield cluster
            cluster = [section] if len(section.path) == depth else []
        elif cluster:
            cluster.append(section)
    if cluster:
        yield cluster


def _within(statements: Sequence[Statement], sections: Sequence[Section]) -> Sequence[Statement]:
    return _between(statements, sections[0].start_line, sections[-1].end_line, _start)


def _between(entries: Sequence[_T], first: int, last: int, line: Callable[[_T], int]) -> Sequence[_T]:
    """The entries, sorted by line, that begin on lines ``first`` to ``last``."""
    return entries[bisect_left(entries, first, key=line) : bisect_right(entries, last, key=line)]


def _start(entry: Statement | Paragraph) -> int:
    return entry.start_line


def _line(reference: Reference) -> int:
    return reference.line


def _first_place(proposition: Proposition) -> int:
    return proposition.occurrences[0].start_line


def _joined(title: str, purpose: str, sections: Sequence[str]) -> str:
    parts = [title, purpose, f"Sections: {'; '.join(sections)}." if sections else ""]
    return "\n".join(part for part in parts if part)


def _key_symbols(references: Sequence[Reference]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for reference in references:
        counts[reference.name] = counts.get(reference.name, 0) + 1
    # the dictionary keeps the order of first lines, and the sort keeps it among equal counts
    return tuple(sorted(counts, key=lambda name: -counts[name])[:KEY_SYMBOLS])


def _rules(propositions: Sequence[Proposition], first: int, last: int) -> tuple[str, ...]:
    there = _between(propositions, first, last, _first_place)
    found = [proposition for proposition in there if proposition.type in _RULES]
    found.sort(key=lambda proposition: proposition.source is SourceKind.TABLE)  # a table's rows come in masses
    return tuple(proposition.text for proposition in found[:MOST_CONSTRAINTS])


def _interactions(outline: Outline) -> tuple[str, ...]:
    """The documents it links to, in order."""
    local = (link for link in outline.links if "://" not in link and not link.startswith("mailto:"))
    return tuple(dict.fromkeys(local))[:MOST_LINKS]
