"""What a run log establishes of one review, in the form that attribution asks it: nothing is run again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from review_agent.replay.judging import place_of
from review_agent.replay.places import file_of, meets
from review_agent.replay.records import Place
from review_agent.runlog import RunState
from review_agent.stages.account import records
from review_agent.vocabulary import (
    Bundle,
    ChangeKind,
    Edit,
    FailedFile,
    FileChange,
    NoFinding,
    Phase,
    Question,
    Rejection,
    ReviewDocument,
    Skipped,
    SourceRef,
    Unanswered,
)

__all__ = ["Trail", "trail"]


@dataclass(frozen=True)
class Trail:
    """``kinds`` are those that could ask; null in a run log of an older version, which does not say."""

    files: tuple[FileChange, ...]
    edits: tuple[Edit, ...]
    questions: tuple[Question, ...]
    skipped: tuple[Skipped, ...]
    failed: tuple[FailedFile, ...]
    bundles: dict[str, Bundle]
    no_findings: dict[str, NoFinding]
    rejections: dict[str, list[Rejection]]
    unanswered: dict[str, Unanswered]
    kinds: frozenset[ChangeKind] | None

    def edits_at(self, places: Sequence[Place]) -> list[Edit]:
        """Edits whose changed lines overlap any of the places."""
        return [edit for edit in self.edits if self._any(_place_of_edit(edit), places, 0)]

    def questions_at(self, places: Sequence[Place], slack: int) -> list[Question]:
        """Questions anchored at any of the places, or about an edit there."""
        return [
            one
            for one in self.questions
            if self._any(place_of(one.anchor), places, slack)
            or any(self._any(_place_of_edit(edit), places, 0) for edit in one.edits)
        ]

    def holds(self, bundle: Bundle | None, place: Place) -> bool:
        """Whether a bundle has evidence from a place."""
        return bundle is not None and any(self._same_lines(one.ref, place) for one in bundle.evidence)

    def _same_lines(self, ref: SourceRef, place: Place) -> bool:
        here = place_of(ref)
        if file_of(place, self.files) is None:  # both sides of a file that did not change are one
            here = here.model_copy(update={"side": place.side})
        return meets(here, place, 0, self.files)

    def _any(self, here: Place, places: Sequence[Place], slack: int) -> bool:
        return any(meets(here, place, slack, self.files) for place in places)


def _place_of_edit(edit: Edit) -> Place:
    path = edit.old_path if edit.side == "old" else edit.path
    return Place(path=path, side=edit.side, start=max(1, edit.start_line), end=max(1, edit.end_line))


def trail(state: RunState, document: ReviewDocument) -> Trail:
    """The trail of a run as its log has it."""
    outcomes = document.outcomes
    rejections: dict[str, list[Rejection]] = defaultdict(list)
    for rejection in outcomes.rejections:
        rejections[rejection.question_id].append(rejection)
    return Trail(
        files=records(state, Phase.SNAPSHOT, "file", FileChange),
        edits=records(state, Phase.COMPILE, "edit", Edit),
        questions=records(state, Phase.COMPILE, "question", Question),
        skipped=outcomes.skipped,
        failed=document.coverage.failed,
        bundles={one.question_id: one for one in records(state, Phase.COLLECT, "bundle", Bundle)},
        no_findings={one.question_id: one for one in outcomes.no_findings},
        rejections=dict(rejections),
        unanswered={one.question_id: one for one in outcomes.unanswered},
        kinds=_kinds(state),
    )


def _kinds(state: RunState) -> frozenset[ChangeKind] | None:
    """The kinds that could ask a question in this run."""
    told = [event.data["asked"] for event in state.records.get(Phase.COMPILE, ()) if event.type == "kinds"]
    return frozenset(ChangeKind(kind) for kind in told[-1]) if told else None
