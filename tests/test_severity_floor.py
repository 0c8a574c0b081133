"""A finding of a model counts from the severity on that the policy wants of it; the rules' are not held to that."""

from __future__ import annotations

import pytest
from conftest import Repo
from test_endings import Scripted, asks, draft, drafts, question, run, site

from review_agent.engines.messages import system
from review_agent.policy.load import load
from review_agent.vocabulary import EngineRole, Severity

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
