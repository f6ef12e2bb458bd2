"""What other programs do to files and repositories, seen through a real server that no editor tells of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.served import Served
from tests.e2e.strict_client import StrictClient
from tests.e2e.workspace import run_git, write_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is of Linux")

WATCHDOG = 60.0
TOLD = ("granum/status", "granum/didReindex")
CUSTOM = {"experimental": {"granum": {}}}


class Watched(Served):
    """A workspace whose server watches it."""

    def until(self, holds: Callable[[], Any]) -> Any:
        """Asks again and again until the answer is a true one, and returns it."""
        deadline = time.monotonic() + WATCHDOG
        while not (answer := holds()):
            assert time.monotonic() < deadline, self.status()
        return answer

    def status(self) -> dict[str, Any]:
        (folder,) = self.client.request("granum/status")["folders"]
        return dict(folder)

    def until_status(self, **wanted: object) -> dict[str, Any]:
        """The status, once it is at rest and has these values."""
        return dict(self.until(lambda: (now := self.status())["quiescent"] and wanted.items() <= now.items() and now))

    def facts(self, path: str) -> dict[str, int]:
        """The ids of a document's propositions that are not stale, by text."""
        return {fact["text"]: fact["id"] for fact in self.layers(path)["propositions"] if not fact["isStale"]}

    def until_fact(self, path: str, text: str) -> None:
        """Waits until a document states this, freshly."""
        self.until(
            lambda: any(
                text in fact["text"] and fact["freshness"] == "FRESH" and not fact["isStale"]
                for fact in self.layers(path)["propositions"]
            )
        )

    def is_indexed(self, path: str) -> bool:
        return self.layers(path)["document"] is not None


@contextmanager
def watched(root: Path, cache: Path, capabilities: dict[str, Any] | None = None, **client: Any) -> Iterator[Watched]:
    """A server on ``root`` that has read it and watches it."""
    client.setdefault("optional", TOLD)
    with StrictClient(cache, **client) as speaker:
        speaker.answerers["client/registerCapability"] = lambda _: None
        speaker.initialize(root, capabilities=CUSTOM | (capabilities or {}))
        it = Watched(root, cache, speaker)
        it.until(lambda: (now := it.status())["quiescent"] and now["watcher"] and now["indexedAt"])
        yield it


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "root")


@pytest.fixture
def it(root: Path, tmp_path: Path) -> Iterator[Watched]:
    with watched(root, tmp_path / "cache") as served:
        assert served.status()["watcher"] == "inotify"
        yield served


def rule(name: str) -> str:
    return f'def {name}(value):\n    """The {name} value must never be negative."""\n    return value\n'


# -- files


def test_a_file_that_another_program_wrote_is_answered_freshly(it: Watched) -> None:
    (it.root / "pkg/new.py").write_text(rule("first"))
    it.until_fact("pkg/new.py", "The first value must")
    (it.root / "pkg/new.py").write_text(rule("second"))
    it.until_fact("pkg/new.py", "The second value must")
    # the answer may come from the file before the index has read it, and then holds the old row too, marked
    it.until(lambda: list(it.facts("pkg/new.py")) == ["The second value must never be negative."])


def test_a_deleted_file_goes_stale(it: Watched) -> None:
    (it.root / "pkg/pay.py").unlink()
    it.until(lambda: it.symbol_path("pkg.pay.Ledger") is None)
    assert not it.is_indexed("pkg/pay.py")
    found = it.client.request("granum/search", {"query": "Entries must never be deleted", "includeStale": True})
    assert {hit["isStale"] for hit in found["hits"] if hit["location"]["path"] == "pkg/pay.py"} == {True}


def test_a_renamed_folder_carries_its_rows_over(it: Watched) -> None:
    before = it.facts("pkg/pay.py")
    (it.root / "pkg").rename(it.root / "shop")
    it.until(lambda: it.symbol_path("shop.pay.Ledger.post") == "shop/pay.py")
    it.until_status(quiescent=True)
    assert it.facts("shop/pay.py") == before
    assert not it.is_indexed("pkg/pay.py")


