"""Who calls whom, and who imports a module, one step away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.model.answers import Edge
from granum.model.layers import ReferenceKind, SymbolKind

if TYPE_CHECKING:
    from granum.index.reader import Snapshot

_EDGE = "r.scope_id, r.target_id, r.name, d.path, r.line, r.confidence FROM reference r JOIN document d"
_CALLERS = f"""
SELECT {_EDGE} ON d.id = r.document_id
WHERE r.target_id = :symbol AND r.kind = 'call' AND d.is_stale = 0
ORDER BY d.id <> (SELECT document_id FROM symbol WHERE id = :symbol), d.path, r.line, r.column LIMIT :limit
"""
_IMPORTERS = f"""
SELECT {_EDGE} ON d.id = r.document_id
WHERE r.target_id IN (SELECT id FROM symbol WHERE document_id = (SELECT document_id FROM symbol WHERE id = :symbol))
  AND r.kind = 'import' AND d.is_stale = 0
  AND d.id <> (SELECT document_id FROM symbol WHERE id = :symbol)
GROUP BY d.id HAVING min(r.line * 65536 + r.column) ORDER BY d.path LIMIT :limit
"""
_CALLEES = f"""
SELECT {_EDGE} ON d.id = r.document_id JOIN symbol s ON s.id = :symbol AND s.document_id = r.document_id
WHERE r.line BETWEEN s.start_line AND s.end_line AND r.kind = 'call' AND r.target_id IS NOT NULL
  AND r.scope_id IN (SELECT n.id FROM symbol n WHERE n.document_id = s.document_id
    AND (n.id = s.id OR substr(n.qualified_name, 1, length(s.qualified_name) + 1) = s.qualified_name || '.'))
GROUP BY r.target_id HAVING min(r.line * 65536 + r.column)
ORDER BY r.line, r.column LIMIT :limit
"""


def callers(snapshot: Snapshot, symbol_id: int, limit: int) -> tuple[Edge, ...]:
    """The places that call the definition: those in its own file first, then by path and line.

    A module is imported rather than called: where another file first imports it, or a definition from it.
    """
    kinds = snapshot.rows("SELECT kind FROM symbol WHERE id = ?", (symbol_id,))
    if kinds and kinds[0][0] == SymbolKind.MODULE:
        return _edges(snapshot, _IMPORTERS, symbol_id, limit, ReferenceKind.IMPORT)
    return _edges(snapshot, _CALLERS, symbol_id, limit)


def callees(snapshot: Snapshot, symbol_id: int, limit: int) -> tuple[Edge, ...]:
    """What the definition, nested ones included, calls in the workspace: each once, where it is first called."""
    return _edges(snapshot, _CALLEES, symbol_id, limit)


def _edges(
    snapshot: Snapshot, sql: str, symbol_id: int, limit: int, kind: ReferenceKind = ReferenceKind.CALL
) -> tuple[Edge, ...]:
    rows = snapshot.rows(sql, {"symbol": symbol_id, "limit": max(limit, 0)})
    symbols = snapshot.symbol_infos(list({end for row in rows for end in row[:2] if end is not None}))
    return tuple(
        Edge(
            kind=kind,
            source=symbols.get(scope),
            target=symbols.get(target),
            name=name,
            path=path,
            line=line,
            confidence=confidence,
        )
        for scope, target, name, path, line, confidence in rows
        if target in symbols
    )
