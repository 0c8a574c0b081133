"""``review-agent check``: the review of a CI job. It is recorded, counted in public, and neutral unless a gate is asked
for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from review_agent.commands._common import RUN_KEPT, Base, Exclude, Head, Output, PolicyDir, Repo
from review_agent.commands._context import Background, CiSummary, Description, Said, Sarif, Title
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
from review_agent.commands._review_options import Artifact, CheckFailOn, CheckPrinted, Protected, Summary
from review_agent.commands._review_options import CheckFormat as Format
from review_agent.outlets import KEPT

if TYPE_CHECKING:
    from review_agent.commands._ci import Told
    from review_agent.git import Git
    from review_agent.pipeline import Reviewed
    from review_agent.policy.model import Policy
    from review_agent.vocabulary import CheckSummary

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    app.command("check")(check)


def check(
    repo: Repo = Path(),
    base: Base = None,
    head: Head = None,
    exclude: Exclude = None,
    policy: PolicyDir = None,
    engine: Engine = None,
    model: Model = None,
    base_url: BaseUrl = None,
    header: Header = None,
    key_command: KeyCommand = None,
    answers: Answers = None,
    recorded: Recorded = None,
    title: Title = None,
    description: Description = None,
    background: Background = None,
    ci_summary: CiSummary = None,
    sarif: Sarif = None,
    protected: Protected = None,
    artifact: Artifact = None,
    summary: Summary = None,
    format: CheckPrinted = Format.TEXT,
    output: Output = None,
    fail_on: CheckFailOn = None,
) -> None:
    """Review a change in CI: keep the run log as an artifact, print counts and no card's words.

    Base and head come from --base and --head, REVIEW_AGENT_BASE and REVIEW_AGENT_HEAD, or the event of GitHub or
    GitLab; without any of them HEAD is compared with the default branch. The policy comes from the default branch of
    the remote, or --protected, never from the change. docs/ci.md has the jobs.

    Exit: 0 also for an incomplete run, 1 --fail-on tripped, 2 error, 130 interrupted.
    """
    from review_agent.commands._ci import told
    from review_agent.commands._common import Change, check_globs, check_outputs, state_dir
    from review_agent.commands._rendered import exit_code
    from review_agent.commands._reviewing import Wish, run
    from review_agent.git import Git
    from review_agent.pipeline import Asked

    check_outputs(output, summary)
    check_globs(exclude or ())
    asked = told(os.environ, base, head)
    git = Git(repo)
    state = state_dir(git)
    folder = _folder(artifact or state / "artifact", state)
    _refuse_missing(git, asked)
    options = EngineOptions(engine, model, base_url, header, key_command, answers, recorded)
    said = Said(title, description, background, ci_summary, sarif)
    change = Change(git, state, Asked(asked.base, asked.head), tuple(exclude or ()))
    force = _policy(git, policy, protected, asked)
    reviewed = run(change, Wish(engine=options, said=said, pr=asked.pr), force)
    KEPT.set(RUN_KEPT)
    code, gate = exit_code(reviewed.document, fail_on, {})
    made = _masked(_summary(reviewed, asked, _near(_kept(reviewed, folder)), gate), force)
    _tell(made, format, output, summary, tuple(map(force.masker(), reviewed.notices)))
    raise typer.Exit(code if code == 1 else 0)


def _folder(folder: Path, state: Path) -> Path:
    """The artifact's folder, made before the work. Raises UsageError where it cannot be had."""
    from review_agent.appendlog import state_folder
    from review_agent.commands._common import unwritten

    try:
        if folder.parent == state:
            state_folder(state)
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "name a folder that can be made and written with --artifact DIR"
        raise unwritten(error, "the artifact's folder cannot be made", folder, hint) from error
    return folder


