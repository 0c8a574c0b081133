"""Rules of ``input`` about a check that went or became weaker, while a value from outside still comes in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.authority import asked_by, asks
from review_agent.kinds.base import Seed, Settled, code, number, seed, text, texts
from review_agent.kinds.functions import function_of
from review_agent.kinds.inflow import Lost, place_of, plan_of_inflow, settle_inflow
from review_agent.kinds.outside import KEEPS_PARENTS
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Bundle, Edit, EditOp, EffectOp, Question

__all__ = ["RULES"]

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*")
_LEAVES = frozenset({"return", "raise", "exit", "continue", "break", "assign"})
_KINDS = frozenset({"bounds", "comparison", "membership", "type", "falsy", "other", "none"})
_CHECKS = re.compile(
    r"(?i)valid|sanit|escap|secure_filename|basename|normpath|realpath|normali[sz]e|clamp|is_?local|ensure|require|"
    r"check|assert|verify|quote|clean|parse_?int|strip|limit"
)
# Calls that hold a whole text against a pattern, or ask which characters it has, where a condition asks them.
_MATCHES = re.compile(
    r"(?:full_?match|match|matches|test|MatchString|isdigit|isDigits|isdecimal|isnumeric|isalnum|isidentifier|IsLocal|"
    r"isAlphanumeric|is_relative_to|isSafeInteger|isInteger|search|exec|matcher)$"
)
_ASKED = frozenset({"condition", "compared", "attribute", "computed"})
_CONFINES = re.compile(r"(?:normali[sz]e|toRealPath|getCanonicalPath|resolve)$")


def _subject(edit: Edit) -> str:
    """The value that was checked, by the name under which the function knows it."""
    if edit.op in (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED):
        named = [one for one in texts(edit, "arguments") if _NAME.fullmatch(one)]
        if not texts(edit, "arguments"):
            receiver = text(edit, "receiver")
            inner = re.fullmatch(r"[\w.()]+\.(?:resolve|of|get|join)\((?:[^()]*,\s*)?([A-Za-z_]\w*)\)", receiver)
            named = [inner[1]] if inner else [receiver] if re.fullmatch(r"[a-z]\w*", receiver) else []
        return named[0] if named else ""
    if edit.op is EditOp.ARGUMENT_CHANGED:
        return edit.after or ""
    own = [
        one
        for one in texts(edit, "subjects")
        if not re.match(
            r"(?:filepath|path|os|re|len|math|Math|Number|Array|Object|String|Boolean|Date|strings|regexp|utf8)$|[A-Z_]+$",
            one,
        )
    ]
    return own[0] if own else edit.subject


def _raise_guard(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before = text(edit, "test")
    if _aside(edit) or text(edit, "testKind") not in _KINDS or text(edit, "action") not in _LEAVES:
        return None
    if asked_by(before, text(edit, "body")) or not _NAME.fullmatch(_subject(edit)):
        return None
    return _seed(edit, "input_check_removed", f"{place_of(edit)} no longer tests {snippet(before)}")


def _raise_call(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name, new = text(edit, "name"), text(edit, "newName")
    matches = _MATCHES.match(name) is not None and text(edit, "result") in _ASKED
    if _aside(edit) or number(edit, "remaining") or not (matches or _CHECKS.search(name)) or asks(edit.subject):
        return None
    if not _NAME.fullmatch(_subject(edit)) or _covered(edit, edits):
        return None
    instead = (_CHECKS.search(new) or _MATCHES.match(new)) and text(edit, "newCallee") not in KEEPS_PARENTS
    if edit.op is EditOp.CALL_REPLACED and instead:
        return None
    return _seed(edit, "input_repair_removed", f"{place_of(edit)} no longer calls {code(edit.subject)}")


def _raise_argument(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """A repair that stood around an argument: ``open(secure_filename(name))``."""
    before, after = edit.before or "", edit.after or ""
    wrapped = re.fullmatch(r"([\w.]+)\((.*)\)", before)
    if _aside(edit) or wrapped is None or wrapped[2] != after or not _NAME.fullmatch(after):
        return None
    if not _CHECKS.search(wrapped[1]):
        return None
    return _seed(
        edit, "input_escape_removed", f"{code(edit.subject)} gets {code(after)} where it got {snippet(before)}"
    )


def _raise_weaker(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    if _aside(edit) or asked_by(before, text(edit, "body")) or not _NAME.fullmatch(_subject(edit)):
        return None
    if text(edit, "action") not in _LEAVES or not _weaker(edit, edits):
        return None
    return _seed(edit, "input_check_weakened", f"{place_of(edit)} tests {snippet(after)}, not {snippet(before)}")


def _weaker(edit: Edit, edits: Sequence[Edit]) -> bool:
    if edit.op is EditOp.GUARD_WEAKENED:
        return True
    if any(
        one.op is EditOp.GUARD_WEAKENED and one.start_line == edit.start_line and one.path == edit.path for one in edits
    ):
        return False
    return text(edit, "how") in ("or_to_and", "negated") and text(edit, "action") == text(edit, "beforeAction")


def _raise_late(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    """An act that now runs before the test that it stood behind."""
    late = [one.removeprefix("if ") for one in texts(edit, "nowBefore") if one.startswith("if ")]
    if _aside(edit) or not late or asked_by(late[0], ""):
        return None
    given = [one for one in texts(edit, "arguments") if _NAME.fullmatch(one) and re.search(whole_name(one), late[0])]
    if not given:
        return None
    return _seed(
        edit, "input_check_late", f"{code(edit.subject)} now runs before {snippet(late[0])} is tested", given[0]
    )


def _aside(edit: Edit) -> bool:
    return in_test(edit.path) or not (function_of(edit) or texts(edit, "within"))


def _covered(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether another edit of the function tells of the same check, as a guard that went or became weaker."""
    here = [
        one for one in edits if (one.path, one.scope) == (edit.path, edit.scope) and edit.subject in (one.before or "")
    ]
    return any(
        one.op in (EditOp.GUARD_REMOVED, EditOp.GUARD_WEAKENED)
        or (one.op is EditOp.CONDITION_CHANGED and text(one, "how") in ("or_to_and", "negated"))
        for one in here
    )


