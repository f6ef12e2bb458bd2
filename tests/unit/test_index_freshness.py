"""Whether cited files are still as they were read."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from granum.index.freshness import CitedFile, FileStamp, FreshnessCheck
from granum.model.layers import Freshness

if TYPE_CHECKING:
    from pathlib import Path

FRESH, STALE, UNKNOWN = Freshness.FRESH, Freshness.STALE, Freshness.UNKNOWN


def cite(root: Path, path: str, *, settled: bool = True) -> CitedFile:
    status = (root / path).stat()
    return CitedFile(
        path=path,
        stamp=FileStamp.of(status),
        content_sha256=hashlib.sha256((root / path).read_bytes()).digest(),
        read_at=status.st_mtime + (60 if settled else 0.5),
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("LIMIT = 3\n")
    return tmp_path


def test_an_untouched_file_is_fresh_without_being_read(root: Path) -> None:
    cited = cite(root, "a.py")
    unreadable = CitedFile(path="a.py", stamp=cited.stamp, content_sha256=b"never compared", read_at=cited.read_at)
    assert FreshnessCheck(root).state(unreadable) is FRESH


@pytest.mark.parametrize("text", ["LIMIT = 4\n", "LIMIT = 30\n"])
def test_another_content_is_stale(root: Path, text: str) -> None:
    cited = cite(root, "a.py")
    (root / "a.py").write_text(text)
    assert FreshnessCheck(root).state(cited) is STALE


def test_the_same_content_written_again_is_fresh(root: Path) -> None:
    cited = cite(root, "a.py")
    (root / "a.py").unlink()
    (root / "a.py").write_text("LIMIT = 3\n")
    os.utime(root / "a.py", ns=(1, 1))
    assert FreshnessCheck(root).state(cited) is FRESH


def test_a_stamp_from_the_moment_of_reading_proves_nothing(root: Path) -> None:
    cited = cite(root, "a.py", settled=False)
    changed = CitedFile(path="a.py", stamp=cited.stamp, content_sha256=b"other" * 6, read_at=cited.read_at)
    assert FreshnessCheck(root).state(cited) is FRESH
    assert FreshnessCheck(root).state(changed) is STALE


def test_a_deleted_file_is_stale_and_one_that_cannot_be_looked_at_unknown(root: Path) -> None:
    cited = cite(root, "a.py")
    (root / "a.py").unlink()
    assert FreshnessCheck(root).state(cited) is STALE
    (root / "loop").symlink_to("loop")
    looped = CitedFile(path="loop", stamp=cited.stamp, content_sha256=b"", read_at=0.0)
    assert FreshnessCheck(root).state(looped) is UNKNOWN


def test_an_answer_looks_once_at_each_file_and_at_so_many_only(root: Path) -> None:
    for name in ("b.py", "c.py"):
        (root / name).write_text("x = 1\n")
    cited = [cite(root, name) for name in ("a.py", "b.py", "c.py")]
    check = FreshnessCheck(root, limit=2)
    assert [check.state(c) for c in cited] == [FRESH, FRESH, UNKNOWN]
    (root / "a.py").write_text("changed after the look\n")
    assert check.state(cited[0]) is FRESH


@pytest.mark.parametrize(
    ("states", "whole"),
    [({FRESH}, FRESH), ({FRESH, UNKNOWN}, UNKNOWN), ({FRESH, UNKNOWN, STALE}, STALE), (set(), UNKNOWN)],
)
def test_an_answer_is_as_fresh_as_its_worst_part(states: set[Freshness], whole: Freshness) -> None:
    assert Freshness.worst(states) is whole
