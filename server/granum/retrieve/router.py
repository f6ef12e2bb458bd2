"""What an intent asks of the memory: which layers, in which order, expanded how, and which facts first."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from granum.model.layers import Layer, PropositionType
from granum.model.retrieval import TaskIntent

if TYPE_CHECKING:
    from granum.model.retrieval import SearchRequest


class Expansion(StrEnum):
    """What is shown in place of, or beside, a hit."""

    PARAGRAPH_EXPAND = "paragraph_expand"
    SUMMARY_OVERVIEW = "summary_overview"
    ATOMIC_ONLY = "atomic_only"


class Route(msgspec.Struct, frozen=True):
    """Where to look. ``types`` None means that all types are as welcome."""

    layers: tuple[Layer, ...]
    expansion: Expansion
    types: frozenset[PropositionType] | None = None


_PROPOSITION, _PARAGRAPH, _SUMMARY = Layer.PROPOSITION, Layer.PARAGRAPH, Layer.SUMMARY
_T = PropositionType


def _of(*types: PropositionType) -> frozenset[PropositionType]:
    return frozenset(types)


#: The whole of routing. It is a contract: tests hold each line of it.
ROUTES: dict[TaskIntent, Route] = {
    TaskIntent.BUG_FIX: Route(
        (_PROPOSITION, _PARAGRAPH), Expansion.PARAGRAPH_EXPAND, _of(_T.CONSTRAINT, _T.SECURITY_RULE, _T.RISK)
    ),
    TaskIntent.TEST_FAILURE: Route(
        (_PROPOSITION, _PARAGRAPH), Expansion.PARAGRAPH_EXPAND, _of(_T.TEST_EVIDENCE, _T.RISK, _T.CONSTRAINT)
    ),
    TaskIntent.REFACTOR: Route(
        (_PARAGRAPH, _SUMMARY), Expansion.PARAGRAPH_EXPAND, _of(_T.ARCHITECTURE, _T.DECISION, _T.CONSTRAINT)
    ),
    TaskIntent.FEATURE_IMPLEMENTATION: Route((_PARAGRAPH, _PROPOSITION, _SUMMARY), Expansion.PARAGRAPH_EXPAND),
    TaskIntent.ARCHITECTURE_REVIEW: Route(
        (_SUMMARY, _PARAGRAPH), Expansion.SUMMARY_OVERVIEW, _of(_T.ARCHITECTURE, _T.DECISION)
    ),
    TaskIntent.CODE_EXPLANATION: Route((_PARAGRAPH, _PROPOSITION), Expansion.PARAGRAPH_EXPAND),
    TaskIntent.REPOSITORY_ONBOARDING: Route(
        (_SUMMARY, _PARAGRAPH), Expansion.SUMMARY_OVERVIEW, _of(_T.ARCHITECTURE, _T.CONSTRAINT)
    ),
    TaskIntent.WORKFLOW_QUESTION: Route(
        (_PROPOSITION, _PARAGRAPH), Expansion.PARAGRAPH_EXPAND, _of(_T.PROCEDURE, _T.BEHAVIOR)
    ),
    TaskIntent.DOCUMENTATION: Route((_PARAGRAPH, _SUMMARY), Expansion.PARAGRAPH_EXPAND),
    TaskIntent.TRIVIAL_EDIT: Route((_PARAGRAPH,), Expansion.ATOMIC_ONLY),
    TaskIntent.UNKNOWN: Route((_PROPOSITION, _PARAGRAPH, _SUMMARY), Expansion.PARAGRAPH_EXPAND),
}


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A request, routed. ``layers`` are searched, in order of preference; ``notes`` tell what was not as given."""

    intent: TaskIntent
    layers: tuple[Layer, ...]
    expansion: Expansion
    welcome_types: frozenset[PropositionType] | None
    notes: tuple[str, ...]


def route(request: SearchRequest) -> Plan:
    """Chooses layers and types; the request's own override the intent's.

    The caller's types and granularity filter hard. A layer whose rows have no such thing is left out, unless the
    caller named it: who asks for risks does not want whole functions between them.
    """
    intent, notes = _intent(request.task_intent)
    chosen = ROUTES[intent]
    layers = tuple(dict.fromkeys(request.preferred_layers)) or _filtered(chosen.layers, request)
    types = chosen.types if request.proposition_types is None else frozenset(request.proposition_types)
    return Plan(intent=intent, layers=layers, expansion=chosen.expansion, welcome_types=types, notes=notes)


def _intent(given: str) -> tuple[TaskIntent, tuple[str, ...]]:
    try:
        return TaskIntent(given), ()
    except ValueError:
        shown = given if len(given) <= 40 else given[:39] + "…"
        return TaskIntent.UNKNOWN, (f"unknown task intent {shown!r}: taken as 'unknown'",)


def _filtered(layers: tuple[Layer, ...], request: SearchRequest) -> tuple[Layer, ...]:
    wanted: list[Layer] = []
    if request.proposition_types is not None:
        wanted.append(_PROPOSITION)
    if request.granularity is not None:
        wanted.append(_SUMMARY)
    if not wanted:
        return layers
    return tuple(layer for layer in layers if layer in wanted) or tuple(wanted)
