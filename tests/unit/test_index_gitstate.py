"""The state of real repositories."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from granum.index import gitdir
from granum.index.gitstate import changed_paths, read
from tests.repositories import isolate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    isolate(monkeypatch)


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


def commit(root: Path, **files: str) -> str:
    for name, text in files.items():
        (root / f"{name}.py").write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "change")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def test_a_clean_repository_on_its_default_branch(root: Path) -> None:
    head = commit(root, a="1")
    state = read(root)
    assert state is not None
    assert (state.branch, state.head, state.dirty) == ("main", head, False)
    assert (state.default_branch, state.merge_base, state.upstream) == ("main", head, False)
    assert (state.worktree_id, state.common_dir) == ("main", str(root / ".git"))


def test_a_branch_knows_where_it_left_the_default_branch(root: Path) -> None:
    base = commit(root, a="1", b="1")
    git(root, "checkout", "-q", "-b", "feature/x")
    head = commit(root, a="2")
    git(root, "checkout", "-q", "main")
    commit(root, b="2")
    git(root, "checkout", "-q", "feature/x")
    state = read(root)
    assert state is not None
    assert (state.branch, state.head, state.merge_base) == ("feature/x", head, base)
    assert changed_paths(root, state.merge_base) == {"a.py"}


def test_changed_paths_are_edits_deletions_and_new_files_but_not_ignored_ones(root: Path) -> None:
    base = commit(root, a="1", b="1", c="1")
    (root / ".gitignore").write_text("ignored.py\n")
    (root / "a.py").write_text("2")
    (root / "b.py").unlink()
    (root / "ignored.py").write_text("")
    (root / "new é.py").write_text("")
    assert changed_paths(root, base) == {"a.py", "b.py", ".gitignore", "new é.py"}


def test_changed_paths_are_relative_to_a_root_inside_the_work_tree(root: Path) -> None:
    (root / "sub").mkdir()
    base = commit(root, a="1", **{"sub/b": "1"})
    (root / "a.py").write_text("2")
    (root / "sub" / "b.py").write_text("2")
    (root / "sub" / "new.py").write_text("")
    assert changed_paths(root / "sub", base) == {"b.py", "new.py"}


def test_edits_to_tracked_files_make_it_dirty_and_new_files_do_not(root: Path) -> None:
    commit(root, a="1")
    (root / "new.py").write_text("")
    clean = read(root)
    (root / "a.py").write_text("2")
    dirty = read(root)
    assert clean is not None
    assert dirty is not None
    assert (clean.dirty, dirty.dirty) == (False, True)


def test_an_unborn_branch_has_no_commit(root: Path) -> None:
    state = read(root)
    assert state is not None
    assert (state.branch, state.head, state.merge_base, state.default_branch) == ("main", "", "", "")


def test_a_detached_head_has_no_branch(root: Path) -> None:
    head = commit(root, a="1")
    git(root, "checkout", "-q", "--detach")
    state = read(root)
    assert state is not None
    assert (state.branch, state.head, state.merge_base) == ("", head, head)


def test_packed_refs_are_read(root: Path) -> None:
    head = commit(root, a="1")
    git(root, "gc", "-q")
    assert not (root / ".git" / "refs" / "heads" / "main").exists()
    state = read(root)
    assert state is not None
    assert (state.branch, state.head) == ("main", head)


def test_a_linked_work_tree_shares_the_common_directory(tmp_path: Path, root: Path) -> None:
    commit(root, a="1")
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    state = read(tmp_path / "side")
    assert state is not None
    assert (state.branch, state.worktree_id) == ("side", "side")
    assert state.common_dir == str(root / ".git")


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path, root: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "trunk")
    head = commit(other, x="1")
    commit(root, a="1")
    git(root, "submodule", "--quiet", "add", str(other), "module")
    state = read(root / "module")
    assert state is not None
    assert (state.head, state.default_branch) == (head, "trunk")
    assert state.common_dir == str(root / ".git" / "modules" / "module")


def test_the_remote_tells_the_default_branch_and_upstream(tmp_path: Path, root: Path) -> None:
    base = commit(root, a="1")
    git(root, "branch", "-m", "release-1.0")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    state = read(clone)
    assert state is not None
    assert (state.default_branch, state.upstream, state.merge_base) == ("release-1.0", True, base)


def test_the_merge_base_is_the_nearest_when_the_local_default_branch_is_behind(tmp_path: Path, root: Path) -> None:
    commit(root, a="1")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    base = commit(root, a="2")
    git(clone, "fetch", "-q")
    git(clone, "checkout", "-q", "--no-track", "-b", "feature", "origin/main")
    commit(clone, b="1")
    state = read(clone)
    assert state is not None
    assert (state.merge_base, state.upstream) == (base, False)


def test_outside_a_repository_there_is_no_state(tmp_path: Path) -> None:
    assert read(tmp_path) is None
    assert changed_paths(tmp_path, "0" * 40) == frozenset()


def test_without_git_there_is_no_state(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(root, a="1")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read(root) is None
    assert changed_paths(root, "abcd") == frozenset()


def test_a_broken_repository_has_no_state(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("nonsense")
    assert read(tmp_path) is None


@pytest.mark.parametrize("base", ["--output=x", "main", "HEAD", "", "-", "abc", "refs/heads/a b", "refs/x\n"])
def test_only_commit_ids_and_full_ref_names_are_taken_for_revisions(root: Path, base: str) -> None:
    with pytest.raises(ValueError, match="revision"):
        changed_paths(root, base)


def test_the_index_is_never_locked_or_refreshed(root: Path) -> None:
    commit(root, a="1")
    os.utime(root / "a.py", (1, 1))
    before = (root / ".git" / "index").stat()
    read(root)
    after = (root / ".git" / "index").stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_no_program_that_the_repository_names_is_run(root: Path) -> None:
    commit(root, a="1")
    script = root / "evil.sh"
    script.write_text("#!/bin/sh\ntouch ran\n")
    script.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(script))
    git(root, "config", "diff.external", str(script))
    (root / "a.py").write_text("2")
    state = read(root)
    assert state is not None
    changed_paths(root, state.head)
    assert not (root / "ran").exists()


def test_a_repository_named_by_the_environment_is_not_ours(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = commit(root, a="1")
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "-b", "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    state = read(root)
    assert state is not None
    assert (state.branch, state.head) == ("main", head)


def test_the_repository_is_found_from_a_folder_below(root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / ".git").mkdir()  # empty: git does not take it for a repository
    found = gitdir.find(root / "a" / "b")
    assert found is not None
    assert (found.work_tree, found.worktree_name) == (root, "main")
