"""Many people decide at once while reviews are recorded and processes die: see that no decision is lost or repeated.

    python bench/deciding.py [--people 50] [--cards 1000] [--kills 200] [--tries 4000] [--output bench/results]

Every process tries random acts on random cards, legal or not, and notes each try before and each answer after it in a
file of its own. Meanwhile two others record reviews into the same folder, a program that knows nothing of the lock
holds the ledger file now and then, and deciding and recording processes are killed with SIGKILL at random moments and
replaced. Then the notes are held against the journal: every acknowledged decision stands in it exactly once; on each
card the order of time is the order of the journal, and every record was legal where it stands; every refusal was right
at some moment while it was asked for; what stands unacknowledged is the last try of a process that was killed. The
ledger made anew says what the live one does.

Last, one decision is timed over journals of up to 100,000 records.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from made_runs import card, sha, write_run

from review_agent.adjudication import decide
from review_agent.appendlog import InUseError
from review_agent.errors import ReviewAgentError, TransitionError
from review_agent.journal import Journal
from review_agent.ledger.store import Ledger
from review_agent.policy.model import ReasonCode
from review_agent.transitions import LEGAL, RESULT
from review_agent.vocabulary import Act, CardState, Decision, Proof

CODES = (ReasonCode(code="intended", layer="team", about="meant so"),)
ACTS = (Act.ACCEPT, Act.REJECT, Act.NEEDS_PROOF, Act.ATTACH, Act.REVOKE, Act.DOWNGRADE, Act.REOPEN)
SIZES = (1000, 10_000, 100_000)
A_RUN = 50  # cards of one review
HOLD = "import duckdb,sys,time; c=duckdb.connect(sys.argv[1]); print('held',flush=True); time.sleep(float(sys.argv[2]))"


def nothing(text: str) -> str:
    """No mask: nobody writes a secret here, and reading the policy would be most of what is timed."""
    return text


def note(into: int, **said: Any) -> None:
    """One line in a process's own file, with the time; whole, as one write of a short line is."""
    os.write(into, json.dumps({"t": time.monotonic_ns(), **said}).encode() + b"\n")


def take(state: Path, card_id: str, act: Act, reviewer: str, comment: str | None = None) -> Decision:
    return decide(
        state,
        card_id,
        act,
        reason_code="intended" if act is Act.REJECT else None,
        comment=comment,
        reviewer=reviewer,
        policy_reason_codes=CODES,
        proof=Proof(job="j", result="pass") if act is Act.ATTACH else None,
        mask=nothing,
    )


