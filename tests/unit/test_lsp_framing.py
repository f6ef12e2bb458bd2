"""Frames as clients send them, and as none should."""

from __future__ import annotations

import asyncio

import pytest

from granum.lsp.framing import MAX_BODY_BYTES, BrokenStreamError, FramingError, frames


def read(data: bytes, chunk: int = 1 << 20) -> list[bytes | str]:
    """Bodies as bytes, failures as their text."""

    async def main() -> list[bytes | str]:
        reader = asyncio.StreamReader(limit=1024)
        for start in range(0, len(data), chunk):
            reader.feed_data(data[start : start + chunk])
        reader.feed_eof()
        return [str(frame) if isinstance(frame, FramingError) else frame async for frame in frames(reader)]

    return asyncio.run(main())


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nX-Other: 5\r\n\r\n",
        b"Content-Length: 2\n\n",
    ],
)
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_headers_in_any_spelling(header: bytes, chunk: int) -> None:
    assert read(header + b"{}" + header + b"[]", chunk) == [b"{}", b"[]"]


@pytest.mark.parametrize(
    "garbage",
    [
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: many\r\n\r\n",
        b"Content-Length: \xff\r\n\r\n",
        b"hello\r\n\r\n",
        b"\r\n",
    ],
)
def test_a_bad_header_is_told_once_and_read_past(garbage: bytes) -> None:
    told, body = read(garbage + b"Content-Length: 2\r\n\r\n{}")
    assert isinstance(told, str)
    assert body == b"{}"


def test_an_overlong_header_line_is_read_past() -> None:
    frames_read = read(b"x" * 5000 + b"\r\n\r\nContent-Length: 2\r\n\r\n{}")
    assert frames_read[-1] == b"{}"
    assert frames_read[0] == "a header line is too long"


def test_a_body_over_the_limit_is_skipped() -> None:
    size = MAX_BODY_BYTES + 1
    told, body = read(b"Content-Length: %d\r\n\r\n" % size + b" " * size + b"Content-Length: 2\r\n\r\n{}")
    assert told == f"a message of {size} bytes is over the limit of {MAX_BODY_BYTES}"
    assert body == b"{}"


def test_an_absurd_length_ends_the_connection() -> None:
    with pytest.raises(BrokenStreamError, match="cannot be meant"):
        read(b"Content-Length: 99999999999999\r\n\r\n{}")


@pytest.mark.parametrize("data", [b"", b"Content-Length: 9\r\n\r\n{}", b"Content-Length: 2\r\n", b"Content-Le"])
def test_the_end_of_the_stream_is_the_end(data: bytes) -> None:
    assert read(data) == []
