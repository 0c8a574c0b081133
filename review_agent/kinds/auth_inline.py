"""A rule of ``auth`` about handlers written where they are bound: a check inside such a handler that went."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.kinds.authority import asked_by, asks, checks_in, first_check, level_words
from review_agent.kinds.base import Found, Seed, Settled, ask, code, draft, found, place, seed, text, texts, unsettled
from review_agent.kinds.bindings import given, guard_of, label, path_bound
from review_agent.kinds.entrances import is_open, is_registration, path_of
from review_agent.kinds.exposure_checks import mount_applies
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
    SourceRef,
    UseFact,
)

__all__ = ["RULES", "bound_in"]

_CALLEES = 4
_TESTED = re.compile(r"\bif\s*\(?(.*?)\)?\s*\{(.*?)\}")
_SKIPPED = re.compile(r"^(?:res|response|reply|console|log|JSON|Number|w|http|fmt|c|ctx)\.")


def bound_in(edit: Edit) -> str:
    """The registering call in which a place stands: ``router.get("/x", …``; "" for none."""
    for one in texts(edit, "within"):
        callee, _, rest = one.partition("(")
        if is_registration(callee.rpartition(".")[2], [part.strip() for part in rest.split(",", 1)]):
            return one
    return ""


def _bound_to(bound: str) -> list[str]:
    return [part.strip() for part in bound.partition("(")[2].split(",", 1)]


def _check(edit: Edit) -> str:
    return edit.subject if edit.op is EditOp.CALL_REMOVED else text(edit, "test")


def _level(edit: Edit) -> int:
    return asks(edit.subject) if edit.op is EditOp.CALL_REMOVED else asked_by(text(edit, "test"), text(edit, "body"))


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    bound = bound_in(edit)
    if in_test(edit.path) or not bound or not _level(edit) or is_open(path_of(_bound_to(bound))):
        return None
    if edit.op is EditOp.CALL_REMOVED and any(
        one.op is EditOp.GUARD_REMOVED and one.path == edit.path and edit.subject in (one.before or "") for one in edits
    ):
        return None
    callees = [one for one in texts(edit, "following") if re.fullmatch(r"[\w.$]+", one) and not _SKIPPED.match(one)]
    return seed(
        edit,
        "auth_inline_check_removed",
        change=f"the handler bound by {snippet(bound)} no longer asks {snippet(_check(edit))}",
        precondition="nothing in front of the handler asks it",
        consequence="whoever sends the request gets what the handler does",
        refuted_if=("a guard in front of the route or its router asks", "what the handler calls asks"),
        plan=[
            ask(QueryKind.SIBLINGS, bound.partition("(")[0], path=edit.path),
            ask(QueryKind.TEXT, ".Use(" if edit.language == "go" else ".use("),
            *(ask(QueryKind.DEFINITION, one, path=edit.path, scope=edit.scope) for one in callees[:_CALLEES]),
        ],
    )


def inline_checks(one: Found[CallFact]) -> list[tuple[int, str]]:
    """What a binding asks: its guards, and the tests at the head of a handler written in it."""
    found_ = [guard_of(part) for part in given(one)[1:]]
    for part in given(one)[1:]:
        found_ += [(asked_by(test, body), test) for test, body in _TESTED.findall(part)]
    return [pair for pair in found_ if pair[0]]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit, level = question.edits[0], _level(question.edits[0])
    for ref, checks in _askers(question, bundle):
        said = first_check(checks, level)
        if said:
            return unsettled(NoFindingCode.REFUTED, f"{place(ref)} asks {code(said)}", refs=[ref])
    proof = next(_proofs(question, bundle, level), None)
    if proof is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what stands around {snippet(bound_in(edit))} does not show who gets in",
            missing=("a route beside it that asks, or what runs in front of it",),
        )
    return (_card(question, level, *proof),)


def _own(question: Question, one: Found[CallFact]) -> bool:
    anchor = question.anchor
    return one.ref.start_line <= anchor.end_line and anchor.start_line <= one.ref.end_line


def _askers(question: Question, bundle: Bundle) -> Iterator[tuple[SourceRef, list[tuple[int, str]]]]:
    for one in found(bundle, CallFact, QueryKind.SIBLINGS):
        if one.fact.callee.lower().endswith(".use") and one.ref.start_line < question.anchor.start_line:
            yield one.ref, [guard_of(part) for part in given(one)]
        elif _own(question, one) and path_bound(one):
            yield one.ref, inline_checks(one)
    for used in _mounts(question, bundle):
        yield used.ref, [(asks(used.evidence.text), used.evidence.text.strip())]
    for defined in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        yield defined.ref, checks_in(defined.fact)


def _mounts(question: Question, bundle: Bundle) -> list[Found[UseFact]]:
    uses = found(bundle, UseFact, QueryKind.TEXT)
    return [one for one in uses if not one.fact.in_test and mount_applies(one, {question.path})]


def _proofs(question: Question, bundle: Bundle, level: int) -> Iterator[tuple[SourceRef, str]]:
    """What shows that the handler is open: a binding beside it that asks, or what alone runs in front of all."""
    for one in found(bundle, CallFact, QueryKind.SIBLINGS):
        said = first_check(inline_checks(one), level) if path_bound(one) and not _own(question, one) else ""
        if said and not one.evidence.near_change:
            yield one.ref, f"the handler of {label(one)} at {place(one.ref)} still asks {snippet(said)}"
    for used in _mounts(question, bundle):
        if asks(used.evidence.text) and not used.evidence.near_change:
            yield used.ref, f"{place(used.ref)} puts only {snippet(used.evidence.text.strip())} in front of it"
    for defined in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        if not defined.evidence.near_change and defined.fact.symbol in ("function", "method"):
            name = code(defined.fact.qualname)
            yield defined.ref, f"{name} at {place(defined.ref)}, which it calls, asks nothing about the caller"


def _card(question: Question, level: int, ref: SourceRef, said: str) -> Draft:
    edit = question.edits[0]
    bound = re.sub(r",.*", "", bound_in(edit), flags=re.DOTALL)
    return draft(
        question,
        claim=f"Removing {snippet(_check(edit))} from the handler bound by {snippet(bound)} leaves it open to whoever "
        f"gets there: {said}.",
        op=EffectOp.REMOVED,
        subject=_check(edit),
        severity=Severity.BLOCKING,
        support=[ref],
        impact=f"Somebody who fails that test sends the request; nothing else asks {level_words(level)}.",
        counter=(
            "A guard in front of the route would refute this; the file binds none.",
            "A check in what the handler calls would refute this; none was found.",
        ),
    )


RULES = (Rule("auth_inline_check_removed", frozenset({EditOp.GUARD_REMOVED, EditOp.CALL_REMOVED}), _raise, _settle),)
