"""The rows of one document as they stand, loaded for comparison with those of a new reading.

Rows are as ``document_rows`` has them, but with ids instead of places in lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from granum.index.schema import block_id, layer_and_first
from granum.index.unpacking import recalled, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from granum.index.document_rows import BlockRow, ChunkRow, ParagraphRow, PropositionRow, SummaryRow
    from granum.index.packing import Fields
    from granum.index.rows import Row

#: kind, qualified name, ordinal.
Key = tuple[int, str, int]
#: start line, end line, paragraph, symbol.
Place = tuple[int, int, int, int | None]
#: ``document_rows.SymbolRow`` without its key, the paragraph first.
SymbolColumns = tuple[int, str | None, int, int, int, int, int, str, str]
#: ``document_rows.ImportRow`` without its line.
ImportKey = tuple[str, str, int, str, str]
#: kind, name, local type, scope.
ReferenceKey = tuple[int, int, int, int | None]


class StoredParagraph(NamedTuple):
    """A paragraph's row; ``at`` is its index. ``own_text`` is that of a stale one."""

    id: int
    at: int
    row: ParagraphRow
    is_stale: bool
    own_text: bytes | None


class StoredProposition(NamedTuple):
    """A proposition's row with its places in order; ``at`` is its index. ``own_text`` is that of a stale one."""

    id: int
    at: int
    row: PropositionRow
    places: tuple[Place, ...]
    is_stale: bool
    own_text: bytes | None


class StoredSymbol(NamedTuple):
    """A definition's row."""

    id: int
    columns: SymbolColumns


class StoredReference(NamedTuple):
    """A reference's row; ``place`` is line, column and own length."""

    id: int
    place: tuple[int, int, int | None]


class StoredSummary(NamedTuple):
    """A summary's row; ``at`` is its index. ``own_text`` is that of a package's."""

    id: int
    at: int
    row: SummaryRow
    own_text: bytes | None


class Stored(NamedTuple):
    """All rows of a document."""

    document_id: int
    module: str
    blocks: dict[tuple[int, int], bytes]
    paragraphs: dict[Key, StoredParagraph]
    propositions: dict[int, StoredProposition]
    symbols: dict[Key, StoredSymbol]
    references: dict[ReferenceKey, list[StoredReference]]
    imports: dict[ImportKey, list[tuple[int, int]]]  # id and line
    chunks: list[tuple[int, ChunkRow]]
    summaries: dict[tuple[int, str], StoredSummary]

    def texts(self, layer: int) -> list[Fields]:
        """The texts of a layer's rows, by their index."""
        return texts_of(((*key, packed) for key, packed in self.blocks.items()), layer)

    def text(self, texts: list[Fields], row: StoredParagraph | StoredProposition) -> Fields:
        """A row's text, among those of its layer or its own."""
        return texts[row.at] if row.own_text is None else unpacked(row.own_text).rows[0]


def texts_of(blocks: Iterable[BlockRow], layer: int) -> list[Fields]:
    """The texts of a layer's rows; the blocks are in order."""
    return [row for its_layer, _, packed in blocks if its_layer == layer for row in recalled(packed).rows]


def nothing(document_id: int) -> Stored:
    """A document without rows."""
    return Stored(document_id, "", {}, {}, {}, {}, {}, {}, [], {})


def load(connection: apsw.Connection, document_id: int) -> Stored:
    """Reads all rows of the document."""
    of = (document_id,)
    documents: list[Row] = connection.execute("SELECT module FROM document WHERE id = ?", of).fetchall()
    return Stored(
        document_id,
        documents[0][0],
        _blocks(connection, document_id),
        _paragraphs(connection, of),
        _propositions(connection, of),
        _symbols(connection, of),
        _references(connection, of),
        _imports(connection, of),
        _chunks(connection, of),
        summaries(connection, document_id),
    )


