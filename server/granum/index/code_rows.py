"""The rows of symbols, references and imports: diffed by key, nothing stale kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.diff import by_key, by_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from granum.index.knowledge_rows import WrittenParagraph
    from granum.index.stored import ImportKey, ReferenceKey, Stored, SymbolKey
    from granum.index.target import Target
    from granum.model.layers import Import, Reference, Symbol


class WrittenSymbols:
    """The extraction's symbols with their rows' ids, by local name."""

    def __init__(self) -> None:
        self._by_name: dict[str, list[tuple[int, int, int]]] = {}

    def add(self, symbol: Symbol, row_id: int) -> None:
        """Notes a symbol's row."""
        self._by_name.setdefault(symbol.qualified_name, []).append((symbol.start_line, symbol.end_line, row_id))

    def at(self, name: str, line: int) -> tuple[int | None, str]:
        """The id and name of the symbol of this name around the line, else of its first; (None, "") without one.

        Overloads and conditional definitions share a name, and each has its own facts.
        """
        found = self._by_name.get(name)
        if found is None:
            return None, ""
        if len(found) > 1:
            for start, end, row_id in found:
                if start <= line <= end:
                    return row_id, name
        return found[0][2], name


def put_symbols(
    target: Target, stored: Stored, symbols: Sequence[Symbol], written: Sequence[WrittenParagraph]
) -> WrittenSymbols:
    """Works out the symbols' rows."""
    keyed = _keyed(symbols)
    found = WrittenSymbols()
    delta = by_key(stored.symbols, zip(keyed, symbols, strict=True))
    for old, symbol in delta.kept:
        columns = _columns(target, symbol, written)
        if columns != old.columns:
            target.changes.add(sql.UPDATE_SYMBOL, *columns, old.id)
        found.add(symbol, old.id)
    known = stored.symbols
    rows = []
    for key, symbol in zip(keyed, symbols, strict=True):
        if key not in known:
            row_id = target.sequences.take("symbol")
            rows.append((row_id, target.document_id, *key, *_columns(target, symbol, written)))
            found.add(symbol, row_id)
    target.changes.extend(sql.INSERT_SYMBOL, rows)
    gone = [(old.id,) for old in delta.vanished]
    target.changes.extend(sql.DELETE_SYMBOL, gone)
    target.changes.extend(sql.UNLINK_TARGET, gone)
    return found


def put_references(target: Target, stored: Stored, references: Sequence[Reference], symbols: WrittenSymbols) -> None:
    """Works out the references' rows; those that only move keep their resolution."""
    keyed: list[tuple[ReferenceKey, tuple[int, int, int, int | None]]] = []
    for reference in references:
        scope_id, scope = symbols.at(reference.scope, reference.line)
        key = (reference.kind.value, reference.name, reference.local_type, scope)
        keyed.append((key, (reference.line, reference.column, reference.end_column, scope_id)))
    document_id, take = target.document_id, target.sequences.take
    delta = by_order(stored.references, ((key, (key, place)) for key, place in keyed))
    target.changes.extend(
        sql.INSERT_REFERENCE,
        [
            (take("reference"), document_id, kind, name, local_type, *place)
            for (kind, name, local_type, _), place in delta.added
        ],
    )
    target.changes.extend(
        sql.MOVE_REFERENCE, [(*place, document_id, old.id) for old, (_, place) in delta.kept if place != old.columns]
    )
    target.changes.extend(sql.DELETE_REFERENCE, [(document_id, old.id) for old in delta.vanished])


def put_imports(target: Target, stored: Stored, imports: Sequence[Import]) -> None:
    """Works out the imports' rows."""
    keyed: list[tuple[ImportKey, int]] = [((i.local, i.module, i.level, i.name, i.scope), i.line) for i in imports]
    delta = by_order(stored.imports, ((key, (key, line)) for key, line in keyed))
    take = target.sequences.take
    target.changes.extend(
        sql.INSERT_IMPORT, [(take("import"), target.document_id, *key, line) for key, line in delta.added]
    )
    target.changes.extend(sql.MOVE_IMPORT, [(line, old.id) for old, (_, line) in delta.kept if (line,) != old.columns])
    target.changes.extend(sql.DELETE_IMPORT, [(old.id,) for old in delta.vanished])


def remove_code(target: Target, stored: Stored) -> None:
    """Removes all symbols, references and imports of a vanished document."""
    put_symbols(target, stored, (), ())
    put_references(target, stored, (), WrittenSymbols())
    put_imports(target, stored, ())


def _keyed(symbols: Sequence[Symbol]) -> list[SymbolKey]:
    """The symbols' keys, made distinct should an extraction repeat one."""
    seen: set[SymbolKey] = set()
    keys: list[SymbolKey] = []
    for symbol in symbols:
        name, kind, ordinal = symbol.qualified_name, symbol.kind.value, symbol.ordinal
        while (name, kind, ordinal) in seen:
            ordinal += 1
        seen.add((name, kind, ordinal))
        keys.append((name, kind, ordinal))
    return keys


def _columns(target: Target, symbol: Symbol, written: Sequence[WrittenParagraph]) -> tuple[int | str, ...]:
    paragraph = written[symbol.paragraph].id if 0 <= symbol.paragraph < len(written) else 0
    return (
        paragraph,
        symbol.name or target.module.rpartition(".")[2],
        symbol.start_line,
        symbol.end_line,
        symbol.name_line,
        symbol.name_column,
        symbol.name_end_column,
        symbol.signature,
        symbol.type_name,
    )
