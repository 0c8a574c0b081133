"""The cards of the demo repository, as the built-in rules write them, with all that they are judged by."""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from mutants import Card

from review_agent.demo import build
from review_agent.git import Git
from review_agent.kinds import KINDS
from review_agent.policy.load import load
from review_agent.sources import Sources
from review_agent.stages.contract import judge
from review_agent.stages.evidence import collect
from review_agent.stages.questions import compile_questions
from review_agent.stages.snapshot import take
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import Side

__all__ = ["demo_cards"]


@cache
def demo_cards() -> tuple[Card, ...]:
    """Every draft of the rules that passed, reviewed once a test process."""
    folder = Path(mkdtemp(prefix="democards-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return tuple(_cards(folder / "demo"))


def _cards(target: Path):
    base, head = build(target)
    git, policy = Git(target), load()
    mask = policy.masker()
    sources = {
        side: Sources(git, commit, mask, side=side, max_bytes=policy.budgets.blob_bytes)
        for side, commit in ((Side.OLD, base), (Side.NEW, head))
    }
    snapshot = take(git, base=base, head=head, mask=mask)
    around = {"old": sources[Side.OLD], "new": sources[Side.NEW], "policy": policy}
    with Parser() as parser:
        found = compile_questions(snapshot, parser=parser, **around)
        bundles = list(collect(found.questions, snapshot=snapshot, git=git, parser=parser, **around))
    for question, bundle in zip(found.questions, bundles, strict=True):
        settled = KINDS[question.kind].settle(question, bundle)
        for draft in settled if isinstance(settled, tuple) else ():
            card = Card(question, bundle, draft.wire(), snapshot, policy, sources)
            if _passes(card):
                yield card


def _passes(card: Card) -> bool:
    (verdict,) = judge(
        card.question,
        card.bundle,
        [card.draft],
        snapshot=card.snapshot,
        policy=card.policy,
        review_id="r" * 64,
        sources=card.sources,
        seen=set(),
    )
    return verdict.kind == "card"
