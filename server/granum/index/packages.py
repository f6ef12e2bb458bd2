"""The summaries of folders, made from those of the files in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.index.changes import Changes, Sequences
from granum.index.derived_rows import put_summaries
from granum.index.rows import decode_summary_body
from granum.index.stored import StoredRow
from granum.index.target import Target
from granum.model.layers import Granularity, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from granum.index.rows import Row

_COLUMNS = "y.granularity, y.key, y.start_line, y.end_line, unpacked(y.packed_body)"
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
    wanted = (summarise_package(folder, modules),) if modules else ()
    rows: list[Row] = connection.execute(
        f"SELECT y.id, {_COLUMNS} FROM summary y WHERE document_id = ? AND granularity = ? AND key = ?",
        (NO_DOCUMENT, Granularity.PACKAGE, folder),
    ).fetchall()
    stored = {(row[1], row[2]): StoredRow(row[0], row[3:]) for row in rows}
    module = folder.replace("/", ".")
    target = Target(
        document_id=NO_DOCUMENT,
        version_id=0,
        path=folder,
        module=module,
        now=0.0,
        changes=changes,
        sequences=sequences,
    )
    put_summaries(target, stored, module, wanted)


def _modules(connection: apsw.Connection, folder: str) -> list[Summary]:
    """The summaries of the code files right in a folder, by path."""
    low, high = (f"{folder}/", f"{folder}0") if folder else ("", "\U0010ffff")
    rows: list[Row] = connection.execute(
        f"SELECT {_COLUMNS} FROM document d JOIN summary y ON y.document_id = d.id"
        " WHERE d.path >= ? AND d.path < ? AND instr(substr(d.path, ?), '/') = 0 AND y.granularity = ?"
        " ORDER BY d.path",
        (low, high, len(low) + 1, Granularity.MODULE),
    ).fetchall()
    return [_summary(*row) for row in rows]


def _summary(granularity: str, key: str, start: int, end: int, body: str) -> Summary:
    text, purpose, symbols, duties, constraints, interactions = decode_summary_body(body)
    return Summary(
        granularity=Granularity(granularity),
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
