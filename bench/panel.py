"""How long a click in the panel takes on the server, on a large ledger.

    python bench/panel.py [--cards 100000] [--runs 2000] [--decisions 10000] [--state DIR] [--output bench/results]

Runs the panel's own script, by Streamlit's AppTest, over the ledger that bench/ledger.py makes. A click is one whole
rendering: address read, lock taken, DuckDB opened, queue and card read, page built and serialized.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dated
import ledger as large
from streamlit.testing.v1 import AppTest

from dashboard.context import Panel, hand_over
from review_agent import adjudication
from review_agent.ledger.queue import QueueFilter
from review_agent.ledger.store import Ledger
from review_agent.policy.folder import read
from review_agent.policy.load import load_folder
from review_agent.vocabulary import Act

APP = Path(__file__).resolve().parents[1] / "dashboard/app.py"
MOST_CLICK_SECONDS = 0.3

Click = tuple[float, float, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--state", type=Path, help="a folder to make the repository in, or one made before")
    parser.add_argument("--output", type=dated.folder)
    options = parser.parse_args()
    with large._folder(options.state) as repo:
        if not (repo / ".review-agent").exists():
            large.make(repo, options.cards, options.runs, options.decisions)
        lines = list(report(repo, options.repeat))
    dated.keep(options.output, "panel", "\n".join(lines) + "\n")


def report(repo: Path, repeat: int) -> Iterator[str]:
    """The lines of the result, printed as they come."""
    state = repo / ".review-agent"
    found = Ledger(state).queue(QueueFilter())
    folder = read()
    policy = load_folder(folder)
    hand_over(Panel(state, "bench", "Rita Reviewer", lambda: (policy, folder)))
    yield said(f"# The panel on {found.total:,} open cards, {datetime.now(UTC):%Y-%m-%d}")
    yield said("")
    yield said(
        f"`python bench/panel.py`, {repeat} times each; milliseconds of server time, "
        f"at most {MOST_CLICK_SECONDS * 1000:.0f} wanted. *Processor* is the time of all threads: what a click costs "
        f"where nothing else runs. Load of the machine meanwhile: {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores."
    )
    yield said("")
    yield said("| click | median | slowest | processor | sent kB |")
    yield said("|---|---:|---:|---:|---:|")
    ids = [row.card["cardId"] for row in found.rows]
    last = str(found.total // 50)
    app = AppTest.from_file(str(APP), default_timeout=120)
    for name, addresses in {
        "the queue opened": [{}] * repeat,
        "next card": [{"card": ids[n % len(ids)]} for n in range(repeat)],
        "next page": [{"page": str(n + 1)} for n in range(repeat)],
        "the last page": [{"page": last}] * repeat,
        "severity": [{"severity": one} for one in ("blocking", "important", "suggestion") * repeat][:repeat],
        "kind and age": [{"kind": "cache_key", "age": "30"}] * repeat,
        "words": [{"text": f"module{n}"} for n in range(repeat)],
        "decided": [{"state": "decided"}] * repeat,
    }.items():
        yield said(row(name, [clicked(app, address) for address in addresses]))
    yield said(row("a card decided, and the next", [decided(app, state, policy, one) for one in ids[:repeat]]))


def said(line: str) -> str:
    print(line, flush=True)
    return line


def clicked(app: AppTest, address: dict[str, str]) -> Click:
    """Seconds of one rendering, of the clock and of the processor, and the bytes that it sends to the browser."""
    app.query_params.clear()
    app.query_params.update(address)
    start, used = time.perf_counter(), time.process_time()
    app.run()
    took, used = time.perf_counter() - start, time.process_time() - used
    assert not app.exception
    return took, used, size(app)


def size(app: AppTest) -> int:
    trees = [one.proto for one in app.main if one.type == "bidi_component"]
    return sum(len(one.SerializeToString()) for one in trees if hasattr(one, "SerializeToString"))


def decided(app: AppTest, state: Path, policy: object, card: str) -> Click:
    start, begun = time.perf_counter(), time.process_time()
    adjudication.decide(
        state,
        card,
        Act.ACCEPT,
        reason_code=None,
        comment=None,
        reviewer="Rita Reviewer",
        policy_reason_codes=policy.reason_codes,
        mask=policy.masker(),
    )
    took, used = time.perf_counter() - start, time.process_time() - begun
    rendered, processor, sent = clicked(app, {})
    return took + rendered, used + processor, sent


def row(name: str, found: list[Click]) -> str:
    took, used, sent = (sorted(column) for column in zip(*found, strict=True))
    wall, processor = statistics.median(took) * 1000, statistics.median(used) * 1000
    return f"| {name} | {wall:.0f} | {took[-1] * 1000:.0f} | {processor:.0f} | {statistics.median(sent) / 1000:.0f} |"


if __name__ == "__main__":
    main()
