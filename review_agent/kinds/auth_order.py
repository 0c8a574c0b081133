"""A rule of ``auth`` about order: routes put in front of the middleware that asks who the caller is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.authority import asks, level_words
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bindings import given, guard_of
from review_agent.kinds.entrances import is_open, is_registration, path_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

_MOUNTS = frozenset({"use", "Use", "Mount", "include_router", "register", "register_blueprint", "route"})
_NO_ROUTE = re.compile(
    r"(?i)static|cors|helmet|json\(|urlencoded|logger|morgan|compress|limit|cookie|session\(|metrics"
)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name, arguments = text(edit, "name"), list(texts(edit, "arguments"))
    receiver = edit.subject.rpartition(".")[0]
    bound = path_of(arguments) if name in _MOUNTS and len(arguments) > 1 else ""
    if is_registration(name, arguments):
        bound = path_of(arguments)
    if in_test(edit.path) or not receiver or not bound or is_open(bound) or _NO_ROUTE.search(" ".join(arguments[1:])):
        return None
    if any(guard_of(one)[0] for one in arguments[1:]):
        return None
    return seed(
        edit,
        "route_before_guard",
        change=f"{code(edit.subject)} binds {code(bound)} at a new place",
        precondition=f"what {code(receiver)} asks of its requests stands behind it",
        consequence="requests for it are answered before anything asks who sends them",
        refuted_if=("a guard stands in front of it", "no guard stands behind it"),
        plan=[ask(QueryKind.SIBLINGS, f"{receiver}.use", path=edit.path)],
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit, at = question.edits[0], question.anchor.start_line
    beside = found(bundle, CallFact, QueryKind.SIBLINGS)
    guards = [one for one in beside if _is_guard(one)]
    early = [one for one in guards if one.ref.start_line < at]
    if early:
        return unsettled(NoFindingCode.REFUTED, f"{place(early[0].ref)} asks before it", refs=[early[0].ref])
    late = [one for one in guards if one.ref.start_line > at]
    if not late:
        return blocked(bundle, QueryKind.SIBLINGS) or unsettled(
            NoFindingCode.NO_CANDIDATE, f"no guard stands on what {code(edit.subject)} binds to"
        )
    behind = [one for one in beside if one.ref.start_line > late[0].ref.start_line and not _is_guard(one)]
    shown = [one for one in (*late[:1], *behind) if not one.evidence.near_change]
    if not shown:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(late[0].ref)} asks only behind it, but all that shows it lies in the change",
            missing=("a route outside the change that stands behind the guard",),
            refs=[late[0].ref],
        )
    return (_card(question, late[0], shown[0]),)


def _is_guard(one: Found[CallFact]) -> bool:
    name, arguments = one.fact.callee.rpartition(".")[2], given(one)
    unbound = bool(arguments) and not path_of([*arguments, ""])
    return name in ("use", "Use") and unbound and any(asks(argument) for argument in arguments)


def _card(question: Question, guard: Found[CallFact], shown: Found[CallFact]) -> Draft:
    edit = question.edits[0]
    asked = next(argument for argument in given(guard) if asks(argument))
    moved = edit.op is EditOp.CALL_MOVED
    head = "Moving" if moved else "Adding"
    bound = path_of(texts(edit, "arguments"))
    if shown is guard:
        where = f"in front of {snippet(asked)} ({place(guard.ref)})"
        first = f"the first stands at {place(guard.ref)}"
    else:
        line = snippet(shown.evidence.text.strip())
        where = f"in front of {snippet(asked)}, behind which {line} ({place(shown.ref)}) stands,"
        first = "the file binds none"
    return draft(
        question,
        claim=f"{head} {code(edit.subject)} for {code(bound)} {where} lets its requests be answered before anything "
        f"asks {level_words(asks(asked))}.",
        op=EffectOp.REORDERED if moved else EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=[shown.ref],
        impact=f"Somebody without an account sends a request to a path under {code(bound)}.",
        counter=(
            f"A guard in front of it would refute this; {first}.",
            f"A guard inside what {code(bound)} is bound to would refute this; none is among the arguments.",
        ),
    )


RULES = (Rule("route_before_guard", frozenset({EditOp.CALL_ADDED, EditOp.CALL_MOVED}), _raise, _settle),)
