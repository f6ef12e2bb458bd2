"""Reads what ``packing`` packed: in Python, and in SQL by the functions that every connection is given."""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

import apsw
import msgspec

from granum.index.packing import RAW, Block

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED = 16

_decode = msgspec.msgpack.Decoder(Block).decode


def unpacked(value: bytes) -> Block:
    """The block of a row's value.

    Raises:
        apsw.CorruptError: The bytes are damaged. SQLite itself has no checksum to find that by.
    """
    try:
        return _decode(zlib.decompress(value, RAW))
    except (zlib.error, msgspec.DecodeError) as error:
        raise apsw.CorruptError(f"a text cannot be unpacked: {error}") from error


#: ``unpacked``, with a memory: rows of a question often come from the same block.
recalled = lru_cache(maxsize=_REMEMBERED)(unpacked)


def packed_field(value: bytes | None, index: int, field: int) -> str | None:
    """One field of the row with this index.

    Raises:
        apsw.CorruptError: The block is missing, damaged or another row's.
    """
    if value is None:
        raise apsw.CorruptError("a text is missing")
    first, rows = recalled(value)
    if not 0 <= index - first < len(rows):
        raise apsw.CorruptError("a text is not where it belongs")
    return rows[index - first][field]


def hash_of(text: str) -> bytes:
    """The hash that identifies a proposition."""
    # late: a fact is shown long after the start
    from granum.text.normalise import fingerprint

    return bytes.fromhex(fingerprint(text))


def add_functions(connection: apsw.Connection) -> None:
    """Makes the functions known to the connection; without them texts cannot be read."""
    functions: list[tuple[Callable[..., str | bytes | None], int]] = [(packed_field, 3), (hash_of, 1)]
    for function, arguments in functions:
        connection.create_scalar_function(function.__name__, function, arguments, deterministic=True)
