"""Rules of ``config_default`` about defaults in a helper, a table or a normaliser, away from who needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.absence import unread
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
    same_place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.callers import worst_first
from review_agent.kinds.failures import body_of
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.settings import distinctive
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
    UseFact,
)

__all__ = ["RULES"]

# Reading a variable or a property under a name that the helper was given.
_READS = re.compile(
    r"(?:os\.environ\.get|os\.getenv|getenv|os\.Getenv|os\.LookupEnv|System\.getenv|System\.getProperty|getProperty|"
    r"getOrDefault|environ\.get)\(\s*[A-Za-z_]\w*\s*[,)]|process\.env\[\s*[A-Za-z_]\w*\s*\]|environ\[\s*[a-z_]\w*\s*\]"
)
_LITERAL = re.compile(r"""^(?:["'`].*["'`]|[Tt]rue|[Ff]alse|-?\d[\d_.]*)$""")
_QUOTED = re.compile(r"""^["'`]([A-Z][A-Z0-9_]{2,}|[\w.-]{3,})["'`]$""")
_TABLE = re.compile(r"(?i)default|settings|config|options|built_?in|fallback|preset|standard|properties")
_SWITCH = re.compile(r"""^["'`]?(?:[Tt]rue|[Ff]alse|on|off|yes|no|\d[\d_.]*)["'`]?$""")
_NOTHING = frozenset({"None", "nil", "null", "undefined", "0", '""', "''"})


def _function(edit: Edit) -> str:
    return function_of(edit) or next((one for one in texts(edit, "scopes") if one), "")


def _raise_helper(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = edit.before or "", edit.after or ""
    if _bare(before) == _bare(after) or _function(edit).endswith("__"):
        return None
    if in_test(edit.path) or not _function(edit) or not (_LITERAL.match(before) and _LITERAL.match(after)):
        return None
    if edit.op is EditOp.ARGUMENT_CHANGED:
        named = next(iter(texts(edit, "arguments")), "")
        if edit.facts.get("index") != 1 or not named.isidentifier() or not re.search(r"get|Get", edit.subject):
            return None
    elif not any(_falls_back(one, after) for one in texts(edit, "texts")):
        return None
    scope, name = called(_function(edit))
    return seed(
        edit,
        "helper_fallback_changed",
        change=f"{code(name)} falls back to {snippet(after)} where it fell back to {snippet(before)}",
        precondition=f"a setting is read through {code(name)} and a deployment does not set it",
        consequence=f"that setting is {snippet(after)} there without anyone asking for it",
        refuted_if=(f"every caller of {code(name)} passes a fallback of its own", f"{code(name)} reads no setting"),
        plan=(
            ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
            ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ),
        risk=-5,
    )


def _bare(value: str) -> str:
    return value.strip("rbufRBUF").strip("\"'`")


def _falls_back(line: str, value: str) -> bool:
    """Whether a line gives a value where nothing else is had: after an *or*, or as a plain result that is on or off."""
    wanted = re.escape(value)
    if re.search(rf"(?:\bor|\|\||\?\?|\?.*: )\s*{wanted}", line):
        return True
    return _SWITCH.match(value) is not None and re.search(rf"\breturn {wanted}", line) is not None


def _settle_helper(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = called(_function(edit))[1]
    defined = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION) if one.ref.path == question.path]
    body = body_of(bundle, defined[0]) if defined else None
    if body is None or not _READS.search(body.text):
        return (
            blocked(bundle, QueryKind.DEFINITION)
            or unread(bundle, defined[:1])
            or unsettled(
                NoFindingCode.NO_CANDIDATE, f"{code(name)} is not seen to read a setting whose name it is given"
            )
        )
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS) if not one.fact.in_test]
    relying = [
        one
        for one in worst_first(question, calls)
        if len(one.fact.arguments) == 1
        and _QUOTED.match(one.fact.arguments[0].text)
        and not same_place(question, one.ref)
    ]
    if relying:
        return (_helper_card(question, name, relying),)
    return blocked(bundle, QueryKind.CALLERS) or unsettled(
        NoFindingCode.REFUTED if calls else NoFindingCode.NO_CANDIDATE,
        f"no caller of {code(name)} outside the change relies on its own fallback; searched: "
        f"{searched(bundle, QueryKind.CALLERS)}",
        refs=[one.ref for one in calls[:3]],
    )


