"""An index that is killed at very many moments, of a workspace that takes seconds to index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.test_reliability_crashes import kill_again_and_again

GRANUM = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("seed", range(3))
def test_an_index_survives_many_kills(tmp_path: Path, seed: int) -> None:
    kill_again_and_again(GRANUM / "server", tmp_path, times=12, seed=seed)
