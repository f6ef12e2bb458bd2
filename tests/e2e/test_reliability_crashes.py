"""A process that is killed at any moment leaves an index that is whole, and that the next one brings up to date."""

from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.dying import MOMENTS, run_and_be_killed, run_and_die, settled_rows
from tests.fixture import parse

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")

Rows = dict[str, list[tuple[Any, ...]]]


def write_workspace(root: Path) -> Path:
    """A dozen modules and a page that refer to each other."""
    modules = "".join(
        f"""
//- /m{number:02}.py
from m{(number + 1) % 12:02} import total as other


class C{number}:
    \"\"\"Keeps {number}. It must never hold more than {number} of them.\"\"\"

    def run(self, value):
        \"\"\"Returns the value. It must be positive.\"\"\"
        if value < {number}:
            raise ValueError("value must be positive")
        return other(value)


def total(value):
    \"\"\"Returns the total of {number}.\"\"\"
    return C{number}().run(value)
"""
        for number in range(12)
    )
    parse(f"{modules}//- /README.md\n# Sums\n\n`m03.total` must never be called twice.\n").write(root)
    return root


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """What an index says that was made at once."""
    folder = tmp_path_factory.mktemp("fresh")
    return settled_rows(write_workspace(folder / "root"), folder / "index")


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_index_is_whole_and_complete_after_a_process_died(tmp_path: Path, fresh: Rows, moment: str) -> None:
    root, index_dir = write_workspace(tmp_path / "root"), tmp_path / "index"
    run_and_die(root, index_dir, moment)
    shutil.rmtree(root)
    assert settled_rows(write_workspace(root), index_dir) == fresh


#: Files enough for worker processes, links in slices and several transactions.
SOURCE = Path(__file__).resolve().parents[2] / "server" / "granum" / "extract"


def test_an_index_that_is_killed_again_and_again_is_whole_at_every_start_and_complete_in_the_end(
    tmp_path: Path,
) -> None:
    kill_again_and_again(SOURCE, tmp_path, times=3, seed=11)


def kill_again_and_again(source: Path, folder: Path, *, times: int, seed: int) -> None:
    """Each process goes on where the last one was killed, at a random moment of its first seconds."""
    noise = random.Random(seed)
    root = folder / "root"
    shutil.copytree(source, root, ignore=shutil.ignore_patterns("__pycache__"))
    for number in range(times):
        if not run_and_be_killed(root, folder / "index", noise.uniform(0.3, 3.0)):
            # it has done all: there must be more to do
            shutil.copytree(source, root / f"more{number}", ignore=shutil.ignore_patterns("__pycache__"))
    assert settled_rows(root, folder / "index") == settled_rows(root, folder / "fresh")
