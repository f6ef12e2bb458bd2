"""The summaries of folders, made from those of the files in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index import changes as sql
from granum.index.changes import Changes, Sequences
from granum.index.fts import summary_values, summary_words
from granum.index.packing import Block, packed
from granum.index.schema import code_of
from granum.index.summary_body import decode_summary_body, encode_summary_body, summary_body
from granum.model.layers import Granularity, Summary
from granum.text.tokens import camel_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from granum.index.rows import Row

_FTS = "summary_fts"
_PACKAGE = code_of(Granularity.PACKAGE)
#: A package's summary belongs to no document.
NO_DOCUMENT = 0


def folder_of(path: str) -> str:
    """The folder whose summary a file's change may change."""
    return path.rpartition("/")[0]


def refresh(connection: apsw.Connection, folders: Iterable[str]) -> None:
    """Brings the summaries of these folders in line with those of the modules in them, within a transaction."""
    changes = Changes()
    sequences = Sequences(connection)
    for folder in folders:
        _refresh(connection, folder, changes, sequences)
    changes.flush(connection)
    sequences.save(connection)


def _refresh(connection: apsw.Connection, folder: str, changes: Changes, sequences: Sequences) -> None:
    # late: summarising is not needed to answer from the index
    from granum.extract.summarise import summarise_package

    modules = _modules(connection, folder)
    known: list[Row] = connection.execute(
        f"SELECT id, start_line, end_line, own_text FROM summary_row WHERE document_id = {NO_DOCUMENT} AND key = ?",
        (folder,),
    ).fetchall()
    if not modules:
        for row in known:
            changes.add(sql.DELETE_SUMMARY, row[0])
            changes.add(sql.fts_delete(_FTS), row[0])
        return
    made = summarise_package(folder, modules)
    body = summary_body(made)
    columns = (made.start_line, made.end_line, packed(Block(0, [(encode_summary_body(body),)])))
    if not known:
        row_id = sequences.take("summary")[0]
        changes.add(sql.INSERT_SUMMARY, row_id, NO_DOCUMENT, 0, _PACKAGE, folder, *columns)
    elif known[0][1:] != columns:
        row_id = known[0][0]
        changes.add(sql.UPDATE_SUMMARY, 0, *columns, row_id)
        changes.add(sql.fts_delete(_FTS), row_id)
    else:
        return
    parts = camel_parts(" ".join(summary_words(folder, body)))
    changes.add(sql.fts_insert(_FTS), row_id, *summary_values(folder, body, parts, folder.replace("/", ".")))


def _modules(connection: apsw.Connection, folder: str) -> list[Summary]:
    """The summaries of the code files right in a folder, by path."""
    low, high = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
    rows: list[Row] = connection.execute(
        "SELECT y.key, y.start_line, y.end_line, y.body FROM document d JOIN summary y ON y.document_id = d.id"
        " WHERE d.path >= ? AND d.path < ? AND instr(substr(d.path, ?), '/') = 0 AND y.granularity_code = ?"
        " ORDER BY d.path",
        (low, high, len(low) + 1, code_of(Granularity.MODULE)),
    ).fetchall()
    return [_summary(*row) for row in rows]


def _summary(key: str, start: int, end: int, body: str) -> Summary:
    text, purpose, symbols, duties, constraints, interactions = decode_summary_body(body)
    return Summary(
        granularity=Granularity.MODULE,
        key=key,
        start_line=start,
        end_line=end,
        summary_text=text,
        purpose=purpose,
        key_symbols=symbols,
        responsibilities=duties,
        constraints_mentioned=constraints,
        important_interactions=interactions,
    )
