"""What was retrieved, as a model reads it: numbered, so that it can be cited; what was searched and left out beside it.

All of it is text of the change or of the repository; messages.py puts it in fences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.vocabulary import (
    Bundle,
    CallFact,
    ConfigFact,
    DefinitionFact,
    Evidence,
    Fact,
    HistoryFact,
    ImplementerFact,
    PlanQuery,
    QueryResult,
    SourceRef,
    UseFact,
)

__all__ = ["shown_evidence", "shown_place", "shown_searches"]

_LONGEST, _MOST = 160, 8
# What of a fact a reader of the lines does not see in them.
_TOLD: dict[type, tuple[str, ...]] = {
    CallFact: ("scope", "in_test", "awaited", "result", "caught", "held", "loop", "decorators", "parameters"),
    DefinitionFact: ("symbol", "qualname", "bases", "raises", "returns", "takes", "guards", "is_async"),
    UseFact: ("use", "scope", "guarded_by", "in_test", "held", "given_to"),
    ImplementerFact: ("type_name", "has_member"),
    ConfigFact: ("key", "act", "value", "carrier", "siblings"),
    HistoryFact: ("commit", "subject", "fixes", "signs", "tests", "release", "declared", "withheld"),
}


def shown_evidence(evidence: Sequence[Evidence], queries: Sequence[QueryResult] = ()) -> str:
    """Each place as ``E1``, ``E2`` …: where it is, its numbered lines, the facts that hang on them."""
    return "\n\n".join("\n".join(_place(n, one, queries, _holder(n, evidence))) for n, one in enumerate(evidence, 1))


def _holder(number: int, evidence: Sequence[Evidence]) -> int:
    """The number of the place that shows the same lines and more, or the same ones before; 0 for none."""
    ref = evidence[number - 1].ref
    for n, one in enumerate(evidence, 1):
        same = (one.ref.path, one.ref.side, one.ref.commit) == (ref.path, ref.side, ref.commit)
        covers = one.ref.start_line <= ref.start_line and ref.end_line <= one.ref.end_line
        wider = one.ref.end_line - one.ref.start_line > ref.end_line - ref.start_line
        if n != number and same and covers and (wider or n < number):
            return n
    return 0


def shown_place(ref: SourceRef) -> str:
    lines = f"line {ref.start_line}" if ref.start_line == ref.end_line else f"lines {ref.start_line}-{ref.end_line}"
    return f"{ref.path} {lines} · {ref.side.value} side"


def _place(number: int, one: Evidence, queries: Sequence[QueryResult], holder: int) -> Iterator[str]:
    found = f" · found by {_asked(queries[one.query].query)}" if 0 <= one.query < len(queries) else ""
    near = " · holds the change: only its lines away from it support, cite those" if one.near_change else ""
    yield f"E{number} · {shown_place(one.ref)} · role {one.ref.role.value}{found}{near}"
    if holder:
        yield f"  its lines stand in E{holder}"
    for at, line in (
        ()
        if holder
        else enumerate(one.text.split("\n")[: one.ref.end_line - one.ref.start_line + 1], one.ref.start_line)
    ):
        yield f"  {at:>5} | {line}"
    yield from (f"  fact: {_fact(fact)}" for fact in one.facts)


def _fact(fact: Fact) -> str:
    words: list[str] = [fact.fact]
    if not isinstance(fact, ConfigFact):
        words.append(f"{fact.resolution.value} ({_cut(fact.reason)})" if fact.reason else fact.resolution.value)
    for name in _TOLD[type(fact)]:
        value = getattr(fact, name)
        if value or (value == 0 and value is not False):
            words.append(name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {_value(value)}")
    return " · ".join(words)


def _value(value: object) -> str:
    if not isinstance(value, tuple):
        return _cut(str(value))
    items = [_cut(getattr(one, "name", str(one))) for one in value[:_MOST]]
    return ", ".join(items) + (f" and {len(value) - _MOST} more" if len(value) > _MOST else "")


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def shown_searches(bundle: Bundle) -> str:
    """What was looked for, where, and how much of it was found; then what was wanted and not had."""
    searches = [_search(one) for one in bundle.queries]
    left_out = [f"left out: {_cut(one.what)}: {_cut(one.why)}" for one in bundle.left_out]
    return "\n".join(searches + left_out) or "nothing was searched"


def _search(one: QueryResult) -> str:
    found = f"{one.hits} hits: {one.resolved} resolved, {one.ambiguous} ambiguous, {one.unresolved} unresolved"
    words = [f"{_asked(one.query)}: {one.status.value}", f"searched {_cut(one.searched) or 'nothing'}", found]
    words += ["cut short"] if one.truncated else []
    words += [f"{one.unread} files that may hold it could not be read"] if one.unread else []
    words += [_cut(one.note)] if one.note else []
    return " · ".join(words)


def _asked(query: PlanQuery) -> str:
    return f"{query.kind.value} `{_cut(query.name)}`"
