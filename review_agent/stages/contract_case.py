"""What a draft is judged against: the question's hunk, what was retrieved, and every name and number they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from review_agent.errors import RecordError
from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.contract_text import folded, names_in, numbers_in, stands_in, tokens_in
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    Draft,
    Effect,
    FileChange,
    Hunk,
    Question,
    Resolution,
    Side,
    Snapshot,
    SourceRef,
)

__all__ = ["Case", "Known"]

_MOST_LINES = 4_000
# Words of ours inside facts and edits: they say how a thing was found, not what stands in the code.
_OUR_WORDS = frozenset(
    {
        "fact",
        "resolution",
        "reason",
        "use",
        "symbol",
        "kind",
        "act",
        "carrier",
        "result",
        "returns",
        "symbolKind",
        "testKind",
        "form",
        "transition",
        "action",
        "actions",
        "beforeActions",
        "afterActions",
        "origin",
    }
)


@dataclass(frozen=True)
class Known:
    """All that diff and evidence say. ``text`` is folded source text, one place a line; ``paths`` are whole."""

    text: str
    names: frozenset[str]
    numbers: frozenset[str]
    paths: frozenset[str]

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words that the paths are made of."""
        return frozenset(word for path in self.paths for word in re.split(r"[^a-z0-9]+", path.lower()) if word)

    def path(self, text: str) -> frozenset[str]:
        """The paths that a text can mean: itself, or what ends in it after a slash."""
        wanted = text.removeprefix("./").rstrip("/")
        return frozenset(path for path in self.paths if path == wanted or path.endswith(f"/{wanted}"))

    def verbatim(self, text: str) -> bool:
        """Whether a piece of code stands in diff or evidence as it is, but for whitespace."""
        return stands_in(folded(text), self.text)


@dataclass(frozen=True)
class Case:
    """One question with everything that its drafts are held against."""

    question: Question
    bundle: Bundle
    snapshot: Snapshot
    policy: Policy
    sources: Mapping[Side, Sources]

    @cached_property
    def file(self) -> FileChange:
        """The changed file of the question's hunk. Raises RecordError where the snapshot has no such hunk."""
        for file in self.snapshot.files:
            if any(hunk.hunk_id == self.question.hunk_id for hunk in file.hunks):
                return file
        raise RecordError(
            f"question {self.question.question_id} is about a hunk that the snapshot does not have",
            where=self.question.path,
            hint="the run log and the snapshot are of different changes; review again",
        )

    @cached_property
    def hunk(self) -> Hunk:
        """The question's hunk."""
        return next(hunk for hunk in self.file.hunks if hunk.hunk_id == self.question.hunk_id)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The hunks that a card may speak of: the whole change, as far as that is no more than a person would look
        through; else those of its file, or its own alone."""
        whole = tuple(hunk for file in self.snapshot.files for hunk in file.hunks)
        own = tuple(self.file.hunks)
        return next((some for some in (whole, own) if sum(len(one.lines) for one in some) <= _MOST_LINES), (self.hunk,))

    @cached_property
    def changed_text(self) -> Mapping[str, str]:
        """The hunk's removed (``-``) and added (``+``) lines as text."""
        return {tag: "\n".join(line.text for line in self.hunk.lines if line.tag == tag) for tag in "-+"}

    @cached_property
    def changed_tokens(self) -> Mapping[str, tuple[str, ...]]:
        """The same as tokens."""
        return {tag: tokens_in(text) for tag, text in self.changed_text.items()}

    def home(self, side: Side) -> tuple[str, str, str | None]:
        """(path, commit, blob) of the changed file on one side."""
        if side is Side.OLD:
            return self.file.old_path, self.snapshot.merge_base, self.file.old_blob
        return self.file.path, self.snapshot.head, self.file.new_blob

    def shown(self, side: Side) -> range:
        """The lines of one side that the hunk shows, context included."""
        hunk = self.hunk
        start, count = (hunk.old_start, hunk.old_count) if side is Side.OLD else (hunk.new_start, hunk.new_count)
        return range(start, start + count)

    @cached_property
    def known(self) -> Known:
        """The vocabulary that a card may use."""
        paths = {self.file.path, self.file.old_path, *(one.ref.path for one in self.bundle.evidence)}
        paths |= {hunk.path for hunk in self.hunks}
        texts = [text for hunk in self.hunks for text in (*(line.text for line in hunk.lines), hunk.section)]
        texts += [line for one in self.bundle.evidence for line in one.text.splitlines()]
        texts += [text for edit in self.question.edits for text in _strings(_of_edit(edit))]
        texts += [text for one in self.bundle.evidence for fact in one.facts for text in _strings(fact.model_dump())]
        whole = "\n".join([*(folded(text) for text in texts), *sorted(paths)])
        return Known(whole, names_in(whole), numbers_in(whole), frozenset(paths))

    def counts(self, draft: Draft) -> frozenset[str]:
        """Numbers that count what was retrieved: supporting refs and their files, calls, hits of queries."""
        calls = [fact for one in self.bundle.evidence for fact in one.facts if isinstance(fact, CallFact)]
        resolved = [fact for fact in calls if fact.resolution is Resolution.RESOLVED]
        counted = {len(draft.supporting_refs), len({ref.path for ref in draft.supporting_refs}), len(resolved)}
        for one in self.bundle.queries:
            counted |= {one.hits, one.resolved, one.ambiguous, one.unresolved, one.files_searched}
        return frozenset(str(number) for number in counted)

    def refs(self, draft: Draft) -> tuple[SourceRef, ...]:
        """The draft's own refs, anchor first."""
        return (draft.diff_anchor, *draft.supporting_refs)


def _of_edit(edit: Any) -> dict[str, Any]:
    return {
        "scope": edit.scope,
        "subject": edit.subject,
        "before": edit.before,
        "after": edit.after,
        "facts": edit.facts,
    }


def _strings(data: Any) -> Iterator[str]:
    """Every string inside plain data, our own words left out."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        yield from (text for key, value in data.items() if key not in _OUR_WORDS for text in _strings(value))
    elif isinstance(data, (list, tuple)):
        yield from (text for value in data for text in _strings(value))


def words_of(effect: Effect) -> frozenset[str]:
    """The names in an effect's subject and target."""
    return names_in(f"{effect.subject} {effect.to or ''}")
