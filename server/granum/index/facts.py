"""Queries for propositions by symbol, by mention and by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from granum.index.rows import FACT_COLUMNS, FACT_TABLES, fact, in_order
from granum.index.symbols import of_path
from granum.model.answers import LensCount
from granum.model.layers import ParagraphKind, PropositionType, SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from granum.index.reader import Snapshot
    from granum.model.answers import Fact

#: Mentions looked at before ranking; a name such as ``get`` may stand in thousands of sentences.
_MENTION_CANDIDATES = 400
#: A bare name that more definitions than this have (``get``) tells of none of them; a mention must spell more of it.
_BARE_NAME_DEFINITIONS = 3

_SELECT = f"SELECT {FACT_COLUMNS} FROM {FACT_TABLES}"
_NESTING = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY}


class FactFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which facts are wanted. ``types`` None means all."""

    types: tuple[PropositionType, ...] | None = None
    include_stale: bool = False

    def condition(self) -> tuple[str, tuple[str, ...]]:
        """An SQL condition on ``proposition p``, and its parameters."""
        conditions = [] if self.include_stale else ["NOT p.is_stale"]
        if self.types is not None:
            conditions.append(f"p.type IN ({','.join('?' * len(self.types))})")
        return " AND ".join(conditions) or "1", tuple(self.types or ())


ALL = FactFilter()


def for_symbol(snapshot: Snapshot, symbol_id: int, filter: FactFilter) -> tuple[Fact, ...]:  # noqa: A002
    """The facts about a definition, most important first; each once, at its first place in it."""
    found = snapshot.rows("SELECT document_id, qualified_name, kind FROM symbol WHERE id = ?", (symbol_id,))
    if not found:
        return ()
    document_id, name, kind = found[0]
    condition, params = filter.condition()
    places, where = _places(symbol_id, document_id, name, kind)
    rows = snapshot.rows(f"{_SELECT} WHERE {places} AND {condition}", (*where, *params))
    return in_order(_once(fact(row, snapshot.view) for row in rows))


def mentioning(
    snapshot: Snapshot, names: Sequence[str], *, fqn: str, exclude_symbol: int, exclude_document: int, limit: int
) -> tuple[Fact, ...]:
    """Current facts that mention one of the names, those first that spell more of ``fqn``.

    A mention of the bare name counts only where few definitions have that name.
    """
    if not names:
        return ()
    marks = ",".join("?" * len(names))
    # the last two parts of the name, which a mention must spell where the bare name is common
    spelling = ".".join(fqn.split(".")[-2:]) if fqn and _is_common(snapshot, names, fqn) else ""
    rows = snapshot.rows(
        f"{_SELECT} WHERE p.id IN (SELECT proposition_id FROM mention WHERE name IN ({marks})) AND NOT p.is_stale"
        " AND p.document_id <> ? AND COALESCE(o.symbol_id, 0) <> ? AND instr(p.mentions, ?) LIMIT ?",
        (*names, exclude_document, exclude_symbol or -1, spelling, _MENTION_CANDIDATES),
    )
    ranked = in_order(_once(fact(row, snapshot.view) for row in rows))
    least = 2 if spelling else 1
    spelled = [(_spelled(f.mentions, names, fqn), f) for f in ranked]
    best = [f for parts, f in sorted(spelled, key=lambda pair: -pair[0]) if not fqn or parts >= least]
    return tuple(best[:limit])


def by_ids(snapshot: Snapshot, proposition_ids: Sequence[int]) -> tuple[Fact, ...]:
    """These propositions at their first places, in the order asked for."""
    marks = ",".join("?" * len(proposition_ids))
    rows = snapshot.rows(f"{_SELECT} WHERE p.id IN ({marks})", proposition_ids)
    found = {f.id: f for f in _once(fact(row, snapshot.view) for row in rows)}
    return tuple(found[i] for i in proposition_ids if i in found)


def lens_counts(snapshot: Snapshot, path: str) -> tuple[LensCount, ...]:
    """Counts for each definition of a document that has facts."""
    rows = snapshot.rows(
        "SELECT o.symbol_id,"
        " count(DISTINCT p.id) FILTER (WHERE p.type IN ('security_rule', 'constraint')),"
        " count(DISTINCT p.id) FILTER (WHERE p.type = 'risk'),"
        " count(DISTINCT p.id) FILTER (WHERE p.type = 'test_evidence'),"
        " count(DISTINCT p.id)"
        " FROM document d JOIN proposition p ON p.document_id = d.id JOIN occurrence o ON o.proposition_id = p.id"
        " WHERE d.path = ? AND NOT p.is_stale AND o.symbol_id IS NOT NULL GROUP BY o.symbol_id",
        (path,),
    )
    counted = {row[0]: row[1:] for row in rows}
    return tuple(
        LensCount(symbol=symbol, rules=rules, risks=risks, tests=tests, facts=every)
        for symbol in of_path(snapshot, path)
        if symbol.id in counted
        for rules, risks, tests, every in (counted[symbol.id],)
    )


def _places(symbol_id: int, document_id: int, name: str, kind: str) -> tuple[str, tuple[int | str, ...]]:
    """The condition that an occurrence is about the symbol, and its parameters."""
    if kind in _NESTING:
        nested = "SELECT id FROM symbol WHERE document_id = ? AND substr(qualified_name, 1, ?) = ?"
        prefix = name + "."
        return f"(o.symbol_id = ? OR o.symbol_id IN ({nested}))", (symbol_id, document_id, len(prefix), prefix)
    if kind == SymbolKind.CLASS:
        header = "SELECT id FROM paragraph WHERE document_id = ?2 AND kind = ?3 AND qualified_name = ?4"
        # the document's places are few; no index leads from a paragraph to those in it
        places = f"p.document_id = ?2 AND (o.symbol_id = ?1 OR o.paragraph_id IN ({header}))"
        return places, (symbol_id, document_id, ParagraphKind.CLASS, name)
    return "o.symbol_id = ?", (symbol_id,)


def _once(found: Iterable[Fact]) -> list[Fact]:
    """Each fact once, at its first place."""
    first: dict[int, Fact] = {}
    for one in sorted(found, key=lambda f: (f.start_line, f.end_line)):
        first.setdefault(one.id, one)
    return list(first.values())


def _is_common(snapshot: Snapshot, names: Sequence[str], fqn: str) -> bool:
    """Whether the bare name tells too little: many definitions have it, or it is a module's, most often a mere word."""
    marks = ",".join(f"?{place}" for place in range(4, 4 + len(names)))
    rows = snapshot.rows(
        "SELECT count(DISTINCT fqn) FILTER (WHERE kind <> ?1), max(kind = ?1 AND fqn = ?2) FROM symbol"
        f" WHERE name IN ({marks}) AND kind <> ?3",
        (SymbolKind.MODULE, fqn, SymbolKind.SECTION, *names),
    )
    definitions, is_module = rows[0]
    return bool(definitions > _BARE_NAME_DEFINITIONS or is_module)


def _spelled(mentions: Sequence[str], names: Sequence[str], fqn: str) -> int:
    """The length, in parts, of the longest mention by one of the names that ``fqn`` ends with."""
    dotted = "." + fqn
    return max(
        (m.count(".") + 1 for m in mentions if m.rpartition(".")[2] in names and dotted.endswith("." + m)),
        default=0,
    )
