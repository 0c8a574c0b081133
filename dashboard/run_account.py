"""The account of one run: coverage, outcomes, what was spent and refused, the timeline, the budget of each question."""

from __future__ import annotations

from dashboard.run_calls import calls
from dashboard.tables import figures, section, share, table
from dashboard.tree import Node, act, el, fold, prose
from dashboard.words import count, duration, label, moment, when
from review_agent.ledger.history import AttemptRow, RunDetail
from review_agent.ledger.store import RunRow
from review_agent.vocabulary import only_rules

__all__ = ["account", "status"]


def status(run: RunRow) -> str:
    """Its status; a run that is under way or was stopped has none."""
    return run.status or "not ended"


def account(detail: RunDetail) -> Node:
    run = detail.run
    return el(
        "div.page",
        el(
            "div.title",
            el(f"span.status.{status(run).replace(' ', '-')}", status(run)),
            el("h1", f"Run of {when(run.started_at)} UTC"),
            act("Cards of this run", {"do": "cards", "run": run.run_file}, keys="c"),
        ),
        _identity(detail),
        _meaning(run),
        _coverage(detail),
        _outcomes(detail),
        _spend(detail),
        calls(detail.calls),
        _trouble(detail),
        section("Timeline", [_attempt(one) for one in detail.timeline]),
        _budget(detail),
    )


def _meaning(run: RunRow) -> Node | None:
    if run.status == "complete":
        return None
    if run.status is None:
        return el(
            "p.warn", "This run has not ended: it is under way, or was stopped. The same command goes on with it."
        )
    if run.status == "waiting":
        return el(
            "p.warn",
            "This run waits for answers from outside: `review-agent review --continue RUN --answers FILE` goes on.",
        )
    return el(
        "p.warn",
        "Something was left unanswered or a file failed: what this run did not find may be there all the same.",
    )


def _identity(detail: RunDetail) -> Node:
    run = detail.run
    pairs = [
        ("change", f"{run.base[:12]} → {run.head[:12]} (merge base {run.merge_base[:12]})"),
        ("engine", f"{run.engine} · review-agent {detail.product}"),
        ("policy", f"{run.policy_hash[:12]} · {detail.policy_source}"),
        (
            "review",
            f"{run.review_id[:12]} · {count(run.attempts, 'attempt')} · took {duration(run.started_at, run.ended_at)}",
        ),
        ("log", run.run_file),
    ]
    return el(
        "table.pairs", el("tbody", [el("tr", el("th", name, scope="row"), el("td", value)) for name, value in pairs])
    )


def _coverage(detail: RunDetail) -> Node:
    got = detail.coverage
    if got is None:
        return section("Coverage", el("p.none", "Known when the run ends."))
    rows = []
    for name in ("files", "hunks"):
        whole = got[name]
        rows.append(
            el(
                "tr",
                el("td", name),
                el("td.n", f"{whole:,}"),
                el("td.n", f"{got[f'{name}Examined']:,}"),
                el("td.n", f"{got[f'{name}Skipped']:,}"),
                el("td.n", f"{got[f'{name}Failed']:,}"),
                el("td", share(got[f"{name}Examined"], whole)),
            )
        )
    by_lines = got["lineFactsOnly"]
    more = (
        fold(
            f"{count(len(by_lines), 'file')} read by lines only, without a parse",
            el("ul.paths", [el("li", path) for path in by_lines]),
        )
        if by_lines
        else None
    )
    return section(
        "Coverage", table(["", "in the change#", "examined#", "skipped#", "failed#", ""], rows, none=""), more
    )


def _outcomes(detail: RunDetail) -> Node:
    names = {
        "cards": "cards",
        "noFindings": "no findings",
        "rejections": "rejections",
        "unanswered": "unanswered",
        "suppressed": "suppressed",
        "skipped": "skipped",
    }
    return section("Outcomes", figures((said, f"{detail.outcomes[name]:,}", "") for name, said in names.items()))


