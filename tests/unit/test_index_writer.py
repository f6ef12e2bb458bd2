"""The writer's thread: order of work, coalescing, transactions, and what it survives."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import apsw
import msgspec
import pytest

from granum.extract import EXTRACTOR_VERSION, extract
from granum.index.commit import Committer
from granum.index.document_rows import document_rows
from granum.index.freshness import FileStamp
from granum.index.generation import open_generation
from granum.index.jobs import Cause, Entry, Job, Queue, Ticket
from granum.index.reader import Reader
from granum.index.reading import Reading, State
from granum.index.store import Origin
from granum.model.errors import IndexUnavailableError
from granum.resolve import link
from tests.index_rows import WATCHDOG, Index, indexing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from granum.model.answers import DocumentChange


def function(name: str, rule: str = "must hold") -> str:
    return f'def {name}():\n    """Says that it {rule} at all times."""\n    raise ValueError("{name}")\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


class Gate:
    """Holds the writer's thread in ``on_change`` until it is opened, and notes the changes in their order."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()
        self.changes: list[list[str]] = []

    def __call__(self, changes: Sequence[DocumentChange]) -> None:
        self.changes.append([change.path for change in changes])
        self.reached.set()
        assert self.open.wait(WATCHDOG)


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.open.set()


def test_the_queue_gives_the_most_urgent_first_and_joins_equal_paths() -> None:
    queue = Queue()
    assert queue.put("a", Cause.SCAN, ())
    assert queue.put("b", Cause.CHANGED_ON_DISK, ())
    assert not queue.put("a", Cause.SAVED, ())
    assert not queue.put("a", Cause.SCAN, ())
    assert len(queue) == 2
    assert [(entry.path, entry.cause) for entry in queue.take(9)] == [("a", Cause.SAVED)]
    assert [entry.path for entry in queue.take(9)] == ["b"]
    assert queue.peek() is None


def test_joining_keeps_that_the_path_was_forced() -> None:
    queue = Queue()
    queue.put("a", Cause.FORCED, ())
    queue.put("a", Cause.SAVED, ())
    assert [entry.force for entry in queue.take(1)] == [True]


def test_a_forced_entry_is_unwanted_once_all_who_asked_have_cancelled() -> None:
    entry = Entry("a", Cause.FORCED)
    entry.tickets = [Ticket(), Ticket()]
    entry.tickets[0].future.cancel()
    assert not entry.unwanted
    entry.tickets[1].future.cancel()
    assert entry.unwanted


def test_a_save_overtakes_what_was_queued_before(root: Path, tmp_path: Path, gate: Gate) -> None:
    names = [f"f{i}.py" for i in range(20)]
    for name in ("first.py", "saved.py", *names):
        (root / name).write_text(function("f"))
    with indexing(root, tmp_path / "i.db", on_change=gate) as index:
        index.writer.submit(Job(cause=Cause.SAVED, path="first.py"))
        assert gate.reached.wait(WATCHDOG)
        for name in names:
            index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path=name))
        index.writer.submit(Job(cause=Cause.SAVED, path="saved.py"))
        gate.open.set()
        index.settle()
    assert gate.changes[:2] == [["first.py"], ["saved.py"]]
    assert sorted(path for changes in gate.changes[2:] for path in changes) == sorted(names)


def test_fifty_saves_are_one_change_and_every_future_is_kept(root: Path, tmp_path: Path, gate: Gate) -> None:
    for name in ("first.py", "a.py"):
        (root / name).write_text(function("f"))
    with indexing(root, tmp_path / "i.db", on_change=gate) as index:
        index.writer.submit(Job(cause=Cause.SAVED, path="first.py"))
        assert gate.reached.wait(WATCHDOG)
        futures = [index.writer.submit(Job(cause=Cause.SAVED, path="a.py")) for _ in range(50)]
        gate.open.set()
        assert {future.result(WATCHDOG).files for future in futures} == {1}
    assert gate.changes == [["first.py"], ["a.py"]]


