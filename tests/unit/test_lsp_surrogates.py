"""Half a surrogate pair in a message costs one character, never the message."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.lsp.surrogates import replaced

PIECES = ["a", "\\", '"', "u", "ud800", "\ud800", "\udbff", "\udc00", "\udfff", "\U0001f600", "\n", "é"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\ud83db", "a\ufffdb"), ("\ude00", "\ufffd"), ("\U0001f600", "\U0001f600"), ("\\ud83d", "\\ud83d")],
)
def test_only_what_stands_alone_is_replaced(text: str, expected: str) -> None:
    assert msgspec.json.decode(replaced(json.dumps(text).encode())) == expected


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_json_becomes_readable_and_keeps_its_length_in_utf_16(text: str) -> None:
    read = msgspec.json.decode(replaced(json.dumps(text).encode()), type=str)
    assert len(read.encode("utf-16-le")) == len(text.encode("utf-16-le", "surrogatepass"))
