"""What was reviewed and what was not, in the last lines of every text output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.vocabulary import Coverage, Hunk, ReviewDocument, RunStatus, SkipRule, UnansweredCause, only_rules

__all__ = ["account_text", "next_step", "reviewed_text"]

_BUDGETS = frozenset({UnansweredCause.TOKENS_SPENT, UnansweredCause.MONEY_SPENT})
_NAMES = 4  # so many files are named; more are counted


def account_text(document: ReviewDocument, hunks: Iterable[Hunk]) -> str:
    """Files and hunks reviewed and skipped by rule, how the questions ended, and what it took."""
    coverage = document.coverage
    if document.run.status is RunStatus.WAITING:
        return f"this run waits for answers: it is no review yet · {_took(document)}"
    files, parts = _skips(document, tuple(hunks))
    lines = [f"{reviewed_text(coverage, files, parts)} · {_ends(document)} · {_took(document)}"]
    if not document.spend.questions and coverage.files_examined:
        lines.append(_unquestioned(coverage))
    if coverage.line_facts_only:
        lines.append(f"read by lines only, without a parse: {_some(coverage.line_facts_only)}")
    if document.run.status is not RunStatus.COMPLETE:
        lines.append(f"this run is {document.run.status.upper()}: it is not a clean review")
        lines.append(f"  next   {next_step(document)}")
    return "\n".join(lines)


def _unquestioned(coverage: Coverage) -> str:
    """Why nothing was asked: because nothing applies, or because the model could not be asked what does."""
    unheard = sum(one.what == "compile" for one in coverage.failures)
    if unheard:
        parts = counted(unheard, "part of the change", "parts of the change")
        return (
            f"no question was asked: the rules have none, and the model gave no answer when asked for its own ({parts})"
        )
    return "no question applied: nothing in this change is of a kind that is asked about (`preview` says more)"


def next_step(document: ReviewDocument) -> str:
    """What to do about a run that is not complete."""
    if document.run.status is RunStatus.INTERRUPTED:
        return "run the same command again: it goes on where it stopped"
    causes = {one.cause for one in document.outcomes.unanswered}
    if UnansweredCause.NOT_RECORDED in causes:
        return "play the run logs that hold these answers, or ask an engine for them"
    if not causes and all(one.what != "compile" for one in document.coverage.failures):
        return "`review-agent explain latest` shows what failed and where; the other files were reviewed"
    refused = [one.detail for one in document.coverage.failures if one.what == "compile"]
    if causes <= _BUDGETS and all(detail.startswith(tuple(_BUDGETS)) for detail in refused):
        return "run the same command again: it asks for the rest with a new budget, which `budget` in engine.yml sets"
    if "+batch:" in document.run.engine:
        return "mend the answers and give them to the same command: only what has no answer is asked again"
    again = "run the same command again: only what has no answer is asked again"
    return f"{again}; `review-agent doctor` with its engine options tells whether the model answers"


def reviewed_text(coverage: Coverage, files: Sequence[str] = (), hunks: Sequence[str] = ()) -> str:
    """How much of the change was examined, what failed, and in words what was skipped of files and hunks."""
    of_files = counted(coverage.files, "file") + _told(files, coverage.files_failed)
    return (
        f"reviewed {coverage.files_examined} of {of_files}, "
        f"{coverage.hunks_examined} of {counted(coverage.hunks, 'hunk')}{_told(hunks, coverage.hunks_failed)}"
    )


def _skips(document: ReviewDocument, hunks: Sequence[Hunk]) -> tuple[list[str], list[str]]:
    """Files that were skipped whole, and the hunks skipped of files that were not, both in words."""
    skipped = [skip for skip in document.outcomes.skipped if skip.question_id is None]
    rules = {skip.path: skip.rule for skip in skipped if skip.hunk_id is None}
    of_hunk = {skip.hunk_id: skip.rule for skip in skipped if skip.hunk_id is not None}
    left = {hunk.path for hunk in hunks if hunk.hunk_id not in of_hunk}
    for skip in skipped:
        if skip.hunk_id is not None and skip.path not in left:
            rules.setdefault(skip.path, skip.rule)
    parts = Counter(of_hunk[hunk.hunk_id] for hunk in hunks if hunk.hunk_id in of_hunk and hunk.path in left)
    whole = [f"{terminal(path.rsplit('/', 1)[-1])} {rule}" for path, rule in rules.items()]
    if len(whole) > _NAMES:
        whole = [f"{number} {rule}" for rule, number in sorted(Counter(rules.values()).items())]
    told = [f"{number} {rule}" for rule, number in sorted(parts.items())]
    with_files = document.coverage.hunks_skipped - sum(parts.values())
    return whole, [*told, f"{with_files} in skipped files"] if with_files else told


def _told(skips: Sequence[str], failed: int) -> str:
    parts = [f"{failed} failed"] if failed else []
    parts += [f"skipped: {', '.join(skips)}"] if skips else []
    return f" ({'; '.join(parts)})" if parts else ""


def _ends(document: ReviewDocument) -> str:
    outcomes = document.outcomes
    ends = [counted(len(outcomes.cards), "card"), counted(len(outcomes.no_findings), "no finding")]
    ends += [counted(len(outcomes.rejections), "rejection")] if outcomes.rejections else []
    ends += [f"{len(outcomes.unanswered)} unanswered"] if outcomes.unanswered else []
    ends += [f"{len(outcomes.suppressed)} suppressed"] if outcomes.suppressed else []
    dropped = Counter(skip.rule for skip in outcomes.skipped if skip.question_id is not None)
    unread = dropped.pop(SkipRule.PART_CAP, 0)
    ends += [f"{counted(number, 'question')} not asked ({rule})" for rule, number in sorted(dropped.items())]
    parts = counted(unread, "part of the change", "parts of the change")
    ends += [f"no model read {parts} ({SkipRule.PART_CAP})"] if unread else []
    return ", ".join(ends)


def _took(document: ReviewDocument) -> str:
    spend = document.spend
    took = f"{counted(spend.queries, 'query', 'queries')}, {counted(spend.lines_read, 'line')} read"
    tokens = (spend.prompt_tokens, spend.completion_tokens)
    if tokens == (None, None):
        unknown = bool(spend.requests) and not only_rules(document.run.engine)
        return f"{took}, tokens and cost unknown" if unknown else took
    inward, outward = ("unknown" if number is None else f"{number:,}" for number in tokens)
    cost = "cost unknown" if spend.cost_usd is None else f"${spend.cost_usd:.4f}"
    return f"{took}, {inward} tokens in and {outward} out, {cost}"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _NAMES} more" if len(paths) > _NAMES else ""
    return ", ".join(map(terminal, paths[:_NAMES])) + more
