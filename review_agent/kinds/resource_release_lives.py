"""A rule of ``resource_release``: what a function takes still, and gives back no more, or on some ways out only."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    every,
    flag,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.resource_release_around import given_back_around, is_everyones
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.takings import (
    gives_back,
    last,
    outside,
    raising,
    takes,
    undoes,
    why_it_matters,
)
from review_agent.kinds.wording import snippet
from review_agent.syntax.roles import role_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
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

RULE = "release_not_on_every_path"
# What can fail between taking and giving back that one question looks up.
_RISKS = 2
# A definition under one of these keeps what it opens: it is made once, or closes by itself.
_ONCE = ("cache", "lru_cache", "cached_property", "once", "singleton", "pytest.fixture", "fixture", "Bean")


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or flag(edit, "state") or not function_of(edit) or texts(edit, "handed"):
        return None
    if _swapped(edit, edits) or _made_anew(edit, edits):
        return None
    name, taken = last(function_of(edit)), text(edit, "taken")
    return seed(
        edit,
        RULE,
        change=f"{_what(edit)} in {code(name)} does not give back {snippet(taken)} on every way out",
        precondition=f"{code(name)} takes it still, and a way out passes the release by",
        consequence="what was taken stays taken",
        refuted_if=(
            "it is given back elsewhere, by a caller, a finalizer or the object that keeps it",
            "nothing between taking and giving back can fail or leave",
            "it is not taken any more",
        ),
        plan=_plan(edit),
    )


def _swapped(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the release became its opposite, which a rule of its own tells."""
    release = text(edit, "release")
    return any(
        one.op is EditOp.CALL_REPLACED
        and (one.path, one.scope, one.subject) == (edit.path, edit.scope, release)
        and undoes(text(one, "name"), text(one, "newName"))
        for one in edits
    )


