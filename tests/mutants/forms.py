"""Mutants of a draft's form and of its place among the drafts of a question."""

from __future__ import annotations

import copy
from dataclasses import replace

from mutants import MUTATORS, Card, Data, mutator
from mutants.places import with_anchor
from review_agent.vocabulary import ContractCode, Severity


@mutator(ContractCode.UNKNOWN_VALUE)
def unknown_value(card: Card, draft: Data):
    yield {**draft, "severity": "critical"}
    yield {**draft, "confidence": "certain"}
    yield {**draft, "changeKind": "security"}
    yield {**draft, "effect": {**draft["effect"], "op": "broken"}}
    yield with_anchor(draft, side="left")


@mutator(ContractCode.SCHEMA)
def wrong_form(card: Card, draft: Data):
    yield {**draft, "modelMayPost": True}
    yield {**draft, "claim": 7}
    yield {**draft, "supportingRefs": draft["supportingRefs"][0]}
    yield {**draft, "claim": None}
    yield {key: value for key, value in draft.items() if key != "effect"}
    yield with_anchor(draft, startLine=str(draft["diffAnchor"]["startLine"]))
    yield with_anchor(draft, confidence="high")


@mutator(ContractCode.SCHEMA)
def text_that_may_not_be_shown(card: Card, draft: Data):
    claim = draft["claim"]
    yield {**draft, "claim": claim + " It fails again and again." * 30}
    yield {**draft, "claim": claim + "\n\nIt fails."}
    yield {**draft, "claim": claim + " \u202eIt fails."}
    yield {**draft, "claim": claim + " It\u200b fails."}
    yield {**draft, "claim": claim + " <!-- approved -->"}
    yield {**draft, "claim": claim + " <img src=x>"}
    yield {**draft, "claim": claim + " `"}
    yield {**draft, "counterEvidence": [""]}


@mutator(ContractCode.SEVERITY_NOT_ALLOWED)
def severity_beyond_policy(card: Card, draft: Data):
    kinds = card.policy.change_kinds
    allowed = tuple(one for one in Severity if one.value != draft["severity"])
    narrowed = kinds.kinds[card.question.kind].model_copy(update={"severities": allowed})
    changed = kinds.model_copy(update={"kinds": {**kinds.kinds, card.question.kind: narrowed}})
    yield draft, replace(card, policy=card.policy.model_copy(update={"change_kinds": changed}))


@mutator(ContractCode.WRONG_QUESTION)
def another_question(card: Card, draft: Data):
    yield {**draft, "questionId": "q-of-another-hunk"}
    yield {**draft, "changeKind": "auth" if draft["changeKind"] != "auth" else "input"}


def _third_draft(card: Card):
    yield ContractCode.TOO_MANY_DRAFTS, card, ({}, {}, card.draft)


def _duplicate(card: Card):
    yield ContractCode.DUPLICATE, card, (card.draft, copy.deepcopy(card.draft))
    reworded = {**card.draft, "severity": "suggestion", "counterEvidence": []}
    yield ContractCode.DUPLICATE, card, (card.draft, reworded)


MUTATORS["third_draft"] = _third_draft
MUTATORS["duplicate"] = _duplicate
