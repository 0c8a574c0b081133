"""How a reviewer can confirm or refute a card: one or two procedures from the protected catalogue, filled in."""

from __future__ import annotations

import shlex
import string
from collections.abc import Iterator, Mapping, Sequence

from review_agent.policy.model import CatalogEntry, Policy
from review_agent.stages.contract import sealed, verification_faults
from review_agent.stages.contract_text import folded
from review_agent.vocabulary import Question, ReviewEvidenceCard, Side, Verification

__all__ = ["attach", "fitting", "plan", "slots"]

_AT_MOST = 2
_GENERIC = CatalogEntry(
    id="generic",
    kind="manual-check",
    kinds=(),
    procedure="Read `{path}` line {line} beside `{support_path}` line {support_line} and take the case of the impact.",
    signal="It comes about as the claim says: confirmed. Something between the two places prevents it: refuted.",
)


def plan(
    card: ReviewEvidenceCard, question: Question, policy: Policy, head: str | None = None
) -> tuple[Verification, ...]:
    """One or two ways to settle the card: entries for its rule first, then for its kind, else a generic check.

    ``head``: how the reader's git names the head; null for its id, empty where it cannot name it.

    An entry whose slots this card cannot fill is passed over.
    """
    return tuple(dict.fromkeys(one for _, one in fitting(card, question, policy, head)))[:_AT_MOST]


def fitting(
    card: ReviewEvidenceCard, question: Question, policy: Policy, head: str | None = None
) -> tuple[tuple[CatalogEntry, Verification], ...]:
    """Every entry of the catalogue that can settle the card, filled in, in the order of ``plan``."""
    values = slots(card, question, head)
    filled = [
        (entry, one) for entry in _speaking(question, policy.catalog) if (one := _filled(entry, values)) is not None
    ]
    if filled:
        return tuple(filled)
    generic = _filled(_GENERIC, values)
    return ((_GENERIC, generic),) if generic is not None else ()


def attach(card: ReviewEvidenceCard, verification: Sequence[Verification], policy: Policy) -> ReviewEvidenceCard:
    """The card with its verification, ``modelMayPost`` and ``cardVersion`` new. It judges nothing.

    The rest of the card is as the contract passed it and frozen since; ``contract.judge`` with ``verification_due``
    judges all of it again, a missing verification included.
    """
    return sealed(card.model_copy(update={"verification": tuple(verification)}), policy)


def _speaking(question: Question, catalog: Sequence[CatalogEntry]) -> Iterator[CatalogEntry]:
    languages = {edit.language for edit in question.edits}
    speaking = [entry for entry in catalog if not entry.languages or languages & set(entry.languages)]
    yield from (entry for entry in speaking if question.rule in entry.rules)
    yield from (entry for entry in speaking if not entry.rules and question.kind in entry.kinds)


def slots(card: ReviewEvidenceCard, question: Question, head: str | None = None) -> dict[str, str]:
    """Values for the slots of a text, as they are shown; those without a value are absent. ``head`` as for a plan."""
    edit = question.edits[0] if question.edits else None
    function = (edit.facts.get("function") or edit.facts.get("owner") or edit.scope) if edit else ""
    support = next(iter(card.supporting_refs), None)  # what is drawn for the audit may have found none
    values = {
        "subject": card.effect.subject,
        "to": card.effect.to,
        "function": function,
        "path": card.diff_anchor.path,
        "line": str(card.diff_anchor.start_line),
        "support_path": support.path if support else None,
        "support_line": str(support.start_line) if support else None,
        "head": _head(card) if head is None else head,
        "before": edit.before if edit else None,
        "after": edit.after if edit else None,
    }
    shown = {name: folded(str(value).replace("`", "'")) for name, value in values.items() if value}
    return {name: value for name, value in shown.items() if value}


def _head(card: ReviewEvidenceCard) -> str | None:
    """The head commit, shortened as git does: any ref of the new side stands at it."""
    return next((ref.commit[:12] for ref in (card.diff_anchor, *card.supporting_refs) if ref.side is Side.NEW), None)


def _filled(entry: CatalogEntry, slots: Mapping[str, str]) -> Verification | None:
    """The entry with its slots filled, or None where one has no value or the text could not be shown.

    In a command, a value is quoted for the shell: it comes from the change under review.
    """
    quoted = {name: shlex.quote(value) for name, value in slots.items()}
    procedure = _text(entry.procedure, slots if entry.kind == "manual-check" else quoted)
    signal = _text(entry.signal, slots)
    if procedure is None or signal is None:
        return None
    filled = Verification(kind=entry.kind, command_or_procedure=procedure, expected_signal=signal)
    return None if any(verification_faults((filled,))) else filled


def _text(template: str, slots: Mapping[str, str]) -> str | None:
    names = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    return template.format_map(slots) if names <= slots.keys() else None
