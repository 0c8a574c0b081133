"""Where a card points: one changed region of the question's hunk, on the side that shows it.

A region is a run of consecutive changed lines of one side. An anchor lies inside one region. On the old side it must
cover removed lines, and an effect that added something is never shown by them. A range that reaches over two hunks or
two regions is ambiguous and refused, not cut to fit.
"""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.stages.contract_case import Case
from review_agent.stages.contract_draft import reason
from review_agent.vocabulary import ContractCode, ContractReason, Draft, EffectOp, Side, SourceRef

__all__ = ["check_anchor", "regions"]


def check_anchor(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Every fault of the draft's anchor."""
    anchor = draft.diff_anchor
    yield from _origin_faults(anchor, case)
    yield from _range_faults(anchor, case)
    if anchor.side is Side.OLD and draft.effect.op is EffectOp.ADDED:
        yield reason(ContractCode.ANCHOR_WRONG_SIDE, "what was added stands on the new side, the anchor on the old")


def regions(lines: tuple[int, ...]) -> list[range]:
    """Ascending line numbers as runs of consecutive ones."""
    runs: list[range] = []
    for line in lines:
        if runs and line == runs[-1].stop:
            runs[-1] = range(runs[-1].start, line + 1)
        else:
            runs.append(range(line, line + 1))
    return runs


def _origin_faults(anchor: SourceRef, case: Case) -> Iterator[ContractReason]:
    """Path, commit, blob and quote: is it the changed file as it stands on that side?"""
    path, commit, blob = case.home(anchor.side)
    other = Side.NEW if anchor.side is Side.OLD else Side.OLD
    _, other_commit, other_blob = case.home(other)
    if anchor.path != path:
        yield reason(
            ContractCode.ANCHOR_OUTSIDE_CHANGE,
            f"{anchor.path} is not the question's file on the {anchor.side.value} side, which is {path}",
        )
        return
    if (anchor.commit, anchor.blob) != (commit, blob):
        if anchor.commit == other_commit or anchor.blob == other_blob:
            said = f"commit or blob are of the {other.value} side, the anchor says {anchor.side.value}"
            yield reason(ContractCode.ANCHOR_WRONG_SIDE, said)
        else:
            said = f"{anchor.path} was not read at commit {anchor.commit[:12]} as blob {anchor.blob[:12]}"
            yield reason(ContractCode.REF_NOT_READ, f"the anchor: {said}")
    elif not case.sources[anchor.side].holds(anchor):
        yield reason(ContractCode.QUOTE_MISMATCH, "the anchor's quote hash is not that of its lines")


def _range_faults(anchor: SourceRef, case: Case) -> Iterator[ContractReason]:
    lines = range(anchor.start_line, anchor.end_line + 1)
    if not lines or lines.start < 1:
        yield reason(ContractCode.SCHEMA, f"diffAnchor: lines {anchor.start_line} to {anchor.end_line} are no range")
        return
    if not case.hunk.lines and case.file.old_blob == case.file.new_blob and lines == range(1, 2):
        # The move of a file that did not change: it has no changed line, and its first one stands for it.
        return
    own = regions(case.hunk.changed(anchor.side))
    if any(_within(lines, region) for region in own):
        return
    touched = [run for run in _all_regions(case, anchor.side) if _meet(lines, run)]
    where = f"{anchor.side.value} lines {lines.start} to {lines.stop - 1}"
    if len(touched) > 1:
        yield reason(ContractCode.ANCHOR_AMBIGUOUS, f"{where} reach over {len(touched)} changed regions; name one")
    elif _on_other_side(lines, anchor, case):
        yield reason(ContractCode.ANCHOR_WRONG_SIDE, f"{where} are not changed; the hunk shows it on the other side")
    else:
        yield reason(ContractCode.ANCHOR_OUTSIDE_CHANGE, f"{where} are not all changed lines of the question's hunk")


def _on_other_side(lines: range, anchor: SourceRef, case: Case) -> bool:
    """The lines, or any lines at all, are changed on the other side only."""
    other = Side.NEW if anchor.side is Side.OLD else Side.OLD
    if any(_within(lines, region) for region in regions(case.hunk.changed(other))):
        return True
    return not case.hunk.changed(anchor.side) and _meet(lines, case.shown(anchor.side))


def _all_regions(case: Case, side: Side) -> list[range]:
    return [region for hunk in case.file.hunks for region in regions(hunk.changed(side))]


def _within(lines: range, region: range) -> bool:
    return region.start <= lines.start and lines.stop <= region.stop


def _meet(lines: range, region: range) -> bool:
    return lines.start < region.stop and region.start < lines.stop
