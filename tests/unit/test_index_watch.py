"""Changes on a real file system, as a watcher tells of them."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from granum.index.policy import Policy
from granum.index.watch import Presence, Root, gathering
from granum.index.watch.filesystem import type_of
from granum.index.watch.filter import Filter
from granum.index.watch.inotify import InotifySource
from granum.index.watch.native import NativeSource
from granum.index.watch.notices import Notices, Source, least
from granum.index.watch.repository import Repository
from granum.index.watch.watcher import MOST_PATHS
from granum.model.settings import Settings
from tests.heard import WATCHDOG, Heard, watching
from tests.repositories import isolate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is of Linux")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    write(folder / "pkg/mod.py", "x = 1\n")
    write(folder / "README.md", "# Root\n")
    return folder


def write(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def told_only(heard: Heard, root: Path, *paths: str) -> None:
    """Exactly these paths are told: what was done after them is, and nothing else was before it."""
    write(root / "last.md", "the end")
    heard.until(lambda h: "last.md" in h.paths)
    assert heard.paths - {"last.md"} == set(paths)
    assert heard.reasons == []
    heard.forget()


# -- files and folders


def test_files_that_come_change_and_go_are_told(root: Path) -> None:
    with watching(root) as (heard, watcher):
        assert watcher.kind == "inotify"
        write(root / "pkg/mod.py", "x = 2\n")
        told_only(heard, root, "pkg/mod.py")
        write(root / "pkg/new.py")
        told_only(heard, root, "pkg/new.py")
        (root / "pkg/new.py").unlink()
        told_only(heard, root, "pkg/new.py")


def test_a_file_renamed_over_another_as_editors_save_is_told(root: Path) -> None:
    with watching(root) as (heard, _):
        write(root / "pkg/.mod.py.tmp", "x = 3\n")
        (root / "pkg/.mod.py.tmp").rename(root / "pkg/mod.py")
        told_only(heard, root, "pkg/mod.py")


def test_a_file_that_becomes_readable_is_told(root: Path) -> None:
    with watching(root) as (heard, _):
        (root / "pkg/mod.py").chmod(0o000)
        (root / "pkg/mod.py").chmod(0o644)
        told_only(heard, root, "pkg/mod.py")


def test_a_new_folder_is_told_with_what_is_in_it_by_then_and_watched_from_then_on(root: Path) -> None:
    with watching(root) as (heard, _):
        for turn in range(20):  # each round is another chance to lose the race
            deep = root / f"new{turn}/a/b"
            write(deep / "early.py", "x = 1\n")
            heard.until(lambda h, turn=turn: covered(h, f"new{turn}/a/b/early.py"))  # type: ignore[misc]
            heard.forget()
            write(deep / "late.py", "x = 1\n")
            heard.until(lambda h, turn=turn: covered(h, f"new{turn}/a/b/late.py"))  # type: ignore[misc]
            heard.forget()


def covered(heard: Heard, path: str) -> bool:
    """Whether a file was told, or a folder above it."""
    parts = path.split("/")
    return any("/".join(parts[:end]) in heard.paths for end in range(1, len(parts) + 1))


def test_a_moved_folder_is_told_by_both_names_and_watched_at_its_new_one_only(root: Path) -> None:
    with watching(root) as (heard, watcher):
        before = watches(watcher)
        (root / "pkg").rename(root / "moved")
        told_only(heard, root, "moved", "pkg")
        assert watches(watcher) == before
        write(root / "moved/mod.py", "x = 2\n")
        told_only(heard, root, "moved/mod.py")
        write(root / "pkg/other.py")
        told_only(heard, root, "pkg")


def watches(watcher: object) -> int:
    source = watcher._source  # type: ignore[attr-defined]
    assert isinstance(source, InotifySource)
    return source.watches


def test_folders_that_move_out_and_in_are_told(root: Path, tmp_path: Path) -> None:
    with watching(root) as (heard, watcher):
        before = watches(watcher)
        (root / "pkg").rename(tmp_path / "outside")
        told_only(heard, root, "pkg")
        assert watches(watcher) == before - 1
        write(tmp_path / "outside/mod.py", "x = 2\n")
        told_only(heard, root)
        (tmp_path / "outside").rename(root / "inside")
        told_only(heard, root, "inside")
        write(root / "inside/mod.py", "x = 3\n")
        told_only(heard, root, "inside/mod.py")


def test_a_deleted_folder_is_told_once_and_its_watches_go_with_it(root: Path) -> None:
    write(root / "old/a/b/c.py")
    write(root / "old/a/d.py")
    with watching(root) as (heard, watcher):
        before = watches(watcher)
        shutil.rmtree(root / "old")
        told_only(heard, root, "old")
        assert watches(watcher) == before - 3


def test_names_that_are_no_unicode_have_their_folder_told(root: Path) -> None:
    with watching(root) as (heard, _):
        write(Path(os.fsdecode(os.fsencode(root / "pkg") + b"/bad\xff.py")))
        told_only(heard, root, "pkg")


# -- the filter


def test_what_the_indexer_leaves_out_takes_no_watch_and_is_not_told(root: Path) -> None:
    write(root / ".gitignore", "build/\n*.gen.py\n")
    for folder in ("node_modules/lib/deep", "build/lib", ".venv/lib", "pkg/__pycache__", "generated/x", "nested/inner"):
        write(root / folder / "mod.py")
    subprocess.run(["git", "init", "-q", root / "nested"], check=True)
    with watching(root, exclude=["generated/"]) as (heard, watcher):
        # the root, pkg, and the nested repository and the environment, which may stop to be such
        assert watches(watcher) == 4
        for folder in ("node_modules/lib/deep", "build/lib", ".venv/lib", "pkg/__pycache__", "generated/x", "nested"):
            write(root / folder / "mod.py", "x = 2\n")
            write(root / folder / "new/mod.py", "x = 2\n")
        write(root / "pkg/a.gen.py")
        write(root / "pkg/picture.png")
        write(root / ".env", "KEY=1")
        told_only(heard, root)


def test_an_ignore_file_that_changes_changes_what_is_watched(root: Path) -> None:
    write(root / "data/deep/mod.py")
    with watching(root) as (heard, watcher):
        before = watches(watcher)
        write(root / ".gitignore", "data/\n")
        told_only(heard, root, ".gitignore")
        assert watches(watcher) == before - 2
        write(root / "data/deep/mod.py", "x = 2\n")
        told_only(heard, root)
        (root / ".gitignore").unlink()
        told_only(heard, root, ".gitignore")
        assert watches(watcher) == before
        write(root / "data/deep/mod.py", "x = 3\n")
        told_only(heard, root, "data/deep/mod.py")


def test_a_folder_in_anothers_place_is_judged_by_its_own_rules(root: Path) -> None:
    write(root / "pkg/.gitignore", "*.md\n")
    with watching(root) as (heard, _):
        (root / "pkg").rename(root / "other")
        write(root / "pkg/notes.md", "# Notes\n")
        told_only(heard, root, "pkg", "other")
        write(root / "pkg/notes.md", "# Other notes\n")
        write(root / "other/notes.md", "# Other notes\n")
        told_only(heard, root, "pkg/notes.md")


def test_a_folder_that_becomes_a_repository_or_an_environment_is_left_and_taken_back(root: Path) -> None:
    write(root / "pkg/deep/mod.py")
    with watching(root) as (heard, _):
        subprocess.run(["git", "init", "-q", root / "pkg"], check=True)
        told_only(heard, root, "pkg")
        write(root / "pkg/deep/mod.py", "x = 2\n")
        told_only(heard, root)
        shutil.rmtree(root / "pkg/.git")
        told_only(heard, root, "pkg")
        write(root / "pkg/deep/mod.py", "x = 3\n")
        told_only(heard, root, "pkg/deep/mod.py")
        write(root / "pkg/pyvenv.cfg")
        told_only(heard, root, "pkg")
        write(root / "pkg/deep/mod.py", "x = 4\n")
        told_only(heard, root)


def test_new_settings_change_what_is_watched(root: Path) -> None:
    with watching(root, exclude=["pkg/"]) as (heard, watcher):
        write(root / "pkg/mod.py", "x = 2\n")
        told_only(heard, root)
        watcher.set_policy(Policy.load(root, Settings(exclude=("last.md",))))
        heard.until(lambda h: h.paths == {""})
        heard.forget()
        write(root / "pkg/mod.py", "x = 3\n")
        write(root / "last.md")
        write(root / "end.md")
        heard.until(lambda h: h.paths == {"pkg/mod.py", "end.md"})


# -- storms


def test_a_burst_is_told_in_few_deliveries(root: Path) -> None:
    with watching(root) as (heard, _):
        for turn in range(500):
            write(root / "pkg/mod.py", f"x = {turn}\n")
        write(root / "last.md")
        heard.until(lambda h: "last.md" in h.paths)
        assert len(heard.deliveries) < 50


def test_a_steady_stream_of_saves_holds_nothing_back(root: Path) -> None:
    ended = threading.Event()

    def save() -> None:
        turn = 0
        # without a bound on the gathering, a pause shorter than the quiet would never end it
        while not ended.wait(0.002):
            turn += 1
            write(root / "pkg/mod.py", f"x = {turn}\n")

    with watching(root) as (heard, _):
        saving = threading.Thread(target=save)
        saving.start()
        try:
            heard.until(lambda h: len(h.deliveries) >= 5)
        finally:
            ended.set()
            saving.join()


def test_more_paths_than_are_looked_at_one_by_one_are_told_as_everything(root: Path) -> None:
    stop, go = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        stop.set()
        go.wait(WATCHDOG)

    with watching(root) as (heard, _):
        heard.on_paths = wait
        write(root / "pkg/mod.py", "x = 2\n")
        assert stop.wait(WATCHDOG)
        for turn in range(MOST_PATHS + 1):
            (root / f"pkg/f{turn}.py").symlink_to("mod.py")
        go.set()
        heard.until(lambda h: any("More files changed" in reason for reason in h.reasons))


def test_an_overflown_queue_is_told_and_what_was_missed_is_watched(root: Path) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if most > 1 << 17:
        pytest.skip("this machine's queue is too long to be filled here")
    stop, go = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        stop.set()
        go.wait(WATCHDOG)

    with watching(root) as (heard, _):
        heard.on_paths = wait
        write(root / "pkg/mod.py", "x = 2\n")
        assert stop.wait(WATCHDOG)
        twin = [root / "pkg/a.py", root / "pkg/b.py"]
        write(twin[0])
        for turn in range(most):  # a rename is two events that never count as one
            twin[turn % 2].rename(twin[1 - turn % 2])
        write(root / "unseen/mod.py")
        go.set()
        heard.until(lambda h: any("dropped" in reason for reason in h.reasons))
        heard.forget()
        write(root / "unseen/mod.py", "x = 2\n")
        heard.until(lambda h: "unseen/mod.py" in h.paths)


# -- limits


@pytest.fixture
def namespace() -> list[str]:
    """The start of a command that runs in a user namespace of its own, where limits may be set and disks mounted."""
    command = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], check=False).returncode:
        pytest.skip("this machine lets nobody make user namespaces")
    return command


class Child:
    """A watcher in a process of its own."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()

    def until(self, predicate: Callable[[list[str]], object]) -> None:
        with self._news:
            assert self._news.wait_for(lambda: predicate(self.lines), WATCHDOG), self.lines

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(WATCHDOG)
        self._reader.join()
        assert self.process.stdout is not None
        self.process.stdout.close()


