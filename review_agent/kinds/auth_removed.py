"""Rules of ``auth`` about a check that went or became weaker, while requests still reach what it protected."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.auth_cards import exposed_card
from review_agent.kinds.auth_inline import bound_in
from review_agent.kinds.auth_scope import scope_of
from review_agent.kinds.authority import MAY, asked_by, asks, asks_of, decorates, level_words, of_base
from review_agent.kinds.base import Seed, Settled, code, number, seed, text, texts
from review_agent.kinds.entrances import is_open
from review_agent.kinds.exposure import plan_of_exposure, settle_exposed
from review_agent.kinds.functions import function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Bundle, Edit, EditOp, EffectOp, Question

__all__ = ["RULES"]

_GUARDS = frozenset({EditOp.GUARD_REMOVED, EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED})
_SCOPING = frozenset({EditOp.ARGUMENT_REMOVED, EditOp.ENTRY_REMOVED, EditOp.SQL_CHANGED})
_LEAVES = frozenset({"return", "raise", "exit", "continue", "break"})


def _level(edit: Edit) -> int:
    """What the check asked that went or became weaker."""
    before = edit.before or ""
    if edit.op in _SCOPING or scope_of(edit):
        return MAY if scope_of(edit) else 0
    if edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        return asks(edit.subject)
    if edit.op is EditOp.GUARD_REMOVED:
        return asked_by(text(edit, "test"), _refusal(edit))
    if edit.op in (EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED):
        return asked_by(text(edit, "beforeTest"), _refusal(edit))
    if edit.op is EditOp.BASE_REMOVED:
        return of_base(before)
    return asks_of(before) if edit.op is EditOp.PARAMETER_REMOVED else decorates(before)


def _refusal(edit: Edit) -> str:
    """What the guard does where it leaves; a body that it wraps refuses nobody."""
    return text(edit, "body") if text(edit, "action") in _LEAVES else ""


def _left(edit: Edit) -> int:
    """What is asked in its place."""
    after = edit.after or ""
    if edit.op is EditOp.CALL_REPLACED:
        return asks(after.partition("(")[0])
    return decorates(after) if edit.op is EditOp.DECORATOR_CHANGED else 0


def _raise_removed(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not function_of(edit) or is_open(function_of(edit).rpartition(".")[2]):
        return None
    level = _level(edit)
    if bound_in(edit):
        return None
    if level <= _left(edit) or _is_covered(edit, edits) or number(edit, "remaining") or _by_lookup(edit, edits):
        return None
    # What gives a value that is kept, or is only called "auth", takes part in signing in; it turns nobody away.
    calls = edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED) and not scope_of(edit)
    if calls and (text(edit, "result") == "assigned" or text(edit, "name").lower() in ("auth", "authenticate")):
        return None
    change = f"{code(function_of(edit))} no longer asks {_snip(edit)}"
    return _seed(edit, "auth_check_removed", change, level, _newly(edit, edits))


_WHOSE = frozenset(
    {"user", "owner", "account", "tenant", "member", "author", "customer", "org", "organization", "team", "workspace"}
)
_TAKES = (EditOp.CALL_REPLACED, EditOp.CALL_ADDED, EditOp.ARGUMENT_ADDED, EditOp.ARGUMENT_CHANGED)


def _by_lookup(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the function now looks the thing up by whose it is, where it compared that afterwards."""
    if edit.op is not EditOp.GUARD_REMOVED:
        return False
    whose = set(words_of(text(edit, "test"))) & _WHOSE
    here = [one for one in edits if one.op in _TAKES and (one.path, one.scope) == (edit.path, edit.scope)]
    given = [
        part
        for one in here
        for part in (*texts(one, "newArguments"), *(texts(one, "arguments") if one.op is EditOp.CALL_ADDED else ()))
    ]
    given += [one.after or "" for one in here if one.op in (EditOp.ARGUMENT_ADDED, EditOp.ARGUMENT_CHANGED)]
    return bool(whose) and any(whose & set(words_of(part)) for part in given)


def _newly(edit: Edit, edits: Sequence[Edit]) -> list[str]:
    """What the function calls that it did not call before."""
    here = [one for one in edits if (one.path, one.scope) == (edit.path, edit.scope) and one is not edit]
    called = [text(one, "newCallee") for one in here if one.op is EditOp.CALL_REPLACED]
    called += [one.subject for one in here if one.op is EditOp.CALL_ADDED]
    return [one for one in called if one and re.fullmatch(r"[\w.$]+", one)][:2]


