"""The router's table and the classic formula, to the number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.model.layers import Granularity, Layer, PropositionType, SourceType
from granum.model.retrieval import SearchRequest, TaskIntent
from granum.retrieve.router import ROUTES, Expansion, route
from granum.retrieve.score import SOURCE_QUALITIES, WEIGHTS, Candidate, classic

P, G, S = Layer.PROPOSITION, Layer.PARAGRAPH, Layer.SUMMARY


@pytest.mark.parametrize(
    ("intent", "layers", "expansion", "types"),
    [
        ("bug_fix", (P, G), "paragraph_expand", {"constraint", "security_rule", "risk"}),
        ("test_failure", (P, G), "paragraph_expand", {"test_evidence", "risk", "constraint"}),
        ("refactor", (G, S), "paragraph_expand", {"architecture", "decision", "constraint"}),
        ("feature_implementation", (G, P, S), "paragraph_expand", None),
        ("architecture_review", (S, G), "summary_overview", {"architecture", "decision"}),
        ("code_explanation", (G, P), "paragraph_expand", None),
        ("repository_onboarding", (S, G), "summary_overview", {"architecture", "constraint"}),
        ("workflow_question", (P, G), "paragraph_expand", {"procedure", "behavior"}),
        ("documentation", (G, S), "paragraph_expand", None),
        ("trivial_edit", (G,), "atomic_only", None),
        ("unknown", (P, G, S), "paragraph_expand", None),
    ],
)
def test_each_intent_has_its_route(
    intent: str, layers: tuple[Layer, ...], expansion: str, types: set[str] | None
) -> None:
    plan = route(SearchRequest(query="x", task_intent=intent))
    assert (plan.layers, plan.expansion, plan.welcome_types) == (layers, Expansion(expansion), types)
    assert plan.notes == ()


def test_every_intent_is_routed() -> None:
    assert set(ROUTES) == set(TaskIntent)


def test_an_unknown_intent_behaves_as_unknown_and_says_so() -> None:
    plan = route(SearchRequest(query="x", task_intent="make_coffee"))
    assert plan.intent is TaskIntent.UNKNOWN
    assert plan.layers == (P, G, S)
    assert plan.notes == ("unknown task intent 'make_coffee': taken as 'unknown'",)


def test_the_callers_layers_and_types_override_the_intents() -> None:
    plan = route(SearchRequest(query="x", task_intent="bug_fix", preferred_layers=(S, Layer.CHUNK)))
    assert plan.layers == (S, Layer.CHUNK)
    plan = route(SearchRequest(query="x", task_intent="bug_fix", proposition_types=(PropositionType.DECISION,)))
    assert (plan.layers, plan.welcome_types) == ((P,), {PropositionType.DECISION})
    assert route(SearchRequest(query="x", granularity=Granularity.MODULE)).layers == (S,)


def candidate(
    row: int = 1,
    bm25: float = -1.0,
    layer: Layer = P,
    kind: PropositionType | None = PropositionType.RISK,
    source: SourceType = SourceType.CODE_FILE,
    *,
    stale: bool = False,
) -> Candidate:
    return Candidate(row, layer, bm25, kind, source, stale, "a.py", row)


def test_the_formula_to_the_number() -> None:
    plan = route(SearchRequest(query="x", task_intent="bug_fix"))
    best, other, stale = classic(
        [
            candidate(1, -4.0),
            candidate(2, -2.0, kind=PropositionType.BEHAVIOR, source=SourceType.MARKDOWN),
            candidate(3, -1.0, kind=PropositionType.BEHAVIOR, source=SourceType.RUNTIME_LOG, stale=True),
        ],
        plan,
    )
    assert best.score == pytest.approx(0.5 + 0.2 + 0.15 + 0.08 + 0.05)
    assert other.score == pytest.approx(0.5 / 3 + 0.2 + 0.0 + 0.07 + 0.05)
    assert stale.score == pytest.approx(0.0 + 0.2 + 0.0 + 0.05 + 0.0)
    assert best.breakdown == pytest.approx(
        {
            "fts_rank_normalized": 0.5,
            "layer_preference_bonus": 0.2,
            "proposition_type_bonus": 0.15,
            "source_quality": 0.08,
            "freshness_bonus": 0.05,
        }
    )


@pytest.mark.parametrize(("place", "bonus"), [(0, 1.0), (1, 0.6), (2, 0.3), (3, 0.2)])
def test_layers_are_preferred_by_place(place: int, bonus: float) -> None:
    layers = (G, S, Layer.CHUNK, P)
    plan = route(SearchRequest(query="x", preferred_layers=layers))
    scored = classic([candidate(layer=layers[place], kind=None)], plan)[0]
    assert scored.breakdown["layer_preference_bonus"] == pytest.approx(0.2 * bonus)


def test_a_layer_outside_the_preferred_ones_gets_a_fifth() -> None:
    plan = route(SearchRequest(query="x", preferred_layers=(G,)))
    assert classic([candidate(layer=S, kind=None)], plan)[0].breakdown["layer_preference_bonus"] == pytest.approx(0.04)


def test_ranks_are_relative_within_each_layer() -> None:
    plan = route(SearchRequest(query="x"))
    scored = classic([candidate(1, -9.0), candidate(2, -3.0), candidate(3, -0.1, G, None)], plan)
    ranks = {s.candidate.id: s.breakdown["fts_rank_normalized"] / 0.5 for s in scored}
    assert ranks == pytest.approx({1: 1.0, 2: 0.0, 3: 1.0})


def test_one_hit_and_a_tie_count_fully() -> None:
    plan = route(SearchRequest(query="x"))
    assert classic([candidate()], plan)[0].breakdown["fts_rank_normalized"] == 0.5
    assert {s.breakdown["fts_rank_normalized"] for s in classic([candidate(1), candidate(2)], plan)} == {0.5}


def test_no_filter_and_no_type_are_neutral() -> None:
    plan = route(SearchRequest(query="x"))
    assert classic([candidate()], plan)[0].breakdown["proposition_type_bonus"] == pytest.approx(0.075)
    bugs = route(SearchRequest(query="x", task_intent="bug_fix"))
    paragraph = classic([candidate(layer=G, kind=None)], bugs)[0]
    assert paragraph.breakdown["proposition_type_bonus"] == pytest.approx(0.075)


def test_every_source_type_has_a_quality_and_the_weights_sum_to_one() -> None:
    assert set(SOURCE_QUALITIES) == set(SourceType)
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


_CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(1, 50),
        st.floats(-50, 0, allow_nan=False),
        st.sampled_from(list(Layer)),
        st.none() | st.sampled_from(list(PropositionType)),
        st.sampled_from(list(SourceType)),
        stale=st.booleans(),
    ),
    max_size=30,
    unique_by=lambda c: (c.layer, c.id),
)


@given(candidates=_CANDIDATES, intent=st.sampled_from(list(TaskIntent)))
def test_terms_sum_to_the_score_and_order_is_stable(candidates: list[Candidate], intent: TaskIntent) -> None:
    plan = route(SearchRequest(query="x", task_intent=intent))
    scored = classic(candidates, plan)
    assert all(s.score == pytest.approx(sum(s.breakdown.values())) and 0 <= s.score <= 1 for s in scored)
    assert [s.score for s in scored] == sorted((s.score for s in scored), reverse=True)
    assert [s.candidate for s in classic(candidates[::-1], plan)] == [s.candidate for s in scored]


@given(ranks=st.lists(st.floats(-50, 0, allow_nan=False), min_size=2, max_size=30, unique=True))
def test_alike_rows_keep_the_order_of_bm25(ranks: list[float]) -> None:
    scored = classic([candidate(i, rank) for i, rank in enumerate(ranks)], route(SearchRequest(query="x")))
    terms = [s.breakdown["fts_rank_normalized"] for s in sorted(scored, key=lambda s: s.candidate.bm25)]
    assert terms == sorted(terms, reverse=True)
    assert (terms[0], terms[-1]) == (0.5, 0.0)
