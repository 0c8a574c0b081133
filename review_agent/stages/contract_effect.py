"""What a card says the change did: true to the hunk, and said by the claim in the same direction.

An effect is true when an edit of the question states it: code found that edit in the diff, and only some effects are
true of it. Where no edit is about the subject, the changed lines decide by counting: removed means more often in the
removed lines than in the added ones, and so on. Weaker, broader and narrower cannot be counted; they need an edit, or
the subject on a changed line where no edit speaks.

The claim's first word of change (policy lists the words) must be one of the effect's, and no word of the opposite
effect may stand right before the subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from review_agent.stages.contract_case import Case
from review_agent.stages.contract_draft import reason
from review_agent.stages.contract_text import folded, prose, quoted, tokens_in
from review_agent.stages.evidence_proposed import is_proposed
from review_agent.vocabulary import ContractCode, ContractReason, Draft, Edit, EditOp, EffectOp, FactValue

__all__ = ["TRUE_OF", "check_effect"]

_REMOVED, _ADDED, _RENAMED, _CHANGED = EffectOp.REMOVED, EffectOp.ADDED, EffectOp.RENAMED, EffectOp.CHANGED
_REORDERED, _WEAKENED = EffectOp.REORDERED, EffectOp.WEAKENED
_BROADENED, _NARROWED = EffectOp.BROADENED, EffectOp.NARROWED

TRUE_OF: dict[EditOp, frozenset[EffectOp]] = {
    EditOp.SYMBOL_REMOVED: frozenset({_REMOVED}),
    EditOp.SYMBOL_RENAMED: frozenset({_RENAMED}),
    EditOp.SYMBOL_ADDED: frozenset({_ADDED}),
    EditOp.PARAMETER_ADDED: frozenset({_ADDED}),
    EditOp.PARAMETER_REMOVED: frozenset({_REMOVED}),
    EditOp.PARAMETER_RENAMED: frozenset({_RENAMED}),
    EditOp.OPTION_RENAMED: frozenset({_RENAMED}),
    EditOp.PARAMETERS_REORDERED: frozenset({_REORDERED, _CHANGED}),
    EditOp.BECAME_ASYNC: frozenset({_CHANGED}),
    EditOp.BECAME_SYNC: frozenset({_CHANGED}),
    EditOp.RETURN_SHAPE_CHANGED: frozenset({_CHANGED}),
    EditOp.NONE_RETURN_ADDED: frozenset({_CHANGED, _WEAKENED, _ADDED}),
    EditOp.ABSTRACT_MEMBER_ADDED: frozenset({_ADDED}),
    EditOp.REFERENCE_ADDED: frozenset({_ADDED}),
    EditOp.HANDLER_BROADENED: frozenset({_BROADENED, _CHANGED}),
    EditOp.HANDLER_SWALLOWS: frozenset({_WEAKENED, _CHANGED}),
    EditOp.HANDLER_REMOVED: frozenset({_REMOVED}),
    EditOp.RETRY_UNBOUNDED: frozenset({_WEAKENED, _CHANGED, _REMOVED}),
    EditOp.RAISE_TYPE_CHANGED: frozenset({_CHANGED}),
    EditOp.ERROR_DROPPED: frozenset({_WEAKENED, _REMOVED, _CHANGED}),
    EditOp.NILABLE_DEREFERENCED: frozenset({_ADDED, _CHANGED}),
    EditOp.GUARD_REMOVED: frozenset({_REMOVED, _WEAKENED}),
    EditOp.GUARD_WEAKENED: frozenset({_WEAKENED, _CHANGED}),
    EditOp.DEFAULT_CHANGED: frozenset({_CHANGED}),
    EditOp.FALLBACK_REMOVED: frozenset({_REMOVED, _CHANGED}),
    EditOp.KEY_RENAMED: frozenset({_RENAMED}),
    EditOp.KEY_REMOVED: frozenset({_REMOVED}),
    EditOp.CALL_REMOVED: frozenset({_REMOVED}),
    EditOp.CALL_ADDED: frozenset({_ADDED}),
    EditOp.CALL_REPLACED: frozenset({_CHANGED, _REMOVED, _WEAKENED}),
    EditOp.CALL_MOVED: frozenset({_REORDERED, _CHANGED}),
    EditOp.ARGUMENT_REMOVED: frozenset({_REMOVED, _CHANGED, _WEAKENED}),
    EditOp.ARGUMENT_ADDED: frozenset({_ADDED, _CHANGED}),
    EditOp.ARGUMENT_CHANGED: frozenset({_CHANGED, _WEAKENED}),
    EditOp.AWAIT_REMOVED: frozenset({_REMOVED, _WEAKENED}),
    EditOp.BLOCK_REMOVED: frozenset({_REMOVED, _WEAKENED}),
    EditOp.HELD_REMOVED: frozenset({_REMOVED, _NARROWED, _WEAKENED}),
    EditOp.HELD_ADDED: frozenset({_ADDED, _CHANGED, _BROADENED}),
    EditOp.UNHELD_USE_ADDED: frozenset({_ADDED}),
    EditOp.DECORATOR_REMOVED: frozenset({_REMOVED, _WEAKENED}),
    EditOp.DECORATOR_ADDED: frozenset({_ADDED}),
    EditOp.DECORATOR_CHANGED: frozenset({_CHANGED, _WEAKENED}),
    EditOp.BASE_REMOVED: frozenset({_REMOVED, _WEAKENED, _CHANGED}),
    EditOp.COMPONENT_REMOVED: frozenset({_REMOVED}),
    EditOp.COMPONENT_ADDED: frozenset({_ADDED}),
    EditOp.TEMPLATE_CHANGED: frozenset({_CHANGED}),
    EditOp.ENTRY_REMOVED: frozenset({_REMOVED}),
    EditOp.ENTRY_ADDED: frozenset({_ADDED}),
    EditOp.ENTRY_RENAMED: frozenset({_RENAMED, _CHANGED}),
    EditOp.ENTRY_CHANGED: frozenset({_CHANGED}),
    EditOp.SQL_CHANGED: frozenset({_CHANGED, _REMOVED, _WEAKENED, _BROADENED, _NARROWED, _ADDED}),
    EditOp.TEST_REMOVED: frozenset({_REMOVED}),
    EditOp.TEST_SKIPPED: frozenset({_WEAKENED, _CHANGED}),
    EditOp.ASSERTION_REMOVED: frozenset({_REMOVED, _WEAKENED}),
    EditOp.ASSERTION_WEAKENED: frozenset({_WEAKENED, _CHANGED}),
    EditOp.ASSIGNMENT_REMOVED: frozenset({_REMOVED}),
    EditOp.ASSIGNMENT_ADDED: frozenset({_ADDED}),
    EditOp.CONDITION_CHANGED: frozenset({_CHANGED, _WEAKENED, _BROADENED, _NARROWED}),
    EditOp.EXIT_ADDED: frozenset({_ADDED}),
    EditOp.ACT_CONDITIONED: frozenset({_CHANGED, _WEAKENED, _NARROWED}),
    EditOp.ACT_MOVED: frozenset({_CHANGED, _REORDERED}),
    EditOp.TEXT_REPLACED: frozenset({_CHANGED, _RENAMED}),
    EditOp.RELEASE_WEAKENED: frozenset({_REMOVED, _WEAKENED, _CHANGED}),
    EditOp.STEP_ADDED: frozenset({_ADDED, _CHANGED}),
    EditOp.MODULE_MOVED: frozenset({_RENAMED}),
    EditOp.RESULT_TYPE_CHANGED: frozenset({_CHANGED}),
    EditOp.RESULT_CONTAINER_CHANGED: frozenset({_CHANGED}),
    EditOp.FIELD_ADDED: frozenset({_ADDED}),
    EditOp.REST_CUT_OFF: frozenset({_ADDED}),
    EditOp.MEMBER_ADDED: frozenset({_ADDED}),
    EditOp.PARAMETER_TIGHTENED: frozenset({_CHANGED, _NARROWED, _REMOVED}),
    EditOp.LAST_USE_REMOVED: frozenset({_REMOVED}),
    EditOp.PARAMETER_UNREAD: frozenset({_REMOVED}),
    EditOp.DOC_PARAMETER_LEFT: frozenset({_REMOVED, _RENAMED}),
    EditOp.DOC_PARAMETER_MISSING: frozenset({_ADDED}),
    EditOp.DOC_DEFAULT_LEFT: frozenset({_CHANGED}),
    EditOp.DOC_ERROR_LEFT: frozenset({_REMOVED}),
    EditOp.NAME_LEFT_IN_COMMENT: frozenset({_REMOVED, _RENAMED}),
    EditOp.LINK_CHANGED: frozenset({_CHANGED}),
    EditOp.LINK_ADDED: frozenset({_ADDED}),
    EditOp.STATEMENT_CHANGED: frozenset({_CHANGED}),
    EditOp.FILE_MOVED: frozenset({_RENAMED}),
    EditOp.FILE_REMOVED: frozenset({_REMOVED}),
    EditOp.TWIN_LEFT: frozenset({_CHANGED, _ADDED, _REMOVED}),
    EditOp.LINE_REPLACED: frozenset({_CHANGED}),
    EditOp.MINIMUM_RAISED: frozenset({_CHANGED}),
    EditOp.LINES_INSERTED: frozenset({_ADDED}),
    EditOp.BLOCK_ADDED: frozenset({_ADDED}),
    EditOp.FILE_UNTESTED: frozenset({_ADDED}),
    EditOp.COMMENT_OF_ANOTHER: frozenset({_ADDED}),
    EditOp.REFUSAL_ADDED: frozenset({_ADDED}),
    EditOp.CASE_ADDED: frozenset({_ADDED}),
    EditOp.FAILURE_EXPECTED: frozenset({_ADDED}),
    EditOp.LINES_CHANGED: frozenset(),
}
_OPPOSITE = {_REMOVED: _ADDED, _ADDED: _REMOVED, _BROADENED: _NARROWED, _NARROWED: _BROADENED}
_MAX_WORDS_BETWEEN = 3
_BECAME = frozenset({"newName", "newQualname", "newKey"})


def check_effect(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Is the effect true to the hunk, and does the claim say the same?"""
    said = _untrue(draft, case)
    if said:
        yield reason(ContractCode.EFFECT_NOT_IN_DIFF, said)
    said = _contradiction(draft, case)
    if said:
        yield reason(ContractCode.EFFECT_CONTRADICTS_CLAIM, said)


