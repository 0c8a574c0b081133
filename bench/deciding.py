"""Many people decide at once while reviews are recorded and processes die: see that no decision is lost or repeated.

    python bench/deciding.py [--people 50] [--cards 1000] [--kills 200] [--acknowledged 4000] [--output bench/results]

Every process tries random acts on random cards, legal or not, and notes each try before and each answer after it in a
file of its own. Meanwhile two others record reviews into the same folder, a program that knows nothing of the lock
holds the ledger file now and then, and deciding and recording processes are killed with SIGKILL and replaced: half of
them at random moments, half at named points (POINTS) by their own hand. Then the notes are held against the journal:
every acknowledged decision stands in it exactly once; on each card the order of time is the order of the journal, and
every record was legal where it stands; every refusal was right at some moment while it was asked for; what stands
unacknowledged is the last try of a process that was killed; one that died before it wrote left nothing, one that died
after the fsync left its record. The ledger made anew says what the live one does.

It fails on a fault, and where too little happened to prove anything: fewer acknowledged acts, kills, kills at any of
the points, or times that another program held the ledger than asked for.

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
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dated

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from made_runs import card, sha, write_run

from review_agent.adjudication import decide
from review_agent.appendlog import AppendLog, InUseError
from review_agent.errors import ReviewAgentError, TransitionError
from review_agent.journal import Journal
from review_agent.ledger import intake
from review_agent.ledger.store import Ledger
from review_agent.policy.model import ReasonCode
from review_agent.transitions import LEGAL, RESULT
from review_agent.vocabulary import Act, CardState, Decision, Proof

CODES = (ReasonCode(code="intended", layer="team", about="meant so"),)
ACTS = (Act.ACCEPT, Act.REJECT, Act.NEEDS_PROOF, Act.ATTACH, Act.REVOKE, Act.DOWNGRADE, Act.REOPEN)
SIZES = (1000, 10_000, 100_000)
A_RUN = 50  # cards of one review
POINTS = ("before append", "after append, before fsync", "after fsync, before acknowledged", "during ingest")
MOST_ARMED = 12
"""A process that is to die at a point does so at one of its first passes of it."""
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


class Armed:
    """A process that dies by its own hand when it passes a named point once more than it may."""

    def __init__(self, point: str, file: int, passes: int) -> None:
        self.point, self.file, self.passes, self.appending = point, file, passes, False
        append, fsync, insert = AppendLog.append, os.fsync, intake._insert

        def appended(log: AppendLog, *given: Any, **more: Any) -> None:
            if log.path.name != "journal.jsonl":
                return append(log, *given, **more)
            self.at("before append")
            self.appending = True
            try:
                append(log, *given, **more)
            finally:
                self.appending = False
            self.at("after fsync, before acknowledged")
            return None

        def synced(descriptor: int) -> None:
            if self.appending:
                self.at("after append, before fsync")
            fsync(descriptor)

        def inserted(*given: Any) -> None:
            insert(*given)
            self.at("during ingest")

        AppendLog.append, os.fsync, intake._insert = appended, synced, inserted  # type: ignore[method-assign]

    def at(self, point: str) -> None:
        if point != self.point:
            return
        self.passes -= 1
        if self.passes < 0:
            note(self.file, what="dies", point=point)
            os.kill(os.getpid(), signal.SIGKILL)


def person(state: Path, notes: Path, name: str, cards: Sequence[str], seed: int, point: str | None) -> None:
    """Tries acts until the parent says stop."""
    chance = random.Random(seed)
    file = os.open(notes / f"{name}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    if point is not None:
        Armed(point, file, chance.randrange(MOST_ARMED))
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


def recorder(state: Path, notes: Path, name: str, first: int, seed: int, point: str | None) -> None:
    """Records reviews of cards that nobody decides on, and takes them into the ledger, until the parent says stop."""
    chance = random.Random(seed)
    file = os.open(notes / f"{name}.jsonl", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)
    if point is not None:
        Armed(point, file, chance.randrange(MOST_ARMED))
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


@dataclass(frozen=True)
class Least:
    """How much has to happen, or the run proves nothing. ``limit``: seconds after which it ends as it is."""

    kills: int
    acknowledged: int
    holds: int
    limit: float

    @property
    def at_each_point(self) -> int:
        return self.kills // (4 * len(POINTS))


@dataclass
class Crowd:
    """The processes, and when each that was killed was found dead; ``points``: where those by their own hand died."""

    state: Path
    notes: Path
    cards: list[str]
    chance: random.Random
    alive: dict[int, str] = field(default_factory=dict)
    killed: dict[str, int] = field(default_factory=dict)
    points: Counter[str] = field(default_factory=Counter)
    armed: dict[str, str] = field(default_factory=dict)
    generation: int = 0

    def start(self, name: str, point: str | None = None) -> None:
        """``name`` is the role; the process gets a file of its own, and dies at the point, where one is given."""
        self.generation += 1
        own, seed = f"{name}.{self.generation}", self.chance.getrandbits(32)
        child = os.fork()
        if child:
            self.alive[child] = own
            if point is not None:
                self.armed[own] = point
            return
        try:
            if name.startswith("recorder"):
                recorder(self.state, self.notes, own, 10_000 + 500 * self.generation, seed, point)
            else:
                person(self.state, self.notes, own, self.cards, seed, point)
        finally:
            os._exit(0)

    def kill_one(self, point: str | None = None) -> None:
        """Ends one process at this moment; the one in its place is to die at the point, where one is given."""
        victim = self.chance.choice([child for child, name in self.alive.items() if name not in self.armed])
        os.kill(victim, signal.SIGKILL)
        os.waitpid(victim, 0)
        self._dead(victim, point)

    def bury(self) -> None:
        """Puts others in the place of those that died by their own hand."""
        for child in list(self.alive):
            if os.waitpid(child, os.WNOHANG)[0]:
                self.points[self.armed.pop(self.alive[child], "by itself, unarmed")] += 1
                self._dead(child, None)

    def _dead(self, child: int, point: str | None) -> None:
        name = self.alive.pop(child)
        self.killed[name] = time.monotonic_ns()
        role = name.split(".")[0]
        self.start(role, point if not role.startswith("recorder") or point == "during ingest" else None)

    def fewest(self) -> int:
        """How many have died at the point where the fewest have."""
        return min(self.points[point] for point in POINTS)

    def rarest(self) -> str:
        """The point at which the fewest have died, those that are on their way to it counted."""
        coming = Counter(self.armed.values())
        return min(POINTS, key=lambda point: self.points[point] + coming[point])

    def end(self) -> None:
        (self.notes / "stop").touch()
        for child, name in self.alive.items():
            if os.WIFSIGNALED(os.waitpid(child, 0)[1]):
                self.points[self.armed.pop(name, "by itself, unarmed")] += 1
                self.killed[name] = time.monotonic_ns()


def soak(state: Path, notes: Path, cards: list[str], people: int, least: Least, seed: int) -> tuple[Crowd, int]:
    """Lets them all loose until enough has happened; the crowd, and how often another program held the ledger."""
    crowd = Crowd(state, notes, cards, random.Random(seed))
    for n in range(people):
        crowd.start(f"person{n}")
    for n in range(2):
        crowd.start(f"recorder{n}")
    holding = Holding(state / "ledger.duckdb")
    stop = time.monotonic() + least.limit
    while time.monotonic() < stop and not is_enough(crowd, recorded_in(state), holding.holds, least):
        time.sleep(crowd.chance.uniform(0.05, 0.4))
        crowd.bury()
        share = recorded_in(state) / max(1, least.acknowledged)
        due = len(crowd.killed) + len(crowd.armed) < least.kills * max(0.1, min(1.0, share))
        rare = share >= 1 and not crowd.armed and crowd.fewest() < least.at_each_point
        if due or rare:
            crowd.kill_one(crowd.rarest())
        holding.turn()
    crowd.end()
    holding.end()
    return crowd, holding.holds


def is_enough(crowd: Crowd, acknowledged: int, holds: int, least: Least) -> bool:
    return (
        len(crowd.killed) >= least.kills
        and acknowledged >= least.acknowledged + least.kills  # some stand whose process was killed
        and holds >= least.holds
        and crowd.fewest() >= least.at_each_point
    )


def recorded_in(state: Path) -> int:
    """How many lines the journal has; each process of this bench writes one a decision."""
    journal = state / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


class Holding:
    """A program that knows nothing of the lock and holds the ledger file now and then."""

    def __init__(self, ledger: Path) -> None:
        self.ledger, self.holds, self.next = ledger, 0, time.monotonic() + 2
        self.holder: subprocess.Popen[bytes] | None = None

    def turn(self) -> None:
        if time.monotonic() < self.next:
            return
        self.end()
        command = [sys.executable, "-c", HOLD, str(self.ledger), "3"]
        self.holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        had = self.holder.stdout.readline() == b"held\n" if self.holder.stdout else False
        self.holds += had
        # Where it was not to be had, it is tried again soon.
        self.next = time.monotonic() + (20 if had else 1)

    def end(self) -> None:
        if self.holder is not None:
            self.holder.wait()


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
    died: str = ""


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
            elif one["what"] == "dies":
                if tries:
                    next(reversed(tries.values())).died = one["point"]
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
        yield from unacknowledged(one, one.key in seen, last_of[one.key.rpartition("-")[0]] == one.key, killed)
    for card_id, history in by_card.items():
        yield from in_order(card_id, history, tries, killed)
    by_try = defaultdict(list)
    for one in tries.values():
        if one.refused and not rightly(one, by_card[one.card], tries, killed):
            by_try[one.card].append(one.key)
    yield from (f"{key} was refused and was legal all the while" for keys in by_try.values() for key in keys)


def unacknowledged(one: Try, stands: bool, last: bool, killed: Mapping[str, int]) -> Iterator[str]:
    """What is wrong with a try that was refused, or whose process died in the midst of it."""
    if (one.refused or one.gave_up) and stands:
        yield f"{one.key} was refused and stands"
    if one.died == POINTS[0] and stands:
        yield f"{one.key} died before it was written and stands"
    if one.died in POINTS[1:3] and not stands:
        yield f"{one.key} died once it was written and does not stand"
    if one.ended is None and one.key.rpartition("-")[0] not in killed:
        yield f"{one.key} was never answered"
    if one.ended is None and not last:
        yield f"{one.key} was not answered, and its process went on"


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
    waited = waited or [0.0]
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
        *(f"| of them by their own hand {point} | {crowd.points[point]} |" for point in POINTS),
        f"| torn tails moved aside | {torn} |",
        f"| reviews recorded meanwhile | {recorded} |",
        f"| times another program held the ledger | {holds} |",
        f"| ms from asking to acknowledged: median, 95 %, longest | {middle:.0f}, {most:.0f}, {waited[-1]:.0f} |",
        f"| faults | {len(faults)} |",
        *(f"- {fault}" for fault in faults[:20]),
    ]


def too_little(crowd: Crowd, tries: Mapping[str, Try], holds: int, least: Least) -> Iterator[str]:
    """What did not happen often enough for the run to prove anything."""
    acknowledged = sum(one.decision is not None for one in tries.values())
    happened = [
        ("acts acknowledged", acknowledged, least.acknowledged),
        ("kills", len(crowd.killed), least.kills),
        ("times another program held the ledger", holds, least.holds),
        *((f"kills {point}", crowd.points[point], least.at_each_point) for point in POINTS),
    ]
    yield from (f"too little: {count} {what}, {most} wanted" for what, count, most in happened if count < most)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--cards", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--acknowledged", type=int, default=4000, help="so many acts at least")
    parser.add_argument("--holds", type=int, default=3, help="so often at least another program has to hold the ledger")
    parser.add_argument("--limit", type=float, default=7200, help="seconds after which it ends, whatever is missing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-cost", action="store_true", help="leave the timing over long journals out")
    parser.add_argument("--output", type=dated.folder)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="review-agent-deciding-") as folder:
        state, notes = Path(folder) / ".review-agent", Path(folder) / "notes"
        notes.mkdir()
        for review in range(-(-options.cards // A_RUN)):
            write_run(state, review=review, cards=min(A_RUN, options.cards - A_RUN * review), minute=review)
        cards = [card(sha("review", n // A_RUN), n % A_RUN).card_id for n in range(options.cards)]
        Ledger(state).sync()
        began = time.monotonic()
        least = Least(options.kills, options.acknowledged, options.holds, options.limit)
        crowd, holds = soak(state, notes, cards, options.people, least, options.seed)
        seconds = time.monotonic() - began
        faults: list[str] = []
        tries, recorded = read_notes(notes, faults)
        records = list(Journal(state / "journal.jsonl").read())
        faults += [*judge(records, tries, crowd.killed), *check_ledger(state, records, recorded)]
        torn = len(list(state.glob("journal.jsonl.torn-*")))
        faults += too_little(crowd, tries, holds, least)
        lines = report(crowd, tries, len(records), holds, len(recorded), torn, seconds, faults)
    if not options.no_cost:
        lines += ["", "The median decision over a long journal, the ledger up to date:", ""]
        lines += ["| records | MB | ms of processor time | ms by the clock |", "|---|---|---|---|"]
        lines += [f"| {n:,} | {size:.1f} | {work:.0f} | {wall:.0f} |" for n, size, work, wall in cost(SIZES)]
    table = "\n".join(lines) + "\n"
    print(table)
    dated.keep(options.output, "deciding", table)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
