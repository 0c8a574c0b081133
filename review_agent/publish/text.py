"""The review as a person reads it in a terminal: cards first, then what was not found, then what was not looked at."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pydantic import ValidationError

from review_agent.errors import RecordError
from review_agent.publish.account import account_text
from review_agent.publish.safe import terminal
from review_agent.vocabulary import (
    Bundle,
    Hunk,
    NoFinding,
    NoFindingCode,
    Question,
    Rejection,
    ReviewDocument,
    ReviewEvidenceCard,
    SourceRef,
)

__all__ = ["card_text", "review_text"]

_EVIDENCE_LINES = 8
_LINES_A_REF = 3
_DIFF_LINES = 12
_NOTHING = frozenset({"None", "nil", "null"})  # words that stand on too many lines to lead to one
_PLACES = 5  # so many places of one failure are told one by one
_SHARED = 2  # so many no-findings of one rule and code are told one by one
_COLORS = {"blocking": "1;31", "important": "1;33", "suggestion": "1;36", "dim": "2", "-": "31", "+": "32"}


@dataclass(frozen=True)
class _Page:
    width: int
    color: bool

    def paint(self, text: str, style: str) -> str:
        return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if self.color and style in _COLORS else text

    def wrap(self, label: str, text: str) -> list[str]:
        """``text`` under a nine-column label, wrapped to the page."""
        lines = textwrap.wrap(terminal(text), max(30, self.width - 11), break_long_words=False, break_on_hyphens=False)
        return [f"  {(label if n == 0 else ''):<9}{line}" for n, line in enumerate(lines or [""])]


def card_text(
    card: Mapping[str, Any],
    question: Mapping[str, Any],
    bundle: Mapping[str, Any],
    hunk: Mapping[str, Any],
    *,
    state: str,
    width: int = 110,
    color: bool = False,
) -> str:
    """One card with its diff, its evidence and how to decide it. All arguments are wire data; the text has no last
    newline. Raises RecordError where one is of another shape than this version's."""
    try:
        parts = ReviewEvidenceCard.model_validate(card), Bundle.model_validate(bundle), Hunk.model_validate(hunk)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        said = f"{error.title}, {'.'.join(map(str, found['loc']))}: {found['msg']}"
        raise RecordError(f"a record of another shape: {said}", hint="was the run log edited by hand?") from error
    return "\n".join(_card_lines(*parts, state, _Page(width, color)))


def _card_lines(card: ReviewEvidenceCard, bundle: Bundle, hunk: Hunk, state: str, page: _Page) -> list[str]:
    post = "may post" if card.model_may_post else "may not post"
    left = f"● {card.severity} · {card.change_kind} · {terminal(card.diff_anchor.path)}:{card.diff_anchor.start_line}"
    right = f"{card.card_id[:8]} · {card.confidence} · {post}" + ("" if state == "hidden" else f" · {state}")
    gap = " " * max(2, page.width - len(left) - len(right))
    claim = textwrap.wrap(terminal(card.claim), page.width - 4, break_long_words=False, break_on_hyphens=False)
    lines = [page.paint(left, card.severity) + gap + right, *(f"  {line}" for line in claim)]
    lines += page.wrap("when", card.impact_condition)
    lines += _exhibits(card, bundle, hunk, page)
    for verification in card.verification:
        lines += page.wrap("check", verification.command_or_procedure)
        lines += page.wrap("", f"→ {verification.expected_signal}")
    lines += [line for text in card.counter_evidence for line in page.wrap("against", text)]
    lines += [line for text in card.searched for line in page.wrap("searched", text)]
    lines += [line for text in card.uncertainty for line in page.wrap("unsure", text)]
    if state == "hidden":
        choice = f"review-agent decide {card.card_id[:8]} accept | reject --reason CODE | needs-proof"
        lines += page.wrap("decide", choice)
    return lines


