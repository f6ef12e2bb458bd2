"""Bytes to text: encodings, marks, line ends, and what is no text."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.text import decode, normalise_eol
from granum.text.decode import is_binary

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\r\t\f\x85"))


@given(TEXT)
def test_utf8_round_trips_with_lf_line_ends(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded is not None
    expected = text.removeprefix("\ufeff")
    assert decoded.text == expected.replace("\r\n", "\n").replace("\r", "\n")
    assert (decoded.encoding, decoded.lossy) == ("utf-8", False)


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
def test_a_byte_order_mark_tells_the_encoding_and_is_taken_off(encoding: str, mark: bytes) -> None:
    decoded = decode(mark + "x = 'é😀'\r\n".encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding, decoded.eol, decoded.bom) == ("x = 'é😀'\n", encoding, "\r\n", True)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_recognised(encoding: str) -> None:
    decoded = decode("def façade():\n    return 1\n".encode(encoding))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == ("def façade():\n    return 1\n", encoding)


def test_latin1_is_read_without_loss() -> None:
    decoded = decode("# Café à la carte\n".encode("latin-1"))
    assert decoded is not None
    assert (decoded.text, decoded.encoding, decoded.lossy) == ("# Café à la carte\n", "latin-1", False)


def test_windows_quotation_marks_are_read_as_cp1252() -> None:
    decoded = decode("# “quoted” … naïve\n".encode("cp1252"))
    assert decoded is not None
    assert (decoded.text, decoded.encoding) == ("# “quoted” … naïve\n", "cp1252")


def test_broken_utf8_shows_where_it_is_broken() -> None:
    decoded = decode("é ü ß ø ".encode() + b"\xff\xc3 end\n")
    assert decoded is not None
    assert decoded.text == "é ü ß ø \ufffd\ufffd end\n"
    assert (decoded.encoding, decoded.lossy) == ("utf-8", True)


def test_a_declared_encoding_is_believed() -> None:
    decoded = decode("#!/usr/bin/python\n# -*- coding: koi8-r -*-\n# Привет\n".encode("koi8-r"))
    assert decoded is not None
    assert (decoded.text[-7:], decoded.encoding) == ("Привет\n", "koi8-r")


def test_a_declared_codec_that_would_make_new_lines_is_not_believed() -> None:
    decoded = decode(b"# coding: unicode_escape\nx = '\\n\xe9'\n")
    assert decoded is not None
    assert (decoded.text.count("\n"), decoded.encoding) == (2, "latin-1")


@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"text\0more", bytes(range(256)), b"\x7fELF\x02\x01\x01" + b"\x02" * 60],
    ids=["png", "nul", "all bytes", "elf"],
)
def test_binary_files_are_no_text(data: bytes) -> None:
    assert decode(data) is None
    assert is_binary(data)


def test_an_empty_file_is_empty_text() -> None:
    decoded = decode(b"")
    assert decoded is not None
    assert (decoded.text, decoded.eol, decoded.bom) == ("", "", False)


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_binary_and_both_judges_agree(data: bytes) -> None:
    decoded = decode(data)
    assert decoded is None or ("\r" not in decoded.text and "\0" not in decoded.text)
    if not is_binary(data):
        assert decoded is not None or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ("a", "")),
        ("a\nb\n", ("a\nb\n", "\n")),
        ("a\r\nb\r\n", ("a\nb\n", "\r\n")),
        ("a\rb\r", ("a\nb\n", "\r")),
        ("a\r\nb\nc\r", ("a\nb\nc\n", "mixed")),
        ("\r\r\n\n", ("\n\n\n", "mixed")),
        ("a\fb\vc\x85d\u2028e\u2029", ("a\fb\vc\x85d\u2028e\u2029", "")),
    ],
)
def test_line_ends_become_lf_and_nothing_else_is_one(text: str, expected: tuple[str, str]) -> None:
    assert normalise_eol(text) == expected
