"""Edits: what changed between two outlines of one file, as the typed facts of docs/edits.md.

``edits`` is pure. A fact that only moved, was re-indented, or was renamed with all its uses gives no edit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from review_agent.syntax.edits import (
    arguments,
    assignments,
    blocks,
    branches,
    components,
    cut,
    decorators,
    documented,
    effects,
    enums,
    fields,
    goerrors,
    guards,
    handlers,
    holding,
    inserted,
    leftovers,
    mentions,
    miscommented,
    moves,
    optionals,
    order,
    patterns,
    raises,
    references,
    releases,
    replacements,
    results,
    retries,
    returns,
    signatures,
    sql,
    states,
    steps,
    testing,
    twins,
    unshown,
    values,
)
from review_agent.syntax.edits import symbols as whole_symbols
from review_agent.syntax.edits.bounds import comparable
from review_agent.syntax.edits.frame import Frame, Sighting, Spot
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.edits.sql_files import plain_sql
from review_agent.syntax.model import Outline
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Edit, EditOp, FileChange, FileStatus, Side, digest

__all__ = ["as_edits", "comparable", "edits"]

FINDERS = (
    whole_symbols.find,
    signatures.find,
    patterns.find,
    returns.find,
    results.find,
    fields.find,
    handlers.find,
    retries.find,
    raises.find,
    guards.find,
    values.find,
    references.find,
    optionals.find,
    effects.find,
    arguments.find,
    blocks.find,
    holding.find,
    decorators.find,
    components.find,
    sql.find,
    testing.find,
    assignments.find,
    branches.find,
    order.find,
    replacements.find,
    leftovers.find,
    twins.find,
    documented.find,
    mentions.find,
    releases.find,
    states.find,
    steps.find,
    moves.find,
    cut.find,
    enums.find,
    inserted.find,
    miscommented.find,
    unshown.find,
)
OPS = {op: number for number, op in enumerate(EditOp)}


_ADDED = (FileStatus.ADDED, FileStatus.TYPE_CHANGED)


def edits(
    change: FileChange,
    *,
    language: str,
    old: Outline | None,
    new: Outline | None,
    old_lines: Sequence[str],
    new_lines: Sequence[str],
) -> tuple[Edit, ...]:
    """The edits of one changed file, in the order of the file.

    An outline is null where that side could not be parsed; the side that an added or deleted file lacks counts as
    empty, and so does a link that a file takes the place of. Where a link takes the place of a file, what it leads to
    may hold all that the file held. Without both outlines, or with more changed facts than are ``comparable``, each
    hunk gives one ``lines_changed``.
    """
    before = _nothing(language) if new is not None and change.status in _ADDED else old
    after = _nothing(language) if old is not None and change.status is FileStatus.DELETED else new
    if before is None or after is None or before.errors or after.errors or not comparable(change, before, after):
        found = plain_sql(change) if change.path.endswith(".sql") else iter(())
        return as_edits(change, language, (*_by_lines(change), *found))
    frame = Frame(change, language, before, after, old_lines, new_lines)
    scopes = Scopes(frame)
    finders = (*FINDERS, goerrors.find) if language == "go" else FINDERS
    sightings = [found for finder in finders for found in finder(frame, scopes)]
    # That a test changed at all counts, whatever in it did.
    return as_edits(change, language, sightings or (_by_lines(change) if in_test(change.path) else ()))


def _nothing(language: str) -> Outline:
    """The outline of a file that does not exist."""
    return Outline(language, 0, 0, "", None, False, (), (), (), (), (), (), (), (), (), (), ())


def _by_lines(change: FileChange) -> Iterator[Sighting]:
    for number, hunk in enumerate(change.hunks):
        removed, added = hunk.changed(Side.OLD), hunk.changed(Side.NEW)
        lines = added or removed
        if lines:
            last = next((line for line, after in pairwise(lines) if after != line + 1), lines[-1])
            spot = Spot(number, Side.NEW if added else Side.OLD, lines[0], last)
            facts = {"removed": len(removed), "added": len(added)}
            yield Sighting(EditOp.LINES_CHANGED, spot, "", "", None, None, facts)


def as_edits(change: FileChange, language: str, sightings: Iterable[Sighting]) -> tuple[Edit, ...]:
    """Sightings as edits: in the order of the file, each with its id."""
    ordinals: Counter[str] = Counter()
    found = []
    for one in sorted(sightings, key=_place):
        identity = {
            "op": one.op,
            "hunk_id": change.hunks[one.spot.hunk].hunk_id,
            "side": one.spot.side,
            "start": one.spot.start,
            "end": one.spot.end,
            "subject": one.subject,
        }
        ordinal = ordinals[digest(identity)]
        ordinals[digest(identity)] += 1
        found.append(_edit(change, language, one, digest({**identity, "ordinal": ordinal})[:16]))
    return tuple(found)


def _place(one: Sighting) -> tuple[int, int, str, int, str, str]:
    return one.spot.hunk, one.spot.start, one.spot.side, OPS[one.op], one.subject, str(one.after)


def _edit(change: FileChange, language: str, one: Sighting, edit_id: str) -> Edit:
    return Edit(
        edit_id=edit_id,
        op=one.op,
        hunk_id=change.hunks[one.spot.hunk].hunk_id,
        path=change.path,
        old_path=change.old_path,
        language=language,
        side=one.spot.side,
        start_line=one.spot.start,
        end_line=one.spot.end,
        scope=one.scope,
        subject=one.subject,
        before=one.before,
        after=one.after,
        facts=dict(one.facts),
    )
