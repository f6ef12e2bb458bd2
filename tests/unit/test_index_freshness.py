"""Whether cited files are still as they were read."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from granum.index.freshness import CitedFile, FileStamp, Look, Looks
from granum.model.layers import Freshness

if TYPE_CHECKING:
    from pathlib import Path

FRESH, STALE, UNKNOWN = Freshness.FRESH, Freshness.STALE, Freshness.UNKNOWN
LONG_AGO = (1_000_000_000, 1_000_000_000)


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


def test_an_untouched_file_is_the_same_without_being_read(root: Path) -> None:
    unread = msgspec.structs.replace(cite(root, "a.py"), content_sha256=b"never compared")
    assert Looks(root).at(unread) is Look.SAME


@pytest.mark.parametrize("text", ["LIMIT = 4\n", "LIMIT = 30\n"])
def test_another_content_is_a_change(root: Path, text: str) -> None:
    cited = cite(root, "a.py")
    (root / "a.py").write_text(text)
    assert Looks(root).at(cited) is Look.CHANGED


def test_the_same_content_written_again_is_the_same(root: Path) -> None:
    cited = cite(root, "a.py")
    (root / "a.py").unlink()
    (root / "a.py").write_text("LIMIT = 3\n")
    os.utime(root / "a.py", ns=(1, 1))
    assert Looks(root).at(cited) is Look.SAME


def test_a_stamp_from_the_moment_of_reading_proves_nothing(root: Path) -> None:
    cited = cite(root, "a.py", settled=False)
    changed = msgspec.structs.replace(cited, content_sha256=b"other" * 6)
    assert Looks(root).at(cited) is Look.SAME
    assert Looks(root).at(changed) is Look.CHANGED


def test_what_a_hash_proved_is_not_read_again_until_the_file_changes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = root / "a.py"
    os.utime(file, LONG_AGO)
    cited = cite(root, "a.py", settled=False)
    looks = Looks(root)
    assert looks.at(cited) is Look.SAME
    with monkeypatch.context() as blind:
        blind.setattr("granum.index.freshness.read_regular", lambda *_: pytest.fail("the file was read again"))
        assert looks.at(cited) is Look.SAME
    file.write_text("LIMIT = 4\n")
    os.utime(file, LONG_AGO)
    assert looks.at(cited) is Look.CHANGED


def test_a_file_written_a_moment_ago_is_read_at_each_look(root: Path) -> None:
    file = root / "a.py"
    cited = cite(root, "a.py", settled=False)
    looks, stamp = Looks(root), file.stat()
    assert looks.at(cited) is Look.SAME
    file.write_text("LIMIT = 4\n")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert looks.at(cited) is Look.CHANGED


def test_what_is_no_file_any_more_is_gone_and_what_cannot_be_looked_at_failed(root: Path) -> None:
    cited = cite(root, "a.py")
    looks = Looks(root)
    (root / "a.py").unlink()
    assert looks.at(cited) is Look.GONE
    (root / "a.py").mkdir()
    assert looks.at(cited) is Look.GONE
    (root / "loop").symlink_to("loop")
    assert looks.at(msgspec.structs.replace(cited, path="loop")) is Look.FAILED
    assert looks.at(msgspec.structs.replace(cited, path="a.py/b.py")) is Look.GONE


@pytest.mark.parametrize(
    ("states", "whole"),
    [({FRESH}, FRESH), ({FRESH, UNKNOWN}, UNKNOWN), ({FRESH, UNKNOWN, STALE}, STALE), (set(), UNKNOWN)],
)
def test_an_answer_is_as_fresh_as_its_worst_part(states: set[Freshness], whole: Freshness) -> None:
    assert Freshness.worst(states) is whole
