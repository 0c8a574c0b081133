"""A review as counts, for a CI job's log and summary page: how much was looked at, how it ended, what it cost.

No word of a card stands here: while the stage is hidden, people who decide see cards, and nobody else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import takewhile
from typing import TypeVar

from review_agent.counting import counted
from review_agent.publish.account import reviewed_text
from review_agent.publish.safe import code_span, markdown, terminal_lines
from review_agent.publish.stage import shows_cards
from review_agent.vocabulary import (
    SCHEMA_VERSION,
    CheckSummary,
    Coverage,
    Failure,
    NoFindingCode,
    ReviewDocument,
    RunStatus,
    Severity,
    SkipRule,
    Spend,
    only_rules,
)

__all__ = ["summary_markdown", "summary_of", "summary_text"]

Word = TypeVar("Word", bound=StrEnum)
_FOREIGN = frozenset({"failed", "compared", "policy"})  # rows that quote a path, a ref or a message
_CODE = re.compile(r"[a-z_]+")
_NEXT = {
    RunStatus.INCOMPLETE: "`review-agent explain RECORD` says what failed and why; then run the job again.",
    RunStatus.WAITING: "Its open requests lie beside the record's run, `review-agent ledger doctor` says where: answer "
    "them, and give the file with --answers.",
    RunStatus.INTERRUPTED: "Run the job again: it goes on where it stopped, if .review-agent/ was kept.",
}
_NAMED = 5  # so many failed files are named; more are counted


def summary_of(
    document: ReviewDocument, started: Mapping[str, str], *, stage: str, source: str, artifact: str, gate: str
) -> CheckSummary:
    """The counts of a review; ``started`` is its run log's first event."""
    outcomes = document.outcomes
    return CheckSummary(
        schema_version=SCHEMA_VERSION,
        stage=stage,
        source=source,
        pr=started.get("pr"),
        chosen=started["chosen"],
        policy_source=started["policySource"],
        run=document.run,
        coverage=document.coverage if shows_cards(stage) else _without_words(document.coverage),
        cards=_counts(Severity, (card.severity for card in outcomes.cards)),
        no_findings=_counts(NoFindingCode, (one.code for one in outcomes.no_findings)),
        rejections=len(outcomes.rejections),
        unanswered=len(outcomes.unanswered),
        suppressed=len(outcomes.suppressed),
        skipped=_counts(SkipRule, (one.rule for one in outcomes.skipped)),
        spend=document.spend,
        artifact=artifact,
        gate=gate or None,
    )


def _without_words(coverage: Coverage) -> Coverage:
    """What failed, told without the words of a model or a question: those are for people who decide."""
    told = {"compile": _code_alone, "search": _unnamed}
    kept = tuple(told[one.what](one) if one.what in told else one for one in coverage.failures)
    return coverage.model_copy(update={"failures": kept})


def _code_alone(failure: Failure) -> Failure:
    """The error's name, which stands before what a model or its server wrote."""
    codes = takewhile(_CODE.fullmatch, failure.detail.split(": "))
    return failure.model_copy(update={"detail": ": ".join(codes) or "the record says why"})


def _unnamed(failure: Failure) -> Failure:
    return failure.model_copy(update={"name": "for a question", "detail": "the record says which, and why"})


def _counts(words: type[Word], found: Iterable[Word]) -> dict[Word, int]:
    tally = Counter(found)
    return {word: tally[word] for word in words if tally[word]}


def summary_text(summary: CheckSummary) -> str:
    """The summary for a terminal or a job's log, with its last newline."""
    rows = [("review", _headline(summary)), *_rows(summary), ("record", summary.artifact)]
    lines = [f"{name:<12} {value}" for name, value in rows]
    return terminal_lines("\n".join([*lines, _closing(summary)])) + "\n"


def summary_markdown(summary: CheckSummary) -> str:
    """The summary for a page that renders Markdown, with its last newline."""
    rows = [f"| {name} | {markdown(value) if name in _FOREIGN else value} |" for name, value in _rows(summary)]
    record = f"| record | {code_span(summary.artifact)} |"
    head = f"## review-agent: {_headline(summary)}"
    return "\n".join([head, "", "| what | how much |", "|---|---|", *rows, record, "", _closing(summary), ""])


def _headline(summary: CheckSummary) -> str:
    number = sum(summary.cards.values())
    return f"{summary.run.status}, {counted(number, 'card')}" + (f", pull request {summary.pr}" if summary.pr else "")


def _rows(summary: CheckSummary) -> list[tuple[str, str]]:
    coverage = summary.coverage
    rows = [
        ("cards", _tally(summary.cards)),
        ("no findings", _tally(summary.no_findings)),
        ("rejections", str(summary.rejections)),
        ("unanswered", str(summary.unanswered)),
        ("suppressed", str(summary.suppressed)),
        ("skipped", _tally(summary.skipped)),
        ("coverage", reviewed_text(coverage)),
    ]
    if coverage.line_facts_only:
        rows.append(("by lines", f"{counted(len(coverage.line_facts_only), 'file')} read without a parse"))
    failed = [f"{one.path}: {one.detail}" for one in coverage.failed]
    failed += [f"{one.what} {one.name}: {one.detail}" for one in coverage.failures]
    more = [f"and {len(failed) - _NAMED} more"] if len(failed) > _NAMED else []
    rows += [("failed", text) for text in (*failed[:_NAMED], *more)]
    rows += [
        ("spend", _spend(summary.spend, summary.run.engine)),
        ("compared", f"{summary.chosen} (from {summary.source})"),
        ("policy", f"{summary.run.policy_hash[:12]}, {summary.policy_source}"),
        ("engine", f"{summary.run.engine}, review {summary.run.review_id[:12]}"),
    ]
    return rows + ([("gate", summary.gate.removeprefix("gate "))] if summary.gate else [])


def _tally(counts: Mapping[Word, int]) -> str:
    """The whole and, in words, its parts: ``3 (1 blocking, 2 important)``."""
    parts = ", ".join(f"{number} {word}" for word, number in counts.items())
    return f"{sum(counts.values())}" + (f" ({parts})" if parts else "")


def _spend(spend: Spend, engine: str) -> str:
    took = (
        f"{counted(spend.questions, 'question')}, {counted(spend.queries, 'query', 'queries')}, "
        f"{counted(spend.files_read, 'file')} and {counted(spend.lines_read, 'line')} read"
    )
    if only_rules(engine):
        return f"{took}; no model was asked"
    tokens = [spend.prompt_tokens, spend.completion_tokens]
    told = "unknown" if None in tokens else f"{tokens[0]} in, {tokens[1]} out"
    cost = "unknown" if spend.cost_usd is None else f"{spend.cost_usd:.4f} USD"
    return f"{took}, {counted(spend.requests, 'request')}; tokens {told}; cost {cost}"


def _closing(summary: CheckSummary) -> str:
    ends = []
    if summary.run.status is not RunStatus.COMPLETE:
        ends.append(f"This run is {summary.run.status}: it is not a clean review. {_NEXT[summary.run.status]}")
    if summary.cards and not shows_cards(summary.stage):
        ends.append(
            f"What the cards say is not shown at the stage {summary.stage}: take the record into a clone with "
            "`review-agent ledger ingest`, then `review-agent cards list`."
        )
    return " ".join(ends) or "Nothing in it waits for a decision."
