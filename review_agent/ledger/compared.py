"""Which runs from elsewhere were compared with git, and what came of it: ``compared.jsonl`` beside the run logs.

What is not noted there counts as not compared, so that a lost file makes nothing look surer than it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from review_agent.appendlog import AppendLog, read
from review_agent.errors import RecordError
from review_agent.journal import LOCK_FILE
from review_agent.runlog import is_from_elsewhere

__all__ = ["COMPARED_FILE", "Note", "doubt", "note", "notes"]

COMPARED_FILE = "compared.jsonl"
_NEVER = "it was taken in before they were looked at; run the same `ledger ingest` again"


@dataclass(frozen=True)
class Note:
    """What came of comparing so many bytes of a run log. ``why``: what is missing, or how git has it otherwise."""

    run: str
    bytes: int
    result: Literal["agrees", "around", "missing", "differs"]
    why: str = ""


def notes(state_dir: Path) -> dict[str, Note]:
    """The newest note on each run; empty where the file cannot be read."""
    path = state_dir / COMPARED_FILE
    with suppress(RecordError, LookupError, TypeError):
        return {one["run"]: Note(**one) for one in read(path)} if path.exists() else {}
    return {}


def note(state_dir: Path, new: Note) -> None:
    """Keeps a note. Raises RecordError or StorageFullError."""
    log = AppendLog(state_dir / COMPARED_FILE, state_dir / LOCK_FILE)
    with log.lock():
        log.append([{"run": new.run, "bytes": new.bytes, "result": new.result, "why": new.why}])


def doubt(runs_dir: Path, run_file: str, known: Mapping[str, Any] | None = None) -> str:
    """Why the lines that a run shows may not be those of the commits; empty where they are, and for a run of this
    clone, which read them from git itself."""
    path = runs_dir / run_file
    if not is_from_elsewhere(path):
        return ""
    found = (notes(runs_dir.parent) if known is None else known).get(run_file)
    with suppress(OSError):
        if found is None or found.bytes != path.stat().st_size:
            return f"its lines were not compared with git: {_NEVER}"
    if found is None or found.result in ("agrees", "around"):
        return ""
    said = "git has it otherwise" if found.result == "differs" else "its lines were not compared with git"
    return f"{said}: {found.why}"
