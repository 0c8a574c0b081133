"""A rule of ``serialization``: a key that is still read and that nobody writes any more."""

from __future__ import annotations

import re
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
    texts,
    unsettled,
)
from review_agent.kinds.bodies import body_at
from review_agent.kinds.callers import first_of, listed_refs, worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.record_origin import asked_too, is_another, is_apart, is_beside, is_followed
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_keys import Key, Uses, distinctive, key_of, same_record, scopes_of, uses_of
from review_agent.syntax.languages import family_of
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
    UseFact,
)

__all__ = ["RULES"]

_OPS = frozenset(
    {
        EditOp.ENTRY_REMOVED,
        EditOp.ENTRY_RENAMED,
        EditOp.ASSIGNMENT_REMOVED,
        EditOp.KEY_RENAMED,
        EditOp.KEY_REMOVED,
        EditOp.SQL_CHANGED,
        EditOp.ARGUMENT_CHANGED,
        EditOp.CALL_REMOVED,
        EditOp.DECORATOR_CHANGED,
        EditOp.COMPONENT_REMOVED,
        EditOp.ARGUMENT_REMOVED,
        EditOp.SYMBOL_RENAMED,
        EditOp.SYMBOL_REMOVED,
    }
)
# Siblings of a key that are looked for at its readers, to see that they read the same record.
_LINKS = 2
# More types than these under one tag are a vocabulary of their own: which one meets the changed one is open.
_PARTNERS = 2


