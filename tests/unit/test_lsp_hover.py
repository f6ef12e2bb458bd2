"""Which facts a hover shows, over a real index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from granum.engine import Workspace
from granum.lsp.features.hover import worth_showing
from tests.fixture import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEDGER = """
//- /ledger.py
class LedgerError(Exception):
    \"\"\"The books do not balance.

    Callers must not retry after it.
    \"\"\"


def post(amount):
    \"\"\"Posts an amount.\"\"\"
    if not amount:
        raise LedgerError("nothing to post")
//- /docs/ledger.md
# Ledger

After a `LedgerError` the ledger must be reopened.
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "root"
    root.mkdir()
    parse(LEDGER).write(root)
    workspace = Workspace.open(root, index_dir=tmp_path / "index")
    workspace.reindex()
    yield workspace
    workspace.close()


def test_an_exception_shows_its_rules_and_what_documents_say_but_not_who_raises_it(workspace: Workspace) -> None:
    shown = worth_showing(workspace.facts_of("LedgerError"))
    assert [(fact.path, fact.text) for fact in shown] == [
        ("ledger.py", "Callers must not retry after it."),
        ("docs/ledger.md", "After a LedgerError the ledger must be reopened."),
    ]


def test_a_function_shows_its_failures_but_not_what_its_doc_comment_merely_tells(workspace: Workspace) -> None:
    shown = worth_showing(workspace.facts_of("post"))
    assert [fact.text for fact in shown] == ["Raises LedgerError: nothing to post when not amount"]
