"""Several workspaces objects on one root, as several processes would have them: one writes, the others follow."""

from __future__ import annotations

import errno
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import pytest

from granum.engine import Workspace, follower, holder
from granum.extract import EXTRACTOR_VERSION
from granum.index.generation import mark_damaged
from granum.index.jobs import Cause, Job
from granum.index.lease import Lease
from granum.index.location import index_path
from granum.index.schema import SCHEMA_VERSION
from granum.index.writer import Writer
from granum.model.answers import Health, Role
from granum.model.cancellation import CancelToken
from granum.model.errors import CancelledRequestError, IndexUnavailableError
from granum.model.settings import Settings
from tests.fixture import parse
from tests.index_rows import indexing
from tests.unit.test_index_lease import await_that

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from granum.model.answers import DocumentChange, Reindexed, Status

WATCHDOG = 60.0
SHOP = """
//- /shop/stock.py
def take(count):
    \"\"\"Callers must hold the shelf's lock.\"\"\"
    return count
//- /README.md
# Shop

`take` must never be called twice.
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    parse(SHOP).write(folder)
    return folder


@pytest.fixture
def opened(root: Path, tmp_path: Path) -> Iterator[Callable[..., Workspace]]:
    """Opens a workspace that shares the index of all others."""
    all_opened: list[Workspace] = []

    def opener(**listeners: object) -> Workspace:
        workspace = Workspace.open(root, index_dir=tmp_path / "index", **listeners)  # type: ignore[arg-type]
        all_opened.append(workspace)
        workspace.start()
        return workspace

    yield opener
    for workspace in reversed(all_opened):
        workspace.close()


def texts(workspace: Workspace, fqn: str = "shop.stock.take") -> list[str]:
    return [fact.text for fact in workspace.facts_of(fqn).facts]


def save(root: Path, workspace: Workspace, rule: str) -> None:
    """Saves through this workspace and waits until it can be read there."""
    file = root / "shop/stock.py"
    file.write_text(f'def take(count):\n    """Callers must {rule}."""\n    return count\n')
    workspace.document_saved(file).result(WATCHDOG)


def test_the_second_reads_what_the_first_indexes(root: Path, opened: Callable[..., Workspace]) -> None:
    first, second = opened(), opened()
    assert first.wait_idle(WATCHDOG)
    assert second.wait_idle(WATCHDOG)
    assert texts(second) == texts(first) == ["Callers must hold the shelf's lock."]
    save(root, first, "knock first")
    assert texts(second) == ["Callers must knock first."]


def test_a_save_at_the_second_is_done_when_its_rows_are_there(root: Path, opened: Callable[..., Workspace]) -> None:
    opened()
    second = opened()
    for number in range(5):
        save(root, second, f"hold lock {number}")
        assert texts(second) == [f"Callers must hold lock {number}."]


def test_reindexing_at_the_second_is_done_by_the_first(root: Path, opened: Callable[..., Workspace]) -> None:
    first, second = opened(), opened()
    first.wait_idle(WATCHDOG)
    assert second.reindex(force=True).files == 2
    (root / "new.py").write_text("LIMIT = 3\n")
    assert second.reindex(["new.py"]).files == 1
    assert second.find_symbols("LIMIT", 5)[0].fqn == "new.LIMIT"


def test_the_second_says_who_indexes_and_tells_changes(root: Path, opened: Callable[..., Workspace]) -> None:
    heard: list[str] = []
    told = threading.Event()

    def listen(changes: Sequence[DocumentChange]) -> None:
        heard.extend(change.path for change in changes)
        if "shop/stock.py" in heard:
            told.set()

    first = opened()
    first.wait_idle(WATCHDOG)
    second = opened(on_change=listen)
    assert second.status().message.startswith("Indexed by process ")
    assert first.status().message == ""
    save(root, first, "whistle")
    assert told.wait(WATCHDOG)


def test_whoever_is_left_takes_over(root: Path, opened: Callable[..., Workspace]) -> None:
    first, second, third = opened(), opened(), opened()
    first.wait_idle(WATCHDOG)
    first.close()
    await_that(lambda: "" in {second.status().message, third.status().message})
    assert sorted(bool(each.status().message) for each in (second, third)) == [False, True]
    for number, workspace in enumerate((second, third)):
        save(root, workspace, f"hold it {number}")
        assert texts(second) == texts(third) == [f"Callers must hold it {number}."]


def test_a_save_that_waits_while_the_lease_changes_hands_is_done(root: Path, opened: Callable[..., Workspace]) -> None:
    first, second = opened(), opened()
    first.wait_idle(WATCHDOG)
    file = root / "shop/stock.py"
    file.write_text('def take(count):\n    """Callers must wait."""\n    return count\n')
    closing = threading.Thread(target=first.close)
    closing.start()
    second.document_saved(file).result(WATCHDOG)
    closing.join()
    assert texts(second) == ["Callers must wait."]


def test_what_changed_while_nobody_wrote_is_found_at_the_take_over(
    root: Path, opened: Callable[..., Workspace]
) -> None:
    first, second = opened(), opened()
    first.wait_idle(WATCHDOG)
    first.close()
    (root / "late.py").write_text("LATE = 1\n")
    await_that(lambda: bool(second.find_symbols("LATE", 1)))


def test_the_second_follows_into_a_new_generation(opened: Callable[..., Workspace]) -> None:
    first, second = opened(), opened()
    first.wait_idle(WATCHDOG)
    before = second.status().index_path
    mark_damaged(Path(before))  # as the second would, when a question of its own met the damage
    await_that(lambda: second.status().index_path != before)
    assert first.status().index_path == second.status().index_path
    await_that(lambda: _answers(second) == ["Callers must hold the shelf's lock."])


def _answers(workspace: Workspace) -> list[str]:
    try:
        return texts(workspace)
    except IndexUnavailableError:
        return []


def test_many_start_at_once_and_one_indexes(root: Path, tmp_path: Path) -> None:
    workspaces: list[Workspace] = []
    lock = threading.Lock()

    def begin() -> None:
        workspace = Workspace.open(root, index_dir=tmp_path / "index")
        workspace.start()
        with lock:
            workspaces.append(workspace)

    threads = [threading.Thread(target=begin) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        for workspace in workspaces:
            assert workspace.wait_idle(WATCHDOG)
            assert texts(workspace) == ["Callers must hold the shelf's lock."]
        messages = [workspace.status().message for workspace in workspaces]
        assert messages.count("") == 1
    finally:
        for workspace in workspaces:
            workspace.close()


def test_saves_of_all_at_once_end_in_the_rows_of_a_fresh_index(
    root: Path, tmp_path: Path, opened: Callable[..., Workspace]
) -> None:
    workspaces = [opened() for _ in range(4)]
    for number in range(12):
        (root / f"f{number}.py").write_text("")

    def work(number: int, workspace: Workspace) -> None:
        for turn in range(9):
            file = root / f"f{(number * 3 + turn) % 12}.py"
            file.write_text(f'def f{turn}():\n    """It must be {number}."""\n')
            workspace.document_saved(file).result(WATCHDOG)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(workspaces)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert workspaces[0].reindex().problems == 0
    index = next((tmp_path / "index").rglob("index-*.db"))
    for workspace in workspaces:
        workspace.close()
    with indexing(root, tmp_path / "fresh.db") as fresh, indexing(root, index) as shared:
        fresh.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        fresh.settle()
        assert shared.rows() == fresh.rows()


def test_statuses_of_the_second_come_to_rest(opened: Callable[..., Workspace]) -> None:
    rested = threading.Event()

    def listen(status: Status) -> None:
        if status.quiescent and status.health is Health.READY and status.counts.files == 2:
            rested.set()

    opened()
    opened(on_status=listen)
    assert rested.wait(WATCHDOG)


def test_a_follower_answers_from_nothing_until_the_holder_has_begun(
    root: Path, tmp_path: Path, opened: Callable[..., Workspace]
) -> None:
    path = index_path(root, Settings(), tmp_path / "index", schema=SCHEMA_VERSION, extractor=EXTRACTOR_VERSION)
    lease = Lease(path)
    assert lease.acquire()  # as a process that has not come further
    reader = opened()
    status = reader.status()
    assert (status.role, status.health, status.counts.files) == (Role.READER, Health.STARTING, 0)
    assert reader.find_symbols("take", 5) == ()
    assert not list(path.parent.glob("*.db"))
    future = reader.document_saved(root / "shop/stock.py")
    lease.release()
    assert future.result(WATCHDOG).files == 1
    assert texts(reader) == ["Callers must hold the shelf's lock."]


def test_a_deleted_cache_is_made_again_by_one_of_them(
    root: Path, tmp_path: Path, opened: Callable[..., Workspace]
) -> None:
    first, second = opened(), opened()
    assert first.wait_idle(WATCHDOG)
    assert second.wait_idle(WATCHDOG)
    (tmp_path / "index").rename(tmp_path / "deleted")  # at once: they go on writing while a tree is removed
    await_that(lambda: _answers(second) == _answers(first) == ["Callers must hold the shelf's lock."])
    await_that(lambda: sorted(each.status().role for each in (first, second)) == [Role.INDEXER, Role.READER])
    await_that(lambda: len(list((tmp_path / "index").rglob("*.peer"))) == 1)
    for number, workspace in enumerate((first, second)):
        save(root, workspace, f"hold it {number}")
        await_that(lambda number=number: _answers(second) == [f"Callers must hold it {number}."])


def test_a_takeover_that_fails_is_told_and_tried_again(
    opened: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "RETRY_SECONDS", 0.05)
    first, second = opened(), opened()
    assert first.wait_idle(WATCHDOG)
    assert second.wait_idle(WATCHDOG)
    refused = threading.Event()

    def refuse(*_: object) -> None:
        refused.set()
        raise IndexUnavailableError("set granum.indexPath")

    with monkeypatch.context() as patched:
        patched.setattr(holder, "open_generation", refuse)
        first.close()
        await_that(lambda: second.status().health is Health.DEGRADED)
        assert refused.is_set()
        assert second.status().message == "set granum.indexPath"
        assert texts(second) == ["Callers must hold the shelf's lock."]
    await_that(lambda: (second.status().role, second.status().health) == (Role.INDEXER, Health.READY))


def test_a_reindex_that_is_called_off_at_a_follower_is_called_off_at_the_holder(
    root: Path, opened: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(600):
        (root / f"f{number}.py").write_text(f'def f{number}():\n    """It must be {number}."""\n')
    first, second = opened(), opened()
    assert second.wait_idle(WATCHDOG)
    token = CancelToken()
    forced: list[Future[Reindexed]] = []
    submit = Writer.submit

    def note(writer: Writer, job: Job) -> Future[Reindexed]:
        future = submit(writer, job)
        if job.cause is Cause.FORCED:
            forced.append(future)
        return future

    monkeypatch.setattr(Writer, "submit", note)
    with pytest.raises(CancelledRequestError):
        second.reindex(force=True, progress=lambda *_: token.cancel() if forced else None, token=token)
    await_that(lambda: all(future.cancelled() for future in forced))
    assert first.wait_idle(WATCHDOG)


def test_the_settings_of_the_holder_rule_and_the_follower_says_so(root: Path, tmp_path: Path) -> None:
    ruling = Workspace.open(root, Settings(exclude=("*.md",)), index_dir=tmp_path / "index")
    reader = Workspace.open(root, index_dir=tmp_path / "index")
    try:
        assert reader.reindex().files == 1
        assert "by its own granum.exclude" in reader.status().message
        reader.update_settings(Settings(exclude=("*.md",)))
        assert "by its own" not in reader.status().message
    finally:
        reader.close()
        ruling.close()


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which file a descriptor is")
def test_without_locks_each_process_has_an_index_of_its_own_and_says_so(
    opened: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = filelock.lock_descriptor

    def refuse(descriptor: int, **options: bool) -> bool:
        if "/granum-" not in str(Path(f"/proc/self/fd/{descriptor}").readlink()):
            raise OSError(errno.ENOLCK, "No locks available")
        return before(descriptor, **options)

    monkeypatch.setattr(filelock, "lock_descriptor", refuse)
    first, second = opened(), opened()
    assert first.wait_idle(WATCHDOG)
    assert second.wait_idle(WATCHDOG)
    for workspace in (first, second):
        status = workspace.status()
        assert (status.role, status.health) == (Role.INDEXER, Health.DEGRADED)
        assert "without locks" in status.message
        assert texts(workspace) == ["Callers must hold the shelf's lock."]
    index = Path(first.status().index_path)
    assert index != Path(second.status().index_path)
    first.close()
    assert not index.exists()
