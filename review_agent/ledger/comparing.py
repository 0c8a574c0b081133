"""Whether what a run log shows is what git has: every line of a hunk, every excerpt, every quoted line.

Nobody signs a run log; the commits that it names are the one witness. What a run says *about* the lines (claims, typed
facts, reasons) is no text of the repository and is not looked at here. Text that was masked by the policy in force is
masked again and must come out the same; by another policy's masks, what stands around each mask must.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from review_agent import __version__
from review_agent.errors import GitError, RecordError
from review_agent.git import Git
from review_agent.ledger.hunks import LieError, check_file, left_out
from review_agent.ledger.pinned import AbsentError, Mask, Pinned, begins
from review_agent.policy.model import Policy
from review_agent.runlog import fold
from review_agent.vocabulary import Bundle, Event, Evidence, FileChange, Phase, Side, SourceRef

__all__ = ["Comparer", "Outcome"]

_MADE = {"index on ": "index", "work tree on ": "work tree", "patch ": "diff that was given"}
"""How the scope of a review begins whose head is a commit made for it alone, and what it was of."""


@dataclass(frozen=True)
class Outcome:
    """What came of a comparison. ``missing``: why there was none; empty where all was compared.

    ``around``: by another policy than the one in force was masked, so that only what stands around masks was compared.
    """

    missing: str = ""
    around: bool = False


class Comparer:
    """Compares run logs with the objects of one repository, by the policy in force."""

    def __init__(self, repo: Path, policy: Policy) -> None:
        self._repo, self._policy = repo, policy
        self._git = Git(repo)

    def __call__(self, events: Sequence[Event]) -> Outcome:
        """Raises RecordError, with the line at fault, where git has something else than the run log says."""
        started = events[0].data
        if missing := self._missing(started):
            return Outcome(missing)
        known = (started["policyHash"], started["product"]) == (self._policy.hash, __version__)
        # A git of its own keeps the trees of one run's commits, not those of every artifact's.
        git = Git(self._repo)
        try:
            _Comparison(git, started, self._policy if known else None).check(events)
        except AbsentError as error:
            return Outcome(f"object {str(error)[:12]} is not in this clone; `git fetch --refetch` brings it")
        except GitError as error:
            raise RecordError(f"git cannot read what it names: {error.message}", where="event:1") from error
        finally:
            git.close()
        return Outcome(around=not known)

    def _missing(self, started: Mapping[str, Any]) -> str:
        line = started.get("line")
        scope = str(line.get("scope", "")) if isinstance(line, dict) else ""
        for name in ("head", "mergeBase"):
            commit = started[name]
            if not self._lacks(commit):
                continue
            of = next((words for start, words in _MADE.items() if scope.startswith(start)), "")
            if name == "head" and of:
                return f"it is a review of the {of}, whose head is no commit"
            again = f"run `git fetch origin {commit}` and the same `ledger ingest` again"
            return f"commit {commit[:12]} is not in this clone: {again}"
        return ""

    def _lacks(self, commit: str) -> bool:
        try:
            return self._git.missing(commit)
        except GitError as error:
            raise RecordError(f"{commit!r} is no commit's id", where="event:1") from error


class _Comparison:
    """One run log against its two commits."""

    def __init__(self, git: Git, started: Mapping[str, Any], policy: Policy | None) -> None:
        self._mask: Mask | None = policy.masker() if policy else None
        self._most = policy.budgets.blob_bytes if policy else None
        self._cut = policy.budgets.line_characters if policy else None
        self._sides = {
            Side.OLD: Pinned(git, started["mergeBase"], Side.OLD, self._mask),
            Side.NEW: Pinned(git, started["head"], Side.NEW, self._mask),
        }

    def check(self, events: Sequence[Event]) -> None:
        self._prefetch(events)
        for number, event in enumerate(events, 1):
            try:
                self._event(event)
            except LieError as error:
                raise RecordError(f"{event.type}: git has it otherwise: {error}", where=f"event:{number}") from error
        state = fold(events)
        if Phase.SNAPSHOT in state.completed:
            told = [one for one in state.records[Phase.SNAPSHOT] if one.type == "file"]
            files = [FileChange.model_validate(one.data) for one in told]
            if path := left_out(files, self._sides[Side.OLD], self._sides[Side.NEW]):
                raise RecordError(f"the commits change {path}, and it is left out")

    def _prefetch(self, events: Sequence[Event]) -> None:
        """All that will be looked at in two batches."""
        wanted: dict[Side, set[str]] = {Side.OLD: set(), Side.NEW: set()}
        for event in events:
            if event.type == "file":
                wanted[Side.OLD].add(event.data["oldPath"])
                wanted[Side.NEW].add(event.data["path"])
            elif event.type == "bundle":
                for one in event.data["evidence"]:
                    wanted[Side(one["ref"]["side"])].add(one["ref"]["path"])
        for side, paths in wanted.items():
            pinned = self._sides[side]
            pinned.sources.prefetch(sorted(path for path in paths if path in pinned.entries))

    def _event(self, event: Event) -> None:
        data = event.data
        if event.type == "file":
            file = FileChange.model_validate(data)
            check_file(file, self._sides[Side.OLD], self._sides[Side.NEW], self._mask, self._most)
        elif event.type == "question":
            self._refs([data["anchor"]])
        elif event.type == "bundle":
            for one in Bundle.model_validate(data).evidence:
                self._excerpt(one)
        elif event.type == "no_finding":
            self._refs(data["refs"])
        elif event.type in ("card", "passed", "suppressed"):
            card = data["card"] if event.type == "suppressed" else data
            self._refs([card["diffAnchor"], *card["supportingRefs"]])

    def _refs(self, refs: Sequence[Mapping[str, Any]]) -> None:
        for one in refs:
            self._ref(SourceRef.model_validate(one))

    def _ref(self, ref: SourceRef) -> None:
        place = f"{ref.path} lines {ref.start_line} to {ref.end_line}"
        try:
            true = self._sides[ref.side].ref(ref.path, ref.start_line, ref.end_line, ref.role)
        except ValueError as error:
            raise LieError(f"{place}: {error}") from error
        if true != ref:
            wrong = [name for name in ("commit", "blob", "quote_sha256") if getattr(true, name) != getattr(ref, name)]
            words = {"commit": "another commit", "blob": "another blob", "quote_sha256": "another quoteSha256"}
            raise LieError(f"{place} have {' and '.join(words[name] for name in wrong)}")

    def _excerpt(self, one: Evidence) -> None:
        self._ref(one.ref)
        true = self._sides[one.ref.side].shown(one.ref.path, one.ref.start_line, one.ref.end_line)
        said = one.text.split("\n")
        same = [line[: self._cut] for line in true] == said if self._cut else len(said) == len(true)
        if not same or (not self._cut and not all(map(begins, said, true))):
            at = next((n for n, pair in enumerate(zip(said, true, strict=False)) if not begins(*pair)), 0)
            raise LieError(f"the excerpt of {one.ref.path} reads otherwise at line {one.ref.start_line + at}")
