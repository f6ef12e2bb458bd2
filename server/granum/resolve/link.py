"""Links stored references to definitions, and links again what a change elsewhere affects.

Each linked document keeps the ids of the documents that its links rest on (``linkage_source``). When a document's
interface differs from the one that others were linked against, exactly those others wait for a new link
(``linkage.is_pending``). A few are done at once, the rest by further calls, so that no save waits for them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from granum.model.layers import ReferenceKind, SymbolKind
from granum.resolve.byname import plain
from granum.resolve.follow import Follower
from granum.resolve.interface import GONE, changed_names, interface_of, is_elsewhere
from granum.resolve.modules import Modules, Shelf, names_of
from granum.resolve.outcome import IMPORTED, ONLY_ONE_SO_NAMED, Outcome, outcome_of, resolve_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import apsw

    from granum.resolve.table import Table

RESOLVED, AMBIGUOUS, UNRESOLVED = 1, 2, 3

#: Waiting documents that one call links beside those that it was asked for.
WAITING_AT_ONCE = 8

#: Definitions of one name that are compared with a mention; a name that more have is ambiguous anyway.
_MAX_NAMED = 64

_REFERENCES = """
SELECT id, kind, name, scope_id, local_type, status, target_id, confidence FROM reference WHERE document_id = ?
"""
_NAMED = f"""
SELECT s.id, s.fqn, d.path, s.kind FROM symbol s JOIN document d ON d.id = s.document_id
WHERE s.name = ? AND s.kind <> 'section' AND (s.fqn = ? OR substr(s.fqn, -length(?)) = ?) LIMIT {_MAX_NAMED}
"""


_MAKE_WAIT = """
UPDATE linkage SET is_pending = 1 WHERE symbols_seen IS NOT NULL AND document_id IN (
  SELECT document_id FROM linkage_source WHERE source_id IN (SELECT value FROM json_each(:changed))
  UNION SELECT m.document_id FROM json_each(:appeared) j JOIN name n ON n.text = j.value ->> 0
    JOIN linkage_name m ON m.name_id = n.id AND NOT m.is_mention
    JOIN linkage l ON l.document_id = m.document_id AND l.symbols_seen < j.value ->> 1
  UNION SELECT m.document_id FROM json_each(:news) j JOIN name n ON n.text = j.value ->> 0
    JOIN linkage_name m ON m.name_id = n.id AND m.is_mention
    JOIN linkage l ON l.document_id = m.document_id AND l.symbols_seen < j.value ->> 1
)
"""
_KEEP_NAMES = """
INSERT INTO linkage_name (name_id, is_mention, document_id)
SELECT n.id, j.value ->> 1, j.value ->> 2 FROM json_each(:names) j JOIN name n ON n.text = j.value ->> 0
"""
_ADD_NAMES = """
INSERT INTO name (text) SELECT DISTINCT j.value ->> 0 FROM json_each(:names) j
WHERE NOT EXISTS (SELECT 1 FROM name n WHERE n.text = j.value ->> 0)
"""


class _Changes:
    """Documents with another interface, modules at a new place, and names defined anew or no more.

    ``appeared`` and ``names`` tell for each name which links are out of date: those made before this symbol's id.
    """

    def __init__(self) -> None:
        self.changed: list[int] = []
        self.appeared: dict[str, int] = {}
        self.names: dict[str, int] = {}

    @property
    def is_empty(self) -> bool:
        return not (self.changed or self.appeared or self.names)

    def add(self, document_id: int, before: bytes | None, after: bytes | None) -> None:
        self.changed.append(document_id)
        for name, newest in changed_names(before, after).items():
            self.names[name] = max(newest, self.names.get(name, 0))

    def appear(self, table: Table, before: bytes | None) -> None:
        module = table.self_definition
        newest = module.id if module and before is None else GONE
        for name in names_of(table.path) if table.is_code else ():
            self.appeared[name] = max(newest, self.appeared.get(name, 0))


class _Link(NamedTuple):
    """How a reference is stored."""

    status: int
    target: int | None
    confidence: float


_NOWHERE = _Link(UNRESOLVED, None, 0.0)
_UNCLEAR = _Link(AMBIGUOUS, None, 0.0)


def link(connection: apsw.Connection, document_ids: Sequence[int]) -> None:
    """Links the references of these documents, and some of those that wait because of them.

    Args:
        connection: The writer's; the caller holds the transaction.
        document_ids: Documents that were added, changed or removed. Those without a row are taken as removed.
    """
    Linker()(connection, document_ids)


class Linker:
    """``link``, for who links slice after slice: it keeps documents' names from one call to the next.

    Args:
        waiting_at_once: Waiting documents that a call links beside those it was asked for; 0 leaves them all to the
            caller, whom nobody should have to wait for.
    """

    def __init__(self, waiting_at_once: int = WAITING_AT_ONCE) -> None:
        self._shelf = Shelf()
        self._waiting_at_once = waiting_at_once

    def __call__(self, connection: apsw.Connection, document_ids: Sequence[int]) -> None:
        """Links these documents and some that wait; see ``link``."""
        run = _Run(connection, self._shelf)
        asked = list(dict.fromkeys(document_ids))
        run.note_changes(asked)
        run.link_all(asked)
        if self._waiting_at_once:
            run.link_all(waiting(connection, self._waiting_at_once))


def waiting(connection: apsw.Connection, limit: int) -> list[int]:
    """Documents whose links are out of date because of a change elsewhere; pass them to ``link``."""
    rows = connection.execute("SELECT document_id FROM linkage WHERE is_pending = 1 LIMIT ?", (limit,))
    return [row[0] for row in rows]


class _Connected:
    """The writer's connection as ``Rows``."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, params).fetchall()


