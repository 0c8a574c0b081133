"""Verification plans: from the catalogue, filled from the card, fit to be shown and to be run."""

import re
import shlex
from functools import cache

import pytest
from judging import codes, judged, true_draft
from truecards import cases, world

from review_agent.policy.load import load
from review_agent.policy.model import CatalogEntry
from review_agent.policy.rules import RULES
from review_agent.stages.verification import attach, plan
from review_agent.vocabulary import ContractCode, EditOp, Effect, Rejection

load_once = cache(load)


@cache
def passed(name):
    (card,) = judged(true_draft(name), name=name)
    return card, world().cases[name][0]


def ruled(name, rule, **edit):
    card, question = passed(name)
    edits = (question.edits[0].model_copy(update=edit), *question.edits[1:])
    return card, question.model_copy(update={"rule": rule, "kind": RULES[rule], "edits": edits})


def with_catalog(*entries):
    return load_once().model_copy(update={"catalog": entries})


def entry(**changes):
    fields = {
        "id": "a",
        "kind": "manual-check",
        "kinds": (),
        "rules": ("retry_unbounded",),
        "procedure": "p",
        "signal": "s",
    }
    return CatalogEntry(**{**fields, **changes})


def test_an_entry_is_filled_from_card_and_question():
    card, question = ruled("required_parameter", "required_parameter_added")
    (one,) = plan(card, question, load_once())
    assert one.kind == "manual-check"
    assert one.command_or_procedure == (
        "Put the call at `jobs/digest.py` line 6 beside the signature of `send` at `mail/send.py` line 1 and match "
        "argument to parameter."
    )
    assert one.expected_signal.startswith("Nothing is passed for `sender`")
    assert "confirmed" in one.expected_signal
    assert "refuted" in one.expected_signal


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_gives_one_or_two_whole_texts_for_any_card(rule):
    for case in cases():
        card, question = ruled(case.name, rule)
        steps = plan(card, question, load_once())
        assert 1 <= len(steps) <= 2
        texts = [text for one in steps for text in (one.command_or_procedure, one.expected_signal)]
        assert not [text for text in texts if re.search(r"`None`|``|\{[a-z_]+\}", text) or not text.isprintable()]
        assert attach(card, steps, load_once()).verification == steps


def test_an_entry_for_the_rule_comes_before_one_for_the_kind():
    card, question = ruled("unbounded_retry", "retry_unbounded")
    general = entry(id="g", rules=(), kinds=(RULES["retry_unbounded"],), procedure="general")
    other = entry(id="o", rules=("error_dropped",), kinds=(RULES["retry_unbounded"],), procedure="other")
    steps = plan(card, question, with_catalog(other, general, entry(procedure="special")))
    assert [one.command_or_procedure for one in steps] == ["special", "general"]


def test_no_more_than_two_and_none_twice():
    card, question = ruled("unbounded_retry", "retry_unbounded")
    steps = plan(card, question, with_catalog(entry(), entry(), entry(procedure="q"), entry(procedure="r")))
    assert [one.command_or_procedure for one in steps] == ["p", "q"]


def test_an_entry_for_another_language_or_with_an_empty_slot_is_passed_over():
    card, question = ruled("unbounded_retry", "retry_unbounded")
    policy = with_catalog(entry(languages=("go",)), entry(procedure="{to} is null here"), entry(signal="{before}"))
    (generic,) = plan(card, question, policy)
    assert generic.command_or_procedure.startswith("Read `net/fetch.py` line 6 beside `net/worker.py` line 6")


def test_a_value_from_the_change_is_quoted_in_a_command():
    card, question = ruled("unbounded_retry", "retry_unbounded")
    hostile = "x; rm -rf ~ `id` $(id) '"
    card = card.model_copy(update={"effect": Effect(op=card.effect.op, subject=hostile)})
    policy = with_catalog(entry(kind="static-query", procedure="git grep -n -F -e {subject} HEAD"))
    (one,) = plan(card, question, policy)
    words = shlex.split(one.command_or_procedure)
    assert words == ["git", "grep", "-n", "-F", "-e", hostile.replace("`", "'"), "HEAD"]


def test_markup_from_the_change_never_reaches_a_text():
    card, question = ruled("unbounded_retry", "retry_unbounded")
    card = card.model_copy(update={"effect": Effect(op=card.effect.op, subject="<!-- ok -->")})
    (one,) = plan(card, question, with_catalog(entry(procedure="look at {subject}")))
    assert "<!--" not in one.command_or_procedure


@pytest.mark.parametrize("count", [0, 3])
def test_a_card_is_attached_to_whatever_it_is_given_and_judged_afterwards(count):
    card, question = passed("unbounded_retry")
    steps = plan(card, question, load_once()) * count
    whole = attach(card, steps, load_once())
    assert whole.verification == steps
    assert whole.model_may_post is bool(steps)
    code = ContractCode.SCHEMA if steps else ContractCode.VERIFICATION_MISSING
    assert codes(judged(whole.wire(), name="unbounded_retry", verification_due=True)[0]) == {code}


def test_a_second_card_without_verification_is_rejected_under_its_own_number():
    (_, second) = judged({}, true_draft("unbounded_retry"), name="unbounded_retry")
    whole = attach(second, (), load_once())
    (verdict,) = judged(whole.wire(), name="unbounded_retry", verification_due=True)
    assert isinstance(verdict, Rejection)
    assert verdict.ordinal == 1
    assert verdict.draft == whole.wire()


def test_a_verification_changes_version_and_posting_but_not_identity():
    card, question = passed("unbounded_retry")
    whole = attach(card, plan(card, question, load_once()), load_once())
    assert (whole.card_id, whole.fingerprint) == (card.card_id, card.fingerprint)
    assert whole.card_version != card.card_version
    assert (card.model_may_post, whole.model_may_post) == (False, True)


def test_a_function_slot_takes_owner_or_scope_where_no_function_is_named():
    card, question = ruled("go_interface", "abstract_member_without_implementer", op=EditOp.ABSTRACT_MEMBER_ADDED)
    (one,) = plan(card, question, with_catalog(entry(rules=(question.rule,), procedure="see {function}")))
    assert one.command_or_procedure == "see Store"
