"""What files were read as, kept by their content: switching to another branch and back extracts nothing again.

An SQLite file of its own, shared by the work trees of a repository and by all processes that index one of them. It
is only ever a shortcut: whatever goes wrong with it costs the extraction that it would have spared, and a file that is
damaged or that found no space is deleted and begun anew. Not the index itself, since that one's promise is to be
exactly what the disk holds, and since it would grow with every branch that was ever visited.

An entry is found by the content, by the path and by the extractor's version. The path, because an extraction depends
on it: it decides the language, what counts as a test or a changelog, and stands in summaries. So a renamed file is
extracted once more, and never takes over what was said of its old place.
"""

from __future__ import annotations

import hashlib
import logging
import time
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import apsw
import msgspec

from granum.index.connection import immediate
from granum.index.generation import DAMAGE
from granum.index.reading import Reading, State

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from granum.index.freshness import FileStamp

log = logging.getLogger(__name__)

#: As much as some five branches of Django hold that share nothing.
MOST_BYTES = 128 * 1024 * 1024
#: Entries that are removed for each that is added while the file is over its size; more than one, so that it shrinks.
_EVICTED_FOR_EACH = 4
#: Nobody waits for the cache: a lock that another process holds for longer, in milliseconds, costs this entry.
_BUSY_TIMEOUT_MS = 50
#: After so many failures that waiting does not mend, the file is left alone until the program starts again.
_MOST_FAILURES = 3
_PAGE_BYTES = 8_192
_CACHE_KIB = 2_048
_LOG_LIMIT_BYTES = 8 * 1024 * 1024
_FORMAT = 2
#: What a new file mends.
_BEGUN_ANEW = (*DAMAGE, apsw.FullError)

# the values lie apart, so that noting a use or looking for the least used one moves no value
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS value (id INTEGER PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS entry (key BLOB PRIMARY KEY, value_id INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entry_used ON entry (used);
PRAGMA user_version={_FORMAT};
"""
_FIND = "SELECT packed FROM value WHERE id = (SELECT value_id FROM entry WHERE key = ?)"
_OLDEST = "SELECT key FROM entry ORDER BY used LIMIT ?"
_USED = "UPDATE entry SET used = ? WHERE key = ?"

_Result = TypeVar("_Result")

_decode = msgspec.msgpack.Decoder(Reading).decode


class ExtractionCache:
    """Owns a connection to the file at ``path``, opened at the first use. For one thread; its methods never raise."""

    def __init__(self, path: Path, extractor_version: int, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._salt = f"{extractor_version}\0".encode()
        self._most_bytes = most_bytes
        self._connection: apsw.Connection | None = None
        self._used: dict[bytes, None] = {}
        self._failures = 0

    def find(self, path: str, content_sha256: bytes, stamp: FileStamp, read_at: float) -> Reading | None:
        """What the content was read as at that path, as a reading of a file with this stamp; None if it is not kept."""
        key = self._key(path, content_sha256)
        row = self._attempt(lambda connection: connection.execute(_FIND, (key,)).fetchone())
        if row is None:
            return None
        try:
            encoded = zlib.decompress(row[0])
            reading = _decode(encoded)
        except (zlib.error, msgspec.MsgspecError, TypeError):
            return None  # written by another version of this program, or damaged
        # a damaged file may hold a sound value under the wrong key
        if (reading.path, reading.content_sha256, reading.state) != (path, content_sha256, State.READ):
            return None
        self._used[key] = None
        return msgspec.structs.replace(reading, stamp=stamp, read_at=read_at, weight=len(encoded))

    def keep(self, readings: Sequence[Reading]) -> None:
        """Keeps those that came from a worker, in one transaction, and removes old ones when the file is full."""
        fresh = [(self._key(each.path, each.content_sha256), each.packed) for each in readings if each.packed]
        used, self._used = self._used, {}
        if fresh or used:
            self._attempt(lambda connection: self._write(connection, fresh, used))

    def close(self) -> None:
        """Closes the file; it may be used again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(apsw.Error):
                connection.close()

    def _key(self, path: str, content_sha256: bytes) -> bytes:
        return hashlib.sha256(self._salt + content_sha256 + path.encode("utf-8", "surrogatepass")).digest()

    def _write(
        self, connection: apsw.Connection, fresh: Sequence[tuple[bytes, bytes]], used: dict[bytes, None]
    ) -> None:
        now = int(time.time())
        with immediate(connection):
            connection.executemany(_USED, ((now, key) for key in used))
            self._remove(connection, [(key,) for key, _ in fresh])
            if self._is_full(connection):
                self._remove(connection, connection.execute(_OLDEST, (_EVICTED_FOR_EACH * len(fresh),)).fetchall())
            for key, value in fresh:
                connection.execute("INSERT INTO value (packed) VALUES (?)", (value,))
                connection.execute("INSERT INTO entry VALUES (?, ?, ?)", (key, connection.last_insert_rowid(), now))

    def _remove(self, connection: apsw.Connection, bound: Sequence[tuple[Any, ...]]) -> None:
        connection.executemany("DELETE FROM value WHERE id = (SELECT value_id FROM entry WHERE key = ?)", bound)
        connection.executemany("DELETE FROM entry WHERE key = ?", bound)

    def _is_full(self, connection: apsw.Connection) -> bool:
        pages, free = (int(connection.pragma(name) or 0) for name in ("page_count", "freelist_count"))
        return (pages - free) * _PAGE_BYTES > self._most_bytes

    def _attempt(self, use: Callable[[apsw.Connection], _Result]) -> _Result | None:
        """The result of a use of the file; None where that fails."""
        if self._failures >= _MOST_FAILURES:
            return None
        try:
            if self._connection is None:
                self._connection = _opened(self._path)
            return use(self._connection)
        except (apsw.BusyError, apsw.LockedError):
            return None
        except (apsw.Error, OSError) as error:
            log.warning("the extraction cache failed", extra={"reason": str(error)})
            self._failures += 1
            self.close()
            if isinstance(error, _BEGUN_ANEW):
                _delete(self._path)
            return None


def _opened(path: Path) -> apsw.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        connection.execute(
            f"PRAGMA page_size={_PAGE_BYTES}; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
            f"PRAGMA cache_size=-{_CACHE_KIB}; PRAGMA journal_size_limit={_LOG_LIMIT_BYTES}"
        ).fetchall()
        format_ = connection.pragma("user_version")
        if format_ not in (0, _FORMAT):
            raise apsw.FormatError(f"the file has format {format_}, this program writes {_FORMAT}")
        if format_ == 0:
            with immediate(connection):
                connection.execute(_SCHEMA)
    except apsw.Error:
        connection.close()
        raise
    return connection


def _delete(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(OSError):  # on Windows, another process may have it open
            path.with_name(name).unlink()
