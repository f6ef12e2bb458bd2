"""Who may write an index, and what the others may wish: real locks, real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest

from granum.index.jobs import Cause, Job
from granum.index.lease import Lease
from granum.index.mailbox import FORGOTTEN_SECONDS, Answer, Mailbox
from granum.model.answers import Reindexed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WATCHDOG = 60.0

HOLD = """
import sys
from pathlib import Path
from granum.index.lease import Lease
lease = Lease(Path(sys.argv[1]))
print(lease.acquire(), flush=True)
lease.tell(resting=True, message="busy elsewhere")
print("told", flush=True)
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
    """Another process that holds the lease until its stdin ends."""
    command = [sys.executable, "-c", HOLD, str(index)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"True\n"
        assert process.stdout.readline() == b"told\n"
        yield process
        process.kill()


def test_one_process_holds_the_lease_and_the_others_read_who(index: Path, other: subprocess.Popen[bytes]) -> None:
    lease = Lease(index)
    assert not lease.acquire()
    assert not lease.held
    holder = lease.holder()
    assert holder is not None
    assert (holder.pid, holder.resting, holder.message) == (other.pid, True, "busy elsewhere")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_lease_falls_free_however_its_holder_ends(
    index: Path, other: subprocess.Popen[bytes], number: signal.Signals
) -> None:
    lease = Lease(index)
    os.kill(other.pid, number)
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


def test_what_a_holder_told_goes_with_its_lease(index: Path) -> None:
    lease = Lease(index)
    lease.tell(resting=True)
    assert lease.holder() is None
    assert lease.acquire()
    lease.tell(resting=False)
    assert Lease(index).holder() == lease.holder() is not None
    lease.release()
    assert lease.holder() is None


def test_half_written_news_of_a_holder_is_no_news(index: Path) -> None:
    lease = Lease(index)
    assert lease.acquire()
    index.with_suffix(".holder").write_bytes(b'{"pid": 1, "si')
    assert lease.holder() is None


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lease = Lease(tmp_path / "file" / "index-1-1.db")
    assert not lease.acquire()
    assert "let only one process serve this workspace" in lease.failure


def test_a_wish_is_read_answered_and_gone(index: Path) -> None:
    wisher, holder = Mailbox(index), Mailbox(index)
    name = wisher.post(Job(cause=Cause.SAVED, path="src/ä b.py"))
    assert wisher.answer_of(name) is None
    (wish,) = holder.wishes(())
    assert (wish.name, wish.job) == (name, Job(cause=Cause.SAVED, path="src/ä b.py"))
    assert holder.wishes([name]) == []
    holder.answer(name, Answer(reindexed=Reindexed(files=1, added=2)))
    assert holder.wishes(()) == []
    assert wisher.answer_of(name) == Answer(reindexed=Reindexed(files=1, added=2))
    assert wisher.is_gone(name)


def test_wishes_of_several_processes_do_not_meet(index: Path) -> None:
    first, second, holder = Mailbox(index), Mailbox(index), Mailbox(index)
    names = [first.post(Job(cause=Cause.OPENED, path="a")), second.post(Job(cause=Cause.SAVED, path="b"))]
    assert {wish.name: wish.job.path for wish in holder.wishes(())} == dict(zip(names, "ab", strict=True))
    holder.answer(names[1], Answer(failure="no"))
    assert first.answer_of(names[0]) is None
    assert second.answer_of(names[1]) == Answer(failure="no")


def test_a_wish_that_was_taken_back_gets_no_answer(index: Path) -> None:
    mailbox = Mailbox(index)
    name = mailbox.post(Job(cause=Cause.SAVED, path="a.py"))
    mailbox.take_back([name])
    mailbox.answer(name, Answer())
    assert mailbox.is_gone(name)
    assert list(index.with_suffix(".wishes").iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"{", b'{"cause": 99, "path": "a"}', b"\xff" * 100, b'{"path": 3}'])
def test_what_is_no_wish_is_removed(index: Path, data: bytes) -> None:
    mailbox = Mailbox(index)
    mailbox.post(Job(cause=Cause.SAVED, path="a.py"))
    stranger = index.with_suffix(".wishes") / "stranger.wish"
    stranger.write_bytes(data)
    assert [wish.job.path for wish in mailbox.wishes(())] == ["a.py"]
    assert not stranger.exists()


def test_what_gone_processes_left_is_cleaned_up(index: Path) -> None:
    mailbox = Mailbox(index)
    old, new = (mailbox.post(Job(cause=Cause.SAVED, path=path)) for path in ("a", "b"))
    mailbox.answer(old, Answer())
    answer = index.with_suffix(".wishes") / f"{old}.done"
    long_ago = time.time() - FORGOTTEN_SECONDS - 1
    os.utime(answer, (long_ago, long_ago))
    mailbox.clean()
    assert not answer.exists()
    assert [wish.name for wish in mailbox.wishes(())] == [new]


def test_an_answer_that_cannot_be_read_is_a_failure(index: Path) -> None:
    mailbox = Mailbox(index)
    name = mailbox.post(Job(cause=Cause.SAVED, path="a"))
    (index.with_suffix(".wishes") / f"{name}.done").write_bytes(msgspec.json.encode(3))
    answer = mailbox.answer_of(name)
    assert answer is not None
    assert answer.failure
