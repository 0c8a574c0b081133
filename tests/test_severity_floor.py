"""A finding of a model counts from the severity on that the policy wants of it; the rules' are not held to that."""

from __future__ import annotations

import pytest
from conftest import Repo
from test_endings import CLAIM, Scripted, Words, asks, draft, drafts, question, run, site, stands

from review_agent.engines.messages import system
from review_agent.policy.load import load
from review_agent.vocabulary import AmendPayload, ChangeKind, EngineRole, Severity

__all__ = ["site"]

pytestmark = pytest.mark.slow

MILD = draft(severity="suggestion")
ALL = tuple(Severity)


def test_a_models_suggestion_is_refused_on_record_and_nobody_is_asked_about_it_again(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(MILD))
    outcomes = run(site, engine).document.outcomes
    assert outcomes.cards == ()
    ((reason,),) = [one.reasons for one in outcomes.rejections]
    assert reason.code == "severity_not_allowed"
    assert "suggestion is not among blocking, important" in reason.detail
    assert engine.of(EngineRole.REFUTE) == []
    assert len(engine.of(EngineRole.SYNTHESIZE)) == 1


def test_a_finding_beside_it_is_a_card(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(MILD, draft()))
    outcomes = run(site, engine).document.outcomes
    assert len(outcomes.cards) == len(outcomes.rejections) == 1


@pytest.mark.parametrize("refuter", [True, False])
def test_it_is_a_card_where_policy_takes_it(site: Repo, refuter: bool) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(MILD))
    (card,) = run(site, engine, refuter=refuter, severities=ALL).document.outcomes.cards
    assert card.severity == "suggestion"


def test_without_a_refuter_it_is_refused_as_well(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(MILD))
    assert run(site, engine, refuter=False).document.outcomes.cards == ()


def test_a_model_is_told_the_severities_that_count() -> None:
    policy = load()
    strict = policy.engine.model_copy(update={"severities": (Severity.IMPORTANT,)})
    wide = policy.engine.model_copy(update={"severities": ALL})
    assert "Severities: important, suggestion." in system(policy.model_copy(update={"engine": wide}))
    told = system(policy.model_copy(update={"engine": strict}))
    assert "Severities: important." in told
    assert "Severities: important, suggestion." not in told


def test_a_mild_draft_that_the_contract_refuses_too_has_both_reasons_and_costs_no_second_call(site: Repo) -> None:
    both = draft(severity="suggestion", claim=CLAIM + " So does `phantom_total`.")
    engine = Scripted(compile=asks(question()), synthesize=drafts(both))
    ((reasons),) = [one.reasons for one in run(site, engine).document.outcomes.rejections]
    assert {one.code.value for one in reasons} == {"invented_symbol", "severity_not_allowed"}
    assert len([one for one in engine.of(EngineRole.SYNTHESIZE) if isinstance(one.payload, AmendPayload)]) == 0


def test_of_two_refused_drafts_the_mild_one_is_told_as_mild_when_they_are_asked_for_again(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(draft(claim=CLAIM + " `phantom_total` too."), MILD))
    run(site, engine)
    (again,) = [one.payload for one in engine.of(EngineRole.SYNTHESIZE) if isinstance(one.payload, AmendPayload)]
    assert [one.reasons[0].partition(":")[0] for one in again.refused] == ["invented_symbol", "severity_not_allowed"]


def looked(severity: str | None, **more: object) -> Words:
    """A second look that defeats nothing, and takes the finding for this grave."""
    said = {**stands()["refutation"], "severity": severity, "why": "it shows in a log alone", **more}
    return lambda request: {"refutation": said}


def test_the_milder_of_two_severities_counts_and_the_second_look_is_not_told_the_first(site: Repo) -> None:
    kinds = question(changeKind="persistence")
    for own, second, counts in (("blocking", "important", "important"), ("important", "blocking", "important")):
        engine = Scripted(compile=asks(kinds), synthesize=drafts(draft(severity=own)), refute=looked(second))
        (card,) = run(site, engine).document.outcomes.cards
        assert card.severity == counts
        (request,) = engine.of(EngineRole.REFUTE)
        assert "severity" not in request.payload.wire()


def test_what_a_second_look_takes_for_a_suggestion_is_a_milder_card_and_no_refused_one(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(draft()), refute=looked("suggestion"))
    outcomes = run(site, engine).document.outcomes
    (card,) = outcomes.cards
    assert (card.severity, outcomes.rejections) == ("suggestion", ())


def test_a_card_is_no_milder_than_its_kind_allows(site: Repo) -> None:
    kind = question(changeKind="auth")
    assert "suggestion" not in load().change_kinds.kinds[ChangeKind.AUTH].severities
    engine = Scripted(compile=asks(kind), synthesize=drafts(draft(severity="blocking")), refute=looked("suggestion"))
    (card,) = run(site, engine).document.outcomes.cards
    assert card.severity == "important"


@pytest.mark.parametrize("severity", [None, "important"])
def test_a_second_look_that_says_no_severity_or_the_same_changes_none(site: Repo, severity: str | None) -> None:
    engine = Scripted(compile=asks(question()), synthesize=drafts(draft()), refute=looked(severity))
    (card,) = run(site, engine).document.outcomes.cards
    assert card.severity == "important"
