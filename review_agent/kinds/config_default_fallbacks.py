"""Rules of ``config_default`` about what applies where nobody sets a key: environment fallbacks and flags."""

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
    flag,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.config_default_shared import ask_helper, settle_helper
from review_agent.kinds.risk import effect_of, is_risky, judgement_call
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.settings import Places, Settings, places
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["RULES"]

_UNSEEN = "A shell, a secret store or a platform that sets {key} for this service leaves no trace in the repository."


def _key(edit: Edit) -> str:
    return text(edit, "key") or edit.subject


def _plan(edit: Edit) -> tuple[PlanQuery, ...]:
    key = _key(edit)
    return (ask(QueryKind.CONFIG, key, path=edit.path), ask(QueryKind.SIBLINGS, key, path=edit.path))


def _raise_environment(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    return _raise_changed(edit, "environment_fallback_changed") if _is_setting(edit) else None


def _is_setting(edit: Edit) -> bool:
    """A variable of the environment, or in Java a property by its dotted name: files set both."""
    property_ = text(edit, "carrier") == "lookup" and edit.language == "java" and "." in _key(edit)
    return text(edit, "carrier") == "environment" or property_


def _raise_flag(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    return _raise_changed(edit, "flag_default_changed") if text(edit, "carrier") == "flag" else None


def _raise_changed(edit: Edit, rule: str) -> Seed:
    key, before, after = code(_key(edit)), snippet(edit.before or ""), snippet(edit.after or "")
    return seed(
        edit,
        rule,
        change=f"where nobody sets {key}, {after} applies instead of {before}",
        precondition=f"a deployment configures this service and does not set {key}",
        consequence=f"that deployment runs with {after} from the next release on",
        refuted_if=(f"every deployment sets {key}", "no deployment of this service is in the repository"),
        plan=_plan(edit) if is_risky(edit) else _plan(edit)[:1],
    )


def _settle_changed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if not is_risky(edit):
        return judgement_call(edit)
    seen = places(question, bundle, _key(edit))
    bare = seen.bare if text(edit, "carrier") == "environment" else _of_same_kind(edit, seen.bare)
    return (_changed_card(question, bare),) if bare else _without_bare(edit, bundle, seen)


def _of_same_kind(edit: Edit, bare: Settings) -> Settings:
    """Of files that set neighbours of a key, those that could set it: a property stands in files of properties."""
    return tuple(one for one in bare if text(edit, "carrier") != "lookup" or "." in one.fact.key)


def _changed_card(question: Question, bare: Settings) -> Draft:
    edit, first = question.edits[0], bare[0]
    key, after = code(_key(edit)), snippet(edit.after or "")
    return draft(
        question,
        claim=f"Changing what applies without {key} from {snippet(edit.before or '')} to {after} reaches "
        f"{place(first.ref)}{_others(bare)}: it sets {code(first.fact.key)} but no {key}, so the service it configures "
        f"now runs with {effect_of(edit)}.",
        op=EffectOp.CHANGED,
        subject=_key(edit),
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[one.ref for one in bare],
        impact=f"The service is started from {code(first.ref.path)} and nothing else in its environment names {key}.",
        counter=(f"A line that sets {key} would refute this; {code(first.ref.path)} was searched and has none.",),
        uncertainty=(_UNSEEN.format(key=key),),
    )


def _others(bare: Settings) -> str:
    return f" (the first of {len(bare)} such files)" if len(bare) > 1 else ""


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if text(edit, "carrier") not in ("environment", "lookup"):
        return None
    key = code(_key(edit))
    return seed(
        edit,
        "environment_fallback_removed",
        change=f"{key} has no fallback any more",
        precondition=f"a deployment configures this service and does not set {key}",
        consequence="reading it fails there" if flag(edit, "required") else "nothing stands in for it there",
        refuted_if=(f"every deployment sets {key}", "a miss is still caught where the key is read"),
        plan=(*_plan(edit), *ask_helper(edit)),
    )


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    through = settle_helper(question, bundle)
    if through is not None:
        return through
    if not flag(edit, "required"):
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"a missing {code(_key(edit))} now gives an empty value; what that means is not settled here",
            missing=(f"what happens where {code(_key(edit))} is empty",),
        )
    seen = places(question, bundle, _key(edit))
    return (_removed_card(question, seen.bare),) if seen.bare else _without_bare(edit, bundle, seen)


def _removed_card(question: Question, bare: Settings) -> Draft:
    edit, first = question.edits[0], bare[0]
    key, fallback = code(_key(edit)), text(edit, "fallback") or edit.before or _key(edit)
    return draft(
        question,
        claim=f"Removing the fallback {snippet(fallback)} of {key} strands {place(first.ref)}{_others(bare)}: it sets "
        f"{code(first.fact.key)} but no {key}, and reading {key} now fails where it is missing.",
        op=EffectOp.REMOVED,
        subject=fallback,
        severity=Severity.IMPORTANT,
        support=[one.ref for one in bare],
        impact=f"The service is started from {code(first.ref.path)} and comes to the line that reads the key.",
        counter=(f"A line that sets {key} would refute this; {code(first.ref.path)} was searched and has none.",),
        uncertainty=(_UNSEEN.format(key=key),),
    )


def _without_bare(edit: Edit, bundle: Bundle, seen: Places) -> Unsettled:
    key = code(_key(edit))
    stopped = blocked(bundle, QueryKind.CONFIG, QueryKind.SIBLINGS)
    if stopped is not None:
        return stopped
    if seen.sets:
        detail = f"the configuration in the repository sets {key}, first at {place(seen.sets[0].ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in seen.sets])
    where = searched(bundle, QueryKind.CONFIG, QueryKind.SIBLINGS)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"no deployment of this service that leaves {key} out is in the repository",
        missing=(f"a deployment that sets neighbours of {key} (searched: {where})",),
    )


RULES = (
    Rule("environment_fallback_changed", frozenset({EditOp.DEFAULT_CHANGED}), _raise_environment, _settle_changed),
    Rule("flag_default_changed", frozenset({EditOp.DEFAULT_CHANGED}), _raise_flag, _settle_changed),
    Rule("environment_fallback_removed", frozenset({EditOp.FALLBACK_REMOVED}), _raise_removed, _settle_removed),
)
