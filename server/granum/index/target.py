"""The document whose rows are being worked out, and where its writes go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from granum.index.changes import Changes, Sequences
    from granum.index.vocabulary import Vocabulary


@dataclass(slots=True)
class Tally:
    """Counts of rows of paragraphs and propositions by what happened to them."""

    added: int = 0
    updated: int = 0
    stale: int = 0
    revived: int = 0


@dataclass(slots=True, frozen=True, kw_only=True)
class Target:
    """One document in one batch. ``now`` is in seconds since the epoch."""

    document_id: int
    version_id: int
    path: str
    module: str
    now: float
    changes: Changes
    sequences: Sequences
    vocabulary: Vocabulary
    tally: Tally = field(default_factory=Tally)
