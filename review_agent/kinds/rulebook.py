"""A kind as a list of rules: each rule names the edits it wakes on, raises its question and settles it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from review_agent.kinds.absence import whole
from review_agent.kinds.base import Seed, Settled
from review_agent.vocabulary import Bundle, Edit, EditOp, Failure, Question

__all__ = ["Rule", "RulesFailedError", "book", "failure", "raised", "settled"]


class RulesFailedError(Exception):
    """Rules raised where they should have asked. The questions of all others were given before this is raised."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("; ".join(f"{one.name}: {one.detail}" for one in failures))
        self.failures = tuple(failures)


@dataclass(frozen=True)
class Rule:
    """``raises`` makes the seed of one edit (null: no question), given all edits of the same sequence."""

    name: str
    ops: frozenset[EditOp]
    raises: Callable[[Edit, Sequence[Edit]], Seed | None]
    settle: Callable[[Question, Bundle], Settled]


def book(*rules: Rule) -> Mapping[str, Rule]:
    """Rules by name, in the order given."""
    return {rule.name: rule for rule in rules}


def failure(name: str, path: str, error: Exception) -> Failure:
    """How the account tells of a rule that raised where it should have asked."""
    said = f"it raised no question, a bug of ours: {type(error).__name__}: {error}"
    return Failure(what="rule", name=name, path=path, detail=said)


def raised(rules: Mapping[str, Rule], edits: Sequence[Edit]) -> Iterator[Seed]:
    """The seeds of all rules, in the order of the edits.

    A rule that fails on an edit costs its own question there and no other: RulesFailedError comes last and names each,
    once a file.
    """
    failures: dict[tuple[str, str], Failure] = {}
    for edit in edits:
        for rule in rules.values():
            if edit.op not in rule.ops:
                continue
            try:
                seed = rule.raises(edit, edits)
            except Exception as error:  # noqa: BLE001  # one rule's bug costs its own question only, and is told
                failures.setdefault((rule.name, edit.path), failure(rule.name, edit.path, error))
                continue
            if seed is not None:
                yield seed
    if failures:
        raise RulesFailedError(list(failures.values()))


def settled(rules: Mapping[str, Rule], question: Question, bundle: Bundle) -> Settled:
    """What a question's rule makes of its evidence; nothing is concluded from a search that was cut."""
    return whole(bundle, rules[question.rule].settle(question, bundle))
