"""The rows of propositions, their places and mentions: updated in place, gone stale, revived."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from granum.index import changes as sql
from granum.index.diff import Statement, successors
from granum.index.fts import NO_HOME, home_of, proposition_values
from granum.index.packing import Block, packed
from granum.index.schema import STALE_TWINS
from granum.text.tokens import camel_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.document_rows import DocumentRows, PropositionRow
    from granum.index.fts import Home
    from granum.index.packing import Fields
    from granum.index.stored import Place, Stored, StoredProposition
    from granum.index.target import Target

_FTS, _STALE_FTS = "proposition_fts", STALE_TWINS["proposition_fts"]


class Ids(NamedTuple):
    """The ids of the rows that a document's others refer to, by their places; that of place -1 is none."""

    paragraphs: Sequence[int]
    symbols: Sequence[int | None]
    names: Sequence[int]


class Surroundings(NamedTuple):
    """What is searched of propositions beside their texts: by the ids of paragraphs and of definitions."""

    module: str
    homes: dict[int, Home]
    names: dict[int | None, str]

    def of(self, places: Sequence[Place]) -> tuple[str, Home, str]:
        """The names that a proposition with these places is about, its home, and the module."""
        home = self.homes.get(places[0][2], NO_HOME) if places else NO_HOME
        if len(places) == 1:
            return self.names.get(places[0][3], ""), home, self.module
        about = dict.fromkeys(self.names.get(place[3], "") for place in places)
        return " ".join(filter(None, about)), home, self.module


def surroundings_before(old: Stored, paragraph_texts: list[Fields]) -> Surroundings:
    """The surroundings that the stored propositions were indexed with."""
    homes = {row.id: home_of(row.row, old.text(paragraph_texts, row)) for row in old.paragraphs.values()}
    return Surroundings(old.module, homes, {row.id: key[1] for key, row in old.symbols.items()})


def surroundings_now(module: str, new: DocumentRows, paragraph_texts: list[Fields], ids: Ids) -> Surroundings:
    """The surroundings of the new propositions."""
    homes = dict(zip(ids.paragraphs, map(home_of, new.paragraphs, paragraph_texts), strict=True))
    names = {row_id: row[1] for row_id, row in zip(ids.symbols, new.symbols, strict=False)}
    return Surroundings(module, homes, names)


