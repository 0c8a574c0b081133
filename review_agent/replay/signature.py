"""The outcomes of a review in the few stable words that a baseline keeps, one entry a question or skipped file."""

from __future__ import annotations

from collections import Counter, defaultdict

from review_agent.replay.judging import place_of
from review_agent.replay.records import Outcome
from review_agent.vocabulary import Question, ReviewDocument, SkipRule, digest

__all__ = ["signature"]


def signature(document: ReviewDocument, questions: tuple[Question, ...]) -> tuple[Outcome, ...]:
    """Sorted: the same review gives the same entries, whatever ids its commits and questions have."""
    ends: dict[str, list[str]] = defaultdict(list)
    keys = {question.question_id: _key(question) for question in questions}
    outcomes = document.outcomes
    for card in outcomes.cards:
        claim = digest(card.claim)[:12]
        ends[keys[card.question_id]].append(f"card {card.change_kind} {place_of(card.diff_anchor).text()} {claim}")
    for finding in outcomes.no_findings:
        ends[keys[finding.question_id]].append(f"no_finding {finding.code}")
    for rejection in outcomes.rejections:
        codes = ",".join(sorted(reason.code for reason in rejection.reasons))
        ends[keys[rejection.question_id]].append(f"rejection {codes}")
    for unanswered in outcomes.unanswered:
        ends[keys[unanswered.question_id]].append(f"unanswered {unanswered.cause}")
    for failed in document.coverage.failed:
        ends[f"file {failed.path}"].append("failed")
    for failure in document.coverage.failures:
        ends[f"{failure.what} {failure.name} at {failure.path}"].append("failed")
    for key, skips in _skips(document).items():
        ends[key] += skips
    return tuple(Outcome(key=key, ends=tuple(sorted(said))) for key, said in sorted(ends.items()))


def _key(question: Question) -> str:
    return f"question {question.rule} {place_of(question.anchor).text()}"


def _skips(document: ReviewDocument) -> dict[str, list[str]]:
    """Files and hunks set aside, by path; questions and parts beyond a cap, by rule and path."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for skip in document.outcomes.skipped:
        if skip.rule is SkipRule.QUESTION_CAP:
            counts[f"question {skip.detail.split(',')[0]} capped in {skip.path}"][skip.rule] += 1
        elif skip.rule is SkipRule.PART_CAP:
            counts[f"a model's part that begins in {skip.path}"][skip.rule] += 1
        else:
            counts[f"file {skip.path}"][f"{skip.rule}{' hunk' if skip.hunk_id else ''}"] += 1
    return {key: [f"skipped {rule} ×{number}" for rule, number in sorted(of.items())] for key, of in counts.items()}
