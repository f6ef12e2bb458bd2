"""Packing: every text comes back as it went in, and long ones are smaller meanwhile."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.index.packing import SHORTEST, add_functions, packed, unpacked


@given(st.text(st.characters(exclude_categories=()), max_size=400))
def test_a_text_comes_back_as_it_went_in(text: str) -> None:
    assert unpacked(packed(text)) == text


def test_long_texts_are_compressed_and_short_ones_kept() -> None:
    assert packed("a" * (SHORTEST - 1)) == "a" * (SHORTEST - 1)
    long = "def load(path):\n    return path\n" * 10
    assert len(packed(long)) < len(long) / 2


@pytest.mark.parametrize("text", ["", "short", "with\0nul", "long and\0compressed " * 40])
def test_sql_reads_what_sql_packed(text: str) -> None:
    connection = apsw.Connection(":memory:")
    add_functions(connection)
    connection.execute("CREATE TABLE t (held BLOB, text TEXT AS (unpacked(held)))")
    connection.execute("INSERT INTO t (held) VALUES (packed(?))", (text,))
    assert connection.execute("SELECT text, unpacked(NULL) FROM t").fetchall() == [(text, None)]
