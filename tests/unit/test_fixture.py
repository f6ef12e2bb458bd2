"""The fixture mini-language itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fixture import Cursor, parse

if TYPE_CHECKING:
    from pathlib import Path


def test_files_keep_their_text_and_the_cursor_is_removed() -> None:
    fixture = parse("""
        //- /pkg/a.py
        def f():
            return g$0()
        //- /docs/x.md
        # Title
    """)
    assert fixture.files == {"pkg/a.py": "def f():\n    return g()\n", "docs/x.md": "# Title\n"}
    assert fixture.cursor == Cursor("pkg/a.py", 2, 12)


def test_empty_files_are_possible(tmp_path: Path) -> None:
    root = parse("//- /pkg/__init__.py\n//- /pkg/a.py\nx = 1\n").write(tmp_path)
    assert (root / "pkg/__init__.py").read_bytes() == b""
    assert (root / "pkg/a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(
    "text", ["stray\n//- /a.py\n", "//- /a.py\n//- /a.py\n", "//- /a.py\n$0$0\n", "//- /a.py\n$0\n//- /b.py\n$0\n"]
)
def test_mistakes_in_a_fixture_are_told(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)
