"""What a card says: concrete, in names and numbers that diff or evidence hold, with its doubts listed as doubts.

The impact restates the claim when fewer than two, or less than a quarter, of its content words are new to the claim:
a copy with a "when it is called" behind it stays below both, and an honest condition names at least a caller or a
value that the claim does not. It is empty below three content words. Uncertainty that says "none" is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from review_agent.counting import counted
from review_agent.stages.contract_case import Case, words_of
from review_agent.stages.contract_draft import reason
from review_agent.stages.contract_text import (
    code_like,
    content_words,
    denies_doubt,
    folded,
    is_path,
    lines_apart,
    mentions,
    names_in,
    numbers_in,
    prose,
    quoted,
)
from review_agent.stages.contract_words import LANGUAGE_WORDS
from review_agent.vocabulary import Confidence, ContractCode, ContractReason, Draft, Side, SourceRef

__all__ = ["check_claim", "check_doubt", "check_impact", "check_words"]

_MIN_IMPACT_WORDS = 3
_MIN_NEW_WORDS = 2
_MIN_NEW_SHARE = 0.25
_MIN_DOUBT_WORDS = 2
_PLACE_SUFFIX = re.compile(r":\d+(?:[-–:]\d+)?$")
_DENIED = re.compile(r"\b(?:no|nothing|nobody|none|never|neither|nowhere)(?:\s+[\w`]+){0,4}\s+$")
# A command line is called by the files that define it: `restic prune` by cmd/restic/cmd_prune.go.
_COMMAND = re.compile(r"[a-z][a-z0-9]*(?: [a-z][a-z0-9]*)+")
_LINE_NUMBER = re.compile(r"\blines? (\d+)", re.IGNORECASE)


def check_claim(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Does the claim name what changed and a place, with code in backticks?"""
    pieces = quoted(draft.claim)
    subject = words_of(draft.effect)
    if not (subject & names_in(" ".join(pieces)) if subject else _any_holds(pieces, draft.effect.subject)):
        said = f"the claim does not name what the effect is about: {draft.effect.subject!r}, in backticks"
        yield reason(ContractCode.CLAIM_NOT_CONCRETE, said)
    if not _names_place(draft, case):
        yield reason(ContractCode.CLAIM_NOT_CONCRETE, "the claim names no place: no file and no line of a ref")
    for word in code_like(draft.claim):
        yield reason(ContractCode.UNQUOTED_IDENTIFIER, f"{word} stands outside backticks")


def _any_holds(pieces: tuple[str, ...], subject: str) -> bool:
    return any(folded(subject) in folded(piece) for piece in pieces)


def _names_place(draft: Draft, case: Case) -> bool:
    paths = {ref.path for ref in case.refs(draft)} | {case.file.path, case.file.old_path}
    for piece in quoted(draft.claim):
        if is_path(_PLACE_SUFFIX.sub("", piece)) and case.known.path(_PLACE_SUFFIX.sub("", piece)) & paths:
            return True
    lines = {int(number[:9]) for number in _LINE_NUMBER.findall(draft.claim)}
    return any(_has_line(ref, line) for ref in case.refs(draft) for line in lines)


def check_impact(draft: Draft) -> Iterator[ContractReason]:
    """Does the impact say when it hurts, and more than the claim says?"""
    words = set(content_words(draft.impact_condition))
    if len(words) < _MIN_IMPACT_WORDS:
        yield reason(ContractCode.IMPACT_EMPTY, "the impact condition does not say when it hurts")
        return
    new = words - set(content_words(draft.claim))
    if len(new) < _MIN_NEW_WORDS or len(new) < _MIN_NEW_SHARE * len(words):
        verb = "is" if len(new) == 1 else "are"
        said = f"{len(new)} of the impact's {counted(len(words), 'word')} {verb} new to the claim"
        yield reason(ContractCode.IMPACT_RESTATES_CLAIM, said)


