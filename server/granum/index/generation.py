"""Opens the index, or begins a new one where the old cannot be used.

A file that is damaged, of another schema or no database at all keeps its name, because another process may have it
open (Windows cannot rename such a file); the next generation gets the next number.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import apsw
import msgspec

from granum.index.connection import immediate, open_reader, open_writer
from granum.index.location import current_generation, generations, next_generation
from granum.index.schema import SCHEMA_VERSION, create_statements
from granum.index.unpacking import add_functions
from granum.model.errors import IndexUnavailableError

#: Errors that say that the file itself is of no use, whatever is done with it.
DAMAGE = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
#: Errors of reading that pass: the index was deleted and is made again, or another process holds it for too long.
CANNOT_READ = (apsw.CantOpenError, apsw.IOError, apsw.BusyError, apsw.ProtocolError)
_MARK = ".damaged"
_DAMAGED = "is damaged"
_HEADER_BYTES = 100


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """An open index. ``message`` tells why a new one was begun, or is empty; ``created`` that it is empty."""

    path: Path
    connection: apsw.Connection
    created: bool
    message: str = ""


def open_generation(path: Path, extractor_version: int) -> Generation:
    """Opens the newest generation of the index at ``path``, or begins the next one.

    Raises:
        IndexUnavailableError: Neither works: no space, or no permission.
    """
    file = current_generation(path)
    message = ""
    for _ in range(2):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists():  # somebody deleted it; its mark says nothing of the next one of that name
                _mark_of(file).unlink(missing_ok=True)
            connection, created, reason = _open(file, extractor_version)
        except (OSError, apsw.Error) as error:
            raise IndexUnavailableError(
                f"The index cannot be opened or created: {error}. Free some space, or set granum.indexPath to a"
                " folder that can be written."
            ) from error
        if connection is not None:
            return Generation(path=file, connection=connection, created=created, message=message)
        if reason == _DAMAGED:
            with suppress(OSError):
                mark_damaged(file)
        message = f"The index was rebuilt because the old one {reason}; {file.name} is left for inspection."
        file = next_generation(path)
    raise IndexUnavailableError("A new index was damaged as soon as it was made. Check the disk.")


def readable_generation(index: Path, extractor_version: int, known: Path | None) -> Path | None:
    """The newest generation, where it can be read and is not the known one; for who may not make one.

    None also while the process that may is just about to begin or to replace it.
    """
    file = current_generation(index)
    if file == known or is_marked_damaged(file) or not file.exists():
        return None
    try:
        connection = open_reader(file)
        try:
            versions = _versions(connection)
        finally:
            connection.close()
    except apsw.Error:
        return None
    return file if versions == (SCHEMA_VERSION, extractor_version) else None


def open_nothing(extractor_version: int) -> apsw.Connection:
    """An index of nothing, in memory, to answer from before there is one."""
    connection = apsw.Connection(":memory:")
    add_functions(connection)
    _create(connection, extractor_version)
    return connection


def mark_damaged(path: Path) -> None:
    """Notes beside the file that it is not to be used again.

    Damage may be deep in a file that opens well; without the mark it would be opened at every start.
    """
    _mark_of(path).touch()


def is_marked_damaged(path: Path) -> bool:
    """Whether somebody has noted that the file is not to be used again."""
    return _mark_of(path).exists()


def prune(index: Path) -> None:
    """Removes the damaged generations but the newest, which is left for inspection, and marks of what is gone.

    Nobody reads them: whoever still had one open when the next was begun has long gone over to it. Where the system
    does not let go of an open file, it is removed another time.
    """
    existing = generations(index)
    damaged = [file for file in existing[:-1] if is_marked_damaged(file)]
    with suppress(OSError):
        for file in damaged[:-1]:
            for suffix in ("", "-wal", "-shm", _MARK):  # the mark last: what is left of a damaged one must stay marked
                file.with_name(file.name + suffix).unlink(missing_ok=True)
        for mark in index.parent.glob(f"{index.stem}*{index.suffix}{_MARK}"):
            if not mark.with_name(mark.name.removesuffix(_MARK)).exists():
                mark.unlink(missing_ok=True)


def _mark_of(path: Path) -> Path:
    return path.with_name(path.name + _MARK)


def _open(file: Path, extractor_version: int) -> tuple[apsw.Connection | None, bool, str]:
    """The connection and whether it is new; or None and why the file is of no use."""
    if is_marked_damaged(file):
        return None, False, "was damaged"
    if _is_cut_off(file):
        return None, False, _DAMAGED
    try:
        connection = open_writer(file)
    except DAMAGE:
        return None, False, _DAMAGED
    reason = ""
    try:
        versions = _versions(connection)
        if versions is None:
            return connection, _create(connection, extractor_version), ""
        if versions == (SCHEMA_VERSION, extractor_version):
            return connection, False, ""
        reason = "was made by another version of Granum"
    except DAMAGE:
        reason = _DAMAGED
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None, False, reason


def _is_cut_off(file: Path) -> bool:
    """Whether pages are missing at the file's end; SQLite reads what is left and silently misses the rest.

    By the header (https://www.sqlite.org/fileformat2.html, 1.3): its page count holds when the two counters agree. A
    log beside the file may hold the missing pages.
    """
    log = file.with_name(file.name + "-wal")
    try:
        with file.open("rb") as stream:
            header = stream.read(_HEADER_BYTES)
        size = file.stat().st_size
        if len(header) < _HEADER_BYTES or (log.exists() and log.stat().st_size):
            return False
    except OSError:
        return False
    page_size, pages, changes, counted_at = (
        int.from_bytes(header[start:end], "big") for start, end in ((16, 18), (28, 32), (24, 28), (92, 96))
    )
    return changes == counted_at and size < pages * (65_536 if page_size == 1 else page_size)


def _versions(connection: apsw.Connection) -> tuple[int, int] | None:
    """Schema and extractor version, None for an empty file, (0, 0) for a database that is not an index."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    if not names:
        return None
    if "meta" not in names or "document" not in names:
        return 0, 0
    meta = {key: value for key, value in connection.execute("SELECT key, value FROM meta") if isinstance(value, int)}
    return meta.get("schema_version", 0), meta.get("extractor_version", 0)


def _create(connection: apsw.Connection, extractor_version: int) -> bool:
    """Makes the tables, unless another process that starts at the same time has just done so."""
    with immediate(connection):
        if _versions(connection) is not None:
            return False
        connection.execute(create_statements())
        connection.executemany(
            "INSERT INTO meta (key, value) VALUES (?, ?)",
            [
                ("schema_version", SCHEMA_VERSION),
                ("extractor_version", extractor_version),
                ("created_at", time.time()),
            ],
        )
        return True
