"""One review as a command asks for it: policy, engine and context put together, and what a waiting run needs said."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from review_agent.commands._common import TYPED
from review_agent.commands._context import Said
from review_agent.commands._engine import EngineOptions
from review_agent.counting import counted
from review_agent.engines.building import BATCH

if TYPE_CHECKING:
    from review_agent.commands._common import Change
    from review_agent.commands._continuing import Begun
    from review_agent.engines.building import Built
    from review_agent.pipeline import Reviewed, Setup
    from review_agent.policy.model import Policy
    from review_agent.runlog import RunState
    from review_agent.vocabulary import ContextItem

__all__ = ["Wish", "notices", "run", "said_items"]


@dataclass(frozen=True)
class Wish:
    """How a change is to be reviewed, by the options. ``goOn``: the run to go on with, by name."""

    policy: Path | None = None
    engine: EngineOptions = field(default_factory=EngineOptions)
    said: Said = field(default_factory=Said)
    go_on: str | None = None
    memory: bool = True
    pr: str | None = None


def run(it: Change, wish: Wish, policy: Policy | None = None) -> Reviewed:
    """The review, or the rest of the run that is gone on with; its notices hold all that the reader has to know.

    ``policy``: the one in force, where the caller knows it.
    """
    from review_agent.commands._beside import unused_options
    from review_agent.commands._common import protected_policy
    from review_agent.commands._continuing import begun, same_review
    from review_agent.commands._engine import built, wanted
    from review_agent.commands._progress import Progress
    from review_agent.pipeline import Setup, review

    gone_on = begun(it.state, wish.go_on) if wish.go_on is not None else None
    if gone_on is not None and gone_on.ended is not None:
        return _told_again(it, wish, gone_on, policy)
    if gone_on is not None:
        it = gone_on.change(it)
        wish = replace(wish, engine=gone_on.options(wish.engine), memory=wish.memory and not gone_on.forgets)
    policy = policy or protected_policy(it.git, wish.policy)
    made = built(wish.engine, policy, it.state)
    context = said_items(it, wish.said, policy) or (gone_on.context if gone_on else _recorded(it, made))
    with Progress() as progress:
        setup = Setup(
            git=it.git,
            policy=policy,
            engine=made.engine,
            state_dir=it.state,
            asked=it.asked,
            exclude=it.exclude,
            progress=progress.at,
            memory=wish.memory,
            pr=wish.pr,
            context=context,
        )
        if gone_on is not None:
            same_review(gone_on, setup)
        reviewed = review(setup)
    unused = unused_options(wish.engine, wanted(wish.engine, policy).name)
    beside = (*_unread(setup), *filter(None, [unused]), *notices(reviewed, made, it))
    return replace(reviewed, notices=(*reviewed.notices, *beside))


def _told_again(it: Change, wish: Wish, run: Begun, policy: Policy | None) -> Reviewed:
    """The result of a run that had ended before it was told, as one whose last command was killed."""
    from review_agent.commands._common import protected_policy, read_run
    from review_agent.commands._continuing import over
    from review_agent.engines.rules import Rules
    from review_agent.pipeline import Setup, told

    if it.asked != type(it.asked)():
        it = run.change(it)
    force = policy or protected_policy(it.git, wish.policy)
    setup = Setup(it.git, force, Rules(), it.state, asked=it.asked, memory=wish.memory and not run.forgets, pr=wish.pr)
    reviewed = told(setup, run.path, read_run(run.path))
    return replace(reviewed, notices=(*reviewed.notices, over(run)))


def said_items(it: Change, said: Said, policy: Policy) -> tuple[ContextItem, ...]:
    """What was said about the change, as a model is shown it. Raises UsageError for a file that cannot be read."""
    if not said:
        return ()
    changed: set[str] = set()
    if said.sarif:
        from review_agent.diff import paths
        from review_agent.stages.snapshot import choose

        choice = choose(it.git, it.asked)
        changed = paths(it.git.raw_diff(choice.merge_base, choice.head))
    return said.items(policy, changed)


def _recorded(it: Change, made: Built) -> tuple[ContextItem, ...]:
    """What had been said about the change when the answers were given that are played now."""
    if made.recorded is None:
        return ()
    from review_agent.stages.snapshot import choose

    choice = choose(it.git, it.asked)
    return made.recorded.said(choice.merge_base, choice.head)


def _unread(setup: Setup) -> list[str]:
    if not setup.context or setup.is_modelled:
        return []
    return [f"what was said about the change was not read: {setup.engine.identity} reads code alone"]


def notices(reviewed: Reviewed, made: Built, it: Change) -> list[str]:
    """What a batch has to say: answers that were passed over, and where the requests are that wait for theirs."""
    from review_agent.vocabulary import RunStatus

    if made.batch is None:
        return []
    found = list(made.batch.notices)
    if reviewed.document.run.status is RunStatus.WAITING:
        files = ", ".join(map(_near, made.batch.written))
        found.append(
            f"waiting for answers to {_open(reviewed.state)}, in {files}\n"
            f"  next   answer them as docs/assistants.md says, then run:\n"
            f"         {_going_on(reviewed, it)}"
        )
    return found


def _open(state: RunState) -> str:
    """How many requests of which role wait, and how many beside them are answered already."""
    told = []
    for role, ids in state.open.items():
        brought = [one for one, of in state.roles.items() if of == role and one in state.answers]
        done = sum(state.answers[one].engine.startswith(f"{BATCH}:") for one in brought)
        beside = f" ({done} of {done + len(ids)} answered already)" if done else ""
        told.append(f"{counted(len(ids), f'{role} request')}{beside}")
    return " and ".join(told)


def _going_on(reviewed: Reviewed, it: Change) -> str:
    """The command that goes on. What is in no commit is made again from where it was: by the command that began it,
    with the answers that it was given, as they may lie in the work tree and be no part of it."""
    asked = it.asked
    if asked.commits:
        root = it.git.root
        elsewhere = "" if Path.cwd().is_relative_to(root) else f" --repo {shlex.quote(str(root))}"
        return f"review-agent review --continue {reviewed.path.stem} --answers FILE{elsewhere}"
    what = "the index" if asked.staged else "the work tree" if asked.worktree else "the diff"
    return f"{shlex.join(['review-agent', *TYPED.get(), '--answers'])} FILE\n         with {what} as it is now"


def _near(path: Path) -> str:
    """The path as short as it can be said from here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