def _raise_gone(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    key = key_of(edit)
    if key is None or in_test(edit.path) or not _leads(edit, key, edits):
        return None
    new = key.new or _come(edit, edits, key)
    links = [one for one in key.kept if one not in (key.name, new)]
    links = sorted(links, key=lambda one: not distinctive(one))[:_LINKS]
    asked = [key.name, *([new] if new else []), *links]
    what = f"under {code(new)}" if new else "no more"
    return seed(
        edit,
        "written_key_gone",
        change=f"what was written under {code(key.name)} is written {what}",
        precondition=f"a reader still asks for {code(key.name)}, and no other writer gives it one",
        consequence="the reader finds nothing under the name it asks for",
        refuted_if=(
            f"every reader takes {code(new or key.name)} as it is written now" if new else "no reader is left",
            f"another writer still gives {code(key.name)} to those who read it",
        ),
        plan=[ask(QueryKind.PRODUCERS, one, path=edit.path) for one in asked],
        risk=-10 if key.form == "field" else 5,
    )


def _leads(edit: Edit, key: Key, edits: Sequence[Edit]) -> bool:
    """One question for all places of a change that no longer write a key."""
    same = (
        one for one in edits if one.op in _OPS and not in_test(one.path) and (k := key_of(one)) and k.name == key.name
    )
    first = next(same, edit)
    return first.edit_id == edit.edit_id


def _come(edit: Edit, edits: Sequence[Edit], key: Key) -> str:
    """The new key of an element that was assigned under another name in the same function."""
    if edit.op is EditOp.ARGUMENT_REMOVED:
        added = [one for one in edits if one.op is EditOp.ARGUMENT_ADDED and one.subject == edit.subject]
        same = [one for one in added if (one.path, one.start_line) == (edit.path, edit.start_line)]
        return next((text(one, "keyword") for one in same if one.after == edit.before), "")
    if edit.op is EditOp.ENTRY_REMOVED:
        return _in_its_place(edit, edits)
    if edit.op is not EditOp.ASSIGNMENT_REMOVED:
        return ""
    for one in edits:
        here = (one.path, function_of(one)) == (edit.path, function_of(edit))
        if one.op is EditOp.ASSIGNMENT_ADDED and here and text(one, "value") == text(edit, "value"):
            named = re.search(r"\[[\"'`]([\w\-]+)[\"'`]\]$", one.subject)
            return named[1] if named else ""
    return ""


def _in_its_place(edit: Edit, edits: Sequence[Edit]) -> str:
    """The one key that came to a literal which lost one."""
    before, after = texts(edit, "beforeComponents"), texts(edit, "afterComponents")
    whole = [one for one in edits if one.path == edit.path and texts(one, "afterComponents") == after]
    come = {one.subject for one in whole if one.op is EditOp.ENTRY_ADDED and texts(one, "beforeComponents") == before}
    gone = [one for one in before if one not in after]
    return next(iter(come)) if len(gone) == len(come) == 1 else ""


def _settle_gone(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    key = key_of(edit)
    assert key is not None
    asked = [one.name for one in question.plan]
    uses, links = uses_of(bundle, key.name), asked[1:]
    writes = [one for one in uses.writes if not is_apart(bundle, one, key.name, key.kept)]
    others = sorted(writes, key=lambda one: one.evidence.near_change)
    if others:
        return unsettled(
            NoFindingCode.REFUTED,
            f"{place(others[0].ref)} still gives {code(key.name)} a value",
            refs=[one.ref for one in others],
        )
    readers = [one for one in _readers(key, uses) if not (one.evidence.near_change or _foreign(bundle, one))]
    readers = [one for one in readers if _same_medium(edit, one)]
    renewed = uses_of(bundle, links[0]) if links and _new(question, key) else None
    both = scopes_of(renewed.readers()) if renewed else set()
    left = [one for one in readers if (one.ref.path, one.fact.scope) not in both and not _loosely_both(one, renewed)]
    stopped = blocked(bundle, QueryKind.PRODUCERS)
    if not left:
        if stopped is not None and not readers:
            return stopped
        if readers:
            return unsettled(
                NoFindingCode.REFUTED,
                f"{place(readers[0].ref)} takes both {code(key.name)} and {code(links[0])}",
                refs=[one.ref for one in readers],
            )
        where = searched(bundle, QueryKind.PRODUCERS)
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nobody reads {code(key.name)}; searched: {where}")
    near = [(link, one) for link in links for one in uses_of(bundle, link).readers()]
    linked = [one for one in left if any(same_record(one, key.name, other, link) for link, other in near)]
    linked += [one for one in left if one not in linked and is_beside(bundle, one, key.name, links)]
    left = linked or [one for one in left if not _elsewhere(question, bundle, key, one)]
    if not left:
        return _another(key, readers[0])
    tagged = [one for one in left if one.fact.use == "key_tag"]
    unsure = not distinctive(key.name) or (tagged and key.kept)
    if (not linked and unsure) or len(scopes_of(tagged)) > _PARTNERS:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{place(left[0].ref)} asks for {code(key.name)}; that it reads what is written here is not established",
            missing=("another key that this writer writes and that reader reads",),
            refs=[left[0].ref],
        )
    return (_gone_card(question, key, worst_first(question, linked or left), linked=bool(linked)),)


def _elsewhere(question: Question, bundle: Bundle, key: Key, one: Found[UseFact]) -> bool:
    """Whether a reader's record is another one, or a member's record is not seen to be this one."""
    edit = question.edits[0]
    if one.fact.use == "key_tag":
        return False
    writers = [split(function_of(edit))[1]]
    if asked_too(edit, one, key.name) or is_another(bundle, one, key.name, writers):
        return True
    return one.fact.use != "key_read" and not is_followed(bundle, one, key.name, writers)


def _another(key: Key, one: Found[UseFact]) -> Unsettled:
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(one.ref)} asks another record for {code(key.name)}, or one whose origin is not seen",
        missing=(f"where the record comes from that is asked at {place(one.ref)}",),
        refs=[one.ref],
    )


def _loosely_both(one: Found[UseFact], renewed: Uses | None) -> bool:
    """Whether the same thing is asked for the new member in the same function."""
    base = one.fact.text.rpartition(".")[0]
    others = renewed.loose if renewed else ()
    return any(
        (two.ref.path, two.fact.scope, two.fact.text.rpartition(".")[0]) == (one.ref.path, one.fact.scope, base)
        for two in others
    )


def _foreign(bundle: Bundle, one: Found[UseFact]) -> bool:
    """Whether it reads what another program sends: a parameter of a request, or in a function that names an address."""
    if _OF_REQUEST.search(one.evidence.text):
        return True
    body = body_at(bundle, one.ref.path, one.ref.start_line)
    return body is not None and re.search(r"https?://(?!localhost|127\.|\$|\{)", body.text) is not None