def child(script: str, root: Path, namespace: list[str]) -> Child:
    return Child([*namespace, "sh", "-c", script, "sh", os.fspath(root), sys.executable])


HEARD = Path(__file__).parents[1] / "heard.py"
WATCH = f'exec "$2" {HEARD} "$1"'


@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_a_used_up_limit_is_told_with_its_remedy_and_polling_takes_over(
    root: Path, namespace: list[str], limit: str
) -> None:
    write(root / "a/b/c/mod.py")
    least_that_fails = 3 if limit == "max_inotify_watches" else 0
    watcher = child(f"echo {least_that_fails} > /proc/sys/user/{limit}; {WATCH}", root, namespace)
    try:
        watcher.until(lambda lines: "ready polling" in lines)
        (health,) = [line for line in watcher.lines if line.startswith("health")]
        assert f"sudo sysctl fs.inotify.{limit.replace('inotify_', 'user_')}=" in health
        write(root / "a/b/c/mod.py", "x = 2\n")
        watcher.until(lambda lines: "paths a/b/c/mod.py" in lines)
    finally:
        watcher.close()


def test_a_limit_reached_later_is_told_and_polling_takes_over(root: Path, namespace: list[str]) -> None:
    watcher = child(f"echo 4 > /proc/sys/user/max_inotify_watches; {WATCH}", root, namespace)
    try:
        watcher.until(lambda lines: "ready inotify" in lines)
        write(root / "a/b/c/d/mod.py")
        watcher.until(lambda lines: any("max_user_watches" in line for line in lines))
        assert any(line.startswith("everything") for line in watcher.lines)
        write(root / "a/b/c/d/mod.py", "x = 2\n")
        watcher.until(lambda lines: "paths a/b/c/d/mod.py" in lines)
    finally:
        watcher.close()


