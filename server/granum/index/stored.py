"""The rows of one document as they stand, loaded for comparison with a new extraction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import apsw

    from granum.index.rows import Row

ParagraphKey = tuple[str, str, int]
SymbolKey = tuple[str, str, int]
#: kind, name, local_type, scope (local qualified name)
ReferenceKey = tuple[str, str, str, str]
#: local, module, level, name, scope
ImportKey = tuple[str, str, int, str, str]
#: start_line, end_line, paragraph_id, symbol_id
Place = tuple[int, int, int, "int | None"]


class StoredParagraph(NamedTuple):
    """A paragraph's row. ``place`` is (paragraph_index, start_line, end_line)."""

    id: int
    key: ParagraphKey
    place: tuple[int, int, int]
    body: ParagraphBody
    is_stale: bool


class ParagraphBody(NamedTuple):
    """What is searched and shown of a paragraph, as its columns hold it."""

    section_heading: str
    heading_path: str
    symbol_names: str
    text: str
    token_count: int
    summary: str
    tags: str


class PropositionBody(NamedTuple):
    """A proposition's columns that come from its extraction."""

    text: str
    type: str
    confidence: float
    source: str
    mentions: str


class StoredProposition(NamedTuple):
    """A proposition's row with its places, in order."""

    id: int
    hash: bytes
    body: PropositionBody
    places: tuple[Place, ...]
    is_stale: bool


class StoredRow(NamedTuple):
    """A row of a simpler table: its id, and the columns that are compared."""

    id: int
    columns: tuple[Any, ...]


class Stored(NamedTuple):
    """All rows of a document."""

    document_id: int
    module: str
    paragraphs: dict[ParagraphKey, StoredParagraph]
    propositions: dict[bytes, StoredProposition]
    symbols: dict[SymbolKey, StoredRow]
    references: dict[ReferenceKey, list[StoredRow]]
    imports: dict[ImportKey, list[StoredRow]]
    chunks: dict[int, StoredRow]
    summaries: dict[tuple[str, str], StoredRow]

    def symbol_names(self) -> dict[int, str]:
        """Local qualified names by symbol id."""
        return {row.id: key[0] for key, row in self.symbols.items()}


def nothing(document_id: int) -> Stored:
    """A document without rows."""
    return Stored(document_id, "", {}, {}, {}, {}, {}, {}, {})


def load(connection: apsw.Connection, document_id: int) -> Stored:
    """Reads all rows of the document."""
    of = (document_id,)
    documents: list[Row] = connection.execute("SELECT module FROM document WHERE id = ?", of).fetchall()
    symbols = {
        key: StoredRow(row_id, tuple(columns))
        for row_id, key, columns in (
            (row[0], row[1:4], row[4:])
            for row in connection.execute(
                "SELECT id, qualified_name, kind, ordinal, paragraph_id, name, start_line, end_line, name_line,"
                " name_column, name_end_column, signature, type_name FROM symbol WHERE document_id = ?",
                of,
            )
        )
    }
    names = {row.id: key[0] for key, row in symbols.items()}
    return Stored(
        document_id,
        documents[0][0],
        _paragraphs(connection, of),
        _propositions(connection, of),
        symbols,
        _references(connection, of, names),
        _imports(connection, of),
        {
            row[1]: StoredRow(row[0], row[2:])
            for row in connection.execute(
                "SELECT id, chunk_index, first_paragraph, last_paragraph, start_line, end_line, token_count"
                " FROM chunk WHERE document_id = ?",
                of,
            )
        },
        summaries(connection, document_id),
    )


def summaries(connection: apsw.Connection, document_id: int) -> dict[tuple[str, str], StoredRow]:
    """A document's summaries by granularity and key; those of all packages for document 0."""
    rows = connection.execute(
        "SELECT id, granularity, key, start_line, end_line, unpacked(packed_body) FROM summary WHERE document_id = ?",
        (document_id,),
    )
    return {(row[1], row[2]): StoredRow(row[0], row[3:]) for row in rows}


def _paragraphs(connection: apsw.Connection, of: tuple[int]) -> dict[ParagraphKey, StoredParagraph]:
    rows = connection.execute(
        "SELECT id, kind, qualified_name, ordinal, paragraph_index, start_line, end_line, section_heading,"
        " heading_path, symbol_names, text, token_count, summary, tags, is_stale FROM paragraph WHERE document_id = ?",
        of,
    )
    return {
        row[1:4]: StoredParagraph(row[0], row[1:4], row[4:7], ParagraphBody._make(row[7:14]), bool(row[14]))
        for row in rows
    }


def _propositions(connection: apsw.Connection, of: tuple[int]) -> dict[bytes, StoredProposition]:
    places: dict[int, list[Place]] = {}
    for row in connection.execute(
        "SELECT o.proposition_id, o.start_line, o.end_line, o.paragraph_id, o.symbol_id FROM proposition p"
        " JOIN occurrence o ON o.proposition_id = p.id WHERE p.document_id = ?",
        of,
    ):
        places.setdefault(row[0], []).append(row[1:])
    rows = connection.execute(
        "SELECT id, hash, text, type, confidence, source, mentions, is_stale FROM proposition WHERE document_id = ?", of
    )
    return {
        row[1]: StoredProposition(
            row[0], row[1], PropositionBody._make(row[2:7]), tuple(places.get(row[0], ())), bool(row[7])
        )
        for row in rows
    }


def _references(
    connection: apsw.Connection, of: tuple[int], names: dict[int, str]
) -> dict[ReferenceKey, list[StoredRow]]:
    found: dict[ReferenceKey, list[StoredRow]] = {}
    for row in connection.execute(
        "SELECT id, kind, name, local_type, line, column, end_column, scope_id FROM reference WHERE document_id = ?"
        " ORDER BY line, column",
        of,
    ):
        key = (row[1], row[2], row[3], names.get(row[7], ""))
        found.setdefault(key, []).append(StoredRow(row[0], row[4:]))
    return found


def _imports(connection: apsw.Connection, of: tuple[int]) -> dict[ImportKey, list[StoredRow]]:
    found: dict[ImportKey, list[StoredRow]] = {}
    for row in connection.execute(
        "SELECT id, local, module, level, name, scope, line FROM import WHERE document_id = ? ORDER BY line", of
    ):
        found.setdefault(row[1:6], []).append(StoredRow(row[0], row[6:]))
    return found
