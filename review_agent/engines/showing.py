"""What was retrieved, as a model reads it: numbered, so that it can be cited; what was searched and left out beside it.

All of it is text of the change or of the repository; messages.py puts it in fences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from review_agent.citable import citable
from review_agent.counting import counted
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
    Resolution,
    SourceRef,
    UseFact,
)

__all__ = ["shown_evidence", "shown_place", "shown_searches"]

_LONGEST, _MOST = 160, 8
_PATHS = 10
# What of a fact a reader of the line does not see in it.
_TOLD: dict[type, tuple[str, ...]] = {
    CallFact: ("scope", "in_test", "awaited", "result", "caught", "held", "loop"),
    DefinitionFact: ("symbol", "qualname", "bases", "raises", "returns", "takes", "guards", "is_async"),
    UseFact: ("use", "scope", "guarded_by", "in_test", "held"),
    ImplementerFact: ("type_name", "has_member"),
    ConfigFact: ("key", "act", "value", "carrier", "siblings"),
    HistoryFact: ("commit", "subject", "fixes", "signs", "tests", "release", "declared", "withheld"),
}

_Numbered = tuple[int, Evidence]


def shown_evidence(evidence: Sequence[Evidence], queries: Sequence[QueryResult] = ()) -> str:
    """Each place as ``E1``, ``E2`` …: where it is, its numbered lines, what is known of them.

    Hits of one query in one file stand together, as many as may be cited. Of the rest the files are named.
    """
    numbered, kept = list(enumerate(evidence, 1)), citable(evidence)
    blocks: list[str] = []
    for query, found in groupby(numbered, key=lambda one: one[1].query):
        places = list(found)
        asked = f" · found by {_asked(queries[query].query)}" if 0 <= query < len(queries) else ""
        for key, together in groupby(places, key=_file):
            shown = [one for one in together if one[0] in kept]
            if shown:
                lines = [line for one in shown for line in _place(one, numbered)]
                blocks.append("\n".join([f"{_heading(key)}{asked}", *lines]))
        blocks += _others([one for one in places if one[0] not in kept], asked)
    return "\n\n".join(blocks)


def shown_place(ref: SourceRef) -> str:
    lines = f"line {ref.start_line}" if ref.start_line == ref.end_line else f"lines {ref.start_line}-{ref.end_line}"
    return f"{ref.path} {lines} · {ref.side.value} side"


def _file(one: _Numbered) -> tuple[str, str, str]:
    ref = one[1].ref
    return ref.path, ref.side.value, ref.role.value


def _heading(key: tuple[str, str, str]) -> str:
    path, side, role = key
    return f"{path} · {side} side · role {role}"


def _place(one: _Numbered, numbered: Sequence[_Numbered]) -> Iterator[str]:
    number, evidence = one
    ref = evidence.ref
    near = " · holds the change: only its lines away from it support, cite those" if evidence.near_change else ""
    facts = [told for fact in evidence.facts if (told := _fact(fact))]
    holder = _holder(one, numbered)
    lines = evidence.text.split("\n")[: ref.end_line - ref.start_line + 1]
    if len(lines) == 1:
        text = f" | {lines[0].strip()}" if not holder else f" in E{holder}"
        yield f"E{number} {ref.start_line}{text}{near}" + (f"   <{'; '.join(facts)}>" if facts else "")
        return
    yield f"E{number} · lines {ref.start_line}-{ref.end_line}{near}"
    if holder:
        yield f"  its lines stand in E{holder}"
    else:
        yield from (f"{at:>5} | {line}" for at, line in enumerate(lines, ref.start_line))
    yield from (f"  <{fact}>" for fact in facts)


def _holder(one: _Numbered, numbered: Sequence[_Numbered]) -> int:
    """The number of the place that was read and shows the same lines and more, or the same ones before; 0 for none."""
    number, ref = one[0], one[1].ref
    for n, other in numbered:
        same = (other.ref.path, other.ref.side, other.ref.commit) == (ref.path, ref.side, ref.commit)
        covers = other.ref.start_line <= ref.start_line and ref.end_line <= other.ref.end_line
        wider = other.ref.end_line - other.ref.start_line > ref.end_line - ref.start_line
        if n != number and other.origin == "read" and same and covers and (wider or n < number):
            return n
    return 0


def _others(hits: Sequence[_Numbered], asked: str) -> Iterator[str]:
    if hits:
        files = Counter(one.ref.path for _, one in hits)
        named = ", ".join(f"{path} ({count})" for path, count in files.most_common(_PATHS))
        more = f" and {counted(len(files) - _PATHS, 'more file')}" if len(files) > _PATHS else ""
        yield f"{counted(len(hits), 'further hit')}{asked}, not shown and not to be cited: {named}{more}"


def _fact(fact: Fact) -> str:
    if isinstance(fact, UseFact) and fact.use == "text":
        return ""
    words: list[str] = [fact.fact]
    if not isinstance(fact, ConfigFact):
        sure = fact.resolution is Resolution.RESOLVED or not fact.reason
        words.append(fact.resolution.value if sure else f"{fact.resolution.value} ({_cut(fact.reason)})")
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
    sure = f"{one.resolved} resolved, {one.ambiguous} ambiguous, {one.unresolved} unresolved"
    found = f"{counted(one.hits, 'hit')}: {sure}"
    words = [f"{_asked(one.query)}: {one.status.value}", f"searched {_cut(one.searched) or 'nothing'}", found]
    words += ["cut short"] if one.truncated else []
    words += [f"{one.unread} files that may hold it could not be read"] if one.unread else []
    words += [_cut(one.note)] if one.note else []
    return " · ".join(words)


def _asked(query: PlanQuery) -> str:
    return f"{query.kind.value} `{_cut(query.name)}`"