def test_a_new_ignore_rule_and_its_end_are_followed(it: Watched) -> None:
    (it.root / ".gitignore").write_text("pay.py\n")
    it.until(lambda: not it.is_indexed("pkg/pay.py"))
    (it.root / ".gitignore").unlink()
    it.until(lambda: it.is_indexed("pkg/pay.py"))


def test_a_folder_in_anothers_place_is_read_by_its_own_rules(it: Watched) -> None:
    (it.root / "docs/.gitignore").write_text("notes.md\n")
    (it.root / "docs/notes.md").write_text("# Notes\n\nThey must never be read.\n")
    (it.root / "docs/last.md").write_text("# Last\n\nIt must be read.\n")
    it.until_fact("docs/last.md", "It must be read.")
    assert not it.is_indexed("docs/notes.md")
    (it.root / "docs").rename(it.root / "other")
    (it.root / "docs").mkdir()
    (it.root / "docs/notes.md").write_text("# Notes\n\nThey must be read now.\n")
    it.until_fact("docs/notes.md", "They must be read now.")


def test_a_storm_is_written_once_a_file_while_answers_flow(it: Watched) -> None:
    names = [f"module_{turn}" for turn in range(300)]
    (it.root / "many").mkdir()
    for name in names:
        (it.root / f"many/{name}.py").write_text(rule(name))
    run_git(it.root, "add", ".")
    run_git(it.root, "commit", "-q", "-m", "Many")
    run_git(it.root, "checkout", "-q", "-b", "other")
    for name in names:
        (it.root / f"many/{name}.py").write_text(rule(f"{name}_other"))
    run_git(it.root, "commit", "-q", "-a", "-m", "Others")
    it.until_fact(f"many/{names[-1]}.py", f"The {names[-1]}_other value")
    it.until_status(branch="other")
    it.client.drop("granum/didReindex")
    run_git(it.root, "checkout", "-q", "main")
    it.until(lambda: it.symbol_path("pkg.pay.Ledger") and it.status()["branch"] == "main")
    for name in names:
        it.until_fact(f"many/{name}.py", f"The {name} value")
    told = [each["uri"] for batch in it.client.drop("granum/didReindex") for each in batch["documents"]]
    assert sorted(told) == sorted((it.root / f"many/{name}.py").as_uri() for name in names)


# -- when changes cannot be noticed


def test_an_overflown_queue_is_caught_up_with(it: Watched) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 1 << 17:
        pytest.skip("this machine's queue is too long to be filled here")
    it.client.process.send_signal(signal.SIGSTOP)
    try:
        twin = [it.root / "pkg/a.txt", it.root / "pkg/b.txt"]
        twin[0].write_text("")
        for turn in range(most):
            twin[turn % 2].rename(twin[1 - turn % 2])
        (it.root / "unseen/deep").mkdir(parents=True)
        (it.root / "unseen/deep/mod.py").write_text(rule("unseen"))
    finally:
        it.client.process.send_signal(signal.SIGCONT)
    it.until_fact("unseen/deep/mod.py", "The unseen value")
    degraded = it.client.wait_for("granum/status", lambda status: status["health"] == "degraded")
    assert "dropped file events" in degraded["message"]
    it.until_status(health="ready", message="")
    (it.root / "unseen/deep/mod.py").write_text(rule("seen"))
    it.until_fact("unseen/deep/mod.py", "The seen value")


def test_a_root_that_is_gone_is_told_and_its_rows_are_kept_until_it_is_back(it: Watched, tmp_path: Path) -> None:
    before = it.facts("pkg/pay.py")
    it.root.rename(tmp_path / "away")
    assert "gone" in it.until_status(health="degraded")["message"]
    assert it.facts("pkg/pay.py") == before
    (tmp_path / "away/pkg/new.py").write_text(rule("new"))
    (tmp_path / "away").rename(it.root)
    it.until_status(health="ready", message="")
    it.until_fact("pkg/new.py", "The new value")
    assert it.facts("pkg/pay.py") == before


def test_an_empty_folder_in_the_roots_place_makes_nothing_stale(it: Watched, tmp_path: Path) -> None:
    before = it.facts("pkg/pay.py")
    it.root.rename(tmp_path / "away")
    it.root.mkdir()
    assert "empty" in it.until_status(health="degraded")["message"]
    it.client.request("granum/reindex")
    assert it.facts("pkg/pay.py") == before


