"""Which file a path means."""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING

import pytest

from granum.index.paths import absolute, display, is_case_sensitive, real_root, relative
from granum.model.errors import NotInWorkspaceError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work space"
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "a.py").write_text("")
    return real_root(folder)


@pytest.mark.parametrize("path", ["pkg/a.py", "pkg/../pkg/./a.py", "pkg//a.py"])
def test_a_path_is_relative_posix_and_without_detours(root: Path, path: str) -> None:
    assert relative(root, root / path) == "pkg/a.py"
    assert relative(root, path) == "pkg/a.py"


@pytest.mark.parametrize("name", ["a b.py", "100%.py", "a#b.py", "q?.py", "größe.py", "日本.md", "a%20b.py"])
def test_odd_names_are_kept_as_they_are(root: Path, name: str) -> None:
    (root / name).write_text("")
    assert relative(root, root / name) == name


def test_the_root_itself_is_the_empty_path(root: Path) -> None:
    assert relative(root, root) == ""


def test_a_file_that_does_not_exist_still_has_a_path(root: Path) -> None:
    assert relative(root, root / "gone" / "b.py") == "gone/b.py"


def test_a_link_inside_the_root_is_its_target(root: Path) -> None:
    (root / "alias").symlink_to(root / "pkg")
    (root / "b.py").symlink_to("pkg/a.py")
    assert relative(root, root / "alias" / "a.py") == "pkg/a.py"
    assert relative(root, root / "b.py") == "pkg/a.py"
    assert absolute(root, "b.py") == root / "pkg" / "a.py"


def test_the_root_is_known_by_its_real_path(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    assert real_root(tmp_path / "link") == root
    assert relative(root, tmp_path / "link" / "pkg" / "a.py") == "pkg/a.py"


@pytest.mark.parametrize("path", ["../other.py", "/etc/hosts", "pkg/../../x", "x\0y", ""])
def test_a_path_outside_of_the_root_is_refused(root: Path, path: str) -> None:
    if path == "":
        path = os.fspath(root) + "-twin/a.py"
    with pytest.raises(NotInWorkspaceError):
        relative(root, path)


def test_a_link_that_leads_out_of_the_root_is_refused_at_index_and_at_read(tmp_path: Path, root: Path) -> None:
    (tmp_path / "secret.py").write_text("")
    (root / "out.py").symlink_to(tmp_path / "secret.py")
    (root / "up").symlink_to(tmp_path)
    for path in ("out.py", "up/secret.py"):
        with pytest.raises(NotInWorkspaceError):
            relative(root, root / path)
        with pytest.raises(NotInWorkspaceError):
            absolute(root, path)


def test_links_in_a_circle_do_not_hang(root: Path) -> None:
    (root / "x").symlink_to(root / "y")
    (root / "y").symlink_to(root / "x")
    assert relative(root, root / "x") in {"x", "y"}


@pytest.mark.parametrize(("stored", "asked"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_composed_and_a_decomposed_name_are_one_file(root: Path, stored: str, asked: str) -> None:
    name = "Crème/brûlée.md"
    on_disk = unicodedata.normalize(stored, name)
    (root / on_disk).parent.mkdir()
    (root / on_disk).write_text("")
    assert relative(root, root / unicodedata.normalize(asked, name)) == on_disk


def test_the_exact_name_wins_over_another_spelling(root: Path) -> None:
    composed, decomposed = unicodedata.normalize("NFC", "é.md"), unicodedata.normalize("NFD", "é.md")
    (root / composed).write_text("1")
    (root / decomposed).write_text("2")
    assert relative(root, root / composed) == composed
    assert relative(root, root / decomposed) == decomposed


def test_a_name_that_is_not_unicode_is_refused_and_can_be_shown(root: Path) -> None:
    path = os.fsdecode(b"caf\xe9.py")
    with pytest.raises(NotInWorkspaceError, match="not valid Unicode"):
        relative(root, root / path)
    assert display(path) == "caf\\xe9.py"


def test_case_is_told_apart_where_the_file_system_does(root: Path) -> None:
    (root / "PROBE").write_text("")
    assert is_case_sensitive(root) == (not (root / "probe").exists())
    if is_case_sensitive(root):
        assert relative(root, root / "PKG" / "a.py") == "PKG/a.py"


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotInWorkspaceError):
        real_root(tmp_path / "missing")
