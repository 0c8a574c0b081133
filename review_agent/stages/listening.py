"""What an engine sends, taken for no more than it is: one answer a request, of a size that can be judged and kept.

An engine may have been steered by what it read. It can fail, lie and flood; it cannot end a review, make it endless,
answer what nobody asked, or put into the record what no record can hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from review_agent.counting import counted
from review_agent.errors import ReviewAgentError
from review_agent.masking import Masker
from review_agent.vocabulary import Answer, Call, Engine, Pending, Request, UnansweredCause, canonical

__all__ = ["FAILED", "listen"]

FAILED = "engine_failed"
# More than any honest answer needs; what it costs to judge an answer must not depend on what an engine sends.
_MOST_BYTES, _MOST_DRAFTS, _MOST_STRAYS = 1_000_000, 64, 100
_LONGEST, _MASKED, _MOST_USAGE = 300, 100_000, 2_000

Heard = tuple[str, Answer | Call | Pending | dict[str, Any]]


def listen(engine: Engine, due: Sequence[Request], mask: Masker) -> Iterator[Heard]:
    """("answer", the first answer to a request), ("pending", one promised), ("call", what one try came to),
    ("stray_answer", what nobody asked for) and ("engine_failed", why the engine was heard no longer); all of it masked.

    Raises what is no fault of an answer: an error of ours that a person can mend, and Ctrl-C.
    """
    asked = {request.request_id for request in due}
    wanted = set(asked)
    promised: set[str] = set()
    strays = 0
    try:
        for sent in engine.answer(due):
            if isinstance(sent, Pending) and sent.request_id in wanted - promised:
                promised.add(sent.request_id)
                yield "pending", sent
            elif isinstance(sent, Answer) and sent.request_id in wanted:
                wanted.discard(sent.request_id)
                yield "answer", _kept(sent, mask)
            elif isinstance(sent, Call) and sent.request_id in asked:
                yield "call", _call(sent, mask)
            else:
                strays += 1
                yield "stray_answer", _stray(sent, mask)
            if strays >= _MOST_STRAYS:
                yield (
                    FAILED,
                    {"detail": f"it sent {counted(strays, 'answer')} that nobody asked for and was heard no longer"},
                )
                return
    except ReviewAgentError:
        raise
    except Exception as error:  # noqa: BLE001 - an engine that fails costs its own answers, and the account says so
        yield FAILED, {"detail": _short(f"{type(error).__name__}: {error}", mask)}


def _kept(answer: Answer, mask: Masker) -> Answer:
    """The answer as the record can hold it, masked: an engine's text may repeat a secret that we did not show it.

    One that no record can hold is malformed.
    """
    if len(answer.drafts) > _MOST_DRAFTS:
        return _malformed(
            answer, f"it holds {counted(len(answer.drafts), 'draft')}; {_MOST_DRAFTS} are the most that are judged"
        )
    try:
        data = answer.wire()
        size = len(canonical(data))
        if size > _MOST_BYTES:
            return _malformed(answer, f"it has {counted(size, 'byte')}; {_MOST_BYTES} are the most that are kept")
        return _counted(Answer.model_validate(mask.mask_data(data)))
    except (ValueError, TypeError, RecursionError) as error:
        return _malformed(answer, ascii(f"it is no JSON data: {type(error).__name__}")[1:-1])


def _call(call: Call, mask: Masker) -> Call:
    """The call as the record can hold it: a server's own words are masked, those on usage kept where they are few."""
    said = call.usage.wire().values() if call.usage else ()
    said_by = {name: mask(getattr(call, name)[:_MASKED])[:_LONGEST] for name in ("detail", "model")}
    changes: dict[str, Any] = {**said_by, "raw_usage": None}
    if any(number is not None and number < 0 for number in said):
        changes["usage"] = None
    try:
        raw = call.raw_usage
        small = raw is not None and len(canonical(raw)) <= _MOST_USAGE
        kept = call.model_copy(update={**changes, "raw_usage": mask.mask_data(raw) if small else None})
        kept.wire()  # fails where it is nested deeper than a record can be
    except (ValueError, TypeError, RecursionError):
        return call.model_copy(update=changes)
    return kept


def _malformed(answer: Answer, why: str) -> Answer:
    return Answer(
        request_id=answer.request_id,
        engine=ascii(answer.engine)[1:-1][:_LONGEST],
        failure=UnansweredCause.MALFORMED,
        detail=why,
    )


def _counted(answer: Answer) -> Answer:
    """What is said to have cost less than nothing is unknown: it would give back what others spent."""
    said = answer.usage.wire().values() if answer.usage else ()
    return (
        answer if all(number is None or number >= 0 for number in said) else answer.model_copy(update={"usage": None})
    )


def _stray(sent: Any, mask: Masker) -> Answer | dict[str, Any]:
    kept = _kept(sent, mask) if isinstance(sent, Answer) else None
    if kept is not None and kept.request_id.isascii() and len(kept.request_id) <= _LONGEST:
        return kept
    return {"unreadable": mask(ascii(sent)[:_MASKED])[:_LONGEST]}


def _short(said: str, mask: Masker) -> str:
    """In a line that a record can hold. Masked before it is cut: half of a secret is none that a pattern knows."""
    return ascii(mask(said[:_MASKED]))[1:-1][:_LONGEST]
