"""What git itself says of a hostile situation's change, asked in a room of its own; and the account that a run gave."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from review_agent.diff import display_path
from review_agent.runlog import RunState
from review_agent.stages.account import records
from review_agent.vocabulary import FileChange, Phase, ReviewDocument, Side

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures"))

from hostile import SITUATIONS, UNSEEN, Case, Site

__all__ = ["SITUATIONS", "UNSEEN", "Case", "Site", "Told", "account", "by_git", "by_run"]
__all__ += ["fingerprint", "opened", "parsed"]

DIFF = ("diff-tree", "-r", "--full-index", "--find-renames=50%", "-l1000", "--no-ext-diff", "--no-textconv")


class Told(NamedTuple):
    """A changed file: raw list, numstat (null for binary) and number of hunks."""

    path: str
    old_path: str
    letter: str
    modes: tuple[str, str]
    blobs: tuple[str, str]
    lines: tuple[int, int] | None
    hunks: int


def account(document: ReviewDocument, files: tuple[FileChange, ...]) -> dict[str, str]:
    """``STATUS HUNKS FATE`` by path, as situations expect it. A path that stands twice fails."""
    twice = [path for path, times in Counter(file.path for file in files).items() if times > 1]
    assert not twice, f"several files are called {twice}"
    return {file.path: f"{file.status} {len(file.hunks)} {_fate(document, file)}{_from(file)}" for file in files}


def _from(file: FileChange) -> str:
    return f" < {file.old_path}" if file.old_path != file.path else ""


def _fate(document: ReviewDocument, file: FileChange) -> str:
    skips = [one for one in document.outcomes.skipped if one.path == file.path and one.question_id is None]
    if any(one.path == file.path for one in document.coverage.failed):
        assert not skips
        return "failed"
    whole = [one.rule for one in skips if one.hunk_id is None]
    parts = {one.hunk_id: one.rule for one in skips if one.hunk_id is not None}
    if whole:
        assert len(skips) == 1
        return str(whole[0])
    if file.hunks and all(hunk.hunk_id in parts for hunk in file.hunks):
        return "+".join(sorted(set(parts.values())))
    return "lines" if file.path in document.coverage.line_facts_only else "examined"


def by_run(state: RunState) -> list[Told]:
    """The changed files as the run recorded them."""
    return [_told(file) for file in records(state, Phase.SNAPSHOT, "file", FileChange)]


def _told(file: FileChange) -> Told:
    counted = tuple(sum(len(hunk.changed(side)) for hunk in file.hunks) for side in (Side.NEW, Side.OLD))
    cut = any(hunk.old_count + hunk.new_count and not hunk.lines for hunk in file.hunks)
    moves = sum(not hunk.lines and not hunk.old_count and not hunk.new_count for hunk in file.hunks)
    none = "0" * len(file.old_blob or file.new_blob or "")
    return Told(
        path=file.path,
        old_path=file.old_path,
        letter=file.status.value[0].upper(),
        modes=(file.old_mode, file.new_mode),
        blobs=(file.old_blob or none, file.new_blob or none),
        lines=None if file.binary or cut else (counted[0], counted[1]),
        hunks=len(file.hunks) - moves,
    )


def by_git(site: Site, case: Case, document: ReviewDocument, room: Path) -> list[Told]:
    """The changed files as git lists them, without the configuration and attributes of the repository."""
    base, head = document.run.merge_base, document.run.head
    if {"--staged", "--worktree", "--diff"} & set(case.arguments):
        site, head = _committed(site, case, room)
    bare = _bare(site, case, room / "bare", len(head))
    raw = _git(bare, *DIFF, "--raw", "-z", base, head).split(b"\0")[:-1]
    numstat = _git(bare, *DIFF, "--numstat", "-z", base, head).split(b"\0")[:-1]
    hunks = _hunks(_git(bare, *DIFF, "--patch", base, head))
    found = []
    while raw:
        words = raw.pop(0).decode().lstrip(":").split(" ")
        paths = [display_path(raw.pop(0)) for _ in range(1 + (words[4][0] in "RC"))]
        counts = numstat.pop(0).split(b"\t", 2)
        if not counts[2]:
            del numstat[:2]
        lines = None if counts[0] == b"-" else (int(counts[0]), int(counts[1]))
        own = sum(hunks.pop(0) for _ in range(1 + (words[4][0] == "T")))
        modes, blobs = (words[0], words[1]), (words[2], words[3])
        found.append(Told(paths[-1], paths[0], words[4][0], modes, blobs, lines, own))
    assert not numstat
    assert not hunks
    return found


def _hunks(patch: bytes) -> list[int]:
    """Hunks of each file of a patch: content never begins a line without a sign of its own."""
    counts: list[int] = []
    for line in patch.split(b"\n"):
        if line.startswith(b"diff --git "):
            counts.append(0)
        elif line.startswith(b"@@ -"):
            counts[-1] += 1
    return counts


def _bare(site: Site, case: Case, bare: Path, width: int) -> Path:
    form = "sha256" if width == 64 else "sha1"
    _git(site.folder, "init", "-q", "--bare", f"--object-format={form}", str(bare))
    at = site.folder / case.at
    objects = next(one for one in (at / ".git/objects", at / "objects", site.repo / ".git/objects") if one.is_dir())
    (bare / "objects/info/alternates").write_text(f"{objects}\n")
    return bare


def _committed(site: Site, case: Case, room: Path) -> tuple[Site, str]:
    """A copy of the repository without its settings, where git commits what is reviewed."""
    copy = object.__new__(Site)
    copy.folder, copy.repo = room, room / "repo"
    shutil.copytree(site.repo, copy.repo, symlinks=True, ignore=_pipes)
    shutil.rmtree(copy.repo / ".git/hooks", ignore_errors=True)
    shutil.rmtree(copy.repo / ".git/info", ignore_errors=True)
    (copy.repo / ".git/config").write_text("[core]\n\trepositoryformatversion = 0\n")
    if "--worktree" in case.arguments:
        _git(copy.repo, "add", "-A")
    if "--diff" in case.arguments:
        patch = case.arguments[case.arguments.index("--diff") + 1]
        _git(copy.repo, "reset", "-q", "--hard", _base(case))
        _git(copy.repo, "apply", "--index", "--allow-empty", patch)
    _git(copy.repo, "commit", "-q", "--allow-empty", "-m", "x")
    return copy, _git(copy.repo, "rev-parse", "HEAD").decode().strip()


def _base(case: Case) -> str:
    return case.arguments[case.arguments.index("--base") + 1] if "--base" in case.arguments else "HEAD"


def _pipes(folder: str, names: list[str]) -> list[str]:
    places = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return [name for name, mode in places.items() if stat.S_ISFIFO(mode) or name == ".review-agent"]


def _git(at: Path, *args: str) -> bytes:
    who = {f"GIT_{one}_{what}": "x" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    variables = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", **who}
    variables |= {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_ATTR_NOSYSTEM": "1"}
    done = subprocess.run(["git", *args], cwd=at, env=variables, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout


_watched: list[list[str]] = []


def _note(event: str, args: tuple[object, ...]) -> None:
    if _watched and event in ("open", "os.listdir", "os.scandir") and isinstance(args[0], (str, bytes)):
        path = os.fsdecode(args[0])
        if os.path.isabs(path):  # a name below an open folder says nothing of where that is
            _watched[-1].append(os.path.realpath(path))


sys.addaudithook(_note)


@contextmanager
def opened() -> Iterator[list[str]]:
    """Every file and folder that this process opens by its full name meanwhile, links followed."""
    _watched.append(paths := [])
    yield paths
    _watched.pop()


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file below a folder by the hash of its bytes, links by their targets, without what a review may write."""
    found = {}
    for here, folders, names in os.walk(os.fsencode(folder)):
        folders[:] = [name for name in folders if name != b".review-agent"]
        for name in (*folders, *names):
            place = os.path.join(here, name)
            found[os.fsdecode(place)] = _content(place)
    return found


def _content(place: bytes) -> str:
    mode = os.lstat(place).st_mode
    if stat.S_ISLNK(mode):
        return f"link {os.fsdecode(os.readlink(place))}"
    if not stat.S_ISREG(mode):
        return f"mode {mode:o}"
    with open(place, "rb") as file:
        return f"{mode:o} {hashlib.file_digest(file, 'sha256').hexdigest()}"


def parsed(text: str) -> ReviewDocument:
    """The document that was printed, as strictly as it is written."""
    return ReviewDocument.model_validate(json.loads(text))
