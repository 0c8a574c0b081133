"""Questions that a team's own triggers raise. They ask over edits that exist; settling them is left to others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from review_agent import globs
from review_agent.counting import counted
from review_agent.kinds.base import Seed, Unsettled, ask, seed, unsettled
from review_agent.policy.model import Trigger
from review_agent.vocabulary import Bundle, Edit, NoFindingCode, Question

__all__ = ["is_team_rule", "settle", "team_seeds"]

_PREFIX = "team:"


def is_team_rule(rule: str) -> bool:
    """Whether a question's rule is a trigger of the policy."""
    return rule.startswith(_PREFIX)


def team_seeds(trigger: Trigger, edits: Sequence[Edit]) -> Iterator[Seed]:
    """The questions that one of the policy's own triggers raises, in the order of the edits."""
    paths = globs.spec(trigger.paths)
    for edit in edits:
        if _fits(trigger, edit) and (not trigger.paths or paths.match_file(edit.path)):
            yield _seed(trigger, edit)


def _fits(trigger: Trigger, edit: Edit) -> bool:
    if edit.op not in trigger.ops or (trigger.languages and edit.language not in trigger.languages):
        return False
    if trigger.subject and not re.search(trigger.subject, edit.subject):
        return False
    return all(name in edit.facts and _written(edit.facts[name]) == value for name, value in trigger.facts.items())


def _written(value: object) -> str:
    """A fact as a policy file writes it."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _seed(trigger: Trigger, edit: Edit) -> Seed:
    slots = {
        "subject": edit.subject,
        "before": edit.before or "",
        "after": edit.after or "",
        "function": str(edit.facts.get("function") or edit.scope),
        "scope": edit.scope,
        "path": edit.path,
        "line": str(edit.start_line),
    }
    return seed(
        edit,
        f"{_PREFIX}{trigger.name}",
        change=_filled(trigger.change, slots),
        precondition=_filled(trigger.precondition, slots),
        consequence=_filled(trigger.consequence, slots),
        refuted_if=[_filled(one, slots) for one in trigger.refuted_if],
        plan=[
            ask(one.kind, _filled(one.name, slots), path=_filled(one.path, slots), scope=_filled(one.scope, slots))
            for one in trigger.plan
        ],
        risk=trigger.risk,
    )


_SLOT = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def _filled(template: str, slots: Mapping[str, str]) -> str:
    """A template in one pass: what a slot holds is text of the change and is never read as a template."""
    return _SLOT.sub(lambda found: slots.get(found[1], "") if found[1] else found[0][0], template)


def settle(question: Question, bundle: Bundle) -> Unsettled:
    """What the built-in engine says of a team's question: the places it collected, and that a person must judge."""
    places = counted(len(bundle.evidence), "place")
    return unsettled(
        NoFindingCode.NEEDS_HUMAN_CONTEXT,
        f"a trigger of the policy asks this and no built-in rule settles it; {places} collected",
        missing=(question.precondition,),
        refs=[one.ref for one in bundle.evidence if not one.near_change][:4],
    )
