"""Rules of ``incomplete_change`` about a word, a value or a key that was replaced at all but a few of its places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    place,
    same_place,
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.moved_over import declared_members, is_access, member_card, migrated, rows_card, sets_member
from review_agent.kinds.occurrences import Occurrence, content, is_text, occurrences, shape
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    Evidence,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]

_PROSE = re.compile(r"\s\S+\s|[.!?]$|^\W*$")
_ASIDE = re.compile(
    r"(?i)(?:^|/)(?:docs?|examples?|samples?|fixtures?|testdata|benchmarks?|migrations?|changelog\w*|vendor)(?:/|\.|$)"
    r"|\.(?:md|rst|txt|adoc|lock|svg|csv|snap)$"
)
# Words of the languages and names that mean nothing by themselves.
_COMMON_WORDS = """
    self this true false none null nil undefined return const let var def func function class public private
    static final void int str string bool float list dict tuple set map any object error err ctx context key
    value name data result item items print log logger info debug warn warning exception int32 int64 uint void
    Optional List
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_SWITCHES = frozenset({"true", "false", "yes", "none", "null", "off", "utf-8", "utf8"})
# More places left than these are another use of the word, not the ones that were forgotten.
_FEW = 2


@dataclass(frozen=True)
class Spot:
    """One line of evidence and what it does with the word."""

    evidence: Evidence
    what: Occurrence

    @property
    def ref(self) -> SourceRef:
        return self.evidence.ref


