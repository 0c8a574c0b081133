"""Edits of whole files of any kind: one that was moved or renamed, one that was removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.syntax.languages import PARSED, language_of
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, FileStatus, Side

__all__ = ["file_edits"]

# Moves and removals that one review asks about: a whole tree that went is one thing, not hundreds.
_MOST = 16


def file_edits(changes: Iterable[FileChange]) -> Iterator[Edit]:
    """file_moved and file_removed, and module_moved of a file that only moved; those nearest the root first."""
    gone = [one for one in changes if one.hunks and (_is_moved(one) or one.status is FileStatus.DELETED)]
    for change in sorted(gone, key=lambda one: (one.old_path.count("/"), one.old_path))[:_MOST]:
        yield from as_edits(change, language_of(change.old_path) or "text", _seen(change))


def _is_moved(change: FileChange) -> bool:
    return change.status is FileStatus.RENAMED and change.path != change.old_path


def _seen(change: FileChange) -> Iterator[Sighting]:
    old, new = change.old_path, change.path
    if not _is_moved(change):
        yield Sighting(EditOp.FILE_REMOVED, Spot(0, Side.OLD, 1, 1), "", old, old, None, {"function": ""})
        return
    spot = _spot(change)
    facts: dict[str, FactValue] = {"oldPath": old, "newName": new, "function": ""}
    yield Sighting(EditOp.FILE_MOVED, spot, "", old, old, new, facts)
    if not change.hunks[0].lines and language_of(new) in PARSED:
        yield Sighting(EditOp.MODULE_MOVED, spot, "", old, old, new, facts)


def _spot(change: FileChange) -> Spot:
    """The first changed line; of a file that only moved its first one."""
    hunk = change.hunks[0]
    for side in (Side.NEW, Side.OLD):
        lines = hunk.changed(side)
        if lines:
            return Spot(0, side, lines[0], lines[0])
    return Spot(0, Side.NEW, 1, 1)