def _untrue(draft: Draft, case: Case) -> str:
    """Why the effect is not true to the hunk, "" if it is."""
    op, subject, to = draft.effect.op, draft.effect.subject, draft.effect.to
    edits = [edit for edit in case.question.edits if _is_about(edit, subject)]
    if to is not None and not _appeared(to, edits, case):
        return f"{to!r} did not come with this hunk"
    if op is EffectOp.RENAMED and to is None:
        return "a rename must say what the name became"
    stated = [edit for edit in edits if op in TRUE_OF[edit.op]]
    if stated or _counted(op, subject, case, any(edit.op is not EditOp.LINES_CHANGED for edit in edits)):
        return ""
    return f"that {subject!r} was {op.value} is not what the hunk does"


def _is_about(edit: Edit, subject: str) -> bool:
    """Whether an edit is about a subject: its own, a text or name among its facts, or its name in full.

    The new name of a rename is what it became, not what it is about.
    """
    facts = [value for name, value in edit.facts.items() if name not in _BECAME]
    owner = edit.facts.get("function") or edit.facts.get("owner") or edit.scope
    return folded(subject) in _texts([*facts, edit.before, edit.after, edit.subject]) | {f"{owner}.{edit.subject}"}


def _became(edit: Edit, to: str) -> bool:
    """Whether an edit says that its subject became this."""
    facts = [value for name, value in edit.facts.items() if name in _BECAME or name.startswith("after")]
    return folded(to) in _texts([*facts, edit.after])