def _made_anew(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the release of the same member is in a function that the change adds: another gives it back now."""
    member = text(edit, "release").split(".")[1:]
    return len(member) > 1 and any(
        call.split(".")[-len(member) :] == member
        for one in edits
        if one.op is EditOp.SYMBOL_ADDED
        for call in texts(one, "calls")
    )


def _plan(edit: Edit) -> tuple[PlanQuery, ...]:
    scope, name = called(function_of(edit))
    inside = {"path": edit.path, "scope": function_of(edit)}
    opener = text(edit, "openerNow")
    plan = [
        ask(QueryKind.USES_INSIDE, last(opener), path=edit.path, scope=function_of(edit)),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ask(QueryKind.DEFINITION, opener, path=edit.path, scope=function_of(edit)),
    ]
    if text(edit, "outOf"):
        outer, taken_from = called(text(edit, "outOf"))
        plan.append(ask(QueryKind.CALLERS, taken_from, path=edit.path, scope=outer))
    if is_everyones(edit):
        plan.append(ask(QueryKind.CALLERS, text(edit, "release"), path=edit.path, scope=function_of(edit)))
    for risk in _risks(edit)[: 1 if is_everyones(edit) else _RISKS]:
        plan.append(ask(QueryKind.DEFINITION, risk, path=inside["path"], scope=inside["scope"]))
        plan.append(ask(QueryKind.USES_INSIDE, last(risk), path=inside["path"], scope=inside["scope"]))
    release = last(text(edit, "release"))
    if release:
        plan.append(ask(QueryKind.USES_INSIDE, release, path=edit.path))
    return tuple(plan)


def _risks(edit: Edit) -> tuple[str, ...]:
    """Callees that can fail while the thing is held: those of the code itself before those of the thing."""
    between = [one for one in (*texts(edit, "added"), *texts(edit, "between")) if one in texts(edit, "between")]
    thing = text(edit, "thing")
    own = [one for one in between if not thing or not one.startswith(f"{thing}.")]
    return tuple(dict.fromkeys([*own, *between]))[:_RISKS]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    taken = takes(bundle, edit, last(text(edit, "openerNow")))
    if not taken:
        return blocked(bundle, QueryKind.USES_INSIDE) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"where {code(function_of(edit))} takes {snippet(text(edit, 'taken'))} was not found at head",
            missing=(f"the call of {code(text(edit, 'openerNow'))} ({searched(bundle, QueryKind.USES_INSIDE)})",),
        )
    kept = _kept_by_its_maker(bundle, edit) or given_back_around(bundle, edit)
    if kept is not None:
        return kept
    if text(edit, "formAfter") != "none":
        return _settle_partly(question, bundle, taken[0].ref)
    return _settle_never(question, bundle, taken[0].ref)


def _kept_by_its_maker(bundle: Bundle, edit: Edit) -> Unsettled | None:
    """The function that gives the thing makes it once, or gives it back itself."""
    opener = text(edit, "openerNow")
    for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, opener):
        once = next((name for name in one.fact.decorators if last(name.partition("(")[0]) in _ONCE), "")
        gives = [name for name in one.fact.calls if gives_back(last(name)) or "finaliz" in name.lower()]
        helper = one.fact.symbol in ("function", "method") and "contextmanager" not in " ".join(one.fact.decorators)
        if once:
            return unsettled(NoFindingCode.REFUTED, f"{code(opener)} is made once, under {code(once)}", refs=[one.ref])
        if helper and gives and text(edit, "opener") != opener:
            return unsettled(
                NoFindingCode.REFUTED, f"{code(opener)} gives it back itself, by {code(gives[0])}", refs=[one.ref]
            )
    return None


def _settle_never(question: Question, bundle: Bundle, taken: SourceRef) -> Settled:
    edit = question.edits[0]
    name = last(function_of(edit))
    refs, clause = why_it_matters(bundle, edit, taken)
    if not refs:
        return _nothing_outside(bundle, edit)
    thing = code(text(edit, "thing")) if text(edit, "thing") else snippet(text(edit, "taken"))
    return (
        draft(
            question,
            claim=f"Dropping {_what(edit)} leaves {thing} open: {code(name)} takes it by "
            f"{snippet(text(edit, 'taken'))} in line {taken.start_line} and nothing in {code(name)} gives it "
            f"back{clause}.",
            op=EffectOp.REMOVED,
            subject=edit.subject,
            severity=Severity.IMPORTANT,
            support=[taken, *refs],
            impact=_drained(edit),
            counter=(
                f"Returning or storing {thing} for another owner would refute this; {code(name)} does neither.",
                f"A later release in {code(name)} would refute this; none stands there at head.",
            ),
        ),
    )


def _settle_partly(question: Question, bundle: Bundle, taken: SourceRef) -> Settled:
    """Given back on the way through only: something must be able to leave before."""
    edit = question.edits[0]
    failing = raising(bundle, edit, _risks(edit))
    if failing is not None:
        one, callee, kind = failing
        lines = takes(bundle, edit, last(callee))
        at = f" in line {lines[0].ref.start_line}" if lines else ""
        why = f"{code(callee)}{at} fails with the {code(kind)} of {place(one.ref)}"
        refs = [one.ref, *(line.ref for line in lines[:1])]
        near = not (outside(one) or any(outside(line) for line in lines[:1]))
        return _partly(question, bundle, taken, why, refs, near)
    exits = texts(edit, "added") if _has_exit(edit) else texts(edit, "exits")
    if edit.language == "go" and not texts(edit, "exits"):
        return unsettled(NoFindingCode.REFUTED, f"no way out of {code(function_of(edit))} lies before the release")
    if _has_exit(edit) or texts(edit, "exits"):
        way = next((one for one in exits if one in texts(edit, "exits")), texts(edit, "exits")[0])
        how = "lets a failure in" if way.startswith("yield") else "leaves"
        return _partly(question, bundle, taken, f"{_leaving(way)} {how} before it", [], True)
    risks = [(risk, line) for risk in _risks(edit) for line in takes(bundle, edit, last(risk))[:1]]
    if not risks:
        return unsettled(
            NoFindingCode.REFUTED, f"nothing between taking and giving back in {code(function_of(edit))} can fail"
        )
    risk, line = risks[0]
    why = f"a failure of {code(risk)} in line {line.ref.start_line} passes it by"
    return _partly(question, bundle, taken, why, [line.ref], not outside(line))


def _has_exit(edit: Edit) -> bool:
    return any(one in texts(edit, "exits") for one in texts(edit, "added"))


def _leaving(way: str) -> str:
    if not way:
        return "a bare return"
    return snippet(way if way.startswith(("yield", "raise", "throw", "panic")) else f"return {way}")


def _partly(
    question: Question, bundle: Bundle, taken: SourceRef, why: str, refs: list[SourceRef], near: bool
) -> Settled:
    edit = question.edits[0]
    name = last(function_of(edit))
    more, clause = why_it_matters(bundle, edit, taken) if near else ([], "")
    if near and not more:
        return _nothing_outside(bundle, edit)
    release = text(edit, "releaseAfter") or text(edit, "release")
    return (
        draft(
            question,
            claim=f"{_how(edit, release)}: what {code(name)} takes by {snippet(text(edit, 'taken'))} in line "
            f"{taken.start_line} stays taken when {why}{clause}.",
            op=EffectOp.WEAKENED,
            subject=edit.subject,
            severity=Severity.IMPORTANT,
            support=[taken, *refs, *more],
            impact=_drained(edit),
            counter=(
                f"A release of it on that way would refute this; {code(release)} is the only one in {code(name)}.",
            ),
        ),
    )


def _how(edit: Edit, release: str) -> str:
    if text(edit, "form") == text(edit, "formAfter"):
        return f"Weakening {code(release)} by a way out in front of it"
    return f"Dropping {_what(edit)} leaves {code(release)} to the way through"


def _what(edit: Edit) -> str:
    release = text(edit, "release")
    forms = {
        "block": f"the block around {snippet(edit.subject)}",
        "deferred": f"the deferred {code(release)}",
        "final": f"the guarded {code(release)}",
        "handled": f"the {code(release)} of the handler",
    }
    return forms.get(text(edit, "form"), code(release))


def _drained(edit: Edit) -> str:
    name, opener = last(function_of(edit)), code(text(edit, "openerNow"))
    if is_everyones(edit) and text(edit, "openerNow").partition(".")[0] == text(edit, "release").partition(".")[0]:
        return f"What runs after {code(name)} in the same place finds what {snippet(text(edit, 'taken'))} left there."
    if role_of(last(text(edit, "openerNow"))) == "lock":
        return f"The next one who asks for {opener} waits for ever, {code(name)} having left without it."
    return f"Repeated runs of {code(name)} pile up what {opener} hands out, until a limit of the process is reached."


def _nothing_outside(bundle: Bundle, edit: Edit) -> Unsettled:
    open_calls = [one for one in every(bundle, UseFact, QueryKind.CALLERS) if one.fact.scope]
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"nothing outside the change shows that {code(last(function_of(edit)))} runs and loses what it takes",
        missing=(f"a resolved caller (searched: {searched(bundle, QueryKind.CALLERS)})",),
        refs=[one.ref for one in open_calls[:1]],
    )


RULES = (Rule(RULE, frozenset({EditOp.RELEASE_WEAKENED}), _raise, _settle),)
