"""What kind of file a path is of, and what that is worth for an intent."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from granum.model.layers import SourceType
from granum.model.retrieval import TaskIntent

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Folders and names that tests go by in the languages' own conventions.
_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testing|testdata|test_data|fixtures?|specs?|e2e|__mocks__|benches|benchmarks?)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|conftest|tests)\.pyi?$"
    r"|_test\.go$|\.(?:test|spec|test-d)\.[cm]?[jt]sx?$|_tests?\.rs$|(?:^|/)tests\.rs$|Tests?\.(?:java|kt|cs)$"
)


class Kind(StrEnum):
    """What a file is for."""

    CODE = "code"
    TEST = "test"
    PROSE = "prose"


_EVEN = {Kind.CODE: 1.0, Kind.TEST: 1.0, Kind.PROSE: 1.0}
#: Whoever mends or changes code looks for the code itself; what tests and documents say comes after it.
_CODE_FIRST = {Kind.CODE: 1.0, Kind.TEST: 0.5, Kind.PROSE: 0.5}

PRIORS: Mapping[TaskIntent, Mapping[Kind, float]] = {
    TaskIntent.BUG_FIX: _CODE_FIRST,
    TaskIntent.TEST_FAILURE: {Kind.CODE: 1.0, Kind.TEST: 0.9, Kind.PROSE: 0.5},
    TaskIntent.REFACTOR: _CODE_FIRST,
    TaskIntent.FEATURE_IMPLEMENTATION: _CODE_FIRST,
    TaskIntent.ARCHITECTURE_REVIEW: {Kind.CODE: 0.8, Kind.TEST: 0.4, Kind.PROSE: 1.0},
    TaskIntent.CODE_EXPLANATION: {Kind.CODE: 1.0, Kind.TEST: 0.5, Kind.PROSE: 0.7},
    TaskIntent.REPOSITORY_ONBOARDING: {Kind.CODE: 0.8, Kind.TEST: 0.4, Kind.PROSE: 1.0},
    TaskIntent.WORKFLOW_QUESTION: {Kind.CODE: 0.7, Kind.TEST: 0.5, Kind.PROSE: 1.0},
    TaskIntent.DOCUMENTATION: {Kind.CODE: 0.7, Kind.TEST: 0.4, Kind.PROSE: 1.0},
    TaskIntent.TRIVIAL_EDIT: _EVEN,
    TaskIntent.UNKNOWN: {Kind.CODE: 1.0, Kind.TEST: 0.6, Kind.PROSE: 0.7},
}

_CODE_SOURCES = frozenset({SourceType.CODE_FILE, SourceType.CODE_COMMENT})


def kind_of(path: str, source_type: str) -> Kind:
    """The kind of the file at ``path``."""
    if source_type not in _CODE_SOURCES:
        return Kind.PROSE
    return Kind.TEST if _TEST.search(path) else Kind.CODE
