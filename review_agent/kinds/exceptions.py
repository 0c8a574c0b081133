"""Which exception types catch which: the languages' own hierarchies, and bases as far as definitions show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from review_agent.kinds.exceptions_java import JAVA
from review_agent.syntax.python_names import EXCEPTIONS
from review_agent.vocabulary import DefinitionFact

__all__ = ["BROAD", "Lineage", "is_builtin", "last", "lineage"]

# A handler of these catches whatever comes; it says nothing about which error was expected.
BROAD = frozenset({"Exception", "BaseException", "Throwable", "RuntimeException", "Error"})
# JavaScript's own errors; all of them are an `Error`, which every handler catches.
_SCRIPT = frozenset(
    {"Error", "TypeError", "SyntaxError", "RangeError", "ReferenceError", "EvalError", "URIError", "AggregateError"}
)

# Exceptions of the standard library that have a builtin base other than Exception.
_LIBRARY = {
    "CancelledError": "BaseException",
    "HTTPError": "OSError",
    "IncompleteReadError": "EOFError",
    "JSONDecodeError": "ValueError",
    "SSLError": "OSError",
    "URLError": "OSError",
    "UnsupportedOperation": "OSError",
    "gaierror": "OSError",
}


def last(name: str) -> str:
    """The last part of a dotted name, without a call's arguments."""
    parts = name.split("(")[0].strip().split(".")
    # `sqlite3.Error` and its like are types of one module, not JavaScript's root of all errors.
    return ".".join(parts[-2:]) if parts[-1] == "Error" else parts[-1]


def is_builtin(name: str) -> bool:
    """Whether a type is one of the exceptions that its language brings along."""
    return last(name) in EXCEPTIONS or last(name) in JAVA or last(name) in _SCRIPT


@dataclass(frozen=True)
class Lineage:
    """A type and all that it is. ``complete``: every base up to one of Python's own is known."""

    name: str
    names: frozenset[str]
    complete: bool

    def caught_by(self, types: Iterable[str]) -> bool | None:
        """Whether a handler of ``types`` catches it; null where a base that is not known decides."""
        caught = {last(one) for one in types}
        if caught & self.names or caught & {"BaseException", "Throwable"}:
            return True
        if self.complete:
            return False
        # What is raised and not known otherwise is an ordinary exception.
        return True if "Exception" in caught else None if caught else False


def lineage(name: str, definitions: Iterable[DefinitionFact]) -> Lineage:
    """What a type is, from Python's hierarchy or from the one class definition of that name among these."""
    short = last(name)
    if is_builtin(short):
        return Lineage(short, _ancestors(short), complete=True)
    classes = [one for one in definitions if one.symbol == "class" and last(one.qualname) == short]
    bases = [last(base) for one in classes for base in one.bases if "=" not in base]
    names = frozenset({short, *bases}).union(*(_ancestors(base) for base in bases))
    return Lineage(short, names, complete=len(classes) == 1 and bool(bases) and is_builtin(bases[-1]))


def _ancestors(name: str) -> frozenset[str]:
    if name in JAVA:
        return frozenset((name, *_ancestors(JAVA[name]), "Throwable"))
    own = EXCEPTIONS.get(_LIBRARY.get(name, name), frozenset())
    return own | {"Error", "Exception", "BaseException"} if name in _SCRIPT else own