def test_a_disk_that_is_unmounted_has_nothing_told_as_deleted_and_is_read_again_when_it_is_back(
    tmp_path: Path, namespace: list[str]
) -> None:
    disk, root = tmp_path / "disk", tmp_path / "mounted"
    write(disk / "pkg/mod.py")
    root.mkdir()
    steps = 'read line; umount -l "$1"; read line; mount --bind "$1/../disk" "$1"; read line'
    script = f'mount --bind "$1/../disk" "$1"; {{ {steps}; }} | "$2" {HEARD} "$1"'
    # the steps read this process's lines, and their end ends the watcher
    watcher = child(script, root, namespace)
    try:
        watcher.until(lambda lines: "ready inotify" in lines)
        watcher.say("unmount")
        watcher.until(lambda lines: any("unmounted" in line for line in lines))
        watcher.say("mount")
        watcher.until(lambda lines: lines[-1] == "health ")
        assert [line.split()[0] for line in watcher.lines] == ["ready", "health", "head", "everything", "health"]
    finally:
        watcher.close()


# -- the root


def test_a_root_that_is_moved_away_is_told_and_read_again_when_it_is_back(root: Path, tmp_path: Path) -> None:
    with watching(root) as (heard, watcher):
        root.rename(tmp_path / "away")
        heard.until(lambda h: h.health)
        assert "gone" in heard.health[0]
        assert watcher.kind == ""
        write(tmp_path / "away/pkg/new.py")
        (tmp_path / "away").rename(root)
        heard.until(lambda h: h.health[-1] == "")
        assert len(heard.reasons) == 1
        assert heard.paths == set()
        heard.forget()
        told_only(heard, root)


