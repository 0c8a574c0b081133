"""A fallback of its own gave way to that of a helper which reads the setting: what the helper falls back to."""

from __future__ import annotations

import re

from review_agent.kinds.base import Found, Settled, ask, code, draft, found, place, text, unsettled
from review_agent.kinds.failures import body_of
from review_agent.kinds.risk import flips, is_on
from review_agent.kinds.settings import places
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EffectOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Severity,
)

__all__ = ["ask_helper", "settle_helper"]

_READ = r"(?:environ\.get|getenv|Getenv|LookupEnv|getProperty|getOrDefault|process\.env)"
_SECOND = re.compile(_READ + r"\(\s*(?P<name>\w+)\s*,\s*(?P<value>[^()]+?)\s*\)")


def _helper(edit: Edit) -> str:
    """The function that reads the setting now, given its name alone; "" where the line still says what applies."""
    made = re.search(rf"""([A-Za-z_]\w*)\(\s*["']{re.escape(edit.subject)}["']\s*\)""", edit.after or "")
    return made[1] if made and not re.fullmatch(_READ, made[1]) else ""


def ask_helper(edit: Edit) -> tuple[PlanQuery, ...]:
    """The query for that function, where there is one."""
    return (ask(QueryKind.DEFINITION, _helper(edit), path=edit.path),) if _helper(edit) else ()


def settle_helper(question: Question, bundle: Bundle) -> Settled | None:
    """A card where the helper falls back to the opposite; null where it is not seen to, or no deployment is."""
    edit = question.edits[0]
    maker = next(iter(found(bundle, DefinitionFact, QueryKind.DEFINITION, _helper(edit) or None)), None)
    if not _helper(edit) or maker is None:
        return None
    now, before = _falls_back(bundle, maker), text(edit, "fallback")
    if not flips(before, now):
        return None
    seen = places(question, bundle, edit.subject)
    if seen.sets:
        detail = f"the configuration in the repository sets {code(edit.subject)}, first at {place(seen.sets[0].ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref for one in seen.sets])
    return (_card(question, maker, now),)


def _falls_back(bundle: Bundle, maker: Found[DefinitionFact]) -> str:
    """What a helper that is given a name alone goes by where nothing is set under it."""
    body = body_of(bundle, maker)
    read = _SECOND.search(body.text) if body else None
    if read is None or not maker.fact.parameters or read["name"] != maker.fact.parameters[0].name:
        return ""
    default = next((one.default for one in maker.fact.parameters[1:] if one.name == read["value"]), None)
    return default or read["value"]


def _target(edit: Edit) -> str:
    """What the line sets, for the sentence that says what becomes of it."""
    made = re.match(r"(?:const |let |var |final )?([A-Za-z_]\w*)\b[^=(]*:?=[^=]", edit.after or "")
    return code(made[1]) if made else "the setting"


def _card(question: Question, maker: Found[DefinitionFact], now: str) -> Draft:
    edit = question.edits[0]
    key, helper, before = code(edit.subject), code(_helper(edit)), text(edit, "fallback")
    turned = "off" if is_on(before) else "on"
    return draft(
        question,
        claim=f"Removing the fallback {snippet(before)} of {key} leaves it to {helper}, which at {place(maker.ref)} "
        f"falls back to {snippet(now)}: {_target(edit)} turns {turned} where nobody sets {key}.",
        op=EffectOp.REMOVED,
        subject=before,
        severity=Severity.IMPORTANT,
        support=[maker.ref],
        impact=f"A process starts without {key}, which no file of the repository sets.",
        counter=(f"A configuration file that sets {key} would refute this; none in the repository does.",),
        uncertainty=(f"A platform that sets {key} for this service leaves no trace in the repository.",),
    )