def test_a_root_that_is_deleted_and_made_again_is_read_and_watched_again(it: Watched) -> None:
    shutil.rmtree(it.root)
    it.until_status(health="degraded")
    it.root.mkdir()
    (it.root / "only.py").write_text(rule("only"))
    it.until_status(health="ready", branch="")
    it.until_fact("only.py", "The only value")
    it.until(lambda: not it.is_indexed("pkg/pay.py"))
    (it.root / "only.py").write_text(rule("changed"))
    it.until_fact("only.py", "The changed value")


def test_where_watches_are_used_up_the_status_says_what_to_do_and_polling_goes_on(root: Path, tmp_path: Path) -> None:
    command = ["unshare", "--user", "--map-root-user"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("this machine lets nobody make user namespaces")
    serve = f'echo 2 > /proc/sys/user/max_inotify_watches; exec "{sys.executable}" -m granum serve'
    argv = [*command, "sh", "-c", serve]
    with watched(root, tmp_path / "cache", command=("-c", f"import os; os.execvp('unshare', {argv!r})")) as it:
        status = it.status()
        assert (status["health"], status["watcher"]) == ("degraded", "polling")
        assert "sysctl fs.inotify.max_user_watches=" in status["message"]
        (root / "pkg/new.py").write_text(rule("new"))
        it.until_fact("pkg/new.py", "The new value")


def test_polling_is_no_fault_where_it_was_asked_for_and_the_clients_word_is_taken(root: Path, tmp_path: Path) -> None:
    offered = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    with StrictClient(tmp_path / "cache", optional=TOLD) as client:
        client.answerers["client/registerCapability"] = lambda _: None
        client.initialize(root, capabilities=CUSTOM | offered, initializationOptions={"granum": {"watcher": "polling"}})
        it = Watched(root, tmp_path / "cache", client)
        it.until_status(health="ready", watcher="polling")
        (registered,) = [each["params"]["registrations"][0] for each in client.asked]
        assert registered["method"] == "workspace/didChangeWatchedFiles"
        assert registered["registerOptions"] == {"watchers": [{"globPattern": "**/*"}]}
        (root / "pkg").rename(root / "shop")
        changes = [{"uri": (root / name).as_uri(), "type": kind} for name, kind in (("pkg", 3), ("shop", 1))]
        client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        it.until(lambda: it.symbol_path("shop.pay.Ledger") == "shop/pay.py")
        it.until_status(watcher="polling, client")


def test_a_client_that_tells_what_is_noticed_anyway_changes_nothing(root: Path, tmp_path: Path) -> None:
    offered = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    with watched(root, tmp_path / "cache", offered) as it:
        (root / "pkg/new.py").write_text(rule("new"))
        changes = [{"uri": (root / "pkg/new.py").as_uri(), "type": 1}, {"uri": "untitled:x", "type": 2}]
        it.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        it.until_fact("pkg/new.py", "The new value")
        it.until_status(watcher="inotify")


# -- git


def test_a_branch_a_commit_and_a_detached_head_are_followed_by_their_ids(it: Watched) -> None:
    main = it.until_status(branch="main", dirty=False)
    run_git(it.root, "checkout", "-q", "-b", "feature")
    (it.root / "pkg/new.py").write_text(rule("new"))
    told = it.client.wait_for("granum/status", lambda status: status["folders"][0]["branch"] == "feature")
    assert told["folders"][0]["head"] == main["head"]
    run_git(it.root, "add", ".")
    run_git(it.root, "commit", "-q", "-m", "New")
    head = run_git(it.root, "rev-parse", "HEAD")
    it.client.wait_for("granum/status", lambda status: status["folders"][0]["head"] == head)
    it.until_fact("pkg/new.py", "The new value")
    run_git(it.root, "checkout", "-q", "--detach", "main")
    it.client.wait_for("granum/status", lambda status: status["folders"][0]["branch"] == "")
    it.until(lambda: not it.is_indexed("pkg/new.py"))
    assert it.status()["head"] == main["head"]


def test_what_a_checkout_brings_is_of_the_branch_that_it_brings(it: Watched) -> None:
    run_git(it.root, "checkout", "-q", "-b", "feature")
    (it.root / "pkg/new.py").write_text(rule("new"))
    run_git(it.root, "add", ".")
    run_git(it.root, "commit", "-q", "-m", "New")
    run_git(it.root, "checkout", "-q", "main")
    it.until_status(branch="main")
    run_git(it.root, "branch", "-q", "other", "feature")
    shutil.rmtree(it.cache / "none", ignore_errors=True)
    (it.root / "pkg/mine.py").write_text(rule("mine"))
    it.until_fact("pkg/mine.py", "The mine value")
    run_git(it.root, "checkout", "-q", "other")
    it.until_fact("pkg/new.py", "The new value")
    assert it.layers("pkg/mine.py")["document"]["provenance"]["branch"] == "main"


def test_a_file_that_is_edited_is_no_longer_of_the_mainline(it: Watched) -> None:
    assert it.layers("pkg/pay.py")["document"]["branchScope"] == "mainline"
    with (it.root / "pkg/pay.py").open("a") as file:
        file.write("\n\n" + rule("appended"))
    it.until(lambda: it.layers("pkg/pay.py")["document"]["branchScope"] == "current_branch")
    told = it.client.wait_for("granum/status", lambda status: status["folders"][0]["dirty"])
    assert told["folders"][0]["branch"] == "main"
    run_git(it.root, "checkout", "-q", "pkg/pay.py")
    it.until(lambda: it.layers("pkg/pay.py")["document"]["branchScope"] == "mainline")
    it.client.wait_for("granum/status", lambda status: not status["folders"][0]["dirty"])


def test_a_repository_that_comes_and_goes_is_noticed(root: Path, tmp_path: Path) -> None:
    shutil.rmtree(root / ".git")
    with watched(root, tmp_path / "cache") as it:
        assert it.status()["branch"] == ""
        run_git(root, "init", "-q", "-b", "trunk")
        it.client.wait_for("granum/status", lambda status: status["folders"][0]["branch"] == "trunk")
        shutil.rmtree(root / ".git")
        it.client.wait_for("granum/status", lambda status: status["folders"][0]["branch"] == "")
        assert it.layers("pkg/pay.py")["document"]["branchScope"] == "global"


def test_a_linked_work_tree_is_a_root_of_its_own_in_the_same_repository(it: Watched, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    run_git(it.root, "worktree", "add", "-q", "-b", "side", os.fspath(linked))
    with watched(linked, it.cache) as other:
        (linked / "pkg/side.py").write_text(rule("side"))
        other.until_fact("pkg/side.py", "The side value")
        assert not it.is_indexed("pkg/side.py")
        run_git(linked, "checkout", "-q", "--detach")
        other.client.wait_for("granum/status", lambda status: status["folders"][0]["branch"] == "")
        assert it.status()["branch"] == "main"
        mine, its = Path(it.status()["indexPath"]), Path(other.status()["indexPath"])
        assert mine != its
        assert mine.parents[1] == its.parents[1]


def test_a_submodule_and_a_nested_repository_are_left_to_their_own_workspaces(it: Watched, tmp_path: Path) -> None:
    library = write_workspace(tmp_path / "library")
    run_git(it.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", os.fspath(library), "lib")
    (it.root / "nested").mkdir()
    run_git(it.root / "nested", "init", "-q")
    (it.root / "nested/mod.py").write_text(rule("nested"))
    (it.root / "lib/mod.py").write_text(rule("library"))
    (it.root / "pkg/last.py").write_text(rule("last"))
    it.until_fact("pkg/last.py", "The last value")
    it.until_status()
    assert [it.is_indexed(path) for path in ("lib/pkg/pay.py", "lib/mod.py", "nested/mod.py")] == 3 * [False]
    with watched(it.root / "lib", it.cache) as inner:
        inner.until_fact("mod.py", "The library value")
        mine, its = Path(it.status()["indexPath"]), Path(inner.status()["indexPath"])
        assert mine.parents[1] != its.parents[1]


def test_a_folder_that_becomes_a_repository_is_left_and_taken_back(it: Watched) -> None:
    run_git(it.root / "pkg", "init", "-q")
    it.until(lambda: not it.is_indexed("pkg/pay.py"))
    shutil.rmtree(it.root / "pkg/.git")
    it.until(lambda: it.is_indexed("pkg/pay.py"))
