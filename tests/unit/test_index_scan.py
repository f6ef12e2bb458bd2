"""Which files a scan looks at, and that it ends at the disk's state."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from granum.index.jobs import Cause, Job
from tests.fixture import parse
from tests.index_rows import WATCHDOG, Index, indexing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from granum.model.answers import Reindexed

WORKSPACE = parse("""
    //- /.gitignore
    build/
    *.gen.py
    //- /src/a.py
    LIMIT = 3
    //- /src/b.gen.py
    LIMIT = 4
    //- /build/c.py
    LIMIT = 5
    //- /node_modules/d.py
    LIMIT = 6
    //- /docs/guide.md
    # Guide
    The server must be started first.
    //- /data.bin
    no language
""")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with indexing(WORKSPACE.write(tmp_path / "root"), tmp_path / "i.db") as found:
        yield found


def scan(index: Index, cause: Cause = Cause.SCAN) -> Reindexed:
    result = index.writer.submit(Job(cause=cause)).result(WATCHDOG)
    index.settle()
    return result


def paths(index: Index) -> list[str]:
    return sorted(path for (path,) in index.query("SELECT path FROM document WHERE NOT is_stale"))


def settle_stamps(index: Index) -> None:
    """Makes the files old enough for their stamps to prove something."""
    for path in paths(index):
        os.utime(index.root / path, (1_000_000_000, 1_000_000_000))


def test_only_what_belongs_in_the_index_is_read(index: Index) -> None:
    assert scan(index).files == 2
    assert paths(index) == ["docs/guide.md", "src/a.py"]


def test_a_second_scan_reads_nothing(index: Index) -> None:
    scan(index)
    settle_stamps(index)
    scan(index)
    stamps = index.query("SELECT path, mtime_ns, indexed_at FROM document")
    again = scan(index)
    assert (again.files, again.unchanged) == (2, 2)
    assert index.query("SELECT path, mtime_ns, indexed_at FROM document") == stamps


def test_forcing_reads_everything_again(index: Index) -> None:
    scan(index)
    assert scan(index, Cause.FORCED).unchanged == 0


def test_a_change_that_keeps_size_and_time_is_found(index: Index) -> None:
    scan(index)
    settle_stamps(index)
    scan(index)
    (index.root / "src/a.py").write_text("LIMIT = 9\n")
    os.utime(index.root / "src/a.py", (1_000_000_000, 1_000_000_000))
    scan(index)
    assert index.query("SELECT count(*) FROM paragraph WHERE text LIKE '%LIMIT = 9%' AND NOT is_stale") == [(1,)]


def test_touched_files_are_hashed_and_left(index: Index) -> None:
    scan(index)
    os.utime(index.root / "src/a.py", (1_000_000_000, 1_000_000_000))
    result = scan(index)
    assert (result.unchanged, result.updated, result.added) == (2, 0, 0)
    assert index.query("SELECT mtime_ns FROM document WHERE path = 'src/a.py'") == [(10**18,)]


def test_deleted_and_moved_files_are_found(index: Index) -> None:
    scan(index)
    (index.root / "docs/guide.md").unlink()
    (index.root / "src/a.py").rename(index.root / "src/z.py")
    scan(index)
    assert paths(index) == ["src/z.py"]
    assert index.query("SELECT path FROM document WHERE is_stale") == [("docs/guide.md",)]


@pytest.mark.parametrize("told", ["", "src/a.py"], ids=["scan", "path"])
def test_a_file_replaced_by_a_folder_and_back(index: Index, told: str) -> None:
    scan(index)
    place = index.root / "src/a.py"

    def look() -> None:
        index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path=told)).result(WATCHDOG)
        index.settle()

    place.unlink()
    place.mkdir()
    (place / "inner.py").write_text("LIMIT = 7\n")
    look()
    assert paths(index) == ["docs/guide.md", "src/a.py/inner.py"]
    (place / "inner.py").unlink()
    place.rmdir()
    place.write_text("LIMIT = 3\n")
    look()
    assert paths(index) == ["docs/guide.md", "src/a.py"]


def test_a_changed_ignore_file_is_followed(index: Index) -> None:
    scan(index)
    (index.root / ".gitignore").write_text("docs/\n")
    index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path=".gitignore")).result(WATCHDOG)
    index.settle()
    assert paths(index) == ["build/c.py", "src/a.py", "src/b.gen.py"]
    (index.root / ".gitignore").unlink()
    scan(index)
    assert "docs/guide.md" in paths(index)


def test_links_inside_are_one_file_and_links_out_are_not_followed(index: Index, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.py").write_text("LIMIT = 7\n")
    (index.root / "src/inside.py").symlink_to("a.py")
    (index.root / "src/out.py").symlink_to(tmp_path / "outside/secret.py")
    (index.root / "src/folder").symlink_to(tmp_path / "outside")
    scan(index)
    for path in ("src/inside.py", "src/out.py", "src/folder", "src/folder/secret.py", "../outside/secret.py"):
        index.writer.submit(Job(cause=Cause.SAVED, path=path)).result(WATCHDOG)
    index.settle()
    assert paths(index) == ["docs/guide.md", "src/a.py"]
    assert index.query("SELECT count(*) FROM paragraph WHERE text LIKE '%LIMIT = 7%'") == [(0,)]


def test_what_is_refused_by_content_is_told_and_not_read_again(index: Index) -> None:
    (index.root / "src/large.py").write_text("x = 1\n" * 200_000)
    (index.root / "src/binary.py").write_bytes(b"\x00\x01\x02\x00" * 100)
    for name in ("large", "binary"):
        os.utime(index.root / f"src/{name}.py", (1_000_000_000, 1_000_000_000))
    assert scan(index).problems == 2
    problems = "SELECT path, code, stamp <> '' FROM problem ORDER BY path"
    told = [("src/binary.py", "binary", 1), ("src/large.py", "too_large", 1)]
    assert index.query(problems) == told
    assert scan(index).problems == 0
    assert index.query(problems) == told
    (index.root / "src/large.py").write_text("x = 1\n")
    (index.root / "src/binary.py").unlink()
    scan(index)
    assert index.query(problems) == []
    assert "src/large.py" in paths(index)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_an_unreadable_file_is_a_problem(index: Index) -> None:
    (index.root / "src/a.py").chmod(0)
    scan(index)
    assert index.query("SELECT path, code FROM problem") == [("src/a.py", "unreadable")]


def test_names_that_are_no_unicode_are_told_until_they_are_gone(index: Index) -> None:
    names = [os.fsencode(index.root) + b"/bad\xff.py", os.fsencode(index.root) + b"/folder\xff"]
    try:
        os.mkdir(names[1])  # noqa: PTH102 -- such a name is no str
        with open(names[0], "wb"):  # noqa: PTH123
            pass
    except OSError:
        pytest.skip("the file system takes only Unicode")
    for _ in range(2):
        scan(index)
        told = index.query("SELECT path, code FROM problem ORDER BY path")
        assert told == [("bad\\xff.py", "bad_name"), ("folder\\xff", "bad_name")]
    os.unlink(names[0])  # noqa: PTH108
    os.rmdir(names[1])  # noqa: PTH106
    scan(index)
    assert index.query("SELECT path FROM problem") == []


def test_what_is_no_regular_file_is_not_opened(index: Index) -> None:
    os.mkfifo(index.root / "src/pipe.py")
    (index.root / "src/folder.py").mkdir()
    scan(index)
    index.writer.submit(Job(cause=Cause.SAVED, path="src/pipe.py")).result(WATCHDOG)
    assert paths(index) == ["docs/guide.md", "src/a.py"]


def test_a_bulk_scan_in_processes_ends_with_every_file(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for i in range(120):
        file = root / f"p{i % 7}" / f"m{i}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'def f{i}():\n    """Returns {i}, and must never fail."""\n    return {i}\n')
    with indexing(root, tmp_path / "i.db") as index:
        assert scan(index).files == 120
        assert len(paths(index)) == 120
        assert index.query("SELECT count(*) FROM proposition") == [(120,)]
