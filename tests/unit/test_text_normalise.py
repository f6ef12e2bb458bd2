"""Normal forms and stripped markup."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.text import fingerprint, normalise, strip_markup


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("call ``close()`` and `open`", "call close() and open"),
        ("**must** not, *never*", "must not, never"),
        ("the :class:`Sphinx`\\ s, ``a``\\ ``b``", "the Sphinxs, ab"),
        ("called by :meth:`.Flask.url_for`", "called by Flask.url_for"),
        ("see :class:`Writer`, :class:`~a.b.Reader`, :ref:`the rules <rules>`", "see Writer, Reader, the rules"),
        ("by :pep:`8` and :py:meth:`!run`", "by PEP 8 and run"),
        ("[the docs](https://x.y/z_(a)) and ![logo](l.png)", "the docs and logo"),
        ("`the docs <https://x.y>`_ and target_", "the docs and target_"),
        ("<https://x.y/z>", "https://x.y/z"),
        ("a <b>bold</b> word<br/>here<!-- hidden -->", "a bold wordhere"),
        ("a note [1]_ here", "a note here"),
        ("in |version| now", "in version now"),
        (r"pass \*args and \**kwargs", "pass *args and **kwargs"),
        ("_two words_ here", "two words here"),
        ("`**kwargs` are kept, ``*`` too", "**kwargs are kept, * too"),
    ],
)
def test_markup_is_taken_off(marked: str, plain: str) -> None:
    assert strip_markup(marked) == plain


@pytest.mark.parametrize(
    "text",
    [
        "f(*args, **kwargs)",
        "*args and **kwargs",
        "__init__ calls __new__",
        "granum index <path>",
        "a * b * c",
        "2 < 3 and 4 > 1",
        "_private_name and name_",
        "a | b | c",
        "x[0] and y[i]",
        "wraps it in <p> and <i> tags",
    ],
)
def test_what_is_no_markup_stays(text: str) -> None:
    assert strip_markup(text) == text


def test_the_normal_form_folds_space_composes_and_keeps_case() -> None:
    assert normalise("  The\n  cafe\u0301\tMUST **not** close. ") == "The café MUST not close."


def test_the_fingerprint_is_the_sha256_of_the_normal_form() -> None:
    assert fingerprint("It **must**\nhold.") == hashlib.sha256(b"It must hold.").hexdigest()
    assert fingerprint("It must hold.") != fingerprint("it must hold.")


@given(st.text(st.sampled_from("ab `*_[]()<>|\\:~\n\ud800"), max_size=80))
def test_any_text_has_a_normal_form(text: str) -> None:
    assert "\n" not in normalise(text)
    assert len(fingerprint(text)) == 64