def _texts(values: Iterable[FactValue]) -> set[str]:
    single = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
    return {folded(one) for one in single if isinstance(one, str) and one}


def _appeared(to: str, edits: list[Edit], case: Case) -> bool:
    removed, added = _occurrences(to, case)
    return added > removed or any(_became(edit, to) for edit in edits)


def _occurrences(piece: str, case: Case) -> tuple[int, int]:
    """How often a piece of code stands in the removed and in the added lines, layout aside."""
    wanted = tokens_in(piece)
    removed, added = (_count(wanted, case.changed_tokens[tag]) for tag in "-+")
    if wanted != ("BaseException",):
        return removed, added
    # A bare handler catches this type without naming it.
    bare_removed, bare_added = (len(re.findall(r"\bexcept\s*:", case.changed_text[tag])) for tag in "-+")
    return removed + bare_removed, added + bare_added


def _count(wanted: tuple[str, ...], tokens: tuple[str, ...]) -> int:
    if not wanted:
        return 0
    last = len(tokens) - len(wanted)
    return sum(tokens[at] == wanted[0] and tokens[at : at + len(wanted)] == wanted for at in range(last + 1))


def _counted(op: EffectOp, subject: str, case: Case, has_edit: bool) -> bool:
    """What the changed lines say by counting."""
    removed, added = _occurrences(subject, case)
    if op in (EffectOp.REMOVED, EffectOp.RENAMED):
        return removed > added
    if op is EffectOp.ADDED:
        return added > removed
    if op is EffectOp.CHANGED and is_proposed(case.question) and _moves_in_file(subject, case):
        return True
    if op is EffectOp.REORDERED:
        before, after = (case.changed_tokens[tag] for tag in "-+")
        swapped = before != after and _same_names(before, after)
        return removed > 0 and added > 0 and (swapped or (before == after and _moved_over(case)))
    # An edit about the subject has said what happened to it; without one, the subject must stand on a changed line.
    return not has_edit and removed + added > 0