def _blocks(connection: apsw.Connection, document_id: int) -> dict[tuple[int, int], bytes]:
    first, end = block_id(document_id, 0), block_id(document_id + 1, 0)
    rows = connection.execute("SELECT id, packed FROM text_block WHERE id >= ? AND id < ?", (first, end))
    return {layer_and_first(row_id): packed for row_id, packed in rows}


def summaries(connection: apsw.Connection, document_id: int) -> dict[tuple[int, str], StoredSummary]:
    """A document's summaries by granularity and key."""
    rows = connection.execute(
        "SELECT id, summary_index, granularity_code, key, start_line, end_line, own_text FROM summary_row"
        " WHERE document_id = ?",
        (document_id,),
    )
    return {row[2:4]: StoredSummary(row[0], row[1], row[2:6], row[6]) for row in rows}


def _paragraphs(connection: apsw.Connection, of: tuple[int]) -> dict[Key, StoredParagraph]:
    rows = connection.execute(
        "SELECT id, paragraph_index, paragraph_kind_code, qualified_name, ordinal, own_section_heading,"
        " own_heading_path, start_line, end_line, token_count, is_stale, own_text FROM paragraph_row"
        " WHERE document_id = ?",
        of,
    )
    return {row[2:5]: StoredParagraph(row[0], row[1], row[2:10], bool(row[10]), row[11]) for row in rows}


def _propositions(connection: apsw.Connection, of: tuple[int]) -> dict[int, StoredProposition]:
    places: dict[int, list[Place]] = {}
    for row in connection.execute(
        "SELECT o.proposition_id, o.start_line, o.end_line, o.paragraph_id, o.symbol_id FROM proposition_row p"
        " JOIN occurrence o ON o.proposition_id = p.id WHERE p.document_id = ?",
        of,
    ):
        places.setdefault(row[0], []).append(row[1:])
    rows = connection.execute(
        "SELECT id, proposition_index, fingerprint, proposition_type_code, confidence_parts, proposition_source_code,"
        " is_stale, own_text FROM proposition_row WHERE document_id = ?",
        of,
    )
    return {
        row[2]: StoredProposition(row[0], row[1], row[2:6], tuple(places.get(row[0], ())), bool(row[6]), row[7])
        for row in rows
    }


def _symbols(connection: apsw.Connection, of: tuple[int]) -> dict[Key, StoredSymbol]:
    rows = connection.execute(
        "SELECT id, symbol_kind_code, qualified_name, ordinal, paragraph_id, own_name, start_line, end_line, name_line,"
        " name_column, name_end_column, signature, type_name FROM definition WHERE document_id = ?",
        of,
    )
    return {row[1:4]: StoredSymbol(row[0], row[4:]) for row in rows}


def _references(connection: apsw.Connection, of: tuple[int]) -> dict[ReferenceKey, list[StoredReference]]:
    found: dict[ReferenceKey, list[StoredReference]] = {}
    for row in connection.execute(
        "SELECT reference_kind_code, name_id, type_id, scope_id, id, line, column, own_length FROM reference_row"
        " WHERE document_id = ? ORDER BY line, column",
        of,
    ):
        found.setdefault(row[:4], []).append(StoredReference(row[4], row[5:]))
    return found


def _imports(connection: apsw.Connection, of: tuple[int]) -> dict[ImportKey, list[tuple[int, int]]]:
    found: dict[ImportKey, list[tuple[int, int]]] = {}
    for row in connection.execute(
        "SELECT local, module, level, name, scope, id, line FROM import WHERE document_id = ? ORDER BY line", of
    ):
        found.setdefault(row[:5], []).append(row[5:])
    return found


def _chunks(connection: apsw.Connection, of: tuple[int]) -> list[tuple[int, ChunkRow]]:
    rows = connection.execute(
        "SELECT id, first_paragraph, last_paragraph, start_line, end_line, token_count FROM chunk"
        " WHERE document_id = ? ORDER BY chunk_index",
        of,
    )
    return [(row[0], row[1:]) for row in rows]
