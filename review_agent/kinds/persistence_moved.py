"""Whether what a lookup was filtered by is still given to it, or to a check on the way: then the filter moved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from review_agent.kinds.base import Found, Unsettled, code, found, place, texts, unsettled
from review_agent.kinds.bodies import bodies
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Bundle, Edit, EditOp, NoFindingCode, QueryKind, Question, UseFact

__all__ = ["moved", "tells_only", "values_of"]

_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")
# A name with its members that is neither called nor a key: of ``{id: teamId}`` and of ``owner=user`` the latter.
_VALUE = re.compile(r"(?<![\w$.])[a-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*(?![\w$(]|\??\.|\s*(?::(?!:)|=(?!=)))")
_WORDS = "true false null nil undefined await new not and or in is lambda if else for this self"
_NO_VALUE = frozenset(_WORDS.split())
_MOST = 3
# What refuses whom it is given; that a value has a form or is there at all says nothing of records.
_CHECKS = re.compile(
    r"(?i:check|require|ensure|assert|verif|authori[sz]|guard|validat|permit|allow|forbid|enforce|must)"
    r"|(?<![a-zA-Z])(?:can|has|is|may)(?=[A-Z_])|(?i:or_?(?:throw|404|raise|fail|abort)|belongs|member|access)"
)
_FORM = re.compile(r"(?i)null|nil|none|defined|uuid|format|length|empty|blank|type|string|number|valid_?id|positive")
_LOGS = re.compile(r"(?i)(?:^|\.)(?:s?log(?:s|ger|ging)?|console|trace|debug|info|warn(?:ing)?|print\w*|audit)(?:\.|$)")
# Of these, those that need no test of what they give.
_BY_ITSELF = re.compile(r"(?i)or_?(?:throw|404|raise|fail|abort)|(?:^|\.)(?:require|ensure|must|check|assert|verify)")
_STATEMENT = re.compile(r"\s*(?:await\s+)?[\w$.]+\(")
_LEAVES = re.compile(r"\b(?:if|unless|assert|throw|raise)\b")
_DECLARES = r"(?:(?:const|let|var|final)\s+)?(?:[A-Z]\w*(?:<[^=]*>)?\s+)?"
_BINDS = re.compile(rf"\s*(?:if\s+)?{_DECLARES}([\w$]+)(?:\s*,\s*([\w$]+))?\s*:?=(?!=)")
# What gives one thing or none: that it failed says that there is none for the value.
_FINDS = re.compile(r"(?i)^(?:find|get|load|fetch|first|lookup|exists|query|read|one|by)(?!.*(?:all|many|list|count))")
_ERROR = re.compile(r"(?i)^(?:err|error|ex|e)$")
_ENDS = re.compile(r"\b(?:throw|raise|return|abort|panic|reject|redirect|exit|assert|fail\w*)\b|Error\(")
# Lines from a test to what it does.
_NEAR = 4


def values_of(edit: Edit) -> tuple[str, ...]:
    """The values of the filter that went: names with their members, none that the lookup still has in its place."""
    if edit.op is EditOp.CALL_REPLACED:
        was, now = ", ".join(texts(edit, "arguments")), ", ".join(texts(edit, "newArguments"))
    else:
        was, now = edit.before or "", edit.after or "" if edit.op is EditOp.ARGUMENT_CHANGED else ""
    names = [one for one in _VALUE.findall(_TEXT.sub("''", was)) if one not in _NO_VALUE]
    left = set(_VALUE.findall(_TEXT.sub("''", now)))
    return tuple(dict.fromkeys(one for one in names if one not in left))[:_MOST]


def moved(question: Question, bundle: Bundle, lookup: str) -> Unsettled | None:
    """That each value of the filter is still given to the lookup or to a check before it; or that some of them are."""
    edit = question.edits[0]
    values, lines = values_of(edit), _lines(bundle, edit)
    kept = {value: one for value in values if (one := _kept(bundle, value, lookup, lines)) is not None}
    if not kept:
        return None
    value, first = next(iter(kept.items()))
    refs = [one.ref for one in kept.values()][:2]
    if len(kept) == len(values):
        why = f"{place(first.ref)} still asks by {code(value)}, as the filter did"
        return unsettled(NoFindingCode.REFUTED, why, refs=refs)
    lost = next(one for one in values if one not in kept)
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(first.ref)} still asks by {code(value)}; whether {code(lost)} kept more apart is not established",
        missing=(f"records of one {code(value)} that differ in {code(lost)}",),
        refs=refs,
    )


def _lines(bundle: Bundle, edit: Edit) -> dict[int, str]:
    """The lines of the edit's file that were read, without remarks."""
    return {number: line for one in bodies(bundle) if one.ref.path == edit.path for number, line in one.lines}


