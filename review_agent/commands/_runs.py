"""Which recorded run is meant: by name, by a card of it or by the commit that it reviewed; and how runs differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from review_agent.counting import counted
from review_agent.errors import RecordError, SnapshotError, UsageError

if TYPE_CHECKING:
    from review_agent.git import Git

__all__ = ["find_run", "is_file", "run_of", "run_of_card", "runs_told"]

_CARD = re.compile(r"[0-9a-f]{4,64}")
_TOLD = 5  # so many runs are told apart; older ones are left out
_LONG = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28}(?:[0-9a-f]{24})?\b")


def find_run(runs: Path, name: str) -> Path:
    """The run log that ``name`` means: a path, ``latest``, or the start of a file name or of its review id.

    Raises UsageError where none or several match, telling apart the runs there are.
    """
    found = _named(runs, name)
    if len(found) == 1:
        return found[0]
    raise _unclear(runs, name, found)


def run_of(runs: Path, name: str, git: Git | None) -> tuple[Path, str]:
    """The run log that ``name`` means as above, a whole review id its newest run; else the newest that has this card or
    reviewed this commit; and the card's id, where a card was named. Raises UsageError as ``find_run`` does."""
    found = _named(runs, name)
    if len(found) == 1 or (found and all(path.stem.endswith(f"-{name}") for path in found)):
        return found[-1], ""
    if not found:
        of_card = run_of_card(runs, name)
        if of_card is not None:
            return of_card
        of_commit = _reviewed(runs, name, git)
        if of_commit is not None:
            return of_commit, ""
    raise _unclear(runs, name, found, ", the start of a card's id or a commit")


def run_of_card(runs: Path, start: str) -> tuple[Path, str] | None:
    """The newest run that has a card whose id begins so, and that id; null where none has.

    Raises UsageError where it has several such cards.
    """
    if not _CARD.fullmatch(start):
        return None
    from review_agent.memory.telling import card_ids

    needle = f'"cardId":"{start}'.encode()
    for path in sorted(runs.glob("*.jsonl"), reverse=True):
        # Most logs lack the words, and to look for them costs a fraction of what it costs to read the records.
        if needle in path.read_bytes():
            cards = [one for one in card_ids(path) if one.startswith(start)]
            if len(cards) > 1:
                hint = f"give more of its id: {', '.join(one[: len(start) + 4] for one in sorted(cards)[:_TOLD])}"
                raise UsageError(f"{start!r} means {counted(len(cards), 'card')} of {path.stem}", hint=hint)
            if cards:
                return path, cards[0]
    return None


def runs_told(paths: Sequence[Path]) -> Iterator[str]:
    """A line a run, the newest last: its name, when it began, how many cards it has and what it compared."""
    from review_agent.memory.telling import card_ids
    from review_agent.runlog import read_events

    for path in paths[-_TOLD:]:
        try:
            first = next(read_events(path))
        except (RecordError, StopIteration):
            yield f"{path.stem}: cannot be read"
            continue
        at, compared = first.at[:16].replace("T", " "), _LONG.sub(r"\1", str(first.data.get("chosen", "")))
        yield f"{path.stem}: {at} UTC, {counted(len(card_ids(path)), 'card')}, {compared}"


def is_file(name: str) -> bool:
    """Whether a word of the user is the path of a file: one that no path can be is none."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _named(runs: Path, name: str) -> list[Path]:
    if Path(name).suffix == ".jsonl" or "/" in name:
        if is_file(name):
            return [Path(name)]
        if Path(name).suffix == ".jsonl":
            hint = "give the path of a run log, or the name of a run of this repository"
            raise UsageError("there is no such run log", where=name, hint=hint)
    logs = sorted(runs.glob("*.jsonl"))
    if not logs:
        raise UsageError("no run is recorded here", where=str(runs), hint="`review-agent review` makes one")
    return logs[-1:] if name == "latest" else [p for p in logs if p.name.startswith(name) or f"-{name}" in p.stem]


def _reviewed(runs: Path, name: str, git: Git | None) -> Path | None:
    """The newest run whose head is the commit that a ref or the start of an id names."""
    from review_agent.memory.telling import heads

    start = name if _CARD.fullmatch(name) else None
    with suppress(SnapshotError):  # a run that was brought here may be of commits that were not
        start = git.resolve(name) if git is not None else start
    if start is None:
        return None
    return next((run.path for run in reversed(heads(runs)) if str(run.started.get("head")).startswith(start)), None)


def _unclear(runs: Path, name: str, found: Sequence[Path], or_: str = "") -> UsageError:
    problem = f"{name!r} means {counted(len(found), 'run')}" if found else f"no run is called {name!r}"
    if not found and or_:
        problem = f"no run here is called {name!r}, has a card that begins so or reviewed it as a commit"
    listed = found or sorted(runs.glob("*.jsonl"))
    which = "they are" if 1 < len(listed) <= _TOLD else "the newest are"
    lines = "".join(f"\n         {line}" for line in runs_told(listed))
    hint = f"give `latest`, more of a run's name{or_}; {which}{lines}"
    return UsageError(problem, where=str(runs), hint=hint)
