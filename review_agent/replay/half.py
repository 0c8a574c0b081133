"""One half reviewed: its repository, the ordinary pipeline, and what came out held against what was expected."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from review_agent.errors import ReviewAgentError
from review_agent.git import Git
from review_agent.pipeline import Asked, Reviewed, Setup, review
from review_agent.policy.model import Policy
from review_agent.replay.alarms import explained
from review_agent.replay.judging import judged, verdict
from review_agent.replay.layers import missed
from review_agent.replay.records import HalfResult, Job, Overlay
from review_agent.replay.repositories import build
from review_agent.replay.signature import signature
from review_agent.replay.trail import trail
from review_agent.vocabulary import Engine

__all__ = ["failed", "replayed"]

_Reviewing = Callable[[Setup], Reviewed]


def replayed(job: Job, policy: Policy, engine: Engine, logs: Path) -> HalfResult:
    """The result of one half; its run log goes to ``logs``. An error of the review is the half's failure."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="review-agent-replay-", ignore_cleanup_errors=True) as folder:
        try:
            reviewed = review(_setup(job, policy, engine, Path(folder)))
        except ReviewAgentError as error:
            return failed(job, f"{error.message} ({error.where})" if error.where else error.message)
        except Exception as error:  # noqa: BLE001 - a bug met on one half costs that half, and the report says so
            return failed(job, f"a bug of ours: {type(error).__name__}: {error} ({_frame(error)})")
        log = _kept(reviewed.path, logs, job)
    result = _result(job, reviewed, log)
    return result.model_copy(update={"seconds": round(time.monotonic() - started, 3)})


def failed(job: Job, reason: str) -> HalfResult:
    """The result of a half that gave none."""
    return HalfResult(unit=job.unit, verdict="failed", reason=reason)


def _setup(job: Job, policy: Policy, engine: Engine, folder: Path) -> Setup:
    origin, state = job.origin, folder / "state"
    if isinstance(origin, Overlay):
        base, head = build(origin, folder / "repository")
        return Setup(
            git=Git(folder / "repository"),
            policy=policy,
            engine=engine,
            state_dir=state,
            asked=Asked(base, head),
            memory=False,
        )
    git = Git(Path(origin.repository))
    asked = Asked(commit=origin.head) if origin.base is None else Asked(origin.base, origin.head)
    return Setup(git=git, policy=policy, engine=engine, state_dir=state, asked=asked, memory=False)


def _frame(error: Exception) -> str:
    """Where the exception was raised, as far as it is our code: what a maintainer asks first."""
    frames = traceback.extract_tb((error.__cause__ or error).__traceback__)
    last = next((one for one in reversed(frames) if "review_agent" in one.filename), None)
    return "" if last is None else f"review_agent{last.filename.rpartition('review_agent')[2]}:{last.lineno}"


def _kept(log: Path, logs: Path, job: Job) -> Path:
    """The run log under the half's own name, in place of an earlier one of the same half."""
    logs.mkdir(parents=True, exist_ok=True)
    kept = logs / f"{job.unit.replace('/', '.').replace(':', '.')}.jsonl"
    with contextlib.suppress(FileNotFoundError):
        kept.unlink()
    shutil.move(log, kept)
    return kept


def _result(job: Job, reviewed: Reviewed, log: Path) -> HalfResult:
    document, way = reviewed.document, trail(reviewed.state, reviewed.document)
    found = judged(document.outcomes.cards, job.expected, way.files)
    worth = verdict(found, job.expected)
    return HalfResult(
        unit=job.unit,
        verdict=worth,
        status=document.run.status,
        cards=explained(found, document.outcomes.cards, way),
        miss=missed(job.expected, way) if worth in ("missed", "other_kind") else None,
        outcomes=signature(document, way.questions),
        questions=len(way.questions),
        run_log=f"{log.parent.name}/{log.name}",
    )
