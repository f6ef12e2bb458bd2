"""docs/cli.md against the program: every command and option of --help stands there, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from granum.cli.commands import COMMANDS
from granum.cli.exits import Exit

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
EVERYWHERE = {"--help", "--version"}


def options_of_help(command: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "granum", command, "--help"],
        env={**os.environ, "COLUMNS": "160", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    boxes = done.stdout.split("Examples:")[0]
    return {match for line in boxes.split("\n") if line.startswith("│") for match in OPTION.findall(line[:30])}


def options_of_page(command: str) -> set[str]:
    section = PAGE.split(f"## granum {command}", 1)[1].split("\n## ", 1)[0]
    own = {
        match for line in section.split("\n") if line.startswith("| `") for match in OPTION.findall(line.split("|")[1])
    }
    return own | {option for option, commands in shared_options().items() if command in commands}


def shared_options() -> dict[str, set[str]]:
    rows = PAGE.split("## Shared options", 1)[1].split("\n## ", 1)[0]
    shared: dict[str, set[str]] = {}
    for line in rows.split("\n"):
        if line.startswith("| `--"):
            _, option, commands, *_ = line.split("|")
            named = set(re.findall(r"`(\w+)`", commands))
            everyone = {name for name in COMMANDS if name != "serve"}
            shared[OPTION.findall(option)[0]] = everyone if "all" in commands else named
    return shared


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_described_where_it_belongs(command: str) -> None:
    assert options_of_page(command) == options_of_help(command) - EVERYWHERE


def test_each_command_has_a_section_and_each_section_a_command() -> None:
    assert re.findall(r"^## granum (\w+)", PAGE, re.MULTILINE) == list(COMMANDS)


def test_each_exit_code_is_described() -> None:
    table = PAGE.split("## Exit codes", 1)[1].split("\n## ", 1)[0]
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)] == [int(code) for code in Exit]


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"], ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