def test_a_root_that_is_deleted_and_made_again_is_watched_again(root: Path) -> None:
    with watching(root) as (heard, _):
        shutil.rmtree(root)
        heard.until(lambda h: h.health)
        write(root / "pkg/mod.py", "x = 2\n")
        heard.until(lambda h: h.health[-1] == "")
        assert len(heard.reasons) == 1
        heard.forget()
        write(root / "pkg/mod.py", "x = 3\n")
        told_only(heard, root, "pkg/mod.py")


def test_a_root_whose_parent_is_moved_away_is_missed_too(root: Path, tmp_path: Path) -> None:
    inner = root / "pkg"
    with watching(inner) as (heard, _):
        root.rename(tmp_path / "away")
        heard.until(lambda h: h.health)
        assert "gone" in heard.health[0]


def test_another_folder_in_the_roots_place_is_read_and_watched(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "other/pkg/mod.py", "x = 5\n")
    with watching(root) as (heard, _):
        root.rename(tmp_path / "away")
        (tmp_path / "other").rename(root)
        heard.until(lambda h: h.reasons)
        heard.forget()
        write(root / "pkg/mod.py", "x = 6\n")
        told_only(heard, root, "pkg/mod.py")


def test_an_empty_folder_in_the_roots_place_counts_as_none_until_something_is_in_it(root: Path, tmp_path: Path) -> None:
    with watching(root) as (heard, _):
        root.rename(tmp_path / "away")
        root.mkdir()
        heard.until(lambda h: h.health and "empty" in h.health[-1])
        assert heard.reasons == []
        write(root / "mod.py")
        heard.until(lambda h: h.health[-1] == "")
        assert len(heard.reasons) == 1


