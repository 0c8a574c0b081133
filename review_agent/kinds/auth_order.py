"""A rule of ``auth`` about order: routes put in front of the middleware that asks who the caller is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.authority import asks, level_words
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    every,
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
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_MOUNTS = frozenset({"use", "Use", "Mount", "include_router", "register", "register_blueprint", "route"})
# How the router that is mounted asks for itself, and how it binds its routes.
_INSIDE = (".use(", ".get(", ".post(")
# A handler is begun on the line, so no guard can stand in front of it.
_BODY = re.compile(r"=>|\bfunction\b|\basync\b|\);?\s*$")
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
        plan=[
            ask(QueryKind.SIBLINGS, f"{receiver}.use", path=edit.path),
            *(ask(QueryKind.DEFINITION, one, path=edit.path) for one in arguments[1:] if one.isidentifier()),
            *(ask(QueryKind.TEXT, one) for one in (_INSIDE if _handed_on(arguments) else ())),
        ],
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
    inside = _inside(question, bundle)
    if isinstance(inside, Unsettled):
        return inside
    behind = [one for one in beside if one.ref.start_line > late[0].ref.start_line and path_of(given(one))]
    shown = [one for one in (*late[:1], *behind) if not one.evidence.near_change]
    if not shown and inside is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(late[0].ref)} asks only behind it, but all that shows it lies in the change",
            missing=("a route outside the change that stands behind the guard",),
            refs=[late[0].ref],
        )
    return (_card(question, late[0], next(iter(shown), None), inside),)


Inside = Found[UseFact] | Found[DefinitionFact]


def _handed_on(arguments: Sequence[str]) -> bool:
    """Whether what is bound is a router or handler that is made elsewhere."""
    return any(one.isidentifier() for one in arguments[1:])


def _inside(question: Question, bundle: Bundle) -> Inside | Unsettled | None:
    """A route of the mounted router that asks nothing, else where the router is made; refuted where the router asks."""
    if not _handed_on(texts(question.edits[0], "arguments")):
        return None
    made = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if one.ref.path != question.path]
    files = {one.ref.path for one in made}
    lines = [one for one in every(bundle, UseFact, QueryKind.TEXT) if one.ref.path in files]
    for one in lines:
        if ".use(" in one.evidence.text and asks(one.evidence.text):
            detail = f"{place(one.ref)} asks for all its routes: {snippet(one.evidence.text.strip())}"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref])
    routes = [one for one in lines if re.search(r"\.(?:get|post)\(\s*[\"'`]/", one.evidence.text)]
    guarded = [one for one in routes if guard_of(one.evidence.text.partition(",")[2])[0]]
    bare = [one for one in routes if one not in guarded and _BODY.search(one.evidence.text)]
    if guarded and not bare:
        return unsettled(
            NoFindingCode.REFUTED, f"{place(guarded[0].ref)} asks itself", refs=[one.ref for one in guarded[:2]]
        )
    return bare[0] if bare else next(iter(made), None)


def _is_guard(one: Found[CallFact]) -> bool:
    name, arguments = one.fact.callee.rpartition(".")[2], given(one)
    unbound = bool(arguments) and not path_of([*arguments, ""])
    return name in ("use", "Use") and unbound and any(asks(argument) for argument in arguments)


def _where(asked: str, guard: Found[CallFact], shown: Found[CallFact] | None) -> tuple[str, str]:
    """(which guard it stands in front of, which guards the file binds before it) in words."""
    if shown is guard:
        return f"in front of {snippet(asked)} ({place(guard.ref)})", f"the first stands at {place(guard.ref)}"
    if shown is None:
        return f"in front of {snippet(asked)}", "the file binds none"
    line = snippet(shown.evidence.text.strip())
    return f"in front of {snippet(asked)}, behind which {line} ({place(shown.ref)}) stands,", "the file binds none"


def _card(question: Question, guard: Found[CallFact], shown: Found[CallFact] | None, inside: Inside | None) -> Draft:
    edit = question.edits[0]
    asked = next(argument for argument in given(guard) if asks(argument))
    moved = edit.op is EditOp.CALL_MOVED
    head = "Moving" if moved else "Adding"
    bound = path_of(texts(edit, "arguments"))
    where, first = _where(asked, guard, shown)
    return draft(
        question,
        claim=f"{head} {code(edit.subject)} for {code(bound)} {where} lets its requests be answered before anything "
        f"asks {level_words(asks(asked))}{_itself(inside)}.",
        op=EffectOp.REORDERED if moved else EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=[one.ref for one in (shown, inside) if one is not None],
        impact=f"Somebody without an account sends a request to a path under {code(bound)}.",
        counter=(
            f"A guard in front of it would refute this; {first}.",
            f"A guard inside what {code(bound)} is bound to would refute this; none was found.",
        ),
        uncertainty=_unseen(inside),
    )


def _itself(inside: Inside | None) -> str:
    if inside is None:
        return ""
    does = "asks nothing itself" if isinstance(inside.fact, UseFact) else "is given no guard of its own"
    return f"; {snippet(inside.evidence.text.strip())} ({place(inside.ref)}) {does}"


def _unseen(inside: Inside | None) -> tuple[str, ...]:
    if inside is None or isinstance(inside.fact, UseFact):
        return ()
    return (f"Whether single routes in {code(inside.ref.path)} ask by themselves was not seen.",)


RULES = (Rule("route_before_guard", frozenset({EditOp.CALL_ADDED, EditOp.CALL_MOVED}), _raise, _settle),)