def person(state: Path, notes: Path, name: str, cards: Sequence[str], seed: int) -> None:
    """Tries acts until the parent says stop."""
    chance = random.Random(seed)
    file = os.open(notes / f"{name}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    tries = 0
    while not (notes / "stop").exists():
        tries += 1
        card_id, act, key = chance.choice(cards), chance.choice(ACTS), f"{name}-{tries}"
        note(file, what="try", key=key, card=card_id, act=act, reviewer=name.split(".")[0])
        try:
            done = take(state, card_id, act, name.split(".")[0], key)
            note(file, what="ack", key=key, decision=done.decision_id)
        except TransitionError:
            note(file, what="refused", key=key)
        except InUseError:
            note(file, what="gave up", key=key)
        except ReviewAgentError as error:
            note(file, what="failed", key=key, error=f"{error.message} {error.where}")
        except BaseException as error:  # noqa: BLE001 - whatever it was, it is a fault to be told
            note(file, what="failed", key=key, error=repr(error))


def recorder(state: Path, notes: Path, name: str, first: int, seed: int) -> None:
    """Records reviews of cards that nobody decides on, and takes them into the ledger, until the parent says stop."""
    chance = random.Random(seed)
    file = os.open(notes / f"{name}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    review = first
    while not (notes / "stop").exists():
        review += 1
        note(file, what="recording", review=review)
        try:
            path = write_run(state, review=review, cards=3, minute=review)
            note(file, what="recorded", review=review, file=path.name, told=Ledger(state).ingest_run(path))
        except BaseException as error:  # noqa: BLE001
            note(file, what="failed", key=name, error=repr(error))
        time.sleep(chance.uniform(0.1, 0.6))


@dataclass
class Crowd:
    """The processes, and how often each kind was killed."""

    state: Path
    notes: Path
    cards: list[str]
    chance: random.Random
    alive: dict[int, str] = field(default_factory=dict)
    killed: dict[str, int] = field(default_factory=dict)
    generation: int = 0

    def start(self, name: str) -> None:
        """``name`` is the role; the process gets a file of its own."""
        self.generation += 1
        own, seed = f"{name}.{self.generation}", self.chance.getrandbits(32)
        child = os.fork()
        if child:
            self.alive[child] = own
            return
        try:
            if name.startswith("recorder"):
                recorder(self.state, self.notes, own, 10_000 + 500 * self.generation, seed)
            else:
                person(self.state, self.notes, own, self.cards, seed)
        finally:
            os._exit(0)

    def kill_one(self) -> None:
        victim = self.chance.choice(list(self.alive))
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        name = self.alive.pop(victim)
        self.killed[name] = time.monotonic_ns()
        self.start(name.split(".")[0])

    def end(self) -> None:
        (self.notes / "stop").touch()
        for child in self.alive:
            os.waitpid(child, 0)


def soak(
    state: Path, notes: Path, cards: list[str], people: int, kills: int, tries: int, seed: int
) -> tuple[Crowd, int]:
    """Lets them all loose until there were so many kills and tries; the crowd, and how often the file was held."""
    crowd = Crowd(state, notes, cards, random.Random(seed))
    for n in range(people):
        crowd.start(f"person{n}")
    for n in range(2):
        crowd.start(f"recorder{n}")
    holds, next_hold, holder = 0, time.monotonic() + 2, None
    while len(crowd.killed) < kills or answered(notes) < tries:
        time.sleep(crowd.chance.uniform(0.05, 0.6))
        if len(crowd.killed) < kills and answered(notes) >= tries * len(crowd.killed) / kills * 0.9:
            crowd.kill_one()
        if time.monotonic() > next_hold:
            if holder is not None:
                holder.wait()
            holder = subprocess.Popen(
                [sys.executable, "-c", HOLD, str(state / "ledger.duckdb"), "3"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            holds += holder.stdout.readline() == b"held\n" if holder.stdout else 0
            next_hold = time.monotonic() + 20
    crowd.end()
    if holder is not None:
        holder.wait()
    return crowd, holds


def answered(notes: Path) -> int:
    """About how many tries were answered so far, by the sizes of the notes: a try and its answer are some 300 bytes."""
    return sum(path.stat().st_size for path in notes.glob("person*.jsonl")) // 300


@dataclass
class Try:
    key: str
    card: str
    act: Act
    reviewer: str
    began: int
    ended: int | None = None
    decision: str | None = None
    refused: bool = False
    gave_up: bool = False


def read_notes(notes: Path, faults: list[str]) -> tuple[dict[str, Try], list[str]]:
    """All tries by key, and the run logs that were acknowledged as recorded."""
    tries: dict[str, Try] = {}
    recorded = []
    for path in sorted(notes.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            one = json.loads(line)
            if one["what"] == "try":
                tries[one["key"]] = Try(one["key"], one["card"], Act(one["act"]), one["reviewer"], one["t"])
            elif one["what"] in ("ack", "refused", "gave up"):
                found = tries[one["key"]]
                found.ended, found.decision = one["t"], one.get("decision")
                found.refused, found.gave_up = one["what"] == "refused", one["what"] == "gave up"
            elif one["what"] == "recorded":
                recorded.append(one["file"])
            elif one["what"] == "failed":
                faults.append(f"{one['key']} met an error: {one['error']}")
    return tries, recorded


def legal(history: Sequence[Mapping[str, Any]], act: Act, reviewer: str) -> bool:
    last = history[-1] if history else None
    state = CardState.HIDDEN if last is None else RESULT[Act(last["act"])]
    return act in LEGAL[state] and not (act is Act.REOPEN and last is not None and last["reviewer"] != reviewer)


def judge(records: Sequence[Mapping[str, Any]], tries: Mapping[str, Try], killed: Mapping[str, int]) -> Iterator[str]:
    """What is wrong with the journal, by the notes."""
    by_id, by_card, seen = defaultdict(int), defaultdict(list), set()
    for record in records:
        by_id[record["decisionId"]] += 1
        if record["comment"] in seen or record["comment"] not in tries:
            yield f"{record['comment']} stands twice, or was never tried"
        seen.add(record["comment"])
        if not legal(by_card[record["cardId"]], Act(record["act"]), record["reviewer"]):
            yield f"{record['comment']}: {record['act']} was not legal where it stands"
        by_card[record["cardId"]].append(record)
    last_of = {key.rpartition("-")[0]: key for key in tries}
    for one in tries.values():
        if one.decision is not None and by_id[one.decision] != 1:
            yield f"{one.key} was acknowledged and stands {by_id[one.decision]} times"
        if (one.refused or one.gave_up) and one.key in seen:
            yield f"{one.key} was refused and stands"
        if one.ended is None and one.key.rpartition("-")[0] not in killed:
            yield f"{one.key} was never answered"
        if one.ended is None and last_of[one.key.rpartition("-")[0]] != one.key:
            yield f"{one.key} was not answered, and its process went on"
    for card_id, history in by_card.items():
        yield from in_order(card_id, history, tries, killed)
    by_try = defaultdict(list)
    for one in tries.values():
        if one.refused and not rightly(one, by_card[one.card], tries, killed):
            by_try[one.card].append(one.key)
    yield from (f"{key} was refused and was legal all the while" for keys in by_try.values() for key in keys)


def _end(one: Try, killed: Mapping[str, int]) -> int:
    """The last moment at which a try can have been recorded."""
    return one.ended if one.ended is not None else killed.get(one.key.rpartition("-")[0], sys.maxsize)


def in_order(
    card_id: str, history: Sequence[Mapping[str, Any]], tries: Mapping[str, Try], killed: Mapping[str, int]
) -> Iterator[str]:
    """What was acknowledged before another was tried stands before it."""
    began = 0
    for record in history:
        one = tries[record["comment"]]
        if _end(one, killed) < began:
            yield f"{card_id[:8]}: {one.key} ended before one that stands before it began"
        began = max(began, one.began)


def rightly(
    one: Try, history: Sequence[Mapping[str, Any]], tries: Mapping[str, Try], killed: Mapping[str, int]
) -> bool:
    """Whether at some moment between asking and refusal the card's state did not allow the act."""
    assert one.ended is not None
    ended = [_end(tries[record["comment"]], killed) for record in history]
    began = [tries[record["comment"]].began for record in history]
    first = max((n + 1 for n, t in enumerate(ended) if t < one.began), default=0)
    last = max((n + 1 for n, t in enumerate(began) if t < one.ended), default=0)
    return any(not legal(history[:n], one.act, one.reviewer) for n in range(first, last + 1))


def check_ledger(state: Path, records: Sequence[Mapping[str, Any]], recorded: Sequence[str]) -> Iterator[str]:
    """The live ledger against the journal, and against one made anew."""
    ledger = Ledger(state)

    def all_of() -> tuple[Any, Any]:
        page = ledger.decisions(limit=len(records) + 1)
        return [one.decision for one in page.rows], sorted(
            (r.card["cardId"], r.state, r.decisions) for r in ledger.cards()
        )

    live = all_of()
    if sorted(one["decisionId"] for one in live[0]) != sorted(one["decisionId"] for one in records):
        yield "the ledger's decisions are not the journal's"
    known = {run.run_file for run in ledger.runs()}
    yield from (f"{name} was recorded and is not in the ledger" for name in recorded if name not in known)
    ledger.rebuild()
    if all_of() != live:
        yield "the ledger made anew differs from the live one"


def cost(sizes: Sequence[int]) -> list[tuple[int, float, float, float]]:
    """By the number of records in the journal: its megabytes, and milliseconds of the median decision, by the processor
    and by the clock."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="review-agent-cost-") as folder:
        state = Path(folder) / ".review-agent"
        write_run(state, cards=40)
        ids = [card(sha("review", 1), n).card_id for n in range(40)]
        pattern = take(state, ids[-1], Act.ACCEPT, "Ada <ada@example.com>", "as the card says").wire()
        journal, written = state / "journal.jsonl", 1
        for size in sizes:
            with journal.open("ab") as file:
                while written < size:
                    made = {**pattern, "cardId": sha("old", written), "decisionId": sha("id", written)}
                    file.write(json.dumps(made, separators=(",", ":")).encode() + b"\n")
                    written += 1
            Ledger(state).sync()
            worked, passed = [], []
            for card_id in ids[:20]:
                for act in (Act.ACCEPT, Act.REOPEN):
                    began = time.process_time(), time.perf_counter()
                    take(state, card_id, act, "Ada")
                    worked.append((time.process_time() - began[0]) * 1000)
                    passed.append((time.perf_counter() - began[1]) * 1000)
                    written += 1
            rows.append((size, journal.stat().st_size / 1e6, statistics.median(worked), statistics.median(passed)))
    return rows


def report(
    crowd: Crowd,
    tries: Mapping[str, Try],
    records: int,
    holds: int,
    recorded: int,
    torn: int,
    seconds: float,
    faults: list[str],
) -> list[str]:
    waited = sorted((one.ended - one.began) / 1e6 for one in tries.values() if one.decision and one.ended)
    middle, most = (waited[min(len(waited) - 1, int(share * len(waited)))] for share in (0.5, 0.95))
    acknowledged = sum(one.decision is not None for one in tries.values())
    persons = sum(name.startswith("person") for name in crowd.killed)
    return [
        "# Deciding at once, killed with SIGKILL",
        "",
        f"{sum(name.startswith('person') for name in crowd.alive.values())} processes decide on {len(crowd.cards)} "
        f"cards, two record reviews: {seconds:.0f} s, {os.cpu_count()} cores, load average {os.getloadavg()[1]:.0f}.",
        "",
        "| | |",
        "|---|---|",
        f"| acts tried | {len(tries)} |",
        f"| acknowledged | {acknowledged} |",
        f"| refused as illegal | {sum(one.refused for one in tries.values())} |",
        f"| gave up after a minute in line, nothing recorded | {sum(one.gave_up for one in tries.values())} |",
        f"| in the journal | {records} |",
        f"| of them unacknowledged, their process killed | {records - acknowledged} |",
        f"| kills | {len(crowd.killed)} ({persons} deciding, {len(crowd.killed) - persons} recording) |",
        f"| torn tails moved aside | {torn} |",
        f"| reviews recorded meanwhile | {recorded} |",
        f"| times another program held the ledger | {holds} |",
        f"| ms from asking to acknowledged: median, 95 %, longest | {middle:.0f}, {most:.0f}, {waited[-1]:.0f} |",
        f"| faults | {len(faults)} |",
        *(f"- {fault}" for fault in faults[:20]),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--cards", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--tries", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-cost", action="store_true", help="leave the timing over long journals out")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="review-agent-deciding-") as folder:
        state, notes = Path(folder) / ".review-agent", Path(folder) / "notes"
        notes.mkdir()
        for review in range(-(-options.cards // A_RUN)):
            write_run(state, review=review, cards=min(A_RUN, options.cards - A_RUN * review), minute=review)
        cards = [card(sha("review", n // A_RUN), n % A_RUN).card_id for n in range(options.cards)]
        Ledger(state).sync()
        began = time.monotonic()
        crowd, holds = soak(state, notes, cards, options.people, options.kills, options.tries, options.seed)
        seconds = time.monotonic() - began
        faults: list[str] = []
        tries, recorded = read_notes(notes, faults)
        records = list(Journal(state / "journal.jsonl").read())
        faults += [*judge(records, tries, crowd.killed), *check_ledger(state, records, recorded)]
        torn = len(list(state.glob("journal.jsonl.torn-*")))
        lines = report(crowd, tries, len(records), holds, len(recorded), torn, seconds, faults)
    if not options.no_cost:
        lines += ["", "The median decision over a long journal, the ledger up to date:", ""]
        lines += ["| records | MB | ms of processor time | ms by the clock |", "|---|---|---|---|"]
        lines += [f"| {n:,} | {size:.1f} | {work:.0f} | {wall:.0f} |" for n, size, work, wall in cost(SIZES)]
    table = "\n".join(lines) + "\n"
    print(table)
    if options.output:
        (options.output / f"{datetime.now(UTC):%Y-%m-%d}-deciding.md").write_text(table, encoding="utf-8")
    sys.exit(1 if faults or len(crowd.killed) < options.kills else 0)


if __name__ == "__main__":
    main()
