"""The rows of symbols, references and imports: diffed by key, nothing stale kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.diff import by_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.document_rows import ImportRow, ReferenceRow, SymbolRow
    from granum.index.stored import Stored, SymbolColumns
    from granum.index.target import Target


def put_symbols(target: Target, old: Stored, symbols: Sequence[SymbolRow], paragraph_ids: Sequence[int]) -> list[int]:
    """Works out the symbols' rows; returns their ids in the order of ``symbols``."""
    known = [old.symbols.get(row[:3]) for row in symbols]
    taken = iter(target.sequences.take("symbol", known.count(None)))
    ids = [next(taken) if found is None else found.id for found in known]
    columns = [_columns(target, row, paragraph_ids) for row in symbols]
    target.changes.extend(
        sql.INSERT_SYMBOL,
        [
            (ids[index], target.document_id, *row[:3], *columns[index])
            for index, (row, found) in enumerate(zip(symbols, known, strict=True))
            if found is None
        ],
    )
    if old.symbols:
        kept = zip(known, columns, strict=True)
        moved = [(*now, found.id) for found, now in kept if found is not None and found.columns != now]
        target.changes.extend(sql.UPDATE_SYMBOL, moved)
        staying = set(ids)
        gone = [(row.id,) for row in old.symbols.values() if row.id not in staying]
        target.changes.extend(sql.DELETE_SYMBOL, gone)
        target.changes.extend(sql.UNLINK_TARGET, gone)
    return ids


def put_references(
    target: Target,
    old: Stored,
    references: Sequence[ReferenceRow],
    names: Sequence[int],
    symbol_ids: Sequence[int | None],
) -> None:
    """Works out the references' rows; those that only move keep their resolution."""
    document_id = target.document_id
    if not old.references:
        target.changes.extend(
            sql.INSERT_REFERENCE,
            [
                (document_id, number, kind, names[name], names[local_type], symbol_ids[scope], line, column, length)
                for number, (kind, name, local_type, scope, line, column, length) in enumerate(references, 1)
            ],
        )
        return
    delta = by_order(
        old.references,
        ((key := (row[0], names[row[1]], names[row[2]], symbol_ids[row[3]]), (*key, *row[4:])) for row in references),
    )
    last = max(row.id for rows in old.references.values() for row in rows)
    target.changes.extend(
        sql.INSERT_REFERENCE, [(document_id, number, *row) for number, row in enumerate(delta.added, last + 1)]
    )
    target.changes.extend(
        sql.MOVE_REFERENCE,
        [(*row[4:], document_id, known.id) for known, row in delta.kept if row[4:] != known.place],
    )
    target.changes.extend(sql.DELETE_REFERENCE, [(document_id, known.id) for known in delta.vanished])


def put_imports(target: Target, old: Stored, imports: Sequence[ImportRow]) -> None:
    """Works out the imports' rows."""
    delta = by_order(old.imports, ((row[:5], row) for row in imports))
    ids = target.sequences.take("import", len(delta.added))
    document_id = target.document_id
    target.changes.extend(
        sql.INSERT_IMPORT, [(row_id, document_id, *row) for row_id, row in zip(ids, delta.added, strict=True)]
    )
    moved = [(row[5], row_id) for (row_id, line), row in delta.kept if row[5] != line]
    target.changes.extend(sql.MOVE_IMPORT, moved)
    target.changes.extend(sql.DELETE_IMPORT, [(row_id,) for row_id, _ in delta.vanished])


def remove_code(target: Target, old: Stored) -> None:
    """Removes all symbols, references and imports of a vanished document."""
    put_symbols(target, old, (), ())
    if old.references:
        put_references(target, old, (), (), ())
    put_imports(target, old, ())


def _columns(target: Target, row: SymbolRow, paragraph_ids: Sequence[int]) -> SymbolColumns:
    """The columns that are no key; a module is named after where it lies."""
    _, name, _, own_name, *_, paragraph = row
    own = own_name if name else target.module.rpartition(".")[2]
    return (paragraph_ids[paragraph] if 0 <= paragraph < len(paragraph_ids) else 0, own, *row[4:11])
