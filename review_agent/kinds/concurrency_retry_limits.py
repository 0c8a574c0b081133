"""Where a limit of a wait went: into a chain of calls, away with what waited, or with the thing that had it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Unsettled, code, every, text, texts, unsettled
from review_agent.kinds.functions import function_of
from review_agent.vocabulary import Bundle, DefinitionFact, Edit, EditOp, NoFindingCode, QueryKind, UseFact

__all__ = ["in_a_chain", "took", "unused", "waits_no_more"]

_CALLS = (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED)


def in_a_chain(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the change sets the same limit within a chain of calls: ``made().WithTimeout(…)``."""
    name = text(edit, "name")
    here = [one for one in edits if one.path == edit.path and one.op in (EditOp.CALL_REPLACED, EditOp.CALL_ADDED)]
    said = (f"{text(one, 'newCallee')}( {one.subject}(" for one in here)
    return bool(name) and edit.op in _CALLS and any(f".{name}(" in one.replace(edit.subject, "") for one in said)


def took(edit: Edit) -> tuple[str, ...]:
    """The callees that were handed the limited context."""
    made = set(texts(edit, "targets")) - {"cancel", "_"}
    calls = [one.partition("(") for one in texts(edit, "callsAfter")]
    return tuple(callee for callee, _, given in calls if made & set(re.findall(r"[A-Za-z_]\w*", given)))


def waits_no_more(edit: Edit, bundle: Bundle) -> Unsettled | None:
    """All that took the limited context went with it, and nothing of the like name came."""
    takers = {_stem(one) for one in took(edit)} if edit.op in _CALLS else set()
    own = [
        one.fact
        for one in every(bundle, DefinitionFact, QueryKind.DEFINITION)
        if one.ref.path == edit.path and one.fact.qualname == function_of(edit)
    ]
    if not takers or not own or any(_stem(one) in takers for fact in own for one in fact.calls):
        return None
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(function_of(edit))} does not call what waited under it any more; how long what it calls now waits "
        "is not established",
        missing=("the limit of what is called in its place",),
    )


def _stem(callee: str) -> str:
    """``NewRequest`` of ``http.NewRequestWithContext``: a library has both, with the context and without."""
    return re.sub(r"(?:With)?(?:Context|Ctx)$", "", callee.rpartition(".")[2])


def unused(edit: Edit, bundle: Bundle) -> Unsettled | None:
    """What had the limit is not in the function any more."""
    thing = text(edit, "receiver")
    if edit.op is not EditOp.CALL_REMOVED or not thing.isidentifier() or thing == "context":
        return None
    asked = any(one.query.kind is QueryKind.USES_INSIDE and one.query.name == thing for one in bundle.queries)
    uses = [one for one in every(bundle, UseFact, QueryKind.USES_INSIDE, thing) if one.fact.use != "import"]
    if asked and not any(one.ref.path == edit.path for one in uses):
        return unsettled(NoFindingCode.REFUTED, f"{code(function_of(edit))} has {code(thing)} no more")
    return None
