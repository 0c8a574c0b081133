"""Rules of ``resource_release``: an act whose counterpart went, or was put in its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.takings import callers_outside, gives_back, last, outside, undoes
from review_agent.syntax.roles import OPPOSITES, role_of, words_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
    SourceRef,
    UseFact,
)

__all__ = ["RULES"]

REMOVED = "release_removed"
REPLACED = "release_replaced"
_SELF = frozenset({"self", "this", "cls"})
_ENDING = frozenset(
    ("close", "stop", "shutdown", "release", "unpin", "dispose", "destroy", "disconnect", "unsubscribe", "unregister",
     "detach", "unmount", "teardown", "cleanup", "exit", "free", "leave", "drain", "terminate", "end", "finish", "put",
     "return", "unlock", "remove", "disable", "done", "abort", "cancel")
)  # fmt: skip


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """A release that went from a function, and that no taking of the same function answers to."""
    if in_test(edit.path) or not function_of(edit) or texts(edit, "elsewhere") or (number(edit, "remaining") or 0) > 0:
        return None
    name = text(edit, "name")
    if not (gives_back(name) or _takers(name)) or _told(edit, edits):
        return None
    return seed(
        edit,
        REMOVED,
        change=f"{code(last(function_of(edit)))} no longer calls {code(edit.subject)}",
        precondition="what it gave back is taken still, and nothing else gives it back",
        consequence="what was taken stays taken",
        refuted_if=(
            "it is given back elsewhere",
            "it is not taken any more",
            "another owner keeps it on purpose",
        ),
        plan=_plan(edit),
    )


def _told(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether another edit says the same with more facts."""
    return any(
        one.op in (EditOp.RELEASE_WEAKENED, EditOp.SYMBOL_REMOVED)
        and one.path == edit.path
        and (one.scope == edit.scope and edit.subject in (text(one, "release"), text(one, "releaseAfter")))
        for one in edits
    )


def _takers(name: str) -> tuple[str, ...]:
    """The names of acts that a called name undoes, in the spelling of the name."""
    words = words_of(name)
    found = [one for one, other in OPPOSITES if other in (name.lower(), *words[:1], *words[-1:])]
    spelled = [_spelled(name, words, one) for one in found]
    return tuple(dict.fromkeys(one for one in spelled if one and undoes(one, name)))[:2]


def _spelled(name: str, words: Sequence[str], act: str) -> str:
    """A name with its undoing word put back into the acting one: ``removeListener`` → ``addListener``."""
    for word in words:
        if opposite_word(act, word):
            at = name.lower().find(word)
            new = act.capitalize() if name[at : at + 1].isupper() else act
            return name[:at] + new + name[at + len(word) :]
    return act if opposite_word(act, name.lower()) else ""


def opposite_word(act: str, word: str) -> bool:
    return (act, word) in OPPOSITES


def _plan(edit: Edit) -> tuple[PlanQuery, ...]:
    scope, name = called(function_of(edit))
    plan = [ask(QueryKind.CALLERS, name, path=edit.path, scope=scope)]
    receiver = text(edit, "receiver")
    if receiver:
        plan.append(ask(QueryKind.SIBLINGS, edit.subject, path=edit.path, scope=edit.scope))
    owner, member = _member(edit)
    if owner:
        plan.append(ask(QueryKind.LIFETIME, member, path=edit.path, scope=owner))
    plan += [ask(QueryKind.USES_INSIDE, one, path=edit.path) for one in _takers(text(edit, "name"))]
    return tuple(plan)


def _member(edit: Edit) -> tuple[str, str]:
    """(type, member) of a release on a member of the object itself; empty for any other."""
    owner = function_of(edit).rpartition(".")[0]
    first, _, member = text(edit, "receiver").partition(".")
    if edit.language == "java":
        member = text(edit, "receiver").removeprefix("this.")
        return (owner, member) if owner else ("", "")
    explicit = edit.language != "go"
    if not owner or not member or (explicit and first not in _SELF):
        return "", ""
    return owner, member


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    elsewhere = _given_back(bundle, edit)
    if elsewhere is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(elsewhere)} gives it back", refs=[elsewhere])
    stopped = blocked(bundle, QueryKind.SIBLINGS) if text(edit, "receiver") else None
    if stopped is not None:
        return stopped
    takings = sorted(_takings(bundle, edit), key=lambda one: (one[0].evidence.near_change, one[0].ref.start_line))
    if not takings:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no place was found that takes what {code(edit.subject)} gave back; searched: {searched(bundle)}",
        )
    one, how = takings[0]
    refs: list[SourceRef] = [one.ref]
    clause = ""
    if not outside(one):
        calls = callers_outside(bundle, edit)
        if not calls:
            return unsettled(
                NoFindingCode.INSUFFICIENT_EVIDENCE,
                f"{place(one.ref)}, which takes it, lies inside the change itself",
                missing=(f"a caller outside the change (searched: {searched(bundle, QueryKind.CALLERS)})",),
                refs=[one.ref],
            )
        refs.append(calls[0].ref)
        clause = f"; {place(calls[0].ref)} relies on it"
    return (_removed_card(question, one, how, refs, clause),)


def _removed_card(
    question: Question, one: Found[CallFact] | Found[UseFact], how: str, refs: list[SourceRef], clause: str
) -> Draft:
    edit = question.edits[0]
    name, taker = last(function_of(edit)), one.fact.scope or "the module"
    return draft(
        question,
        claim=f"Removing {code(edit.subject)} from {code(name)} leaves {how} in {place(one.ref)} without its "
        f"counterpart: {code(taker)} takes it still, and nothing else in {code(edit.path)} gives it back{clause}.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=refs,
        impact=f"After {code(name)} has run, the thing is held or called on, and each further round adds one more.",
        counter=(f"Another release of it in {code(edit.path)} would refute this; the calls on it at head show none.",),
    )


