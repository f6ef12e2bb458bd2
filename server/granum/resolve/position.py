"""The symbol at a position, and the symbol that a name stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.answers import Candidate, Resolution, SymbolInfo
from granum.resolve.byname import LONGEST_NAME, MAX_NAMED, MOST_STEPS, clearly_meant, plain, ranked
from granum.resolve.follow import ANYTHING, Follower
from granum.resolve.modules import Modules
from granum.resolve.names import BUILTIN_MEMBERS, split
from granum.resolve.outcome import (
    IMPORTED,
    ONE_OF_SEVERAL,
    ONLY_ONE_SO_NAMED,
    OWN_NAME,
    SAME_NAME_ONLY,
    Outcome,
    one_meaning,
    outcome_of,
    resolve_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from granum.extract.identify import Identifier
    from granum.index.reader import Snapshot
    from granum.resolve.modules import Shelf
    from granum.resolve.table import Definition, Table

#: A method's name alone is worth showing as a choice only while this few definitions have it.
RARE = 5
#: Candidates in one answer.
MAX_CANDIDATES = 20

_RARE = f"""
SELECT id FROM symbol WHERE name = ? AND kind IN ('method', 'function', 'property', 'attribute') LIMIT {RARE + 1}
"""


def resolve_identifier(
    snapshot: Snapshot,
    path: str,
    identifier: Identifier,
    shelf: Shelf | None = None,
    *,
    table: Table | None = None,
    lines_tell: bool = True,
) -> Resolution:
    """What the identifier at a position stands for.

    Args:
        snapshot: The index.
        path: The document, relative to the root; one that is not indexed yields no symbol.
        identifier: What stands there, by the text that the caller sees (which may be an unsaved buffer).
        shelf: Keeps documents' names for the caller's next question.
        table: The document's names, where its text is another than the index read.
        lines_tell: False where the text is another and its names could not be had: their lines then tell nothing.
    """
    blank = Resolution(
        name=identifier.name,
        line=identifier.line,
        column=identifier.column,
        end_column=identifier.end_column,
        is_definition=identifier.is_definition,
    )
    modules = Modules(snapshot, shelf)
    if table is not None:
        modules.put(table)
    table = modules.at_path(path)
    if table is None:
        return blank
    if identifier.is_definition:
        return _itself(snapshot, table, identifier, blank, lines_tell=lines_tell)
    if not table.is_code:
        return _answer_by_name(snapshot, plain(identifier.name), blank)
    follower = Follower(modules)
    outcome = _imported_here(follower, table, identifier, lines_tell=lines_tell)
    if outcome is None:
        local_type = identifier.local_type or (ANYTHING if identifier.local_binding else "")
        outcome = resolve_name(follower, table, identifier.scope, identifier.name, local_type)
    if outcome.definitions:
        return _answer(snapshot, outcome, blank)
    if outcome.is_foreign or "." not in identifier.name:
        return blank
    return _same_name(snapshot, identifier.name.rpartition(".")[2], blank)


def symbol_by_name(snapshot: Snapshot, partial: str) -> Resolution:
    """The definition that a partial name stands for.

    That is the one of exactly this full name, else the only one whose full name ends with it at a dot, else what
    following the name through re-exports and base classes leads to. ``module:Class.method()`` is understood.
    """
    return _answer_by_name(snapshot, plain(partial), Resolution(name=plain(partial)))


def _itself(
    snapshot: Snapshot, table: Table, identifier: Identifier, blank: Resolution, *, lines_tell: bool
) -> Resolution:
    meanings = table.definitions.get(identifier.qualified_name, ())
    if not meanings:
        return blank
    here = min(meanings, key=lambda definition: abs(definition.name_line - identifier.line) if lines_tell else 0)
    others = [definition for definition in meanings if definition is not here]
    return _resolved(snapshot, [here, *others], OWN_NAME, blank)


def _imported_here(follower: Follower, table: Table, identifier: Identifier, *, lines_tell: bool) -> Outcome | None:
    """What a name on an import statement stands for, which may bind another one (``from x import y as z``).

    By its line: elsewhere the same name means whatever is bound there, or nothing.
    """
    name = identifier.name
    if identifier.module:
        return outcome_of(follower.module_named(table, identifier.module), IMPORTED)
    for binding in table.bindings if lines_tell else ():
        if binding.line == identifier.line and name in {binding.name, binding.written.lstrip(".")}:
            return outcome_of(follower.imported(table, binding), IMPORTED)
    return None


def _answer(snapshot: Snapshot, outcome: Outcome, blank: Resolution) -> Resolution:
    if outcome.meant:
        return _resolved(snapshot, one_meaning(outcome.definitions), outcome.confidence, blank)
    infos = _infos(snapshot, outcome.definitions)
    return _choice(infos, ONE_OF_SEVERAL, "one of several that are equally likely", blank)


def _resolved(snapshot: Snapshot, meanings: Sequence[Definition], confidence: float, blank: Resolution) -> Resolution:
    infos = _infos(snapshot, meanings)
    if not infos:
        return blank
    return _with(blank, infos[0], confidence, infos[1:], "another definition of the same name")


def _same_name(snapshot: Snapshot, name: str, blank: Resolution) -> Resolution:
    if name in BUILTIN_MEMBERS:
        return blank
    ids = [row[0] for row in snapshot.rows(_RARE, (name,))]
    if not ids or len(ids) > RARE:
        return blank
    found = snapshot.symbol_infos(ids)
    infos = ranked(list(found.values()), name)
    return _choice(infos, SAME_NAME_ONLY, "has this name; the type of the object is not known", blank)


def _answer_by_name(snapshot: Snapshot, name: str, blank: Resolution) -> Resolution:
    if not name or len(name) > LONGEST_NAME:
        return blank
    found = ranked(snapshot.symbols_named(name, MAX_NAMED), name)
    meant = clearly_meant(found, name)
    if meant:
        same = [symbol for symbol in found if symbol.fqn == meant.fqn and symbol is not meant]
        sure = OWN_NAME if meant.fqn == name else ONLY_ONE_SO_NAMED
        return _with(blank, meant, sure, same, "another definition of the same name")
    if found:
        return _choice(found, ONE_OF_SEVERAL, "its full name ends so", blank)
    outcome = _through_modules(snapshot, name)
    return _answer(snapshot, outcome, blank) if outcome.definitions else blank


def _through_modules(snapshot: Snapshot, name: str) -> Outcome:
    """``flask.Flask.route`` by what the module ``flask`` re-exports and its class inherits."""
    follower = Follower(Modules(snapshot))
    steps = split(name)
    if len(steps) > MOST_STEPS:
        return Outcome((), 0.0, is_foreign=False)
    for length in range(len(steps) - 1, 0, -1):
        values = follower.along(follower.modules.absolute("", ".".join(steps[:length])).tables, steps[length:])
        outcome = outcome_of(values, IMPORTED)
        if outcome.definitions:
            return outcome
    for length in range(len(steps) - 1, 0, -1):
        prefix = ".".join(steps[:length])
        owner = clearly_meant(ranked(snapshot.symbols_named(prefix, MAX_NAMED), prefix), prefix)
        definition = follower.modules.definition(owner.path, owner.id) if owner else None
        outcome = outcome_of(follower.along((definition,) if definition else (), steps[length:]), ONLY_ONE_SO_NAMED)
        if outcome.definitions:
            return outcome
    return Outcome((), 0.0, is_foreign=False)


def _infos(snapshot: Snapshot, definitions: Iterable[Definition]) -> list[SymbolInfo]:
    shown = list(definitions)[:MAX_CANDIDATES]
    found = snapshot.symbol_infos([each.id for each in shown if each.id not in each.table.unread])
    for each in shown:
        if each.id in each.table.unread:
            found[each.id] = each.table.unread[each.id]
    return [found[each.id] for each in shown if each.id in found]


def _choice(infos: Sequence[SymbolInfo], confidence: float, reason: str, blank: Resolution) -> Resolution:
    shared = round(confidence / max(len(infos) - 1, 1), 3)
    candidates = tuple(Candidate(symbol=s, confidence=shared, reason=reason) for s in infos[:MAX_CANDIDATES])
    return _replace(blank, candidates=candidates)


def _with(
    blank: Resolution, symbol: SymbolInfo, confidence: float, others: Sequence[SymbolInfo], reason: str
) -> Resolution:
    candidates = tuple(Candidate(symbol=s, confidence=confidence, reason=reason) for s in others[:MAX_CANDIDATES])
    return _replace(blank, symbol=symbol, confidence=confidence, candidates=candidates)


def _replace(
    blank: Resolution,
    symbol: SymbolInfo | None = None,
    confidence: float = 0.0,
    candidates: tuple[Candidate, ...] = (),
) -> Resolution:
    return Resolution(
        name=blank.name,
        line=blank.line,
        column=blank.column,
        end_column=blank.end_column,
        is_definition=blank.is_definition,
        symbol=symbol,
        confidence=confidence,
        candidates=candidates,
    )
