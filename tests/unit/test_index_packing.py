"""Packing: every text comes back as it went in, and texts that share words are small together."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.index.packing import BLOCK_LENGTH, Block, blocks, packed
from granum.index.unpacking import add_functions, unpacked

texts = st.text(max_size=400)
rows = st.lists(st.tuples(texts, st.none() | texts), max_size=30)


@given(rows)
def test_rows_come_back_as_they_went_in(given_rows: list[tuple[str | None, ...]]) -> None:
    assert [row for block in blocks(given_rows) for row in unpacked(packed(block)).rows] == given_rows


@given(st.lists(st.integers(0, BLOCK_LENGTH * 2), min_size=1, max_size=8))
def test_blocks_are_bounded_and_begin_where_the_last_ends(lengths: list[int]) -> None:
    made = list(blocks([("x" * length,) for length in lengths]))
    ends = [block.first + len(block.rows) for block in made]
    assert [block.first for block in made] == [0, *ends[:-1]]
    assert ends[-1] == len(lengths)
    for block in made:
        assert len(block.rows) == 1 or sum(len(field or "") for (field,) in block.rows) <= BLOCK_LENGTH


def test_equal_blocks_are_packed_alike_and_small() -> None:
    block = Block(3, [("def load(path):\n    return path\n" * 10, None)] * 4)
    assert packed(block) == packed(Block(3, list(block.rows)))
    assert len(packed(block)) < 100


@pytest.fixture
def connection() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    add_functions(made)
    return made


def test_sql_reads_one_field_of_one_row(connection: apsw.Connection) -> None:
    value = packed(Block(7, [("first", None), ("with\0nul", "second")]))
    read = connection.execute("SELECT packed_field(?1, 8, 0), packed_field(?1, 8, 1), packed_field(?1, 7, 1)", (value,))
    assert read.fetchall() == [("with\0nul", "second", None)]


@pytest.mark.parametrize("value", [None, b"damaged", packed(Block(9, [("another's", None)]))])
def test_what_cannot_be_read_is_damage(connection: apsw.Connection, value: bytes | None) -> None:
    with pytest.raises(apsw.CorruptError):
        connection.execute("SELECT packed_field(?, 8, 0)", (value,)).fetchall()
