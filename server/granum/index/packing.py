"""Long texts are stored compressed, by SQL functions: ``packed`` on the way in and ``unpacked`` on the way out.

Two texts that share their words are packed together, by ``packed_pair``, and read by ``first_of`` and ``second_of``.

Source code and prose come down to less than half. Short texts stay as they are, which their type in the row tells:
TEXT is the text itself, a BLOB is compressed. So who reads a column need not know which it is.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from collections.abc import Callable

#: In code points; shorter texts would gain next to nothing.
SHORTEST = 64

# raw deflate, since a row needs neither header nor checksum; a compressor that was never fed is copied for each text,
# because making one takes longer than compressing a paragraph with it; a small window and memory make the copy cheap
_LEVEL, _RAW, _MEMORY = 4, -12, 6
_SEPARATOR = "\x1f"
_FRESH = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, _MEMORY)


def packed(text: str) -> bytes | str:
    """The text as a row holds it."""
    if len(text) < SHORTEST:
        return text
    compressor = _FRESH.copy()
    data = text.encode("utf-8", "surrogatepass")
    return compressor.compress(data) + compressor.flush()


def unpacked(value: bytes | str | None) -> str | None:
    """The text of a row's value; NULL stays NULL.

    Raises:
        apsw.CorruptError: The bytes are damaged. SQLite itself has no checksum to find that by.
    """
    if not isinstance(value, bytes):
        return value
    try:
        return zlib.decompress(value, _RAW).decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise apsw.CorruptError(f"a text cannot be unpacked: {error}") from error


def packed_pair(first: str, second: str) -> bytes | str:
    """Both texts as one value; the first holds no unit separator."""
    return packed(f"{first}{_SEPARATOR}{second}")


def first_of(value: bytes | str) -> str:
    """The first text of a pair."""
    return (unpacked(value) or "").partition(_SEPARATOR)[0]


def second_of(value: bytes | str) -> str:
    """The second text of a pair."""
    return (unpacked(value) or "").partition(_SEPARATOR)[2]


def add_functions(connection: apsw.Connection) -> None:
    """Makes the functions known to the connection; without them texts cannot be read or written."""
    functions: list[tuple[Callable[..., bytes | str | None], int]] = [
        (packed, 1),
        (unpacked, 1),
        (packed_pair, 2),
        (first_of, 1),
        (second_of, 1),
    ]
    for function, arguments in functions:
        connection.create_scalar_function(function.__name__, function, arguments, deterministic=True)
