"""Token estimates and identifiers' parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.text import camel_parts, estimate_tokens, identifier_parts


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("getUserName", ("get", "User", "Name")),
        ("HttpResponseRedirect", ("Http", "Response", "Redirect")),
        ("parseHTTPHeader_v2", ("parse", "HTTP", "Header", "v", "2")),
        ("getURLsFor", ("get", "URLs", "For")),
        ("snake_case_name", ("snake", "case", "name")),
        ("__init__", ("init",)),
        ("SHA256", ("SHA", "256")),
        ("SCREAMING_CASE", ("SCREAMING", "CASE")),
        ("élanVital", ("élan", "Vital")),
        ("ÜberHTTPServer", ("Über", "HTTP", "Server")),
        ("", ()),
    ],
)
def test_identifiers_split_at_case_underscore_and_digits(identifier: str, parts: tuple[str, ...]) -> None:
    assert identifier_parts(identifier) == parts


@given(st.text(max_size=40))
def test_parts_keep_every_letter_and_digit(identifier: str) -> None:
    kept = "".join(char for char in identifier if char.isalnum() and char != "_")
    assert "".join(identifier_parts(identifier)) == "".join(
        char for char in kept if char in "".join(identifier_parts(identifier))
    )
    assert "".join(identifier_parts(identifier)) == kept


def test_camel_parts_lists_each_identifier_once_and_only_the_camel_ones() -> None:
    text = "class HttpResponse(Base): getURL() and test_fooBar, HttpResponse again, plain snake_case CONSTANT"
    assert camel_parts(text) == "http response get url foo bar"


def test_camel_parts_finds_identifiers_with_and_beside_other_letters() -> None:
    assert camel_parts("caféMenu “getName”") == "café menu get name"


def test_camel_parts_leaves_encoded_data_out() -> None:
    assert camel_parts("aB" * 100) == ""


@given(st.text(max_size=200))
def test_the_estimate_is_zero_only_for_empty_text(text: str) -> None:
    assert (estimate_tokens(text) == 0) == (text == "")


@given(st.text(max_size=100), st.text(max_size=100))
def test_more_text_never_costs_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)


def test_the_estimate_is_near_a_quarter_of_the_characters_for_prose() -> None:
    prose = "The writer drains one queue and commits in batches, so that a save never waits for a scan. " * 20
    assert 0.2 * len(prose) < estimate_tokens(prose) < 0.3 * len(prose)