def _refuse_missing(git: Git, asked: Told) -> None:
    """Raises SnapshotError where the clone lacks a commit, or the history between the two, with how to get it."""
    from review_agent.errors import SnapshotError

    shallow = ": the clone is shallow" if git.is_shallow() else ""
    found = []
    for what, ref in (("base", asked.base), ("head", asked.head or "HEAD")):
        try:
            found += [git.resolve(ref)] if ref else []
        except SnapshotError as error:
            # No history brings a HEAD that has no commit yet.
            if "several refs" in error.message or ref == "HEAD":
                raise
            message = f"the {what} {_short(str(ref))} is not in this clone{shallow}"
            raise SnapshotError(message, where=str(git.root), hint=asked.hint) from error
    if shallow and len(found) == 2 and git.merge_base(*found) is None:
        message = f"the history between {_short(found[0])} and {_short(found[1])} is not in this clone{shallow}"
        raise SnapshotError(message, where=str(git.root), hint=asked.hint)


def _short(ref: str) -> str:
    return ref[:12] if len(ref) in (40, 64) and ref.isalnum() else ref


def _policy(git: Git, folder: Path | None, protected: str | None, asked: Told) -> Policy:
    """The policy from the protected side. A ref that the job names and the clone lacks is an error, not the default."""
    from review_agent.errors import PolicyError, SnapshotError
    from review_agent.policy.load import load

    ref = protected or asked.protected
    if folder is not None or ref is None:
        return load(folder, git=git)
    try:
        git.resolve(ref)
    except SnapshotError as error:
        message = f"the policy's protected ref {ref} does not resolve in this clone"
        raise PolicyError(
            message, where=str(git.root), hint=f"{asked.hint}; or name another: --protected REF"
        ) from error
    return load(git=git, ref=ref)


def _kept(reviewed: Reviewed, folder: Path) -> Path:
    """The run log, copied under a name that says what is in it: the review and the digest of the bytes."""
    from hashlib import sha256

    from review_agent.commands._common import unwritten

    try:
        raw = reviewed.path.read_bytes()
        target = folder / f"{reviewed.document.run.review_id[:12]}-{sha256(raw).hexdigest()[:16]}.jsonl"
        partial = folder / f".{target.name}.partial"
        partial.write_bytes(raw)
        partial.replace(target)
    except OSError as error:
        KEPT.set(f"the run is recorded in {reviewed.path}")
        raise unwritten(error, "the artifact cannot be written", folder, "name another --artifact DIR") from error
    return target


def _near(path: Path) -> str:
    """The path as short as it can be said from here."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


def _summary(reviewed: Reviewed, asked: Told, artifact: str, gate: str) -> CheckSummary:
    from review_agent.publish.stage import stage
    from review_agent.publish.summary import summary_of

    return summary_of(
        reviewed.document, reviewed.state.started, stage=stage(), source=asked.source, artifact=artifact, gate=gate
    )


def _masked(made: CheckSummary, policy: Policy) -> CheckSummary:
    """The summary without secrets in names of files and branches, which the record keeps as git knows them."""
    from review_agent.vocabulary import CheckSummary

    return CheckSummary.model_validate(policy.masker().mask_data(made.wire()))


def _tell(made: CheckSummary, format: Format, output: Path | None, page: Path | None, notices: tuple[str, ...]) -> None:
    from review_agent.commands._common import emit, say
    from review_agent.publish.safe import json_text
    from review_agent.publish.summary import summary_markdown, summary_text

    texts = {Format.TEXT: summary_text, Format.MARKDOWN: summary_markdown}
    emit(texts[format](made) if format in texts else json_text(made.wire(), sort_keys=False), output)
    job = os.environ.get("GITHUB_STEP_SUMMARY")
    if page is not None:
        emit(summary_markdown(made), page)
    elif job:
        _append(Path(job), summary_markdown(made))
    for notice in (*notices, *filter(None, [made.gate])):
        say(notice)


def _append(page: Path, text: str) -> None:
    """Adds to the job's page; a page that cannot be written costs no review."""
    from review_agent.commands._common import say

    try:
        with page.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        say(f"the job's summary page {page} cannot be written: {error.strerror}")
