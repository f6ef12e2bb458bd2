"""Where an index lies, and its generations."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from granum.index import location
from granum.model.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def isolated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GRANUM_CACHE_DIR", raising=False)


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, timeout=60)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


def where(root: Path, cache: Path, settings: Settings | None = None) -> Path:
    return location.index_path(root, settings or Settings(), cache, schema=3, extractor=7)


def test_the_repository_id_is_made_once_and_kept_in_the_common_directory(repository: Path) -> None:
    first = location.repository_id(repository)
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert (repository / ".git" / "granum-id").read_text() == first
    assert location.repository_id(repository) == first


def test_the_repository_id_survives_a_move(repository: Path) -> None:
    first = location.repository_id(repository)
    assert location.repository_id(repository.rename(repository.parent / "moved")) == first


def test_work_trees_share_the_repository_and_not_the_index(tmp_path: Path, repository: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "side"))
    main, side = where(repository, tmp_path), where(tmp_path / "side", tmp_path)
    assert main.parent.parent == side.parent.parent
    assert main.parent.name.startswith("main-")
    assert side.parent.name.startswith("side-")


def test_work_trees_share_the_extraction_cache(tmp_path: Path, repository: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "side"))
    main = location.extraction_cache_path(repository, Settings(), tmp_path)
    assert main == location.extraction_cache_path(tmp_path / "side", Settings(), tmp_path)
    assert main.parent == where(repository, tmp_path).parent.parent


def test_the_extraction_cache_lies_in_the_folder_that_the_settings_name(tmp_path: Path, repository: Path) -> None:
    within = location.extraction_cache_path(repository, Settings(index_path=".granum"), tmp_path)
    assert within == where(repository, tmp_path, Settings(index_path=".granum")).with_name("extractions.db")
    elsewhere = Settings(index_path=str(tmp_path / "chosen"))
    assert location.extraction_cache_path(repository, elsewhere) == tmp_path / "chosen" / "extractions.db"


def test_a_copied_repository_has_an_index_of_its_own(tmp_path: Path, repository: Path) -> None:
    location.repository_id(repository)
    shutil.copytree(repository, tmp_path / "copy")
    assert location.repository_id(tmp_path / "copy") == location.repository_id(repository)
    assert where(tmp_path / "copy", tmp_path) != where(repository, tmp_path)


def test_two_roots_in_one_work_tree_have_two_indexes(tmp_path: Path, repository: Path) -> None:
    (repository / "a").mkdir()
    assert where(repository / "a", tmp_path) != where(repository, tmp_path)


def test_outside_git_the_id_follows_the_real_path(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "plain")
    assert location.repository_id(tmp_path / "plain") == location.repository_id(tmp_path / "link")
    assert list((tmp_path / "plain").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="a folder stands in the file's place")
@pytest.mark.parametrize("content", ["not an id", None])
def test_a_place_that_cannot_hold_the_id_falls_back_to_the_path(repository: Path, content: str | None) -> None:
    file = repository / ".git" / "granum-id"
    if content is None:
        file.mkdir()
    else:
        file.write_text(content)
    first = location.repository_id(repository)
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert location.repository_id(repository) == first


def test_many_that_start_at_once_agree_on_the_id(repository: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(location.repository_id, [repository] * 32))
    assert ids == {(repository / ".git" / "granum-id").read_text()}


def test_the_file_names_carry_schema_and_extractor(tmp_path: Path, repository: Path) -> None:
    assert where(repository, tmp_path).name == "index-3-7.db"


def test_the_cache_folder_can_be_chosen(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANUM_CACHE_DIR", str(tmp_path / "cache"))
    path = location.index_path(repository, Settings(), schema=1, extractor=1)
    assert path.is_relative_to(tmp_path / "cache" / location.repository_id(repository))


def test_the_setting_replaces_the_folder(tmp_path: Path, repository: Path) -> None:
    near = where(repository, tmp_path, Settings(index_path=".granum"))
    far = where(repository, tmp_path, Settings(index_path=str(tmp_path / "far")))
    assert near == repository / ".granum" / "index-3-7.db"
    assert far == tmp_path / "far" / location.worktree_id(repository) / "index-3-7.db"


def test_generations_count_up_and_the_highest_is_current(tmp_path: Path) -> None:
    path = tmp_path / "index-1-2.db"
    assert location.generations(path) == ()
    assert location.current_generation(path) == path
    assert location.next_generation(path) == path
    path.touch()
    assert location.next_generation(path) == tmp_path / "index-1-2.1.db"
    for number in (1, 2, 10):
        (tmp_path / f"index-1-2.{number}.db").touch()
    (tmp_path / "index-1-2.db-wal").touch()
    (tmp_path / "index-1-20.db").touch()
    (tmp_path / "index-1-2.old.db").touch()
    names = [generation.name for generation in location.generations(path)]
    assert names == ["index-1-2.db", "index-1-2.1.db", "index-1-2.2.db", "index-1-2.10.db"]
    assert location.current_generation(path).name == "index-1-2.10.db"
    assert location.next_generation(path).name == "index-1-2.11.db"
