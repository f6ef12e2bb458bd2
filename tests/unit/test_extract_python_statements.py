"""What stands in a Python file as statements: docs in their idioms, comments, raises, checks, deprecations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from granum.extract import code, docstrings
from granum.extract.language import load
from granum.extract.statement import Role, Statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from granum.model.layers import Paragraph, Proposition


def stated(monkeypatch: pytest.MonkeyPatch, text: str, path: str = "pkg/a.py") -> list[Statement]:
    """The statements of a file, taken where the engine hands them on."""
    taken: list[Statement] = []

    def assemble(statements: Sequence[Statement], _: Sequence[Paragraph]) -> tuple[Proposition, ...]:
        taken.extend(statements)
        return ()

    python = load("python")
    assert python is not None
    with monkeypatch.context() as patch:
        patch.setattr(code.propositions, "assemble", assemble)
        code.extract_code(path, text, python)
    return taken


def raises(monkeypatch: pytest.MonkeyPatch, text: str, path: str = "pkg/a.py") -> list[str]:
    return [item.text for item in stated(monkeypatch, text, path) if item.role is Role.RAISE]


def doc(text: str) -> list[tuple[Role, str, str, int, int]]:
    parsed = docstrings.Doc(docstrings.dedented(text), 1, "f")
    return [
        (item.role, item.label, item.text, item.start_line, item.end_line) for item in docstrings.statements(parsed)
    ]


# -- docs


def test_google_sections() -> None:
    assert doc(
        """Fetch rows.

        More about it.

        Args:
            table (Table[int, str]): An open table. It
                must stay open.
            *keys: The keys.

        Returns:
            dict: The rows by key.

        Raises:
            IOError: if it fails.
            ValueError, TypeError: on bad keys.

        Note:
            Not thread safe.

        Example:
            >>> fetch()
        """
    ) == [
        (Role.SUMMARY, "", "Fetch rows.\n\nMore about it.", 1, 3),
        (Role.PARAMETER, "table", "An open table. It\nmust stay open.", 6, 7),
        (Role.PARAMETER, "*keys", "The keys.", 8, 8),
        (Role.RETURNS, "", "The rows by key.", 11, 11),
        (Role.RAISES, "IOError", "if it fails.", 14, 14),
        (Role.RAISES, "ValueError, TypeError", "on bad keys.", 15, 15),
        (Role.NOTE, "", "Not thread safe.", 18, 18),
    ]


def test_numpy_sections() -> None:
    assert doc(
        """Compute.

        Parameters
        ----------
        x : array_like
            The values.
        axis : int, optional
            The axis.

        Returns
        -------
        out : ndarray
            The sums.

        Raises
        ------
        LinAlgError
            If it does not converge.

        Notes
        -----
        Runs in linear time.
        """
    ) == [
        (Role.SUMMARY, "", "Compute.", 1, 1),
        (Role.PARAMETER, "x", "\nThe values.", 5, 6),
        (Role.PARAMETER, "axis", "\nThe axis.", 7, 8),
        (Role.RETURNS, "", "\nThe sums.", 12, 13),
        (Role.RAISES, "LinAlgError", "\nIf it does not converge.", 17, 18),
        (Role.NOTE, "", "Runs in linear time.", 22, 22),
    ]


def test_field_lists_and_what_follows_them() -> None:
    assert doc(
        """Open it.

        :param str path: where
            it lies
        :type path: str
        :raises OSError: if it is gone
        :returns: a handle
        :rtype: int

        Closing is up to the caller.
        """
    ) == [
        (Role.SUMMARY, "", "Open it.", 1, 1),
        (Role.PARAMETER, "path", "where\nit lies", 3, 4),
        (Role.RAISES, "OSError", "if it is gone", 6, 6),
        (Role.RETURNS, "", "a handle", 7, 7),
        (Role.BODY, "", "Closing is up to the caller.", 10, 10),
    ]


def test_epytext_fields() -> None:
    assert doc("Do.\n\n@param x: the x\n@return: the y\n") == [
        (Role.SUMMARY, "", "Do.", 1, 1),
        (Role.PARAMETER, "x", "the x", 3, 3),
        (Role.RETURNS, "", "the y", 4, 4),
    ]


def test_only_true_docs_are_docs(monkeypatch: pytest.MonkeyPatch) -> None:
    text = '''r"""Of the module \\d."""
import os
X = 1
"""Of X."""
class A:
    """Of A."""
    y: int = 2

    """Of y."""
    def m(self):
        # first
        'Of m, with a \\\\ backslash.'
        "stray"
        sql = """SELECT must never count"""
        run("""No doc""")
        """Neither is this."""
    def n(self):
        f"""No doc."""
    def o(self):
        b"""No doc."""
'''
    found = [(item.symbol, item.text) for item in stated(monkeypatch, text) if item.role is Role.SUMMARY]
    assert found == [
        ("", "Of the module \\d."),
        ("X", "Of X."),
        ("A", "Of A."),
        ("A.y", "Of y."),
        ("A.m", "Of m, with a \\ backslash."),
    ]


# -- raises


def test_a_raise_tells_type_message_and_innermost_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
def f(a, b):
    if a:
        if b > 1:
            raise ValueError("too big")
        elif b == 0 and (
            a
        ):
            raise errors.Zero(f"no {b!r:>3} at {a.x}")
        else:
            raise KeyError("one " "two")
    for x in a:
        pass
    else:
        raise LookupError("none")
    try:
        pass
    except (OSError, IOError) as error:
        raise Bad("wrapped") from error
    except mod.Other:
        raise Worse from None
    except:
        raise Any()
    match a:
        case 1 | 2:
            raise One("x")
        case _:
            raise Two("y")
    raise Final(code, message="the text")
"""
    assert raises(monkeypatch, text) == [
        "Raises ValueError: too big when b > 1",
        "Raises errors.Zero: no {b} at {a.x} when b == 0 and (a)",
        "Raises KeyError: one two when not (b > 1) and not (b == 0 and (a))",
        "Raises LookupError: none when no x in a ends the loop",
        "Raises Bad: wrapped on OSError, IOError",
        "Raises Worse on mod.Other",
        "Raises Any on any exception",
        "Raises One: x when a matches 1 | 2",
        "Raises Two: y when a matches _",
        "Raises Final: the text",
    ]