def _exhibits(card: ReviewEvidenceCard, bundle: Bundle, hunk: Hunk, page: _Page) -> list[str]:
    """The changed lines and the evidence: side by side where nothing has to be cut for it, else one below the other."""
    diff = _diff_lines(card.diff_anchor, hunk)
    evidence = _evidence_lines(card, bundle)
    half = max(map(len, diff), default=0)
    if half + max(map(len, evidence), default=0) + 5 > page.width:
        return [page.paint(f"  {_cut(line, page.width - 2)}", line[5:6]) for line in diff] + [
            f"     │ {_cut(line, page.width - 7)}" for line in evidence
        ]
    rows = []
    for left, right in zip_longest(diff, evidence, fillvalue=""):
        rows.append(f"  {page.paint(left.ljust(half), left[5:6])} │ {right}".rstrip())
    return rows


def _diff_lines(anchor: SourceRef, hunk: Hunk) -> list[str]:
    """Changed lines of the run of changes that holds the anchor, each ``line tag text``."""
    runs: list[list[str]] = [[]]
    chosen: list[str] = []
    for line in hunk.lines:
        if line.tag == " ":
            runs.append([])
            continue
        number = line.new if line.tag == "+" else line.old
        runs[-1].append(f"{number:>4} {line.tag} {terminal(line.text)}")
        on_side = (line.tag == "+") == (anchor.side == "new")
        if on_side and number is not None and anchor.start_line <= number <= anchor.end_line:
            chosen = runs[-1]
    return _shortened(chosen, _DIFF_LINES)


def _evidence_lines(card: ReviewEvidenceCard, bundle: Bundle) -> list[str]:
    """What each supporting ref says, ``file:line  text``: its first line, and further ones as far as there is room,
    those that hold a name of the claim before others."""
    names = [name for name in re.findall(r"`([^`]+)`", card.claim) if "/" not in name and name not in _NOTHING]
    room = max(0, _EVIDENCE_LINES - len(card.supporting_refs))
    lines = []
    for ref in card.supporting_refs:
        text = _quoted(ref, bundle)
        further = [n for n in range(1, len(text)) if text[n].strip()]
        further = [n for n in further if any(name in text[n] for name in names)] or further
        shown = [0, *sorted(further[: min(room, _LINES_A_REF - 1)])] if text else []
        room -= max(0, len(shown) - 1)
        name = ref.path.rsplit("/", 1)[-1]
        lines += [f"{terminal(name)}:{ref.start_line + n}  {terminal(text[n].strip())}" for n in shown]
    return lines


def _quoted(ref: SourceRef, bundle: Bundle) -> list[str]:
    """The lines that a ref cites, also where they are a part of an excerpt; none where they are not at hand."""
    for evidence in bundle.evidence:
        whole, lines = evidence.ref, evidence.text.split("\n")
        same = (whole.path, whole.side, whole.commit) == (ref.path, ref.side, ref.commit)
        first, last = ref.start_line - whole.start_line, ref.end_line - whole.start_line
        if whole == ref:
            return lines
        if same and 0 <= first <= last < len(lines):
            return lines[first : last + 1]
    return []


def _shortened(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"     … {len(lines) - most + 1} more changed lines"]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def review_text(
    document: ReviewDocument,
    *,
    questions: Mapping[str, Question],
    bundles: Mapping[str, Bundle],
    hunks: Mapping[str, Hunk],
    states: Mapping[str, str],
    width: int = 110,
    color: bool = False,
    details: bool = False,
) -> str:
    """The whole review. ``states`` gives a card's state by id where it is not hidden. Questions that found nothing are
    counted by code, but those that want a person's word; with ``details`` each is told. Ends with a newline."""
    page = _Page(width, color)
    blocks = []
    for card in document.outcomes.cards:
        hunk = hunks[questions[card.question_id].hunk_id]
        state = states.get(card.card_id, "hidden")
        blocks.append("\n".join(_card_lines(card, bundles[card.question_id], hunk, state, page)))
    ends = _not_found(document, questions, page, details), _unfinished(document, questions, page)
    blocks += [text for text in ends if text]
    blocks.append(account_text(document, hunks.values()))
    return "\n\n".join(blocks) + "\n"


