"""Reviews of two states of a real repository, down to what the contract says of each settled question."""

from textwrap import dedent

from review_agent.git import Git
from review_agent.kinds import KINDS
from review_agent.kinds.base import Unsettled
from review_agent.masking import Masker
from review_agent.policy.load import load
from review_agent.sources import Sources
from review_agent.stages import contract, evidence, questions, snapshot
from review_agent.vocabulary import ChangeKind, ReviewEvidenceCard, Side


def source(text):
    """A file written inside a test: without the margin, and with one line end at its end."""
    return dedent(text).lstrip("\n")


def commit_both(repo, before, after):
    """Commits ``before``, then ``before`` with the files of ``after``."""
    for files in (before, {**before, **after}):
        for path, text in files.items():
            repo.write(path, text)
        repo.commit("state")


def settled(root, parser, kind=ChangeKind.ERROR_HANDLING):
    """(rule, card or no-finding) of each question of a kind about HEAD; a refused card is an error."""
    git, policy, mask = Git(root), load(), Masker([])
    snap = snapshot.take(git, commit="HEAD", mask=mask)
    size = policy.budgets.blob_bytes
    sources = {
        side: Sources(git, commit, mask, side=side, max_bytes=size)
        for side, commit in ((Side.OLD, snap.merge_base), (Side.NEW, snap.head))
    }
    both = {"old": sources[Side.OLD], "new": sources[Side.NEW], "parser": parser, "policy": policy}
    asked = [one for one in questions.compile_questions(snap, **both).questions if one.kind is kind]
    for question, bundle in zip(asked, evidence.collect(asked, snapshot=snap, git=git, **both), strict=True):
        found = KINDS[kind].settle(question, bundle)
        if isinstance(found, Unsettled):
            yield question.rule, found
            continue
        drafts = [draft.wire() for draft in found]
        judged = {"snapshot": snap, "policy": policy, "review_id": "r", "sources": sources, "seen": set()}
        (verdict,) = contract.judge(question, bundle, drafts, **judged)
        assert isinstance(verdict, ReviewEvidenceCard), verdict
        yield question.rule, verdict
