"""What is fuzzed: each target takes any bytes and may raise nothing but the errors its docstring promises.

``TARGETS`` maps a name to (modules that are watched for new paths, a function that builds the target). A seed is an
input that reaches far; ``seeds`` gives some for each target.
"""

from __future__ import annotations

import atexit
import contextlib
import copy
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Target = Callable[[bytes], None]
ROOT = Path(__file__).resolve().parent.parent


def _folder() -> Path:
    """A folder in memory where the machine has one."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def diff_target() -> Target:
    """git's raw list and patch, told apart by the first line's number of bytes; and a patch that stands alone."""
    from review_agent.diff import parse
    from review_agent.errors import DiffError, UsageError
    from review_agent.patchfile import read

    def run(data: bytes) -> None:
        raw, _, patch = data.partition(b"\xff\xff")
        try:
            for file in parse(raw, patch, str):
                for hunk in file.hunks:
                    assert sum(line.tag != "+" for line in hunk.lines) == hunk.old_count
                    assert sum(line.tag != "-" for line in hunk.lines) == hunk.new_count
        except DiffError:
            pass
        try:
            for one in read(patch):
                one.content(one.old)
        except UsageError:
            pass

    return run


def policy_target() -> Target:
    """One file of a control plane: the first byte says which."""
    from review_agent.policy.check import FILES, check_file

    names = sorted(FILES)

    def run(data: bytes) -> None:
        if data:
            _, problems = check_file(names[data[0] % len(names)], data[1:])
            assert all(str(problem) for problem in problems)

    return run


def runlog_target() -> Target:
    """A run log as a file, folded to the state that a new attempt goes on from."""
    from review_agent.errors import RecordError
    from review_agent.runlog import fold, read_events

    path = _folder() / "run.jsonl"

    def run(data: bytes) -> None:
        path.write_bytes(data)
        with contextlib.suppress(RecordError):
            fold(read_events(path))

    return run


def journal_target() -> Target:
    """A journal as a file: every record is known and sound, or its fault is told in words."""
    from review_agent.errors import RecordError
    from review_agent.journal import Journal, fault, is_known

    path = _folder() / "journal.jsonl"
    journal = Journal(path)

    def run(data: bytes) -> None:
        path.write_bytes(data)
        try:
            for record in journal.read():
                assert is_known(record) in (True, False)
                assert isinstance(fault(record), str)
        except RecordError:
            pass

    return run


def contract_target() -> Target:
    """A true card's draft with parts replaced: whatever comes in, a card or a rejection with codes comes out."""
    sys.path[:0] = [str(ROOT / "tests")]
    from truecards import world

    from review_agent.stages.contract import judge
    from review_agent.vocabulary import Rejection

    built = world()
    for source in built.sources.values():  # what a blob holds is read from git once, not at every draft
        source.holds = functools.cache(source.holds)  # type: ignore[method-assign]
    cases = [(*built.cases[name], tuple(_places(built.cases[name][2]))) for name in sorted(built.cases)]
    keywords = built.keywords()

    def run(data: bytes) -> None:
        if len(data) < 3:
            return
        question, bundle, draft, places = cases[data[0] % len(cases)]
        changed = _mutated(draft, places, data[1:])
        (verdict,) = judge(question, bundle, [changed], seen=set(), **keywords)
        assert verdict.kind == "card" or (isinstance(verdict, Rejection) and verdict.reasons)

    return run


def _mutated(draft: dict[str, Any], where: tuple[tuple[Any, ...], ...], data: bytes) -> Any:
    """The draft with one value replaced by what the bytes say: JSON where they are, else text or a cut of the old."""
    path = where[data[0] % len(where)]
    text = data[1:].decode("utf-8", "surrogateescape" if data[0] & 1 else "replace")
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    if not path:
        return value
    made = copy.copy(draft)
    holder: Any = made
    for part in path[:-1]:
        holder[part] = copy.copy(holder[part])
        holder = holder[part]
    old = holder[path[-1]]
    if isinstance(old, str) and isinstance(value, str) and value:
        at = value and ord(value[0]) % (len(old) + 1)
        value = old[:at] + value[1:] + old[at:]
    holder[path[-1]] = value
    return made


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items: Any = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from _places(value, (*path, key))


PARTS = ("", "_draft", "_anchor", "_claim", "_effect", "_support")
CONTRACT = tuple(f"review_agent.stages.contract{part}" for part in PARTS)

TARGETS: dict[str, tuple[tuple[str, ...], Callable[[], Target]]] = {
    "diff": (("review_agent.diff", "review_agent.patchfile", "review_agent.gitoutput"), diff_target),
    "policy": (("review_agent.policy",), policy_target),
    "runlog": (("review_agent.runlog", "review_agent.appendlog"), runlog_target),
    "journal": (("review_agent.journal", "review_agent.appendlog"), journal_target),
    "contract": (CONTRACT, contract_target),
}


def seeds(name: str) -> Iterator[bytes]:
    """Inputs to begin with, made from this repository's own files."""
    if name == "diff":
        yield from _diffs()
    elif name == "policy":
        from review_agent.policy.check import FILES

        for number, file in enumerate(sorted(FILES)):
            yield bytes([number]) + (ROOT / "policy" / file).read_bytes()[:1500]
    elif name in ("runlog", "journal"):
        yield from _logs(name)
    else:
        for number in range(200):
            yield bytes([number % 31, number]) + [b"null", b'"x"', b"{}", b"[1]", b"1e9", b"\x00zz"][number % 6]


def _diffs() -> Iterator[bytes]:
    commits = subprocess.run(["git", "-C", str(ROOT), "rev-list", "-n", "30", "HEAD"], capture_output=True, text=True)
    for commit in commits.stdout.split():
        flags = ("diff-tree", "-r", "--root", "--no-commit-id", "--full-index", "--no-abbrev", "-M")
        raw, patch = (
            subprocess.run(["git", "-C", str(ROOT), *flags, *more, commit], capture_output=True).stdout
            for more in (("--raw", "-z"), ("--patch",))
        )
        if len(patch) < 4000:
            yield raw + b"\xff\xff" + patch


def _logs(name: str) -> Iterator[bytes]:
    sys.path[:0] = [str(ROOT / "tests")]
    from made_runs import write_run

    folder = _folder()
    path = write_run(folder)
    lines = Path(path).read_bytes().splitlines(keepends=True) if name == "runlog" else []
    for start in range(0, len(lines), 4):
        yield b"".join(lines[: start + 4])
    for file in folder.rglob("journal.jsonl"):
        yield file.read_bytes()
    yield b'{"kind":"decision","schemaVersion":"1.0"}\n{"kind":"x"}\n'


def where() -> str:
    """The folder that inputs are kept in between runs."""
    return os.environ.get("FUZZ_CORPUS", str(ROOT / ".fuzz"))
