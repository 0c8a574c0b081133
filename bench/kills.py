"""``kill -9`` a review at random moments of every phase, and see that nothing acknowledged is lost.

    python bench/kills.py [--kills 100] [--seed 1] [--output bench/results]

Each round starts a review of the demo repository, kills it at a random moment of a phase drawn in turn, and checks: the
next command works; every event that was on disk is still there, in order; the review resumes and ends with the same
outcomes as one that was never killed; no answer that was on disk is asked for again. Odd rounds use an engine whose
answers come from another process, which is killed too.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import dated

from review_agent.demo import build
from review_agent.engines.rules import Rules
from review_agent.git import Git
from review_agent.pipeline import Asked, Reviewed, Setup, review
from review_agent.policy.load import load
from review_agent.publish.data import outcomes_text
from review_agent.vocabulary import Answer, Call, EngineRole, Pending, Phase, Request

PAUSE = 0.02  # seconds that the driver waits where it reports progress, so that every phase lasts long enough to be hit


class FileEngine:
    """Answers come from another process, through a folder: a request is a file, and so is its answer."""

    identity = "file/1"
    roles = frozenset({EngineRole.SYNTHESIZE})

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def begin(self, calls: Sequence[Call], *, torn: Sequence[int]) -> None:
        """Nothing is spent here."""

    def answer(self, requests: Sequence[Request]) -> Iterator[Answer | Pending]:
        for request in requests:
            _write(self.folder / f"{request.request_id}.request", request.model_dump_json())
        for request in requests:
            answer = self.folder / f"{request.request_id}.answer"
            deadline = time.monotonic() + 0.3
            while not answer.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            if answer.exists():
                yield Answer.model_validate_json(answer.read_text(encoding="utf-8"))
            else:
                yield Pending(request_id=request.request_id)


def _write(path: Path, text: str) -> None:
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def answer_forever(folder: Path) -> None:
    """The other process: answers every request file once, as ``rules`` would, and notes that it was asked."""
    folder.mkdir(exist_ok=True)
    while os.getppid() != 1:
        for path in sorted(folder.glob("*.request")):
            if path.with_suffix(".answer").exists():
                continue
            request = Request.model_validate_json(path.read_text(encoding="utf-8"))
            (answer,) = Rules().answer([request])
            _write(path.with_suffix(".answer"), answer.model_dump_json())
            time.sleep(0.005)
        time.sleep(0.01)


def drive(repo: Path, base: str, head: str, folder: Path | None, pause: float) -> Reviewed:
    """One review of ``repo`` that says on stdout which phase it is in."""

    def progress(phase: Phase, done: int, total: int) -> None:
        if pause:
            print(phase, flush=True)
            time.sleep(pause)

    git = Git(repo)
    engine = Rules() if folder is None else FileEngine(folder)
    state = repo / ".review-agent"
    return review(Setup(git, load(git=git), engine, state, asked=Asked(base, head), progress=progress))


class Round:
    """One killed and resumed review, and what it found wrong."""

    def __init__(self, repo: Path, ends: tuple[str, str], phase: Phase, chance: random.Random, elsewhere: bool) -> None:
        self.repo, self.ends, self.phase, self.chance = repo, ends, phase, chance
        self.folder = repo.parent / "answers" if elsewhere else None
        self.command = [sys.executable, __file__, "--drive", str(repo), *ends]
        self.command += ["--folder", str(self.folder)] if self.folder else []
        self.faults: list[str] = []

    def go(self, expected: str) -> Phase | None:
        """The phase it was killed in; null where the review ended first."""
        shutil.rmtree(self.repo / ".review-agent", ignore_errors=True)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        with self._answerer():
            hit = self._kill()
        before = self._lines()
        self._next_command()
        with self._answerer():
            self._resume(expected)
        self._compare(before)
        return hit

    @contextlib.contextmanager
    def _answerer(self) -> Iterator[None]:
        if self.folder is None:
            yield
            return
        with subprocess.Popen([sys.executable, __file__, "--answer", str(self.folder)]) as other:
            try:
                yield
            finally:
                other.kill()

    def _kill(self) -> Phase | None:
        with subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            line = ""
            for line in child.stdout:
                if line.strip() == self.phase:
                    time.sleep(self.chance.uniform(0, 2 * PAUSE))
                    break
            child.send_signal(signal.SIGKILL)
            seen = [line.strip(), *map(str.strip, child.stdout.readlines())]
            child.wait()
        return Phase(seen[-1]) if child.returncode == -signal.SIGKILL else None

    def _lines(self) -> dict[str, list[bytes]]:
        """The whole lines on disk by run log."""
        logs = (self.repo / ".review-agent/runs").glob("*.jsonl")
        return {log.name: log.read_bytes().split(b"\n")[:-1] for log in logs}

    def _next_command(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "review_agent.cli", "cards", "list", "--repo", str(self.repo)], capture_output=True
        )
        if done.returncode != 0:
            self.faults.append(f"next command: exit {done.returncode}: {done.stderr.decode()[-200:]}")

    def _resume(self, expected: str) -> None:
        for _ in range(20):
            reviewed = drive(self.repo, *self.ends, self.folder, 0)
            if reviewed.document.run.status == "complete":
                break
        outcomes = outcomes_text(reviewed.document)
        if _comparable(outcomes) != _comparable(expected):
            self.faults.append("outcomes differ from an undisturbed run")

    def _compare(self, before: dict[str, list[bytes]]) -> None:
        after = self._lines()
        for name, lines in before.items():
            if after.get(name, [])[: len(lines)] != lines:
                self.faults.append(f"{name}: acknowledged events are gone or changed")
        for lines in after.values():
            answered: set[str] = set()
            for event in map(json.loads, lines):
                if event["type"] == "answer":
                    answered.add(event["data"]["requestId"])
                elif event["type"] == "request" and event["data"]["requestId"] in answered:
                    self.faults.append("a recorded answer was asked for again")


def _comparable(outcomes: str) -> dict[str, Any]:
    """Outcomes without what the engine's name changes: review and card ids, and the card version made of them."""
    data: dict[str, Any] = json.loads(outcomes)
    for name in ("reviewId", "engine"):
        data["run"].pop(name)
    for card in data["outcomes"]["cards"]:
        card.pop("cardId")
        card.pop("cardVersion")
    data["outcomes"]["cards"].sort(key=lambda card: json.dumps(card))
    return data


