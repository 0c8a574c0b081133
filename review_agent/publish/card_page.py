"""One card with everything behind it: the whole hunk, each excerpt, what was searched for, and what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from review_agent.adjudication import typed
from review_agent.counting import counted
from review_agent.publish.safe import terminal
from review_agent.publish.text import card_text
from review_agent.vocabulary import Bundle, Decision, Evidence, Hunk, LeftOut, QueryResult, SourceRef

__all__ = ["card_page"]

_COLORS = {"-": "31", "+": "32"}


def card_page(
    card: Mapping[str, Any],
    question: Mapping[str, Any],
    bundle: Mapping[str, Any],
    hunk: Mapping[str, Any],
    decisions: Sequence[Mapping[str, Any]],
    *,
    state: str,
    width: int = 110,
    color: bool = False,
    drafted: Mapping[str, str] | None = None,
) -> str:
    """The card as the review has it, then what it came from, no line cut. All arguments are wire data; the text has no
    last newline.

    ``drafted``: commits that no repository holds, each with what it was made of, such as the work tree.
    """
    # The head goes without its short exhibits, as all of them follow.
    bare, flat = {**bundle, "evidence": []}, {**hunk, "lines": []}
    head = card_text(card, question, bare, flat, state=state, width=width, color=color)
    refs = [SourceRef.model_validate(ref) for ref in card["supportingRefs"]]
    whole = Bundle.model_validate(bundle)
    parts = (
        ("changed", _hunk(Hunk.model_validate(hunk), color)),
        ("evidence", _evidence(refs, whole.evidence, drafted or {})),
        ("searched", [*map(_query, whole.queries), *map(_left_out, whole.left_out)]),
        ("decided", [line for one in decisions for line in _decision(Decision.model_validate(one))]),
    )
    return "\n".join([head, *(line for name, lines in parts for line in _part(name, lines))])


def _part(name: str, lines: Iterable[str]) -> list[str]:
    shown = [f"    {line}" for line in lines]
    return ["", f"  {name}", *shown] if shown else []


def _hunk(hunk: Hunk, color: bool) -> Iterable[str]:
    """Each line with its number before and after."""
    origin = f" (from {hunk.old_path})" if hunk.old_path != hunk.path else ""
    at = f"-{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}"
    yield terminal(f"{hunk.path}{origin} {at} {hunk.section}").rstrip()
    for line in hunk.lines:
        old, new = ("" if number is None else number for number in (line.old, line.new))
        text = f"{old:>5} {new:>5} {line.tag} {terminal(line.text)}".rstrip()
        yield f"\x1b[{_COLORS[line.tag]}m{text}\x1b[0m" if color and line.tag in _COLORS else text


def _evidence(refs: Sequence[SourceRef], evidence: Sequence[Evidence], drafted: Mapping[str, str]) -> Iterable[str]:
    """The refs by the widest excerpt that holds them, each of their lines marked."""
    groups: dict[SourceRef, list[SourceRef]] = {}
    texts: dict[SourceRef, str] = {}
    for ref in refs:
        found = max((one for one in evidence if _holds(one.ref, ref)), key=lambda one: _lines(one.ref), default=None)
        held = ref if found is None else found.ref
        groups.setdefault(held, []).append(ref)
        texts[held] = "" if found is None else found.text
    for held, inside in groups.items():
        yield from (_named(ref, drafted) for ref in inside)
        yield from _excerpt(held.start_line, texts[held], inside)


def _excerpt(first: int, text: str, refs: Sequence[SourceRef]) -> Iterable[str]:
    for number, line in enumerate(text.split("\n") if text else (), first):
        mark = ">" if any(ref.start_line <= number <= ref.end_line for ref in refs) else " "
        yield f"{mark} {number:>5}  {terminal(line)}".rstrip()


def _holds(whole: SourceRef, part: SourceRef) -> bool:
    same = (whole.path, whole.commit, whole.side) == (part.path, part.commit, part.side)
    return same and whole.start_line <= part.start_line and part.end_line <= whole.end_line


def _lines(ref: SourceRef) -> int:
    return ref.end_line - ref.start_line


def _named(ref: SourceRef, drafted: Mapping[str, str]) -> str:
    last = f"–{ref.end_line}" if ref.end_line != ref.start_line else ""
    made_of = drafted.get(ref.commit)
    at = f"of {made_of}" if made_of else f"commit {ref.commit[:12]}"
    return terminal(f"{ref.path}:{ref.start_line}{last} · {ref.role} · {at}")


def _query(result: QueryResult) -> str:
    query = result.query
    at = f" in {query.scope or query.path}" if query.scope or query.path else ""
    found = f"{result.resolved} of {result.hits} resolved"
    notes = "".join(f" · {note}" for note in ("cut" * result.truncated, result.note) if note)
    return terminal(f"{query.kind}({query.name}){at} · {result.status} · {result.searched} · {found}{notes}")


def _left_out(item: LeftOut) -> str:
    return terminal(f"left out {item.what}: {item.why}")


def _decision(decision: Decision) -> Iterable[str]:
    """The act in a line; below it what is kept of a job's log."""
    reason = f" ({decision.reason_code})" if decision.reason_code else ""
    until = f" until {decision.until}" if decision.until else ""
    comment = f": {decision.comment}" if decision.comment else ""
    when = decision.at[:16].replace("T", " ")
    proof = decision.proof
    job = f" {proof.job}{f' gave {proof.result}' if proof.result else ''}" if proof else ""
    yield terminal(f"{when}  {typed(decision.act)}{job} by {decision.reviewer}{reason}{until}{comment}")
    if proof is not None and proof.log:
        yield from (f"    {terminal(line)}" for line in proof.log.rstrip("\n").split("\n"))
        yield f"    log of {counted(proof.log_bytes or 0, 'byte')}, sha256 {proof.log_sha256}"
