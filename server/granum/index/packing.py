"""Long texts are stored compressed: two SQL functions, ``packed`` on the way in and ``unpacked`` on the way out.

Source code and prose come down to less than half. Short texts stay as they are, which their type in the row tells:
TEXT is the text itself, a BLOB is compressed. So who reads a column need not know which it is.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

#: In code points; shorter texts would gain next to nothing.
SHORTEST = 80

# raw deflate, since a row needs neither header nor checksum; a compressor that was never fed is copied for each text,
# because making one takes longer than compressing a paragraph with it; a small window and memory make the copy cheap
_LEVEL, _RAW, _MEMORY = 4, -12, 6
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
        zlib.error: The bytes are damaged.
    """
    if isinstance(value, bytes):
        return zlib.decompress(value, _RAW).decode("utf-8", "surrogatepass")
    return value


def add_functions(connection: apsw.Connection) -> None:
    """Makes ``packed`` and ``unpacked`` known to the connection; without them texts cannot be read or written."""
    functions: dict[str, Callable[..., bytes | str | None]] = {"packed": packed, "unpacked": unpacked}
    for name, function in functions.items():
        connection.create_scalar_function(name, function, 1, deterministic=True)