class Propositions:
    """The propositions of one document, before and now."""

    def __init__(self, target: Target, old: Stored, texts: list[Fields], before: Surroundings) -> None:
        self._target = target
        self._old = old
        self._texts = texts
        self._before = before

    def put(self, new: DocumentRows, texts: list[Fields], now: Surroundings, ids: Ids) -> None:
        """Works out the rows, with their places and mentions."""
        rows = self._old.propositions
        known = [rows.get(row[0]) for row in new.propositions]
        added = [index for index, found in enumerate(known) if found is None]
        taken = iter(self._target.sequences.take("proposition", len(added)))
        row_ids = [next(taken) if found is None else found.id for found in known]
        places: list[list[Place]] = [[] for _ in known]
        for proposition, start, end, paragraph, symbol in new.occurrences:
            places[proposition].append((start, end, ids.paragraphs[paragraph], ids.symbols[symbol]))
        self._add(new, texts, now, row_ids, places, added)
        mentions = [(ids.names[name], row_ids[place]) for place, name in new.mentions if known[place] is None]
        self._target.changes.extend(sql.INSERT_MENTION, mentions)
        if not rows:
            return
        arrived = [(row_ids[index], index) for index in added]
        for index, found in enumerate(known):
            if found is not None:
                self._keep(found, index, new.propositions[index], texts[index], places[index])
                self._search(found, texts[index], new.proposition_parts[index], now.of(places[index]))
                if found.is_stale:
                    arrived.append((found.id, index))
        statements = [
            statement
            for row_id, index in arrived
            for statement in _statements(row_id, new.propositions[index], texts[index], places[index])
        ]
        staying = set(row_ids)
        self.stale([row for row in rows.values() if row.id not in staying and not row.is_stale], statements)

    def stale(self, vanished: Sequence[StoredProposition], arrived: Sequence[Statement] = ()) -> None:
        """Makes propositions stale, each with its evident successor among those that arrived."""
        if not vanished:
            return
        leaving = [
            statement for row in vanished for statement in _statements(row.id, row.row, self._text(row), row.places)
        ]
        following = successors(leaving, arrived)
        changes = self._target.changes
        for row in vanished:
            text = self._text(row)
            own = packed(Block(row.at, [text]))
            changes.add(sql.STALE_PROPOSITION, own, self._target.now, following.get(row.id), row.id)
            changes.add(sql.fts_delete(_FTS), row.id)
            about, home, module = self._before.of(row.places)
            parts = camel_parts(f"{text[0]} {about}")
            changes.add(sql.fts_insert(_STALE_FTS), row.id, *proposition_values(text[0], parts, about, home, module))
        self._target.tally.stale += len(vanished)

    def _text(self, row: StoredProposition) -> Fields:
        return self._old.text(self._texts, row)

    def _add(
        self,
        new: DocumentRows,
        texts: list[Fields],
        now: Surroundings,
        row_ids: list[int],
        places: list[list[Place]],
        added: Sequence[int],
    ) -> None:
        target = self._target
        document_id, version, changes = target.document_id, target.version_id, target.changes
        rows, parts = new.propositions, new.proposition_parts
        changes.extend(sql.INSERT_PROPOSITION, [(row_ids[i], document_id, version, i, *rows[i]) for i in added])
        changes.extend(sql.INSERT_OCCURRENCE, [(row_ids[i], *place) for i in added for place in places[i]])
        changes.extend(
            sql.fts_insert(_FTS),
            [(row_ids[i], *proposition_values(texts[i][0], parts[i], *now.of(places[i]))) for i in added],
        )
        target.tally.added += len(added)

    def _keep(
        self, old: StoredProposition, index: int, row: PropositionRow, text: Fields, places: Sequence[Place]
    ) -> None:
        changes = self._target.changes
        if old.is_stale or row != old.row:
            changes.add(sql.REWRITE_PROPOSITION, index, *row[1:], old.id)
        elif index != old.at:
            changes.add(sql.MOVE_PROPOSITION, index, old.id)
        if tuple(places) != old.places:
            gone = [place for place in old.places if place not in places]
            changes.extend(sql.DELETE_OCCURRENCE, [(old.id, *place[:3]) for place in gone])
            new = [place for place in places if place not in old.places]
            changes.extend(sql.INSERT_OCCURRENCE, [(old.id, *place) for place in new])
        before = self._text(old)[1]
        if text[1] != before:
            known, wanted = last_names(before), last_names(text[1])
            changes.extend(sql.DELETE_MENTION, [(name, old.id) for name in sorted(known - wanted)])
            come = self._target.vocabulary.ids(sorted(wanted - known))
            changes.extend(sql.INSERT_MENTION, [(name, old.id) for name in come])

    def _search(
        self,
        old: StoredProposition,
        text: Fields,
        parts: str,
        surroundings: tuple[str, Home, str],
    ) -> None:
        """Has a kept row found by what it is now."""
        target = self._target
        if old.is_stale:
            target.changes.add(sql.fts_delete(_STALE_FTS), old.id)
            target.tally.revived += 1
        elif text[0] != self._text(old)[0] or surroundings != self._before.of(old.places):
            target.changes.add(sql.fts_delete(_FTS), old.id)
            target.tally.updated += 1
        else:
            return
        target.changes.add(sql.fts_insert(_FTS), old.id, *proposition_values(text[0], parts, *surroundings))


def _statements(row_id: int, row: PropositionRow, text: Fields, places: Sequence[Place]) -> list[Statement]:
    """The proposition in each of its paragraphs, for finding what succeeds it there."""
    homes = dict.fromkeys(place[2] for place in places)
    return [Statement(row_id, (home, row[1], row[3]), text[0] or "") for home in homes]


def last_names(mentions: str | None) -> set[str]:
    """The names under which a proposition with these mentions stands in ``mention``."""
    return {name.rpartition(".")[2] for name in (mentions or "").split()} - {""}
