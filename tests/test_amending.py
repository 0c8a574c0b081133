"""A draft that the contract refuses may be written anew once; what comes back is judged like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Repo
from test_endings import CLAIM, Scripted, Words, asks, draft, none, question, run
from test_endings import site as site

from review_agent.publish.trail import trail_text
from review_agent.runlog import read_events
from review_agent.vocabulary import (
    AmendPayload,
    EngineRole,
    Request,
    ReviewDocument,
    RunStatus,
    SynthesizePayload,
    UnansweredCause,
)

pytestmark = pytest.mark.slow

INVENTED = draft(claim=CLAIM + " So does `phantom_total`.")


def mending(first: dict[str, Any], again: dict[str, Any] | None) -> Words:
    """What a model says to the compiled question at first, and what to the same with its refusal."""

    def said(request: Request) -> dict[str, Any] | None:
        assert isinstance(request.payload, SynthesizePayload)
        if not request.payload.question.rule.startswith("compiled:"):
            return none()
        return again if isinstance(request.payload, AmendPayload) else first

    return said


def asked(engine: Scripted) -> list[SynthesizePayload]:
    payloads = [one.payload for one in engine.of(EngineRole.SYNTHESIZE)]
    return [one for one in payloads if isinstance(one, SynthesizePayload) and one.question.rule.startswith("compiled:")]


def refused(path: Path) -> list[list[str]]:
    events = [event for event in read_events(path) if event.type == "refused_draft"]
    return [[reason["code"] for reason in event.data["reasons"]] for event in events]


def test_a_mended_draft_becomes_a_card_and_the_refused_one_stays_on_record(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, {"drafts": [draft()]}))
    done = run(site, engine)
    (card,) = done.document.outcomes.cards
    assert card.claim == CLAIM
    assert done.document.outcomes.rejections == ()
    first, again = asked(engine)
    assert isinstance(again, AmendPayload)
    assert (again.question, again.bundle, again.group) == (first.question, first.bundle, first.group)
    (told,) = again.refused
    assert told.draft == INVENTED
    assert told.reasons == ("invented_symbol: claim: phantom_total stands nowhere in diff or evidence",)
    assert refused(done.path) == [["invented_symbol"]]
    assert "phantom_total" in done.path.read_text()
    assert [one.role for one in engine.of(EngineRole.REFUTE)] == [EngineRole.REFUTE]


def test_it_is_asked_once_and_what_is_refused_again_is_a_rejection(site: Repo) -> None:
    other = draft(claim=CLAIM + " So does `other_phantom`.")
    engine = Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, {"drafts": [other]}))
    done = run(site, engine)
    (rejection,) = done.document.outcomes.rejections
    assert [one.detail for one in rejection.reasons] == ["claim: other_phantom stands nowhere in diff or evidence"]
    assert done.document.outcomes.cards == ()
    assert len(asked(engine)) == 2


def test_who_cannot_show_it_may_take_it_back(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, none()))
    done = run(site, engine)
    (ended,) = [one for one in done.document.outcomes.no_findings if one.rule == "compiled:other"]
    assert ended.code == "no_candidate"
    assert done.document.outcomes.rejections == ()


def second_failed(site: Repo, cause: UnansweredCause) -> ReviewDocument:
    failed = {"failure": cause, "detail": "why"}
    return run(site, Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, failed))).document


UNREADABLE = [UnansweredCause.MALFORMED, UnansweredCause.REFUSED]


@pytest.mark.parametrize("cause", UNREADABLE)
def test_where_the_second_answer_cannot_be_read_the_first_stands_refused(site: Repo, cause: UnansweredCause) -> None:
    document = second_failed(site, cause)
    assert len(document.outcomes.rejections) == 1
    assert document.outcomes.unanswered == ()


@pytest.mark.parametrize("cause", [cause for cause in UnansweredCause if cause not in UNREADABLE])
def test_what_a_clock_or_a_budget_kept_from_being_asked_again_is_unanswered(site: Repo, cause: UnansweredCause) -> None:
    document = second_failed(site, cause)
    assert document.outcomes.rejections == ()
    assert [one.cause for one in document.outcomes.unanswered] == [cause]
    assert document.run.status is RunStatus.INCOMPLETE


@pytest.mark.parametrize(
    ("first", "policy"),
    [
        ({"drafts": [draft()]}, {}),
        ({"drafts": [draft(), INVENTED]}, {}),  # one of two holds
        (none(), {}),
        ({"drafts": [INVENTED]}, {"amend": False}),
    ],
)
def test_nothing_else_is_asked_again(site: Repo, first: dict[str, Any], policy: dict[str, Any]) -> None:
    engine = Scripted(compile=asks(question()), synthesize=mending(first, {"drafts": [draft()]}))
    done = run(site, engine, **policy)
    assert len(asked(engine)) == 1
    assert refused(done.path) == []


def test_a_run_waits_for_amendments_and_goes_on_with_them(site: Repo) -> None:
    waits = Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, None))
    stopped = run(site, waits)
    assert stopped.document.run.status is RunStatus.WAITING
    answers = Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, {"drafts": [draft()]}))
    done = run(site, answers)
    assert done.path == stopped.path
    assert [type(one) for one in asked(answers)] == [AmendPayload]
    assert [card.claim for card in done.document.outcomes.cards] == [CLAIM]
    assert trail_text(done.state).count("refused, and asked for anew") == 1
    once = run(site, answers, site.root / "other")
    assert once.document.outcomes == done.document.outcomes


def test_explain_tells_what_was_refused_and_why(site: Repo) -> None:
    engine = Scripted(compile=asks(question()), synthesize=mending({"drafts": [INVENTED]}, {"drafts": [draft()]}))
    trail = trail_text(run(site, engine).state)
    assert "refused, and asked for anew: invented_symbol: claim: phantom_total stands nowhere" in trail
