"""Which finding a draft tells."""

from __future__ import annotations

from review_agent import fingerprint
from review_agent.stages.contract_case import Case
from review_agent.stages.contract_text import folded, tokens_in
from review_agent.stages.evidence_proposed import COMPILED
from review_agent.vocabulary import Draft, Side, SourceRef

__all__ = ["mark"]


def mark(draft: Draft, case: Case) -> str:
    """The fingerprint of a draft's finding: what its lines and edits say, not where they stand nor how it is worded.

    All drafts on a model's question have its lines: what they say happens to (the effect's subject) tells them apart,
    so that the identity of one does not hang on which others came with it. On a rule's question the edits do.
    """
    edits = case.question.edits
    lines = _anchored(draft.diff_anchor, case)
    subjects = {edit.subject for edit in edits}
    if case.question.rule.startswith(COMPILED):
        subjects = {folded(draft.effect.subject)}
    elif draft.effect.subject not in subjects:
        subjects.add(draft.effect.subject)
    tokens = (*tokens_in("\n".join(lines)), "", *sorted(subjects))
    path = case.file.old_path if case.file.old_blob is not None else case.file.path
    return fingerprint.of(
        case.question.rule, path, edits[0].scope if edits else "", tokens, _ordinal(draft.diff_anchor, lines, case)
    )


def _anchored(anchor: SourceRef, case: Case) -> list[str]:
    lines = [(line.old if anchor.side is Side.OLD else line.new, line.text) for line in case.hunk.lines]
    return [text for number, text in lines if number is not None and anchor.start_line <= number <= anchor.end_line]


def _ordinal(anchor: SourceRef, lines: list[str], case: Case) -> int:
    """How many like runs of changed lines the file's hunks have before the anchor."""
    tag = "-" if anchor.side is Side.OLD else "+"
    wanted = tokens_in("\n".join(lines))
    before: list[str] = []
    for hunk in case.file.hunks:
        for line in hunk.lines:
            number = line.old if anchor.side is Side.OLD else line.new
            if line.tag == tag and number is not None and number < anchor.start_line:
                before.append(line.text)
    size = max(len(lines), 1)
    return sum(tokens_in("\n".join(before[at : at + size])) == wanted for at in range(len(before) - size + 1))
