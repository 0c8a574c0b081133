"""Names that rules about functions need: the function of an edit, what calls it is written as, the plan around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from review_agent.kinds.base import Unsettled, ask, code, found, text, unsettled
from review_agent.kinds.binding import opaque_decorator
from review_agent.kinds.callers import definition_of
from review_agent.kinds.languages import compiled, silent
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Edit,
    EditOp,
    NoFindingCode,
    PlanQuery,
    QueryKind,
    Question,
    Side,
)

__all__ = [
    "called",
    "failing",
    "function_of",
    "leads",
    "nested",
    "new_signature",
    "own_definitions",
    "plan_of_calls",
    "reached",
    "same_function",
    "split",
]

_SIGNATURE = frozenset(
    {
        EditOp.PARAMETER_ADDED,
        EditOp.PARAMETER_REMOVED,
        EditOp.PARAMETER_RENAMED,
        EditOp.PARAMETERS_REORDERED,
    }
)


def function_of(edit: Edit) -> str:
    """The qualified name of the function that an edit is about."""
    return text(edit, "function") or edit.scope


def split(qualname: str) -> tuple[str, str]:
    """(scope, name) of a qualified name."""
    scope, _, name = qualname.rpartition(".")
    return scope, name


def called(qualname: str) -> tuple[str, str]:
    """(scope, name) under which calls are looked for: a constructor is called by the name of its class."""
    scope, name = split(qualname)
    is_constructor = name in ("__init__", "__new__", "constructor") or name == split(scope)[1]
    return split(scope) if is_constructor and scope else (scope, name)


def own_definitions(bundle: Bundle, edit: Edit) -> list[DefinitionFact]:
    """The definitions at head of the edit's own function, as its plan asked for them by the name it is called by."""
    asked = found(bundle, DefinitionFact, QueryKind.DEFINITION, called(function_of(edit))[1])
    return [one.fact for one in asked if one.fact.qualname == function_of(edit)]


def nested(edit: Edit) -> bool:
    """Whether the function is local to another one: its callers stand around it, in the same review."""
    return "." in function_of(edit) and text(edit, "symbolKind") == "function"


def plan_of_calls(edit: Edit, *, before: bool = False) -> tuple[PlanQuery, ...]:
    """The signature at head and the callers at head; with ``before`` also the callers as they stood at base."""
    scope, name = split(function_of(edit))
    outer, callee = called(function_of(edit))
    asked = [
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, callee, path=edit.path, scope=outer),
    ]
    if before:
        asked.append(ask(QueryKind.CALLERS, callee, path=edit.old_path, scope=outer, side=Side.OLD))
    return tuple(asked)


def same_function(edit: Edit, edits: Sequence[Edit], ops: frozenset[EditOp] = _SIGNATURE) -> list[Edit]:
    """The other edits of the same function's signature, in order."""
    return [
        one
        for one in edits
        if one.op in ops
        and one.edit_id != edit.edit_id
        and (one.path, function_of(one)) == (edit.path, function_of(edit))
    ]


def leads(edit: Edit, edits: Sequence[Edit], fitting: Callable[[Edit], bool] = lambda _: True) -> bool:
    """Whether an edit is the first of its op (and ``fitting``) about its function: one question covers them all."""
    same = [
        one
        for one in edits
        if one.op is edit.op and fitting(one) and (one.path, function_of(one)) == (edit.path, function_of(edit))
    ]
    return bool(same) and same[0].edit_id == edit.edit_id


def new_signature(question: Question, bundle: Bundle) -> DefinitionFact | Unsettled:
    """The signature at head, if calls must be written as it is: no decorator stands between that may change it."""
    _, name = split(function_of(question.edits[0]))
    definition = definition_of(question, bundle, name)
    # Java's annotations describe a method; none stands between it and its callers.
    if isinstance(definition, Unsettled) or question.edits[0].language == "java":
        return definition
    decorator = opaque_decorator(definition)
    if decorator is None:
        return definition
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(name)} is decorated with {code(decorator)}, which may change what a call passes or gets",
        missing=(f"what {code(decorator)} makes of {code(name)}",),
    )


def failing(edit: Edit) -> str:
    """What a call that does not fit its function comes to, in the language of the changed file."""
    if silent(edit):
        return "goes on with `undefined` or with arguments out of place"
    return "does not compile" if compiled(edit) else "raises `TypeError`"


def reached(edit: Edit) -> str:
    """When a call that does not fit comes to light, in the language of the changed file."""
    if compiled(edit):
        return f"The {'package' if edit.language == 'go' else 'module'} that holds the call is built"
    return "Control reaches the call"
