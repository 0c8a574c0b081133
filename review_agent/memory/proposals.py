"""Suppression for the whole team: only ever proposed, as a change of policy with the decisions it rests on."""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from review_agent.errors import UsageError
from review_agent.memory.verdicts import Verdict, Word, by_person, by_team, recall, verdicts
from review_agent.policy.check import check_file
from review_agent.policy.model import Policy, Queue, TeamRejection
from review_agent.vocabulary import Act, Remembered

__all__ = ["FILE", "Proposal", "changed", "policy_diff", "proposals"]

FILE = ".github/review-agent/queue.yml"
_EMPTY = re.compile(r"^suppressed:[ \t]*\[[ \t]*\][ \t]*(#.*)?$", re.MULTILINE)
_PAIR = re.compile(r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}")
_NO_END = "\\ No newline at end of file"
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
    """The change of the team's queue.yml as a unified diff; ``current`` is null where the team has none.

    Raises as ``changed`` does.
    """
    before = "" if current is None else current
    names = ("/dev/null" if current is None else f"a/{FILE}", f"b/{FILE}")
    lines = difflib.unified_diff(_lines(before), _lines(changed(before, made)), *names)
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}\n" for line in lines)


def _lines(text: str) -> list[str]:
    """As git has them: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def changed(current: str, made: Sequence[Proposal]) -> str:
    """The text of queue.yml with the proposed entries in it, as the policy loader reads it.

    They are put into it where nothing else changes by that, else the file is written anew. Raises UsageError where the
    file is no policy as it stands, or cannot hold the entries.
    """
    rest = _LIST.sub("", current)
    before = _value(current) or _value(rest) or (Queue() if _begins(rest) == rest else None)
    if before is not None:
        new = tuple(_rejection(one, why) for proposal in made for one, why in _with_reasons(proposal))
        wanted = before.model_copy(update={"suppressed": (*new, *before.suppressed)})
        for text in (*_edits(current, new), _anew(current, wanted)):
            if (value := _value(text)) is not None and _in_order(value) == _in_order(wanted):
                return text
    hint = "run `review-agent policy check`, mend the file, and propose again"
    raise UsageError("no entry can be put into queue.yml as it is", where=FILE, hint=hint)


def _value(text: str) -> Queue | None:
    value, problems = check_file(FILE.rpartition("/")[2], text.encode())
    return None if problems else value


def _in_order(value: Queue) -> Queue:
    return value.model_copy(update={"suppressed": tuple(sorted(value.suppressed, key=lambda one: str(one.wire())))})


def _edits(current: str, new: Sequence[TeamRejection]) -> Iterator[str]:
    """The entries put in with all else left as it is: into a list that is indented, and into one that is not."""
    for indent in ("  ", ""):
        entries = _entries(new, indent)
        if found := _EMPTY.search(current):
            yield f"{current[: found.start()]}suppressed:\n{entries.removesuffix(chr(10))}{current[found.end() :]}"
        if found := _LIST.search(current):
            yield f"{current[: found.end()]}\n{entries.removesuffix(chr(10))}{current[found.end() :]}"
        yield f"{current}{'' if current.endswith(chr(10)) or not current else chr(10)}suppressed:\n{entries}"


def _begins(text: str) -> str:
    """The comments and empty lines that come before all else."""
    return "".join(itertools.takewhile(lambda line: line.startswith("#") or not line.strip(), _lines(text)))


def _anew(current: str, wanted: Queue) -> str:
    """The whole file in its plainest form; the comments that it begins with are kept."""
    fields = {name: value for name, value in wanted.wire().items() if name != "suppressed"}
    plain = "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields.items())
    return f"{_begins(current)}{plain}suppressed:\n{_entries(wanted.suppressed, '  ')}"


def _with_reasons(proposal: Proposal) -> Iterable[tuple[Remembered, str]]:
    for one, decision in zip(proposal.rejections, proposal.decisions, strict=True):
        place = decision.get("path") or "a path that is not known"
        yield one, decision.get("comment") or f"{proposal.rule} in {place}"


def _rejection(one: Remembered, why: str) -> TeamRejection:
    return TeamRejection(
        fingerprint=one.fingerprint,
        evidence=one.evidence,
        decision=one.decision_id,
        reason=one.reason_code or "",
        day=one.day,
        why=why,
    )


def _entries(rejections: Iterable[TeamRejection], indent: str) -> str:
    return "".join(f"{indent}{line}\n" for one in rejections for line in _entry(one))


def _entry(one: TeamRejection) -> Iterator[str]:
    for n, (name, value) in enumerate(one.wire().items()):
        yield f"{'  ' if n else '- '}{name}: {_quoted(value)}"


def _quoted(text: str) -> str:
    """In YAML's double quotes, which are JSON's but for characters that JSON spells as two."""
    return _PAIR.sub(lambda found: f"\\U{ord(json.loads(found.group().join(chr(34) * 2))):08x}", json.dumps(text))
