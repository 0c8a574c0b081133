"""Jobs of the validation catalogue: which apply to a card, what a result is, and running one here.

A job is asked for and its result attached by a decision (``adjudication``). Nothing is run unless a person says so;
then the argument list of the protected policy is started, never a shell, over files of the reviewed commit that are
nobody's clone. What runs code of the reviewed change needs leave from the policy and from whoever starts it.
"""

from __future__ import annotations

import hashlib
import shutil
import string
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from review_agent.errors import ProcessError, UsageError
from review_agent.git import Git
from review_agent.gitcheckout import ENVIRONMENT
from review_agent.masking import Masker
from review_agent.policy.model import CatalogEntry, Policy
from review_agent.process import Completed, search_path
from review_agent.process import run as started
from review_agent.stages.verification import fitting, slots
from review_agent.vocabulary import Proof, Question, ReviewEvidenceCard, Verification

__all__ = [
    "BY_HAND",
    "Job",
    "Ran",
    "applicable",
    "attach",
    "check_attachable",
    "proposed",
    "requested",
    "run",
    "startable",
]

BY_HAND = "by hand"
"""The job of a result that somebody found by other means, where no job was asked for."""

_AT_MOST = 2
_MARGIN = 4
"""So many times what is kept is masked, so that a secret across the cut is seen whole."""

Result = Literal["pass", "fail"]


@dataclass(frozen=True)
class Job:
    """One way to settle a card: ``procedure``, ``signal`` and ``argv`` are the catalogue's, filled in; the exit codes
    are those of CatalogEntry. ``refusal``: why it cannot be run here by anybody, empty where it can."""

    id: str
    kind: str
    procedure: str
    signal: str
    runs_changed_code: bool
    argv: tuple[str, ...]
    refusal: str
    pass_codes: tuple[int, ...]
    fail_codes: tuple[int, ...]


@dataclass(frozen=True)
class Ran:
    """A job that came to its end. ``result`` is null where its exit code leaves that to whoever reads ``output``."""

    job: Job
    code: int
    output: bytes
    result: Result | None


def proposed(card: Mapping[str, Any], question: Mapping[str, Any], policy: Policy) -> tuple[Job, ...]:
    """The one or two jobs that the card names under ``verification``, by the policy in force; both are wire data."""
    distinct: dict[tuple[str, str], Job] = {}
    for job in applicable(card, question, policy):
        distinct.setdefault((job.procedure, job.signal), job)
    return tuple(distinct.values())[:_AT_MOST]


def applicable(card: Mapping[str, Any], question: Mapping[str, Any], policy: Policy) -> tuple[Job, ...]:
    """Every job of the catalogue that can settle the card, those it proposes first."""
    read, asked = ReviewEvidenceCard.model_validate(card), Question.model_validate(question)
    values = slots(read, asked)
    return tuple(_job(entry, filled, values) for entry, filled in fitting(read, asked, policy))


def requested(card: Mapping[str, Any], question: Mapping[str, Any], policy: Policy, job: str) -> Proof:
    """The proof that a ``needs_proof`` decision asks for. Raises UsageError for a job that does not settle the card."""
    return Proof(job=_named(card, question, policy, job).id)


def check_attachable(
    card: Mapping[str, Any], question: Mapping[str, Any], policy: Policy, job: str, asked: str | None
) -> None:
    """Raises UsageError for a job whose result does not go with the card, whoever brings it.

    ``asked``: the job that the latest decision asks for; it is good even where the catalogue has since lost it, and
    ``adjudication`` takes no other then. What was done ``by hand`` is a known word; all else has to settle the card.
    """
    if job not in (asked, BY_HAND):
        _named(card, question, policy, job)


def attach(job: str, result: Result, log: bytes | None, mask: Masker, most: int) -> Proof:
    """The proof that an ``attach`` decision brings: the hash is of the raw bytes, the text is masked and cut.

    ``most``: characters kept, the beginning and the end of it.
    """
    if log is None:
        return Proof(job=job, result=result)
    return Proof(
        job=job,
        result=result,
        log=_kept(log, mask, most),
        log_sha256=hashlib.sha256(log).hexdigest(),
        log_bytes=len(log),
    )


def startable(
    card: Mapping[str, Any], question: Mapping[str, Any], policy: Policy, job: str, allow_running_changed_code: bool
) -> Job:
    """The job, if ``run`` may start it.

    Raises UsageError for one that does not apply, is for people only, would run code of the reviewed change without
    leave, or whose values could be taken for options.
    """
    chosen = _named(card, question, policy, job)
    if chosen.refusal:
        raise UsageError(f"the job {job} cannot be run: {chosen.refusal}", hint=f"by hand: {chosen.procedure}")
    if not chosen.runs_changed_code:
        return chosen
    if not policy.jobs.allow_running_changed_code:
        raise UsageError(
            f"the job {job} runs code of the reviewed change, and the policy does not allow that",
            hint="run it where it can do no harm and attach the log, or allow it in the policy's jobs.yml",
        )
    if not allow_running_changed_code:
        raise UsageError(
            f"the job {job} runs code of the reviewed change",
            hint="if you trust that code on this machine: --allow-running-changed-code",
        )
    return chosen


