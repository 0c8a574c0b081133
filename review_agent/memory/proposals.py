"""Suppression for the whole team: only ever proposed, as a change of policy with the decisions it rests on."""

from __future__ import annotations

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from review_agent.memory.verdicts import Verdict, Word, by_person, by_team, recall, verdicts
from review_agent.policy.model import Policy
from review_agent.vocabulary import Act, Remembered

__all__ = ["FILE", "Proposal", "changed", "policy_diff", "proposals"]

FILE = ".github/review-agent/queue.yml"
_EMPTY = re.compile(r"^suppressed:[ \t]*\[[ \t]*\][ \t]*(#.*)?$", re.MULTILINE)
_LIST = re.compile(r"^suppressed:[ \t]*(#.*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Proposal:
    """Findings of one rule that the team keeps rejecting for reasons of its own, and what speaks against it.

    ``rejections`` as remembered, each with the ``decision`` of the same place, as wire data. ``accepted`` counts the
    findings of the rule that somebody accepted.
    """

    rule: str
    rejections: tuple[Remembered, ...]
    decisions: tuple[Mapping[str, Any], ...]
    accepted: int


def proposals(records: Iterable[Mapping[str, Any]], today: date, policy: Policy) -> list[Proposal]:
    """What the decisions would make policy, by rule.

    A rejection counts where its reason is the team's (the code's layer), it does not lapse, and it is not policy yet;
    a rule with ``propose_after`` such findings makes a proposal, and so does one finding that was rejected so often.
    """
    every = list(records)
    by_id = {record["decisionId"]: record for record in every if record.get("kind") == "decision"}
    found = verdicts(every, today)
    by_rule: dict[str, list[Remembered]] = defaultdict(list)
    for one in recall(every, today).rejections:
        if _is_teams(by_id[one.decision_id], policy) and by_team(policy, one.fingerprint, one.evidence) is None:
            by_rule[found[one.fingerprint].rule or ""].append(one)
    made = []
    for rule, rejections in sorted(by_rule.items()):
        whole = len({one.fingerprint for one in rejections}) >= policy.queue.propose_after
        chosen = [one for one in rejections if whole or _times(found[one.fingerprint]) >= policy.queue.propose_after]
        if chosen:
            decisions = tuple(by_id[one.decision_id] for one in chosen)
            made.append(Proposal(rule, tuple(chosen), decisions, _accepted(found.values(), rule)))
    return made


def _is_teams(decision: Mapping[str, Any], policy: Policy) -> bool:
    layers = {reason.code: reason.layer for reason in policy.reason_codes}
    layer = decision.get("layer") or layers.get(decision["reasonCode"] or "")
    return layer == "team" and decision.get("until") is None


def _times(verdict: Verdict) -> int:
    """How often people have rejected a finding."""
    return sum(one["act"] == Act.REJECT and by_person(one) for one in verdict.decisions)


def _accepted(found: Iterable[Verdict], rule: str) -> int:
    return sum(one.rule == rule and one.word in (Word.ACCEPTED, Word.FIXED) for one in found)


def policy_diff(current: str | None, made: Sequence[Proposal]) -> str:
    """The change of the team's queue.yml as a unified diff; ``current`` is null where the team has none."""
    before = "" if current is None else current
    names = ("/dev/null" if current is None else f"a/{FILE}", f"b/{FILE}")
    lines = difflib.unified_diff(before.splitlines(True), changed(before, made).splitlines(True), *names)
    return "".join(lines)


def changed(current: str, made: Sequence[Proposal]) -> str:
    """The text of queue.yml with the proposed entries in it."""
    entries = "".join(_entry(one, why) for proposal in made for one, why in _with_reasons(proposal))
    block = f"suppressed:\n{entries}".removesuffix("\n")
    if _EMPTY.search(current):
        return _EMPTY.sub(lambda found: block, current, count=1)
    if _LIST.search(current):
        return _LIST.sub(lambda found: f"{found.group()}\n{entries}".removesuffix("\n"), current, count=1)
    return f"{current}{'' if current.endswith(chr(10)) or not current else chr(10)}{block}\n"


def _with_reasons(proposal: Proposal) -> Iterable[tuple[Remembered, str]]:
    for one, decision in zip(proposal.rejections, proposal.decisions, strict=True):
        place = decision.get("path") or "a path that is not known"
        yield one, decision.get("comment") or f"{proposal.rule} in {place}"


def _entry(one: Remembered, why: str) -> str:
    fields = {
        "fingerprint": one.fingerprint,
        "evidence": one.evidence,
        "decision": one.decision_id,
        "reason": one.reason_code or "",
        "day": one.day,
        "why": why,
    }
    lines = [f"{name}: {json.dumps(value)}" for name, value in fields.items()]
    return f"  - {lines[0]}\n" + "".join(f"    {line}\n" for line in lines[1:])
