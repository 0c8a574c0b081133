"""What the triggers of all kinds and of the team ask about edits: questions with an anchor and a rank, within caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from review_agent.kinds import KINDS
from review_agent.kinds.auth_steering import STEERING
from review_agent.kinds.base import Seed
from review_agent.kinds.rulebook import RulesFailedError, failure, raised
from review_agent.kinds.triggers import team_seeds
from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.skipping import Ranks
from review_agent.vocabulary import ChangeKind, Edit, Failure, Question, Role, Side, Skipped, SkipRule, digest

__all__ = ["Asking"]

# What being reachable from other files adds to a question's rank.
REACH = 10


class Asking:
    """Edits on their way to questions. ``exported`` are (path, qualname) of what other files can name.

    A trigger that fails costs its own questions only; ``failures`` tells of each once ``questions`` was called.
    """

    def __init__(
        self,
        sources: Mapping[Side, Sources],
        policy: Policy,
        edits: Sequence[Edit],
        exported: Collection[tuple[str, str]],
    ) -> None:
        self._sources, self._policy = sources, policy
        self._edits, self._exported = edits, exported
        self._ranks = Ranks(policy)
        self.failures: list[Failure] = []

    def questions(self) -> tuple[tuple[Question, ...], tuple[Skipped, ...]]:
        """The questions asked, in rank order, and those beyond a cap."""
        found: dict[str, Question] = {}
        for question in self._found():
            found.setdefault(question.question_id, question)
        return self._within_caps(sorted(found.values(), key=_rank))

    def _found(self) -> Iterator[Question]:
        for kind, seed in self._seeds():
            try:
                yield self._question(kind, seed)
            except ValueError as error:  # a seed that speaks of lines which are not there
                self.failures.append(failure(seed.rule, seed.edits[0].path, error))

    def _seeds(self) -> Iterator[tuple[ChangeKind, Seed]]:
        enabled = self._policy.change_kinds.kinds
        # Kinds are loaded as they are looked at, which no change without an edit need pay for.
        for kind, rules in KINDS.items() if self._edits else ():
            if kind in enabled and enabled[kind].enabled:
                seeds = self._guarded(f"all of {kind.value}", partial(rules.trigger, self._edits))
                yield from ((kind, seed) for seed in seeds)
        if not enabled[
            ChangeKind.AUTH
        ].enabled:  # how a change may steer its review is no kind that can be switched off
            seeds = self._guarded("steering", partial(raised, STEERING, self._edits))
            yield from ((ChangeKind.AUTH, seed) for seed in seeds)
        for trigger in self._policy.change_kinds.triggers:
            if enabled[trigger.kind].enabled:
                seeds = self._guarded(f"trigger {trigger.name}", partial(team_seeds, trigger, self._edits))
                yield from ((trigger.kind, seed) for seed in seeds)

    def _guarded(self, name: str, trigger: Callable[[], Iterable[Seed]]) -> Iterator[Seed]:
        """What a trigger raises up to where it fails."""
        try:
            yield from trigger()
        except RulesFailedError as error:
            self.failures += error.failures
        except Exception as error:  # noqa: BLE001  # a bug in one trigger costs its own questions, and is told
            self.failures.append(failure(name, "", error))

    def _question(self, kind: ChangeKind, seed: Seed) -> Question:
        first, settings = seed.edits[0], self._policy.change_kinds.kinds[kind]
        plan = [query for query in seed.plan if query.kind in settings.plan][: self._policy.budgets.queries]
        path = first.old_path if seed.anchor_side is Side.OLD else first.path
        identity = {
            "rule": seed.rule,
            "hunk": first.hunk_id,
            "edits": [edit.edit_id for edit in seed.edits],
            "plan": [query.wire() for query in plan],
        }
        return Question(
            question_id=f"q-{digest(identity)[:12]}",
            kind=kind,
            rule=seed.rule,
            hunk_id=first.hunk_id,
            path=first.path,
            change=seed.change,
            precondition=seed.precondition,
            consequence=seed.consequence,
            refuted_if=seed.refuted_if,
            anchor=self._sources[seed.anchor_side].ref(path, seed.anchor_start, seed.anchor_end, Role.DIFF),
            plan=tuple(plan),
            edits=seed.edits,
            risk=self._risk(seed, settings.risk),
        )

    def _risk(self, seed: Seed, of_kind: int) -> int:
        reach = REACH if self._is_reachable(seed.edits) else 0
        return max(0, of_kind + seed.risk + self._ranks.of(seed.edits[0].path) + reach)

    def _is_reachable(self, found: Iterable[Edit]) -> bool:
        """Whether an edit is about something that other files can name."""
        for edit in found:
            names = {edit.scope, str(edit.facts.get("function") or ""), str(edit.facts.get("owner") or "")}
            if edit.facts.get("exported") is True or any((edit.path, name) in self._exported for name in names):
                return True
        return False

    def _within_caps(self, ranked: Sequence[Question]) -> tuple[tuple[Question, ...], tuple[Skipped, ...]]:
        budgets = self._policy.budgets
        asked: list[Question] = []
        beyond: list[Skipped] = []
        of_hunk: Counter[str] = Counter()
        counted = 0
        for question in ranked:
            if question.rule in STEERING:  # an attempt is always shown, and never takes another question's place
                asked.append(question)
            elif of_hunk[question.hunk_id] >= budgets.questions_per_hunk:
                beyond.append(_capped(question, f"beyond {budgets.questions_per_hunk} a hunk"))
            elif counted >= budgets.questions_per_run:
                beyond.append(_capped(question, f"beyond {budgets.questions_per_run} a run"))
            else:
                of_hunk[question.hunk_id] += 1
                counted += 1
                asked.append(question)
        return tuple(asked), tuple(beyond)


def _rank(question: Question) -> tuple[int, str, int, str, str]:
    return -question.risk, question.path, question.anchor.start_line, question.rule, question.question_id


def _capped(question: Question, why: str) -> Skipped:
    detail = f"{question.rule}, risk {question.risk}: {why}"
    return Skipped(
        kind="skipped",
        path=question.path,
        hunk_id=question.hunk_id,
        question_id=question.question_id,
        rule=SkipRule.QUESTION_CAP,
        detail=detail,
    )
