"""The rows of paragraphs and propositions: updated in place, gone stale, revived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.diff import Statement, by_key, successors
from granum.index.fts import Indexed, paragraph_values, proposition_values
from granum.index.schema import STALE_TWINS, UNIT_SEPARATOR
from granum.index.stored import ParagraphBody, Place, PropositionBody
from granum.text.tokens import camel_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from granum.index.stored import ParagraphKey, Stored, StoredParagraph, StoredProposition
    from granum.index.target import Target
    from granum.model.layers import Paragraph, Proposition

_PARAGRAPHS, _PROPOSITIONS = "paragraph_fts", "proposition_fts"


class WrittenParagraph:
    """A paragraph of the extraction with its row's id; ``parts`` are worked out when first asked for."""

    __slots__ = ("_parts", "body", "id")

    def __init__(self, row_id: int, body: ParagraphBody) -> None:
        self.id = row_id
        self.body = body
        self._parts: str | None = None

    @property
    def parts(self) -> str:
        """The parts of the text's camelCase identifiers."""
        if self._parts is None:
            self._parts = camel_parts(self.body.text)
        return self._parts


def put_paragraphs(target: Target, stored: Stored, paragraphs: Sequence[Paragraph]) -> list[WrittenParagraph]:
    """Works out the paragraphs' rows; returns them in the order of the extraction."""
    keyed = _keyed(paragraphs)
    written = [WrittenParagraph(0, _paragraph_body(paragraph)) for paragraph in paragraphs]
    delta = by_key(stored.paragraphs, ((key, index) for index, key in enumerate(keyed)))
    for old, index in delta.kept:
        written[index].id = old.id
        _keep_paragraph(target, stored.module, old, _place(paragraphs[index]), written[index])
    for index in delta.added:
        written[index].id = target.sequences.take("paragraph")
        _add_paragraph(target, keyed[index], _place(paragraphs[index]), written[index])
    vanished = [old for old in delta.vanished if not old.is_stale]
    arrived = [*delta.added, *(index for old, index in delta.kept if old.is_stale)] if vanished else []
    following = successors(
        [Statement(old.id, old.key[0], old.body.text) for old in vanished],
        [Statement(written[index].id, keyed[index][0], written[index].body.text) for index in arrived],
    )
    for old in vanished:
        _stale_paragraph(target, stored.module, old, following.get(old.id))
    return written


def put_propositions(
    target: Target,
    stored: Stored,
    propositions: Sequence[Proposition],
    written: Sequence[WrittenParagraph],
    symbol_at: Callable[[str, int], tuple[int | None, str]],
) -> None:
    """Works out the propositions' rows, their places and mentions.

    Args:
        target: The document.
        stored: Its rows as they stand.
        propositions: Those of the extraction.
        written: The extraction's paragraphs.
        symbol_at: Finds the id and the local name of the symbol of this name around a line.
    """
    rows = {bytes.fromhex(proposition.hash): proposition for proposition in propositions}
    before = _Before(stored)
    by_id = {paragraph.id: paragraph for paragraph in written}
    delta = by_key(stored.propositions, ((key, (key, row)) for key, row in rows.items()))
    arrived: list[Statement] = []
    for content, proposition in delta.added:
        places, names = _places(proposition, written, symbol_at)
        row_id = target.sequences.take("proposition")
        body = _proposition_body(proposition)
        target.changes.add(sql.INSERT_PROPOSITION, row_id, target.document_id, target.version_id, content, *body)
        target.changes.extend(sql.INSERT_OCCURRENCE, [(row_id, *place) for place in places])
        target.changes.extend(sql.INSERT_MENTION, [(name, row_id) for name in sorted(last_names(body.mentions))])
        _index(target, _PROPOSITIONS, row_id, _values(body.text, names, places, by_id, target.module))
        arrived.extend(_statements(row_id, body, places))
        target.tally.added += 1
    for old, (_, proposition) in delta.kept:
        places, names = _places(proposition, written, symbol_at)
        values = _values(proposition.text, names, places, by_id, target.module)
        _keep_proposition(target, old, _proposition_body(proposition), places, values, before)
        if old.is_stale:
            arrived.extend(_statements(old.id, old.body, places))
    _stale_propositions(target, [old for old in delta.vanished if not old.is_stale], arrived, before)


