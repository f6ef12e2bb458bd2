"""The small workspace of the end-to-end tests, and ways to name places in it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

from tests.fixture import parse

if TYPE_CHECKING:
    from pathlib import Path

LEDGER = parse(
    '''
    //- /pkg/__init__.py
    //- /pkg/pay.py
    """Payments of the shop."""


    class Ledger:
        """Keeps entries. Entries must never be deleted."""

        def post(self, amount):
            """Adds an entry. The amount must be a positive number of cents."""
            if amount <= 0:
                raise ValueError("amount must be positive")
            return amount


    def plain(value):
        """Returns the value."""
        return value
    //- /pkg/danger.py
    def danger(value):
        if not value:
            raise ValueError("no <b>bold</b> [x](command:quit)")
    //- /pkg/use.py
    from pkg.pay import Ledger, plain


    def run():
        ledger = Ledger()
        名 = plain(1); ledger.post(3)
    //- /tests/test_pay.py
    from pkg.pay import Ledger


    def test_post_returns_the_amount():
        assert Ledger().post(3) == 3
    //- /docs/adr.md
    # Append-only

    We decided that `Ledger.post` only ever appends, because audits need every entry.
    '''
)


def write_workspace(root: Path, git: bool = True) -> Path:
    """Writes the workspace, as a git repository with one commit unless told otherwise."""
    root.mkdir(parents=True, exist_ok=True)
    LEDGER.write(root)
    if git:
        run_git(root, "init", "-q", "-b", "main")
        run_git(root, "add", ".")
        run_git(root, "commit", "-q", "-m", "Begin")
    return root


def run_git(root: Path, *arguments: str) -> str:
    """Runs git with an identity and a configuration of its own."""
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def place(root: Path, path: str, needle: str, *, into: int = 0, encoding: str = "utf-16") -> dict[str, Any]:
    """A position request's params: ``into`` characters into the first place of ``needle``."""
    text = (root / path).read_text()
    before = text[: text.index(needle) + into]
    line = before.rpartition("\n")[2]
    units = {"utf-8": len(line.encode()), "utf-16": len(line.encode("utf-16-le")) // 2, "utf-32": len(line)}[encoding]
    return {
        "textDocument": {"uri": (root / path).as_uri()},
        "position": {"line": before.count("\n"), "character": units},
    }


def opened(root: Path, path: str, language: str = "python") -> dict[str, Any]:
    """``textDocument/didOpen`` with the disk's text."""
    text = (root / path).read_text()
    uri = (root / path).as_uri()
    return {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}}
