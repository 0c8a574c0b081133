"""Which finding a draft tells, and whether a card has it already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from review_agent import fingerprint
from review_agent.stages.contract_case import Case
from review_agent.stages.contract_text import tokens_in
from review_agent.vocabulary import Draft, Side, SourceRef, digest

__all__ = ["Marks"]


@dataclass
class Marks:
    """The fingerprints that a review's cards have, and what this question's own cards tell, by fingerprint."""

    seen: set[str]
    own: dict[str, Draft] = field(default_factory=dict)

    def free(self, draft: Draft, case: Case, had: str = "") -> str | None:
        """The draft's fingerprint; None where a card has it. ``had`` is what its card had when it was judged before.

        All drafts of a model's question have its lines: one that tells another effect, or rests on other lines, is a
        second finding there.
        """
        mark = _fingerprint(draft, case)
        second = digest([mark, 2])[: len(mark)]
        known = self.own.get(mark)
        chosen = second if had == second or (known is not None and _tells(known) != _tells(draft)) else mark
        return None if chosen in self.seen else chosen

    def take(self, mark: str, draft: Draft) -> None:
        self.seen.add(mark)
        self.own[mark] = draft


def _tells(draft: Draft) -> tuple[Any, ...]:
    places = frozenset((ref.side, ref.path, ref.start_line, ref.end_line) for ref in draft.supporting_refs)
    return draft.effect.op, draft.effect.subject, places


def _fingerprint(draft: Draft, case: Case) -> str:
    """The finding's identity: what its lines and edits say, not where they stand nor how the draft words it."""
    edits = case.question.edits
    lines = _anchored(draft.diff_anchor, case)
    tokens = (*tokens_in("\n".join(lines)), "", *sorted({edit.subject for edit in edits}))
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
