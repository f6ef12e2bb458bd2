"""The tour on small workspaces: a real server, a real edit, and the workspace itself untouched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec
import pytest

from granum.cli.tour.edit import FAILURE, PROSE_RULE, RULE
from granum.cli.tour.report import TourReport
from tests.fixture import parse

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
//- /shop/__init__.py
//- /shop/cart.py
'''The cart.'''


class Cart:
    def add(self, item, count):
        '''Adds an item.

        The count must never be negative.
        '''
        if count < 0:
            raise ValueError("count is negative")
        return count
//- /shop/order.py
from shop.cart import Cart


def order(cart: Cart):
    cart.add("bag", 1)
//- /.gitignore
ignored.py
//- /ignored.py
SECRET = 1
"""

PROSE = """
//- /guide.md
# Guide

## Rules

- Keys must be unique in each table.
- Tables must never be renamed.
"""


def tour(root: Path, scratch: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (scratch / "tmp").mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GRANUM_CACHE_DIR": str(scratch / "cache"), "TMPDIR": str(scratch / "tmp")}
    return subprocess.run(
        [sys.executable, "-m", "granum", "tour", str(root), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def fingerprint(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def commit(root: Path) -> None:
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "."),
        ("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first"),
    ):
        subprocess.run(("git", "-C", str(root), *words), check=True)


@pytest.mark.parametrize("with_git", [False, True])
def test_the_tour_tells_kept_stale_and_new_facts_with_times(tmp_path: Path, with_git: bool) -> None:
    root = parse(CODE).write(tmp_path / "shop")
    if with_git:
        commit(root)
    before = fingerprint(root)
    done = tour(root, tmp_path / "scratch", "--json")
    assert done.returncode == 0, done.stderr
    report = msgspec.json.decode(done.stdout, type=TourReport)
    assert report.symbol == "shop.cart.Cart.add"
    assert "must never be negative" in report.hover
    assert [fact.text for fact in report.stale] == ["Raises ValueError: count is negative when count < 0"]
    assert RULE in [fact.text for fact in report.new]
    assert any(FAILURE in fact.text for fact in report.new)
    kept = {fact.text: (fact.line_before, fact.line_after) for fact in report.kept}
    assert kept["The count must never be negative."] == (8, 11)
    seconds = report.seconds
    assert all(value is not None and value > 0 for value in msgspec.structs.astuple(seconds))
    assert report.rows.files == 3
    assert fingerprint(root) == before
    assert list((tmp_path / "scratch" / "tmp").iterdir()) == []


def test_the_tour_for_a_person_tells_each_step(tmp_path: Path) -> None:
    done = tour(parse(CODE).write(tmp_path / "shop"), tmp_path / "scratch")
    assert done.returncode == 0, done.stderr
    for step in range(1, 7):
        assert f"{step}. " in done.stdout
    assert "1 stale" in done.stdout
    assert "2 new" in done.stdout
    assert "8 → 11" in done.stdout
    assert "shop/order.py:5" in done.stdout
    assert "\x1b" not in done.stdout


def test_prose_alone_has_a_tour_too(tmp_path: Path) -> None:
    done = tour(parse(PROSE).write(tmp_path / "docs"), tmp_path / "scratch", "--json")
    assert done.returncode == 0, done.stderr
    report = msgspec.json.decode(done.stdout, type=TourReport)
    assert (report.symbol, report.section) == ("", "Guide > Rules")
    assert [fact.text for fact in report.stale] == ["Keys must be unique in each table."]
    assert PROSE_RULE in [fact.text for fact in report.new]
    assert [fact.text for fact in report.kept] == ["Tables must never be renamed."]


@pytest.mark.parametrize("files", ["//- /a.bin\nx\n", "//- /a.py\nx = 1\n"])
def test_a_workspace_that_states_nothing_is_told_so(tmp_path: Path, files: str) -> None:
    done = tour(parse(files).write(tmp_path / "ws"), tmp_path / "scratch")
    assert done.returncode == 1
    assert "nothing to hover over" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_named_symbol_is_toured_and_an_unknown_one_refused(tmp_path: Path) -> None:
    root = parse(CODE).write(tmp_path / "shop")
    done = tour(root, tmp_path / "scratch", "--symbol", "Cart.add", "--json")
    assert msgspec.json.decode(done.stdout, type=TourReport).symbol == "shop.cart.Cart.add"
    done = tour(root, tmp_path / "scratch", "--symbol", "nobody")
    assert done.returncode == 2
    assert "no single symbol is called nobody" in done.stderr
    assert list((tmp_path / "scratch" / "tmp").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_interrupted_tour_leaves_nothing_behind(tmp_path: Path) -> None:
    root = parse(CODE).write(tmp_path / "shop")
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "granum", "tour", str(root)],
        env={**os.environ, "GRANUM_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "1. " in line:
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == ""
    assert list(scratch.iterdir()) == []
