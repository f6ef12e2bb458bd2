"""``textDocument/hover``: what an ordinary language server does not show.

The signature and the doc comment are its business. Here stand rules, risks, decisions, test evidence and what
comments and documents say of the symbol, each with the line that it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types

from granum.lsp import markup
from granum.lsp.convert import lsp_range
from granum.model.layers import Freshness, PropositionType, SourceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from granum.lsp.convert import Translation
    from granum.lsp.params import PositionParams
    from granum.lsp.reading import Point, Reading
    from granum.model.answers import Candidate, Fact, Facts

#: What a doc comment merely tells of its own symbol; every language server shows that already.
_SHOWN_ELSEWHERE = frozenset(
    {PropositionType.BEHAVIOR, PropositionType.IMPLEMENTATION_DETAIL, PropositionType.PROCEDURE}
)
_PRIORITY = {kind: place for place, kind in enumerate(PropositionType)}
MAX_CANDIDATES = 5


class Line(NamedTuple):
    """One fact as it is shown."""

    label: str
    text: str
    where: str
    uri: str
    line: int
    marks: str


def hover(reading: Reading, params: PositionParams) -> types.Hover | None:
    """The facts of the symbol under the cursor; None when there is nothing to add."""
    settings = reading.settings.hover
    site = reading.folders.find(params.text_document.uri)
    if site is None or not settings.enabled:
        return None
    point = reading.point_at(site, params.position)
    found = site.workspace.facts_at(site.path, point.line, point.column, include_context=False, token=reading.token)
    if found.resolution.symbol is None:
        return _ambiguous(reading, point, found.resolution.candidates, found)
    shown = worth_showing(found)
    if not shown:
        return None
    lines = [_line(fact, point.translation) for fact in shown[: settings.max_facts]]
    text = _render(found.resolution.symbol.fqn, lines, len(shown) - len(lines), reading.flags.hover_markdown)
    return _hover(text, reading, point, found)


def worth_showing(found: Facts) -> list[Fact]:
    """The facts that a hover shows: by type in order of priority, then by confidence, each text once.

    A failure that another definition raises tells of that definition, though it names an exception's class.
    """
    own = [fact for fact in found.facts if fact.source is not SourceKind.DOCSTRING or fact.type not in _SHOWN_ELSEWHERE]
    elsewhere = [fact for fact in found.mentions if fact.source is not SourceKind.RAISE]
    unique = {fact.hash: fact for fact in reversed([*own, *elsewhere])}
    return sorted(
        unique.values(), key=lambda fact: (_PRIORITY[fact.type], -fact.confidence, fact.path, fact.start_line)
    )


def _line(fact: Fact, translation: Translation) -> Line:
    return Line(
        label=fact.type.value.replace("_", " "),
        text=fact.text,
        where=f"{fact.path}:{fact.start_line}",
        uri=translation.uri(fact.path),
        line=fact.start_line,
        marks=", ".join(_marks(fact)),
    )


def _marks(fact: Fact) -> Iterable[str]:
    if fact.unsaved:
        yield "unsaved"
    elif fact.freshness is not Freshness.FRESH:
        yield markup.mark(fact.freshness)
    if fact.also:
        yield f"also in {fact.also} more file{'s' if fact.also > 1 else ''}"


def _render(name: str, lines: Sequence[Line], more: int, markdown: bool) -> str:
    if markdown:
        shown = [f"**Granum** {markup.code(name)}", "", *map(_markdown, lines)]
        return "\n".join([*shown, f"- *and {more} more*"] if more > 0 else shown)
    shown = [f"Granum: {markup.one_line(name)}", *map(_plain, lines)]
    return "\n".join([*shown, f"- and {more} more"] if more > 0 else shown)


def _markdown(line: Line) -> str:
    marks = f" *({line.marks})*" if line.marks else ""
    return f"- **{line.label}** {markup.escape(line.text)} — {markup.link(line.where, line.uri, line.line)}{marks}"


def _plain(line: Line) -> str:
    marks = f" ({line.marks})" if line.marks else ""
    return f"- {line.label}: {markup.one_line(line.text)} [{markup.one_line(line.where)}]{marks}"


def _ambiguous(reading: Reading, point: Point, candidates: Sequence[Candidate], found: Facts) -> types.Hover | None:
    """Which definitions may be meant, with their counts; nothing that would be certain only of one of them."""
    counted: list[tuple[str, int]] = []
    for candidate in candidates[:MAX_CANDIDATES]:
        facts = point.site.workspace.facts_of(candidate.symbol.fqn, include_context=False, token=reading.token)
        counted.append((candidate.symbol.fqn, len(worth_showing(facts))))
    if not any(count for _, count in counted):
        return None
    markdown = reading.flags.hover_markdown
    name = markup.code(found.resolution.name) if markdown else markup.one_line(found.resolution.name)
    shown = [
        f"- {markup.code(fqn) if markdown else markup.one_line(fqn)}: {count} fact{'' if count == 1 else 's'}"
        for fqn, count in counted
    ]
    if len(candidates) > len(counted):
        shown.append(f"- and {len(candidates) - len(counted)} more")
    title = "**Granum**" if markdown else "Granum:"
    return _hover("\n".join([f"{title} {name} may be", "", *shown]), reading, point, found)


def _hover(text: str, reading: Reading, point: Point, found: Facts) -> types.Hover:
    kind = types.MarkupKind.Markdown if reading.flags.hover_markdown else types.MarkupKind.PlainText
    at = found.resolution
    span = point.translation.span(point.site.path, at.line, at.column, at.end_column) if at.line else None
    return types.Hover(
        contents=types.MarkupContent(kind=kind, value=text), range=None if span is None else lsp_range(span)
    )
