"""Incremental edits against a reference that splices one string."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.lsp.buffers import Buffer, Buffers, split_lines
from granum.lsp.params import ContentChange, OpenedDocument
from granum.lsp.wire import Position, Range
from granum.text.lines import PositionEncoding

TEXT = st.text(alphabet="ab\t\r\n\f\u2028é\u0301😀", max_size=24)
ENCODING = st.sampled_from(list(PositionEncoding))
PLACE = st.tuples(st.integers(0, 12), st.integers(0, 12))
EDIT = st.tuples(PLACE, PLACE, TEXT)


def units(text: str, encoding: PositionEncoding) -> int:
    codec = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding.value]
    return len(text.encode(codec[0])) // codec[1]


def reference_offset(text: str, line: int, character: int, encoding: PositionEncoding) -> int:
    """Walks character by character from the line's start."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    if line >= len(starts):
        return len(text)
    offset = starts[line]
    while offset < len(text) and text[offset] not in "\r\n":
        character -= units(text[offset], encoding)
        if character < 0:
            break
        offset += 1
    return offset


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> ContentChange:
    place = [Position(line=line, character=character) for line, character in (start, end)]
    return ContentChange(text=text, range=Range(start=place[0], end=place[1]))


@given(TEXT, st.lists(EDIT, max_size=6), ENCODING)
def test_edits_equal_those_of_a_plain_string(
    text: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]], encoding: PositionEncoding
) -> None:
    buffer = Buffer("file:///a", "python", 1, text)
    for start, end, inserted in edits:
        low, high = sorted(reference_offset(text, *place, encoding) for place in (start, end))
        text = text[:low] + inserted + text[high:]
        buffer.apply(edit(start, end, inserted), encoding)
        assert buffer.text == text
        assert buffer._lines == split_lines(text)


@given(TEXT)
def test_lines_end_at_lf_crlf_and_cr_only(text: str) -> None:
    assert [line.rstrip("\r\n") for line in split_lines(text)] == re.split(r"\r\n|\r|\n", text)
    assert "".join(split_lines(text)) == text


def test_a_line_feed_typed_behind_a_lone_cr_joins_it() -> None:
    buffer = Buffer("file:///a", "python", 1, "a\rb")
    buffer.apply(edit((1, 0), (1, 0), "\n"), PositionEncoding.UTF16)
    assert buffer.text == "a\r\nb"
    assert buffer.line_count == 2
    buffer.apply(edit((1, 0), (1, 1), "c"), PositionEncoding.UTF16)
    assert buffer.text == "a\r\nc"


@pytest.mark.parametrize(
    ("encoding", "character"), [(PositionEncoding.UTF8, 4), (PositionEncoding.UTF16, 2), (PositionEncoding.UTF32, 1)]
)
def test_columns_count_in_the_negotiated_unit(encoding: PositionEncoding, character: int) -> None:
    buffer = Buffer("file:///a", "python", 1, "😀x\n")
    buffer.apply(edit((0, character), (0, character), "|"), encoding)
    assert buffer.text == "😀|x\n"


def test_positions_past_the_end_clamp() -> None:
    buffer = Buffer("file:///a", "python", 1, "ab\ncd")
    buffer.apply(edit((0, 99), (0, 99), "!"), PositionEncoding.UTF16)
    buffer.apply(edit((99, 5), (99, 7), "?"), PositionEncoding.UTF16)
    assert buffer.text == "ab!\ncd?"


def opened(text: str = "a\n", version: int = 3) -> Buffers:
    buffers = Buffers()
    buffers.open(OpenedDocument(uri="file:///a", version=version, text=text, language_id="python"))
    return buffers


@pytest.mark.parametrize("version", [3, 2, -1])
def test_an_edit_out_of_order_is_rejected(version: int) -> None:
    buffers = opened()
    assert buffers.change("file:///a", version, [ContentChange(text="b")], PositionEncoding.UTF16) is None
    buffer = buffers.get("file:///a")
    assert buffer is not None
    assert (buffer.text, buffer.version) == ("a\n", 3)


def test_an_edit_of_a_document_that_is_not_open_is_rejected() -> None:
    assert opened().change("file:///b", 4, [ContentChange(text="b")], PositionEncoding.UTF16) is None


def test_edits_apply_in_order_and_set_the_version() -> None:
    buffers = opened("")
    changes = [ContentChange(text="abc"), edit((0, 1), (0, 2), "X")]
    buffer = buffers.change("file:///a", 9, changes, PositionEncoding.UTF16)
    assert buffer is not None
    assert (buffer.text, buffer.version) == ("aXc", 9)
    assert buffers.close("file:///a") is buffer
    assert buffers.close("file:///a") is None
