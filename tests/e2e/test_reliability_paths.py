"""Names, links, ignore rules and files that change their kind, through a real server."""

from __future__ import annotations

import os
import shutil
import unicodedata
from typing import TYPE_CHECKING

import pytest

from tests.e2e.served import MARKDOWN, REFUSED, Served, served
from tests.e2e.workspace import run_git

if TYPE_CHECKING:
    from pathlib import Path

POSIX = os.name == "posix"
#: The function in each file -> the file's name.
NAMES = {
    "spaces": "a b/c d.py",
    "percent": "100%/50%25.py",
    "hash_sign": "a#b.py",
    "composed": unicodedata.normalize("NFC", "é.py"),
    "decomposed": unicodedata.normalize("NFD", "ö.py"),
    "emoji": "😀.py",
    "plus": "a+b,c;d.py",
    "brackets": "[x](y).py",
    "dash": "-rf.py",
    "dots": "...py.py",
} | ({"question": "a?b&c=d.py", "backslash": "a\\b.py", "newline": "a\nb.py", "colon": "c:d.py"} if POSIX else {})


def function(name: str) -> str:
    return f'def {name}(v):\n    """Doc. The {name} value must never be negative."""\n    return v\n'


def write(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def reindex(it: Served, *paths: str) -> None:
    it.client.request("granum/reindex", {"paths": [it.document(path)["textDocument"]["uri"] for path in paths] or None})


def test_every_name_is_found_shown_and_opened_again(tmp_path: Path) -> None:
    root = tmp_path / "w #%20 ü"
    for name, path in NAMES.items():
        write(root, path, function(name))
    with served(root, tmp_path / "cache", MARKDOWN) as it:
        for name, path in NAMES.items():
            assert f"The {name} value" in str(it.hover(path)), path
            found = it.client.request("granum/symbol", {"fqn": name})["symbol"]
            assert found["location"]["uri"] == it.document(path)["textDocument"]["uri"]
            assert it.layers(path)["path"] == path
        for spelled in (unicodedata.normalize("NFD", "é.py"), unicodedata.normalize("NFC", "ö.py")):
            assert it.hover(spelled) is not None
        encoded = it.document("a b/c d.py")["textDocument"]["uri"].replace("d.py", "%64.py")
        where = {"textDocument": {"uri": encoded}, "position": {"line": 0, "character": 5}}
        assert it.client.request("textDocument/hover", where) is not None


@pytest.mark.skipif(not POSIX, reason="needs symbolic links")
def test_links_inside_are_one_file_and_links_out_are_refused_whenever_they_are_made(tmp_path: Path) -> None:
    root = tmp_path / "root"
    inner = write(root, "inner/t.py", function("kept"))
    outside = write(tmp_path / "outside", "secret.py", function("outside"))
    (root / "alias.py").symlink_to(inner)
    (root / "folder").symlink_to(inner.parent)
    (root / "loop").symlink_to(root)
    (root / "self.py").symlink_to("self.py")
    (root / "out.py").symlink_to(outside)
    (root / "out").symlink_to(outside.parent)
    with served(root, tmp_path / "cache", MARKDOWN) as it:
        for path in ("inner/t.py", "alias.py", "folder/t.py", "loop/loop/inner/t.py"):
            assert "The kept value" in str(it.hover(path))
            assert it.layers(path)["path"] == "inner/t.py"
        assert it.client.request("granum/symbol", {"fqn": "kept"})["candidates"] == []
        for path in ("out.py", "out/secret.py", "../outside/secret.py"):
            assert it.hover(path) is None
            assert it.layers(path) == REFUSED
            assert it.ask("granum/reindex", {"paths": [it.document(path)["textDocument"]["uri"]]}) == REFUSED
            it.open(path, function("outside"))
            assert it.hover(path) is None
        assert it.symbol_path("outside") is None
        uri = it.document("inner/t.py")  # asked for before the link is there
        inner.unlink()
        inner.symlink_to(outside)
        assert it.client.request("textDocument/hover", {**uri, "position": {"line": 0, "character": 5}}) is None
        assert it.ask("granum/layers", uri) == REFUSED
        assert it.client.request("granum/facts", {"fqn": "kept"})["freshness"] == "STALE"
        reindex(it)
        assert (it.symbol_path("kept"), it.symbol_path("outside")) == (None, None)


def test_a_file_becomes_a_folder_and_a_file_again(tmp_path: Path) -> None:
    root = tmp_path / "root"
    place = write(root, "a.py", function("flat"))
    with served(root, tmp_path / "cache", MARKDOWN) as it:
        place.unlink()
        write(root, "a.py/b.py", function("nested"))
        reindex(it)
        assert (it.symbol_path("flat"), it.symbol_path("nested")) == (None, "a.py/b.py")
        shutil.rmtree(place)
        place.write_text(function("flat"))
        reindex(it, "a.py")
        assert (it.symbol_path("flat"), it.symbol_path("nested")) == ("a.py", None)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_holds_up_nobody(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    os.mkfifo(root / "pipe.py")
    with served(root, tmp_path / "cache") as it:
        assert [it.hover("pipe.py") for _ in range(20)] == [None] * 20


IGNORING = {
    ".gitignore": "build/\n*.gen.py\n/top.py\n",
    "sub/.gitignore": "!kept.gen.py\nlocal.py\n",
    ".granumignore": "private/\n!build/\n",
    ".git/info/exclude": "excluded.py\n",
}
LISTED = {
    "top.py": False,
    "sub/top.py": True,
    "a.gen.py": False,
    "sub/kept.gen.py": True,
    "sub/local.py": False,
    "local.py": True,
    "private/p.py": False,
    "build/b.py": True,
    "excluded.py": False,
    "node_modules/n.py": False,
    ".venv/v.py": False,
    "env/pyvenv.cfg": False,
    "env/e.py": False,
    ".env": False,
    "nested/n.py": False,
}


def test_what_is_ignored_is_neither_indexed_nor_taken_when_it_is_saved(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    run_git(root, "init", "-q")
    for path, text in IGNORING.items():
        write(root, path, text)
    for path in LISTED:
        write(root, path, function("f_" + "".join(filter(str.isalnum, path))))
    run_git(root / "nested", "init", "-q")
    with served(root, tmp_path / "cache") as it:
        for again in (False, True):
            if again:
                for path in LISTED:
                    it.open(path, function("saved"))
                    it.client.notify("textDocument/didSave", it.document(path))
                reindex(it, *LISTED)
            indexed = {path: it.layers(path)["document"] is not None for path in LISTED}
            assert indexed == LISTED
