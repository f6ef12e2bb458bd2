"""docs/languages.md against the language folders and the table of suffixes."""

from __future__ import annotations

import re
from pathlib import Path

from granum.extract import language_of
from granum.extract.language import suffixes

PAGE = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\w+) \| (.*?) \| .* \|$", PAGE.split("\n## ", 1)[0], re.MULTILINE)
DESCRIBED = {name: set(re.findall(r"`(\.\w+)`", files)) for name, files in ROWS if name != "language"}


def test_each_language_folder_is_described_with_its_suffixes() -> None:
    folders: dict[str, set[str]] = {}
    for suffix, name in suffixes().items():
        folders.setdefault(name, set()).add(suffix)
    assert {name: DESCRIBED.get(name) for name in folders} == folders


def test_each_described_suffix_is_read_as_that_language() -> None:
    assert {(suffix, name) for name, files in DESCRIBED.items() for suffix in files} == {
        (suffix, language_of(f"file{suffix}")) for files in DESCRIBED.values() for suffix in files
    }