def _helper_card(question: Question, name: str, relying: Sequence[Found[CallFact]]) -> Draft:
    edit, first = question.edits[0], relying[0]
    key = first.fact.arguments[0].text.strip("\"'`")
    more = f" (the first of {len(relying)} such settings)" if len(relying) > 1 else ""
    return draft(
        question,
        claim=f"Changing the fallback {snippet(edit.before or '')} inside {code(name)} to "
        f"{snippet(edit.after or '')} turns {code(key)} "
        f"over: {place(first.ref)}{more} reads it through {code(name)} with no fallback of its own.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[one.ref for one in relying[:6]],
        impact="A deployment leaves the variable unset and starts: what it got so far is now another value.",
        counter=(f"A fallback passed by that caller would refute this; {place(first.ref)} passes the name alone.",),
        uncertainty=(f"Whether every deployment sets {code(key)} was not looked at.",),
    )


def _raise_table(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    where = text(edit, "target") or text(edit, "function") or edit.scope
    if in_test(edit.path) or not _TABLE.search(where) or not distinctive(edit.subject):
        return None
    new = edit.after or ""
    return seed(
        edit,
        "defaults_key_renamed",
        change=f"the default under {code(edit.subject)} in {code(where)} now stands under {code(new)}",
        precondition=f"code still reads {code(edit.subject)}, or an override still sets it",
        consequence="the reader finds no default, or the override is not read",
        refuted_if=(f"nothing outside the change names {code(edit.subject)}", "both names are kept"),
        plan=(
            ask(QueryKind.PRODUCERS, edit.subject, path=edit.path),
            ask(QueryKind.PRODUCERS, new, path=edit.path),
            ask(QueryKind.TEXT, f'"{edit.subject}"'),
            ask(QueryKind.TEXT, f"'{edit.subject}'"),
        ),
    )


def _settle_table(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    old, new = edit.subject, edit.after or ""
    uses = [one for one in every(bundle, UseFact, QueryKind.PRODUCERS, old) if not one.fact.in_test]
    reads = [
        one for one in uses if one.fact.use == "key_read" or (one.fact.use in ("read", "attribute") and _of_table(one))
    ]
    writes = [one for one in uses if one.fact.use == "key_write"]
    outside = [one for one in worst_first(question, reads or writes) if not one.evidence.near_change]
    both = reads and writes
    if outside and not both:
        return (_table_card(question, outside[0], reads=bool(reads)),)
    asked = [] if both else _asked_by_name(bundle, old)
    if asked:
        return (_table_card(question, asked[0], reads=True),)
    if both:
        return unsettled(
            NoFindingCode.CONFLICTING_EVIDENCE,
            f"{code(old)} is still set at {place(writes[0].ref)} and read at {place(reads[0].ref)}: another table "
            "of that key",
            refs=[writes[0].ref, reads[0].ref],
        )
    return blocked(bundle, QueryKind.PRODUCERS) or unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"nothing outside the change goes by {code(old)}, now {code(new)}; searched: {searched(bundle)}",
    )


def _asked_by_name(bundle: Bundle, key: str) -> list[Found[UseFact]]:
    """Calls that ask for a key by its string alone; none where the string stands anywhere in another way."""
    hits = [one for one in found(bundle, UseFact, QueryKind.TEXT) if not in_test(one.ref.path)]
    by_name = re.compile(rf"""[a-z]\w*\(\s*["']{re.escape(key)}["']\s*\)""")
    alone = hits and all(by_name.search(one.evidence.text) for one in hits)
    return [one for one in hits if not one.evidence.near_change] if alone else []


def _of_table(one: Found[UseFact]) -> bool:
    receiver = one.fact.text.rpartition(".")[0]
    return re.search(r"(?i)(?:settings|config|options|opts|cfg|defaults)$", receiver) is not None


def _table_card(question: Question, one: Found[UseFact], *, reads: bool) -> Draft:
    edit = question.edits[0]
    old, new = code(edit.subject), code(edit.after or "")
    does = "still reads it and finds no default" if reads else f"still sets it, where {new} is what is read now"
    return draft(
        question,
        claim=f"Renaming the default {old} to {new} in {code(edit.path)} strands {place(one.ref)}: it {does}.",
        op=EffectOp.RENAMED,
        subject=edit.subject,
        to=edit.after,
        severity=Severity.IMPORTANT,
        support=[one.ref],
        impact="Nothing else sets the old name: the code there runs on what comes for a missing key.",
        counter=(f"A place that keeps {old} in the table would refute this; none was found at head.",),
        uncertainty=("Whether both places work on the same table was told by the key alone.",),
    )


RULES = (
    Rule(
        "helper_fallback_changed",
        frozenset({EditOp.ARGUMENT_CHANGED, EditOp.TEXT_REPLACED}),
        _raise_helper,
        _settle_helper,
    ),
    Rule("defaults_key_renamed", frozenset({EditOp.ENTRY_RENAMED}), _raise_table, _settle_table),
)
