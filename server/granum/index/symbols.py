"""Queries for definitions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from granum.index.rows import SYMBOL_COLUMNS, symbol_info
from granum.index.schema import FQN

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from granum.index.reader import Snapshot
    from granum.model.answers import SymbolInfo

_SELECT = f"SELECT {SYMBOL_COLUMNS} FROM symbol s JOIN document d ON d.id = s.document_id"
#: A module's name is made from a path; no system has longer ones.
_LONGEST_MODULE = 4096
_REFERENCES = """
SELECT r.kind, r.name, coalesce(s.qualified_name, ''), r.line FROM document d JOIN reference r ON r.document_id = d.id
LEFT JOIN symbol s ON s.id = r.scope_id WHERE d.path = ? AND r.name IN (SELECT value FROM json_each(?))
ORDER BY r.line, r.column
"""
_IN_PLACE = "ORDER BY s.start_line, s.end_line DESC, s.id"


def by_ids(snapshot: Snapshot, symbol_ids: Sequence[int]) -> dict[int, SymbolInfo]:
    """The definitions with these ids."""
    marks = ",".join("?" * len(symbol_ids))
    return {row[0]: symbol_info(row) for row in snapshot.rows(f"{_SELECT} WHERE s.id IN ({marks})", symbol_ids)}


def local(snapshot: Snapshot, symbol_id: int) -> tuple[int, str]:
    """The document of a definition and its name within it; ``(0, "")`` for one that no longer exists."""
    rows = snapshot.rows("SELECT document_id, qualified_name FROM symbol WHERE id = ?", (symbol_id,))
    return rows[0] if rows else (0, "")


def of_path(snapshot: Snapshot, path: str) -> tuple[SymbolInfo, ...]:
    """A document's definitions, in source order."""
    return tuple(map(symbol_info, snapshot.rows(f"{_SELECT} WHERE d.path = ? {_IN_PLACE}", (path,))))


def of_document(snapshot: Snapshot, document_id: int) -> tuple[SymbolInfo, ...]:
    """A document's definitions, in source order."""
    return tuple(map(symbol_info, snapshot.rows(f"{_SELECT} WHERE s.document_id = ? {_IN_PLACE}", (document_id,))))


def by_fqn(snapshot: Snapshot, fqn: str) -> tuple[SymbolInfo, ...]:
    """Definitions with exactly this fully qualified name."""
    statement = (
        f"{_SELECT} WHERE d.module IN (SELECT value FROM json_each(?)) AND {FQN} = ? ORDER BY d.path, s.start_line"
    )
    return tuple(map(symbol_info, snapshot.rows(statement, (json.dumps(_modules(fqn)), fqn))))


def by_suffix(snapshot: Snapshot, partial: str, limit: int) -> tuple[SymbolInfo, ...]:
    """Definitions whose fully qualified name is ``partial`` or ends with it at a dot."""
    exact = by_fqn(snapshot, partial)
    last = partial.rpartition(".")[2]
    if not last:
        return exact
    # the last identifier finds the rows by index; only they are compared with the whole suffix. A module's own name
    # is its last part too, so that 'pkg.module' finds it
    rows = snapshot.rows(
        f"{_SELECT} WHERE s.name = ? AND substr({FQN}, -length(?)) = ? ORDER BY {FQN}, d.path, s.start_line LIMIT ?",
        (last, "." + partial, "." + partial, limit),
    )
    return exact + tuple(map(symbol_info, rows))


def find(snapshot: Snapshot, query: str, limit: int) -> tuple[SymbolInfo, ...]:
    """Definitions whose name contains the query: the whole name first, then its beginning, then short names."""
    query = query.strip()
    column = FQN if "." in query else "s.name"
    rows = snapshot.rows(
        f"{_SELECT} WHERE (instr(lower({column}), lower(:query)) OR :query = '')"
        # a module of each file would crowd out the definitions; who wants one spells its name
        f" AND (s.kind <> 'module' OR lower({column}) = lower(:query))"
        f" ORDER BY {column} <> :query, lower({column}) <> lower(:query), s.kind = 'module',"
        f" instr(lower({column}), lower(:query)) <> 1,"
        f" length({column}), {FQN}, d.path, s.start_line LIMIT :limit",
        {"query": query, "limit": limit},
    )
    return tuple(map(symbol_info, rows))


def reference_lines(snapshot: Snapshot, path: str, names: Collection[str]) -> dict[tuple[str, str, str], list[int]]:
    """The lines of a document's references by these names: by kind, name and scope, in source order."""
    found: dict[tuple[str, str, str], list[int]] = {}
    for kind, name, scope, line in snapshot.rows(_REFERENCES, (path, json.dumps(list(names)))):
        found.setdefault((kind, name, scope), []).append(line)
    return found


def _modules(fqn: str) -> list[str]:
    """The modules that a definition of this name may stand in: those that the name begins with."""
    ends = [at for at, character in enumerate(fqn[:_LONGEST_MODULE]) if character in ".#"]
    names = ["", fqn, *(fqn[:end] for end in ends)]
    # a leading dot, of a hidden folder for instance, is no part of a fully qualified name
    return [*names, *("." + name for name in names)]


def fqn_of(module: str, path: str, qualified_name: str) -> str:
    """The fully qualified name of a local one, as ``schema.FQN`` joins it."""
    if not qualified_name:
        return module
    return f"{module}{'#' if module == path else '.'}{qualified_name}".lstrip(".")