def _spend(detail: RunDetail) -> Node:
    got = detail.spend
    if got is None:
        return section("Spent", el("p.none", "Known when the run ends."))
    told = [got["promptTokens"], got["completionTokens"]]
    tokens = None if told == [None, None] else " + ".join("unknown" if n is None else f"{n:,}" for n in told)
    no_model = only_rules(detail.run.engine)
    pairs = [
        ("questions", f"{got['questions']:,}", ""),
        ("queries", f"{got['queries']:,}", ""),
        ("candidate files", f"{got['candidateFiles']:,}", ""),
        ("files read", f"{got['filesRead']:,}", ""),
        ("lines read", f"{got['linesRead']:,}", ""),
        ("requests", f"{got['requests']:,}", ""),
        ("tokens in + out", "none used" if no_model and tokens is None else tokens, ""),
        (
            "cost",
            "no model"
            if no_model and got["costUsd"] is None
            else None
            if got["costUsd"] is None
            else f"${got['costUsd']:.4f}",
            "",
        ),
    ]
    return section("Spent", figures(pairs))


def _trouble(detail: RunDetail) -> Node:
    rows = [
        *(
            el("tr", el("td", "unanswered"), el("td", label(one["cause"])), el("td", prose(one["detail"])))
            for one in detail.unanswered
        ),
        *(
            el(
                "tr",
                el("td", f"search {one['status']}"),
                el("td", f"{label(one['query']['kind'])} {one['query']['name']}"),
                el("td", prose(one["note"])),
            )
            for one in detail.refusals
        ),
        *(
            el("tr", el("td", "file failed"), el("td", one["path"]), el("td", prose(one["detail"])))
            for one in detail.failed_files
        ),
        *(
            el(
                "tr",
                el("td", f"{one['what']} failed"),
                el("td", f"{one['name']} {one['path']}"),
                el("td", prose(one["detail"])),
            )
            for one in detail.failures
        ),
    ]
    return section(
        "Unanswered, refused and failed",
        table(["what", "of", "why"], rows, none="Nothing: every question was answered and every search was allowed."),
    )


def _attempt(one: AttemptRow) -> Node:
    """Its phases as bars over the time of the attempt."""
    start, last = moment(one.started_at), moment(one.last_at)
    whole = (last - start).total_seconds() if start and last else 0.0
    rows = []
    for phase in one.phases:
        begun, ended = moment(phase.started_at), moment(phase.ended_at or one.last_at)
        before = (begun - start).total_seconds() if begun and start else 0.0
        long = (ended - begun).total_seconds() if ended and begun else 0.0
        rows.append(
            el(
                "div.phase",
                el("span.what", phase.phase),
                el(
                    "span.track",
                    el("span.before", data_size=100 * before / whole if whole else 0),
                    el(f"span.long{'.cut' * (phase.ended_at is None)}", data_size=100 * long / whole if whole else 0),
                ),
                el("span.took", duration(phase.started_at, phase.ended_at) if phase.ended_at else "cut"),
                el("span.events", count(phase.events, "event")),
            )
        )
    return el(
        "div.attempt",
        el("p.none", f"attempt {one.attempt[:8]} · {when(one.started_at)} · {duration(one.started_at, one.last_at)}"),
        rows,
    )


def _budget(detail: RunDetail) -> Node:
    rows = []
    for one in detail.spent:
        left = one["leftOut"]
        spent = one["spent"]
        why = (
            fold(
                f"{len(left)} left out",
                el("ul.paths", [el("li", el("b", item["what"]), ": ", item["why"]) for item in left]),
            )
            if left
            else el("span.none", "nothing")
        )
        rows.append(
            el(
                "tr",
                el("td", el("div", label(one["rule"])), el("small", one["path"])),
                *(el("td.n", f"{spent[name]:,}") for name in ("queries", "candidateFiles", "filesRead", "linesRead")),
                el("td", why),
            )
        )
    whole = table(
        ["question", "queries#", "candidates#", "files read#", "lines read#", "left out, by budget or rule"],
        rows,
        none="No question was asked.",
    )
    return section("Budget by question", fold(count(len(rows), "question"), whole) if rows else whole)
