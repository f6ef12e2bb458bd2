"""Whatever a user types is a valid MATCH expression that finds its own words."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.retrieve.ftsquery import MAX_TERMS, MAX_WORDS, chosen_words, match_expression


def table(*texts: str) -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='porter unicode61')")
    connection.executemany("INSERT INTO t (text) VALUES (?)", [(text,) for text in texts])
    return connection


def found(connection: apsw.Connection, query: str) -> list[int]:
    match = match_expression(query)
    if not match:
        return []
    return [row[0] for row in connection.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid", (match,))]


@pytest.mark.parametrize(
    ("query", "expect"),
    [
        ("token", '"token"'),
        ("session_token", '"session_token" OR "session" OR "token"'),
        ("HttpRequest", '"HttpRequest" OR "Http" OR "Request"'),
        ("parseHTTPHeader", '"parseHTTPHeader" OR "parse" OR "HTTP" OR "Header"'),
        ("django.db.models", '"django.db.models" OR "django" OR "db" OR "models"'),
        ("how is the token made", '"token" OR "made"'),
        ("what is it", '"what" OR "is" OR "it"'),
        ('a "quoted" NEAR(word) AND col:x*', '"quoted" OR "NEAR" OR "word" OR "col" OR "x"'),
        ("", ""),
        ("?! -- '\" () * ^ :", ""),
        ("___", ""),
        ("🚀🔥", ""),
        ("a\x00b", '"b"'),
    ],
)
def test_queries_become_quoted_terms(query: str, expect: str) -> None:
    assert match_expression(query) == expect


def test_words_of_a_long_query_are_chosen_by_worth_and_bounded() -> None:
    words = " ".join(f"word{i}" for i in range(5000))
    text = f"{words[:3000]} the user_session fails in HttpRequest {words}"
    chosen = chosen_words(text)
    assert chosen[:2] == ["user_session", "HttpRequest"]
    assert len(chosen) == MAX_WORDS
    assert match_expression(text).count('"') <= 2 * MAX_TERMS
    assert match_expression(text) == match_expression(text)


def test_a_query_of_a_hundred_kilobytes_is_answered() -> None:
    connection = table("the needle")
    assert found(connection, "needle " + "x" * 100_000) == [1]
    assert found(connection, "\n".join("SELECT * FROM t; --" for _ in range(5000))) == []


@given(st.text(max_size=300))
def test_no_text_is_a_syntax_error(query: str) -> None:
    found(table("nothing"), query)


@given(st.text(st.sampled_from("\"'()*:^-+~{}[]ANDORNOTnear \x00\n_.é漢"), max_size=80))
def test_no_operator_is_a_syntax_error(query: str) -> None:
    found(table("nothing"), query)


_WORD = st.from_regex(r"[A-Za-zäöüéßø漢字][A-Za-z0-9äöüé_]{0,20}", fullmatch=True)


@given(words=st.lists(_WORD, min_size=1, max_size=8), data=st.data())
def test_a_text_is_found_by_each_of_its_words(words: list[str], data: st.DataObject) -> None:
    connection = table(" ".join(words))
    assert found(connection, data.draw(st.sampled_from(words))) == [1]
