"""What answers say of files that are not, or not yet, what the index read: the truth, or that it is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.drift import Claim, Held, claims, is_true
from tests.fixture import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

STOCK = '''\
"""Keeps stock."""


class Stock:
    """Counts what lies on the shelf.

    A stock must never be shared between threads.
    """

    def take(self, count):
        """Takes goods off the shelf.

        Callers must hold the shelf's lock.
        """
        if count < 0:
            raise ValueError("count must not be negative")
        return self.weigh(count)

    def give(self, count):
        """Puts goods back, and must never be called twice."""
        if count < 0:
            raise ValueError("count must not be negative")
        return self.take(-count)

    def weigh(self, count):
        """The scale must be locked before."""
        return count
'''
FILES = f"""\
//- /held.md
# Held

//- /shop/__init__.py
//- /shop/stock.py
{STOCK}//- /shop/till.py
from shop.stock import Stock


def sell(stock: Stock):
    return stock.take(1)
//- /shop/README.md
# Shop

`Stock.take` must never be called from a signal handler.
"""
PATH = "shop/stock.py"
TAKE = STOCK[STOCK.index("    def take") : STOCK.index("    def give")]

ABOVE = "# a line\n" * 6 + STOCK
REMOVED = STOCK.replace(TAKE, "")
REPLACED = STOCK.replace(
    TAKE,
    TAKE.replace("def take", "def bake")
    .replace("Takes goods off the shelf", "Bakes bread upon the fire")
    .replace("Callers must hold the shelf's lock", "Cooks must never open an oven door")
    .replace("count must not be negative", "wheat must never be so wet"),
)
assert len(REPLACED) == len(STOCK)


def delete(root: Path) -> None:
    (root / PATH).unlink()


def make_folder(root: Path) -> None:
    (root / PATH).unlink()
    (root / PATH).mkdir()


def rename(root: Path) -> None:
    (root / PATH).rename(root / "shop/shelf.py")


#: A change of the file, and whether it takes `take` away.
TEXTS = {"six lines above": (ABOVE, False), "function removed": (REMOVED, True), "function replaced": (REPLACED, True)}
MOVES: dict[str, Callable[[Path], None]] = {"deleted": delete, "a folder": make_folder, "renamed": rename}

NAMES = ("Stock.take", "Stock.give", "Stock.weigh", "Stock", "shop.stock", "sell")
USES = ((("shop/till.py"), "take(1)"), ("shop/till.py", "Stock\n"), ("shop/README.md", "take` must"))
PATHS = (PATH, "shop/till.py", "shop/README.md")


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    monkeypatch.setenv("GRANUM_CACHE_DIR", str(tmp_path / "cache"))
    root = (tmp_path / "root").resolve()
    root.mkdir()
    parse(FILES).write(root)
    held = Held(root)
    yield held
    held.close()


def ask(held: Held, *more: tuple[str, str]) -> list[Claim]:
    return claims(held, NAMES, (*USES, *more), PATHS)


def goes(claim: Claim) -> bool:
    """Whether a claim is about the method that is taken away, or what only its text holds."""
    if claim.path != PATH or claim.kind not in {"name", "fact", "text", "paragraph", "use"}:
        return False
    says = ("take", "Takes goods", "Callers must hold", "def take", "Stock.take")
    return "weigh" in claim.what if claim.kind == "use" else claim.what.strip().startswith(says)


def assert_true(found: list[Claim], held: Held) -> None:
    for claim in found:
        assert claim.freshness != "UNKNOWN" or claim.kind == "summary", str(claim)
        assert claim.freshness != "FRESH" or is_true(claim, held.text(claim.path)), str(claim)


def fresh(found: list[Claim]) -> set[tuple[str, str, str]]:
    return {(claim.answer, claim.kind, claim.what) for claim in found if claim.freshness == "FRESH"}


@pytest.mark.parametrize("state", ["unsaved", "saved but not indexed", "changed by another program"])
@pytest.mark.parametrize("change", TEXTS)
def test_no_answer_shows_another_text_than_the_file_has(held: Held, state: str, change: str) -> None:
    text, takes_away = TEXTS[change]
    before = ask(held)
    assert [c for c in before if c.freshness != "FRESH" and not c.what.startswith("Package shop")] == []
    assert_true(before, held)
    held.hold()
    if state == "changed by another program":
        (held.root / PATH).write_text(text)
    else:
        held.open(PATH)
        held.type(PATH, text)
        if state == "saved but not indexed":
            held.save(PATH)
    after = ask(held, (PATH, "give(self"), (PATH, "weigh(self, "))
    assert_true(after, held)
    # what the change left as it was is found again at its new lines, and not merely marked
    expected = {
        (c.answer, c.kind, c.what) for c in before if c.kind in {"name", "fact", "use"} and not (takes_away and goes(c))
    }
    assert expected <= fresh(after)
    for claim in after:
        if takes_away and goes(claim):
            assert claim.freshness == "STALE", str(claim)
    unsaved = {claim.what for claim in after if claim.unsaved}
    if state == "unsaved" and change == "function replaced":
        assert "Cooks must never open an oven door." in unsaved
    else:
        assert unsaved == set()
    held.release()


@pytest.mark.parametrize("state", ["unsaved", "saved but not indexed", "changed by another program"])
@pytest.mark.parametrize("move", MOVES)
def test_no_answer_shows_a_file_that_is_not_there(held: Held, state: str, move: str) -> None:
    before = ask(held)
    held.hold()
    if state != "changed by another program":
        held.open(PATH)
    if state == "saved but not indexed":
        held.workspace.document_closed(held.root / PATH)
        held.buffers.close((held.root / PATH).as_uri())
    MOVES[move](held.root)
    after = ask(held)
    assert_true(after, held)
    if state == "unsaved":
        assert fresh(before) == fresh(after), "the open buffer speaks for the file"
    else:
        states = {claim.freshness for claim in after if claim.path == PATH}
        assert states == {"STALE"}
        elsewhere = {c for c in before if c.path != PATH and c.answer.startswith("layers")}
        assert elsewhere <= set(after), "other files are as they were"
    held.release()
