"""Who may write an index, and what the others may wish and hear: real locks, real processes, real files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from granum.index import shared
from granum.index.bulletin import Board, Bulletin
from granum.index.jobs import Cause, Job
from granum.index.lease import Lease
from granum.index.mailbox import MOST_AT_ONCE, Inbox, Outbox
from granum.model.answers import DocumentChange, Reindexed
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WATCHDOG = 60.0
SAVED = Job(cause=Cause.SAVED, path="src/ä b.py")

HOLD = """
import subprocess, sys
from pathlib import Path
from granum.index.lease import Lease
from granum.index.mailbox import Outbox
from granum.index.jobs import Cause, Job
index = Path(sys.argv[1])
lease = Lease(index)
outbox = Outbox(index)
outbox.open()
outbox.post(Job(cause=Cause.SAVED, path="left.py"))
# a program that it started must not keep the lease for it
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
print(lease.acquire(), child.pid, flush=True)
sys.stdin.read()
"""


def await_that(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WATCHDOG
    while not holds():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.005)


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "index-1-1.db"


@pytest.fixture
def other(index: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that holds the lease, and that has a child, until it is killed."""
    command = [sys.executable, "-c", HOLD, str(index)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        held, child = process.stdout.readline().split()
        assert held == b"True"
        yield process
        process.kill()
    os.kill(int(child), signal.SIGTERM)


@pytest.mark.parametrize("number", ["SIGKILL", "SIGTERM"])
def test_one_process_holds_the_lease_until_its_end_however_it_ends(
    index: Path, other: subprocess.Popen[bytes], number: str
) -> None:
    lease = Lease(index)
    assert not lease.acquire()
    assert not lease.held
    other.send_signal(getattr(signal, number))
    other.wait()
    assert lease.acquire()
    assert lease.held
    lease.release()
    assert Lease(index).acquire()


def test_two_leases_of_one_process_exclude_each_other(index: Path) -> None:
    first, second = Lease(index), Lease(index)
    assert first.acquire()
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()


def test_a_lease_whose_file_was_deleted_is_lost_and_the_next_one_counts(index: Path) -> None:
    first, second, third = Lease(index), Lease(index), Lease(index)
    assert first.acquire()
    assert not second.acquire()
    shutil.rmtree(index.parent)
    assert first.is_lost()
    assert third.acquire()
    assert not second.acquire(), "it asked for the lock on a file that is gone"
    assert not third.is_lost()


def test_where_nothing_can_be_written_the_message_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexUnavailableError, match=r"granum\.indexPath"):
        Lease(tmp_path / "file" / "index-1-1.db").acquire()


# -- wishes


@pytest.fixture
def outbox(index: Path) -> Iterator[Outbox]:
    box = Outbox(index)
    box.open()
    yield box
    box.close()


def left(index: Path) -> list[str]:
    """The suffixes of what lies in the shared folder."""
    return sorted(file.suffix for file in shared.folder_of(index).iterdir())


def test_a_wish_is_read_once_and_answered(index: Path, outbox: Outbox) -> None:
    inbox = Inbox(index)
    name = outbox.post(SAVED)
    assert list(outbox.answers([name])) == []
    mail = inbox.look(())
    assert (mail.wishes, mail.names, mail.has_peers) == ({name: SAVED}, {name}, True)
    known = inbox.look([name])
    assert (known.wishes, known.names) == ({}, {name})
    inbox.answer(name, Reindexed(files=1, added=2))
    assert not inbox.look(()).names
    assert list(outbox.answers([name])) == [(name, Reindexed(files=1, added=2))]
    assert left(index) == [".peer"]


def test_wishes_of_several_processes_do_not_meet(index: Path, outbox: Outbox) -> None:
    second = Outbox(index)
    second.open()
    mine, its = outbox.post(SAVED), second.post(Job(cause=Cause.OPENED, path="b"))
    inbox = Inbox(index)
    assert inbox.look(()).wishes == {mine: SAVED, its: Job(cause=Cause.OPENED, path="b")}
    inbox.answer(its, Reindexed(files=1))
    assert list(outbox.answers([mine])) == []
    assert list(second.answers([its])) == [(its, Reindexed(files=1))]
    second.close()


