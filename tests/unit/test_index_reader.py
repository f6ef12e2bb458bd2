"""Snapshots and the typed queries on them, over a real index of a small workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from granum.index.facts import FactFilter
from granum.index.jobs import Cause, Job
from granum.index.reader import Reader
from granum.index.symbols import fqn_of
from granum.model.answers import BranchScope
from granum.model.layers import Freshness, Granularity, PropositionType, SymbolKind
from tests.fixture import parse
from tests.index_rows import WATCHDOG, Index, indexing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from granum.index.reader import Snapshot

WORKSPACE = parse('''
    //- /shop/__init__.py
    """The shop."""
    //- /shop/cart.py
    """Keeps carts."""


    class Cart:
        """A cart must never be shared between threads."""

        def add(self, item):
            """Adds an item."""
            if item is None:
                raise ValueError("an item is required")

            def check():
                # SECURITY: the price must never be taken from the client
                return item.price

            return check()


    def total(cart):
        """Returns the sum, and must not change the cart."""
        raise ValueError("an item is required")
    //- /shop/other.py
    def total(values):
        """Returns the sum, and must not change the cart."""
        return sum(values)
    //- /docs/guide.md
    # Guide

    Never call `Cart.add` from a signal handler.

    - `shop.cart.total` must be called inside of a transaction.
''')


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with indexing(WORKSPACE.write(tmp_path / "root"), tmp_path / "i.db") as made:
        made.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        made.settle()
        yield made


@pytest.fixture
def reader(index: Index) -> Iterator[Reader]:
    made = Reader(index.path)
    yield made
    made.close()


@pytest.fixture
def snapshot(reader: Reader) -> Iterator[Snapshot]:
    with reader.snapshot() as made:
        yield made


def symbol_id(snapshot: Snapshot, fqn: str) -> int:
    (found,) = snapshot.symbols_by_fqn(fqn)
    return found.id


def save(index: Index, path: str, text: str | None) -> None:
    if text is None:
        (index.root / path).unlink()
    else:
        (index.root / path).write_text(text)
    index.writer.submit(Job(cause=Cause.SAVED, path=path)).result(WATCHDOG)


def test_symbols_are_found_by_fqn_suffix_and_part(snapshot: Snapshot) -> None:
    assert [s.fqn for s in snapshot.symbols_by_fqn("shop.cart.Cart")] == ["shop.cart.Cart"]
    assert [s.fqn for s in snapshot.symbols_named("total")] == ["shop.cart.total", "shop.other.total"]
    assert [s.fqn for s in snapshot.symbols_named("cart.total")] == ["shop.cart.total"]
    assert snapshot.symbols_named("art.total") == ()
    assert snapshot.symbols_named("") == ()
    assert next(s.fqn for s in snapshot.find_symbols("CART", 9)) == "shop.cart.Cart"
    assert [s.fqn for s in snapshot.find_symbols("other.to", 9)] == ["shop.other.total"]
    assert len(snapshot.find_symbols("", 3)) == 3
    assert snapshot.find_symbols("100%_", 3) == ()


def test_symbols_know_their_places(snapshot: Snapshot) -> None:
    (cart,) = snapshot.symbols_by_fqn("shop.cart.Cart")
    assert (cart.kind, cart.path, cart.name_line, cart.name_column, cart.name_end_column) == (
        SymbolKind.CLASS, "shop/cart.py", 4, 6, 10,
    )  # fmt: skip
    assert snapshot.symbol(cart.id) == cart
    assert snapshot.symbol(10**9) is None
    assert cart in snapshot.symbols_of("shop/cart.py")
    document = snapshot.document("shop/cart.py")
    assert document is not None
    assert snapshot.symbols_in(document.id) == snapshot.symbols_of("shop/cart.py")


def test_facts_of_a_method_include_those_of_functions_in_it(snapshot: Snapshot) -> None:
    found = snapshot.facts_for_symbol(symbol_id(snapshot, "shop.cart.Cart.add"))
    texts = [fact.text for fact in found]
    assert any("price must never be taken" in text for text in texts)
    assert any(text.startswith("Raises ValueError") for text in texts)
    precedence = list(PropositionType)
    assert [precedence.index(fact.type) for fact in found] == sorted(precedence.index(fact.type) for fact in found)


def test_facts_of_a_class_are_those_of_its_header(snapshot: Snapshot) -> None:
    found = snapshot.facts_for_symbol(symbol_id(snapshot, "shop.cart.Cart"))
    assert [fact.text for fact in found] == ["A cart must never be shared between threads."]
    assert found[0].symbol == "shop.cart.Cart"
    assert (found[0].path, found[0].start_line) == ("shop/cart.py", 5)


def test_facts_are_filtered_by_type(snapshot: Snapshot) -> None:
    add = symbol_id(snapshot, "shop.cart.Cart.add")
    risks = snapshot.facts_for_symbol(add, FactFilter(types=(PropositionType.RISK,)))
    assert [fact.type for fact in risks] == [PropositionType.RISK]
    assert snapshot.facts_for_symbol(add, FactFilter(types=())) == ()
    assert snapshot.facts_for_symbol(10**9) == ()


def test_the_same_fact_elsewhere_is_counted(snapshot: Snapshot) -> None:
    (fact,) = snapshot.facts_for_symbol(symbol_id(snapshot, "shop.other.total"))
    assert fact.also == 1


def test_one_fact_at_two_places_is_shown_at_both(snapshot: Snapshot) -> None:
    for fqn in ("shop.cart.Cart.add", "shop.cart.total"):
        risks = snapshot.facts_for_symbol(symbol_id(snapshot, fqn), FactFilter(types=(PropositionType.RISK,)))
        assert [fact.symbol for fact in risks] == [fqn]


def test_mentions_are_those_that_may_mean_the_name(snapshot: Snapshot) -> None:
    (found,) = snapshot.mentions_of(["total"], fqn="shop.cart.total")
    assert (found.path, found.mentions) == ("docs/guide.md", ("shop.cart.total",))
    assert snapshot.mentions_of(["total"], fqn="shop.other.total") == ()
    assert [fact.mentions for fact in snapshot.mentions_of(["add"], fqn="shop.cart.Cart.add")] == [("Cart.add",)]
    assert snapshot.mentions_of([]) == ()
    guide = snapshot.document("docs/guide.md")
    assert guide is not None
    assert snapshot.mentions_of(["total"], exclude_document=guide.id) == ()


def test_lenses_count_rules_risks_and_all(snapshot: Snapshot) -> None:
    counts = {lens.symbol.fqn: (lens.rules, lens.risks, lens.facts) for lens in snapshot.lens_counts("shop/cart.py")}
    assert counts["shop.cart.Cart"] == (1, 0, 1)
    assert counts["shop.cart.total"] == (1, 1, 2)
    assert snapshot.lens_counts("no/such.py") == ()


def test_layers_are_those_of_the_lines_asked_for(snapshot: Snapshot) -> None:
    whole = snapshot.layers("shop/cart.py", include_text=True)
    assert whole.document is not None
    assert [p.start_line for p in whole.paragraphs] == sorted(p.start_line for p in whole.paragraphs)
    assert all(p.text for p in whole.paragraphs)
    assert whole.chunks
    assert whole.summaries
    part = snapshot.layers("shop/cart.py", 20, 22)
    assert [p.qualified_name for p in part.paragraphs] == ["total"]
    assert [s.fqn for s in part.symbols] == ["shop.cart", "shop.cart.total"]
    assert all(p.text == "" for p in part.paragraphs)
    assert snapshot.layers("no/such.py").document is None


def test_summaries_are_found_by_what_they_sum_up(snapshot: Snapshot) -> None:
    (cart,) = snapshot.symbols_by_fqn("shop.cart.Cart")
    of_class = snapshot.summary_of_symbol(cart)
    assert of_class is not None
    assert (of_class.granularity, of_class.key) == (Granularity.CHUNK, "Cart")
    of_file = snapshot.summary_of_document("shop/cart.py")
    assert of_file is not None
    assert of_file.granularity is Granularity.MODULE
    package = snapshot.summary("", Granularity.PACKAGE, "shop")
    assert package is not None
    assert package.path == "shop"
    (total,) = snapshot.symbols_by_fqn("shop.cart.total")
    assert snapshot.summary_of_symbol(total) is None


def test_counts_leave_stale_rows_out(index: Index, reader: Reader) -> None:
    with reader.snapshot() as snapshot:
        before = snapshot.counts()
    save(index, "shop/other.py", None)
    with reader.snapshot() as snapshot:
        after = snapshot.counts()
    assert before.stale == 0
    assert after.files == before.files - 1
    assert after.stale == before.paragraphs - after.paragraphs + before.propositions - after.propositions > 0


def test_stale_facts_are_shown_on_request_with_their_last_place(index: Index, reader: Reader) -> None:
    text = (index.root / "shop/cart.py").read_text()
    save(index, "shop/cart.py", text.replace("must never be shared", "may be passed"))
    with reader.snapshot() as snapshot:
        cart = symbol_id(snapshot, "shop.cart.Cart")
        assert not any(fact.is_stale for fact in snapshot.facts_for_symbol(cart))
        stale = [f for f in snapshot.facts_for_symbol(cart, FactFilter(include_stale=True)) if f.is_stale]
    assert [fact.text for fact in stale] == ["A cart must never be shared between threads."]
    assert (stale[0].freshness, stale[0].branch_scope) == (Freshness.STALE, BranchScope.HISTORICAL)
    assert stale[0].stale_since is not None


def test_a_snapshot_does_not_move_while_the_writer_goes_on(index: Index, reader: Reader) -> None:
    with reader.snapshot() as before:
        save(index, "shop/other.py", "def renamed():\n    return 1\n")
        with reader.snapshot() as after:  # a second one in the same thread
            assert [s.name for s in after.symbols_of("shop/other.py")] == ["other", "renamed"]
        assert [s.name for s in before.symbols_of("shop/other.py")] == ["other", "total"]


def test_answers_tell_branch_and_provenance(reader: Reader) -> None:
    def scope(path: str) -> BranchScope:
        return BranchScope.MAINLINE if path.startswith("shop/") else BranchScope.CURRENT_BRANCH

    with reader.snapshot(scope_of=scope) as snapshot:
        fact = snapshot.facts_for_symbol(symbol_id(snapshot, "shop.cart.Cart"))[0]
        document = snapshot.document("docs/guide.md")
    assert fact.provenance is not None
    assert len(fact.provenance.source_revision) == 64
    assert (fact.freshness, fact.branch_scope) == (Freshness.UNKNOWN, BranchScope.MAINLINE)
    assert document is not None
    assert (document.freshness, document.branch_scope) == (Freshness.UNKNOWN, BranchScope.CURRENT_BRANCH)


def test_full_names_are_joined_in_python_as_in_sql(reader: Reader) -> None:
    with reader.snapshot() as snapshot:
        rows = snapshot.rows(
            "SELECT s.fqn, d.module, d.path, s.qualified_name FROM symbol s JOIN document d ON d.id = s.document_id"
        )
    assert {path.partition(".")[2] for _, _, path, _ in rows} == {"py", "md"}
    assert [fqn_of(*parts) for _, *parts in rows] == [fqn for fqn, *_ in rows]


def test_a_running_query_can_be_interrupted(reader: Reader) -> None:
    import threading

    import apsw

    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with reader.snapshot() as snapshot:
        stop = threading.Event()

        def interrupt() -> None:
            # again and again: one that comes before the query has begun stops nothing
            while not stop.wait(0.01):
                snapshot.interrupt()

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(apsw.InterruptError):
            snapshot.rows(endless)
        stop.set()
        thread.join()
        assert snapshot.rows("SELECT 1") == [(1,)]


def test_problems_are_told_of_one_file_or_of_all(index: Index, reader: Reader) -> None:
    save(index, "shop/other.py", "def broken(:\n")
    with reader.snapshot() as snapshot:
        assert {problem.path for problem in snapshot.problems()} == {"shop/other.py"}
        assert snapshot.problems("shop/cart.py") == ()
        assert snapshot.problems("shop/other.py")[0].line >= 0
