"""A rule of ``serialization``: what is written one after the other no longer comes in the order in which it is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.kinds.absence import unread
from review_agent.kinds.base import (
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import Body, Called, body_at, whole_of
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wire_codecs import counterparts_of
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
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

_OPS = frozenset({EditOp.CALL_MOVED, EditOp.CALL_REPLACED, EditOp.CALL_REMOVED, EditOp.CALL_ADDED, EditOp.ACT_MOVED})
_WRITES = re.compile(r"^(?:write|put|append|encode|pack|Write|Put|Append|Encode|Pack)_?([A-Za-z0-9_]*)$")
_READS = re.compile(r"^(?:read|get|next|decode|unpack|Read|Get|Next|Decode|Unpack)?_?([A-Za-z0-9_]*)$")
_BARE = re.compile(r"Uint\d+")
_PLACE = re.compile(r"\[(\d+):\d*\]$")
_FUNCTION = re.compile(r"(?i)write|encode|pack|serial|marshal|save|dump|to_")


@dataclass(frozen=True)
class Step:
    """``at`` is the place that is named for the part, null where parts follow one another."""

    kind: str
    name: str
    callee: str
    at: int | None = None


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    name = split(function_of(edit))[1]
    fits = _WRITES.match(text(edit, "name")) and text(edit, "receiver") and _FUNCTION.search(name)
    if in_test(edit.path) or not fits or edit.facts.get("newFunction") or not _first(edit, edits):
        return None
    scope = split(function_of(edit))[0]
    plain = counterparts_of(name)
    owned = [f"{one}{split(scope)[1]}" for one in plain] if scope and edit.language == "go" else []
    asked = [(one, scope) for one in (name, *plain)] + [(one, "") for one in owned]
    return seed(
        edit,
        "written_order_changed",
        change=f"{code(name)} writes its parts in another order or form",
        precondition="a reader takes them one by one in the old order",
        consequence="the reader takes one part for another, or stops in the middle of one",
        refuted_if=("the reader was changed along", "nothing reads the parts one by one"),
        plan=[ask(QueryKind.DEFINITION, one, path=edit.path, scope=home) for one, home in asked],
        risk=2,
    )


def _first(edit: Edit, edits: Sequence[Edit]) -> bool:
    same = [one for one in edits if one.op in _OPS and _WRITES.match(text(one, "name"))]
    mine = [one for one in same if (one.path, function_of(one)) == (edit.path, function_of(edit))]
    other = [one for one in mine if one.op is EditOp.CALL_REPLACED and _payload(one, "") != _payload(one, "new")]
    return bool(mine) and (other or mine)[0].edit_id == edit.edit_id


def _payload(edit: Edit, side: str) -> str:
    """What a call writes: its last argument."""
    return next(reversed(texts(edit, "newArguments" if side else "arguments")), "")


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    written: list[Step] = []
    readers: list[tuple[SourceRef, str, list[Step]]] = []
    defined = found(bundle, DefinitionFact, QueryKind.DEFINITION)
    for one in defined:
        body = whole_of(bundle, one.ref) or body_at(bundle, one.ref.path, one.ref.start_line)
        if body is None:
            continue
        if one.fact.qualname == function_of(edit):
            written = _steps(body, _WRITES, text(edit, "receiver"))
        else:
            readers.append((one.ref, one.fact.qualname, _steps(body, _READS, "")))
    for ref, qualname, read in readers:
        at = _apart(written, read)
        if at is not None and not _near(bundle, ref):
            return (_card(question, written[at], read[at], ref, split(qualname)[1]),)
    cut = unread(bundle, defined) or _unfound(edit, [one.fact.qualname for one in defined])
    if cut is None and any(read for _, _, read in readers):
        return unsettled(NoFindingCode.REFUTED, f"{code(readers[0][1])} reads the parts in the order of {code(name)}")
    return (
        blocked(bundle, QueryKind.DEFINITION)
        or cut
        or unsettled(NoFindingCode.NO_CANDIDATE, f"nothing beside {code(name)} reads the parts one by one")
    )


def _unfound(edit: Edit, defined: Sequence[str]) -> Unsettled | None:
    """That what is written was not seen."""
    name = code(split(function_of(edit))[1])
    if function_of(edit) in defined:
        return None
    why = f"in which order {name} writes now is not established: its definition was not found"
    return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, why, missing=(f"the definition of {name}",))


def _near(bundle: Bundle, ref: SourceRef) -> bool:
    return any(one.near_change for one in bundle.evidence if one.ref == ref)


def _steps(body: Body, shape: re.Pattern[str], receiver: str) -> list[Step]:
    """The writes or reads of a body in order: what is written, and what it is called."""
    found_steps = []
    for call in body.calls:
        fits = shape.match(call.name)
        bare = fits is not None and fits[1] == call.name
        if not fits or not call.receiver or (receiver and call.receiver != receiver) or (bare and not _endian(call)):
            continue
        line = next((one for number, one in body.lines if number == call.line), "")
        target = re.match(r"\s*(?:[\w<>\[\]]+\s+)?([\w.$]+)\s*(?::=|=|:)(?!=)", line)
        given = call.args[-1] if call.args else ""
        name = target[1] if target and shape is _READS else given
        place = next((one for part in call.args[:1] if (one := _PLACE.search(part))), None)
        kind = fits[1].replace("_", "").lower()
        found_steps.append(Step(kind, name, call.callee, int(place[1]) if place else None))
    if all(one.at is not None for one in found_steps):
        found_steps.sort(key=lambda one: one.at or 0)
    return found_steps


def _endian(call: Called) -> bool:
    """Whether a call without a verb takes a number out of bytes: ``binary.BigEndian.Uint32``."""
    return _BARE.fullmatch(call.name) is not None and call.receiver.endswith("Endian")


def _apart(written: Sequence[Step], read: Sequence[Step]) -> int | None:
    """The first place at which the two differ; null where they go together, or are not the same walk at all."""
    if len(written) != len(read) or len(read) < 2:
        return None
    kinds = ([one.kind for one in written], [one.kind for one in read])
    if kinds[0] != kinds[1]:
        shared = sum(1 for kind in set(kinds[1]) if kind in kinds[0])
        places = [at for at, (one, two) in enumerate(zip(*kinds, strict=True)) if one != two]
        return places[0] if shared and len(places) < len(read) + 1 else None
    for at, (one, two) in enumerate(zip(written, read, strict=True)):
        other = [step for step in written if step is not one and _share(step.name, two.name)]
        if other and not _share(one.name, two.name):
            return at
    return None


def _share(one: str, other: str) -> bool:
    return bool(set(words_of(one)) & set(words_of(other)) - {"self", "this", "get", "e", "r", "in", "out"})


def _card(question: Question, wrote: Step, reads: Step, ref: SourceRef, reader: str) -> Draft:
    edit = question.edits[0]
    name = split(function_of(edit))[1]
    moved = edit.op in (EditOp.CALL_MOVED, EditOp.ACT_MOVED)
    verb = (
        "Moving" if moved else {EditOp.CALL_REMOVED: "Removing", EditOp.CALL_ADDED: "Adding"}.get(edit.op, "Replacing")
    )
    op = {"Moving": EffectOp.REORDERED, "Removing": EffectOp.REMOVED, "Adding": EffectOp.ADDED}.get(
        verb, EffectOp.CHANGED
    )
    return draft(
        question,
        claim=f"{verb} {code(edit.subject)} in {code(name)} parts it from {code(reader)} in {place(ref)}: where "
        f"{code(wrote.callee)} now writes {code(wrote.name)}, {code(reads.callee)} reads {code(reads.name)}.",
        op=op,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=[ref],
        impact="Bytes of the new form reach that function, or stored ones of the old form its successor: every field "
        "from there on is garbage.",
        counter=(f"A mark of the form in front of the parts would refute this; {code(reader)} asks for none.",),
    )


RULES = (Rule("written_order_changed", _OPS, _raise, _settle),)
