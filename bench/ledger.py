"""How quickly a large ledger answers: pages of the queue, one card, ``cards list`` as a whole process.

    python bench/ledger.py [--cards 100000] [--runs 2000] [--decisions 10000] [--state DIR] [--output bench/results]

Makes a state folder with so many cards in so many run logs (kept where ``--state`` names a folder, and used again),
builds its ledger, and prints medians and the slowest of repeated calls. A click is one whole call: lock, DuckDB opened,
watermarks of every run log compared, the page, DuckDB closed. Processor time is of all threads, so on an idle machine a
call takes no longer than that; it is what can be compared where other programs run beside.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dated

from review_agent.appendlog import state_folder
from review_agent.ledger.queue import NOBODY, QueueFilter
from review_agent.ledger.store import Ledger
from review_agent.owners import Owners
from review_agent.runlog import run_file_name
from review_agent.vocabulary import ChangeKind, Confidence, Decision, Phase, Record, Severity

ROOT = Path(__file__).resolve().parents[1]
START = datetime(2026, 1, 1, tzinfo=UTC)
AREAS = ("billing", "search", "accounts", "shipping", "catalog", "gateway", "reports", "jobs")
MOST_LIST_SECONDS, MOST_CLICK_SECONDS, MOST_CARD_SECONDS = 1.0, 0.3, 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--state", type=Path, help="a folder to make the repository in, or one made before")
    parser.add_argument("--output", type=dated.folder)
    options = parser.parse_args()
    with _folder(options.state) as repo:
        if not (repo / ".review-agent").exists():
            make(repo, options.cards, options.runs, options.decisions)
        lines = list(report(repo, options.repeat))
    dated.keep(options.output, "ledger", "\n".join(lines) + "\n")


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="ledger-") as folder:
        yield Path(folder)


def make(repo: Path, cards: int, runs: int, decisions: int) -> None:
    """A repository with nothing but a state folder: run logs and a journal, the same ones each time."""
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    chance = random.Random(1)
    folder = state_folder(repo / ".review-agent") / "runs"
    folder.mkdir()
    template = _template()
    each = cards // runs
    written: list[dict[str, Any]] = []
    for number in range(runs):
        review = f"{number:064x}"[::-1]
        path = folder / run_file_name(review, START + timedelta(minutes=3 * number))
        path.write_bytes(b"".join(_run(template, review, each, number, chance, written)))
    chosen = chance.sample(range(len(written)), min(decisions, len(written)))
    acts = [_decision(written[place], n, chance) for n, place in enumerate(chosen)]
    (repo / ".review-agent" / "journal.jsonl").write_text("".join(acts), encoding="utf-8")


def _template() -> tuple[list[tuple[Phase, str, str]], list[tuple[Phase, str, str]]]:
    """The events of a run with one card: those that every question repeats, and those that a run has once."""
    sys.path[:0] = [str(ROOT / "tests")]
    from made_runs import events

    many, once = [], []
    for phase, kind, record in events("r", 1, "CLAIM"):
        data = record.wire() if isinstance(record, Record) else dict(record)
        repeated = kind in ("file", "edit", "question", "bundle", "request", "answer", "passed", "card")
        if repeated and "q1" in json.dumps(data) + data.get("path", "").replace("src/f1.py", "q1"):
            continue
        if kind == "bundle":
            for one in data["evidence"]:
                one["text"] = "".join(f"    quote(line_{n}, tenant, sku)  # of {{n}}\n" for n in range(12))
            data["evidence"] *= 2
        (many if repeated else once).append((phase, kind, json.dumps(data, separators=(",", ":"))))
    return many, once


def _run(
    template: tuple[list[tuple[Phase, str, str]], list[tuple[Phase, str, str]]],
    review: str,
    cards: int,
    number: int,
    chance: random.Random,
    written: list[dict[str, Any]],
) -> Iterator[bytes]:
    places = [_place(review, n, chance) for n in range(cards)]
    written.extend(places)
    seq, at = 0, (START + timedelta(minutes=3 * number)).isoformat(timespec="milliseconds")

    def line(phase: Phase | None, kind: str, data: str) -> bytes:
        nonlocal seq
        head = {"seq": seq, "at": at, "attempt": "attempt0", "phase": phase, "type": kind}
        seq += 1
        return f'{json.dumps(head, separators=(",", ":"))[:-1]},"data":{data}}}\n'.encode()

    identity = ("engine", "policyHash", "policySource", "product", "base", "head", "mergeBase", "chosen")
    yield line(
        None, "run_started", json.dumps({"reviewId": review, **dict.fromkeys(identity, "1" * 40), "options": {}})
    )
    yield line(None, "attempt_started", "{}")
    for phase in Phase:
        yield line(phase, "phase_started", "{}")
        for of, kind, text in template[0]:
            for n, place in enumerate(places if of is phase else ()):
                yield line(phase, kind, _filled(text, n, place))
        for of, kind, text in template[1]:
            if of is phase:
                yield line(phase, kind, text)
        yield line(phase, "phase_ended", "{}")


def _place(review: str, n: int, chance: random.Random) -> dict[str, Any]:
    area, module = chance.choice(AREAS), chance.randrange(400)
    kind = chance.choice(list(ChangeKind))
    return {
        "cardId": f"{chance.getrandbits(256):064x}",
        "cardVersion": f"{n:04x}{review[:60]}",
        "fingerprint": f"{chance.randrange(60_000):032x}",
        "path": f"src/{area}/part{module % 20}/module{module}.py",
        "kind": kind,
        "rule": f"{kind}_{chance.randrange(4)}",
        "severity": chance.choices(list(Severity), (1, 5, 3))[0],
        "confidence": chance.choice(list(Confidence)),
        "risk": chance.randrange(30, 100),
    }


def _filled(text: str, n: int, place: dict[str, Any]) -> str:
    for old, new in (
        ('"q0"', f'"q{n}"'),
        ('"h0"', f'"h{n}"'),
        ('"e0"', f'"e{n}"'),
        ('"r0"', f'"r{n}"'),
        ("src/f0.py", place["path"]),
        ('"cache_key"', f'"{place["kind"]}"'),
        ('"key_component_removed"', f'"{place["rule"]}"'),
        ('"severity":"important"', f'"severity":"{place["severity"]}"'),
        ('"confidence":"high"', f'"confidence":"{place["confidence"]}"'),
        ('"risk":70', f'"risk":{place["risk"]}'),
    ):
        text = text.replace(old, new)
    if '"kind":"card"' in text:
        data = json.loads(text)
        data.update({name: place[name] for name in ("cardId", "cardVersion", "fingerprint")})
        text = json.dumps(data, separators=(",", ":"))
    return text


def _decision(place: dict[str, Any], n: int, chance: random.Random) -> str:
    act = chance.choice(("accept", "reject", "reject"))
    record = Decision(
        kind="decision",
        decision_id=f"{n:064x}",
        at=(START + timedelta(days=30, minutes=n)).isoformat(timespec="milliseconds"),
        card_id=place["cardId"],
        card_version=place["cardVersion"],
        fingerprint=place["fingerprint"],
        act=act,
        reason_code="intended" if act == "reject" else None,
        comment=None,
        reviewer="Ada <ada@example.com>",
    )
    return json.dumps(record.wire()) + "\n"


def report(repo: Path, repeat: int) -> Iterator[str]:
    """The figures, a line each, printed as they come."""
    ledger = Ledger(repo / ".review-agent")
    for line in _lines(repo, ledger, repeat):
        print(line, flush=True)
        yield line


def _lines(repo: Path, ledger: Ledger, repeat: int) -> Iterator[str]:
    built = _seconds(ledger.rebuild) if not ledger.path.exists() else None
    total = ledger.queue(QueueFilter(state=())).total
    runs = len(list(ledger.runs_dir.glob("*.jsonl")))
    size = sum(path.stat().st_size for path in ledger.runs_dir.glob("*.jsonl"))
    yield "# A large ledger"
    yield ""
    yield f"{total} cards in {runs} run logs ({size / 1e6:.0f} MB), {os.cpu_count()} processors, {_day()}"
    yield f"programs that ran or waited on the machine meanwhile (load average): {os.getloadavg()[0]:.1f}"
    if built is not None:
        yield f"built from the run logs in {built:.0f} s; ledger.duckdb is {ledger.path.stat().st_size / 1e6:.0f} MB"
    yield ""
    yield "| what | median ms | slowest ms | processor ms | at most ms |"
    yield "|---|---|---|---|---|"
    for name, call, most in _calls(repo, ledger):
        call()
        took = [_milliseconds(call) for _ in range(repeat)]
        wall, processor = zip(*took, strict=True)
        middle = statistics.median
        yield f"| {name} | {middle(wall):.0f} | {max(wall):.0f} | {middle(processor):.0f} | {1000 * most:.0f} |"


def _calls(repo: Path, ledger: Ledger) -> Iterator[tuple[str, Callable[[], object], float]]:
    owners = Owners.parse("* @all\n" + "".join(f"/src/{area}/ @org/{area}\n" for area in AREAS[1:]))
    clicks: dict[str, tuple[QueueFilter, int]] = {
        "the queue, first page": (QueueFilter(), 0),
        "page 100": (QueueFilter(), 5000),
        "the last page of all states": (QueueFilter(state=()), 99_950),
        "one severity and kind": (QueueFilter(severity=("blocking",), kind=("auth",)), 0),
        "a word": (QueueFilter(text="module17"), 0),
        "a word that none has": (QueueFilter(text="nowhere to be found"), 0),
        "one run": (QueueFilter(run=ledger.runs()[0].run_file), 0),
        "the newest week": (QueueFilter(since=(START + timedelta(days=1)).isoformat()), 0),
        "rejected ones": (QueueFilter(state=("rejected",)), 0),
    }
    yield "nothing asked: opened, compared, closed", ledger.sync, MOST_CLICK_SECONDS
    for name, (wanted, offset) in clicks.items():
        yield name, lambda wanted=wanted, offset=offset: ledger.queue(wanted, offset=offset), MOST_CLICK_SECONDS
    for owner in ("@org/search", NOBODY):
        wanted = QueueFilter(owner=(owner,))
        yield f"owner {owner}", lambda wanted=wanted: ledger.queue(wanted, owner_of=owners), MOST_CLICK_SECONDS
    ids = [row.card["cardId"] for row in ledger.queue(limit=200).rows]
    yield "one card opened", lambda: ledger.card(random.choice(ids)), MOST_CARD_SECONDS
    newest = ledger.runs()[0].run_file
    yield "one run opened", lambda: ledger.run(newest), MOST_CLICK_SECONDS
    yield "the decisions, first page", lambda: ledger.decisions(), MOST_CLICK_SECONDS
    command = [str(Path(sys.executable).parent / "review-agent"), "cards", "list", "--repo", str(repo)]
    yield "`cards list`, the whole process", lambda: _run_quietly(command), MOST_LIST_SECONDS
    json_too = [*command, "--format", "json"]
    yield "`cards list --format json`, the whole process", lambda: _run_quietly(json_too), MOST_LIST_SECONDS


def _run_quietly(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _milliseconds(call: Callable[[], object]) -> tuple[float, float]:
    """How long a call takes, and its processor time, that of processes it starts included."""
    before = sum(os.times()[:4])
    wall = 1000 * _seconds(call)
    return wall, 1000 * (sum(os.times()[:4]) - before)


def _day() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


if __name__ == "__main__":
    main()
