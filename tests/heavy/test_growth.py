"""A long history of saves: the index stays as small as its bounds, and as true as one made from nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from granum.index.jobs import Cause, Job
from tests.bench.history import History
from tests.bench.workspaces import indexable, located, spread
from tests.index_rows import WATCHDOG, indexing

if TYPE_CHECKING:
    from pathlib import Path

FILES, SAVES, VERSIONS = 40, 2_000, 5


def test_thousands_of_saves_leave_a_small_and_true_index(tmp_path: Path) -> None:
    workspace, root = located(None), tmp_path / "root"
    paths = spread([file for file in indexable(workspace) if 0 < file[1] < 30_000], FILES)
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(workspace / path, root / path)
    with indexing(root, tmp_path / "old.db") as index:
        index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
        index.settle()
        size = index.query("PRAGMA page_count")[0][0]
        history = History(root, paths, seed=7)
        for number in range(SAVES):
            for path in history.step():
                index.writer.submit(Job(cause=Cause.SAVED, path=path)).result(WATCHDOG)
            if number % 50 == 0:
                index.tidy(versions=VERSIONS)
        index.tidy(versions=VERSIONS)
        changes = (
            "SELECT document_id, count(*) FROM (SELECT document_id, stale_since FROM paragraph_row WHERE is_stale"
            " UNION SELECT document_id, stale_since FROM proposition_row WHERE is_stale) GROUP BY document_id"
        )
        assert all(count <= VERSIONS for _, count in index.query(changes))
        assert index.query("PRAGMA page_count")[0][0] < 4 * size
        with indexing(root, tmp_path / "new.db") as new:
            new.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
            new.settle()
            assert index.rows() == new.rows()