def _not_found(document: ReviewDocument, questions: Mapping[str, Question], page: _Page, details: bool) -> str:
    groups: dict[tuple[str, str, str], list[NoFinding]] = {}
    counted_only: Counter[str] = Counter()
    for finding in document.outcomes.no_findings:
        if details or finding.code is NoFindingCode.NEEDS_HUMAN_CONTEXT:
            groups.setdefault((finding.code, finding.change_kind, finding.rule), []).append(finding)
        else:
            counted_only[finding.code] += 1
    lines = [line for group in groups.values() for line in _no_finding_lines(group, page)]
    lines += _counts(counted_only, document.run.review_id, page)
    rejected = Counter(_rejected(one, questions) for one in document.outcomes.rejections)
    lines += [f"○ rejected{_times(number)} · {said}" for said, number in rejected.items()]
    for suppressed in document.outcomes.suppressed:
        card, anchor = suppressed.card, suppressed.card.diff_anchor
        place = f"{terminal(anchor.path)}:{anchor.start_line}"
        lines.append(page.paint(f"○ suppressed · {card.severity} · {card.change_kind} · {place}", "dim"))
        lines += page.wrap("", card.claim)
        lines += page.wrap("why", suppressed.detail)
    return "\n".join(lines)


def _counts(codes: Counter[str], review_id: str, page: _Page) -> list[str]:
    """How many questions found nothing, by the code that says why, and where each is told."""
    if not codes:
        return []
    said = ", ".join(f"{number} {code}" for code, number in codes.most_common())
    where = f"`review-agent explain {review_id[:12]}` has each with its reason, `review-agent review --details` too"
    return [page.paint(f"○ no finding{_times(codes.total())} · {said}", "dim"), *page.wrap("", where)]


def _no_finding_lines(group: Sequence[NoFinding], page: _Page) -> Iterable[str]:
    """What was asked and what was found instead; of many with one rule and code the first stands for all."""
    first = group[0]
    yield page.paint(f"○ no finding{_times(len(group))} · {first.code} · {first.change_kind} · {first.rule}", "dim")
    for finding in group if len(group) <= _SHARED else group[:1]:
        yield from page.wrap("", f"{finding.path}:{finding.line}: {finding.detail}")
    if len(group) > _SHARED:
        yield from page.wrap("", f"and {len(group) - 1} more of the kind: `review-agent explain` has each")


def _rejected(rejection: Rejection, questions: Mapping[str, Question]) -> str:
    """Which question's draft was rejected, and by which codes, each named once."""
    codes = ", ".join(dict.fromkeys(reason.code for reason in rejection.reasons))
    return f"{_asked(rejection.question_id, questions) or rejection.change_kind}: {codes}"


def _asked(question_id: str, questions: Mapping[str, Question]) -> str:
    """Kind, rule and place of a question; empty where it is not at hand."""
    one = questions.get(question_id)
    return terminal(f"{one.kind} · {one.rule} · {one.path}:{one.anchor.start_line}") if one else ""


def _unfinished(document: ReviewDocument, questions: Mapping[str, Question], page: _Page) -> str:
    """What has no answer and what failed; what is the same of several places is said once, with the places below."""
    found: dict[str, list[str]] = {}
    for item in document.outcomes.unanswered:
        said = f"{item.cause}: {terminal(item.detail)}" if item.detail else str(item.cause)
        found.setdefault(f"unanswered\0{said}", []).append(_asked(item.question_id, questions) or item.question_id)
    for failed in document.coverage.failed:
        found.setdefault(f"failed\0{terminal(failed.detail)}", []).append(terminal(failed.path))
    for failure in document.coverage.failures:
        said = f"{failure.what} {terminal(failure.name)}: {terminal(failure.detail)}"
        found.setdefault(f"failed\0{said}", []).append(terminal(failure.path))
    return "\n".join(line for key, places in found.items() for line in _unfinished_lines(key, places, page))


def _unfinished_lines(key: str, places: Sequence[str], page: _Page) -> Iterable[str]:
    word, said = key.split("\0", 1)
    known = [place for place in dict.fromkeys(places) if place]
    if len(places) == 1:
        yield page.paint(" · ".join([f"! {word}", *known, said]), "important")
        return
    yield page.paint(f"! {word}{_times(len(places))} · {said}", "important")
    yield from (f"    {place}" for place in known[:_PLACES])
    if len(known) > _PLACES:
        yield f"    and {len(known) - _PLACES} more: `review-agent explain` has each"


def _times(number: int) -> str:
    return f" × {number}" if number > 1 else ""