def stale_everything(target: Target, stored: Stored) -> None:
    """Makes all paragraphs and propositions of a vanished document stale."""
    for paragraph in stored.paragraphs.values():
        if not paragraph.is_stale:
            _stale_paragraph(target, stored.module, paragraph, None)
    live = [row for row in stored.propositions.values() if not row.is_stale]
    _stale_propositions(target, live, [], _Before(stored))


class _Before:
    """What the full-text rows of the stored propositions were made from."""

    def __init__(self, stored: Stored) -> None:
        self._module = stored.module
        self._bodies = {row.id: row for row in stored.paragraphs.values()}
        self._symbols = stored.symbol_names()

    def values(self, row: StoredProposition) -> Indexed:
        names = [self._symbols.get(place[3] or 0, "") for place in row.places]
        return _values(row.body.text, names, row.places, self._bodies, self._module)


def _keep_paragraph(
    target: Target, module: str, old: StoredParagraph, place: tuple[int, int, int], new: WrittenParagraph
) -> None:
    if old.is_stale or old.body != new.body:
        version = target.version_id
        target.changes.add(sql.REWRITE_PARAGRAPH, version, *place, *new.body, old.id)
        if old.is_stale:
            target.tally.revived += 1
        else:
            target.tally.updated += 1
    elif old.place != place:
        target.changes.add(sql.MOVE_PARAGRAPH, *place, old.id)
    if old.is_stale:
        target.changes.add(sql.fts_delete(STALE_TWINS[_PARAGRAPHS]), old.id)
    elif old.body != new.body or module != target.module:
        target.changes.add(sql.fts_delete(_PARAGRAPHS), old.id)
    else:
        return
    _index(target, _PARAGRAPHS, old.id, paragraph_values(new.body, target.module, new.parts))


def _add_paragraph(target: Target, key: ParagraphKey, place: tuple[int, int, int], new: WrittenParagraph) -> None:
    target.changes.add(sql.INSERT_PARAGRAPH, new.id, target.document_id, target.version_id, *key, *place, *new.body)
    _index(target, _PARAGRAPHS, new.id, paragraph_values(new.body, target.module, new.parts))
    target.tally.added += 1


def _stale_paragraph(target: Target, module: str, old: StoredParagraph, successor: int | None) -> None:
    target.changes.add(sql.STALE_PARAGRAPH, target.now, successor, old.id)
    _retire(target, _PARAGRAPHS, old.id, paragraph_values(old.body, module))


def _keep_proposition(
    target: Target,
    old: StoredProposition,
    body: PropositionBody,
    places: tuple[Place, ...],
    values: Indexed,
    before: _Before,
) -> None:
    if old.is_stale or old.body != body:
        target.changes.add(sql.REWRITE_PROPOSITION, *body, old.id)
    known, wanted = set(old.places), set(places)
    target.changes.extend(sql.DELETE_OCCURRENCE, [(old.id, *place[:3]) for place in sorted(known - wanted, key=repr)])
    target.changes.extend(sql.INSERT_OCCURRENCE, [(old.id, *place) for place in places if place not in known])
    _put_mentions(target, old, body)
    if old.is_stale:
        target.changes.add(sql.fts_delete(STALE_TWINS[_PROPOSITIONS]), old.id)
        target.tally.revived += 1
    elif values != before.values(old):
        target.changes.add(sql.fts_delete(_PROPOSITIONS), old.id)
        target.tally.updated += 1
    else:
        return
    _index(target, _PROPOSITIONS, old.id, values)


def _put_mentions(target: Target, old: StoredProposition, body: PropositionBody) -> None:
    if old.body.mentions == body.mentions:
        return
    known, wanted = last_names(old.body.mentions), last_names(body.mentions)
    target.changes.extend(sql.DELETE_MENTION, [(name, old.id) for name in sorted(known - wanted)])
    target.changes.extend(sql.INSERT_MENTION, [(name, old.id) for name in sorted(wanted - known)])


