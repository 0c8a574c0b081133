"""What evidence shows of a lock: who uses a member under it, whether callers hold it, whether it can be taken twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.base import Found, ask, every, found
from review_agent.kinds.functions import called, function_of
from review_agent.kinds.wording import text
from review_agent.syntax.holding import hold_key
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    PlanQuery,
    QueryKind,
    Side,
    UseFact,
)

__all__ = [
    "Uses",
    "acting",
    "callers_of",
    "holding_callers",
    "holds",
    "is_maker",
    "made_of",
    "member_query",
    "one_a_scope",
    "safe_by_itself",
    "uses_of",
    "writes",
]

Uses = Sequence[Found[UseFact]]

_MAKERS = frozenset({"__init__", "__new__", "__post_init__", "constructor", "__enter__", "__del__", "setUp"})
# These order their own accesses.
_SAFE = re.compile(
    r"\b(?:\w*Queue|deque|Event|Counter64|local|Atomic\w*|atomic\.\w+|Concurrent\w+|CopyOnWrite\w+|Synchronized\w+|"
    r"synchronized(?:Map|List|Set)|Blocking\w+|LongAdder|ContextVar|Semaphore|sync\.(?:Map|Once|Pool|WaitGroup)|chan)\b"
)
_CHANGES = re.compile(
    r"\.(?:add\w*|append\w*|clear|compute\w*|delete|discard|extend\w*|insert|merge|offer|pop\w*|push|put\w*|remove\w*|"
    r"set|setdefault|shift|splice|unshift|update)$"
)


def holds(held: Iterable[str], lock: str) -> bool:
    """Whether a lock is among what is held, however the object in front is called."""
    return any(hold_key(one) == hold_key(lock) for one in held)


def is_maker(scope: str) -> bool:
    """Whether a scope makes an object that nobody else has yet."""
    owner, _, name = scope.rpartition(".")
    return name in _MAKERS or (bool(owner) and name == owner.rpartition(".")[2])


def member_query(edit: Edit, name: str) -> PlanQuery:
    """Every use of a member of the edit's type, or of a value of the module."""
    owner = text(edit, "owner")
    if owner and name not in _values(edit):
        return ask(QueryKind.LIFETIME, name, path=edit.path, scope=owner)
    return ask(QueryKind.USES_INSIDE, name, path=edit.path, scope="")


def _values(edit: Edit) -> tuple[str, ...]:
    values = edit.facts.get("values")
    return values if isinstance(values, tuple) else ()


def uses_of(bundle: Bundle, name: str) -> Uses:
    """The resolved uses of a member or value at head, without tests and constructors."""
    answers = (*found(bundle, UseFact, QueryKind.LIFETIME, name), *found(bundle, UseFact, QueryKind.USES_INSIDE, name))
    return tuple(
        one
        for one in answers
        if one.ref.side is Side.NEW and one.fact.scope and not one.fact.in_test and not is_maker(one.fact.scope)
    )


def made_of(bundle: Bundle, name: str) -> str:
    """The text in which a member is declared or first set."""
    lines = [
        one.evidence.text
        for one in (
            *found(bundle, UseFact, QueryKind.LIFETIME, name),
            *found(bundle, UseFact, QueryKind.USES_INSIDE, name),
        )
        if one.fact.use in ("write", "definition") and (is_maker(one.fact.scope) or not one.fact.scope)
    ]
    lines += [one.evidence.text for one in every(bundle, DefinitionFact, QueryKind.DEFINITION, name)]
    return "\n".join(lines)


def safe_by_itself(bundle: Bundle, name: str) -> bool:
    """Whether a member is of a type that needs no lock around its uses."""
    return _SAFE.search(made_of(bundle, name)) is not None


def writes(one: Found[UseFact]) -> bool:
    """Whether a use changes what it uses."""
    called_on = one.fact.use in ("call", "attribute", "read") and _CHANGES.search(one.fact.text) is not None
    last = whole_name(one.fact.text.rpartition(".")[2])
    erased = re.search(rf"\b(?:delete|clear|del)\b[ (]\s*[\w.]*{last}", one.evidence.text) is not None
    return called_on or erased or one.fact.use in ("write", "update")


def acting(one: Found[UseFact]) -> str:
    """What a use does, for a claim."""
    return "changes" if writes(one) else "reads"


def one_a_scope(uses: Iterable[Found[UseFact]]) -> list[Found[UseFact]]:
    """The first use of each scope, those that write before those that read."""
    kept: dict[str, Found[UseFact]] = {}
    for one in sorted(uses, key=lambda one: (not writes(one), one.ref.path, one.ref.start_line)):
        kept.setdefault(one.fact.scope, one)
    return list(kept.values())


def callers_of(bundle: Bundle, edit: Edit) -> tuple[Found[CallFact], ...]:
    """The resolved calls of the edit's function at head, without tests."""
    name = called(function_of(edit))[1]
    calls = found(bundle, CallFact, QueryKind.CALLERS, name)
    return tuple(one for one in calls if one.ref.side is Side.NEW and not one.fact.in_test)


def holding_callers(bundle: Bundle, edit: Edit, lock: str) -> tuple[Found[CallFact], ...] | None:
    """The callers where every one holds the lock or makes the object; null where one does not, or there is none."""
    calls = callers_of(bundle, edit)
    covered = [one for one in calls if holds(one.fact.held, lock) or is_maker(one.fact.scope)]
    return tuple(covered) if calls and len(covered) == len(calls) else None