def _kept(bundle: Bundle, value: str, lookup: str, lines: Mapping[int, str]) -> Found[UseFact] | None:
    """The use by which a value decides on what is found."""
    name = re.compile(whole_name(value))
    for one in found(bundle, UseFact, QueryKind.USES_INSIDE):
        at, given = one.ref.start_line, one.fact.given_to
        if not given or one.fact.use in ("write", "update") or not name.search(lines.get(at, "")):
            continue
        if _is_lookup(given, lookup, lines) or (at <= _last_call(lines, lookup) and _is_check(lines, at, given)):
            return one
    return None


def _last_call(lines: Mapping[int, str], lookup: str) -> int:
    word = re.compile(whole_name(lookup.rpartition(".")[2]))
    return max((number for number, line in lines.items() if word.search(line)), default=0)


def _is_lookup(given: Sequence[str], lookup: str, lines: Mapping[int, str]) -> bool:
    """Whether what is given a value is the lookup that changed: where there are two of it, neither is told apart."""
    shape = re.compile(rf"{whole_name(lookup)}\s*[(:]")
    return sum(len(shape.findall(line)) for line in lines.values()) == 1 and any(shape.search(one) for one in given)


def _is_check(lines: Mapping[int, str], at: int, given: Sequence[str]) -> bool:
    """Whether a call refuses by itself, or what it gives is tested: in its own line, or in one that follows."""
    callees = [one.partition("(")[0] for one in given]
    begin = next((n for n in range(at, 0, -1) if callees[-1] in lines.get(n, "")), at)
    opening = lines.get(begin, "")
    refuses = any(_refuses(one.rpartition(".")[2]) for one in callees)
    bound = _BINDS.match(opening)
    if bound is None:
        return refuses and bool(_LEAVES.search(opening) or _STATEMENT.match(opening))
    if refuses and any(_BY_ITSELF.search(one) for one in callees):
        return True
    finds = refuses or any(_FINDS.search(one.rpartition(".")[2]) for one in callees)
    names = [one for one in bound.groups() if one and one != "_" and (finds or not _ERROR.match(one))]
    return bool(names) and _is_tested(lines, names, begin)


def tells_only(callee: str) -> bool:
    """Whether a call only writes down what it is given, or looks at its form: neither keeps records apart."""
    return _LOGS.search(callee) is not None or _FORM.search(callee.rpartition(".")[2]) is not None


def _refuses(name: str) -> bool:
    return _CHECKS.search(name) is not None and _FORM.search(name) is None


def _is_tested(lines: Mapping[int, str], names: Sequence[str], begin: int) -> bool:
    """Whether the function ends where a name has not what it should."""
    listed = "|".join(whole_name(one) for one in names)
    tests = re.compile(rf"{_LEAVES.pattern}.*(?:{listed})|(?:{listed})\s*(?:\?\?|\|\|)\s*(?:throw|raise)")
    return any(
        number >= begin
        and tests.search(line.partition(":=")[2] if number == begin else line)
        and any(_ENDS.search(lines.get(n, "")) for n in range(number, number + _NEAR))
        for number, line in lines.items()
    )
