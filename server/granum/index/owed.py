"""What committed rows still owe: documents to be linked and folders to be summarised, which bulk work does later.

It is noted in the transaction that writes the rows. A process that ends in between, however it ends, leaves it to the
next one, which would otherwise find every file unchanged and nothing to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from granum.index.rows import Row


def note(connection: apsw.Connection, document_ids: Iterable[int], folders: Iterable[str]) -> None:
    """Notes documents whose names are to be linked, and folders whose summary is to be made anew."""
    connection.executemany(
        "INSERT INTO linkage (document_id, is_pending) VALUES (?, 1)"
        " ON CONFLICT (document_id) DO UPDATE SET is_pending = 1",
        [(document_id,) for document_id in document_ids],
    )
    connection.executemany("INSERT OR IGNORE INTO unsummarised (folder) VALUES (?)", [(folder,) for folder in folders])


def documents(connection: apsw.Connection, limit: int) -> list[int]:
    """Documents that wait for being linked. Linking itself strikes them off."""
    rows: list[Row] = connection.execute(
        "SELECT document_id FROM linkage WHERE is_pending = 1 LIMIT ?", (limit,)
    ).fetchall()
    return [row[0] for row in rows]


def give_up(connection: apsw.Connection, document_ids: Iterable[int]) -> None:
    """Strikes documents off that cannot be linked; they would come back forever."""
    connection.executemany(
        "UPDATE linkage SET is_pending = 0 WHERE document_id = ?", [(document_id,) for document_id in document_ids]
    )


def folders(connection: apsw.Connection) -> list[str]:
    """Folders that wait for their summary."""
    rows: list[Row] = connection.execute("SELECT folder FROM unsummarised").fetchall()
    return [row[0] for row in rows]


def summarised(connection: apsw.Connection, done: Iterable[str]) -> None:
    """Strikes folders off."""
    connection.executemany("DELETE FROM unsummarised WHERE folder = ?", [(folder,) for folder in done])
