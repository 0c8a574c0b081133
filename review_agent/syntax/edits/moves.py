"""Edits of whole files: a module that was moved or renamed while it changed."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.scopes import Scopes
from review_agent.vocabulary import EditOp, FactValue, FileStatus, Side

__all__ = ["find"]


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """module_moved."""
    change = frame.change
    if change.status is not FileStatus.RENAMED or change.path == change.old_path or not frame.runs:
        return
    run = frame.runs[0]
    side, line = (Side.NEW, run.new[0]) if run.new else (Side.OLD, run.old[0])
    facts: dict[str, FactValue] = {"oldPath": change.old_path, "newName": change.path, "function": ""}
    yield Sighting(
        EditOp.MODULE_MOVED, Spot(run.hunk, side, line, line), "", change.old_path, change.old_path, change.path, facts
    )
