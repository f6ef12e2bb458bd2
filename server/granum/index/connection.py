"""How index.db is opened: one writer, many readers that never wait for it.

WAL lets readers keep their view while the writer commits. The index is derived, so ``synchronous=NORMAL`` is
enough: a power cut may lose the last commits, never the file's consistency.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from granum.index.unpacking import add_functions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: How long a statement waits for another process's lock, in milliseconds.
BUSY_TIMEOUT_MS = 5_000
#: Page caches in KiB; a reader's is small because there is one for each concurrent request.
WRITER_CACHE_KIB = 32_768
READER_CACHE_KIB = 8_192
#: Rows of text fill larger pages better than the default's 4 KiB.
PAGE_BYTES = 8_192
#: Pages in the write-ahead log before a checkpoint (16 MiB), and the size that it is cut back to.
CHECKPOINT_PAGES = 2_000
LOG_LIMIT_BYTES = 16 * 1024 * 1024


def open_writer(path: Path) -> apsw.Connection:
    """Opens the file for writing, creating it if it is missing.

    Raises:
        apsw.Error: It cannot be opened, or is not a database.
    """
    connection = apsw.Connection(str(path))
    try:
        _configure(connection)
        # the size of pages and the way to free them are fixed by the first page that is written, as WAL does
        connection.execute(
            f"PRAGMA page_size={PAGE_BYTES}; PRAGMA auto_vacuum=INCREMENTAL;"
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            "PRAGMA temp_store=MEMORY;"
            f"PRAGMA cache_size=-{WRITER_CACHE_KIB}; PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES};"
            f"PRAGMA journal_size_limit={LOG_LIMIT_BYTES}"
        ).fetchall()
    except apsw.Error:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> apsw.Connection:
    """Opens the file for reading only.

    Raises:
        apsw.Error: It is missing, cannot be opened, or is not a database.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    _configure(connection)
    connection.execute(f"PRAGMA query_only=1; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-{READER_CACHE_KIB}")
    return connection


def _configure(connection: apsw.Connection) -> None:
    add_functions(connection)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    # else a statement whose plan may depend on its values (a partial index is enough) is compiled anew for each of
    # them, which takes longer than running it
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)


@contextmanager
def immediate(connection: apsw.Connection) -> Iterator[None]:
    """One write transaction; rolled back when the block raises.

    ``BEGIN IMMEDIATE`` takes the lock at once: a transaction that starts by reading and writes later would fail
    with 'database is locked' when another writer came between, without the busy timeout helping.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if not connection.get_autocommit():
            connection.execute("ROLLBACK")
        raise
