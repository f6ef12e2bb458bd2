"""Texts are stored compressed, many in one block: alone, most are too short to gain much by it.

A block holds rows of one layer of one document, in their order; of each row, a few fields. SQL reads them by the
function ``packed_field``. A row that is no longer among its document's texts has a block of its own.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The fields of one row.
Fields = tuple[str | None, ...]

#: About how many code points of text one block holds: more would pack better, and take longer to read one row of.
BLOCK_LENGTH = 8_000

# raw deflate, since a block needs neither header nor checksum; a compressor that was never fed is copied for each
# block, because making one takes as long as compressing a short one
_LEVEL, _MEMORY = 6, 8
RAW = -14
_FRESH = zlib.compressobj(_LEVEL, zlib.DEFLATED, RAW, _MEMORY)


class Block(NamedTuple):
    """Rows from index ``first`` on."""

    first: int
    rows: list[Fields]


_encode = msgspec.msgpack.Encoder().encode


def blocks(rows: Sequence[Fields]) -> Iterator[Block]:
    """The rows of a layer in blocks."""
    first = length = 0
    for index, row in enumerate(rows):
        size = sum(len(field) for field in row if field)
        if index > first and length + size > BLOCK_LENGTH:
            yield Block(first, list(rows[first:index]))
            first, length = index, 0
        length += size
    if rows:
        yield Block(first, list(rows[first:]))


def packed(block: Block) -> bytes:
    """The block as a row of the database holds it; equal for equal blocks."""
    compressor = _FRESH.copy()
    return compressor.compress(_encode(block)) + compressor.flush()
