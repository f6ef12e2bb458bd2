"""Parsed texts are kept for the next position, and no longer than they are true."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from granum.engine.syntaxes import Syntaxes

if TYPE_CHECKING:
    from pathlib import Path

LONG_AGO = (1_000_000_000, 1_000_000_000)


def _name(parsed: object, column: int = 4) -> str:
    found = parsed.identifier_at(1, column)  # type: ignore[attr-defined]
    return found.name if found else ""


def _write(file: Path, text: str, times: tuple[int, int] | None = LONG_AGO) -> Path:
    file.write_text(text)
    if times:
        os.utime(file, times)
    return file


def test_an_equal_text_is_parsed_once() -> None:
    syntaxes = Syntaxes()
    text = "def first(): pass\n"
    parsed = syntaxes.of_text("a.py", text, "python")
    assert syntaxes.of_text("a.py", "".join(text), "python") is parsed


def test_another_text_at_the_same_path_is_parsed_anew() -> None:
    syntaxes = Syntaxes()
    syntaxes.of_text("a.py", "def first(): pass\n", "python")
    assert _name(syntaxes.of_text("a.py", "def other(): pass\n", "python")) == "other"


def test_the_texts_asked_for_longest_ago_make_room() -> None:
    text = "def first(): pass\n"
    syntaxes = Syntaxes(characters=2 * len(text))
    parsed = {path: syntaxes.of_text(path, text, "python") for path in ("a.py", "b.py")}
    assert syntaxes.of_text("a.py", text, "python") is parsed["a.py"]
    syntaxes.of_text("c.py", text, "python")
    assert syntaxes.of_text("a.py", text, "python") is parsed["a.py"]
    assert syntaxes.of_text("b.py", text, "python") is not parsed["b.py"]


def test_a_text_over_the_bound_is_answered_and_not_kept() -> None:
    syntaxes = Syntaxes(characters=10)
    text = "def first(): pass\n"
    parsed = syntaxes.of_text("a.py", text, "python")
    assert _name(parsed) == "first"
    assert syntaxes.of_text("a.py", text, "python") is not parsed


def test_a_closed_file_is_read_again_when_it_changed(tmp_path: Path) -> None:
    syntaxes = Syntaxes()
    file = _write(tmp_path / "a.py", "def first(): pass\n")
    parsed = syntaxes.of_file("a.py", file, "python")
    assert syntaxes.of_file("a.py", file, "python") is parsed
    _write(file, "def other(): pass\n", (1_000_000_001, 1_000_000_001))
    assert _name(syntaxes.of_file("a.py", file, "python")) == "other"


def test_a_file_that_was_just_written_is_not_trusted_to_stay(tmp_path: Path) -> None:
    syntaxes = Syntaxes()
    file = _write(tmp_path / "a.py", "def first(): pass\n", None)
    status = file.stat()
    assert _name(syntaxes.of_file("a.py", file, "python")) == "first"
    file.write_text("def other(): pass\n")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert _name(syntaxes.of_file("a.py", file, "python")) == "other"


def test_what_cannot_be_read_has_no_names(tmp_path: Path) -> None:
    syntaxes = Syntaxes()
    assert syntaxes.of_file("gone.py", tmp_path / "gone.py", "python") is None
    binary = tmp_path / "binary.py"
    binary.write_bytes(bytes(range(256)))
    assert syntaxes.of_file("binary.py", binary, "python") is None


def test_names_in_prose_are_those_marked_as_code() -> None:
    assert _name(Syntaxes().of_text("a.md", "See `pkg.first` there\n", "markdown"), 7) == "pkg"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_a_files_place_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "a.py"
    os.mkfifo(pipe)
    assert Syntaxes().of_file("a.py", pipe, "python") is None


def test_a_file_over_the_bound_is_not_read(tmp_path: Path) -> None:
    file = _write(tmp_path / "a.py", "def first(): pass\n")
    assert Syntaxes().of_file("a.py", file, "python", largest=5) is None


def test_a_name_never_shows_a_secret() -> None:
    secret = "ghp_" + "a8Kd93jfLs02mXqPz71bVtYw64RneUcH5oGi"
    assert secret not in _name(Syntaxes().of_text("a.md", f"Use `{secret}` there\n", "markdown"), 7)
