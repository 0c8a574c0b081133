"""``review --continue RUN``: the change, the context and the engine of a run that waits or was interrupted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from review_agent.errors import UsageError

if TYPE_CHECKING:
    from review_agent.commands._common import Change
    from review_agent.commands._engine import EngineOptions
    from review_agent.git import Git
    from review_agent.pipeline import Setup
    from review_agent.stages.snapshot import Asked, Choice
    from review_agent.vocabulary import ContextItem

__all__ = ["Begun", "Continue", "begun", "over", "same_review"]

Continue = Annotated[
    str | None,
    typer.Option(
        "--continue",
        help="Go on with this run: the start of its name or review id, or latest. With --answers for a batch.",
        metavar="RUN",
    ),
]
_ANEW = "run the command that began it again, with the same options and --answers FILE"


@dataclass(frozen=True)
class Begun:
    """A run to go on with: its log, what it said as it began, and what was told it of the change. ``ended``: its status
    where it has ended, so that there is only its result to be told."""

    path: Path
    started: dict[str, Any]
    context: tuple[ContextItem, ...]
    ended: str | None = None

    @property
    def forgets(self) -> bool:
        return bool(self.started.get("forgets"))

    def change(self, it: Change) -> Change:
        """The change as the command line has it, else the run's own.

        Raises UsageError where the two differ, or the run's commits are not here.
        """
        exclude = it.exclude or tuple(self.started["options"].get("exclude", ()))
        if it.asked == type(it.asked)():
            it = replace(it, asked=self._asked(it.git))
        from review_agent.stages.snapshot import choose

        choice = choose(it.git, it.asked)
        for name, here in _compared(choice):
            if here != self.started[name]:
                there = str(self.started[name])[:12]
                message = f"{self.path.stem} has another {name}: {there} there, {here[:12]} here"
                raise UsageError(message, where=str(self.path), hint="leave out what names the change, or review anew")
        return replace(it, exclude=exclude)

    def _asked(self, git: Git) -> Asked:
        from review_agent.stages.snapshot import Asked

        base, head = self.started["base"], self.started["head"]
        if git.missing(head):
            message = f"the head {head[:12]} of the run is not in this clone, or was never committed"
            raise UsageError(message, where=str(self.path), hint=f"fetch it, or {_ANEW}")
        return Asked(commit=head) if base == git.empty_tree() else Asked(base, head)

    def options(self, options: EngineOptions) -> EngineOptions:
        """The engine as the command line names it, else the run's."""
        name, model = _of_identity(str(self.started["engine"]))
        return replace(options, engine=options.engine or name, model=options.model or model)


def begun(state: Path, name: str) -> Begun:
    """The run that is meant. Raises UsageError where there is none, or it cannot be gone on with; RecordError."""
    from review_agent.commands._common import read_run
    from review_agent.commands._runs import find_run
    from review_agent.engines.recorded import OF_HEAD
    from review_agent.runlog import is_from_elsewhere
    from review_agent.stages.account import records
    from review_agent.vocabulary import ContextItem, Phase

    path = _newest(state / "runs") if name == "latest" else find_run(state / "runs", name)
    if is_from_elsewhere(path) or path.parent.resolve() != (state / "runs").resolve():
        message = "the run was not begun in this clone, so it does not go on here"
        raise UsageError(message, where=str(path), hint="go on with it where it was begun, or review anew")
    run = read_run(path)
    _check_beginning(path, run.started)
    said = records(run, Phase.SNAPSHOT, "context", ContextItem)
    status = None if run.ended is None else str(run.ended["status"])
    return Begun(path, run.started, tuple(item for item in said if item.label not in OF_HEAD), status)


def _check_beginning(path: Path, started: dict[str, Any]) -> None:
    """Raises RecordError where the first event does not say what a run is told apart by."""
    from review_agent.errors import RecordError
    from review_agent.runstate import IDENTITY

    options = started.get("options")
    left_out = options.get("exclude", []) if isinstance(options, dict) else None
    texts = [started.get(name) for name in IDENTITY if name != "options"]
    sound = isinstance(left_out, list) and all(isinstance(one, str) for one in (*texts, *left_out))
    if not sound or not _are_globs(left_out or []):
        message = "run_started does not say of what, by which engine and with which options the run is"
        raise RecordError(message, where=f"{path}:1", hint="the file was written by another version, or edited")


def _are_globs(texts: list[str]) -> bool:
    from review_agent import globs

    try:
        globs.spec(texts)
    except ValueError:
        return False
    return True


def _newest(runs: Path) -> Path:
    """The newest run of this clone that has not ended. Raises UsageError where there is none."""
    from review_agent.commands._common import say
    from review_agent.commands._runs import find_run
    from review_agent.memory.telling import heads
    from review_agent.runlog import has_begun, is_from_elsewhere

    # What plays a record begins anew each time, and what was killed before it had begun is nothing to go on with.
    here = [run for run in heads(runs) if not is_from_elsewhere(run.path)]
    own = [run for run in here if not run.started.get("plays") and has_begun(run.path)]
    open_ = [run.path for run in own if not run.ended]
    if open_:
        others = ", ".join(path.stem for path in open_[:-1])
        say(f"goes on with {open_[-1].stem}" + (f"; not ended either: {others}" if others else ""))
        return open_[-1]
    return own[-1].path if own else find_run(runs, "latest")


def over(run: Begun) -> str:
    """What is to be said of a run that has ended: of an incomplete one, too, that a new run takes the answers."""
    from review_agent.vocabulary import RunStatus

    hint = "review without --continue to begin another"
    if run.ended == RunStatus.INCOMPLETE:
        hint = "run the command that began it again, without --continue: only what has no answer is asked"
    return f"{run.path.stem} has ended: {run.ended}; this is its result, nothing was asked anew\n  next   {hint}"


def same_review(run: Begun, setup: Setup) -> None:
    """Raises UsageError where policy, engine, product or options are not those that the run was begun with."""
    from review_agent import __version__

    here = {
        "policyHash": (setup.policy.hash, "policy"),
        "engine": (setup.engine.identity, "engine"),
        "product": (__version__, "product version"),
        "options": (setup.options(), "set of options"),
    }
    for name, (value, word) in here.items():
        if run.started[name] != value:
            there, now = _short(run.started[name]), _short(value)
            message = f"{run.path.stem} was begun with another {word}: {there} there, {now} here"
            hint = f"go back to what it was begun with, or review without --continue; where options differ: {_ANEW}"
            raise UsageError(message, where=str(run.path), hint=hint)


def _short(value: Any) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 else text


def _compared(choice: Choice) -> tuple[tuple[str, str], ...]:
    return ("base", choice.base), ("head", choice.head), ("mergeBase", choice.merge_base)


def _of_identity(identity: str) -> tuple[str, str | None]:
    """Engine and model by what an identity says; a rules or openai run is gone on with by its own engine."""
    name, _, rest = identity.rpartition("+")[2].partition(":")
    model = rest.rpartition("/")[0]
    return (name, model or None) if rest else ("rules", None)