class _Run:
    """One call of ``link``: it reads each document's names once."""

    def __init__(self, connection: apsw.Connection, shelf: Shelf) -> None:
        self._connection = connection
        self._rows = _Connected(connection)
        self._modules = Modules(self._rows, shelf)
        self._follower = Follower(self._modules)
        self._named: dict[str, _Link] = {}
        self._mentioned: set[str] = set()

    # -- what changed

    def note_changes(self, document_ids: Sequence[int]) -> None:
        """Makes those wait whose links rest on what these documents no longer offer, or offer anew."""
        within = json.dumps(document_ids)
        known = dict(
            self._connection.execute(
                "SELECT document_id, interface FROM linkage WHERE document_id IN (SELECT value FROM json_each(?))",
                (within,),
            )
        )
        tables = {table.document_id: table for table in self._modules.tables(document_ids)}
        changes = _Changes()
        for document_id in document_ids:
            table = tables.get(document_id)
            after = interface_of(table) if table else None
            before = known.get(document_id)
            if before == after:
                continue
            changes.add(document_id, before, after)
            if table and after and is_elsewhere(before, after):
                changes.appear(table, before)
            self._keep_interface(document_id, after)
        self._make_wait(changes)

    def _note_consulted(self, document_ids: Iterable[int]) -> None:
        """Keeps the interfaces that links were made against before their documents are linked themselves."""
        changes = _Changes()
        rows = self._rows.rows(
            "SELECT value FROM json_each(?) WHERE value NOT IN"
            " (SELECT document_id FROM linkage WHERE interface IS NOT NULL)",
            (json.dumps(list(document_ids)),),
        )
        for table in self._modules.tables([row[0] for row in rows]):
            interface = interface_of(table)
            changes.add(table.document_id, None, interface)
            changes.changed.clear()  # those that consulted it have seen it as it is
            changes.appear(table, None)
            self._keep_interface(table.document_id, interface)
        self._make_wait(changes)

    def _keep_interface(self, document_id: int, interface: bytes | None) -> None:
        if interface is None:
            for table in ("linkage", "linkage_source", "linkage_name"):
                self._connection.execute(f"DELETE FROM {table} WHERE document_id = ?", (document_id,))
            return
        self._connection.execute(
            "INSERT INTO linkage (document_id, interface) VALUES (?, ?)"
            " ON CONFLICT (document_id) DO UPDATE SET interface = excluded.interface",
            (document_id, interface),
        )

    def _make_wait(self, changes: _Changes) -> None:
        if changes.is_empty:
            return
        seen = self._rows.rows("SELECT min(symbols_seen) FROM linkage")[0][0]
        if seen is None:  # nothing is linked yet
            return
        self._connection.execute(
            _MAKE_WAIT,
            {
                "changed": json.dumps(changes.changed),
                "appeared": _newer(changes.appeared, seen),
                "news": _newer(changes.names, seen),
            },
        )

    # -- linking

    def link_all(self, document_ids: Sequence[int]) -> None:
        """Links all references of these documents and keeps what the links rest on."""
        tables = self._modules.tables(document_ids)
        sources: list[tuple[int, int]] = []
        names: list[tuple[str, int, int]] = []
        for table in tables:
            self._follower.consulted = set()
            self._mentioned = set()
            self._link(table)
            names += [(name, 1, table.document_id) for name in self._mentioned]
            for source in self._follower.consulted:
                if isinstance(source, str):
                    names.append((source, 0, table.document_id))
                elif source != table.document_id:
                    sources.append((table.document_id, source))
        self._keep([table.document_id for table in tables], sources, names)
        self._note_consulted({source for _, source in sources})

    def _keep(
        self, linked: Sequence[int], sources: Sequence[tuple[int, int]], names: Sequence[tuple[str, int, int]]
    ) -> None:
        these = (json.dumps(linked),)
        for table in ("linkage_source", "linkage_name"):
            self._connection.execute(
                f"DELETE FROM {table} WHERE document_id IN (SELECT value FROM json_each(?))", these
            )
        self._connection.executemany("INSERT INTO linkage_source (document_id, source_id) VALUES (?, ?)", sources)
        for statement in (_ADD_NAMES, _KEEP_NAMES):
            self._connection.execute(statement, {"names": json.dumps(names)})
        self._connection.execute(
            "UPDATE linkage SET is_pending = 0, symbols_seen = (SELECT coalesce(max(id), 0) FROM symbol)"
            " WHERE document_id IN (SELECT value FROM json_each(?))",
            these,
        )

    def _link(self, table: Table) -> None:
        scopes = {d.id: d.qualified_name for meanings in table.definitions.values() for d in meanings}
        known: dict[tuple[str, str, int | None, str], _Link] = {}
        updates: list[tuple[int, int | None, int, int, int]] = []
        unlinked = 0
        for row in self._connection.execute(_REFERENCES, (table.document_id,)):
            key = row[1:5]
            found = known.get(key)
            if found is None:
                found = known[key] = self._find(table, row[1], row[2], scopes.get(row[3], ""), row[4])
            if found == row[5:]:
                continue
            if found is _NOWHERE and row[5] == 0:
                unlinked += 1
            else:
                updates.append((found.status, found.target, round(found.confidence * 100), table.document_id, row[0]))
        self._connection.executemany(
            "UPDATE reference_row SET status = ?, target_id = ?, confidence_percent = ?"
            " WHERE document_id = ? AND id = ?",
            updates,
        )
        if unlinked:  # most references lead out of the workspace: one statement for all of them
            self._connection.execute(
                "UPDATE reference_row SET status = ? WHERE document_id = ? AND status = 0",
                (UNRESOLVED, table.document_id),
            )

    def _find(self, table: Table, kind: str, name: str, scope: str, local_type: str) -> _Link:
        if kind == ReferenceKind.IMPORT:
            return self._import(table, name)
        if not table.is_code:
            return self._mention(name)
        if kind == ReferenceKind.INHERITS:
            return _stored(resolve_name(self._follower, table, scope.rpartition(".")[0], name))
        found = _stored(resolve_name(self._follower, table, scope, name, local_type))
        if kind == ReferenceKind.MENTION and found is _NOWHERE:
            return self._mention(name)
        return found

    def _import(self, table: Table, name: str) -> _Link:
        for binding in table.bindings:
            if binding.written == name:
                return _stored(outcome_of(self._follower.imported(table, binding), IMPORTED))
        return _NOWHERE

    def _mention(self, name: str) -> _Link:
        """A name in prose or a comment: the only definition, else the only module, whose full name ends with it."""
        wanted = plain(name)
        last = wanted.rpartition(".")[2]
        self._mentioned.add(last)
        found = self._named.get(name)
        if found is None:
            rows = self._rows.rows(_NAMED, (last, wanted, "." + wanted, "." + wanted))
            exact = [row for row in rows if row[1] == wanted] or rows
            exact = [row for row in exact if row[3] != SymbolKind.MODULE] or exact
            if not exact:
                found = _NOWHERE
            elif len({(fqn, path) for _, fqn, path, _ in exact}) > 1:
                found = _UNCLEAR
            else:
                found = _Link(RESOLVED, min(row[0] for row in exact), ONLY_ONE_SO_NAMED)
            self._named[name] = found
        return found


def _newer(names: dict[str, int], seen: int) -> str:
    return json.dumps([[name, newest] for name, newest in names.items() if newest > seen])


def _stored(outcome: Outcome) -> _Link:
    if not outcome.definitions:
        return _NOWHERE
    meant = outcome.meant
    if meant is None:
        return _UNCLEAR
    counts = meant.table.first(meant.qualified_name) or meant
    return _Link(RESOLVED, counts.id, outcome.confidence)
