"""Judging the true card that most tests of the contract start from."""

import copy

from truecards import world

from review_agent.git import Git
from review_agent.sources import Sources
from review_agent.stages.contract import judge
from review_agent.stages.snapshot import take
from review_agent.vocabulary import Rejection, Side

__all__ = ["CASE", "codes", "judged", "sides", "true_draft"]

CASE = "cache_key_component"


def judged(draft, *others, name=CASE, **changes):
    built = world()
    question, bundle, _ = built.cases[name]
    given = {"question": question, "bundle": bundle, "seen": set(), **built.keywords(), **changes}
    return judge(given.pop("question"), given.pop("bundle"), [draft, *others], **given)


def true_draft(name=CASE):
    return copy.deepcopy(world().cases[name][2])


def codes(verdict):
    assert isinstance(verdict, Rejection)
    return {reason.code for reason in verdict.reasons}


def sides(repo, base, head):
    """(snapshot, sources) of a change, nothing masked."""
    git = Git(repo.root)
    sources = {
        side: Sources(git, commit, str, side=side, max_bytes=10_000)
        for side, commit in ((Side.OLD, base), (Side.NEW, head))
    }
    return take(git, base=base, head=head, mask=str), sources