def test_a_folder_is_indexed_and_removed_as_a_whole(root: Path, tmp_path: Path) -> None:
    for name in ("a/x.py", "a/b/y.py", "c.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(function("f"))
    with indexing(root, tmp_path / "i.db") as index:
        assert index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path="a")).result(WATCHDOG).files == 2
        (root / "a/x.py").unlink()
        (root / "a/b/y.py").unlink()
        (root / "a/b").rmdir()
        (root / "a").rmdir()
        gone = index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path="a")).result(WATCHDOG)
        assert gone.removed_files == 2
        assert index.query("SELECT count(*) FROM document WHERE NOT is_stale") == [(0,)]


def test_a_save_that_runs_beside_a_scan_wins(root: Path, tmp_path: Path) -> None:
    for i in range(60):
        (root / f"f{i}.py").write_text(function("f") * 30)
    with indexing(root, tmp_path / "i.db") as index:
        scan = index.writer.submit(Job(cause=Cause.SCAN))
        for i in range(60):
            (root / f"f{i}.py").write_text(function("g"))
            index.writer.submit(Job(cause=Cause.SAVED, path=f"f{i}.py")).result(WATCHDOG)
        scan.result(WATCHDOG)
        index.settle()
        assert index.query("SELECT DISTINCT name FROM symbol WHERE kind = 'function'") == [("g",)]


def test_readers_see_all_of_a_save_or_nothing(root: Path, tmp_path: Path) -> None:
    texts = [
        "".join(function(f"{version}_{i}", f"must hold {version}") for i in range(8)) for version in ("even", "odd")
    ]
    (root / "a.py").write_text(texts[0])
    with indexing(root, tmp_path / "i.db", linker=link) as index:
        index.writer.submit(Job(cause=Cause.SAVED, path="a.py")).result(WATCHDOG)
        stop = threading.Event()

        def save() -> None:
            for round_ in range(30):
                (root / "a.py").write_text(texts[(round_ + 1) % 2] + "\n" * round_)
                index.writer.submit(Job(cause=Cause.SAVED, path="a.py")).result(WATCHDOG)
            stop.set()

        writer = threading.Thread(target=save)
        writer.start()
        reader = Reader(index.path)
        looks = 0
        while not stop.is_set():
            with reader.snapshot() as snapshot:
                names = {name for (name,) in snapshot.rows("SELECT name FROM symbol WHERE kind = 'function'")}
                live = {row for (row,) in snapshot.rows("SELECT id FROM proposition WHERE NOT is_stale")}
                indexed = {row for (row,) in snapshot.rows("SELECT rowid FROM proposition_fts")}
                facts = {s for (s,) in snapshot.rows("SELECT text FROM proposition WHERE NOT is_stale")}
            assert names in ({f"even_{i}" for i in range(8)}, {f"odd_{i}" for i in range(8)})
            assert live == indexed
            assert not any("even" in fact for fact in facts) or not any("odd" in fact for fact in facts)
            looks += 1
        writer.join()
        reader.close()
        assert looks > 0


def test_a_failing_listener_does_not_end_the_writer(root: Path, tmp_path: Path) -> None:
    def fail(_changes: Sequence[DocumentChange]) -> None:
        raise RuntimeError("a listener's mistake")

    (root / "a.py").write_text(function("f"))
    (root / "b.py").write_text(function("g"))
    with indexing(root, tmp_path / "i.db", on_change=fail) as index:
        for name in ("a.py", "b.py"):
            index.writer.submit(Job(cause=Cause.SAVED, path=name)).result(WATCHDOG)
        index.settle()
        assert index.query("SELECT count(*) FROM document") == [(2,)]


