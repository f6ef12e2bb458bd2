"""What a test's assertions are evidence of: the names that they call, also by way of locals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from granum.extract import extract
from granum.model.layers import PropositionType
from tests.indexed import Indexed

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """
from shop.ledger import Ledger, total
from shop import stock
class Local: pass
"""


def exercised(body: str, path: str = "tests/test_a.py", head: str = HEAD) -> set[str]:
    """The names that the assertions of one test function mention, without its own."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    found = extract(path, f"{head}def test_it(given):\n{lines}").propositions
    return {name for proposition in found for name in proposition.mentions} - {"test_it"}


@pytest.mark.parametrize(
    ("body", "expect"),
    [
        (
            "assert Ledger(1, (2)).post(3) == 3",
            {"Ledger.post", "shop.ledger.Ledger.post", "Ledger", "shop.ledger.Ledger"},
        ),
        ("book = Ledger()\nassert book.post(3)", {"book.post", "Ledger.post", "shop.ledger.Ledger.post"}),
        ("book = Ledger()\nsum = book.post(3)\nassert sum == 3", {"Ledger.post", "shop.ledger.Ledger.post"}),
        ("made = total(1)\nassert made.cents", {"made.cents", "total", "shop.ledger.total"}),
        ("assert total(len([])) == 1", {"total", "shop.ledger.total"}),
        ("assert stock.reserve(1)", {"stock.reserve", "shop.stock.reserve"}),
        ("assert isinstance(Local(), str)", {"Local"}),
        ("assert unknown(given) == 3", set()),
        ("assert [total for total in given] == total(1)", {"total", "shop.ledger.total"}),
    ],
)
def test_an_assertion_names_what_it_calls(body: str, expect: set[str]) -> None:
    assert exercised(body) == expect


def test_a_test_case_s_attributes_lead_to_their_class() -> None:
    text = (
        "from shop.ledger import Ledger\nclass T(TestCase):\n"
        "    def setUp(self):\n        self.book = Ledger()\n"
        "    def test_post(self):\n        self.assertEqual(self.book.post(3), 3)\n"
    )
    (fact,) = extract("tests/test_a.py", text).propositions
    assert fact.type is PropositionType.TEST_EVIDENCE
    assert {"Ledger.post", "shop.ledger.Ledger.post"} <= set(fact.mentions)


def test_one_assertion_names_only_so_many() -> None:
    calls = " + ".join(f"f{number}()" for number in range(40))
    head = "from m import " + ", ".join(f"f{number}" for number in range(40)) + "\n"
    assert len(exercised(f"assert {calls}", head=head)) == 8


def test_the_symbol_s_facts_list_the_tests_that_exercise_it(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/ledger.py": "class Ledger:\n    def post(self, n): return n\n",
        "shop/mail.py": "".join(f"class Box{number}:\n    def post(self): pass\n" for number in range(4)),
        "tests/test_ledger.py": "from shop.ledger import Ledger\ndef test_post():\n    assert Ledger().post(3) == 3\n",
        "tests/test_mail.py": "def test_box(box):\n    assert post(box) == 3\n",
    }
    root = tmp_path / "root"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    indexed = Indexed(root, tmp_path / "index.db")
    indexed.read_all()
    with indexed.reader.snapshot() as snapshot:
        found = {
            fqn: [fact.text for fact in snapshot.mentions_of(("post",), fqn=fqn)]
            for fqn in ("shop.ledger.Ledger.post", "shop.mail.Box1.post")
        }
    indexed.close()
    assert found == {
        "shop.ledger.Ledger.post": ["test_post: assert Ledger().post(3) == 3"],
        "shop.mail.Box1.post": [],
    }