def _stale_propositions(
    target: Target, vanished: Sequence[StoredProposition], arrived: Sequence[Statement], before: _Before
) -> None:
    if not vanished:
        return
    leaving = [statement for old in vanished for statement in _statements(old.id, old.body, old.places)]
    following = successors(leaving, arrived)
    for old in vanished:
        target.changes.add(sql.STALE_PROPOSITION, target.now, following.get(old.id), old.id)
        _retire(target, _PROPOSITIONS, old.id, before.values(old))


def _index(target: Target, table: str, row_id: int, values: Indexed) -> None:
    target.changes.add(sql.fts_insert(table), row_id, *values)


def _retire(target: Target, table: str, row_id: int, values: Indexed) -> None:
    target.changes.add(sql.fts_delete(table), row_id)
    target.changes.add(sql.fts_insert(STALE_TWINS[table]), row_id, *values)
    target.tally.stale += 1


def _keyed(paragraphs: Sequence[Paragraph]) -> list[ParagraphKey]:
    """The paragraphs' keys, made distinct should an extraction repeat one."""
    seen: set[ParagraphKey] = set()
    keys: list[ParagraphKey] = []
    for paragraph in paragraphs:
        kind, name, ordinal = paragraph.kind.value, paragraph.qualified_name, paragraph.ordinal
        while (kind, name, ordinal) in seen:
            ordinal += 1
        seen.add((kind, name, ordinal))
        keys.append((kind, name, ordinal))
    return keys


def _place(paragraph: Paragraph) -> tuple[int, int, int]:
    return paragraph.paragraph_index, paragraph.start_line, paragraph.end_line


def _paragraph_body(paragraph: Paragraph) -> ParagraphBody:
    return ParagraphBody(
        paragraph.section_heading,
        UNIT_SEPARATOR.join(paragraph.heading_path),
        " ".join(paragraph.symbol_names),
        paragraph.text,
        paragraph.token_count,
        paragraph.summary,
        " ".join(paragraph.tags),
    )


def _proposition_body(proposition: Proposition) -> PropositionBody:
    return PropositionBody(
        proposition.text,
        proposition.type.value,
        proposition.confidence,
        proposition.source.value,
        " ".join(proposition.mentions),
    )


def _places(
    proposition: Proposition,
    written: Sequence[WrittenParagraph],
    symbol_at: Callable[[str, int], tuple[int | None, str]],
) -> tuple[tuple[Place, ...], list[str]]:
    """The places in order, each once, and the name of the symbol at each."""
    found: dict[tuple[int, int, int], tuple[int | None, str]] = {}
    for occurrence in sorted(proposition.occurrences):
        paragraph = written[occurrence.paragraph].id
        place = (occurrence.start_line, occurrence.end_line, paragraph)
        found.setdefault(place, symbol_at(occurrence.symbol, occurrence.start_line))
    ordered = sorted(found.items(), key=lambda item: item[0])
    return tuple((*place, symbol) for place, (symbol, _) in ordered), [name for _, (_, name) in ordered]


def _values(
    text: str,
    names: Sequence[str],
    places: Sequence[Place],
    paragraphs: dict[int, WrittenParagraph] | dict[int, StoredParagraph],
    module: str,
) -> Indexed:
    home = paragraphs.get(places[0][2]) if places else None
    heading, tags = (home.body.section_heading, home.body.tags) if home else ("", "")
    return proposition_values(text, names, heading, tags, module)


def _statements(row_id: int, body: PropositionBody, places: Sequence[Place]) -> list[Statement]:
    """The proposition in each of its paragraphs, for finding what succeeds it there."""
    homes = dict.fromkeys(place[2] for place in places)
    return [Statement(row_id, (home, body.type, body.source), body.text) for home in homes]


def last_names(mentions: str) -> set[str]:
    """The names under which a proposition with these mentions stands in ``mention``."""
    return {name.rpartition(".")[2] for name in mentions.split()} - {""}