def test_a_failing_linker_costs_only_the_links(root: Path, tmp_path: Path) -> None:
    def fail(connection: apsw.Connection, _ids: Sequence[int]) -> None:
        connection.execute("UPDATE reference SET status = 1")
        raise RuntimeError("the linker's mistake")

    (root / "a.py").write_text("def f():\n    return g()\n")
    with indexing(root, tmp_path / "i.db", linker=fail) as index:
        index.writer.submit(Job(cause=Cause.SAVED, path="a.py")).result(WATCHDOG)
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        index.settle()
        assert index.query("SELECT name, status FROM reference") == [("g", 0)]


def test_links_are_made_with_the_save_and_after_a_scan(root: Path, tmp_path: Path) -> None:
    (root / "a.py").write_text("from b import g\n\n\ndef f():\n    return g()\n")
    (root / "b.py").write_text("def g():\n    return 1\n")
    target = "SELECT DISTINCT s.fqn FROM reference r LEFT JOIN symbol s ON s.id = r.target_id WHERE r.kind = 'call'"
    with indexing(root, tmp_path / "i.db", linker=link) as index:
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        index.settle()
        assert index.query(target) == [("b.g",)]
        (root / "b.py").write_text("def h():\n    return 1\n")
        index.writer.submit(Job(cause=Cause.SAVED, path="b.py")).result(WATCHDOG)
        index.settle()
        assert index.query(target) == [(None,)]
        (root / "b.py").write_text("def g():\n    return 2\n")
        index.writer.submit(Job(cause=Cause.SAVED, path="b.py")).result(WATCHDOG)
        index.settle()
        assert index.query(target) == [("b.g",)]


def test_packages_are_summarised_and_forgotten(root: Path, tmp_path: Path) -> None:
    (root / "pkg").mkdir()
    (root / "pkg/a.py").write_text('"""Keeps the rules."""\n\n' + function("f"))
    keys = "SELECT key FROM summary WHERE granularity = 'package'"
    with indexing(root, tmp_path / "i.db") as index:
        index.writer.submit(Job(cause=Cause.SAVED, path="pkg/a.py")).result(WATCHDOG)
        assert index.query(keys) == [("pkg",)]
        (root / "pkg/a.py").unlink()
        index.writer.submit(Job(cause=Cause.CHANGED_ON_DISK, path="pkg/a.py")).result(WATCHDOG)
        index.settle()
        assert index.query(keys) == []


def test_what_cannot_be_stored_is_a_problem_of_its_own(root: Path, tmp_path: Path) -> None:
    generation = open_generation(tmp_path / "i.db", EXTRACTOR_VERSION)
    committer = Committer(generation.connection, root, EXTRACTOR_VERSION, Origin, None)
    stamp = FileStamp(size=1, mtime_ns=1, ctime_ns=1, inode=1)
    good = document_rows(extract("good.py", function("f")))
    bad = msgspec.structs.replace(good, names=("\ud800",))
    readings = [
        Reading(path=path, state=State.READ, stamp=stamp, content_sha256=path.encode(), read_at=1.0, rows=made)
        for path, made in (("bad.py", bad), ("good.py", good))
    ]
    committed = committer.commit(readings, link=False)
    assert [outcome.reindexed.problems for outcome in committed.outcomes] == [1, 0]
    assert generation.connection.execute("SELECT path FROM document").fetchall() == [("good.py",)]
    assert generation.connection.execute("SELECT path, code FROM problem").fetchall() == [("bad.py", "internal")]
    generation.connection.close()


