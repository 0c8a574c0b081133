"""Folders of cases become jobs: every ``case.yml`` below a folder is a case, its halves are reviewed one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from review_agent.errors import UsageError
from review_agent.replay.casefile import FILE, CaseFile, read
from review_agent.replay.records import CLEAN, DEFECT, Expected, Half, Job, Overlay
from review_agent.vocabulary import canonical, digest

__all__ = ["jobs_of_folders", "tree_digest"]


def jobs_of_folders(folders: Sequence[Path]) -> list[Job]:
    """The halves of all cases below some folders, in order of their names.

    A case is called by its path below the folder given (by its own name where it is that folder). Raises UsageError
    for a folder without cases, a case that does not read, and a name that two cases share.
    """
    jobs: list[Job] = []
    for folder in folders:
        jobs += _below(folder)
    names = [job.unit for job in jobs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two cases are called {twice}", hint="replay them in two runs, or rename a folder")
    return jobs


def _below(folder: Path) -> Iterator[Job]:
    if not folder.is_dir():
        raise UsageError("there is no such folder of cases", where=str(folder), hint="name a folder that holds cases")
    files = sorted(folder.rglob(FILE))
    if not files:
        hint = f"a case is a folder with a {FILE}: docs/replay.md"
        raise UsageError(f"no {FILE} lies below this folder", where=str(folder), hint=hint)
    for file in files:
        name = file.parent.relative_to(folder).as_posix()
        yield from _halves(file.parent.resolve(), folder.resolve().name if name == "." else name)


def _halves(place: Path, name: str) -> Iterator[Job]:
    case = read(place / FILE)
    project = _project(place, case)
    yield _job(place, name, case, project, DEFECT)
    if case.twin is not None:
        yield _job(place, name, case, project, "twin")


def _project(place: Path, case: CaseFile) -> Path | None:
    """The shared base tree: ``projects/NAME`` beside any folder above the case."""
    if case.project is None:
        return None
    for above in place.parents:
        found = above / "projects" / case.project
        if found.is_dir():
            return found
    message = f"no folder projects/{case.project} lies above the case"
    raise UsageError(message, where=str(place / FILE), hint="make it, or leave out `project` and give a whole base/")


def _job(place: Path, name: str, case: CaseFile, project: Path | None, half: Half) -> Job:
    removed = case.defect.removed if half == DEFECT else case.twin.removed if case.twin else ()
    base = [folder for folder in (project, place / half / "base") if folder is not None and folder.is_dir()]
    head = [folder for folder in (place / half / "head",) if folder.is_dir()]
    _check(place, half, base, head, removed)
    origin = Overlay(base=tuple(map(str, base)), head=tuple(map(str, head)), removed=removed)
    expected = _expected(case) if half == DEFECT else Expected(answer=CLEAN)
    content = digest([expected.wire(), list(removed), [tree_digest(one) for one in (*base, *head)]])
    return Job(
        unit=f"{name}:{half}",
        case=name,
        half=half,
        kind=case.kind,
        language=case.language,
        evidence=case.evidence,
        project=case.project or "",
        origin=origin,
        expected=expected,
        content=content,
    )


def _check(place: Path, half: str, base: Sequence[Path], head: Sequence[Path], removed: Iterable[str]) -> None:
    if not base:
        message = f"the {half} has no base tree"
        raise UsageError(message, where=str(place), hint=f"name a `project`, or give {half}/base/ with all files")
    if not head and not list(removed):
        raise UsageError(f"the {half} changes nothing", where=str(place), hint=f"give {half}/head/ or `removed` paths")
    for path in removed:
        if not any((folder / path).is_file() for folder in (*base, *head)):
            message = f"{half}.removed names a file that the base does not have: {path}"
            raise UsageError(message, where=str(place), hint="name a file of the base, or take the line out")


def _expected(case: CaseFile) -> Expected:
    kinds = tuple(dict.fromkeys((case.kind, *case.defect.accepted_kinds)))
    proof = tuple(one.model_dump(exclude={"shows"}) for one in case.defect.proof)
    places = case.defect.lines
    return Expected.model_validate(
        {"answer": DEFECT, "kinds": kinds, "places": [one.model_dump() for one in places], "proof": proof}
    )


def tree_digest(folder: Path) -> str:
    """Digest of the paths and bytes of all files below a folder."""
    made = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.suffix != ".pyc"):
        name = path.relative_to(folder).as_posix()
        made.update(canonical([name, hashlib.sha256(path.read_bytes()).hexdigest()]))
    return made.hexdigest()
