"""What a tour found and measured: the JSON of ``granum tour``."""

from __future__ import annotations

import msgspec

from granum.model.layers import PropositionType


class TourFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact before and after the edit; a line of 0 means that it was, or is, not there."""

    id: int
    text: str
    type: PropositionType
    line_before: int
    line_after: int
    superseded_by: int | None = None


class TourTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Measured lengths of time, in seconds; None for what did not happen."""

    copy: float
    start: float
    index: float
    first_hover: float | None = None
    hover: float | None = None
    hover_at_call: float | None = None
    save_to_reindexed: float | None = None
    save_to_visible: float | None = None
    stop: float | None = None


class TourRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by layer after the first index."""

    files: int
    summaries: int
    chunks: int
    paragraphs: int
    propositions: int
    symbols: int
    references: int


class TourReport(msgspec.Struct, frozen=True, kw_only=True):
    """One tour. ``symbol`` is empty where no symbol has facts; ``section`` then names the prose shown instead."""

    workspace: str
    files_copied: int
    files_left_out: int
    rows: TourRows
    problems: int
    seconds: TourTimes
    symbol: str = ""
    section: str = ""
    path: str = ""
    hover: str = ""
    kept: tuple[TourFact, ...] = ()
    stale: tuple[TourFact, ...] = ()
    new: tuple[TourFact, ...] = ()
