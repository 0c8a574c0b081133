"""Which kind of change a fix undid: what would be asked of the fix turned round.

A fix that adds a guard is, read backwards, a change that removes one. So the reverse of the fix, its tests left out, is
compiled to questions as any change is, and the kind of the question that ranks first is the kind of the fault. Where
nothing would be asked, the kind is ``unknown``.
"""

from __future__ import annotations

from review_agent.errors import ReviewAgentError
from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.replay.history_fixes import Fix
from review_agent.sources import Sources
from review_agent.stages import snapshot
from review_agent.stages.history_signs import is_product
from review_agent.stages.questions import compile_questions
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import Side

__all__ = ["UNKNOWN", "kind_of"]

UNKNOWN = "unknown"


def kind_of(fix: Fix, git: Git, policy: Policy, parser: Parser) -> str:
    """The kind of a fault by the reverse of its fix; ``unknown`` where the edits do not tell."""
    mask, most = policy.masker(), policy.budgets.blob_bytes
    try:
        choice = snapshot.Choice(fix.commit, fix.parent, fix.commit, "a fix, turned round")
        files = (file for file in snapshot.read(git, choice, mask).files if is_product(file.path))
        compiled = compile_questions(
            snapshot.restore(choice, files),
            old=Sources(git, fix.commit, mask, side=Side.OLD, max_bytes=most),
            new=Sources(git, fix.parent, mask, side=Side.NEW, max_bytes=most),
            parser=parser,
            policy=policy,
        )
    except ReviewAgentError:
        return UNKNOWN
    return compiled.questions[0].kind.value if compiled.questions else UNKNOWN
