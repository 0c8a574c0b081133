"""``review-agent metrics``: how good the reviews of this repository are, as far as it is known."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from review_agent.commands._common import Output, Repo
from review_agent.commands._when import HELP as WHEN
from review_agent.commands._when import moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from review_agent.metrics import Metrics
    from review_agent.rates import Rate

__all__ = ["register"]

_WIDTH = 30


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def register(app: typer.Typer) -> None:
    app.command("metrics")(metrics)


def metrics(
    since: Annotated[
        str | None,
        typer.Option("--since", help=f"Decisions, runs, samples and replays from then on: {WHEN}.", metavar="WHEN"),
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="text, or the figures as JSON.")] = Format.TEXT,
    output: Output = None,
    repo: Repo = Path(),
) -> None:
    """Tell how many cards people accepted, what evidence was had, what replays found, what was silenced wrongly.

    Undecided cards are in no rate; shares come with Wilson's 95% interval; what is unknown is said to be unknown.
    docs/metrics.md defines every figure. Exit: 0.
    """
    from review_agent.commands._common import emit, say, state_dir
    from review_agent.git import Git
    from review_agent.ledger.store import Ledger
    from review_agent.metrics import measured
    from review_agent.publish.safe import json_text

    ledger = Ledger(state_dir(Git(repo)))
    found = measured(ledger, moment(since, "--since"))
    for text in ledger.notices:
        say(text)
    if format is Format.JSON:
        emit(json_text(found.wire(), sort_keys=False), output)
    else:
        emit("".join(f"{line}\n" for line in _lines(found)), output)


def _lines(found: Metrics) -> Iterator[str]:
    from review_agent.publish.safe import terminal

    for name, said in _figures(found):
        yield terminal(f"{name:{_WIDTH}}{said}").rstrip()


def _figures(found: Metrics) -> Iterator[tuple[str, str]]:
    since = f" since {found.since}" if found.since else ""
    yield "runs", f"{found.runs}{since}, {found.incomplete_runs} of them incomplete"
    yield "cards accepted", f"{share(found.accepted)}, {found.undecided} undecided"
    for one in found.acceptance:
        yield f"  {one.severity}", f"{share(one.accepted)}, {one.undecided} undecided"
    yield "evidence complete", f"{share(found.evidence)} of the questions with searches"
    yield "scope inflation", f"{share(found.scope_inflation)} of the judged cards are not about the change"
    yield from _recall(found)
    yield "rejected, by layer", "none" if not found.reasons else ""
    for layer in found.reasons:
        codes = ", ".join(f"{code} {count}" for code, count in sorted(layer.codes.items()))
        yield f"  {layer.layer}", f"{layer.rejections}: {codes}"
    yield "silenced wrongly (audit)", ""
    for audited in found.audit:
        estimate = "unknown" if audited.estimate is None else f"about {audited.estimate:g}"
        drawn = f"{audited.drawn} drawn of {audited.silenced}, in all {estimate}"
        yield f"  {audited.source}", f"{share(audited.wrongly)}, {drawn}"
    yield "time to decide", _seconds(found)
    yield "cost", _cost(found)


def _recall(found: Metrics) -> Iterator[tuple[str, str]]:
    if found.recall is None:
        yield "controlled recall", "unknown: no replay is recorded here"
        return
    recall = found.recall
    yield "controlled recall", f"{share(recall.found)} of the defects ({recall.at[:10]}, {recall.engine})"
    yield "controlled silence", f"{share(recall.silent)} of the clean halves"
    if recall.misses_by_layer:
        yield "  missed in", ", ".join(f"{layer} {count}" for layer, count in recall.misses_by_layer.items())


def share(rate: Rate) -> str:
    """A share in words, with its interval; unknown where it is one of nothing."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return "unknown (none yet)"
    return f"{rate.hits} of {rate.of}: {rate.rate:.0%} ({rate.low:.0%} to {rate.high:.0%})"


def _seconds(found: Metrics) -> str:
    if found.seconds_to_decide is None:
        return "unknown: no decision says how long it took"
    return f"{found.seconds_to_decide:.0f} s, the median of {found.timed_decisions}"


def _cost(found: Metrics) -> str:
    cost = found.cost
    if cost.usd is None:
        return "unknown: no run asked a model that told one"
    return f"${cost.usd:.2f}" + (f", and {cost.unknown_runs} runs of unknown cost" if cost.unknown_runs else "")
