"""What a writer works by, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import msgspec

from granum.index.policy import Policy
from granum.index.store import Origin
from granum.model.answers import DocumentChange
from granum.model.settings import RetentionSettings


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a writer works by. ``root`` is a real path, ``workers`` 0 for as many as suit the machine.

    ``extraction_cache`` is that cache's file; without one, nothing is kept.
    """

    root: Path
    policy: Policy
    extractor_version: int
    max_file_size: int = 1024 * 1024
    workers: int = 0
    retention: Callable[[], RetentionSettings] = RetentionSettings
    extraction_cache: Path | None = None
    origin: Callable[[], Origin] = Origin
    is_here: Callable[[], bool] = lambda: True  # whether the root is there, so that what is missing in it is gone
    linker: Callable[[apsw.Connection, Sequence[int]], None] | None = None
    on_change: Callable[[Sequence[DocumentChange]], None] | None = None
    on_progress: Callable[[int, int], None] | None = None
    on_idle: Callable[[], None] | None = None  # called with the writer's lock held: it may only set a flag
    on_damage: Callable[[str], None] | None = None


class WriterStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The writer's state. ``degraded`` tells in words why it cannot do its work, or is empty.

    ``files_done`` and ``files_total`` count since it was last idle; ``indexed_at`` is the time of the last commit.
    """

    queue_length: int
    files_done: int
    files_total: int
    indexed_at: float | None
    running: bool
    degraded: str
