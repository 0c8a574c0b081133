"""``review-agent preview``: what a review would ask, and what it would leave out, without collecting or answering."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import (
    Base,
    Commit,
    Diff,
    Exclude,
    Head,
    NoRepo,
    Output,
    PolicyDir,
    Repo,
    Staged,
    Worktree,
)
from review_agent.commands._engine import Engine, EngineOptions

if TYPE_CHECKING:
    from review_agent.commands._common import Change
    from review_agent.policy.model import Policy
    from review_agent.stages.questions import Compiled
    from review_agent.vocabulary import Coverage, Snapshot

__all__ = ["register"]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True)
class Further:
    """How many questions the compiler of an engine may add at most to those of the rules."""

    engine: str
    most: int


def register(app: typer.Typer) -> None:
    app.command("preview")(preview)


def preview(
    repo: Repo = Path(),
    base: Base = None,
    head: Head = None,
    commit: Commit = None,
    staged: Staged = False,
    worktree: Worktree = False,
    diff: Diff = None,
    no_repo: NoRepo = False,
    exclude: Exclude = None,
    policy: PolicyDir = None,
    engine: Engine = None,
    format: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
    output: Output = None,
) -> None:
    """Print the questions a review would ask and the files and hunks it would skip. Nothing is recorded.

    These are the questions of the rules, whatever engine is chosen: no model is asked for further ones, and how many
    it may add is said.

    Exit: 0, or 2 on an error, or 3 where a file cannot be examined or a rule fails.
    """
    from review_agent.commands._beside import unread
    from review_agent.commands._common import change, emit, protected_policy, say
    from review_agent.commands._empty import why_empty
    from review_agent.commands._engine import wanted
    from review_agent.engines.building import RULES
    from review_agent.stages.account import coverage
    from review_agent.stages.snapshot import Asked

    asked = Asked(base, head, commit, staged, worktree)
    with change(repo, asked, diff, no_repo, exclude, [output] if output else ()) as it:
        rules = protected_policy(it.git, policy)
        asked_of = wanted(EngineOptions(engine), rules).name
        taken, compiled = _compiled(it, rules)
        for notice in unread(it, policy, empty=not taken.files):
            say(notice)
        if not taken.files:
            say(why_empty(it.git, it.asked, taken.base, taken.head, taken.merge_base))
    counts = coverage(taken.files, compiled.skipped, compiled.failed, compiled.line_facts_only, compiled.failures)
    further = Further(asked_of, 0 if asked_of == RULES else _most_further(taken, compiled, rules))
    emit((_json if format is Format.JSON else _text)(taken, compiled, counts, further), output)
    raise typer.Exit(3 if compiled.failed or compiled.failures else 0)


def _json(change: Snapshot, compiled: Compiled, counts: Coverage, further: Further) -> str:
    from review_agent.publish.safe import json_text

    data = {
        "base": change.base,
        "head": change.head,
        "mergeBase": change.merge_base,
        "questions": [question.wire() for question in compiled.questions],
        "skipped": [skip.wire() for skip in compiled.skipped],
        "coverage": counts.wire(),
        "compiler": {"engine": further.engine, "mostQuestions": further.most},
    }
    return json_text(data)


def _compiled(it: Change, policy: Policy) -> tuple[Snapshot, Compiled]:
    from review_agent.sources import Sources
    from review_agent.stages.questions import compile_questions
    from review_agent.stages.snapshot import choose, read
    from review_agent.syntax.parser import Parser
    from review_agent.vocabulary import Side

    mask = policy.masker()
    taken = read(it.git, choose(it.git, it.asked), mask)
    size = policy.budgets.blob_bytes
    with Parser() as parser:
        compiled = compile_questions(
            taken,
            old=Sources(it.git, taken.merge_base, mask, side=Side.OLD, max_bytes=size),
            new=Sources(it.git, taken.head, mask, side=Side.NEW, max_bytes=size),
            parser=parser,
            policy=policy,
            exclude=it.exclude,
        )
    return taken, compiled


def _most_further(taken: Snapshot, compiled: Compiled, policy: Policy) -> int:
    from review_agent.stages.grouping import grouped

    aside = {skip.hunk_id or skip.path for skip in compiled.skipped if skip.question_id is None}
    groups = grouped(taken.files, aside | {one.path for one in compiled.failed}, policy.engine.group_bytes).all
    shown = min(len(groups), policy.engine.groups_per_run)
    return min(policy.engine.questions_per_run, policy.engine.questions_per_group * shown)


def _text(change: Snapshot, compiled: Compiled, counts: Coverage, further: Further) -> str:
    from review_agent.counting import counted
    from review_agent.publish.safe import terminal

    lines = [terminal(change.chosen), ""]
    for question in compiled.questions:
        place = f"{question.path}:{question.anchor.start_line}"
        lines += [
            terminal(f"? {question.kind} · {place} · {question.rule} · risk {question.risk} · {question.question_id}"),
            terminal(f"  change        {question.change}"),
            terminal(f"  precondition  {question.precondition}"),
            terminal(f"  consequence   {question.consequence}"),
            terminal(f"  refuted if    {'; or '.join(question.refuted_if)}"),
            terminal(f"  plan          {' · '.join(f'{query.kind}({query.name})' for query in question.plan)}"),
            "",
        ]
    lines += [
        terminal(f"- skipped {skip.path}{f' hunk {skip.hunk_id}' if skip.hunk_id else ''}: {skip.rule} {skip.detail}")
        for skip in compiled.skipped
    ]
    lines += [terminal(f"! failed {item.path}: {item.detail}") for item in compiled.failed]
    lines += [terminal(f"! failed rule {item.name} at {item.path}: {item.detail}") for item in compiled.failures]
    if further.most:
        added = counted(further.most, "question")
        lines.append(f"+ the compiler of engine {further.engine} may add up to {added}; preview asks no model")
    lines.append(
        f"{counted(len(compiled.questions), 'question')} · would review "
        f"{counts.files_examined} of {counted(counts.files, 'file')}, "
        f"{counts.hunks_examined} of {counted(counts.hunks, 'hunk')}"
    )
    return "\n".join(lines) + "\n"