def test_a_full_disk_degrades_and_is_caught_up_with_later(root: Path, tmp_path: Path) -> None:
    generation = open_generation(tmp_path / "i.db", EXTRACTOR_VERSION)
    generation.connection.close()
    full = threading.Event()
    index: Index

    def origin() -> Origin:
        # runs in the writer's thread, which owns the connection
        limit = 1 if full.is_set() else 1_000_000
        index.writer._committer.connection.execute(f"PRAGMA max_page_count={limit}").fetchall()
        return Origin()

    (root / "a.py").write_text(function("f") * 200)
    (root / "b.py").write_text(function("g"))
    with indexing(root, tmp_path / "i.db", origin=origin) as index:
        full.set()
        assert index.writer.submit(Job(cause=Cause.OPENED, path="a.py")).result(WATCHDOG).problems == 1
        assert "disk is full" in index.writer.status().degraded
        full.clear()
        index.writer.submit(Job(cause=Cause.SAVED, path="b.py")).result(WATCHDOG)
        index.settle()
        assert index.writer.status().degraded == ""
        assert sorted(index.query("SELECT path FROM document")) == [("a.py",), ("b.py",)]


def test_a_damaged_index_is_told_and_not_used_again(root: Path, tmp_path: Path) -> None:
    for i in range(40):
        (root / f"f{i}.py").write_text(function(f"f{i}") * 20)
    with indexing(root, tmp_path / "i.db") as index:
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
    connection = apsw.Connection(str(tmp_path / "i.db"))
    leaves = "SELECT pgoffset, pgsize FROM dbstat WHERE name = 'paragraph_row' AND pagetype = 'leaf'"
    pages = connection.execute(leaves).fetchall()
    connection.close()
    with (tmp_path / "i.db").open("r+b") as file:
        for offset, size in pages:
            file.seek(offset)
            file.write(b"\xa5" * size)
    told = threading.Event()
    with indexing(root, tmp_path / "i.db", on_damage=lambda _message: told.set()) as index:
        index.writer.submit(Job(cause=Cause.FORCED))
        assert told.wait(WATCHDOG)
    with indexing(root, tmp_path / "i.db") as index:
        assert index.path != tmp_path / "i.db"
        assert index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG).files == 40


def test_closing_tells_those_who_wait_and_refuses_more(root: Path, tmp_path: Path, gate: Gate) -> None:
    (root / "a.py").write_text(function("f"))
    with indexing(root, tmp_path / "i.db", on_change=gate) as index:
        first = index.writer.submit(Job(cause=Cause.SAVED, path="a.py"))
        assert gate.reached.wait(WATCHDOG)
        waiting = index.writer.submit(Job(cause=Cause.SAVED, path="a.py"))
        assert not index.writer.wait_idle(0)
        closing = threading.Thread(target=index.writer.close)
        closing.start()
        with pytest.raises(IndexUnavailableError):
            while True:
                index.writer.submit(Job(cause=Cause.SCAN))
        gate.open.set()
        closing.join(WATCHDOG)
        assert first.result(WATCHDOG).files == 1
        assert isinstance(waiting.exception(WATCHDOG), IndexUnavailableError)


def test_progress_ends_at_the_total(root: Path, tmp_path: Path) -> None:
    for i in range(30):
        (root / f"f{i}.py").write_text(function("f"))
    told: list[tuple[int, int]] = []
    with indexing(root, tmp_path / "i.db", on_progress=lambda done, total: told.append((done, total))) as index:
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        index.settle()
        status = index.writer.status()
        assert (status.queue_length, status.running, status.files_done) == (0, False, status.files_total)
        assert status.indexed_at is not None
    assert told[-1][0] == told[-1][1] >= 30


def test_the_log_is_emptied_unless_a_reader_is_in_the_way(root: Path, tmp_path: Path) -> None:
    generation = open_generation(tmp_path / "i.db", EXTRACTOR_VERSION)
    committer = Committer(generation.connection, root, EXTRACTOR_VERSION, Origin, None)
    log = generation.path.with_name(generation.path.name + "-wal")
    reader = Reader(generation.path)
    with reader.snapshot():
        committer.put_problems([("a", "code", "message")])
        committer.empty_log()
        assert log.stat().st_size > 0
    committer.empty_log()
    assert log.stat().st_size == 0
    reader.close()
    generation.connection.close()
