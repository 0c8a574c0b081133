"""The review as a person reads it in a terminal: cards first, then what was not found, then what was not looked at."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from review_agent.publish.safe import terminal
from review_agent.vocabulary import Bundle, Hunk, NoFinding, Question, ReviewDocument, ReviewEvidenceCard, SourceRef

__all__ = ["card_text", "review_text"]

_COLUMNS_FROM = 100  # narrower terminals get the evidence below the diff instead of beside it
_EVIDENCE_LINES = 8
_LINES_A_REF = 3
_DIFF_LINES = 8
_NOTHING = frozenset({"None", "nil", "null"})  # words that stand on too many lines to lead to one
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
    newline."""
    return "\n".join(
        _card_lines(
            ReviewEvidenceCard.model_validate(card),
            Bundle.model_validate(bundle),
            Hunk.model_validate(hunk),
            state,
            _Page(width, color),
        )
    )


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
    lines += [line for text in card.uncertainty for line in page.wrap("unsure", text)]
    if state == "hidden":
        choice = f"review-agent decide {card.card_id[:8]} accept | reject --reason CODE | needs-proof"
        lines += page.wrap("decide", choice)
    return lines


def _exhibits(card: ReviewEvidenceCard, bundle: Bundle, hunk: Hunk, page: _Page) -> list[str]:
    """The changed lines and the evidence, side by side where the page is wide enough."""
    diff = _diff_lines(card.diff_anchor, hunk)
    evidence = _evidence_lines(card, bundle)
    if page.width < _COLUMNS_FROM:
        return [page.paint(f"  {_cut(line, page.width - 2)}", line[5:6]) for line in diff] + [
            f"  │ {_cut(line, page.width - 4)}" for line in evidence
        ]
    half = (page.width - 5) // 2
    rows = []
    for n in range(max(len(diff), len(evidence))):
        left = _cut(diff[n], half) if n < len(diff) else ""
        right = _cut(evidence[n], page.width - half - 5) if n < len(evidence) else ""
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
    texts = {evidence.ref: evidence.text.split("\n") for evidence in bundle.evidence}
    names = [name for name in re.findall(r"`([^`]+)`", card.claim) if "/" not in name and name not in _NOTHING]
    room = max(0, _EVIDENCE_LINES - len(card.supporting_refs))
    lines = []
    for ref in card.supporting_refs:
        text = texts.get(ref, [])
        further = [n for n in range(1, len(text)) if text[n].strip()]
        further = [n for n in further if any(name in text[n] for name in names)] or further
        shown = [0, *sorted(further[: min(room, _LINES_A_REF - 1)])] if text else []
        room -= max(0, len(shown) - 1)
        name = ref.path.rsplit("/", 1)[-1]
        lines += [f"{terminal(name)}:{ref.start_line + n}  {terminal(text[n].strip())}" for n in shown]
    return lines


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
) -> str:
    """The whole review. ``states`` gives a card's state by id where it is not hidden. Ends with a newline."""
    page = _Page(width, color)
    blocks = []
    for card in document.outcomes.cards:
        hunk = hunks[questions[card.question_id].hunk_id]
        state = states.get(card.card_id, "hidden")
        blocks.append("\n".join(_card_lines(card, bundles[card.question_id], hunk, state, page)))
    blocks += [text for text in (_not_found(document, page), _unfinished(document, page)) if text]
    blocks.append(_account(document))
    return "\n\n".join(blocks) + "\n"


def _not_found(document: ReviewDocument, page: _Page) -> str:
    groups: dict[tuple[str, str, str], list[NoFinding]] = {}
    for finding in document.outcomes.no_findings:
        groups.setdefault((finding.code, finding.change_kind, finding.rule), []).append(finding)
    lines = [line for group in groups.values() for line in _no_finding_lines(group, page)]
    for rejection in document.outcomes.rejections:
        codes = ", ".join(reason.code for reason in rejection.reasons)
        lines.append(f"○ rejected · {rejection.change_kind} · {rejection.question_id}: {codes}")
    for suppressed in document.outcomes.suppressed:
        lines.append(f"○ suppressed · {suppressed.question_id}: {terminal(suppressed.detail)}")
    return "\n".join(lines)


def _no_finding_lines(group: Sequence[NoFinding], page: _Page) -> Iterable[str]:
    """A heading and what was found instead; many of one rule and code share both, as `explain` has each."""
    first = group[0]
    places = ", ".join(f"{terminal(finding.path)}:{finding.line}" for finding in group[:_SHARED])
    more = f" and {len(group) - _SHARED} more" if len(group) > _SHARED else ""
    heading = f"○ no finding · {first.code} · {first.change_kind} · {first.rule} · {places}{more}"
    yield page.paint(_cut(heading, page.width), "dim")
    if len(group) <= _SHARED:
        for finding in group:
            yield from page.wrap("", finding.detail)


def _unfinished(document: ReviewDocument, page: _Page) -> str:
    lines = [
        f"! unanswered · {item.question_id} · {item.cause}: {terminal(item.detail)}"
        for item in document.outcomes.unanswered
    ]
    lines += [f"! failed · {terminal(item.path)}: {terminal(item.detail)}" for item in document.coverage.failed]
    return "\n".join(page.paint(line, "important") for line in lines)


def _account(document: ReviewDocument) -> str:
    """The two lines that say what was reviewed and what it took."""
    coverage, outcomes, spend = document.coverage, document.outcomes, document.spend
    files = f"reviewed {coverage.files_examined} of {coverage.files} files{_skips(document)}"
    hunks = f"{coverage.hunks_examined} of {coverage.hunks} hunks"
    ends = [
        _count(len(outcomes.cards), "card"),
        _count(len(outcomes.no_findings), "no finding"),
        *([_count(len(outcomes.rejections), "rejection")] if outcomes.rejections else []),
        *([f"{len(outcomes.unanswered)} unanswered"] if outcomes.unanswered else []),
        *([f"{len(outcomes.suppressed)} suppressed"] if outcomes.suppressed else []),
    ]
    took = f"{_count(spend.queries, 'query', 'queries')}, {_count(spend.lines_read, 'line')} read"
    notes = f"\nread by lines only, without a parse: {', '.join(map(terminal, coverage.line_facts_only))}"
    status = "" if document.run.status == "complete" else f"\nthis run is {document.run.status.upper()}"
    return f"{files}, {hunks} · {', '.join(ends)} · {took}{notes if coverage.line_facts_only else ''}{status}"


def _skips(document: ReviewDocument) -> str:
    """ " (3 skipped: labels.py cosmetic, uv.lock lock_file)", the names only while they are few."""
    whole = {skip.path: skip.rule for skip in document.outcomes.skipped if skip.question_id is None}
    if not document.coverage.files_skipped:
        return ""
    if len(whole) <= 4:
        names = [f"{terminal(path.rsplit('/', 1)[-1])} {rule}" for path, rule in whole.items()]
    else:
        names = [f"{number} {rule}" for rule, number in sorted(Counter(whole.values()).items())]
    return f" ({document.coverage.files_skipped} skipped: {', '.join(names)})"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
