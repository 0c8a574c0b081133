"""A replay as JUnit XML: a test case a half; a miss or a false alarm is a failure, a half that broke an error."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from review_agent.publish.safe import terminal_lines
from review_agent.replay.report import Entry, ReplayReport

__all__ = ["junit_text"]


def junit_text(report: ReplayReport) -> str:
    """One suite a language (or project); verdicts are properties, so that nothing is lost on the way."""
    groups: dict[str, list[Entry]] = {}
    for entry in report.entries:
        groups.setdefault(entry.language or entry.project or "all", []).append(entry)
    suites = "".join(_suite(name, entries) for name, entries in sorted(groups.items()))
    counts = _counts(report.entries)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="replay"{counts}>\n{suites}</testsuites>\n'


def _counts(entries: Sequence[Entry]) -> str:
    failures = sum(entry.result.verdict in ("missed", "other_kind", "alarmed") for entry in entries)
    errors = sum(entry.result.verdict == "failed" for entry in entries)
    skipped = sum(entry.result.verdict == "unjudged" for entry in entries)
    seconds = sum(entry.result.seconds for entry in entries)
    return f' tests="{len(entries)}" failures="{failures}" errors="{errors}" skipped="{skipped}" time="{seconds:.3f}"'


def _suite(name: str, entries: Sequence[Entry]) -> str:
    cases = "".join(_case(entry) for entry in entries)
    return f" <testsuite name={_attribute(name)}{_counts(entries)}>\n{cases} </testsuite>\n"


def _case(entry: Entry) -> str:
    result = entry.result
    head = f"  <testcase classname={_attribute(entry.kind or entry.half)} name={_attribute(result.unit)}"
    inside = _inside(entry)
    return f'{head} time="{result.seconds:.3f}"' + (f">\n{inside}  </testcase>\n" if inside else "/>\n")


def _inside(entry: Entry) -> str:
    result = entry.result
    if result.verdict == "failed":
        return f"   <error message={_attribute(result.reason)}/>\n"
    if result.verdict == "unjudged":
        return f"   <skipped message={_attribute(f'nothing expected; cards: {len(result.cards)}')}/>\n"
    if result.verdict in ("missed", "other_kind"):
        miss = result.miss
        said = f"{result.verdict}: {miss.layer}: {miss.why}" if miss is not None else result.verdict
        return _failure(result.verdict, said, result.run_log)
    if result.verdict == "alarmed":
        cards = "\n".join(f"{card.rule} at {card.anchor.text()}: {card.claim}" for card in result.cards)
        return _failure("alarmed", f"{len(result.cards)} false alarms", f"{cards}\n{result.run_log}")
    return ""


def _failure(sort: str, message: str, text: str) -> str:
    body = escape(terminal_lines(text))
    return f"   <failure type={_attribute(sort)} message={_attribute(message)}>{body}</failure>\n"


def _attribute(text: str) -> str:
    return quoteattr(terminal_lines(text))