def test_a_roots_presence_is_told_by_its_identity(root: Path, tmp_path: Path) -> None:
    known = Root(root)
    assert known.presence() is Presence.HERE
    root.rename(tmp_path / "away")
    assert (known.presence(), known.is_here()) == (Presence.GONE, False)
    root.symlink_to(tmp_path / "away")
    assert known.presence() is Presence.GONE
    root.unlink()
    root.mkdir()
    assert (known.presence(), known.is_here()) == (Presence.EMPTY, False)
    write(root / "a.py")
    assert known.presence() is Presence.REPLACED
    known.adopt()
    assert (known.presence(), known.is_here()) == (Presence.HERE, True)


# -- polling


def test_polling_tells_the_same(root: Path) -> None:
    write(root / ".gitignore", "build/\n")
    write(root / "build/mod.py")
    with watching(root, polling=True) as (heard, watcher):
        assert (watcher.kind, heard.health) == ("polling", [])
        write(root / "pkg/mod.py", "x = 22\n")
        write(root / "new/mod.py")
        write(root / "build/mod.py", "x = 2\n")
        (root / "README.md").unlink()
        told_only(heard, root, "README.md", "new", "pkg/mod.py")
        (root / "pkg").rename(root / "moved")
        told_only(heard, root, "moved", "pkg")
        (root / ".gitignore").unlink()
        told_only(heard, root, ".gitignore", "build")


def test_polling_tells_of_git_and_of_its_rules(root: Path) -> None:
    with watching(root, polling=True) as (heard, _):
        git(root, "init", "-q", "-b", "main")
        heard.until(lambda h: h.git)
        heard.forget()
        commit(root)
        heard.until(lambda h: h.git)
        heard.forget()
        write(root / ".git/info/exclude", "pkg/\n")
        heard.until(lambda h: "" in h.paths)


def test_polling_takes_nothing_for_gone_that_it_may_not_see_just_now(root: Path, namespace: list[str]) -> None:
    write(root / "hidden/deep/mod.py")
    # who owns the files, but is not root over them
    watcher = Child([namespace[0], "--user", sys.executable, os.fspath(HEARD), os.fspath(root), "--polling"])
    try:
        watcher.until(lambda lines: "ready polling" in lines)
        (root / "hidden").chmod(0o000)
        write(root / "README.md", "# Other\n")
        watcher.until(lambda lines: "paths README.md" in lines)
        (root / "hidden").chmod(0o755)
        write(root / "hidden/deep/mod.py", "x = 22\n")
        watcher.until(lambda lines: lines[-1] == "paths hidden/deep/mod.py")
        assert len(watcher.lines) == 3
    finally:
        watcher.close()


def test_a_look_takes_a_small_share_of_the_time(root: Path) -> None:
    from granum.index.watch.polling import LONGEST, SHORTEST, PollingSource

    chosen = Filter(Policy.load(root, Settings()))
    source = PollingSource(root, chosen, Repository(root))
    before = time.monotonic()
    source.begin()
    took = time.monotonic() - before
    interval = source._due - time.monotonic()
    assert interval <= max(SHORTEST, min(LONGEST, 20 * took))
    assert interval > 0


# -- git


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, timeout=60)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "change")


