"""Sentences and blocks, with the lines they stand on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.extract.blocks import blocks
from granum.extract.segment import sentences


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is kept. Two is not.", ["One is kept.", "Two is not."]),
        ("Some, e.g. this one, stay. See it.", ["Some, e.g. this one, stay.", "See it."]),
        ("Names, i.e. words, count.", ["Names, i.e. words, count."]),
        ("Files, links etc. are read.", ["Files, links etc. are read."]),
        ("Files, links, etc. They are read.", ["Files, links, etc.", "They are read."]),
        ("Speed vs. size, cf. Knuth. Choose.", ["Speed vs. size, cf. Knuth.", "Choose."]),
        ("Ask Dr. Who about it.", ["Ask Dr. Who about it."]),
        ("Needs Python 3.11 or 3.12. Older fail.", ["Needs Python 3.11 or 3.12.", "Older fail."]),
        ("Calls os.path.join on it. Then ends.", ["Calls os.path.join on it.", "Then ends."]),
        ("Waits ... and goes on. Done.", ["Waits ... and goes on.", "Done."]),
        ("It waits… Then it ends.", ["It waits…", "Then it ends."]),
        ("Set ``a.b. C`` first. Go.", ["Set ``a.b. C`` first.", "Go."]),
        ("Set `a. B` first. Go.", ["Set `a. B` first.", "Go."]),
        ("From https://x.org/a.b?c=1. It works.", ["From https://x.org/a.b?c=1.", "It works."]),
        ("Read [it](http://a.b/c. D) now. Go.", ["Read [it](http://a.b/c. D) now.", "Go."]),
        ('Says "No. Never." Then ends.', ['Says "No. Never."', "Then ends."]),
        ("(It is kept.) Then it ends.", ["(It is kept.)", "Then it ends."]),
        ("It stays (see a. B too) here. End.", ["It stays (see a. B too) here.", "End."]),
        ("Is it kept? Yes! Good.", ["Is it kept?", "Yes!", "Good."]),
        ("値を返す。例外を投げる。", ["値を返す。", "例外を投げる。"]),
        ("It is **kept.** Then it ends.", ["It is **kept.**", "Then it ends."]),
        ("It is gone. return_value stays.", ["It is gone.", "return_value stays."]),
        ("1. First is kept.", ["1. First is kept."]),
        ("Without a stop", ["Without a stop"]),
        ("First part\n\nsecond part", ["First part", "second part"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_a_wrapped_sentence_tells_its_lines() -> None:
    found = sentences("One is short. Two is\nwrapped over\nthree lines. Three\nends.")
    assert [(s.text, s.first_line_offset, s.last_line_offset) for s in found] == [
        ("One is short.", 0, 0),
        ("Two is wrapped over three lines.", 0, 2),
        ("Three ends.", 2, 3),
    ]


def test_text_is_not_composed() -> None:
    decomposed = "Cafe\u0301 is kept."
    assert texts(decomposed) == [decomposed]


_PROSE = st.text(alphabet=st.sampled_from([*"abcXYZ019 \n\t.!?…。`\"'()[]*_:/-,;é\u0301"]), max_size=300)


@given(_PROSE | st.text(max_size=200))
def test_no_word_is_lost_and_lines_stay_in_range(text: str) -> None:
    found = sentences(text)
    assert " ".join(s.text for s in found).split() == text.split() or "".join(
        "".join(s.text.split()) for s in found
    ) == "".join(text.split())
    last = text.count("\n")
    previous = 0
    for sentence in found:
        assert 0 <= sentence.first_line_offset <= sentence.last_line_offset <= last
        assert sentence.first_line_offset >= previous
        previous = sentence.last_line_offset


@given(_PROSE | st.text(max_size=200))
def test_blocks_never_raise_and_stay_in_range(text: str) -> None:
    lines = text.split("\n")
    for block in blocks(text):
        assert 0 <= block.offset < len(lines)
        assert block.offset + block.text.count("\n") < len(lines)


def test_blocks_leave_out_what_is_no_prose() -> None:
    text = """Summary is here.

    >>> call()
    1

Example::

    code = 1

Title
-----
* item one
  goes on
* item two

```
fenced
```
| a | b |
.. code-block:: python

    x = 1

.. note:: Mind the gap.

.. versionchanged:: 2.0
    It is kept.

End is here."""
    assert [(b.text.strip(), b.offset, b.is_item, b.prefix) for b in blocks(text)] == [
        ("Summary is here.", 0, False, ""),
        ("Example:", 5, False, ""),
        ("item one\n  goes on", 11, True, ""),
        ("item two", 13, True, ""),
        ("Mind the gap.", 23, False, ""),
        ("It is kept.", 26, False, "Changed in version 2.0: "),
        ("End is here.", 28, False, ""),
    ]