def test_messages_in_every_wrapping(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
def f():
    raise A("%s is bad" % x)
    raise B("{} is bad".format(x))
    raise C(_("translated"))
    raise D(gettext("x %(y)s") % {"y": 1}, code="invalid")
    raise E(MESSAGE)
    raise F(self.messages["k"], code="k")
    msg = (
        f"kept {x} "
        "before"
    )
    raise G(msg)
    raise t.cast(H, last)
    raise I(str(error))
    raise J("a\\nb  c")
"""
    assert raises(monkeypatch, text) == [
        "Raises A: %s is bad",
        "Raises B: {} is bad",
        "Raises C: translated",
        "Raises D: x %(y)s",
        "Raises E: MESSAGE",
        'Raises F: self.messages["k"]',
        "Raises G: kept {x} before",
        "Raises H: last",
        "Raises I: str(error)",
        "Raises J: a b c",
    ]


def test_re_raises_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "try:\n    f()\nexcept A as e:\n    raise\nexcept B as e:\n    raise e\nexcept C as e:\n    raise other\n"
    assert raises(monkeypatch, text) == ["Raises other on C"]


def test_an_abstract_method_raises_when_not_overridden(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class A:\n    def m(self):\n        raise NotImplementedError('say how')\n"
    assert raises(monkeypatch, text) == ["Raises NotImplementedError: say how when not overridden"]


def test_a_condition_outside_of_the_function_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "if TYPE_CHECKING:\n    def f():\n        raise A('x')\n"
    assert raises(monkeypatch, text) == ["Raises A: x"]


def test_an_assert_with_a_message_outside_of_tests_is_a_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
def f(x):
    assert x > 0, "x must be positive"
    assert ready(), f"not {x}"
    assert not x, "no x"
    assert x
"""
    assert raises(monkeypatch, text) == [
        "Raises AssertionError: x must be positive when not (x > 0)",
        "Raises AssertionError: not {x} when not ready()",
        "Raises AssertionError: no x when x",
    ]


# -- checks


def test_assertions_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
def test_x():
    assert f(1) == (
        2
    ), "why"
    with pytest.raises(ValueError, match="bad"):
        g()
    with pytest.raises(KeyError) as caught, other():
        h(
            1,
        )
class T(TestCase):
    def test_y(self):
        self.assertEqual(a, "b")
        self.assertRaises(X, f)
        with self.assertRaisesMessage(Y, "m"):
            a.b()
        mock.assert_called_once_with(1)
"""
    found = stated(monkeypatch, text, "tests/test_a.py")
    assert [(item.text, item.start_line, item.end_line) for item in found if item.role is Role.ASSERTION] == [
        ("test_x: assert f(1) == (2)", 3, 5),
        ('test_x: pytest.raises(ValueError, match="bad"): g()', 6, 7),
        ("test_x: pytest.raises(KeyError): h(1)", 8, 11),
        ('test_y: self.assertEqual(a, "b")', 14, 14),
        ("test_y: self.assertRaises(X, f)", 15, 15),
        ('test_y: self.assertRaisesMessage(Y, "m"): a.b()', 16, 17),
        ("test_y: mock.assert_called_once_with(1)", 18, 18),
    ]
    assert {item.symbol for item in found} == {"test_x", "T.test_y"}


def test_deprecations(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
def f():
    warnings.warn("f is deprecated; use g.", DeprecationWarning, stacklevel=2)
    warnings.warn("unrelated", UserWarning)
    msg = "Old %s." % x
    warnings.warn(msg, category=RemovedInDjango60Warning)

@deprecated("Use i instead.")
def h(): ...
"""
    found = [item for item in stated(monkeypatch, text) if item.role is Role.DEPRECATED]
    assert [(item.text, item.symbol, item.start_line) for item in found] == [
        ("f is deprecated; use g.", "f", 3),
        ("Old %s.", "f", 6),
        ("Use i instead.", "h", 8),
    ]


# -- comments


def comments(monkeypatch: pytest.MonkeyPatch, text: str) -> list[tuple[str, str, int, int]]:
    return [
        (item.text, item.symbol, item.start_line, item.end_line)
        for item in stated(monkeypatch, text)
        if item.role is Role.COMMENT
    ]


def test_comments_are_joined_and_know_their_symbol(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
# The limit holds
# for all.
LIMIT = 3  # per host

TABLE = {
    "a": 1,  # never zero
}

# Before f, set off.

def f():
    # in f
    return 1  # trailing
              # goes on
    # another
"""
    assert comments(monkeypatch, text) == [
        ("The limit holds\nfor all.", "LIMIT", 2, 3),
        ("per host", "LIMIT", 4, 4),
        ("never zero", "TABLE", 7, 7),
        ("Before f, set off.", "f", 10, 10),
        ("in f", "f", 13, 13),
        ("trailing\ngoes on", "f", 14, 15),
        ("another", "f", 16, 16),
    ]


def test_directives_banners_licences_and_dead_code_are_no_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """#!/usr/bin/env python
# -*- coding: utf-8 -*-
# Copyright 2020 Someone. All rights reserved.
# Licensed under the terms of a licence.

# pylint: disable=all
x = 1  # type: ignore[misc]
y = 2  # noqa: E501
z = 3  # must stay 3  # noqa
# ------------------
# --- Helpers ---
##################
# Big banner
##################
# x = compute(y)
# if x:
#     return x
# region a
# TODO: drop this
"""
    assert [text for text, *_ in comments(monkeypatch, text)] == ["must stay 3", "TODO: drop this"]


def test_prose_with_code_in_it_is_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# See f(x) for why x = 1 is needed here.\nx = 1\n"
    assert [text for text, *_ in comments(monkeypatch, text)] == ["See f(x) for why x = 1 is needed here."]
