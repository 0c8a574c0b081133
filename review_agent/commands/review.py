"""``review-agent review``: one review of a range or a commit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from review_agent.commands._common import (
    RUN_KEPT,
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
    change,
    check_outputs,
    emit,
    say,
)
from review_agent.commands._context import Background, CiSummary, Description, Said, Sarif, Title
from review_agent.commands._continuing import Continue
from review_agent.commands._engine import (
    Answers,
    BaseUrl,
    Engine,
    EngineOptions,
    Header,
    KeyCommand,
    Model,
    Recorded,
)
from review_agent.commands._review_options import Details, FailOn, Format, NoMemory, Printed
from review_agent.errors import RecordError
from review_agent.outlets import KEPT

if TYPE_CHECKING:
    from review_agent.pipeline import Reviewed

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("review")(review)


def review(
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
    model: Model = None,
    base_url: BaseUrl = None,
    header: Header = None,
    key_command: KeyCommand = None,
    answers: Answers = None,
    recorded: Recorded = None,
    continue_: Continue = None,
    title: Title = None,
    description: Description = None,
    background: Background = None,
    ci_summary: CiSummary = None,
    sarif: Sarif = None,
    format: Printed = Format.TEXT,
    details: Details = False,
    output: Output = None,
    fail_on: FailOn = None,
    no_memory: NoMemory = False,
) -> None:
    """Review a change and print its cards.

    Without an option that names the change it compares the merge base of HEAD and the remote's default branch with
    HEAD. A review that was interrupted goes on where it stopped when the same command is run again. Nothing of the
    repository is written but .review-agent/.

    With --engine batch it writes its questions to a file and stops; --continue RUN --answers FILE goes on
    (docs/assistants.md).

    Exit: 0 complete, 1 --fail-on tripped, 2 error, 3 incomplete, 4 waiting for answers, 130 interrupted.
    """
    from review_agent.commands import _beside
    from review_agent.commands._rendered import exit_code, rendered
    from review_agent.commands._reviewing import Wish, run
    from review_agent.pipeline import Asked

    check_outputs(output)
    options = EngineOptions(engine, model, base_url, header, key_command, answers, recorded)
    said = Said(title, description, background, ci_summary, sarif)
    wish = Wish(policy, options, said, continue_, memory=not no_memory)
    aside = [*(answers or ()), *(recorded or ()), *([output] if output else ())]
    with change(repo, Asked(base, head, commit, staged, worktree), diff, no_repo, exclude, aside) as it:
        reviewed = run(it, wish)
        KEPT.set(RUN_KEPT)
        beside = _beside.notices(it, reviewed, policy, again=continue_ is not None)
    states = _states(it.state, reviewed) if fail_on or format is Format.TEXT else {}
    emit(rendered(reviewed, format, states, details=details), output)
    code, gate = exit_code(reviewed.document, fail_on, states)
    for notice in (*reviewed.notices, *beside, *filter(None, [gate])):
        say(notice)
    raise typer.Exit(code)


def _states(state: Path, reviewed: Reviewed) -> dict[str, str]:
    """What people have decided on the findings of this review before: each card's state, or that of the card that
    stands for it."""
    from datetime import UTC, datetime

    from review_agent.memory.beginning import journal_records
    from review_agent.memory.verdicts import standing

    try:
        stand = standing(journal_records(state), datetime.now(UTC).date())
    except RecordError as error:
        # The review is recorded in its run log: a journal that has to be mended first does not keep it from its reader.
        say(f"earlier decisions are not shown: {error.message} ({error.hint})")
        return {}
    cards = reviewed.document.outcomes.cards
    return {card.card_id: stand[card.card_id] for card in cards if card.card_id in stand}
