"""Which layer is at fault: for an expected card that is not there, and for a card that nobody expected.

The earliest layer that kept the right answer from coming out, from the record of the run alone:

    edits       no edit says what happened at the defect: none, or only that lines changed
    questions   edits there, but no question of a fitting kind: none raised, capped, kind disabled
    retrieval   a question there lacked evidence that proves the defect: not in its bundle, or refused
    synthesis   the evidence was there, the conclusion was not
    contract    a draft was there, and was rejected
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from review_agent.replay.places import file_of
from review_agent.replay.records import LAYERS, Expected, Miss, Place
from review_agent.replay.trail import Trail
from review_agent.vocabulary import (
    Bundle,
    EditOp,
    NoFinding,
    NoFindingCode,
    QueryStatus,
    Question,
    SkipRule,
)

__all__ = ["missed"]

_LACKING = (NoFindingCode.INSUFFICIENT_EVIDENCE, NoFindingCode.BUDGET_EXHAUSTED)
_SPENT = (QueryStatus.REFUSED, QueryStatus.FAILED, QueryStatus.UNSUPPORTED)


def missed(expected: Expected, trail: Trail) -> Miss:
    """Why no card of a fitting kind stands at the defect.

    Where several questions were asked there, the one that came furthest tells.
    """
    asked = trail.questions_at(expected.places, expected.slack)
    fitting = [one for one in asked if not expected.kinds or one.kind in expected.kinds]
    if fitting:
        return max((_ended(one, expected, trail) for one in fitting), key=lambda miss: LAYERS.index(miss.layer))
    return _no_edit(expected, trail, asked) or _no_question(expected, trail, asked)


def _no_edit(expected: Expected, trail: Trail, asked: Sequence[Question]) -> Miss | None:
    edits = trail.edits_at(expected.places)
    if asked or any(edit.op is not EditOp.LINES_CHANGED for edit in edits):
        return None
    aside = _set_aside(expected, trail)
    if aside:
        return Miss(layer="edits", why=aside)
    why = "only the fact that lines changed" if edits else "no edit"
    return Miss(layer="edits", why=f"{why} at {_places(expected.places)}")


def _set_aside(expected: Expected, trail: Trail) -> str:
    """How the defect's file or hunk was set aside, if it was."""
    files = [file for place in expected.places if (file := file_of(place, trail.files)) is not None]
    paths = {file.path for file in files}
    for failed in trail.failed:
        if failed.path in paths:
            return f"the file was not examined: {failed.detail}"
    hunks = {hunk.hunk_id for file in files for hunk in file.hunks}
    for skip in trail.skipped:
        if skip.path in paths and skip.question_id is None and (skip.hunk_id is None or skip.hunk_id in hunks):
            return f"set aside by rule {skip.rule}: {skip.detail}".rstrip(": ")
    return ""


def _no_question(expected: Expected, trail: Trail, asked: Sequence[Question]) -> Miss:
    edits = [edit for edit in trail.edits_at(expected.places) if edit.op is not EditOp.LINES_CHANGED]
    told = f"edits there: {_some(edit.op.value for edit in edits) or 'none'}"
    hunks = {edit.hunk_id for edit in edits}
    capped = [one for one in trail.skipped if one.rule is SkipRule.QUESTION_CAP and one.hunk_id in hunks]
    disabled = [kind for kind in expected.kinds if trail.kinds is not None and kind not in trail.kinds]
    if capped:
        why = f"a question there was capped: {_some(one.detail for one in capped)}"
    elif disabled and len(disabled) == len(expected.kinds):
        why = f"kind {_some(disabled)} asks nothing in this policy or version; {told}"
    elif asked:
        why = f"only other kinds asked: {_some(f'{one.rule} ({one.kind})' for one in asked)}; {told}"
    else:
        why = f"no question was raised; {told}"
    return Miss(layer="questions", why=why, question_id=asked[0].question_id if asked else None)


def _ended(question: Question, expected: Expected, trail: Trail) -> Miss:
    """Where the way of one question to the card broke off."""
    identity = question.question_id
    bundle = trail.bundles.get(identity)
    if identity in trail.rejections:
        reasons = [reason for one in trail.rejections[identity] for reason in one.reasons]
        codes = tuple(dict.fromkeys(reason.code for reason in reasons))
        why = f"{question.rule}: its draft was rejected by {_some(codes)}: {reasons[0].detail}"
        return Miss(layer="contract", why=why, question_id=identity, codes=codes)
    if identity in trail.no_findings:
        return _no_finding(question, trail.no_findings[identity], bundle, expected, trail)
    if identity in trail.unanswered:
        one = trail.unanswered[identity]
        why = f"{question.rule}: unanswered, {one.cause}: {one.detail}"
        return Miss(layer="synthesis", why=why, question_id=identity)
    return Miss(layer="synthesis", why=f"{question.rule}: its card stands at another place", question_id=identity)


def _no_finding(question: Question, end: NoFinding, bundle: Bundle | None, expected: Expected, trail: Trail) -> Miss:
    lacking = [place for place in expected.proof if not trail.holds(bundle, place)]
    said = f"{question.rule} ended {end.code}: {end.detail}"
    refused = _refused(bundle)
    if end.code in _LACKING:
        blamed = bool(lacking) or not expected.proof or end.code is NoFindingCode.BUDGET_EXHAUSTED
    else:
        blamed = bool(expected.proof) and len(lacking) == len(expected.proof)
    if not blamed:
        held = "; the proof was in its bundle" if expected.proof else ""
        return Miss(layer="synthesis", why=f"{said}{held}", question_id=question.question_id)
    missing = f"; in no evidence: {_places(lacking)}" if lacking else ""
    return Miss(layer="retrieval", why=f"{said}{missing}{refused}", question_id=question.question_id)


def _refused(bundle: Bundle | None) -> str:
    if bundle is None:
        return ""
    refused = [f"{one.query.kind} {one.query.name}" for one in bundle.queries if one.status in _SPENT]
    refused += [one.what for one in bundle.left_out]
    return f"; refused or left out: {_some(refused)}" if refused else ""


def _some(words: Iterable[str]) -> str:
    listed = list(dict.fromkeys(map(str, words)))
    return ", ".join(listed[:4]) + (f" and {len(listed) - 4} more" if len(listed) > 4 else "")


def _places(places: Sequence[Place]) -> str:
    return _some(place.text() for place in places)