def check_doubt(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Is doubt listed where there is some?"""
    listed = [
        text for text in draft.uncertainty if len(content_words(text)) >= _MIN_DOUBT_WORDS and not denies_doubt(text)
    ]
    if len(listed) < len(draft.uncertainty):
        yield reason(ContractCode.UNCERTAINTY_MISSING, "an entry under uncertainty says nothing that is uncertain")
    elif draft.confidence is not Confidence.HIGH and not listed:
        said = f"confidence is {draft.confidence.value}, and nothing is listed as uncertain"
        yield reason(ContractCode.UNCERTAINTY_MISSING, said)
    if not listed:
        for word in _hedges(f"{draft.claim} {draft.impact_condition}", case.policy.change_kinds.words.hedges):
            yield reason(ContractCode.HEDGE_WITHOUT_UNCERTAINTY, f"{word!r} states a doubt that is listed nowhere")


def _hedges(text: str, hedges: tuple[str, ...]) -> list[str]:
    """Words of doubt outside backticks. After a denial they state none: "no default that could stand in"."""
    said = prose(text).casefold()
    found = ((hedge, pattern.search(said)) for hedge, pattern in _patterns(hedges))
    return [hedge for hedge, match in found if match and not _DENIED.search(said[: match.start()])]


@lru_cache(maxsize=8)
def _patterns(hedges: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((hedge, re.compile(rf"(?<!\w){re.escape(hedge.casefold())}(?!\w)")) for hedge in hedges)


def check_words(draft: Draft, case: Case) -> Iterator[ContractReason]:
    """Every name, path and number must stand in diff or evidence; under uncertainty, paths alone.

    What is uncertain is about what was not seen: the name of a type, say, that somebody would have to look up.
    """
    read = (*case.refs(draft), *(one.ref for one in case.bundle.evidence))
    counts = case.counts(draft)
    effect = " ".join(f"`{text.replace('`', '')}`" for text in (draft.effect.subject, draft.effect.to) if text)
    words = _Words(case, counts, read)
    for field, text in (
        ("claim", draft.claim),
        ("impactCondition", draft.impact_condition),
        ("effect", effect),
        *(("counterEvidence", text) for text in draft.counter_evidence),
        *(("uncertainty", text) for text in draft.uncertainty),
    ):
        only_paths = field == "uncertainty"
        yield from (
            reason(code, f"{field}: {said}")
            for code, said in words.unknown(text)
            if not only_paths or (code is ContractCode.INVENTED_PATH and not _names_a_file(text, case))
        )


def _names_a_file(text: str, case: Case) -> bool:
    """Whether each path in it is one of the repository's: what was not seen may be named where it is."""
    pieces = (_PLACE_SUFFIX.sub("", folded(piece)) for piece in (*quoted(text), *code_like(text)))
    paths = case.sources[Side.NEW].paths
    return all(piece in paths or case.known.path(piece) for piece in pieces if is_path(piece))


Fault = tuple[ContractCode, str]


@dataclass(frozen=True)
class _Words:
    """What one text may use: the case's names, paths and numbers, counts, and the lines of these refs."""

    case: Case
    counts: frozenset[str]
    refs: tuple[SourceRef, ...]

    def unknown(self, text: str) -> Iterator[Fault]:
        """What a text names that nothing retrieved holds, each once."""
        faults = [fault for piece in (*quoted(text), *code_like(text)) for fault in self._unknown_code(piece)]
        faults += self._unknown_numbers(prose(text))
        faults += self._wrong_places(text)
        yield from dict.fromkeys(faults)

    def _unknown_code(self, piece: str) -> Iterator[Fault]:
        bare = _PLACE_SUFFIX.sub("", folded(piece))
        if self.case.known.verbatim(piece) or self.case.known.path(bare):
            return
        if is_path(bare):
            yield ContractCode.INVENTED_PATH, f"{bare} is no path of diff or evidence"
            return
        command = self.case.known.stems if _COMMAND.fullmatch(piece.strip()) else frozenset()
        for name in sorted(names_in(piece) - self.case.known.names - LANGUAGE_WORDS - command):
            yield ContractCode.INVENTED_SYMBOL, f"{name} stands nowhere in diff or evidence"
        yield from self._unknown_numbers(piece)

    def _unknown_numbers(self, text: str) -> Iterator[Fault]:
        """Numbers of lines are those of lines that were read; any other stands in diff or evidence, or counts it."""
        lines, rest = map(numbers_in, lines_apart(text))
        invented = {one for one in lines if not (one.isdigit() and self._is_line(int(one[:9])))} | rest
        for number in sorted(invented - self.case.known.numbers - self.counts):
            yield ContractCode.INVENTED_NUMBER, f"{number} stands nowhere in diff or evidence"

    def _is_line(self, number: int) -> bool:
        """Whether it is the number of a line that may be spoken of, whatever file is named beside it."""
        if any(_has_line(ref, number) for ref in self.refs):
            return True
        others = self.case.hunks if len(self.case.hunks) > 1 else ()
        return any(number in (one.old, one.new) for hunk in others for one in hunk.lines)

    def _wrong_places(self, text: str) -> Iterator[Fault]:
        """Lines named together with a file must be lines of a ref of that file, or lines that the hunk shows."""
        for mention in mentions(text):
            paths = self.case.known.path(mention.path)
            for line in mention.lines:
                if paths and not any(self._is_shown(path, line) for path in paths):
                    yield ContractCode.INVENTED_NUMBER, f"line {line} of {mention.path} is of no ref"

    def _is_shown(self, path: str, line: int) -> bool:
        if any(ref.path == path and _has_line(ref, line) for ref in self.refs):
            return True
        return any(
            line in (one.old, one.new)
            for hunk in self.case.hunks
            if path in (hunk.path, hunk.old_path)
            for one in hunk.lines
        )


def _has_line(ref: SourceRef, line: int) -> bool:
    return ref.start_line <= line <= ref.end_line
