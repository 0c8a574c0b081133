"""What is wrong or pending in a state folder. Looks only; writers mend what they find when their turn comes."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from review_agent.appendlog import Lock, RefusedError, has_state_folder, read
from review_agent.counting import counted
from review_agent.errors import RecordError
from review_agent.journal import JOURNAL_FILE, LOCK_FILE, fault, is_known
from review_agent.ledger.compared import Note, notes
from review_agent.ledger.exchange import COMING
from review_agent.ledger.intake import Mark, lost
from review_agent.runlog import RunState, fold, is_live, read_events
from review_agent.vocabulary import RunStatus

__all__ = ["LOCK_SECONDS", "Finding", "examine"]

Marks = Mapping[str, Mark]
LOCK_SECONDS = 2.0
"""A lock that is held for longer is a finding."""
_REQUESTS = "batch"  # the folder of request files
_IN_NO_COMMIT = ("work tree", "index", "patch")


@dataclass(frozen=True)
class Finding:
    """``problem`` needs a person; ``note`` mends itself or is only worth knowing. ``next`` is the step to take."""

    level: Literal["problem", "note"]
    what: str
    where: str
    next: str


def examine(state_dir: Path, ledger: Callable[[], tuple[int, int, Marks]]) -> list[Finding]:
    """Findings, in a fixed order. ``ledger`` reads schema version, newest known version and watermarks, or raises."""
    return list(_findings(state_dir, ledger))


def _findings(state_dir: Path, ledger: Callable[[], tuple[int, int, Marks]]) -> Iterator[Finding]:
    try:
        present = has_state_folder(state_dir)
    except RecordError as error:
        yield _of_error(error)
        return
    if not present:
        yield Finding(
            "note", "nothing has been recorded yet", str(state_dir), "review-agent review makes the first run"
        )
        return
    yield from _contents(state_dir, ledger)


def _contents(state_dir: Path, ledger: Callable[[], tuple[int, int, Marks]]) -> Iterator[Finding]:
    if not os.access(state_dir, os.W_OK | os.X_OK):
        yield Finding("note", "this folder cannot be written", str(state_dir), "reviews and decisions need it writable")
    yield from _lock(state_dir / LOCK_FILE)
    yield from _journal(state_dir / JOURNAL_FILE)
    if (coming := state_dir / COMING).exists() and not (state_dir / JOURNAL_FILE).exists():
        yield Finding("problem", "an import was cut off", str(coming), "run the same `ledger import` again")
    compared = notes(state_dir)
    for path in sorted((state_dir / "runs").glob("*.jsonl")):
        yield from _run_log(path, compared, state_dir / _REQUESTS)
    yield from _set_aside(state_dir)
    if (state_dir / "ledger.duckdb").exists():
        yield from _ledger(state_dir, ledger)
    else:
        yield Finding("note", "there is no ledger file", str(state_dir), "the next command that reads cards makes it")


def _lock(path: Path) -> Iterator[Finding]:
    if not path.exists():
        return
    lock = Lock(path)
    try:
        if lock.acquire(shared=True, wait=LOCK_SECONDS):
            lock.release()
            return
    except RefusedError as error:
        yield _of_error(error)
        return
    holder = lock.holder()
    who = "a process" if holder is None else f"process {holder}"
    yield Finding("problem", f"{who} holds the lock for longer than a command needs", str(path), f"see what {who} does")


def _journal(path: Path) -> Iterator[Finding]:
    if not path.exists():
        return
    unknown: Counter[str] = Counter()
    try:
        for number, record in enumerate(read(path, together=True), 1):
            if text := fault(record):
                yield _bad_record(f"{path}:{number}", text)
            elif not is_known(record):
                unknown[record["kind"]] += 1
    except RecordError as error:
        yield _of_error(error)
        return
    yield from _unknown(path, unknown)
    yield from _torn(path)


def _bad_record(where: str, text: str) -> Finding:
    step = "restore the file from a copy, or take the line out by hand after keeping one"
    return Finding("problem", f"a line is not a journal record ({text}): it is left out", where, step)


def _unknown(path: Path, unknown: Mapping[str, int]) -> Iterator[Finding]:
    if unknown:
        counts = ", ".join(f"{count} {kind!r}" for kind, count in sorted(unknown.items()))
        what = f"records of kinds that this version does not know are passed over: {counts}"
        yield Finding("note", what, str(path), "a newer review-agent reads them")


def _run_log(path: Path, compared: Mapping[str, Note], requests: Path) -> Iterator[Finding]:
    try:
        live, state = is_live(path), fold(read_events(path))
    except RecordError as error:
        yield _of_error(error, path)
        return
    if live:
        yield Finding("note", "a review is writing this run log", str(path), "wait for it")
        return
    if (noted := compared.get(path.name)) is not None and noted.result == "differs":
        step = "decide on none of its cards; review that change here: `review-agent review --base … --head …`"
        yield Finding("problem", f"git has it otherwise: {noted.why}", str(path), step)
    if state.ended is None:
        yield _unended(path, state, requests)
    yield from _torn(path)


def _unended(path: Path, state: RunState, requests: Path) -> Finding:
    """A run that goes on: by its command again, or with answers where it waits for them."""
    if state.stopped is None or state.stopped.get("status") != RunStatus.WAITING:
        return Finding("note", "this run has not ended", str(path), "the same review command goes on with it")
    waits = [file for ids in state.open.values() if (file := _file_of(set(ids), requests)) is not None]
    number = counted(sum(map(len, state.open.values())), "request")
    files = ", ".join(map(str, waits)) or f"a file that is gone from {requests}: the same command writes it again"
    scope = str((state.started.get("line") or {}).get("scope", ""))
    again = (
        "the command that began it"
        if scope.startswith(_IN_NO_COMMIT)
        else f"review-agent review --continue {path.stem}"
    )
    step = f"answer them as docs/assistants.md says; then {again} --answers FILE"
    return Finding("note", f"this run waits for answers to {number}, in {files}", str(path), step)


def _file_of(ids: set[str], requests: Path) -> Path | None:
    """The file that holds these requests and no others."""
    for file in sorted(requests.glob("*.jsonl")):
        with suppress(OSError, ValueError, LookupError, TypeError):
            if {json.loads(line)["custom_id"] for line in file.read_bytes().splitlines()} == ids:
                return file
    return None


def _of_error(error: RecordError, path: Path | None = None) -> Finding:
    return Finding("problem", error.message, error.where or str(path), error.hint)


def _torn(path: Path) -> Iterator[Finding]:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 1))
        torn = file.read(1) not in (b"", b"\n")
    if torn:
        yield Finding("note", "the last line is torn: it was never acknowledged", str(path), "the next writer moves it")


def _set_aside(state_dir: Path) -> Iterator[Finding]:
    for path in sorted([*state_dir.glob("*.torn-*"), *state_dir.glob("runs/*.torn-*")]):
        yield Finding("note", "a torn tail was moved aside here", str(path), "delete it once you have looked at it")


def _ledger(state_dir: Path, ledger: Callable[[], tuple[int, int, Marks]]) -> Iterator[Finding]:
    where = str(state_dir / "ledger.duckdb")
    try:
        version, newest, marks = ledger()
    except RecordError as error:
        yield _of_error(error)
        return
    if version > newest:
        yield Finding("problem", f"schema version {version} is of a newer product", where, "upgrade, or ledger rebuild")
    elif version < newest:
        yield Finding("note", f"schema version {version}, newest is {newest}", where, "the next command migrates it")
    yield from _lag(state_dir, marks)


def _pending(path: Path, taken: int) -> bool:
    """Whether the source is not as it was taken in; of the journal a torn tail never is."""
    if path.name != JOURNAL_FILE:
        return taken != path.stat().st_size
    with path.open("rb") as file:
        file.seek(taken)
        return b"\n" in file.read() or path.stat().st_size < taken


def _loss(path: Path, mark: Mark) -> RecordError | None:
    """What a run log lost; a log that cannot be read has its own finding."""
    with suppress(RecordError, OSError):
        return lost(path, sum(1 for _ in read_events(path)), mark.records)
    return None


def _lag(state_dir: Path, marks: Marks) -> Iterator[Finding]:
    journal = state_dir / JOURNAL_FILE
    sources = {path.name: path for path in sorted((state_dir / "runs").glob("*.jsonl"))}
    for name, path in {**sources, **({JOURNAL_FILE: journal} if journal.exists() else {})}.items():
        mark = marks.get(name, Mark(0, 0))
        if not _pending(path, mark.size):
            continue
        if name != JOURNAL_FILE and (loss := _loss(path, mark)) is not None:
            yield _of_error(loss)
        else:
            yield Finding("note", "the ledger has not taken all of this in yet", str(path), "the next command does")
    for name in sorted(set(marks) - set(sources) - {JOURNAL_FILE}):
        yield Finding(
            "problem",
            "the run log is gone; the ledger still has its cards",
            str(state_dir / "runs" / name),
            "put it back, or run `review-agent ledger rebuild` to drop them",
        )
    if JOURNAL_FILE in marks and marks[JOURNAL_FILE].size and not journal.exists():
        yield Finding(
            "problem", "the journal is gone; its decisions are in the ledger only", str(journal), "put it back"
        )
