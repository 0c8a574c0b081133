"""What was retrieved for a question: references, the typed facts that hang on them, what was left out."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from review_agent.vocabulary.base import Record
from review_agent.vocabulary.change import SourceRef
from review_agent.vocabulary.codes import QueryStatus, Resolution
from review_agent.vocabulary.question import PlanQuery

__all__ = [
    "ArgumentFact",
    "Bundle",
    "CallFact",
    "ConfigFact",
    "DefinitionFact",
    "Evidence",
    "EvidenceSpend",
    "Fact",
    "HistoryFact",
    "ImplementerFact",
    "LeftOut",
    "ParameterFact",
    "QueryResult",
    "UseFact",
]


class ArgumentFact(Record):
    text: str
    keyword: str | None
    star: bool = Field(description="an unpacked argument (*a, **k, a...): its contents are not known")
    origin: str = Field(default="", description="what the argument's name was last set to before the call")


class CallFact(Record):
    """A call site of the name asked for."""

    fact: Literal["call"] = "call"
    resolution: Resolution
    reason: str = Field(description="what allows or forbids the name here: an import, a receiver's type, a scope")
    callee: str
    arguments: tuple[ArgumentFact, ...]
    awaited: bool
    result: str = Field(description="how the result is used: see syntax.model.RESULT_USES")
    targets: tuple[str, ...] = Field(description="names the result is assigned to, in order")
    caught: tuple[str, ...] = Field(description="types that the enclosing handlers catch, in order")
    scope: str
    in_test: bool
    held: tuple[str, ...] = Field(
        default=(), description="what is held at the call: locks taken and not given back, context managers, resources"
    )
    preceded_by: tuple[str, ...] = Field(
        default=(), description="callees and tests that leave, before the call in its function, in order"
    )
    followed_by: tuple[str, ...] = Field(default=(), description="callees after the call in its function, in order")
    within: tuple[str, ...] = Field(
        default=(),
        description="calls in whose arguments it stands on a further line, by their first words, inner first",
    )
    loop: str = Field(default="", description="the innermost loop around the call: for, while, while_true")
    decorators: tuple[str, ...] = Field(default=(), description="of the function and the types around the call")
    parameters: tuple[str, ...] = Field(
        default=(), description="of the function around the call, with types and defaults, as written"
    )


class ParameterFact(Record):
    name: str
    default: str | None
    kind: str = Field(description="positional, keyword_only, var_positional, var_keyword")
    type: str | None
    notes: tuple[str, ...] = Field(default=(), description="annotations and decorators of the parameter itself")


class DefinitionFact(Record):
    """A definition of the name asked for."""

    fact: Literal["definition"] = "definition"
    resolution: Resolution
    reason: str
    symbol: str = Field(description="function, method, class, interface, struct, constant, variable, field, module")
    qualname: str
    parameters: tuple[ParameterFact, ...]
    results: tuple[str, ...]
    bases: tuple[str, ...] = Field(description="direct bases, then those found above them, as far as resolved")
    decorators: tuple[str, ...]
    members: tuple[str, ...] = Field(description="names defined in a class, interface, struct or module")
    raises: tuple[str, ...] = Field(description="types raised (Go: error expressions returned) in the body")
    returns: tuple[str, ...] = Field(description="shapes of the return statements: see syntax.model.RETURN_SHAPES")
    value: str | None
    is_async: bool
    modifiers: tuple[str, ...] = Field(default=(), description="words before the name: synchronized, volatile …")
    calls: tuple[str, ...] = Field(default=(), description="callees in the body, in order")
    guards: tuple[str, ...] = Field(default=(), description="tests in the body that leave it, in order")
    sqls: tuple[str, ...] = Field(default=(), description="SQL statements in the body, in order, cut")
    takes: tuple[str, ...] = Field(default=(), description="what is held in the body: as CallFact.held, of all of it")
    closed: bool = Field(description="false where more names can exist than are seen: star import, __getattr__ …")


class UseFact(Record):
    """A reference to the name asked for that is not its definition."""

    fact: Literal["use"] = "use"
    resolution: Resolution
    reason: str
    use: str = Field(
        description="read, write, update, call, attribute, subscript, dereference, import, export, guard, catch, text, "
        "sql; of a string key: key_read, key_write, key_tag"
    )
    text: str
    scope: str
    guarded_by: str | None = Field(description="the test that guards this use, if one does")
    in_test: bool
    held: tuple[str, ...] = Field(default=(), description="what is held at the use: see CallFact")
    scope_raises: tuple[str, ...] = Field(default=(), description="what the function around the use raises, in order")
    given_to: tuple[str, ...] = Field(default=(), description="calls that take it as an argument, in full, inner first")


class ImplementerFact(Record):
    """A type that claims, or by its members has, the interface asked for."""

    fact: Literal["implementer"] = "implementer"
    resolution: Resolution
    reason: str
    type_name: str
    has_member: bool
    closed: bool


class ConfigFact(Record):
    """A place that sets or reads a configuration key."""

    fact: Literal["config"] = "config"
    key: str
    act: Literal["sets", "reads", "documents"]
    value: str | None = Field(description="the value set, or the fallback of a reader; null where there is none")
    carrier: str = Field(description="environment, config_file, deployment, flag, code, docs")
    siblings: tuple[str, ...] = Field(description="other keys that the same block of the same file sets")


class HistoryFact(Record):
    """The commit that lines which are now removed came from, and whether it was a fix: by its diff and tests."""

    fact: Literal["history"] = "history"
    resolution: Resolution = Field(description="ambiguous where history is cut off: the true origin may be older")
    reason: str
    commit: str
    subject: str
    fixes: bool
    signs: tuple[str, ...] = Field(description="what its diff, tests and message say: see stages.history_signs")
    tests: tuple[str, ...] = Field(description="test files that the same commit changed")
    release: str = Field(
        default="", description="of a query `release:NAME`: the newest release before the change that declares NAME so"
    )
    declared: str = Field(default="", description="that declaration, as it stood before the change")
    withheld: str = Field(
        default="", description="why nobody outside may count on it: not public, deprecated, experimental, still there"
    )


Fact = Annotated[
    CallFact | DefinitionFact | UseFact | ImplementerFact | ConfigFact | HistoryFact, Field(discriminator="fact")
]


class Evidence(Record):
    """A retrieved place: the lines, which query of the plan found them, and the typed facts that hang on them.

    ``origin`` is ``hit`` for a numbered hit line (citable), ``read`` for an excerpt read under the reading budget.
    """

    ref: SourceRef
    query: int
    origin: Literal["hit", "read"]
    text: str
    facts: tuple[Fact, ...]
    near_change: bool = Field(
        default=False, description="in the change or within three lines of it: true, but no support from outside"
    )


class QueryResult(Record):
    """What one query searched and found. A refused, failed or cut query says so; nothing is silently empty."""

    query: PlanQuery
    status: QueryStatus
    searched: str
    files_searched: int
    hits: int
    resolved: int
    ambiguous: int
    unresolved: int
    truncated: bool
    note: str
    unread: int = Field(
        default=0, description="files that may hold the name and could not be looked into, whatever the budget"
    )


class LeftOut(Record):
    """Something that was wanted and not collected: a refused read, a file over the cap, a vendored hit."""

    what: str
    why: str


class EvidenceSpend(Record):
    queries: int
    candidate_files: int
    files_read: int
    lines_read: int


class Bundle(Record):
    """What was collected for one question."""

    question_id: str
    evidence: tuple[Evidence, ...]
    queries: tuple[QueryResult, ...]
    left_out: tuple[LeftOut, ...]
    spent: EvidenceSpend
