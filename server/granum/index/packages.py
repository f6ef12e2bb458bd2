"""The summaries of folders, made from those of the files in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from granum.index.changes import Changes, Sequences
from granum.index.derived_rows import put_summaries
from granum.index.stored import StoredRow
from granum.index.target import Target
from granum.model.layers import Granularity, Summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from granum.index.rows import Row

_COLUMNS = (
    "y.granularity, y.key, y.start_line, y.end_line, y.summary_text, y.purpose, y.key_symbols, y.responsibilities,"
    " y.constraints_mentioned, y.important_interactions"
)
#: A package's summary belongs to no document.
NO_DOCUMENT = 0

_names = msgspec.json.Decoder(tuple[str, ...]).decode


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
    return [
        Summary(
            granularity=Granularity(row[0]),
            key=row[1],
            start_line=row[2],
            end_line=row[3],
            summary_text=row[4],
            purpose=row[5],
            key_symbols=_names(row[6]),
            responsibilities=_names(row[7]),
            constraints_mentioned=_names(row[8]),
            important_interactions=_names(row[9]),
        )
        for row in rows
    ]
