"""Ranking by evidence: what each signal adds, on a real index of a small workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.model.retrieval import TaskIntent
from granum.retrieve.query import understand
from granum.retrieve.rank import WEIGHTS, DocumentOf, Question, Ranking, rank, signals
from granum.retrieve.rank.kinds import PRIORS, Kind, kind_of
from granum.retrieve.rank.postings import Posting, Restriction, Word, postings, rarity
from tests.fixture import parse
from tests.indexed import Indexed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIXTURE = '''
//- /shop/cart.py
"""Carts of the shop."""


def add_item(cart, item):
    """Adds an item to the cart; the quantity is checked."""
    cart.append(item)


def quantity_of(cart):
    """Counts the quantity of all items in a cart."""
    return len(cart)
//- /shop/payment.py
"""Payments of the shop."""


def pay(cart, card):
    """Charges the card for a cart."""
    return card.charge(len(cart))
//- /shop/labels.py
"""Labels that are printed."""


def label(item):
    """Says what an item is called."""
    return str(item)
//- /tests/test_cart.py
from shop.cart import add_item, quantity_of


def test_quantity_of_a_cart():
    """The quantity of a cart counts every item in the cart."""
    assert quantity_of([1]) == 1
//- /docs/cart.md
# Quantity of a cart

The quantity of a cart is the number of items in the cart.
'''


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Indexed]:
    root = tmp_path / "root"
    root.mkdir()
    parse(FIXTURE).write(root)
    index = Indexed(root, tmp_path / "index.db")
    index.link(index.read_all())
    yield index
    index.close()


def ranked(workspace: Indexed, text: str, intent: TaskIntent = TaskIntent.BUG_FIX) -> tuple[Ranking, list[str]]:
    """The ranking, and the names of its paragraphs, best first."""
    with workspace.reader.snapshot() as snapshot:
        ranking = rank(snapshot, Question(query=understand(text), intent=intent), DocumentOf(), 20)
        names = dict(
            snapshot.rows(
                "SELECT g.id, d.path || ':' || g.qualified_name FROM paragraph g"
                " JOIN document d ON d.id = g.document_id"
            )
        )
    return ranking, [names[unit.id] for unit in ranking.units]


def test_the_paragraph_that_the_words_are_about_is_first(workspace: Indexed) -> None:
    _, names = ranked(workspace, "the quantity of a cart is wrong")
    assert names[0] == "shop/cart.py:quantity_of"
    assert ranked(workspace, "card is charged twice")[1][0] == "shop/payment.py:pay"


def test_parts_sum_to_the_score_and_the_best_file_is_worth_one(workspace: Indexed) -> None:
    ranking, _ = ranked(workspace, "quantity of a cart", TaskIntent.TRIVIAL_EDIT)
    for unit in ranking.units:
        assert unit.score == pytest.approx(sum(unit.breakdown.values()))
    assert max(worth for _, worth in ranking.files) == pytest.approx(1.0)
    assert [unit.score for unit in ranking.units] == sorted((unit.score for unit in ranking.units), reverse=True)


@pytest.mark.parametrize(
    ("intent", "first"),
    [(TaskIntent.BUG_FIX, "shop/cart.py"), (TaskIntent.DOCUMENTATION, "docs/cart.md")],
)
def test_the_intent_says_which_kind_of_file_comes_first(workspace: Indexed, intent: TaskIntent, first: str) -> None:
    assert ranked(workspace, "quantity of a cart", intent)[1][0].partition(":")[0] == first


def test_a_file_that_the_question_names_comes_before_equals(workspace: Indexed) -> None:
    ranking, names = ranked(workspace, "item is wrong in shop/labels.py")
    assert names[0].startswith("shop/labels.py:")
    assert ranking.units[0].breakdown["file.mentioned"] > 0


def test_a_question_of_words_that_stand_nowhere_finds_nothing(workspace: Indexed) -> None:
    assert ranked(workspace, "xylophone zeppelin")[0].units == []
    assert ranked(workspace, "?!")[0].units == []


def test_a_restriction_holds_inside_the_search(workspace: Indexed) -> None:
    with workspace.reader.snapshot() as snapshot:
        [(payment,)] = snapshot.rows("SELECT id FROM document WHERE path = 'shop/payment.py'")
        only = Restriction(" AND f.document_id = ?", (payment,))
        ranking = rank(snapshot, Question(query=understand("cart"), restriction=only), DocumentOf(), 20)
    assert {unit.document_id for unit in ranking.units} == {payment}


def test_a_word_that_no_paragraph_holds_is_kept_for_other_layers(workspace: Indexed) -> None:
    with workspace.reader.snapshot() as snapshot:
        found = postings(snapshot, [Word("cart", 1.0), Word("xylophone", 1.0)], Restriction())
    assert [(posting.word.text, bool(posting.units)) for posting in found] == [("cart", True), ("xylophone", False)]


def test_documents_of_new_paragraphs_are_learned(workspace: Indexed) -> None:
    documents = DocumentOf()
    with workspace.reader.snapshot() as snapshot:
        before = len(documents.ids(snapshot))
    workspace.save("new.py", "def fresh():\n    return 1\n")
    with workspace.reader.snapshot() as snapshot:
        ids = documents.ids(snapshot)
        expected = dict(snapshot.rows("SELECT id, document_id FROM paragraph"))
    assert len(ids) > before
    assert {key: ids[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("path", "source", "kind"),
    [
        ("src/app.py", "code_file", Kind.CODE),
        ("src/contest.py", "code_file", Kind.CODE),
        ("tests/app.py", "code_file", Kind.TEST),
        ("src/test_app.py", "code_file", Kind.TEST),
        ("pkg/app_test.go", "code_file", Kind.TEST),
        ("src/app.spec.ts", "code_file", Kind.TEST),
        ("tests/README.md", "readme", Kind.PROSE),
    ],
)
def test_files_are_of_a_kind(path: str, source: str, kind: Kind) -> None:
    assert kind_of(path, source) is kind


def test_every_intent_has_priors_for_every_kind() -> None:
    assert {intent: set(kinds) for intent, kinds in PRIORS.items()} == {intent: set(Kind) for intent in TaskIntent}


def test_a_rarer_word_weighs_more() -> None:
    assert rarity(1, 100) > rarity(50, 100) > rarity(100, 100) > 0


def test_the_best_paragraphs_of_a_file_add_up_with_decay() -> None:
    assert signals.best_units({1: 1.0, 2: 0.5, 3: 0.9}, [0, 7, 7, 8], decay=0.5) == {7: 1.0, 8: 0.9 / 1.25}


@given(st.dictionaries(st.integers(1, 50), st.floats(0, 1e6), max_size=20))
def test_normalised_scores_lie_between_0_and_1(scores: dict[int, float]) -> None:
    normalised = signals.normalised(scores)
    assert all(0 <= score <= 1 for score in normalised.values())
    assert not normalised or max(normalised.values()) == 1


def test_a_longer_file_needs_more_of_a_word() -> None:
    found = [Posting(Word("cart", 1.0), (1, 2), (1.0, 1.0))]
    scores = signals.whole(found, [0, 7, 8], {7: 10, 8: 1000}, population=10)
    assert scores[7] == 1.0 > scores[8] > 0


def test_a_path_is_meant_when_its_end_is_named() -> None:
    paths = {1: "django/db/models/query.py", 2: "django/db/query.py", 3: "django/__init__.py"}
    assert signals.mentioned(understand("see models/query.py"), paths) == {1: 1.0}
    assert signals.mentioned(understand("in `django.db.models.query` it fails"), paths)[1] == 1.0
    assert 0 < signals.mentioned(understand("query.py breaks"), paths)[2] < 1
    assert signals.mentioned(understand("an __init__.py somewhere"), {3: "a/b.py"}) == {}


def test_weights_can_be_replaced_in_whole(workspace: Indexed) -> None:
    only_text = msgspec.structs.replace(WEIGHTS, file=0.0)
    with workspace.reader.snapshot() as snapshot:
        ranking = rank(snapshot, Question(query=understand("quantity of a cart")), DocumentOf(), 5, only_text)
    assert {name for unit in ranking.units for name, value in unit.breakdown.items() if value} == {"text"}
