"""Files as wholes, and what people read in them: edits that no outline is needed for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from review_agent.sources import Sources
from review_agent.syntax.edits.blocks_added import added_blocks
from review_agent.syntax.edits.files import file_edits
from review_agent.syntax.edits.prose import prose_edits
from review_agent.syntax.edits.respelled import respelled
from review_agent.syntax.edits.untried import untried
from review_agent.vocabulary import Edit, FailedFile, FileChange, Question, Skipped, SkipRule

__all__ = ["examined_moves", "whole_edits"]


def whole_edits(
    files: Sequence[FileChange], skipped: Sequence[Skipped], failed: Iterable[FailedFile], new: Sources
) -> Iterator[Edit]:
    """Edits of the files that are examined and of those that only moved, none in hunks that are set aside."""
    aside = {one.hunk_id for one in skipped}
    rules = {one.path: one.rule for one in skipped if one.hunk_id is None}
    broken = {one.path for one in failed}
    examined = [one for one in files if one.path not in rules and one.path not in broken]
    moved = [one for one in files if rules.get(one.path) is SkipRule.PURE_RENAME and _has_lines(one, new)]
    found = [
        *file_edits([*examined, *moved]),
        *(
            edit
            for change in examined
            for edit in (
                *prose_edits(change),
                *respelled(change, new.paths, partial(_lines, change, new)),
                *added_blocks(change),
                *untried(change, new.paths),
            )
        ),
    ]
    yield from (edit for edit in found if edit.hunk_id not in aside)


def _has_lines(change: FileChange, new: Sources) -> bool:
    return bool(_lines(change, new))


def _lines(change: FileChange, new: Sources) -> Sequence[str]:
    source = new.get(change.path)
    return source.lines if source is not None else ()


def examined_moves(skipped: Iterable[Skipped], questions: Iterable[Question]) -> Iterator[Skipped]:
    """The skips without those of moves that a question is about: what such a move leaves behind was looked for."""
    asked = {one.path for one in questions}
    yield from (one for one in skipped if one.rule is not SkipRule.PURE_RENAME or one.path not in asked)
