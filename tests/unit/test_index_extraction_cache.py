"""The extraction cache: what it spares, what it must never mix up, and that its faults cost nothing but itself."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING

import apsw
import msgspec
import pytest

from granum.extract import EXTRACTOR_VERSION
from granum.index.extraction_cache import ExtractionCache
from granum.index.freshness import FileStamp
from granum.index.jobs import Cause, Job
from granum.index.look import Rules, look
from granum.index.reading import Reading, Request
from granum.index.worker import encode
from tests.index_rows import WATCHDOG, indexing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STAMP = FileStamp(size=1, mtime_ns=2, ctime_ns=3, inode=4)


def sha(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def kept_as(root: Path, path: str, text: str) -> Reading:
    """What a worker answers for a file with this text."""
    (root / path).write_text(text)
    reading = look(Rules(root=str(root.resolve()), max_file_size=1 << 20), Request(path=path))
    return msgspec.structs.replace(reading, packed=zlib.compress(encode(reading), 1))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "extractions.db"


def test_what_was_kept_is_found_as_a_reading_of_the_file_as_it_is_now(root: Path, file: Path) -> None:
    reading = kept_as(root, "a.py", "LIMIT = 3\n")
    cache = ExtractionCache(file, 1)
    cache.keep([reading])
    found = cache.find("a.py", sha("LIMIT = 3\n"), STAMP, 5.0)
    assert found is not None
    assert (found.stamp, found.read_at) == (STAMP, 5.0)
    assert found.rows == reading.rows
    assert (found.eol, found.encoding) == (reading.eol, reading.encoding)
    cache.close()


def test_neither_another_path_nor_content_nor_extractor_finds_it(root: Path, file: Path) -> None:
    cache = ExtractionCache(file, 1)
    cache.keep([kept_as(root, "a.py", "LIMIT = 3\n")])
    assert cache.find("test_a.py", sha("LIMIT = 3\n"), STAMP, 5.0) is None
    assert cache.find("a.py", sha("LIMIT = 4\n"), STAMP, 5.0) is None
    cache.close()
    newer = ExtractionCache(file, 2)
    assert newer.find("a.py", sha("LIMIT = 3\n"), STAMP, 5.0) is None
    newer.close()


def test_a_content_that_is_kept_is_not_extracted_unless_that_is_forced(root: Path, file: Path, tmp_path: Path) -> None:
    before, after = 'LIMIT = 3\n"""The limit is three."""\n', 'LIMIT = 4\n"""The limit is four."""\n'
    # an entry that no extraction of the content would make tells where the rows came from
    other = kept_as(root, "a.py", 'OTHER = 1\n"""The other one."""\n')
    forged = msgspec.structs.replace(other, content_sha256=sha(after))
    seed = ExtractionCache(file, EXTRACTOR_VERSION)
    seed.keep([msgspec.structs.replace(forged, packed=zlib.compress(encode(forged), 1))])
    seed.close()
    (root / "a.py").write_text(before)
    with indexing(root, tmp_path / "index.db", extraction_cache=file) as index:

        def names() -> list[tuple[str]]:
            return index.query("SELECT name FROM symbol WHERE kind <> 'module'")

        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        assert names() == [("LIMIT",)]
        (root / "a.py").write_text(after)
        index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path="a.py")).result(WATCHDOG)
        assert names() == [("OTHER",)]
        index.writer.submit(Job(cause=Cause.FORCED, path="a.py")).result(WATCHDOG)
        assert names() == [("LIMIT",)]


def test_workers_readings_are_kept(root: Path, file: Path, tmp_path: Path) -> None:
    for number in range(30):
        (root / f"m{number}.py").write_text(f"LIMIT = {number}\n")
    with indexing(root, tmp_path / "index.db", extraction_cache=file) as index:
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        index.settle()
    cache = ExtractionCache(file, EXTRACTOR_VERSION)
    found = [cache.find(f"m{number}.py", sha(f"LIMIT = {number}\n"), STAMP, 5.0) for number in range(30)]
    cache.close()
    assert [reading is not None and reading.rows is not None for reading in found] == [True] * 30


def test_its_size_is_bounded_and_what_was_used_last_stays(
    root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr("granum.index.extraction_cache.time.time", lambda: now)
    texts = [f"LIMIT = {number}\n" for number in range(200)]
    cache = ExtractionCache(file, 1, most_bytes=400_000)
    for text in texts:
        now += 1
        assert text == texts[0] or cache.find("a.py", sha(texts[0]), STAMP, 5.0) is not None
        reading = kept_as(root, "a.py", text)
        cache.keep([msgspec.structs.replace(reading, packed=zlib.compress(encode(reading), 0))])
    found = [text for text in texts if cache.find("a.py", sha(text), STAMP, 5.0) is not None]
    cache.close()
    assert file.stat().st_size < 500_000
    assert found[0] == texts[0]
    assert found[1:] == texts[-len(found) + 1 :]
    assert len(found) > 10


def break_header(file: Path) -> None:
    file.write_bytes(b"no database" * 1000)


def break_pages(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[100:] = b"\x05" * (len(data) - 100)
    file.write_bytes(data)


def break_version(file: Path) -> None:
    connection = apsw.Connection(str(file))
    connection.execute("PRAGMA user_version=77")
    connection.close()


@pytest.mark.parametrize("damage", [break_header, break_pages, break_version])
def test_a_file_of_no_use_is_begun_anew(root: Path, file: Path, damage: Callable[[Path], None]) -> None:
    reading = kept_as(root, "a.py", "LIMIT = 3\n")
    cache = ExtractionCache(file, 1)
    cache.keep([reading])
    cache.close()
    damage(file)
    assert cache.find("a.py", reading.content_sha256, STAMP, 5.0) is None
    cache.keep([reading])
    assert cache.find("a.py", reading.content_sha256, STAMP, 5.0) is not None
    cache.close()


@pytest.mark.parametrize("value", ["X'00'", "zeroblob(40)", "(SELECT packed FROM value WHERE id = 2)"])
def test_a_damaged_value_is_not_taken_for_a_reading(root: Path, file: Path, value: str) -> None:
    first, second = kept_as(root, "a.py", "LIMIT = 3\n"), kept_as(root, "b.py", "LIMIT = 4\n")
    cache = ExtractionCache(file, 1)
    cache.keep([first, second])
    connection = apsw.Connection(str(file))
    connection.execute(f"UPDATE value SET packed = {value} WHERE id = 1")
    connection.close()
    assert cache.find("a.py", first.content_sha256, STAMP, 5.0) is None
    assert cache.find("b.py", second.content_sha256, STAMP, 5.0) is not None
    cache.close()


def test_another_writer_costs_an_entry_and_no_more(root: Path, file: Path) -> None:
    first, second = kept_as(root, "a.py", "LIMIT = 3\n"), kept_as(root, "b.py", "LIMIT = 4\n")
    cache, other = ExtractionCache(file, 1), ExtractionCache(file, 1)
    cache.keep([first])
    connection = apsw.Connection(str(file))
    connection.execute("BEGIN IMMEDIATE")
    other.keep([second])
    connection.execute("ROLLBACK")
    connection.close()
    assert other.find("b.py", second.content_sha256, STAMP, 5.0) is None
    assert other.find("a.py", first.content_sha256, STAMP, 5.0) is not None
    other.keep([second])
    assert cache.find("b.py", second.content_sha256, STAMP, 5.0) is not None
    cache.close()
    other.close()


def test_where_no_file_can_be_made_nothing_is_kept_and_nothing_fails(root: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the folder's place")
    (root / "a.py").write_text("LIMIT = 3\n")
    with indexing(root, tmp_path / "index.db", extraction_cache=tmp_path / "cache" / "extractions.db") as index:
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        assert index.query("SELECT name FROM symbol WHERE kind <> 'module'") == [("LIMIT",)]
        assert index.writer.status().degraded == ""
