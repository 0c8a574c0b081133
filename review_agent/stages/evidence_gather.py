"""What one question gathers: answers of its queries, cut to their size, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from review_agent.counting import counted
from review_agent.policy.model import Budgets
from review_agent.sources import Sources
from review_agent.stages.evidence_budget import Allowance
from review_agent.vocabulary import (
    ConfigFact,
    Evidence,
    Fact,
    LeftOut,
    PlanQuery,
    QueryKind,
    QueryResult,
    QueryStatus,
    Question,
    Resolution,
    Role,
)

__all__ = ["Answer", "Found", "Gather", "role_of", "said"]

_ROLES = {
    QueryKind.CALLERS: Role.CALLER,
    QueryKind.DEFINITION: Role.DEFINITION,
    QueryKind.CONFIG: Role.CONFIG,
    QueryKind.TESTS: Role.TEST,
    QueryKind.TYPES: Role.TYPE,
    QueryKind.IMPLEMENTERS: Role.TYPE,
    QueryKind.SIBLINGS: Role.SIBLING,
    QueryKind.HISTORY: Role.HISTORY,
}
# A call or block that spans more lines is cited by its first ones.
_SPAN = 40


@dataclass(frozen=True)
class Found:
    """Lines of a file and the facts that hang on them."""

    path: str
    start: int
    end: int
    facts: tuple[Fact, ...]
    in_test: bool = False


@dataclass
class Answer:
    """One query's answer while it is being made. ``cut`` marks it as less than the whole."""

    number: int
    query: PlanQuery
    searched: str = ""
    files: int = 0
    hits: int = 0
    found: list[Found] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    cut: bool = False
    unread: int = 0
    status: QueryStatus | None = None

    def refuse(self, status: QueryStatus, why: str) -> Answer:
        """The answer of a query that was not carried out."""
        self.status = status
        self.notes.append(why)
        return self

    def leave_out(self, what: str, why: str) -> None:
        self.left_out.append(LeftOut(what=what, why=why))

    def unseen(self, what: str, why: str, files: int = 1) -> None:
        """Leave out what no budget could have shown: nothing may be concluded from not finding a name there."""
        self.cut = True
        self.unread += files
        self.leave_out(what, why)

    def result(self) -> QueryResult:
        counted = Counter(
            fact.resolution for one in self.found for fact in one.facts if not isinstance(fact, ConfigFact)
        )
        status = self.status or (QueryStatus.ANSWERED if self.found else QueryStatus.EMPTY)
        return QueryResult(
            query=self.query,
            status=status,
            searched=self.searched,
            files_searched=self.files,
            hits=self.hits,
            resolved=counted[Resolution.RESOLVED],
            ambiguous=counted[Resolution.AMBIGUOUS],
            unresolved=counted[Resolution.UNRESOLVED],
            truncated=self.cut,
            note="; ".join(self.notes),
            unread=self.unread,
        )


@dataclass
class Gather:
    """One question's collecting: its allowance, and per query the answer and the evidence kept of it."""

    question: Question
    allowance: Allowance
    answers: dict[int, Answer] = field(default_factory=dict)
    evidence: dict[int, list[Evidence]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)

    def keep(self, answer: Answer, sources: Sources, budgets: Budgets) -> None:
        """Record an answer: its best findings within the query's bytes become citable evidence, by path and line."""
        kept: list[Evidence] = []
        room, refused = budgets.query_bytes, 0
        for one in sorted(_within(sources, _grouped(answer.found)), key=_worth):
            text = said(sources, one.path, one.start, one.end, budgets.line_characters)
            if len(text.encode()) > room:
                refused += 1
                # A name that is known to mean something else is no loss to the answer.
                answer.cut = answer.cut or _worth(one)[0] < _UNRELATED
                continue
            room -= len(text.encode())
            ref = sources.ref(one.path, one.start, one.end, role_of(answer.query, in_test=one.in_test))
            kept.append(Evidence(ref=ref, query=answer.number, origin="hit", text=text, facts=one.facts))
        if refused:
            name = answer.query.name
            answer.leave_out(
                f"{counted(refused, 'further hit')} of `{name}`", f"query_bytes budget of {budgets.query_bytes} spent"
            )
        self.answers[answer.number] = answer
        self.evidence[answer.number] = sorted(
            kept, key=lambda one: (one.ref.path, one.ref.start_line, one.ref.end_line)
        )

    def everything_left_out(self) -> tuple[LeftOut, ...]:
        """What the queries and the reading left out, in order, each row once."""
        rows = [row for number in sorted(self.answers) for row in self.answers[number].left_out]
        return tuple(dict.fromkeys([*rows, *self.left_out]))


def role_of(query: PlanQuery, *, in_test: bool) -> Role:
    """What a hit of this query is evidence of."""
    if query.kind in (QueryKind.CALLERS, QueryKind.HISTORY) and in_test:
        return Role.TEST
    return _ROLES.get(query.kind, Role.USE)


def said(sources: Sources, path: str, start: int, end: int, characters: int) -> str:
    """Masked lines of a file, each cut to a number of characters."""
    source = sources.get(path)
    lines: Sequence[str] = source.lines[start - 1 : end] if source else ()
    return "\n".join(line[:characters] for line in lines)


def _grouped(found: Iterable[Found]) -> list[Found]:
    """Findings on the same lines as one, their facts in order; long ones by their first lines."""
    by_place: dict[tuple[str, int, int], Found] = {}
    for one in found:
        place = (one.path, one.start, min(one.end, one.start + _SPAN - 1))
        before = by_place.get(place)
        facts = tuple(dict.fromkeys((*before.facts, *one.facts))) if before else one.facts
        by_place[place] = Found(*place, facts, one.in_test)
    return list(by_place.values())


def _within(sources: Sources, found: Iterable[Found]) -> Iterator[Found]:
    """Findings with an end that the file has: what is cited must stand there."""
    for one in found:
        source = sources.get(one.path)
        last = min(one.end, len(source.lines)) if source else 0
        if one.start <= last:
            yield replace(one, end=last)


_UNRELATED = 2


def _worth(one: Found) -> tuple[int, bool, str, int]:
    """Resolved before ambiguous before unrelated; the product's own code before its tests; then by place."""
    order = {Resolution.RESOLVED: 0, Resolution.AMBIGUOUS: 1, Resolution.UNRESOLVED: _UNRELATED}
    best = min((0 if isinstance(fact, ConfigFact) else order[fact.resolution] for fact in one.facts), default=0)
    return best, one.in_test, one.path, one.start
