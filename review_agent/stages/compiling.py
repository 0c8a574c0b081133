"""What a compiler proposes becomes questions: within the change, the fixed vocabulary of plans, and the policy's caps.

A proposal is untrusted. One that does not fit is refused whole, with why, and kept in the record; nothing of it is
mended but white space and a range that is cut to the changed lines it touches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.contract_anchor import regions
from review_agent.stages.contract_text import flaw, folded
from review_agent.stages.evidence_proposed import COMPILED
from review_agent.stages.evidence_queries import unfit
from review_agent.stages.skipping import Ranks
from review_agent.vocabulary import (
    AskedQuestion,
    CompilePayload,
    ContextItem,
    DiffGroup,
    Edit,
    EngineRole,
    FileChange,
    Hunk,
    PlanQuery,
    ProposedQuery,
    ProposedQuestion,
    QueryKind,
    Question,
    Request,
    Role,
    Side,
    Skipped,
    SkipRule,
    Snapshot,
    canonical,
    digest,
)

__all__ = ["Proposals", "compile_requests"]

_MOST_PROPOSALS = 50
_TEXT_LENGTH, _NAME_LENGTH, _MOST_REFUTERS = 600, 200, 6
_LONGEST_ANCHOR = 12
_MOST_EDITS = 8
_LONGEST_RECORD = 2_000
# Whose names are followed from a file; the others look everywhere.
_AT_HOME = frozenset(QueryKind) - {QueryKind.TEXT, QueryKind.PATH, QueryKind.CONFIG}


def compile_requests(
    groups: Sequence[DiffGroup], questions: Sequence[Question], context: tuple[ContextItem, ...], policy: Policy
) -> tuple[Request, ...]:
    """One compile request a group, in order; each lists the rules' questions that the group's files have."""
    return tuple(_request(group, questions, context, policy) for group in groups)


def _request(
    group: DiffGroup, questions: Sequence[Question], context: tuple[ContextItem, ...], policy: Policy
) -> Request:
    asked = tuple(
        AskedQuestion(kind=q.kind, path=q.path, line=q.anchor.start_line, change=q.change, consequence=q.consequence)
        for q in questions
        if q.path in group.paths
    )
    payload = CompilePayload(group=group, questions=asked, context=context, most=policy.engine.questions_per_group)
    said = {"role": EngineRole.COMPILE, "questionId": group.group_id, "payload": payload.wire()}
    return Request(request_id=digest(said), role=EngineRole.COMPILE, question_id=group.group_id, payload=payload)


class _UnfitError(ValueError):
    """Why a proposal is no question."""


@dataclass
class Proposals:
    """Raw proposals on their way to questions. ``edits`` are those that code found in the change."""

    snapshot: Snapshot
    sources: Mapping[Side, Sources]
    policy: Policy
    edits: Sequence[Edit]
    set_aside: Collection[str]

    def read(self, group: DiffGroup, raw: Sequence[Any]) -> tuple[list[Question], list[dict[str, Any]]]:
        """The questions that a group's proposals make, and the refused ones as records with why."""
        asked: list[Question] = []
        refused: list[dict[str, Any]] = []
        for number, data in enumerate(raw[:_MOST_PROPOSALS]):
            try:
                if number >= self.policy.engine.questions_per_group:
                    raise _UnfitError(f"beyond {self.policy.engine.questions_per_group} a group")
                asked.append(self._question(group, data))
            except (_UnfitError, ValidationError) as error:
                refused.append({"groupId": group.group_id, "detail": _said(error), "proposal": _recorded(data)})
        return asked, refused

    def within_caps(self, parts: Iterable[Sequence[Question]]) -> tuple[list[Question], list[Skipped]]:
        """The first so many a run, each once, and the others as skipped: of each part its first question before any
        second one, as who proposes them knows best which is the likeliest; among those, the riskiest."""
        places: dict[str, tuple[int, Question]] = {}
        for questions in parts:
            for place, one in enumerate(questions):
                places.setdefault(one.question_id, (place, one))
        ranked = [one for _, one in sorted(places.values(), key=lambda found: (found[0], _rank(found[1])))]
        most = self.policy.engine.questions_per_run
        return ranked[:most], [_capped(one, most) for one in ranked[most:]]

    def _question(self, group: DiffGroup, data: Any) -> Question:
        proposed = ProposedQuestion.model_validate_json(canonical(data), strict=True)
        if proposed.path not in group.paths:
            raise _UnfitError(f"{proposed.path[:200]} is no file of this part of the change")
        kind = self.policy.change_kinds.kinds.get(proposed.change_kind)
        if kind is None or not kind.enabled:
            raise _UnfitError(f"questions of kind {proposed.change_kind.value} are switched off")
        for text in (proposed.change, proposed.precondition, proposed.consequence, *proposed.refuted_if):
            _fit(text)
        if not proposed.refuted_if or len(proposed.refuted_if) > _MOST_REFUTERS:
            raise _UnfitError(f"a question names 1 to {_MOST_REFUTERS} things that would refute it")
        file, hunk, lines = self._place(proposed)
        path = file.old_path if proposed.side is Side.OLD else file.path
        plan = tuple(self._query(one, path) for one in proposed.plan if one.kind in kind.plan)
        identity = {"hunk": hunk.hunk_id, **proposed.wire()}
        return Question(
            question_id=f"q-{digest(identity)[:12]}",
            kind=proposed.change_kind,
            rule=f"{COMPILED}{proposed.change_kind.value}",
            hunk_id=hunk.hunk_id,
            path=file.path,
            change=folded(proposed.change),
            precondition=folded(proposed.precondition),
            consequence=folded(proposed.consequence),
            refuted_if=tuple(map(folded, proposed.refuted_if)),
            anchor=self.sources[proposed.side].ref(path, lines.start, lines.stop - 1, Role.DIFF),
            plan=plan[: self.policy.budgets.queries],
            edits=tuple(self._edits(hunk, proposed.side, lines))[:_MOST_EDITS],
            risk=kind.risk + Ranks(self.policy).of(file.path),
        )

    def _place(self, proposed: ProposedQuestion) -> tuple[FileChange, Hunk, range]:
        """The changed lines that a proposal is about: the first run of them that its range touches, cut to it."""
        wanted = range(proposed.start_line, max(proposed.start_line, proposed.end_line) + 1)
        for file in self.snapshot.files:
            for hunk in file.hunks if file.path == proposed.path else ():
                if hunk.hunk_id in self.set_aside:
                    continue
                for run in regions(hunk.changed(proposed.side)):
                    start, stop = max(run.start, wanted.start), min(run.stop, wanted.stop)
                    if start < stop:
                        return file, hunk, range(start, min(stop, start + _LONGEST_ANCHOR))
        raise _UnfitError(
            f"no changed line of the {proposed.side.value} side is among {wanted.start} to {wanted.stop - 1}"
        )

    def _query(self, proposed: ProposedQuery, home: str) -> PlanQuery:
        at_home = home if proposed.kind in _AT_HOME else ""
        name, path, scope = proposed.name.strip(), proposed.path.strip() or at_home, proposed.scope.strip()
        if not name or not all(text.isprintable() and len(text) <= _NAME_LENGTH for text in (name, path, scope)):
            raise _UnfitError("a query's name, path and scope are one line each, and the name is not empty")
        query = PlanQuery(kind=proposed.kind, name=name, path=path, scope=scope, side=proposed.side)
        if why := unfit(query):
            raise _UnfitError(f"a query cannot be carried out: {why}")
        return query

    def _edits(self, hunk: Hunk, side: Side, lines: range) -> Iterator[Edit]:
        own = [edit for edit in self.edits if edit.hunk_id == hunk.hunk_id]
        touching = [
            edit for edit in own if edit.side is side and edit.start_line < lines.stop and lines.start <= edit.end_line
        ]
        yield from touching
        yield from (edit for edit in own if edit not in touching)


def _fit(text: str) -> None:
    said = f"{len(text)} characters are more than {_TEXT_LENGTH}" if len(text) > _TEXT_LENGTH else flaw(folded(text))
    if said:
        raise _UnfitError(f"a text cannot be shown: {said}")


def _said(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc'])) or 'proposal'}: {first['msg']}"
    return str(error)


def _recorded(data: Any) -> Any:
    """The proposal as it came, where it is not too long to be kept."""
    return data if len(canonical(data)) <= _LONGEST_RECORD else {"unreadable": ascii(data)[:_LONGEST_RECORD]}


def _rank(question: Question) -> tuple[int, str, int, str]:
    return -question.risk, question.path, question.anchor.start_line, question.question_id


def _capped(question: Question, most: int) -> Skipped:
    return Skipped(
        kind="skipped",
        path=question.path,
        hunk_id=question.hunk_id,
        question_id=question.question_id,
        rule=SkipRule.QUESTION_CAP,
        detail=f"{question.rule}, risk {question.risk}: beyond {most} of a model's questions a run",
    )
