"""What a caller asks of the memory, and what it gets back ranked."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from granum.model.answers import BranchScope
from granum.model.layers import Freshness, Granularity, Layer, PropositionType


class TaskIntent(StrEnum):
    """What the caller is about to do; it routes the search. Unknown strings behave as ``unknown``."""

    BUG_FIX = "bug_fix"
    TEST_FAILURE = "test_failure"
    REFACTOR = "refactor"
    FEATURE_IMPLEMENTATION = "feature_implementation"
    ARCHITECTURE_REVIEW = "architecture_review"
    CODE_EXPLANATION = "code_explanation"
    REPOSITORY_ONBOARDING = "repository_onboarding"
    WORKFLOW_QUESTION = "workflow_question"
    DOCUMENTATION = "documentation"
    TRIVIAL_EDIT = "trivial_edit"
    UNKNOWN = "unknown"


class Profile(StrEnum):
    """How hits are scored: by what all layers tell of a place, or by the plain sum of five bonuses."""

    DEFAULT = "default"
    CLASSIC = "classic"


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A plain ranked search. Empty ``preferred_layers`` and ``proposition_types`` mean the intent's own."""

    query: str
    task_intent: str = TaskIntent.UNKNOWN
    preferred_layers: tuple[Layer, ...] = ()
    proposition_types: tuple[PropositionType, ...] | None = None
    granularity: Granularity | None = None
    path_glob: str = ""
    branch_scope: BranchScope | None = None
    include_stale: bool = False
    profile: Profile = Profile.DEFAULT
    limit: int = 20
    offset: int = 0


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One ranked result. ``score_breakdown`` holds the weighted terms, which sum to ``score``."""

    id: int
    layer: Layer
    content: str
    score: float
    score_breakdown: dict[str, float]
    path: str
    start_line: int
    end_line: int
    symbol: str
    content_sha256: str
    commit: str
    freshness: Freshness
    type: PropositionType | None = None
    confidence: float | None = None
    granularity: Granularity | None = None
    is_stale: bool = False


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Hits, best first. ``intent`` is the one used; ``notes`` tell of anything that was not taken as given."""

    hits: tuple[Hit, ...]
    total: int
    intent: TaskIntent
    freshness: Freshness
    notes: tuple[str, ...] = ()
