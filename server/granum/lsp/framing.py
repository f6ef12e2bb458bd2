"""How messages arrive: header lines, an empty line, and a body of ``Content-Length`` bytes.

Bad framing is answered and read past where that is possible: everything up to the next header that names a length
is skipped. Only a length that no client can mean ends the connection, since its end cannot be found.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

#: The largest message that is read; a larger one is answered with an error and skipped.
MAX_BODY_BYTES = 64 * 1024 * 1024
#: A length above this is taken for nonsense.
MAX_SKIPPED_BYTES = 1024 * 1024 * 1024
READ_LIMIT = 1024 * 1024


class FramingError(Exception):
    """A frame could not be read. Its message may be shown to the client."""


class BrokenStreamError(FramingError):
    """No further frame can be found in the stream."""


async def frames(reader: asyncio.StreamReader) -> AsyncIterator[bytes | FramingError]:
    """Yields bodies, and in place of a body that could not be read the reason, until the stream ends.

    Raises:
        BrokenStreamError: No further frame can be found.
    """
    while True:
        try:
            length = await _header(reader)
            if length is None:
                return
            if length <= MAX_BODY_BYTES:
                yield await reader.readexactly(length)
                continue
            await _skip(reader, length)
            yield FramingError(f"a message of {length} bytes is over the limit of {MAX_BODY_BYTES}")
        except asyncio.IncompleteReadError:
            return
        except BrokenStreamError:
            raise
        except FramingError as error:
            yield error


async def _header(reader: asyncio.StreamReader) -> int | None:
    """Reads header lines up to the empty one; None at the end of the stream.

    Raises:
        FramingError: They name no usable length.
    """
    length: int | None = None
    wrong = "a header without Content-Length"
    while line := await _line(reader):
        text = line.strip()
        if not text:
            if length is None:
                raise FramingError(wrong)
            return length
        name, _, value = text.partition(b":")
        if name.strip().lower() != b"content-length":
            continue
        value = value.strip()
        if value.isdigit() and len(value) <= 20:
            length = int(value)
        else:
            length, wrong = None, f"Content-Length: expected a number, got {value[:40].decode('ascii', 'replace')!r}"
    return None


async def _line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError as error:  # longer than READ_LIMIT; asyncio has dropped it
        raise FramingError("a header line is too long") from error


async def _skip(reader: asyncio.StreamReader, length: int) -> None:
    if length > MAX_SKIPPED_BYTES:
        raise BrokenStreamError(f"Content-Length: {length} cannot be meant; the connection ends")
    while length:
        chunk = await reader.read(min(length, READ_LIMIT))
        if not chunk:
            raise asyncio.IncompleteReadError(b"", length)
        length -= len(chunk)
