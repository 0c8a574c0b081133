"""What a model wrote, read only so far as to know what it fills: an answer in raw data, or a fault.

A reply whose shape holds is an answer, whatever nonsense it says: the contract judges that, and its refusal is on
record. Nothing is resolved here, and nothing corrected.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from review_agent.engines.failures import Fault, plain
from review_agent.engines.json_text import parsed
from review_agent.engines.schemas import shape
from review_agent.vocabulary import Answer, CallError, EngineRole, Request

__all__ = ["MOST_BYTES", "read"]

MOST_BYTES = 1_000_000
"""More than any honest reply has; what reading one costs must not depend on what a server sends."""

# What a field holds that an answer may leave out: a server without schemas is told, and forgets.
_UNSAID: dict[EngineRole, dict[str, Any]] = {
    EngineRole.COMPILE: {"notes": ""},
    EngineRole.SYNTHESIZE: {"notes": "", "drafts": [], "noFinding": None},
    EngineRole.ABLATE: {"notes": "", "drafts": [], "noFinding": None},
    EngineRole.REFUTE: {"notes": "", "cited": None, "quote": None, "severity": None, "counterEvidence": []},
}


def read(request: Request, text: str, engine: str, hide: Callable[[Any], Any] = lambda data: data) -> Answer | Fault:
    """The answer that a reply's text holds; ``engine`` is the identity it is recorded under.

    ``detail`` says what was repaired; ``hide`` takes secrets out of the data. Never raises for anything
    that a model can write.
    """
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
        return Fault(CallError.TOO_LARGE, f"the reply has more than {MOST_BYTES} bytes")
    if not text.strip():
        return Fault(CallError.EMPTY, "the reply is empty")
    try:
        data, repairs = parsed(text)
    except ValueError as error:
        return Fault(CallError.NOT_JSON, plain(f"the reply is not JSON: {error}"))
    if not isinstance(data, dict):
        return Fault(CallError.NOT_SCHEMA, "the reply is JSON, but no object")
    detail = f"repaired: {', '.join(repairs)}" if repairs else ""
    return _answer(request, {**_UNSAID[request.role], **hide(data)}, engine, detail)


def _answer(request: Request, data: dict[str, Any], engine: str, detail: str) -> Answer | Fault:
    wrong = next(iter(shape(request.role).iter_errors(data)), None)
    if wrong is not None:
        where = "/".join(map(str, wrong.absolute_path)) or "the whole"
        return Fault(CallError.NOT_SCHEMA, plain(f"the reply does not have its shape: {where}: {wrong.message}"))
    if request.role in (EngineRole.SYNTHESIZE, EngineRole.ABLATE) and bool(data["drafts"]) == bool(data["noFinding"]):
        said = "both drafts and a no-finding" if data["drafts"] else "neither a draft nor a no-finding"
        return Fault(CallError.NOT_SCHEMA, f"the reply holds {said}; one of them is an answer")
    fields = _FIELDS[request.role]({name: value for name, value in data.items() if name != "notes"})
    return Answer(request_id=request.request_id, engine=engine, detail=detail, notes=data["notes"], **fields)


def _synthesis(data: dict[str, Any]) -> dict[str, Any]:
    return {"drafts": tuple(data["drafts"])} if data["drafts"] else {"no_finding": data["noFinding"]}


_FIELDS: dict[EngineRole, Callable[[dict[str, Any]], dict[str, Any]]] = {
    EngineRole.COMPILE: lambda data: {"questions": tuple(data["questions"])},
    EngineRole.SYNTHESIZE: _synthesis,
    EngineRole.ABLATE: _synthesis,
    EngineRole.REFUTE: lambda data: {"refutation": data},
}