def _given_back(bundle: Bundle, edit: Edit) -> SourceRef | None:
    """A release of the same thing that stands at head."""
    name = text(edit, "name")
    for call in found(bundle, CallFact, QueryKind.SIBLINGS):
        if last(call.fact.callee) == name or gives_back(last(call.fact.callee)):
            return call.ref
    for use in found(bundle, UseFact, QueryKind.LIFETIME):
        if use.fact.use == "call" and (last(use.fact.text) == name or gives_back(last(use.fact.text))):
            return use.ref
    return None


def _takings(bundle: Bundle, edit: Edit) -> Iterator[tuple[Found[CallFact] | Found[UseFact], str]]:
    """Places at head that take what the removed call gave back, with what they do in words."""
    name = text(edit, "name")
    for call in found(bundle, CallFact, QueryKind.SIBLINGS):
        taker = last(call.fact.callee)
        if undoes(taker, name) or role_of(taker) == "open":
            yield call, code(call.fact.callee)
    for use in found(bundle, UseFact, QueryKind.LIFETIME):
        made = use.evidence.text.partition("=")[2]
        if use.fact.use == "write" and "(" in made:
            yield use, f"what is kept as {code(use.fact.text)}"
    receiver = text(edit, "receiver")
    for use in found(bundle, UseFact, QueryKind.USES_INSIDE):
        same = use.fact.text.rpartition(".")[0] == receiver
        if use.fact.use == "call" and undoes(last(use.fact.text.partition("(")[0]), name) and same:
            yield use, code(use.fact.text)


def _raise_replaced(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """A release that became an acquire, or its like in a function whose name says that it ends something."""
    old, new = text(edit, "name"), text(edit, "newName")
    if in_test(edit.path) or not function_of(edit) or not undoes(old, new):
        return None
    releasing = (old.lower(), new.lower()) if _is_undoing(new, old) else ()
    ends = bool(_ENDING & set(words_of(last(function_of(edit)))))
    if not releasing and not ends:
        return None
    if not releasing:
        return None
    scope, name = called(function_of(edit))
    return seed(
        edit,
        REPLACED,
        change=f"{code(last(function_of(edit)))} calls {code(text(edit, 'newCallee'))} where it called "
        f"{code(edit.subject)}",
        precondition=f"{code(edit.subject)} undid what another place does, and no other call undoes it",
        consequence="what was taken is taken once more instead of given back",
        refuted_if=("another call gives it back", "nothing takes it before"),
        plan=(
            ask(QueryKind.SIBLINGS, text(edit, "newCallee"), path=edit.path, scope=edit.scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
            ask(QueryKind.USES_INSIDE, text(edit, "newName"), path=edit.path),
            ask(QueryKind.USES_INSIDE, old, path=edit.path),
            ask(QueryKind.DEFINITION, text(edit, "newCallee"), path=edit.path, scope=function_of(edit)),
        ),
    )


def _is_undoing(act: str, undo: str) -> bool:
    """Whether the second of two opposite names is the undoing one."""
    first, second = words_of(act), words_of(undo)
    pairs = list(zip(first, second, strict=False))
    if any(pair in OPPOSITES for pair in pairs):
        return True
    return not any(pair[::-1] in OPPOSITES for pair in pairs) and len(undo) > len(act)


def _settle_replaced(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    old, new = text(edit, "name"), text(edit, "newName")
    left = [
        one
        for one in found(bundle, UseFact, QueryKind.USES_INSIDE, old)
        if one.fact.use == "call" and one.fact.scope == function_of(edit)
    ]
    if left:
        return unsettled(NoFindingCode.REFUTED, f"{place(left[0].ref)} still gives it back", refs=[left[0].ref])
    takers = [
        one
        for one in found(bundle, UseFact, QueryKind.USES_INSIDE, new)
        if one.fact.use == "call" and one.fact.scope != function_of(edit) and outside(one)
    ]
    calls = callers_outside(bundle, edit)
    if not takers and not calls:
        return blocked(bundle, QueryKind.CALLERS, QueryKind.USES_INSIDE) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no place outside the change takes what {code(old)} gave back",
            missing=(f"a counterpart (searched: {searched(bundle)})",),
        )
    name, where = last(function_of(edit)), (takers or calls)[0].ref
    how = f"{place(where)} takes it by {code(new)} already" if takers else f"{place(where)} counts on {code(name)}"
    return (
        draft(
            question,
            claim=f"Replacing {code(edit.subject)} by {code(text(edit, 'newCallee'))} makes {code(name)} take where it "
            f"gave back: {how}, and no call of {code(old)} is left in {code(name)}.",
            op=EffectOp.CHANGED,
            subject=edit.subject,
            to=text(edit, "newCallee"),
            severity=Severity.IMPORTANT,
            support=[where],
            impact="One round of both ends with two held and none freed; the count never comes back to zero.",
            counter=(f"A further {code(old)} in {code(name)} would refute this; none stands there.",),
        ),
    )


RULES = (
    Rule(REMOVED, frozenset({EditOp.CALL_REMOVED}), _raise_removed, _settle_removed),
    Rule(REPLACED, frozenset({EditOp.CALL_REPLACED}), _raise_replaced, _settle_replaced),
)
