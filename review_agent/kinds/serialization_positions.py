"""A rule of ``serialization``: parts of a joined or listed value that moved, went or came, and a reader by position."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import body_at
from review_agent.kinds.cache_key_parts import is_key
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_codecs import counterparts_of, paired
from review_agent.kinds.wire_positions import Taking, takings
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
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
)

__all__ = ["RULES"]

_OPS = frozenset({EditOp.COMPONENT_REMOVED, EditOp.COMPONENT_ADDED, EditOp.TEMPLATE_CHANGED})
_TEXTS = frozenset({"template", "join", "format"})
_SLOT = re.compile(r"\{[^{}]*\}|%(?:\[\d+\])?[-+#0 ]*\d*(?:\.\d+)?[a-zA-Z]")


def _separator(edit: Edit) -> str:
    """The fixed text between the parts of a joined value, the same between all of them; "" for others."""
    pieces = _SLOT.split(text(edit, "beforeText"))[1:-1]
    return pieces[0] if pieces and len(set(pieces)) == 1 and 0 < len(pieces[0]) <= 3 else ""


def _by_name(edit: Edit) -> bool:
    """Whether the parts are joined by something that has a name: nothing fixed stands between them in the text."""
    pieces = _SLOT.split(text(edit, "beforeText"))
    return text(edit, "composite") == "join" and len(pieces) > 2 and not any(pieces)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = texts(edit, "beforeComponents"), texts(edit, "afterComponents")
    name = split(function_of(edit))[1]
    goes = _goes(edit)
    if in_test(edit.path) or not name or not goes or len(before) < 2 or not _first(edit, edits):
        return None
    if "%w" in text(edit, "beforeText"):
        return None
    separator = _separator(edit)
    if text(edit, "composite") in _TEXTS and not separator and not _by_name(edit):
        return None
    scope = split(function_of(edit))[0]
    plan = [ask(QueryKind.DEFINITION, one, path=edit.path, scope=scope) for one in counterparts_of(name)[:2]]
    for quote in ('"', "'") if separator else ():
        plan.append(ask(QueryKind.TEXT, f"{quote}{separator}{quote}", scope="calls"))
    return seed(
        edit,
        "positions_changed",
        change=f"{code(name)} writes {len(after)} parts in place of {len(before)}"
        if len(before) != len(after)
        else f"{code(name)} writes its parts in another form",
        precondition="a reader takes the value apart by position as it was",
        consequence="the reader meets another part than it expects, or none",
        refuted_if=("every reader takes the parts as they stand now", "nothing takes the value apart"),
        plan=plan,
        risk=2,
    )


def _goes(edit: Edit) -> bool:
    """Whether the value is written somewhere: a text that is no key, or a row."""
    return (text(edit, "composite") in _TEXTS and not is_key(edit)) or _row(edit)


def _row(edit: Edit) -> bool:
    """A list or tuple that is written as a row."""
    call = text(edit, "call").rpartition(".")[2].lower()
    return call in ("writerow", "write", "append", "pack", "execute", "push", "writenext", "printrecord", "addrow")


def _first(edit: Edit, edits: Sequence[Edit]) -> bool:
    same = [one for one in edits if one.op in _OPS and one.hunk_id == edit.hunk_id and _goes(one)]
    same = [one for one in same if texts(one, "beforeComponents") == texts(edit, "beforeComponents")]
    return bool(same) and same[0].edit_id == edit.edit_id


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    taken = [one for one in takings(question, bundle) if paired(name, split(one.scope)[1])]
    wrong = [(one, why) for one in taken if (why := _wrong(edit, one) or _moved(edit, bundle, one))]
    outside = [(one, why) for one, why in wrong if not _near(bundle, one.ref)]
    if outside:
        return (_card(question, *outside[0]),)
    stopped = blocked(bundle, QueryKind.DEFINITION) if not taken else None
    if taken and not wrong:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{code(taken[0].scope)} takes the value apart as it is written now; {place(taken[0].ref)}",
            refs=[one.ref for one in taken],
        )
    return stopped or unsettled(
        NoFindingCode.NO_CANDIDATE, f"nothing that takes the value of {code(name)} apart was found; {searched(bundle)}"
    )


def _near(bundle: Bundle, ref: SourceRef) -> bool:
    return any(one.near_change for one in bundle.evidence if one.ref == ref)


def _wrong(edit: Edit, one: Taking) -> str:
    """Why a reader does not fit what is written now; "" where it does, or where it never did fit."""
    before, after = texts(edit, "beforeComponents"), texts(edit, "afterComponents")
    was, now = _separator(edit), _fixed(edit)
    if one.separator and was and one.separator.strip() != was.strip():
        return ""
    if one.separator and now and was != now and one.separator.strip() == was.strip():
        return f"it still splits at {code(was)}"
    if one.exact and one.count == len(before) != len(after):
        return f"it still goes by {code(one.shown)}"
    if not one.exact and one.count <= len(before) and one.count > len(after):
        return f"it still takes {code(one.shown)}"
    for at in one.numbers if len(before) == len(after) else ():
        if at < len(after) and _counts(before[at]) and not _counts(after[at]):
            return f"it still reads a number where {code(after[at])} is now"
    if len(before) == len(after) and one.count <= len(after):
        for at, name in enumerate(one.names):
            if name and _about(name, before[at]) and not _about(name, after[at]):
                return f"it still takes {code(name)} from where {code(after[at])} is now"
    return ""


def _moved(edit: Edit, bundle: Bundle, one: Taking) -> str:
    """Why a reader that takes parts by their number meets others, where it stands as it did."""
    before, after = texts(edit, "beforeComponents"), texts(edit, "afterComponents")
    body = body_at(bundle, one.ref.path, one.line)
    if body is None or _near(bundle, body.ref):
        return ""
    for at in one.places:
        if at < min(len(before), len(after)) and before[at] != after[at] and before[at] in after:
            return f"it still takes {code(f'{one.held}[{at}]')}, where {code(after[at])} is now"
    return ""


def _counts(component: str) -> bool:
    """Whether a part is a number written as text."""
    shape = r"^(?:str|String\.valueOf|String|strconv\.\w+|fmt\.Sprint)\(|\.toString\(|\.toFixed\("
    return re.search(shape, component) is not None


def _fixed(edit: Edit) -> str:
    pieces = _SLOT.split(text(edit, "afterText"))[1:-1]
    return pieces[0] if pieces and len(set(pieces)) == 1 else ""


def _about(name: str, component: str) -> bool:
    empty = {"str", "string", "get", "self", "this", "id", "format", "value", "int"}
    return bool((set(words_of(name)) & set(words_of(component))) - (empty if len(words_of(name)) > 1 else set()))


def _card(question: Question, one: Taking, why: str) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    verb, op, subject = "Changing", EffectOp.CHANGED, function_of(edit)
    if edit.op is EditOp.COMPONENT_REMOVED:
        verb, op, subject = "Removing", EffectOp.REMOVED, edit.subject
    elif edit.op is EditOp.COMPONENT_ADDED:
        verb, op, subject = "Adding", EffectOp.ADDED, edit.subject
    what = {
        "Removing": f"{code(subject)} from what {code(name)} writes",
        "Adding": f"{code(subject)} to what {code(name)} writes",
        "Changing": f"the form that {code(name)} writes",
    }[verb]
    return draft(
        question,
        claim=f"{verb} {what} leaves {code(split(one.scope)[1])} in {place(one.ref)} behind: {why}.",
        op=op,
        subject=subject,
        severity=Severity.BLOCKING,
        support=[one.ref],
        impact="A value of the new form is handed to that reader: it fails on it, or takes one field for another.",
        counter=(f"A reader that tells the forms apart would refute this; {code(split(one.scope)[1])} knows one.",),
    )


RULES = (Rule("positions_changed", _OPS, _raise, _settle),)