def run(
    git: Git,
    card: Mapping[str, Any],
    question: Mapping[str, Any],
    head: str,
    policy: Policy,
    job: str,
    *,
    allow_running_changed_code: bool = False,
) -> Ran:
    """Runs a job over the files of the commit ``head`` in a folder that is gone afterwards, within the policy's limits.

    Raises what ``startable`` does; SnapshotError where the commit is not here; ProcessError where the job cannot be
    started, is late or prints too much.
    """
    chosen, limits = startable(card, question, policy, job, allow_running_changed_code), policy.jobs
    with tempfile.TemporaryDirectory(prefix="review-agent-job-") as folder:
        files, environment = Path(folder, "files"), _environment(Path(folder))
        files.mkdir()
        git.checkout(git.resolve(head), files)
        done = started(
            _located(chosen.argv),
            cwd=files,
            timeout=limits.seconds,
            max_output=limits.output_bytes,
            environment=environment,
        )
    if done.truncated:
        raise ProcessError(
            f"the job {job} printed more than {limits.output_bytes} bytes and was stopped",
            hint="outputBytes in the policy's jobs.yml is the limit",
        )
    return Ran(chosen, done.returncode, _output(done), _result(chosen, done.returncode))


def _job(entry: CatalogEntry, filled: Verification, values: Mapping[str, str]) -> Job:
    argv = tuple(template.format_map(values) for template in entry.argv) if _can_be_filled(entry, values) else ()
    return Job(
        id=entry.id,
        kind=entry.kind,
        procedure=filled.command_or_procedure,
        signal=filled.expected_signal,
        runs_changed_code=entry.runs_changed_code,
        argv=argv,
        refusal=_refusal(entry, argv),
        pass_codes=entry.pass_codes,
        fail_codes=entry.fail_codes,
    )


def _can_be_filled(entry: CatalogEntry, values: Mapping[str, str]) -> bool:
    names = {name for template in entry.argv for _, name, _, _ in string.Formatter().parse(template) if name}
    return names <= values.keys()


def _refusal(entry: CatalogEntry, argv: Sequence[str]) -> str:
    """Why the job cannot be run here at all; empty where it can.

    A value comes from the change under review: where it begins an argument, it must not read as an option.
    """
    if not entry.argv:
        return "it is for people: the catalogue has no command for it"
    if not argv:
        return "a value that its command needs is not known of this card"
    for place, template in enumerate(entry.argv):
        if template.startswith("{") and argv[place].startswith("-") and "--" not in argv[:place]:
            return f"its argument {argv[place]!r} comes from the change and would be read as an option"
    return ""


def _named(card: Mapping[str, Any], question: Mapping[str, Any], policy: Policy, job: str) -> Job:
    jobs = {one.id: one for one in reversed(applicable(card, question, policy))}
    if job not in jobs:
        known = any(entry.id == job for entry in policy.catalog)
        said = f"the job {job!r} does not settle this card" if known else f"the catalogue has no job {job!r}"
        raise UsageError(said, where=str(card["cardId"]), hint=f"jobs that do: {', '.join(reversed(jobs))}")
    return jobs[job]


def _located(argv: Sequence[str]) -> tuple[str, ...]:
    """The command with the place of its program, which none of the reviewed files can stand in for."""
    program = shutil.which(argv[0], path=search_path())
    if program is None:
        raise ProcessError(f"{argv[0]} is not installed here", hint=f"install {argv[0]}, or check PATH")
    return program, *argv[1:]


def _environment(folder: Path) -> dict[str, str]:
    """A home and a place for temporary files that are gone with the folder."""
    for name in ("home", "tmp"):
        (folder / name).mkdir()
    own = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp")}
    return {**ENVIRONMENT, **own, "GIT_CEILING_DIRECTORIES": str(folder)}


def _result(job: Job, code: int) -> Result | None:
    return "pass" if code in job.pass_codes else "fail" if code in job.fail_codes else None


def _output(done: Completed) -> bytes:
    return done.stdout + (b"\n[on standard error]\n" + done.stderr if done.stderr else b"")


def _kept(log: bytes, mask: Masker, most: int) -> str:
    """The masked text, or its beginning and end with a word of what is left out between them."""
    text = log.decode("utf-8", "replace")
    if len(text) <= most:
        return mask(text)
    half, around = most // 2, most * _MARGIN
    first, last = mask(text[:around])[:half], mask(text[-around:])[-half:]
    return f"{first}\n[… {len(text) - 2 * half} characters left out …]\n{last}"