def _seed(edit: Edit, rule: str, change: str, subject: str = "") -> Seed:
    value = subject or _subject(edit)
    function = place_of(edit)
    return seed(
        edit,
        rule,
        change=change,
        precondition=f"a value from outside comes into {function} as {code(value)}",
        consequence=f"what was refused is worked with in {function}",
        refuted_if=(
            f"every resolved caller of {function} checks what it passes, or passes constants",
            f"{code(value)} is checked again before it is used, or bounded where it is declared",
        ),
        plan=plan_of_inflow(edit, value),
    )


def _settle_removed(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    if edit.op is EditOp.GUARD_REMOVED:
        check = text(edit, "test")
    else:
        check = (edit.before or "") if edit.op is EditOp.ARGUMENT_CHANGED else edit.subject
    head = f"Removing {snippet(check)} from {place_of(edit)}"
    op = EffectOp.REMOVED
    if edit.op is EditOp.ARGUMENT_CHANGED:
        op, head = (
            EffectOp.WEAKENED,
            f"Dropping {snippet(check)} for {code(edit.after or '')} in {place_of(edit)}",
        )
    if edit.op is EditOp.CALL_REPLACED:
        op, head = EffectOp.WEAKENED, f"Dropping {snippet(check)} in {place_of(edit)}"
    return settle_inflow(question, bundle, Lost(_subject(edit), check, head, op, check, ()))


def _settle_weaker(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    before, after = text(edit, "beforeTest"), text(edit, "afterTest")
    head = f"Weakening {snippet(before)} to {snippet(after)} in {place_of(edit)}"
    return settle_inflow(question, bundle, Lost(_subject(edit), before, head, EffectOp.WEAKENED, before, (after,)))


def _settle_late(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    late = next(one.removeprefix("if ") for one in texts(edit, "nowBefore") if one.startswith("if "))
    value = next(one for one in texts(edit, "arguments") if _NAME.fullmatch(one) and re.search(whole_name(one), late))
    head = f"Moving {code(edit.subject)} before the test {snippet(late)} in {place_of(edit)}"
    return settle_inflow(question, bundle, Lost(value, late, head, EffectOp.REORDERED, edit.subject, (late,)))


def _built(edit: Edit) -> list[str]:
    """Names that the statement now holds as text and did not before."""
    before, after = edit.before or "", edit.after or ""
    put = re.findall(r"\{([A-Za-z_$][\w$.]*)\}", after)
    return [one for one in dict.fromkeys(put) if f"{{{one}}}" not in before and not one.isupper()]


def _raise_sql(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    built = _built(edit)
    if _aside(edit) or not built or not re.search(r"\?|%s|:\w+|\$\d|@\w+|%\(", edit.before or ""):
        return None
    return _seed(edit, "input_in_statement", f"{code(built[0])} is written into the statement as text", built[0])


def _settle_sql(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    value = _built(edit)[0]
    added = next((one for one in texts(edit, "conditionsAdded") if f"{{{value}}}" in one), edit.after or "")
    head = f"Changing the statement so that it holds {code(value)} as text ({snippet(added)})"
    return settle_inflow(question, bundle, Lost(value, text(edit, "verb"), head, EffectOp.CHANGED, edit.subject, ()))


RULES = (
    Rule("input_in_statement", frozenset({EditOp.SQL_CHANGED}), _raise_sql, _settle_sql),
    Rule("input_check_removed", frozenset({EditOp.GUARD_REMOVED}), _raise_guard, _settle_removed),
    Rule("input_repair_removed", frozenset({EditOp.CALL_REMOVED, EditOp.CALL_REPLACED}), _raise_call, _settle_removed),
    Rule("input_escape_removed", frozenset({EditOp.ARGUMENT_CHANGED}), _raise_argument, _settle_removed),
    Rule(
        "input_check_weakened",
        frozenset({EditOp.GUARD_WEAKENED, EditOp.CONDITION_CHANGED}),
        _raise_weaker,
        _settle_weaker,
    ),
    Rule("input_check_late", frozenset({EditOp.ACT_MOVED}), _raise_late, _settle_late),
)
