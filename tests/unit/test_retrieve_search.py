"""Searches over a real index of a small workspace."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from granum.model.answers import BranchScope
from granum.model.errors import InvalidRequestError
from granum.model.layers import Freshness, Granularity, Layer, PropositionType
from granum.model.retrieval import SearchRequest, SearchResult, TaskIntent
from granum.retrieve import search
from granum.retrieve.evidence import OWN, STALE, TYPE_PREFERENCE
from tests.fixture import parse
from tests.indexed import Indexed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIXTURE = '''
//- /shop/__init__.py
//- /shop/cart.py
"""Carts of the shop."""


class ShoppingCart:
    """Holds the items that a customer wants to buy."""

    def add_item(self, item, amount):
        """Adds an item to the cart.

        The amount must never be negative.
        """
        if amount < 0:
            raise ValueError("amount must not be negative")
        self.items.append(item)
//- /shop/payment.py
"""Payments of the shop."""


def charge_card(card, amount):
    """Charges the card with the amount that the cart comes to."""
    if amount > 1000:
        raise PaymentError("the amount is over the limit")
//- /docs/guide.md
# Guide

## Paying

The customer pays by card, because we chose not to keep cash. A cart must hold at least one item.
'''


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Indexed]:
    indexed = Indexed(parse(FIXTURE).write(tmp_path / "root"), tmp_path / "index.db")
    indexed.link(indexed.read_all())
    yield indexed
    indexed.close()


def ask(indexed: Indexed, query: str, **options: object) -> SearchResult:
    with indexed.reader.snapshot() as snapshot:
        return search(snapshot, SearchRequest(query=query, **options))  # type: ignore[arg-type]


def test_a_hit_tells_everything_about_its_row(workspace: Indexed) -> None:
    result = ask(workspace, "add_item", preferred_layers=(Layer.PARAGRAPH,))
    hit = result.hits[0]
    assert (hit.layer, hit.path, hit.symbol) == (Layer.PARAGRAPH, "shop/cart.py", "shop.cart.ShoppingCart.add_item")
    assert (hit.start_line, hit.end_line) == (7, 14)
    assert hit.content.lstrip().startswith("def add_item")
    assert hit.content_sha256 == hashlib.sha256((workspace.root / "shop/cart.py").read_bytes()).hexdigest()
    assert hit.score == pytest.approx(sum(hit.score_breakdown.values()))
    assert (hit.type, hit.confidence, hit.granularity, hit.is_stale) == (None, None, None, False)


def test_a_camel_case_name_is_found_by_its_parts(workspace: Indexed) -> None:
    for query in ("shopping cart", "ShoppingCart", "shoppingCart"):
        assert ask(workspace, query, preferred_layers=(Layer.PARAGRAPH,)).hits[0].path == "shop/cart.py"


def test_a_proposition_carries_its_type_and_the_symbol_it_is_about(workspace: Indexed) -> None:
    hit = ask(workspace, "negative amount", preferred_layers=(Layer.PROPOSITION,)).hits[0]
    assert hit.symbol == "shop.cart.ShoppingCart.add_item"
    assert hit.type in {PropositionType.RISK, PropositionType.CONSTRAINT}
    assert hit.confidence is not None


def test_the_callers_types_filter_hard(workspace: Indexed) -> None:
    result = ask(workspace, "amount cart item", proposition_types=(PropositionType.RISK,))
    assert result.hits
    assert {(hit.layer, hit.type) for hit in result.hits} == {(Layer.PROPOSITION, PropositionType.RISK)}
    assert ask(workspace, "amount", proposition_types=()).hits == ()


def test_the_intents_types_only_order(workspace: Indexed) -> None:
    hits = ask(workspace, "amount cart card item", task_intent="bug_fix", preferred_layers=(Layer.PROPOSITION,)).hits
    welcome = {PropositionType.CONSTRAINT, PropositionType.SECURITY_RULE, PropositionType.RISK}
    assert {hit.type in welcome for hit in hits} == {True, False}
    for hit in hits:
        expected = TYPE_PREFERENCE if hit.type in welcome else 0.0
        assert hit.score_breakdown["type_preference"] == pytest.approx(expected)


def test_granularity_keeps_summaries_of_that_grain(workspace: Indexed) -> None:
    result = ask(workspace, "shop carts payments", granularity=Granularity.MODULE)
    assert {hit.granularity for hit in result.hits} == {Granularity.MODULE}
    assert {hit.symbol for hit in result.hits} <= {"shop.cart", "shop.payment", "shop"}


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("docs/", {"docs/guide.md"}),
        ("*.md", {"docs/guide.md"}),
        ("shop/*.py", {"shop/cart.py", "shop/payment.py"}),
        ("**/payment.py", {"shop/payment.py"}),
        ("nowhere/**", set()),
    ],
)
def test_a_path_pattern_narrows_the_search(workspace: Indexed, glob: str, paths: set[str]) -> None:
    layers = (Layer.PARAGRAPH, Layer.PROPOSITION)
    assert {hit.path for hit in ask(workspace, "cart card", path_glob=glob, preferred_layers=layers).hits} == paths


def test_stale_rows_are_found_on_request_only(workspace: Indexed) -> None:
    text = (workspace.root / "shop/payment.py").read_text()
    workspace.save("shop/payment.py", text.replace("over the limit", "too high for us"))
    assert not [hit for hit in ask(workspace, "limit").hits if "limit" in hit.content]
    stale = [hit for hit in ask(workspace, "limit", include_stale=True).hits if hit.is_stale]
    assert [hit.content for hit in stale] == ["Raises PaymentError: the amount is over the limit when amount > 1000"]
    assert stale[0].freshness is Freshness.STALE
    assert stale[0].score_breakdown["match"] <= OWN * STALE
    historical = ask(workspace, "limit", branch_scope=BranchScope.HISTORICAL).hits
    assert {hit.is_stale for hit in historical} == {True}


def test_branch_scope_filters_by_file(workspace: Indexed) -> None:
    def scope_of(path: str) -> BranchScope:
        return BranchScope.CURRENT_BRANCH if path.startswith("docs") else BranchScope.MAINLINE

    request = SearchRequest(query="cart", branch_scope=BranchScope.CURRENT_BRANCH)
    with workspace.reader.snapshot(scope_of=scope_of) as snapshot:
        assert {hit.path for hit in search(snapshot, request).hits} == {"docs/guide.md"}


def test_pages_follow_each_other(workspace: Indexed) -> None:
    whole = ask(workspace, "cart card amount item", limit=100)
    assert whole.total == len(whole.hits)
    pages = [
        hit
        for offset in range(0, whole.total, 2)
        for hit in ask(workspace, "cart card amount item", limit=2, offset=offset).hits
    ]
    assert pages == list(whole.hits)
    beyond = ask(workspace, "cart", offset=5000)
    assert (beyond.hits, beyond.total > 0) == ((), True)


@pytest.mark.parametrize(
    ("options", "field"),
    [({"limit": 0}, "limit"), ({"limit": 1001}, "limit"), ({"limit": -1}, "limit"), ({"offset": -1}, "offset")],
)
def test_senseless_pages_are_refused(workspace: Indexed, options: dict[str, int], field: str) -> None:
    with pytest.raises(InvalidRequestError) as error:
        ask(workspace, "cart", **options)
    assert error.value.field == field


@pytest.mark.parametrize("query", ["", "   ", "!?", "'; DROP TABLE paragraph; --", "NEAR(", 'a" OR "b', "\x00"])
def test_odd_queries_are_answered(workspace: Indexed, query: str) -> None:
    assert isinstance(ask(workspace, query), SearchResult)


def test_an_empty_query_is_an_empty_answer(workspace: Indexed) -> None:
    result = ask(workspace, " ")
    assert (result.hits, result.total) == ((), 0)


def test_an_unknown_intent_is_told(workspace: Indexed) -> None:
    result = ask(workspace, "cart", task_intent="party")
    assert result.intent is TaskIntent.UNKNOWN
    assert result.notes == ("unknown task intent 'party': taken as 'unknown'",)


@pytest.mark.parametrize("layer", list(Layer))
def test_every_layer_is_searched(workspace: Indexed, layer: Layer) -> None:
    hits = ask(workspace, "cart", preferred_layers=(layer,)).hits
    assert hits
    assert {hit.layer for hit in hits} == {layer}
    assert all(hit.content for hit in hits)


def test_the_order_is_the_same_each_time(workspace: Indexed) -> None:
    assert ask(workspace, "cart card amount") == ask(workspace, "cart card amount")


@pytest.mark.parametrize("query", ["1000", "1"])
def test_a_query_of_numbers_or_single_characters_is_answered(workspace: Indexed, query: str) -> None:
    workspace.save("limits.py", "def limit():\n    return 1000 if 1 else 0\n")
    assert "limits.py" in {hit.path for hit in ask(workspace, query).hits}
