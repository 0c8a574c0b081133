"""A whole review of one kind over a small real repository: edits, questions, evidence, settling and the contract."""

from dataclasses import dataclass
from functools import cache

from review_agent.git import Git
from review_agent.kinds import KINDS
from review_agent.kinds.base import Unsettled
from review_agent.policy.load import load
from review_agent.sources import Sources
from review_agent.stages.contract import judge
from review_agent.stages.evidence import collect
from review_agent.stages.questions import compile_questions
from review_agent.stages.snapshot import take
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import Rejection, Side


@dataclass(frozen=True)
class Ended:
    """How one question ended: ``cards`` that passed the contract, or ``code`` and ``detail`` of a no-finding."""

    rule: str
    cards: tuple
    code: str | None
    detail: str


@cache
def parser() -> Parser:
    return Parser()


def review(repo, before: dict, after: dict, kind=None) -> list[Ended]:
    """Commit ``before``, then ``after`` on top of it (null deletes a file), and settle every question that comes up
    (of one ``kind``, where one is named)."""
    for path, text in before.items():
        repo.write(path, text)
    repo.commit("before")
    for path, text in after.items():
        if text is None:
            (repo.root / path).unlink()
        else:
            repo.write(path, text)
    return list(_ended(Git(repo.root), repo.commit("after"), kind))


def _ended(git, commit, kind):
    policy, taken = load(), take(git, commit=commit, mask=str)
    limit = policy.budgets.blob_bytes
    old = Sources(git, taken.merge_base, str, side=Side.OLD, max_bytes=limit)
    new = Sources(git, taken.head, str, side=Side.NEW, max_bytes=limit)
    world = {"old": old, "new": new, "parser": parser(), "policy": policy}
    questions = [one for one in compile_questions(taken, **world).questions if kind in (None, one.kind)]
    seen: set[str] = set()
    for question, bundle in zip(questions, collect(questions, snapshot=taken, git=git, **world), strict=True):
        settled = KINDS[question.kind].settle(question, bundle)
        if isinstance(settled, Unsettled):
            yield Ended(question.rule, (), settled.code.value, settled.detail)
            continue
        judged = judge(
            question,
            bundle,
            [draft.wire() for draft in settled],
            snapshot=taken,
            policy=policy,
            review_id="r",
            sources={Side.OLD: old, Side.NEW: new},
            seen=seen,
        )
        for one in judged:
            assert not isinstance(one, Rejection), [(why.code, why.detail) for why in one.reasons]
        yield Ended(question.rule, tuple(judged), None, "")


def cards(ended: list[Ended], rule: str) -> list:
    return [card for one in ended if one.rule == rule for card in one.cards]


def codes(ended: list[Ended], rule: str) -> list:
    """The no-finding codes of a rule; every other rule must be silent too where this is asked."""
    assert not [card.claim for one in ended for card in one.cards]
    return [one.code for one in ended if one.rule == rule]
