"""A rule of ``input`` about bounds that a declaration had: of a parameter, a field, a schema."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
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
from review_agent.kinds.inflow import Lost, plan_of_inflow, settle_inflow
from review_agent.kinds.outside import Hurt, bounded, hurts
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
    Side,
    UseFact,
)

__all__ = ["RULES"]

_KEYWORDS = frozenset({"ge", "gt", "le", "lt", "min_length", "max_length", "pattern", "regex", "multiple_of"})
_CHAINED = re.compile(
    r"\.(?:min|max|positive|nonnegative|negative|int|regex|email|url|uuid|enum|nonempty|length|gte?|lte?|valid|matches|"
    r"integer|finite|safe|pattern|refine|oneOf)\([^()]*\)"
)
_TAGGED = re.compile(r"\b(?:validate|binding):\"([^\"]*)\"")
_GRAVE = frozenset({"sql", "process", "path", "sum", "act"})


@dataclass(frozen=True)
class Bound:
    """A declared bound that went: of ``member`` of ``owner`` (a type or schema), or of a parameter (no owner)."""

    owner: str
    member: str
    before: str
    after: str


def _bound(edit: Edit) -> Bound | None:
    before, after = edit.before or "", edit.after or ""
    if edit.op in (EditOp.DECORATOR_REMOVED, EditOp.DECORATOR_CHANGED):
        return _annotated(edit, before, after)
    if edit.op is EditOp.DEFAULT_CHANGED:
        fits = text(edit, "carrier") == "parameter" and bounded(before) and not bounded(after)
        return Bound("", edit.subject, before, after) if fits else None
    if edit.op is EditOp.ARGUMENT_REMOVED:
        fits = text(edit, "name") == "Field" and text(edit, "keyword") in _KEYWORDS and bool(edit.scope)
        field = next(iter(texts(edit, "targets")), "")
        return Bound(edit.scope, field, f"{text(edit, 'keyword')}={before}", "") if fits and field else None
    if edit.op is EditOp.ENTRY_CHANGED:
        gone = [one for one in _CHAINED.findall(before) if one not in after]
        schema = re.match(r"(?:z|Joi|yup|joi|v|s|t)\.", before) if gone else None
        return Bound(text(edit, "target"), edit.subject, gone[0].lstrip("."), after) if schema else None
    gone_tags = [one for one in _TAGGED.findall(before) if one not in after]
    owner, _, member = next(iter(texts(edit, "scopes")), edit.scope).rpartition(".")
    return Bound(owner, member, gone_tags[0], after) if gone_tags and owner else None


def _annotated(edit: Edit, before: str, after: str) -> Bound | None:
    if not bounded(f"@{before}") or bounded(f"@{after}"):
        return None
    kind, function = text(edit, "symbolKind"), text(edit, "function")
    owner, _, member = function.rpartition(".")
    if kind == "field":
        return Bound(owner, member, before, after)
    is_maker = owner.rpartition(".")[2] == member or not owner
    return Bound("", text(edit, "parameter"), before, after) if kind == "parameter" and not is_maker else None


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    bound = None if in_test(edit.path) else _bound(edit)
    if bound is None or not bound.member:
        return None
    if bound.owner:
        plan = [
            ask(QueryKind.PRODUCERS, bound.member, path=edit.path),
            ask(
                QueryKind.CALLERS, bound.owner.rpartition(".")[2], path=edit.path, scope=bound.owner.rpartition(".")[0]
            ),
        ]
        if edit.language == "java":
            getter = f"get{bound.member[:1].upper()}{bound.member[1:]}"
            plan.append(ask(QueryKind.PRODUCERS, getter, path=edit.path))
    else:
        plan = list(plan_of_inflow(edit, bound.member))
    named = code(f"{bound.owner}.{bound.member}" if bound.owner else bound.member)
    return seed(
        edit,
        "input_bound_removed",
        change=f"the declaration of {named} no longer says {snippet(bound.before)}",
        precondition="nothing behind the declaration tests the value",
        consequence="what was refused on the way in is worked with",
        refuted_if=("what works with the value tests it", "another declaration bounds it"),
        plan=plan,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    bound = _bound(edit)
    assert bound is not None
    op = EffectOp.WEAKENED if edit.op in _WEAKENS else EffectOp.CHANGED
    subject = bound.before if edit.op in (EditOp.DECORATOR_REMOVED, EditOp.DECORATOR_CHANGED) else edit.subject
    named = f"{bound.owner}.{bound.member}" if bound.owner else bound.member
    verb = "Dropping" if op is EffectOp.WEAKENED else "Changing the declaration without"
    head = f"{verb} {snippet(bound.before)} of {code(named)}"
    if op is EffectOp.CHANGED:
        head = f"Changing {code(named)} so that {snippet(bound.before)} is gone"
    if edit.op is EditOp.ARGUMENT_REMOVED:
        subject = text(edit, "keyword")
    if not bound.owner:
        return settle_inflow(question, bundle, Lost(bound.member, bound.before, head, op, subject, ()))
    return _settle_member(question, bundle, bound, head, op, subject)


_WEAKENS = frozenset({EditOp.DECORATOR_REMOVED, EditOp.DECORATOR_CHANGED, EditOp.ARGUMENT_REMOVED})


def _settle_member(question: Question, bundle: Bundle, bound: Bound, head: str, op: EffectOp, subject: str) -> Settled:
    known = {one.ref.path for one in _of_owner(bundle)} | {question.path}
    scopes = {one.fact.scope for one in _of_owner(bundle) if one.fact.scope}
    uses = [one for one in every(bundle, UseFact, QueryKind.PRODUCERS) if _counts(one) and one.ref.path in known]
    hurting = [(one, hurt) for one in uses if (hurt := _hurt(one)) is not None]
    tested = [
        one for one in uses if one.fact.use == "guard" or (one.fact.guarded_by and _leaf(one) in one.fact.guarded_by)
    ]
    if tested:
        detail = f"{place(tested[0].ref)} tests {code(tested[0].fact.text)} itself"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[tested[0].ref])
    sure = [pair for pair in hurting if pair[0].fact.scope in scopes]
    for use, hurt in (*sure, *hurting):
        return (_card(question, bound, head, op, subject, use, hurt, known=use.fact.scope in scopes),)
    return blocked(bundle, QueryKind.PRODUCERS) or unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no place is seen where an unbounded {code(bound.member)} of {code(bound.owner)} hurts",
        missing=(f"what works with {code(bound.member)}",),
    )


def _of_owner(bundle: Bundle) -> list[Found[UseFact] | Found[CallFact]]:
    return [*found(bundle, UseFact, QueryKind.CALLERS), *found(bundle, CallFact, QueryKind.CALLERS)]


def _counts(one: Found[UseFact]) -> bool:
    reads = one.fact.use not in ("write", "key_write", "key_tag", "import") and "." in one.fact.text
    return reads and not one.fact.in_test and one.ref.side is Side.NEW and not one.evidence.near_change


def _leaf(one: Found[UseFact]) -> str:
    return one.fact.text.rpartition(".")[2]


def _hurt(one: Found[UseFact]) -> Hurt | None:
    line = one.evidence.text.replace(f"{one.fact.text}()", one.fact.text)
    return hurts(line, one.fact.text, number=True) or hurts(line, one.fact.text)


def _card(
    question: Question,
    bound: Bound,
    head: str,
    op: EffectOp,
    subject: str,
    use: Found[UseFact],
    hurt: Hurt,
    *,
    known: bool,
) -> Draft:
    unsure = (
        () if known else (f"Whether {code(use.fact.text)} there is always of {code(bound.owner)} was not followed.",)
    )
    return draft(
        question,
        claim=f"{head} lets whatever was sent reach {snippet(use.evidence.text.strip())} at {place(use.ref)}, and "
        f"{hurt.says}.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING if hurt.kind in _GRAVE else Severity.IMPORTANT,
        support=[use.ref],
        impact=f"A body comes in whose {code(bound.member)} is one that {snippet(bound.before)} turned away.",
        counter=(
            f"A test of {code(bound.member)} in front of {place(use.ref)} would refute this; none was found.",
            f"Another bound in the declaration of {code(bound.member)} would refute this; none is left.",
        ),
        uncertainty=unsure,
    )


RULES = (
    Rule(
        "input_bound_removed",
        frozenset(
            {
                EditOp.DECORATOR_REMOVED,
                EditOp.DECORATOR_CHANGED,
                EditOp.DEFAULT_CHANGED,
                EditOp.ARGUMENT_REMOVED,
                EditOp.ENTRY_CHANGED,
                EditOp.TEXT_REPLACED,
            }
        ),
        _raise,
        _settle,
    ),
)