def soak(kills: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How often each phase was hit, and what was found wrong."""
    chance = random.Random(seed)
    phases = list(Phase)
    hit: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="review-agent-kills-") as folder:
        repo = Path(folder) / "repo"
        ends = build(repo)
        expected = outcomes_text(drive(repo, *ends, None, 0).document)
        rounds = 0
        while sum(hit.values()) < kills and rounds < 3 * kills:
            scarce = min(phases, key=lambda phase: hit[phase])
            one = Round(repo, ends, scarce, chance, elsewhere=rounds % 2 == 1)
            phase = one.go(expected)
            rounds += 1
            hit.update([phase] if phase else [])
            faults += [f"round {rounds}, killed in {phase}: {fault}" for fault in one.faults]
    return hit, faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=dated.folder)
    parser.add_argument("--drive", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive:
        drive(Path(options.drive[0]), *options.drive[1:], options.folder, PAUSE)
        return
    if options.answer:
        answer_forever(options.answer)
        return
    hit, faults = soak(options.kills, options.seed)
    lines = ["# Reviews killed with SIGKILL", "", "| phase | kills |", "|---|---|"]
    lines += [f"| {phase} | {hit[phase]} |" for phase in Phase]
    lines += ["", f"{sum(hit.values())} kills, {len(faults)} faults.", *(f"- {fault}" for fault in faults)]
    table = "\n".join(lines) + "\n"
    print(table)
    dated.keep(options.output, "kills", table)
    sys.exit(1 if faults or sum(hit.values()) < options.kills else 0)


if __name__ == "__main__":
    main()
