"""The command line as a process: exit codes, what goes to which stream, and the short way for the server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from granum.cli.exits import UsageError
from granum.cli.serve import ServeOptions, loopback, parse


def granum(cwd: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "GRANUM_CACHE_DIR": str(cwd / ".granum-test-cache"), **environment}
    return subprocess.run(
        [sys.executable, "-m", "granum", *words],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_help_names_every_command_and_exits_0(tmp_path: Path) -> None:
    done = granum(tmp_path, "--help")
    assert done.returncode == 0
    assert all(
        name in done.stdout for name in ("serve", "index", "facts", "search", "layers", "status", "doctor", "tour")
    )


def test_help_of_the_server_is_still_shown(tmp_path: Path) -> None:
    done = granum(tmp_path, "serve", "--help")
    assert done.returncode == 0
    assert "--tcp" in done.stdout


@pytest.mark.parametrize(
    "words", [("nonsense",), ("facts",), ("facts", "x", "--nonsense"), ("facts", "x", "--type", "no")]
)
def test_wrong_usage_is_one_line_on_stderr_and_exits_2(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = granum(tmp_path, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("granum: ")
    assert "--help" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failure_is_json_where_json_was_asked_for(tmp_path: Path) -> None:
    done = granum(tmp_path, "index", "missing", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["exit_code"] == 2
    assert "missing" in json.loads(done.stdout)["error"]["message"]


def test_a_missing_folder_and_a_file_are_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    assert "there is no folder nowhere" in granum(tmp_path, "index", "nowhere").stderr
    done = granum(tmp_path, "index", "a.py")
    assert done.returncode == 2
    assert "a.py is a file" in done.stderr


def test_the_version_is_printed(tmp_path: Path) -> None:
    assert granum(tmp_path, "--version").stdout.strip() == "0.1.0"


def test_an_unexpected_fault_is_one_line_and_its_trace_is_in_a_file(tmp_path: Path) -> None:
    script = (
        "import sys; from granum.cli.failures import guarded\n"
        "def fault(): raise KeyError('inner')\n"
        "sys.exit(guarded(fault, sys.argv[1:]))"
    )
    env = {**os.environ, "GRANUM_CACHE_DIR": str(tmp_path / "cache")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script, *words]
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)

    quiet = run("index")
    assert quiet.returncode == 4
    assert "unexpected fault: KeyError: 'inner'" in quiet.stderr
    assert "Traceback" not in quiet.stderr
    assert "Traceback" in (tmp_path / "cache" / "cli.log").read_text()
    assert "Traceback" in run("index", "--debug").stderr


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    script = (
        "import sys; from granum.cli.failures import guarded\n"
        "def talk():\n"
        "    for _ in range(100000): sys.stdout.write('x' * 100 + chr(10))\n"
        "    return 0\n"
        "sys.exit(guarded(talk, []))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(60) == 141
    assert process.stderr.read() == b""
    process.stderr.close()


def test_an_interrupted_command_exits_130_without_a_trace(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys; from granum.cli.failures import guarded\n"
        "def wait(): os.kill(os.getpid(), signal.SIGINT); input()\n"
        "sys.exit(guarded(wait, []))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 130
    assert done.stderr == ""


def test_a_server_without_a_client_ends_by_itself(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    for stdin in (Path(os.devnull), empty):
        with stdin.open("rb") as stream:
            done = subprocess.run(
                [sys.executable, "-m", "granum", "serve"], stdin=stream, capture_output=True, timeout=60, check=False
            )
        assert done.returncode in (0, 1)
        assert done.stdout == b""
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("words", [[], ["--stdio"], ["--clientProcessId=42"], ["--clientProcessId", "42", "--stdio"]])
def test_what_editors_add_to_serve_is_taken(words: list[str]) -> None:
    assert parse(words) == ServeOptions()


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--unknown"], ["path"]])
def test_anything_else_after_serve_goes_to_the_full_parser(words: list[str]) -> None:
    assert parse(words) is None


@pytest.mark.parametrize(
    ("text", "address"),
    [("127.0.0.1:7777", ("127.0.0.1", 7777)), ("localhost:0", ("localhost", 0)), ("[::1]:80", ("::1", 80))],
)
def test_loopback_addresses_are_served(text: str, address: tuple[str, int]) -> None:
    assert loopback(text) == address


@pytest.mark.parametrize(
    "text", ["", "7777", ":7777", "0.0.0.0:1", "example.org:1", "192.168.1.2:1", "localhost:99999"]
)
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--tcp"):
        loopback(text)


def test_the_servers_start_imports_no_parser_and_no_terminal_library() -> None:
    script = (
        "import sys, granum.cli, granum.cli.serve, granum.cli.failures\n"
        "print([name for name in ('cyclopts', 'rich', 'pygls') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
