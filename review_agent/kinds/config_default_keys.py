"""Rules of ``config_default`` about names of keys: renamed or removed on one side, left as it was on the other."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.settings import Places, Settings, distinctive, is_tooling, places
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    ConfigFact,
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


def _is_service(edit: Edit) -> bool:
    """Whether the key is a name of its own, in something that configures a running program."""
    return distinctive(edit.subject) and not is_tooling(edit.path)


def _same_key(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """The edits that do the same to the same key, in any file of the change: one question covers them all."""
    facts = ("act", "carrier", "newKey")
    return [
        one
        for one in edits
        if (one.op, one.subject) == (edit.op, edit.subject) and all(text(one, f) == text(edit, f) for f in facts)
    ]


def _raise_renamed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    first, *others = _same_key(edit, edits)
    if not _is_service(edit) or first.edit_id != edit.edit_id:
        return None
    old, new = edit.subject, text(edit, "newKey")
    sets = text(edit, "act") == "sets"
    left = f"code still reads {code(old)}" if sets else f"a deployment still sets {code(old)}"
    return seed(
        edit,
        "key_renamed_readers_left",
        change=f"{code(edit.path)} {'sets' if sets else 'reads'} {code(new)} where it had {code(old)}",
        precondition=left,
        consequence="that reader finds nothing" if sets else "what is set there is no longer read",
        refuted_if=(
            f"nothing outside the change names {code(old)}",
            f"both names are {'set' if sets else 'read'} at head",
        ),
        plan=(
            ask(QueryKind.CONFIG, old, path=edit.path),
            ask(QueryKind.CONFIG, new, path=edit.path),
        ),
        others=others,
    )


def _settle_renamed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    old, new = places(question, bundle, edit.subject), places(question, bundle, text(edit, "newKey"))
    sets = text(edit, "act") == "sets"
    kept = [one for one in (old.sets if sets else old.reads) if one.ref.path == question.path]
    if kept:
        detail = f"{code(question.path)} still has {code(edit.subject)}, at {place(kept[0].ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in kept])
    left, others = _left(old.reads, new.reads, old.sets) if sets else _left(old.sets, new.sets, old.reads)
    if left and not others:
        return (_renamed_card(question, left),)
    return _without_card(question, bundle, left, others, "reads" if sets else "sets")


def _left(stale: Settings, current: Settings, partners: Settings) -> tuple[Settings, Settings]:
    """Places of the old name in files without the new one; and what, elsewhere, still goes with the old name."""
    updated = {one.ref.path for one in current}
    return tuple(one for one in stale if one.ref.path not in updated), partners


def _renamed_card(question: Question, left: Settings) -> Draft:
    edit, first = question.edits[0], left[0]
    old, new = code(edit.subject), code(text(edit, "newKey"))
    sets = text(edit, "act") == "sets"
    effect = f"still reads {old} and finds nothing" if sets else f"still sets {old}, which is no longer read"
    return draft(
        question,
        claim=f"Renaming the key {old} to {new} in {code(edit.path)} strands {place(first.ref)}{_others(left)}: it "
        f"{effect}.",
        op=EffectOp.RENAMED,
        subject=edit.subject,
        to=text(edit, "newKey"),
        severity=Severity.IMPORTANT,
        support=[one.ref for one in left],
        impact=_impact(edit, first, sets=sets),
        counter=(f"A second line that keeps {old} alive would refute this; at head no other side of it was found.",),
        uncertainty=_joined(edit, first),
    )


def _impact(edit: Edit, first: Found[ConfigFact], *, sets: bool) -> str:
    if sets and first.fact.value is None:
        return f"The code at {place(first.ref)} runs; it has no fallback of its own."
    if sets:
        return (
            f"The value under the new name differs from the fallback {snippet(first.fact.value or '')} of that reader."
        )
    return "The value set there differs from what applies where the key is missing."


def _joined(edit: Edit, first: Found[ConfigFact]) -> tuple[str, ...]:
    """Environment variables are one namespace; other keys are joined by the file that is loaded."""
    if text(edit, "carrier") == "environment" and first.fact.carrier in ("environment", "deployment"):
        return (f"That {code(first.ref.path)} configures the process that reads the key was not followed.",)
    return (f"That {code(first.ref.path)} and {code(edit.path)} belong to one configuration was not followed.",)


def _others(left: Settings) -> str:
    return f" (the first of {len(left)} such places)" if len(left) > 1 else ""


def _without_card(question: Question, bundle: Bundle, left: Settings, others: Settings, act: str) -> Unsettled:
    old = code(question.edits[0].subject)
    stopped = blocked(bundle, QueryKind.CONFIG)
    if stopped is not None:
        return stopped
    if left:
        detail = f"{place(others[0].ref)} still goes with {old} at {place(left[0].ref)}: two configurations, not one"
        refs = [one.ref for one in (*others, *left)]
        return unsettled(
            NoFindingCode.CONFLICTING_EVIDENCE, detail, missing=(f"which of them {old} belongs to",), refs=refs
        )
    where = searched(bundle, QueryKind.CONFIG)
    return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing outside the change {act} {old}; searched: {where}")


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    first, *others = _same_key(edit, edits)
    if text(edit, "act") != "sets" or not _is_service(edit) or first.edit_id != edit.edit_id:
        return None
    return seed(
        edit,
        "key_removed_readers_left",
        change=f"{code(edit.path)} no longer sets {code(edit.subject)}",
        precondition=f"code still reads {code(edit.subject)} and has no fallback",
        consequence="that reader finds nothing",
        refuted_if=(
            f"another file sets {code(edit.subject)} for the same reader",
            "every reader has a fallback",
        ),
        plan=(ask(QueryKind.CONFIG, edit.subject, path=edit.path),),
        others=others,
    )


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    seen = places(question, bundle, edit.subject)
    if seen.sets:
        detail = f"{code(edit.subject)} is still set, at {place(seen.sets[0].ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in seen.sets])
    bare = tuple(one for one in seen.reads if one.fact.value is None)
    if bare:
        return (_removed_card(question, bare),)
    return _fallbacks(edit, seen) or _without_card(question, bundle, (), (), "reads")


def _fallbacks(edit: Edit, seen: Places) -> Unsettled | None:
    if not seen.reads:
        return None
    first = seen.reads[0]
    return unsettled(
        NoFindingCode.NEEDS_HUMAN_CONTEXT,
        f"{place(first.ref)} falls back to {snippet(first.fact.value or '')} without {code(edit.subject)}",
        missing=("whether the fallback serves as well as the value that was set",),
        refs=[one.ref for one in seen.reads],
    )


def _removed_card(question: Question, bare: Settings) -> Draft:
    edit, first = question.edits[0], bare[0]
    key = code(edit.subject)
    return draft(
        question,
        claim=f"Removing {key} from {code(edit.path)} leaves {place(first.ref)}{_others(bare)} without a value: it "
        f"still reads {key} and has no fallback.",
        op=EffectOp.REMOVED,
        subject=edit.subject,
        severity=Severity.IMPORTANT,
        support=[one.ref for one in bare],
        impact="The code there runs in a process that took the value from this file.",
        counter=(f"Another line that sets {key} would refute this; none was found at head.",),
        uncertainty=_joined(edit, first),
    )


RULES = (
    Rule("key_renamed_readers_left", frozenset({EditOp.KEY_RENAMED}), _raise_renamed, _settle_renamed),
    Rule("key_removed_readers_left", frozenset({EditOp.KEY_REMOVED}), _raise_removed, _settle_removed),
)
