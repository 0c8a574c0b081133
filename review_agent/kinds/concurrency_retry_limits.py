"""Where a limit of a wait went: into a chain of calls, away with what waited, or with the thing that had it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Unsettled, code, every, text, texts, unsettled
from review_agent.kinds.functions import function_of
from review_agent.vocabulary import Bundle, Edit, EditOp, NoFindingCode, QueryKind, UseFact

__all__ = ["in_a_chain", "unused", "waits_no_more"]

_CALLS = (EditOp.CALL_REMOVED, EditOp.CALL_REPLACED)


def in_a_chain(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether the change sets the same limit within a chain of calls: ``made().WithTimeout(…)``."""
    name = text(edit, "name")
    here = [one for one in edits if one.path == edit.path and one.op in (EditOp.CALL_REPLACED, EditOp.CALL_ADDED)]
    said = (f"{text(one, 'newCallee')}( {one.subject}(" for one in here)
    return bool(name) and edit.op in _CALLS and any(f".{name}(" in one.replace(edit.subject, "") for one in said)


def waits_no_more(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether all that took the limited context went with it, and not for a call of the same library."""
    if edit.op not in _CALLS or not (made := set(texts(edit, "targets"))):
        return False
    after = [one for one in texts(edit, "callsAfter") if made & set(re.findall(r"[A-Za-z_]\w*", one.partition("(")[2]))]
    takers = {one.partition("(")[0] for one in after}
    gone = {
        one.subject
        for one in edits
        if (one.path, one.scope) == (edit.path, edit.scope)
        and one.op in _CALLS
        and text(one, "newReceiver") != (text(one, "receiver") or "-")
    }
    return bool(takers) and takers <= gone


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
