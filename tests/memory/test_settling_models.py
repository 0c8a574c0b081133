"""What a run says of earlier cards that a model had a part in: one that does not ask again establishes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Repo
from test_endings import BEFORE, CLAIM, Scripted, Words, asks, draft, drafts, none, question, run
from test_endings import site as site

from review_agent.adjudication import decide
from review_agent.engines.rules import Rules
from review_agent.engines.rules_first import RulesFirst
from review_agent.journal import JOURNAL_FILE, Journal
from review_agent.ledger.store import Ledger
from review_agent.pipeline import Reviewed
from review_agent.policy.load import load
from review_agent.vocabulary import Act, CardState, Engine, Request, SynthesizePayload

pytestmark = pytest.mark.slow

ABOUT = question(changeKind="input")
EDITED = BEFORE.replace("total = unit * qty\n", "total = unit * qty + 1\n")


def with_rules(**words: Words) -> Engine:
    return RulesFirst(Scripted(**words), Rules(), 9)


def said(state: Path) -> list[tuple[str, str]]:
    records = Journal(state / JOURNAL_FILE).read()
    return [(one["act"], one["comment"] or "") for one in records if one["kind"] == "decision"]


def state_of(state: Path, done: Reviewed) -> CardState:
    (card,) = done.document.outcomes.cards
    return {row.card["cardId"]: row.state for row in Ledger(state).cards()}[card.card_id]


@pytest.fixture
def first(site: Repo) -> Reviewed:
    """A model's card on its own question, accepted."""
    return accepted(run(site, with_rules(compile=asks(ABOUT), synthesize=drafts(draft()))))


def accepted(done: Reviewed) -> Reviewed:
    (card,) = done.document.outcomes.cards
    words: dict[str, Any] = {"reason_code": None, "comment": None, "policy_reason_codes": load().reason_codes}
    decide(done.path.parents[1], card.card_id, Act.ACCEPT, reviewer="Ada", **words)
    return done


@pytest.mark.parametrize(
    "engine",
    [
        Rules,
        with_rules,
        lambda: with_rules(compile=asks(ABOUT)),
        lambda: with_rules(compile=asks(ABOUT), synthesize=lambda r: none("refuted", "D:new:src/shop/pricing.py:17")),
        lambda: with_rules(compile=asks(question(changeKind="input", change="`total` differs"))),
    ],
    ids=["the rules alone", "asks nothing", "sees nothing", "refutes it", "asks it in other words"],
)
def test_what_a_model_found_stands_while_the_change_has_its_lines(
    site: Repo, first: Reviewed, engine: Callable[[], Engine]
) -> None:
    state = first.path.parents[1]
    run(site, engine())
    site.write("src/shop/pricing.py", f'"""Prices."""\n\n{EDITED}')
    site.write("README.md", "# Shop\n")
    site.git("commit", "-q", "-a", "--amend", "-m", "shifted lines")
    run(site, engine())
    assert state_of(state, first) is CardState.ACCEPTED
    assert said(state) == [("accept", "")]


@pytest.mark.parametrize("engine", [Rules, with_rules], ids=["the rules alone", "a model that asks nothing"])
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (EDITED.replace("+ 1", "+ 2"), "fixed: the change no longer does what it asked about"),
        (BEFORE, "fixed: the change no longer touches its file"),
    ],
    ids=["other lines", "no lines"],
)
def test_it_is_fixed_when_the_change_has_its_lines_no_more(
    site: Repo, first: Reviewed, engine: Callable[[], Engine], content: str, why: str
) -> None:
    state = first.path.parents[1]
    site.write("src/shop/pricing.py", content)
    site.git("commit", "-q", "-a", "--amend", "-m", "fixed")
    run(site, engine())
    assert state_of(state, first) is CardState.STALE
    assert said(state)[1:] == [("mark_stale", why)]


def test_a_models_card_on_another_line_takes_no_decision_over(site: Repo) -> None:
    site.write("src/shop/pricing.py", EDITED.replace("discount_for(sku)", "discount_for(sku) + 1"))
    site.git("commit", "-q", "-a", "--amend", "-m", "two lines")
    done = accepted(run(site, with_rules(compile=asks(ABOUT), synthesize=drafts(draft()))))
    state = done.path.parents[1]
    other = question(changeKind="input", startLine=18, endLine=18, change="`rebate` is one more")
    claim = CLAIM.replace("`total` to `unit * qty + 1`", "`rebate` to `tenant.discount_for(sku) + 1`")
    effect = {"op": "changed", "subject": "rebate", "to": None}
    again = run(site, with_rules(compile=asks(other), synthesize=drafts(draft(claim=claim, effect=effect))))
    assert state_of(state, again) is CardState.HIDDEN
    assert state_of(state, done) is CardState.ACCEPTED


CALLED = "from shop.refund import refund\n\n\ndef run(order):\n    return refund(order{})\n"
ON_A_RULE = draft(
    claim="Adding `currency` to `refund` breaks `jobs/refund_job.py:5`, which passes `order` alone.",
    effect={"op": "added", "subject": "currency", "to": None},
    supporting=["E5"],
    impactCondition="Whenever the nightly job runs on an order that was paid back by hand.",
)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.write("shop/__init__.py", "")
    repo.write("shop/refund.py", "def refund(order):\n    return order.total\n")
    repo.write("jobs/refund_job.py", CALLED.format(""))
    repo.commit("base")
    repo.write("shop/refund.py", "def refund(order, currency):\n    return order.total\n")
    repo.commit("change")
    return repo


def on_rules(words: dict[str, Any]) -> Scripted:
    """A model alone, asked what the rules ask."""

    def told(request: Request) -> dict[str, Any]:
        assert isinstance(request.payload, SynthesizePayload)
        return words if "currency" in request.payload.question.change else none()

    return Scripted(synthesize=told)


@pytest.mark.parametrize("words", [none(), none("refuted", "E5")], ids=["sees nothing", "refutes it"])
def test_a_model_that_answers_a_rules_question_otherwise_undoes_no_card(shop: Repo, words: dict[str, Any]) -> None:
    done = accepted(run(shop, on_rules({"drafts": [ON_A_RULE]})))
    state = done.path.parents[1]
    run(shop, on_rules(words))
    assert state_of(state, done) is CardState.ACCEPTED
    assert said(state) == [("accept", "")]


def test_what_the_rules_refute_is_fixed_whoever_found_it(shop: Repo) -> None:
    done = accepted(run(shop, on_rules({"drafts": [ON_A_RULE]})))
    shop.write("jobs/refund_job.py", CALLED.format(', "EUR"'))
    shop.git("commit", "-q", "-a", "--amend", "-m", "adapted")
    run(shop, Rules())
    assert state_of(done.path.parents[1], done) is CardState.STALE