# How a handler in Java declares what its caller sends.
_OF_REQUEST = re.compile(
    r"@(?:Request(?:Param|Header|Part)|PathVariable|Parameter|CookieValue|(?:Query|Form|Header|Cookie|Path)Param)\("
)
# By what a value goes from one to the other, as calls name it.
_MEDIA = re.compile(r"(?i)cookie|header|session|query|searchparams|localstorage|flash|param(?!eter)")


def _same_medium(edit: Edit, one: Found[UseFact]) -> bool:
    """Whether what writes and what reads name no different means: a cookie is not asked for in the query."""
    wrote = {word.lower() for word in _MEDIA.findall(edit.subject)}
    asked = {word.lower() for word in _MEDIA.findall(one.evidence.text)}
    return not wrote or bool(wrote & asked) or not (asked or "cookie" in wrote or "header" in wrote)


def _new(question: Question, key: Key) -> bool:
    return len(question.plan) > 1 and question.plan[1].name not in key.kept


def _readers(key: Key, uses: Uses) -> list[Found[UseFact]]:
    """String keys and tags; members of that name where the name is one of its own and set nowhere."""
    alone = distinctive(key.name) and not [one for one in uses.defined if not one.evidence.near_change]
    loose = [one for one in uses.loose if alone and family_of(one.ref.path) == "javascript"]
    return [*uses.readers(), *loose]


_VERB = {
    EditOp.ENTRY_RENAMED: (EffectOp.RENAMED, "Renaming"),
    EditOp.KEY_RENAMED: (EffectOp.RENAMED, "Renaming"),
    EditOp.SQL_CHANGED: (EffectOp.REMOVED, "Removing"),
    EditOp.SYMBOL_RENAMED: (EffectOp.RENAMED, "Renaming"),
    EditOp.DECORATOR_CHANGED: (EffectOp.CHANGED, "Changing"),
    EditOp.ARGUMENT_CHANGED: (EffectOp.CHANGED, "Changing"),
}


def _gone_card(question: Question, key: Key, readers: Sequence[Found[UseFact]], *, linked: bool) -> Draft:
    edit, first, refs = question.edits[0], readers[0], listed_refs(readers)
    op, verb = _VERB.get(edit.op, (EffectOp.REMOVED, "Removing"))
    new = question.plan[1].name if _new(question, key) else ""
    within = split(function_of(edit))[1]
    to = f" to {code(new)}" if new and verb != "Removing" else f" in favour of {code(new)}" if new else ""
    where = f" in {code(within)}" if within else ""
    tagged = key.form == "tag" and first.fact.use == "key_tag"
    nobody = "so that the two no longer meet in it" if tagged else "which nothing writes any more"
    return draft(
        question,
        claim=f"{verb} the key {code(key.name)}{to}{where} leaves {place(first.ref)}"
        f"{first_of(refs, 'reader')} asking for {code(key.name)}, {nobody}.",
        op=op,
        subject=key.name,
        to=new or None if op is not EffectOp.REMOVED else None,
        severity=Severity.BLOCKING if _fails(first, key) else Severity.IMPORTANT,
        support=refs,
        impact=f"A record written by the new code reaches that reader: it meets {_meets(first, key)} in its place.",
        counter=(
            f"Another writer of {code(key.name)} would refute this; none was found in code or SQL.",
            f"A reader that takes the new name as well would refute this; {place(first.ref)} names the old one only.",
        ),
        uncertainty=_doubt(key, first, linked=linked),
    )


def _doubt(key: Key, first: Found[UseFact], *, linked: bool) -> tuple[str, ...]:
    if key.form == "field":
        return (f"That {code(key.name)} was written under the name of the field was not followed.",)
    if linked or not key.kept:
        return ()
    return (f"{place(first.ref)} reads no other key of this record; that it is the same one rests on the name.",)


def _fails(one: Found[UseFact], key: Key) -> bool:
    return re.search(rf"\[\s*[\"'`]{re.escape(key.name)}[\"'`]\s*\]", one.evidence.text) is not None


def _meets(one: Found[UseFact], key: Key) -> str:
    if _fails(one, key) and one.ref.path.endswith(".py"):
        return "a `KeyError`"
    return "an empty value" if one.ref.path.endswith((".go", ".java")) else "nothing"


RULES = (Rule("written_key_gone", _OPS, _raise_gone, _settle_gone),)