def _group(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """The same replacement in all files of the change that are no tests."""
    return [
        one
        for one in edits
        if (one.op, one.before, one.after) == (edit.op, edit.before, edit.after) and not _aside(one.path)
    ]


def _aside(path: str) -> bool:
    return in_test(path) or _ASIDE.search(path) is not None


def _changed(edits: Sequence[Edit]) -> Iterator[Occurrence]:
    """What the changed lines do with the new word."""
    for edit in edits:
        for line in texts(edit, "texts"):
            yield from occurrences(line, edit.after or "")


def _telling(token: str) -> bool:
    """Whether a word or a literal is distinctive enough to be looked for."""
    inner = content(token)
    if inner.lower() in _SWITCHES or (is_text(token) and len(max(shape(token).split("{}"), key=len)) < 3):
        return False
    if is_text(token):
        return len(inner) >= 3 and not _PROSE.search(inner) and re.search(r"[A-Za-z]{2}", inner) is not None
    return len(token) >= 3 and token not in _COMMON


def _looked_for(token: str, *, member: bool) -> tuple[str, ...]:
    """The texts by which places of a token are found."""
    if not is_text(token):
        return (f".{token}",) if member else (token,)
    fixed = max(shape(token).split("{}"), key=len)
    if fixed != content(token):
        return (fixed,)
    return f'"{fixed}"', f"'{fixed}'"


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    before, after = edit.before or "", edit.after or ""
    if _aside(edit.path) or not (_telling(before) and _telling(after)) or is_text(before) != is_text(after):
        return None
    if content(before) == content(after):
        return None
    group = _group(edit, edits)
    if group[0].edit_id != edit.edit_id:
        return None
    declared = any(declared_members(group))
    if not declared and not any(one.act or (one.frame and is_text(before)) for one in _changed(group)):
        return None
    member = not declared and all(one.key and not one.slot.startswith("table ") for one in _changed(group))
    queries = [ask(QueryKind.TEXT, one) for token in (before, after) for one in _looked_for(token, member=member)]
    return seed(
        edit,
        "replacement_left_behind",
        change=f"{snippet(before)} became {snippet(after)} in {code(edit.path)}",
        precondition=f"a place that the change leaves alone still goes by {snippet(before)}",
        consequence="it no longer meets what the changed places write or read",
        refuted_if=(
            f"no other place goes by {snippet(before)}",
            f"someone still writes {snippet(before)} for it",
            "the place that is left means something else",
        ),
        plan=queries,
        others=[one for one in group if one is not edit],
    )


def _spots(bundle: Bundle, token: str) -> list[Spot]:
    """Every place of a token at head in the product's own files, once a line and act."""
    found: dict[tuple[str, int, Occurrence], Spot] = {}
    for one in bundle.evidence:
        if one.origin == "hit" and not _aside(one.ref.path):
            for what in occurrences(one.text, token):
                found.setdefault((one.ref.path, one.ref.start_line, what), Spot(one, what))
    return sorted(found.values(), key=lambda one: (one.ref.path, one.ref.start_line))


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    before, after = edit.before or "", edit.after or ""
    left, now = _spots(bundle, before), _spots(bundle, after)
    changed = list(_changed(question.edits))
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    rows = migrated(bundle, before, after)
    kept = [one for one in left if one.what.slot in rows and one.what.act == "read" and not one.evidence.near_change]
    if kept and len(kept) <= _FEW:
        return (rows_card(question, kept[0].ref, _named(kept[0]) or kept[0].what.slot, rows[kept[0].what.slot]),)
    members = _undeclared(question, left)
    if members:
        return (member_card(question, members[0].evidence),)
    stranded = _stranded(left, now, changed) or _alike(question, left, now, changed)
    if stranded and not stranded[0].evidence.near_change:
        return (_card(question, stranded[0], _met(now, changed, stranded[0])),)
    return _without(question, bundle, left)


def _undeclared(question: Question, left: Sequence[Spot]) -> list[Spot]:
    """Places of a member that its class declares no more, where nothing else at head declares one of that name."""
    before = question.edits[0].before or ""
    few = len({one.ref for one in left}) <= _FEW
    if not few or not any(declared_members(question.edits)):
        return []
    alike = len({sets_member(one.evidence.text, before) for one in left}) == 1
    return _outside(left) if alike and all(is_access(one.evidence.text, before) for one in left) else []


def _stranded(left: Sequence[Spot], now: Sequence[Spot], changed: Sequence[Occurrence]) -> list[Spot]:
    """Places whose partners all went over to the new word: readers of what no one writes, or the other way round."""
    for slot in dict.fromkeys((one.slot, one.key) for one in changed if one.slot and one.act):
        old = [one for one in left if (one.what.slot, one.what.key) == slot]
        open_ = [one for one in left if one not in old and not one.what.act]
        readers = [one for one in old if one.what.act == "read"]
        writers = [one for one in old if one.what.act == "write"]
        new = {one.what.act for one in now if (one.what.slot, one.what.key) == slot}
        acts = {one.act for one in changed if (one.slot, one.key) == slot}
        if open_ or not acts:
            continue
        if readers and not writers and "write" in new | acts and len(readers) <= _FEW:
            return _outside(readers)
        if writers and not readers and "read" in acts and len(writers) <= _FEW:
            return _outside(writers)
    return []


def _outside(spots: Sequence[Spot]) -> list[Spot]:
    return [one for one in spots if not one.evidence.near_change]


def _alike(question: Question, left: Sequence[Spot], now: Sequence[Spot], changed: Sequence[Occurrence]) -> list[Spot]:
    """Places in the same call, or of the same scheme of keys, as those that changed."""
    before = question.edits[0].before or ""
    if not is_text(before):
        return []
    frames = {one.frame for one in changed if one.frame.count(",") or "+" in one.frame}
    same = [one for one in left if one.what.frame in frames]
    if _is_scheme(before):
        same = list(left)
    few = len(same) <= _FEW and (len(changed) > 1 or _is_key(before))
    return _outside(same) if same and few and len(same) == len(left) else []


def _is_scheme(token: str) -> bool:
    """Whether a literal builds a name of a store from parts: words, a separator and a hole."""
    form = shape(token)
    return "{}" in form and re.search(r"[A-Za-z]{2,}[:/._-]|[:/._-][A-Za-z]{2,}", form) is not None and " " not in form


def _is_key(token: str) -> bool:
    form = shape(token)
    return ":" in form and not form.startswith(("/", "http"))


def _met(now: Sequence[Spot], changed: Sequence[Occurrence], stranded: Spot) -> Spot | None:
    """A place of the new word that the stranded one has to meet."""
    slot = stranded.what.slot, stranded.what.key
    same = [one for one in now if (one.what.slot, one.what.key) == slot and one.what.act != stranded.what.act]
    return next(iter(same), next(iter(now), None))


def _card(question: Question, spot: Spot, met: Spot | None) -> Draft:
    edit = question.edits[0]
    before, after = snippet(edit.before or ""), snippet(edit.after or "")
    where = place(met.ref) if met is not None else code(edit.path)
    does = {"read": "still asks for", "write": "still puts there"}.get(spot.what.act, "still goes by")
    of = f" of {code(_named(spot))}" if _named(spot) else ""
    return draft(
        question,
        claim=f"Changing {before} to {after} in {code(edit.path)} leaves {place(spot.ref)} behind: it {does} "
        f"{before}{of}, where {where} now has {after}.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after or "",
        severity=Severity.IMPORTANT,
        support=[spot.ref] if met is None or same_place(question, met.ref) else [spot.ref, met.ref],
        impact=_impact(spot),
        counter=(f"Another place that keeps {before} in use would refute this; none was found at head outside tests.",),
        uncertainty=("Data that was stored or sent under the old word was not looked at.",),
    )


def _named(spot: Spot) -> str:
    """The slot as the line spells it."""
    found = re.search(rf"(?i){whole_name(spot.what.slot)}", spot.evidence.text) if spot.what.slot else None
    return found[0] if found else ""


def _impact(spot: Spot) -> str:
    if spot.what.act == "read":
        return "Control reaches that line with what the changed code has written: its branch or lookup finds nothing."
    if spot.what.act == "write":
        return "Control reaches that line, and the changed code then looks for its result: it finds nothing there."
    return "Both places handle the same record: what one of them stores, the other one misses."


def _without(question: Question, bundle: Bundle, left: Sequence[Spot]) -> Settled:
    before = snippet(question.edits[0].before or "")
    if not left:
        where = searched(bundle, QueryKind.TEXT)
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no place is left that goes by {before}; searched: {where}")
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{place(left[0].ref)} still has {before}, but that it must meet the changed places is not established",
        missing=(f"what {before} at {place(left[0].ref)} has to do with the change",),
        refs=[left[0].ref],
    )


RULES = (Rule("replacement_left_behind", frozenset({EditOp.TEXT_REPLACED}), _raise, _settle),)
