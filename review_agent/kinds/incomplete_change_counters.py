"""A rule of ``incomplete_change``: a count is kept beside one growth of what it counts, and not beside another."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
from review_agent.kinds.functions import function_of
from review_agent.kinds.holds import is_maker
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.edits.assignments import GROWS
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
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

__all__ = ["RULES"]

Uses = Sequence[Found[UseFact]]

_CALLS = frozenset({EditOp.ARGUMENT_CHANGED, EditOp.ARGUMENT_ADDED, EditOp.CALL_REPLACED})
# A count stands this near to the growth that it counts.
_NEAR = 2


def _counter(edit: Edit) -> str:
    """The member that counts; "" where a local or a member of another object does."""
    receiver, _, name = edit.subject.partition(".")
    own = receiver in ("self", "this") or edit.language == "go"
    return name if own and "." not in name and "[" not in name else ""


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    counter, beside = _counter(edit), texts(edit, "beside")
    owner = function_of(edit).rpartition(".")[0]
    if in_test(edit.path) or not counter or not beside or not owner or not text(edit, "value").startswith("+="):
        return None
    first = next(one for one in edits if (one.op, one.path, one.subject) == (edit.op, edit.path, edit.subject))
    if first.edit_id != edit.edit_id:
        return None
    kept = beside[0]
    taken = _taken(edit, edits, kept)
    return seed(
        taken or edit,
        "count_left_out",
        change=f"{code(edit.subject)} now counts what goes into {code(kept)}",
        precondition=f"{code(kept)} grows in another place too, and both are taken together",
        consequence=f"{code(edit.subject)} says less than {code(kept)} holds",
        refuted_if=(f"every growth of {code(kept)} is counted", "the two are never taken together"),
        plan=(
            ask(QueryKind.LIFETIME, kept, path=edit.path, scope=owner),
            ask(QueryKind.LIFETIME, counter, path=edit.path, scope=owner),
        ),
        others=(edit,) if taken is not None else (),
        risk=10,
    )


def _taken(edit: Edit, edits: Sequence[Edit], kept: str) -> Edit | None:
    """The last changed call behind the count, in the same function, that takes both: there a wrong count tells."""
    both = re.compile(rf"(?<![\w#]){whole_name(kept)}.*{whole_name(edit.subject)}")
    calls = [
        one
        for one in edits
        if (one.path, one.scope) == (edit.path, edit.scope)
        and one.op in _CALLS
        and one.start_line > edit.end_line
        and both.search(one.after or "")
    ]
    return calls[-1] if calls else None


def _edit(question: Question) -> Edit:
    return next(one for one in question.edits if one.op is EditOp.ASSIGNMENT_ADDED)


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = _edit(question)
    kept, counter = texts(edit, "beside")[0], _counter(edit)
    container, counts = (_uses(bundle, name) for name in (kept, counter))
    stopped = blocked(bundle, QueryKind.LIFETIME)
    if stopped is not None:
        return stopped
    growths = [one for one in container if kept in GROWS.findall(one.evidence.text) and not is_maker(one.fact.scope)]
    ups = [one for one in counts if re.search(rf"{re.escape(counter)}\s*(?:\+=|\+\+)", one.evidence.text)]
    bare = [one for one in growths if not any(_near(one, up) for up in ups) and not _summed(one, ups, growths)]
    if not bare:
        return unsettled(NoFindingCode.REFUTED, f"every growth of {code(kept)} is counted", refs=_refs(growths[:1]))
    both = _taken_together(container, counts)
    outside = [one for one in bare if not one.evidence.near_change]
    if both is None or not outside:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(bare[0].ref)} is not counted; that {code(kept)} and {code(counter)} go together is not shown",
            missing=(f"a place that takes {code(kept)} and {code(counter)} together",),
            refs=_refs(bare[:1]),
        )
    return (_card(question, kept, outside[0], both),)


def _uses(bundle: Bundle, name: str) -> Uses:
    """The uses of one member, one a line."""
    uses = found(bundle, UseFact, QueryKind.LIFETIME, name)
    return list({(one.ref.path, one.ref.start_line): one for one in uses if not one.fact.in_test}.values())


def _refs(uses: Uses) -> list[SourceRef]:
    return [one.ref for one in uses]


def _near(one: Found[UseFact], other: Found[UseFact]) -> bool:
    return one.ref.path == other.ref.path and abs(one.ref.start_line - other.ref.start_line) <= _NEAR


def _summed(one: Found[UseFact], ups: Uses, growths: Uses) -> bool:
    """Whether a function counts at a distance from any growth: then it counts all of its own in one go."""
    here = [up for up in ups if up.fact.scope == one.fact.scope]
    return any(not any(_near(up, growth) for growth in growths) for up in here)


def _taken_together(container: Uses, counts: Uses) -> Found[UseFact] | None:
    """A line that reads both, or neighbours that set both back."""
    reads = {(one.ref.path, one.ref.start_line) for one in container if one.fact.use == "read"}
    read = (one for one in counts if one.fact.use == "read" and (one.ref.path, one.ref.start_line) in reads)
    resets = [one for one in container if one.fact.use == "write" and not is_maker(one.fact.scope)]
    reset = (
        one
        for one in counts
        if one.fact.use == "write" and not is_maker(one.fact.scope) and any(_near(one, other) for other in resets)
    )
    return next(read, None) or next((one for one in reset if re.search(r"=\s*0\b", one.evidence.text)), None)


def _card(question: Question, kept: str, bare: Found[UseFact], both: Found[UseFact]) -> Draft:
    edit = _edit(question)
    said = f"{edit.subject} {text(edit, 'value')}"
    return draft(
        question,
        claim=f"Adding {snippet(said)} beside one growth of {code(kept)} leaves "
        f"another uncounted: {place(bare.ref)} adds to {code(kept)} alone, and {place(both.ref)} takes the two as one.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[bare.ref, both.ref],
        impact=f"{code(bare.fact.scope)} goes the way of {place(bare.ref)}; {code(edit.subject)} is then too "
        "small for what is there, and the rest is cut off or overlooked.",
        counter=(f"A count elsewhere on that way would refute this; {code(edit.path)} has none near it.",),
    )


RULES = (Rule("count_left_out", frozenset({EditOp.ASSIGNMENT_ADDED}), _raise, _settle),)