def _raise_weakened(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if in_test(edit.path) or not function_of(edit) or not _level(edit) or not _is_weaker(edit, edits):
        return None
    before, after = snippet(text(edit, "beforeTest")), snippet(text(edit, "afterTest"))
    return _seed(
        edit, "auth_check_weakened", f"{code(function_of(edit))} asks {after} where it asked {before}", _level(edit)
    )


def _is_weaker(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the condition lets more through than before: by its form, not by its meaning."""
    if edit.op is EditOp.GUARD_WEAKENED:
        return asked_by(text(edit, "afterTest")) < asked_by(text(edit, "beforeTest")) or _fewer(edit)
    same = [one for one in edits if one.op in _GUARDS and one is not edit and one.hunk_id == edit.hunk_id]
    if any(one.op is not EditOp.CONDITION_CHANGED and one.start_line == edit.start_line for one in same):
        return False
    refuses = text(edit, "action") in _LEAVES
    how = text(edit, "how")
    if how in ("negated", "comparison"):
        return text(edit, "action") == text(edit, "beforeAction") and _turned_open(edit, refuses)
    return how == ("or_to_and" if refuses else "and_to_or")


_DENIES = re.compile(r"(?i)anonym|guest|deni|forbid|block|bann?ed|suspend|unauth|expire|revoke|disable|locked|missing")


def _turned_open(edit: Edit, refuses: bool) -> bool:
    """Whether a test that was turned around refused the right ones before: else the change mends it."""
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    if text(edit, "how") == "negated":
        denied = re.match(r"\s*(?:!|not\b)", before) is not None
    elif {"==", "!="} & set(re.findall(r"[=!]=", before)) and re.sub(r"[=!]=+", "", before) == re.sub(
        r"[=!]=+", "", after
    ):
        denied = "!=" in before
    else:
        return True
    return (denied != bool(_DENIES.search(before))) == refuses


def _fewer(edit: Edit) -> bool:
    """Whether a name that told something about the caller went out of the test."""
    return bool(set(_names(text(edit, "beforeTest"))) - set(_names(text(edit, "afterTest")))) or bool(
        re.search(r"\bor\b|\|\|", text(edit, "beforeTest"))
    )


def _names(test: str) -> list[str]:
    return re.findall(r"[A-Za-z_][\w.]*", test)


def _is_covered(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether another edit of the same function tells of the same check."""
    if edit.op not in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        return False
    return any(
        one.op in _GUARDS and (one.path, one.scope) == (edit.path, edit.scope) and edit.subject in (one.before or "")
        for one in edits
    )


def _snip(edit: Edit) -> str:
    return snippet(_check(edit))


def _check(edit: Edit) -> str:
    """The check as a card names it."""
    if scope_of(edit):
        return scope_of(edit)
    if edit.op is EditOp.GUARD_REMOVED:
        return text(edit, "test")
    if edit.op in (EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED):
        return text(edit, "beforeTest")
    if edit.op in (EditOp.DECORATOR_REMOVED, EditOp.DECORATOR_CHANGED):
        return (edit.before or "").lstrip("@")
    return edit.subject


def _seed(edit: Edit, rule: str, change: str, level: int, newly: Sequence[str] = ()) -> Seed:
    function = code(function_of(edit))
    return seed(
        edit,
        rule,
        change=change,
        precondition=f"a request reaches {function} on a way on which nothing else asks {level_words(level)}",
        consequence=f"whoever sends it gets what {function} does",
        refuted_if=(
            f"{function}, its class, its router or what it calls still asks",
            f"every resolved caller of {function} asks first",
        ),
        plan=plan_of_exposure(edit, newly),
    )


def _gone(edit: Edit) -> tuple[str, ...]:
    """Texts at head that are the weaker check itself, and so no proof that something else asks."""
    return (text(edit, "afterTest"),) if edit.op in (EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED) else ()


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    head = f"Removing {_snip(edit)} from {code(function_of(edit))}"
    if edit.op in (EditOp.CALL_REPLACED, EditOp.DECORATOR_CHANGED):
        head = f"Replacing {_snip(edit)} by {snippet((edit.after or '').lstrip('@'))} in {code(function_of(edit))}"
    op = EffectOp.WEAKENED if head.startswith("Replacing") else EffectOp.REMOVED
    subject = _check(edit) if edit.op is not EditOp.DECORATOR_REMOVED else (edit.before or "")
    if edit.op is EditOp.DECORATOR_CHANGED:
        op, subject = EffectOp.CHANGED, edit.subject
    return settle_exposed(
        question, bundle, _level(edit), (), lambda seen: exposed_card(question, seen, head, _check(edit), op, subject)
    )


def _settle_weakened(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    head = f"Weakening {snippet(before)} to {snippet(after)} in {code(function_of(edit))}"
    return settle_exposed(
        question,
        bundle,
        min(MAY, _level(edit)),
        _gone(edit),
        lambda seen: exposed_card(question, seen, head, before, EffectOp.WEAKENED, before),
    )


RULES = (
    Rule(
        "auth_check_removed",
        frozenset(
            {
                EditOp.CALL_REMOVED,
                EditOp.CALL_REPLACED,
                EditOp.GUARD_REMOVED,
                EditOp.DECORATOR_REMOVED,
                EditOp.DECORATOR_CHANGED,
                EditOp.BASE_REMOVED,
                EditOp.PARAMETER_REMOVED,
                EditOp.ARGUMENT_REMOVED,
                EditOp.ENTRY_REMOVED,
                EditOp.SQL_CHANGED,
            }
        ),
        _raise_removed,
        _settle_removed,
    ),
    Rule(
        "auth_check_weakened",
        frozenset({EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED}),
        _raise_weakened,
        _settle_weakened,
    ),
)