def _moves_in_file(subject: str, case: Case) -> bool:
    """Whether a piece of code stands among the removed and among the added lines of the file: a model that sees all of
    it says of one that moved between two functions that it was changed."""
    wanted = tokens_in(subject)
    sides = ["\n".join(one.text for hunk in case.file.hunks for one in hunk.lines if one.tag == tag) for tag in "-+"]
    return all(_count(wanted, tokens_in(side)) > 0 for side in sides)


def _moved_over(case: Case) -> bool:
    """Whether a line that stays lies between what was taken out and what was put in."""
    tags = "".join(line.tag for line in case.hunk.lines if line.text.strip())
    return re.search(r"- +\+|\+ +-", tags) is not None


def _same_names(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    def names(tokens: tuple[str, ...]) -> list[str]:
        return sorted(token for token in tokens if token[0].isalnum() or token[0] == "_")

    return names(before) == names(after)


def _contradiction(draft: Draft, case: Case) -> str:
    """Why the claim does not say what the effect says, "" if it does."""
    op, words = draft.effect.op, case.policy.change_kinds.words.effects
    text = prose(draft.claim).casefold()
    first = _first_ops(text, words)
    if op not in first:
        found = ", ".join(sorted(one.value for one in first)) or "no change at all"
        return f"the effect is {op.value}, the claim's first word of change says {found}"
    opposite = _OPPOSITE.get(op)
    if opposite is not None:
        stems = [stem for stem in words[opposite] if stem not in words[op]]
        if any(_governs(stem, draft) for stem in stems):
            return f"the effect is {op.value}, but the claim says {opposite.value} of {draft.effect.subject!r}"
    return ""


def _first_ops(text: str, words: dict[EffectOp, tuple[str, ...]]) -> frozenset[EffectOp]:
    """The effects that the first word of change in a text can state."""
    places = {op: _first_place(text, stems) for op, stems in words.items()}
    standing = [place for place in places.values() if place is not None]
    return frozenset(op for op, place in places.items() if standing and place == min(standing))


def _first_place(text: str, stems: tuple[str, ...]) -> int | None:
    match = _any_of(stems).search(text) if stems else None
    return match.start() if match else None


@lru_cache(maxsize=64)
def _any_of(stems: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_stem, stems)))


def _stem(stem: str) -> str:
    return rf"(?<!\w){re.escape(stem.casefold())}"


def _governs(stem: str, draft: Draft) -> bool:
    """Whether a word stands right before the subject: at most three plain words between them."""
    pieces = quoted(draft.claim)
    parts = re.split(r"``", prose(draft.claim).casefold())
    pattern = re.compile(rf"{_stem(stem)}\w*(?:\s+[\w-]+){{0,{_MAX_WORDS_BETWEEN}}}\s+$")
    return any(
        pattern.search(part) and folded(piece) == folded(draft.effect.subject)
        for part, piece in zip(parts, pieces, strict=False)
    )
