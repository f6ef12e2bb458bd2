"""Hidden characters are shown as such, and survive JSON as escapes."""

from __future__ import annotations

import json

import pytest

from granum.text.controls import HIDDEN, escape_json, visible

SEEN = "tab\t line\n é 日本 שלום 👩\u200d👧 क्\u200dष"


@pytest.mark.parametrize(
    "char", ["\x00", "\x07", "\r", "\x1b", "\x7f", "\x9b", "\u061c", "\u200b", "\u202e", "\u2028", "\u2066", "\ufeff"]
)
def test_what_moves_reorders_or_hides_text_is_made_visible(char: str) -> None:
    assert visible(f"a{char}b") == "a\ufffdb"


def test_text_hidden_in_unicodes_tags_is_made_visible() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    assert visible(f"a{hidden}b") == "a\ufffd\ufffd\ufffd\ufffdb"


def test_what_scripts_and_emoji_need_stays() -> None:
    assert visible(SEEN) == SEEN


def test_escaped_json_reads_back_as_the_same_value() -> None:
    value = {"text": "a\x9b\u202e\U000e0041\x7fb" + SEEN}
    escaped = escape_json(json.dumps(value, ensure_ascii=False))
    assert not HIDDEN.search(escaped)
    assert json.loads(escaped) == value