def test_a_wish_that_was_taken_back_leaves_nothing(index: Path, outbox: Outbox) -> None:
    name = outbox.post(SAVED)
    outbox.take_back([name])
    assert not Inbox(index).look(()).names
    assert left(index) == [".peer"]


def test_a_wish_that_is_gone_without_an_answer_is_lost(index: Path, outbox: Outbox) -> None:
    name = outbox.post(SAVED)
    shutil.rmtree(index.parent)
    assert list(outbox.answers([name])) == [(name, None)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"cause": 99, "path": "a"}',
        b"\xff" * 100,
        b'{"path": 3}',
        b'{"cause": 0, "path": "../a"}',
        b'{"cause": 0, "path": "/etc"}',
        b'{"cause": 0, "path": "' + b"x" * 100_000 + b'"}',
    ],
)
def test_what_is_no_wish_is_removed(index: Path, outbox: Outbox, data: bytes) -> None:
    name = outbox.post(SAVED)
    stranger = shared.folder_of(index) / "stranger.wish"
    stranger.write_bytes(data)
    assert Inbox(index).look(()).wishes == {name: SAVED}
    assert not stranger.exists()


def test_a_flood_of_wishes_is_taken_in_by_and_by(index: Path, outbox: Outbox) -> None:
    names = {outbox.post(SAVED) for _ in range(MOST_AT_ONCE + 5)}
    inbox = Inbox(index)
    first = set(inbox.look(()).wishes)
    assert len(first) == MOST_AT_ONCE
    assert set(inbox.look(first).wishes) == names - first


def test_what_a_dead_process_left_is_removed_and_its_wishes_are_done(
    index: Path, other: subprocess.Popen[bytes], outbox: Outbox
) -> None:
    inbox = Inbox(index)
    mine = outbox.post(SAVED)
    inbox.clean()
    assert left(index) == ["", ".peer", ".peer", ".wish", ".wish"]
    other.kill()
    other.wait()
    inbox.clean()
    assert left(index) == ["", ".peer", ".wish", ".wish"]
    wishes = inbox.look(()).wishes
    assert sorted(job.path for job in wishes.values()) == ["left.py", "src/ä b.py"]
    for name in wishes:
        inbox.answer(name, Reindexed(files=1))
    inbox.clean()
    assert left(index) == ["", ".done", ".peer"]
    assert list(outbox.answers([mine])) == [(mine, Reindexed(files=1))]


def test_an_answer_that_cannot_be_read_is_none(index: Path, outbox: Outbox) -> None:
    name = outbox.post(SAVED)
    (shared.folder_of(index) / f"{name}.done").write_bytes(msgspec.json.encode(3))
    assert list(outbox.answers([name])) == [(name, None)]


# -- the bulletin


def test_readers_see_the_last_bulletin_whole(index: Path) -> None:
    index.parent.mkdir()
    shared.folder_of(index).mkdir()
    writing, reading = Board(index), Board(index)
    assert reading.read() is None
    change = DocumentChange(path="a.py", added=1, removed=0, stale=0, version=7)
    for number in range(3):
        bulletin = Bulletin(pid=1, since=2.0, version="3", queue_length=number, changes=(change,))
        writing.put(bulletin)
        assert reading.read() == bulletin
    (shared.folder_of(index) / "bulletin.json").write_bytes(b'{"pid": 1, "si')
    assert reading.read() is None


def test_a_bulletin_of_another_version_of_granum_is_understood(index: Path) -> None:
    shared.folder_of(index).mkdir(parents=True)
    told = b'{"pid": 1, "since": 2.0, "version": "9", "unheard_of": true}'
    (shared.folder_of(index) / "bulletin.json").write_bytes(told)
    assert Board(index).read() == Bulletin(pid=1, since=2.0, version="9")