@pytest.fixture
def repository(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    commit(root)
    return root


@pytest.mark.parametrize(
    "arguments",
    [
        ("commit", "-q", "--allow-empty", "-m", "another"),
        ("checkout", "-q", "-b", "feature/deep/name"),
        ("checkout", "-q", "--detach"),
        ("branch", "other"),
        ("pack-refs", "--all"),
        ("update-ref", "refs/remotes/origin/main", "HEAD"),
        ("add", "staged.md"),
        ("config", "branch.main.remote", "origin"),
    ],
)
def test_what_git_does_is_told(repository: Path, arguments: tuple[str, ...]) -> None:
    write(repository / "staged.md")
    with watching(repository) as (heard, _):
        git(repository, *arguments)
        heard.until(lambda h: h.git)


def test_a_commit_on_a_branch_in_a_folder_that_was_new_is_told(repository: Path) -> None:
    with watching(repository) as (heard, _):
        git(repository, "update-ref", "refs/heads/team/first", "HEAD")
        heard.until(lambda h: h.git)
        write(repository / "last.md")
        heard.until(lambda h: h.paths)
        heard.forget()
        git(repository, "update-ref", "refs/heads/team/second", "HEAD")
        heard.until(lambda h: h.git)


def test_locks_and_objects_are_no_news(repository: Path) -> None:
    with watching(repository) as (heard, _):
        write(repository / ".git/index.lock")
        (repository / ".git/index.lock").unlink()
        write(repository / ".git/refs/heads/main.lock")
        (repository / ".git/refs/heads/main.lock").unlink()
        write(repository / ".git/objects/ab/cdef")
        write(repository / ".git/COMMIT_EDITMSG", "message")
        told_only(heard, repository)
        assert heard.git == 0


def test_a_repository_that_comes_and_goes_is_told_and_its_rules_with_it(root: Path) -> None:
    with watching(root) as (heard, _):
        git(root, "init", "-q", "-b", "main")
        heard.until(lambda h: h.git and "" in h.paths)
        heard.forget()
        commit(root)
        heard.until(lambda h: h.git)
        heard.forget()
        shutil.rmtree(root / ".git")
        heard.until(lambda h: h.git and "" in h.paths)
        heard.forget()
        git(root, "init", "-q", "-b", "main")
        heard.until(lambda h: h.git)
        heard.forget()
        commit(root)
        heard.until(lambda h: h.git)


def test_a_linked_work_tree_hears_of_its_own_and_of_common_files(repository: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(repository, "worktree", "add", "-q", "-b", "side", os.fspath(linked))
    with watching(linked) as (heard, _):
        git(linked, "checkout", "-q", "--detach")
        heard.until(lambda h: h.git)
        write(linked / "last.md")
        heard.until(lambda h: h.paths)
        heard.forget()
        git(repository, "branch", "news")
        heard.until(lambda h: h.git)


def test_rules_of_the_repository_outside_of_the_root_are_followed(repository: Path) -> None:
    inner = repository / "pkg"
    with watching(inner) as (heard, _):
        write(repository / ".gitignore", "*.md\n")
        heard.until(lambda h: "" in h.paths)
        heard.forget()
        write(inner / "ignored.md")
        write(inner / "last.py")
        heard.until(lambda h: "last.py" in h.paths)
        assert "ignored.md" not in heard.paths
        write(repository / ".git/info/exclude", "*.py\n")
        heard.until(lambda h: "" in h.paths)
        heard.forget()
        git(inner, "commit", "-q", "--allow-empty", "-m", "from a folder inside")
        heard.until(lambda h: h.git)


def test_what_git_checks_out_is_told_once_it_is_done_and_after_the_head(repository: Path) -> None:
    write(repository / ".gitattributes", "slow.py filter=slow\n")
    for name in ("a", "slow", "z"):
        write(repository / f"pkg/{name}.py", "x = 1\n")
    commit(repository)
    git(repository, "checkout", "-q", "-b", "other")
    for name in ("a", "slow", "z"):
        write(repository / f"pkg/{name}.py", "x = 2\n")
    commit(repository)
    # a filter that takes longer than changes are gathered
    git(repository, "config", "filter.slow.smudge", "sleep 0.3; cat")
    with watching(repository) as (heard, _):
        git(repository, "checkout", "-q", "main")
        heard.until(lambda h: h.deliveries)
        assert heard.deliveries == [["pkg/a.py", "pkg/slow.py", "pkg/z.py"]]
        assert heard.log == ["head", "paths"]


def test_a_lock_that_git_left_behind_holds_changes_up_once(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "GIT_SECONDS", 0.1)
    write(repository / ".git/index.lock")
    with watching(repository) as (heard, _):
        write(repository / "pkg/mod.py", "x = 2\n")
        heard.until(lambda h: h.deliveries == [["pkg/mod.py"]])
        monkeypatch.setattr(gathering, "GIT_SECONDS", 10 * WATCHDOG)
        write(repository / "pkg/mod.py", "x = 3\n")
        heard.until(lambda h: h.deliveries == 2 * [["pkg/mod.py"]])


# -- watchdog's side, by the one observer of its that this system has


@pytest.fixture
def native(repository: Path) -> Iterator[Source]:
    source = NativeSource(repository, Filter(Policy.load(repository, Settings())), Repository(repository))
    source.begin()
    yield source
    source.close()


def noticed(source: Source, enough: Callable[[Notices], object]) -> Notices:
    notices = Notices()
    deadline = time.monotonic() + WATCHDOG
    while not enough(notices):
        assert time.monotonic() < deadline, notices.paths
        source.read(gathering.LONGEST_SECONDS, notices)
    source.settle(notices)
    return notices


def test_the_systems_recursive_watch_is_filtered_and_spelled_alike(native: Source, repository: Path) -> None:
    write(repository / "node_modules/lib.py")
    (repository / "pkg").rename(repository / "moved")
    write(repository / "moved/mod.py", "x = 2\n")
    notices = noticed(native, lambda n: "moved/mod.py" in n.paths)
    assert least(notices.paths) == ["moved", "pkg"]
    assert not notices.lost


def test_the_systems_recursive_watch_tells_of_git_rules_and_the_root(native: Source, repository: Path) -> None:
    commit(repository)
    assert noticed(native, lambda n: n.git).git
    write(repository / ".gitignore", "pkg/\n")
    assert noticed(native, lambda n: n.rules).paths == {".gitignore"}
    write(repository / "pkg/mod.py", "x = 2\n")
    write(repository / "last.md")
    assert "pkg/mod.py" not in noticed(native, lambda n: "last.md" in n.paths).paths
    shutil.rmtree(repository)
    assert noticed(native, lambda n: n.root).root


def test_a_flood_of_the_systems_recursive_watch_counts_as_a_loss(native: Source, repository: Path) -> None:
    for turn in range(300):
        write(repository / f"pkg/f{turn}.py")
    assert noticed(native, lambda n: len(n.paths) >= 300).lost


# -- pure parts


SOME_PATHS = ["", *("/".join(parts) for depth in (1, 2, 3) for parts in itertools.product(("a", "ab"), repeat=depth))]


@given(st.sets(st.sampled_from(SOME_PATHS)))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_least_paths_cover_all_and_none_twice(paths: set[str]) -> None:
    kept = least(paths)

    def is_below(path: str, other: str) -> bool:
        return path != other and (other == "" or path.startswith(f"{other}/"))

    assert set(kept) <= paths
    assert all(path in kept or any(is_below(path, other) for other in kept) for path in paths)
    assert not any(is_below(path, other) for path in kept for other in kept)


def test_the_type_of_a_file_system_is_that_of_the_innermost_mount() -> None:
    mounts = [
        "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
        "35 21 0:40 / /home/ada/my\\040share rw - nfs4 server:/export rw",
        "36 21 0:41 / /home/ada/other rw - cifs //server/x rw",
        "37 36 0:42 / /home/ada/other rw - tmpfs tmpfs rw",
        "broken",
    ]
    assert type_of("/home/ada/my share/project", mounts) == "nfs4"
    assert type_of("/home/ada/my", mounts) == "ext4"
    assert type_of("/home/ada/other", mounts) == "tmpfs"
