"""A kind as a list of rules: each rule names the edits it wakes on, raises its question and settles it.

The file of a rule is loaded when an edit wakes it or its question is settled; ``index.py`` says beforehand which edits
wake which rule of which file. A typical change wakes rules of some fifteen files among a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from review_agent.kinds.absence import whole
from review_agent.kinds.base import Seed, Settled
from review_agent.kinds.index import RULES
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Bundle, ChangeKind, Edit, EditOp, Failure, Question

__all__ = ["Book", "BookKind", "Rule", "RulesFailedError", "failure", "raised"]


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


class Book(Mapping[str, Rule]):
    """Rules by name, in the order of their files (names of modules of this package), each loaded at the first look."""

    def __init__(self, *files: str) -> None:
        self._files = {rule: file for file in files for rule in RULES[file]}
        self._ops = {rule: frozenset(map(EditOp, ops)) for file in files for rule, ops in RULES[file].items()}
        self.loaded: dict[str, Rule] = {}

    def __getitem__(self, name: str) -> Rule:
        if name not in self.loaded:
            module = import_module(f"{__package__}.{self._files[name]}")
            self.loaded |= {rule.name: rule for rule in module.RULES if rule.name not in self.loaded}
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def woken(self, op: EditOp) -> list[Rule]:
        """The rules that wake on such an edit."""
        return [self[name] for name, ops in self._ops.items() if op in ops]


class BookKind:
    """A kind that is nothing but its rules. Without ``in_tests``, edits in test files wake none of them."""

    kind: ChangeKind
    rules: Book
    in_tests = True

    def trigger(self, edits: Sequence[Edit]) -> Iterator[Seed]:
        return raised(self.rules, [edit for edit in edits if self.in_tests or not in_test(edit.path)])

    def settle(self, question: Question, bundle: Bundle) -> Settled:
        """What a question's rule makes of its evidence; nothing is concluded from a search that was cut."""
        return whole(bundle, self.rules[question.rule].settle(question, bundle))


def failure(name: str, path: str, error: Exception) -> Failure:
    """How the account tells of a rule that raised where it should have asked."""
    said = f"it raised no question, a bug of ours: {type(error).__name__}: {error}"
    return Failure(what="rule", name=name, path=path, detail=said)


def raised(rules: Book, edits: Sequence[Edit]) -> Iterator[Seed]:
    """The seeds of all rules, in the order of the edits.

    A rule that fails on an edit costs its own question there and no other: RulesFailedError comes last and names each,
    once a file.
    """
    failures: dict[tuple[str, str], Failure] = {}
    for edit in edits:
        for rule in rules.woken(edit.op):
            try:
                seed = rule.raises(edit, edits)
            except Exception as error:  # noqa: BLE001  # one rule's bug costs its own question only, and is told
                failures.setdefault((rule.name, edit.path), failure(rule.name, edit.path, error))
                continue
            if seed is not None:
                yield seed
    if failures:
        raise RulesFailedError(list(failures.values()))
