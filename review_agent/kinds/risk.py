"""Which change of a default can hurt by itself: what was on goes off, what was bounded loses its bound."""

from __future__ import annotations

import re

from review_agent.kinds.base import Unsettled, code, text, unsettled
from review_agent.kinds.wording import snippet
from review_agent.vocabulary import Edit, NoFindingCode

__all__ = ["effect_of", "flips", "guards", "is_on", "is_risky", "judgement_call", "transition_of"]

# Names of values that hold something back: a check, a bound, a protection.
_GUARDS = re.compile(
    r"verif|valid|check|strict|secur|ssl|tls|csrf|auth|sandbox|safe|escap|insecure|debug|allow|limit|max|timeout|"
    r"deadline|retr|ttl|expir|sync|confirm|dry_?run|backoff|quota",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+]?\d[\d_]*(?:\.\d+)?")
# A bound that moves by less is tuning; by this factor it is another order of magnitude.
_FACTOR = 10


def guards(name: str) -> bool:
    """Whether a name says that its value checks, bounds or protects something."""
    return _GUARDS.search(name) is not None


_YES = frozenset({"1", "true", "yes", "on", "enabled"})
_NO = frozenset({"0", "false", "no", "off", "disabled"})


def transition_of(edit: Edit) -> str:
    """How the value changed, with settings that are written as text (``"0"``, ``"false"``) read as what they say."""
    named = text(edit, "transition")
    if named != "text":
        return named
    before, after = (_bare(value) for value in (edit.before or "", edit.after or ""))
    if (before in _YES and after in _NO) or (before in _NO and after in _YES):
        return "flipped"
    if not before or not after:
        return "from_none" if after else "to_none"
    if _NUMBER.fullmatch(before) and _NUMBER.fullmatch(after):
        return "number" if float(after.replace("_", "")) else "to_zero"
    return named


def is_on(value: str) -> bool:
    """Whether a fallback says yes."""
    return _bare(value) in _YES


def flips(before: str, after: str) -> bool:
    """Whether two fallbacks say the opposite: one on, the other off."""
    pair = _bare(before), _bare(after)
    return any(one in _YES and other in _NO for one, other in (pair, pair[::-1]))


def _bare(value: str) -> str:
    return value.strip("rbufRBUF").strip("\"'`").lower()


def is_risky(edit: Edit) -> bool:
    """Whether the transition bears risk: flipped, to or from nothing, to zero, or a bound that moved by a magnitude."""
    transition = transition_of(edit)
    if transition in ("flipped", "to_none", "from_none", "to_zero"):
        return True
    return transition == "number" and guards(edit.subject) and _magnitude(edit)


def _magnitude(edit: Edit) -> bool:
    before, after = _bare(edit.before or ""), _bare(edit.after or "")
    if not (_NUMBER.fullmatch(before) and _NUMBER.fullmatch(after)):
        return False
    old, new = abs(float(before.replace("_", ""))), abs(float(after.replace("_", "")))
    return old > 0 and new > 0 and max(old, new) / min(old, new) >= _FACTOR


def effect_of(edit: Edit) -> str:
    """What the transition does, for the sentence that states the consequence of a changed default."""
    transition = transition_of(edit)
    words = {"flipped": "the opposite setting", "to_none": "no value at all", "from_none": "a value where it had none"}
    words |= {"to_zero": "zero", "number": "another order of magnitude"}
    return words.get(transition, "another value")


def judgement_call(edit: Edit) -> Unsettled:
    """The no-finding of a change of value that bears no risk by its form."""
    before, after = snippet(edit.before or ""), snippet(edit.after or "")
    return unsettled(
        NoFindingCode.NEEDS_HUMAN_CONTEXT,
        f"{code(edit.subject)} went from {before} to {after}: which value is right is not written in the repository",
        missing=(f"the reason for {after}",),
    )
