"""Tests that a query names, as the runners write them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from granum.retrieve.query.values import TestMention

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TESTS = 20

_NAME = r"[^\W\d]\w{0,150}"
_PYTEST = re.compile(rf"([\w./\\@+-]{{1,300}}\.py)((?:::{_NAME}){{1,6}})")
#: ``test_expiry (app.tests.test_session.TestSession)``, and with the method again at the end since Python 3.11.
_UNITTEST = re.compile(rf"\b(test\w{{0,150}}) \(((?:{_NAME}\.){{1,15}}{_NAME})\)")
_GO = re.compile(r"--- FAIL: ((?:Test|Benchmark|Fuzz|Example)\w{0,150})")
_RUST = re.compile(rf"^test ((?:{_NAME}::){{0,12}}{_NAME}) \.\.\. FAILED", re.MULTILINE)


def tests(text: str) -> tuple[TestMention, ...]:
    """The tests named, in the order of the text, each once."""
    return tuple(islice(dict.fromkeys(_mentions(text)), MAX_TESTS))


def _mentions(text: str) -> Iterator[TestMention]:
    for found in _PYTEST.finditer(text):
        yield TestMention(found[2].removeprefix("::").replace("::", "."), path=found[1].replace("\\", "/"))
    for found in _UNITTEST.finditer(text):
        steps = found[2].removesuffix(f".{found[1]}").split(".")
        at = next((at for at, step in enumerate(steps) if step[0].isupper()), len(steps))
        yield TestMention(".".join([*steps[at:], found[1]]), module=".".join(steps[:at]))
    for found in _GO.finditer(text):
        yield TestMention(found[1])
    for found in _RUST.finditer(text):
        module, _, name = found[1].rpartition("::")
        yield TestMention(name, module=module.replace("::", "."))
