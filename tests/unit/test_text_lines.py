"""The mapper between offsets and positions, against Python's own encoders."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.text import LineIndex, Position, PositionEncoding

UNITS = {
    PositionEncoding.UTF8: ("utf-8", 1),
    PositionEncoding.UTF16: ("utf-16-le", 2),
    PositionEncoding.UTF32: ("utf-32-le", 4),
}
#: Astral, combining, wide and lone surrogate characters; all that some function takes for a line end.
CHARACTERS = st.sampled_from("ab\té😀\U0001d4b3e\u0301漢\ud800\f\v\x85\u2028\u2029\r\n")
TEXTS = st.text(CHARACTERS, max_size=40)
ENCODINGS = st.sampled_from(list(PositionEncoding))


def size(text: str, encoding: PositionEncoding) -> int:
    codec, width = UNITS[encoding]
    return len(text.encode(codec, "surrogatepass")) // width


@given(TEXTS)
def test_lines_end_at_lf_crlf_and_cr_only(text: str) -> None:
    index = LineIndex(text)
    expected = re.split("\r\n|\r|\n", text)
    assert [index.line(number) for number in range(1, index.line_count + 1)] == expected


@given(TEXTS)
def test_offsets_and_positions_are_inverse_within_lines(text: str) -> None:
    index = LineIndex(text)
    for number in range(1, index.line_count + 1):
        for column in range(len(index.line(number)) + 1):
            offset = index.offset(number, column)
            assert index.position(offset) == (number, column)
            assert text[offset - column : offset] == index.line(number)[:column]


@given(TEXTS, ENCODINGS)
def test_columns_match_pythons_encoders_both_ways(text: str, encoding: PositionEncoding) -> None:
    index = LineIndex(text)
    for number in range(1, index.line_count + 1):
        line = index.line(number)
        for column in range(len(line) + 1):
            units = index.encode_column(number, column, encoding)
            assert units == size(line[:column], encoding)
            assert index.decode_column(number, units, encoding) == column


@given(TEXTS, ENCODINGS, st.integers(-5, 60))
def test_a_column_inside_a_character_is_its_start(text: str, encoding: PositionEncoding, units: int) -> None:
    index = LineIndex(text)
    for number in range(1, index.line_count + 1):
        line = index.line(number)
        column = index.decode_column(number, units, encoding)
        assert size(line[:column], encoding) <= max(units, 0)
        assert column == len(line) or size(line[: column + 1], encoding) > max(units, 0)


@given(TEXTS, st.integers(-3, 100), st.integers(-3, 100))
def test_any_position_and_offset_is_clamped(text: str, line: int, column: int) -> None:
    index = LineIndex(text)
    offset = index.offset(line, column)
    assert 0 <= offset <= len(text)
    position = index.position(column)
    assert 1 <= position.line <= index.line_count
    assert 0 <= position.column <= len(index.line(position.line))
    assert index.encode_column(line, column, PositionEncoding.UTF16) >= 0


@pytest.mark.parametrize(
    ("line", "column", "offset"),
    [(1, 0, 0), (1, 2, 2), (1, 99, 2), (2, 0, 4), (2, 99, 5), (3, 0, 6), (3, 9, 6), (99, 0, 6), (0, 5, 0), (-1, 0, 0)],
)
def test_positions_past_a_line_or_the_file_clamp(line: int, column: int, offset: int) -> None:
    assert LineIndex("ab\r\nc\n").offset(line, column) == offset


def test_an_offset_inside_crlf_is_the_end_of_its_line() -> None:
    assert LineIndex("ab\r\nc").position(3) == Position(1, 2)


def test_an_emoji_is_two_utf16_units_and_four_utf8_bytes() -> None:
    index = LineIndex("é😀x")
    assert [index.encode_column(1, 2, encoding) for encoding in PositionEncoding] == [6, 3, 2]
    assert index.decode_column(1, 2, PositionEncoding.UTF16) == 1


def test_empty_text_has_one_empty_line() -> None:
    index = LineIndex("")
    assert (index.line_count, index.line(1), index.line(2), index.position(5)) == (1, "", "", (1, 0))
