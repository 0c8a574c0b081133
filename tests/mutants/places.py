"""Mutants of where a card points and what it rests on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from mutants import Card, Data, mutator
from review_agent.vocabulary import ContractCode, Evidence, Role, Side


def with_anchor(draft: Data, **changes: Any) -> Data:
    return {**draft, "diffAnchor": {**draft["diffAnchor"], **changes}}


def with_support(draft: Data, **changes: Any) -> Data:
    first, *others = draft["supportingRefs"]
    return {**draft, "supportingRefs": [{**first, **changes}, *others]}


def _unchanged_line(card: Card) -> int | None:
    side = card.anchor_side
    changed = {line for hunk in card.file.hunks for one in Side for line in hunk.changed(one)}
    source = card.sources[side].get(card.draft["diffAnchor"]["path"])
    return next((line for line in range(1, len(source.lines) + 1) if line not in changed), None)


@mutator(ContractCode.ANCHOR_OUTSIDE_CHANGE)
def wrong_line(card: Card, draft: Data):
    line = _unchanged_line(card)
    if line is not None and card.hunk.changed(card.anchor_side):
        ref = card.sources[card.anchor_side].ref(draft["diffAnchor"]["path"], line, line, Role.DIFF)
        yield {**draft, "diffAnchor": ref.wire()}


@mutator(ContractCode.QUOTE_MISMATCH)
def wrong_line_with_the_old_quote(card: Card, draft: Data):
    line = _unchanged_line(card)
    if line is not None:
        yield with_anchor(draft, startLine=line, endLine=line)


@mutator(ContractCode.ANCHOR_OUTSIDE_CHANGE)
def swapped_file(card: Card, draft: Data):
    other = next(file for file in card.snapshot.files if file.path != card.file.path and file.new_blob is not None)
    line = next((line for hunk in other.hunks for line in hunk.changed(Side.NEW)), 1)
    yield {**draft, "diffAnchor": card.sources[Side.NEW].ref(other.path, line, line, Role.DIFF).wire()}
    yield with_anchor(draft, path=draft["supportingRefs"][0]["path"] + ".bak")


@mutator(ContractCode.REF_NOT_READ)
def anchor_of_another_commit(card: Card, draft: Data):
    yield with_anchor(draft, commit="0" * 40)
    yield with_anchor(draft, blob="0" * 40)


@mutator(ContractCode.ANCHOR_WRONG_SIDE)
def swapped_side(card: Card, draft: Data):
    other = Side.NEW if card.anchor_side is Side.OLD else Side.OLD
    yield with_anchor(draft, side=other.value)


@mutator(ContractCode.ANCHOR_WRONG_SIDE)
def whole_anchor_on_the_side_that_does_not_show_it(card: Card, draft: Data):
    other = Side.NEW if card.anchor_side is Side.OLD else Side.OLD
    path = card.file.path if other is Side.NEW else card.file.old_path
    added_on_old = draft["effect"]["op"] == "added" and other is Side.OLD
    if added_on_old or not card.hunk.changed(other):
        line = next(iter(card.hunk.changed(other)), card.hunk.old_start if other is Side.OLD else card.hunk.new_start)
        yield {**draft, "diffAnchor": card.sources[other].ref(path, line, line, Role.DIFF).wire()}


@mutator(ContractCode.SCHEMA)
def anchor_without_lines(card: Card, draft: Data):
    yield with_anchor(draft, startLine=draft["diffAnchor"]["endLine"] + 1)
    yield with_anchor(draft, startLine=0)


@mutator(ContractCode.SCHEMA)
def anchor_that_calls_itself_evidence(card: Card, draft: Data):
    yield with_anchor(draft, role="use")


@mutator(ContractCode.QUOTE_MISMATCH)
def borrowed_quote(card: Card, draft: Data):
    yield with_support(draft, quoteSha256=draft["diffAnchor"]["quoteSha256"])
    yield with_anchor(draft, quoteSha256=draft["supportingRefs"][0]["quoteSha256"])


def _unread_line(card: Card, path: str) -> int | None:
    """A line of a file at head that nothing in the bundle covers."""
    read = {
        line
        for one in card.bundle.evidence
        if one.ref.path == path
        for line in range(one.ref.start_line, one.ref.end_line + 1)
    }
    last = len(card.sources[Side.NEW].get(path).lines)
    return next((line for line in range(last, 0, -1) if line not in read), None)


@mutator(ContractCode.REF_NOT_READ)
def support_moved_to_another_place(card: Card, draft: Data):
    first = draft["supportingRefs"][0]
    other = Side.NEW if first["side"] == "old" else Side.OLD
    yield with_support(draft, path=card.file.path if first["path"] != card.file.path else "nowhere.py")
    yield with_support(draft, commit="0" * 40)
    yield with_support(draft, side=other.value)
    line = _unread_line(card, first["path"])
    if line is not None:
        yield with_support(draft, startLine=line, endLine=line)


@mutator(ContractCode.REF_NOT_READ)
def support_that_was_not_read(card: Card, draft: Data):
    first = draft["supportingRefs"][0]
    line = _unread_line(card, first["path"])
    if line is not None:
        ref = card.sources[Side.NEW].ref(first["path"], line, line, Role(first["role"]))
        yield {**draft, "supportingRefs": [*draft["supportingRefs"], ref.wire()]}


@mutator(ContractCode.REF_NOT_READ)
def support_wider_than_what_was_read(card: Card, draft: Data):
    first = draft["supportingRefs"][0]
    line = _unread_line(card, first["path"])
    if line is not None:
        start, end = min(line, first["startLine"]), max(line, first["endLine"])
        ref = card.sources[Side.NEW].ref(first["path"], start, end, Role(first["role"]))
        yield {**draft, "supportingRefs": [ref.wire()]}


@mutator(ContractCode.REF_NOT_READ)
def support_under_another_role(card: Card, draft: Data):
    yield with_support(draft, role="history")


@mutator(ContractCode.SUPPORT_INSIDE_CHANGE)
def support_only_inside_the_change(card: Card, draft: Data):
    anchor = draft["diffAnchor"]
    ref = card.sources[card.anchor_side].ref(anchor["path"], anchor["startLine"], anchor["endLine"], Role.USE)
    evidence = Evidence(ref=ref, query=0, origin="read", text="inside", facts=())
    bundle = card.bundle.model_copy(update={"evidence": (*card.bundle.evidence, evidence)})
    yield {**draft, "supportingRefs": [ref.wire()]}, replace(card, bundle=bundle)


@mutator(ContractCode.NO_RETRIEVED_SUPPORT)
def no_support(card: Card, draft: Data):
    yield {**draft, "supportingRefs": []}
    yield {**draft, "supportingRefs": [{**ref, "blob": "f" * 40} for ref in draft["supportingRefs"]]}


@mutator(ContractCode.EVIDENCE_NOT_LOAD_BEARING)
def support_listed_twice(card: Card, draft: Data):
    yield {**draft, "supportingRefs": [*draft["supportingRefs"], draft["supportingRefs"][0]]}


@mutator(ContractCode.EVIDENCE_NOT_LOAD_BEARING)
def support_that_the_card_never_names(card: Card, draft: Data):
    words = set(re.findall(r"\w+", str(draft)))
    read = {one.ref.path for one in card.bundle.evidence}
    path = next(
        path
        for path in card.sources[Side.NEW].paths
        if path not in read and not words & set(re.findall(r"\w+", path)) - {"py"}
    )
    ref = card.sources[Side.NEW].ref(path, 1, 1, Role.USE)
    evidence = Evidence(ref=ref, query=0, origin="read", text="zzz_unrelated = 1", facts=())
    bundle = card.bundle.model_copy(update={"evidence": (*card.bundle.evidence, evidence)})
    yield {**draft, "supportingRefs": [*draft["supportingRefs"], ref.wire()]}, replace(card, bundle=bundle)
