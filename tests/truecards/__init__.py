"""True cards, written by hand over one small real repository: what the contract must let through.

Each case is a few files before and after a change, the places that were read, and a draft a careful reviewer would
write. ``world`` builds all of them into one repository with one change and gives, for each, all that ``judge`` takes.
"""

from __future__ import annotations

import atexit
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from conftest import Repo

from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.sources import Sources
from review_agent.stages.snapshot import take
from review_agent.vocabulary import (
    Bundle,
    ChangeKind,
    Edit,
    EditOp,
    Evidence,
    EvidenceSpend,
    Question,
    Role,
    Side,
)

__all__ = ["At", "Case", "World", "cases", "world"]


@dataclass(frozen=True)
class At:
    """A place: the lines from the one that holds ``first`` to the one that holds ``last``, which a claim names as
    ``{name}`` (its first line)."""

    path: str
    first: str
    role: Role = Role.USE
    last: str = ""
    side: Side = Side.NEW
    facts: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Case:
    """``files``: path to (text before, replacements); no replacements leave the file as it is. ``listed`` names the
    places that the draft cites; all in ``places`` were read."""

    name: str
    kind: str
    files: dict[str, tuple[str, tuple[tuple[str, str], ...]]]
    anchor: At
    places: dict[str, At]
    claim: str
    effect: dict[str, str | None]
    impact: str
    edit: tuple[EditOp, str, dict[str, Any]] | None = None
    rule: str = "by_hand"
    listed: tuple[str, ...] = ()
    severity: str = "important"
    confidence: str = "high"
    counter: tuple[str, ...] = ()
    uncertainty: tuple[str, ...] = ()
    language: str = "python"
    before: str | None = None
    after: str | None = None


@dataclass
class World:
    """The repository and, by case name, (question, bundle, draft as raw data)."""

    snapshot: Any
    policy: Any
    sources: dict[Side, Sources]
    cases: dict[str, tuple[Question, Bundle, dict[str, Any]]] = field(default_factory=dict)

    def keywords(self) -> dict[str, Any]:
        return {"snapshot": self.snapshot, "policy": self.policy, "review_id": "r" * 64, "sources": self.sources}


def cases() -> tuple[Case, ...]:
    from truecards import contracts, defaults, gophers, handling

    return (*contracts.CASES, *handling.CASES, *defaults.CASES, *gophers.CASES)


@cache
def world() -> World:
    """Built once a test process; nothing changes it."""
    folder = mkdtemp(prefix="truecards-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    repo = Repo(Path(folder) / "repo")
    for case in cases():
        for path, (text, _) in case.files.items():
            assert not (repo.root / path).exists(), f"{path} is of two cases"
            repo.write(path, text)
    base = repo.commit("Before")
    for case in cases():
        for path, (text, changes) in case.files.items():
            _change(repo, path, text, changes)
    head = repo.commit("After")
    return _read(repo, base, head)


def _change(repo: Repo, path: str, text: str, changes: tuple[tuple[str, str], ...]) -> None:
    for old, new in changes:
        assert text.count(old) == 1, f"{path}: {old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    if text:
        repo.write(path, text)
    else:
        (repo.root / path).unlink()


def _read(repo: Repo, base: str, head: str) -> World:
    git, policy = Git(repo.root), load()
    mask = policy.masker()
    sources = {
        Side.OLD: Sources(git, base, mask, side=Side.OLD, max_bytes=100_000),
        Side.NEW: Sources(git, head, mask, side=Side.NEW, max_bytes=100_000),
    }
    built = World(take(git, base=base, head=head, mask=mask), policy, sources)
    for case in cases():
        built.cases[case.name] = _case(case, built)
    return built


def _case(case: Case, built: World) -> tuple[Question, Bundle, dict[str, Any]]:
    refs = {name: _ref(place, built.sources) for name, place in case.places.items()}
    anchor = _ref(case.anchor, built.sources)
    question = _question(case, anchor, built)
    evidence = tuple(
        Evidence(
            ref=ref,
            query=0,
            origin="read",
            text="\n".join(built.sources[ref.side].get(ref.path).lines[ref.start_line - 1 : ref.end_line]),
            facts=case.places[name].facts,
        )
        for name, ref in refs.items()
    )
    spent = EvidenceSpend(queries=1, candidate_files=1, files_read=1, lines_read=1)
    bundle = Bundle(question_id=question.question_id, evidence=evidence, queries=(), left_out=(), spent=spent)
    lines = {name: ref.start_line for name, ref in refs.items()}
    return question, bundle, _draft(case, question, anchor, refs, lines)


def _ref(place: At, sources: dict[Side, Sources]):
    lines = sources[place.side].get(place.path).lines
    start = _line(lines, place.first, 0, place.path)
    end = _line(lines, place.last, start - 1, place.path) if place.last else start
    return sources[place.side].ref(place.path, start, end, place.role)


def _line(lines: tuple[str, ...], snippet: str, start: int, path: str) -> int:
    for number in range(start, len(lines)):
        if snippet in lines[number]:
            return number + 1
    raise AssertionError(f"{path} has no {snippet!r} after line {start}")


def _question(case: Case, anchor, built: World) -> Question:
    path = anchor.path
    file = next(one for one in built.snapshot.files if path in (one.path, one.old_path))
    hunk = next(one for one in file.hunks if anchor.start_line in one.changed(anchor.side))
    op, subject, facts = case.edit or (EditOp.LINES_CHANGED, "", {"removed": 1, "added": 1})
    edit = Edit(
        edit_id=f"e-{case.name}",
        op=op,
        hunk_id=hunk.hunk_id,
        path=file.path,
        old_path=file.old_path,
        language=case.language,
        side=anchor.side,
        start_line=anchor.start_line,
        end_line=anchor.end_line,
        scope=facts.get("function", ""),
        subject=subject,
        before=case.before,
        after=case.after,
        facts=facts,
    )
    return Question(
        question_id=f"q-{case.name}",
        kind=ChangeKind(case.kind),
        rule=case.rule,
        hunk_id=hunk.hunk_id,
        path=file.path,
        change="",
        precondition="",
        consequence="",
        refuted_if=(),
        anchor=anchor,
        plan=(),
        edits=(edit,),
        risk=50,
    )


def _draft(case: Case, question: Question, anchor, refs, lines) -> dict[str, Any]:
    listed = case.listed or tuple(case.places)
    return {
        "questionId": question.question_id,
        "changeKind": case.kind,
        "claim": case.claim.format(**lines),
        "effect": {"to": None, **case.effect},
        "severity": case.severity,
        "diffAnchor": anchor.wire(),
        "supportingRefs": [refs[name].wire() for name in listed],
        "impactCondition": case.impact.format(**lines),
        "counterEvidence": [text.format(**lines) for text in case.counter],
        "uncertainty": [text.format(**lines) for text in case.uncertainty],
        "confidence": case.confidence,
    }
