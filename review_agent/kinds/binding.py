"""What a call gives to which parameter: the arithmetic by which a call fits a signature or does not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from review_agent.kinds.languages import BY_PLACE
from review_agent.vocabulary import ArgumentFact, CallFact, DefinitionFact, ParameterFact

__all__ = ["Binding", "bind", "opaque_decorator", "signature"]

# These hand the call on as it came (or stand for the descriptor protocol); any other decorator may take it apart.
KEEPING = frozenset(
    {
        "abstractmethod",
        "asynccontextmanager",
        "cache",
        "classmethod",
        "contextmanager",
        "final",
        "lru_cache",
        "override",
        "staticmethod",
    }
)

_TYPED = BY_PLACE - {"go"}
# Go hands all results of f() to g in g(f()): one written argument may be many. A conversion or builtin gives one.
_GO_CALL = re.compile(r"^([\w.]+)\(.*\)$", re.DOTALL)
_GO_SINGLE = frozenset({"append", "cap", "len", "make", "max", "min", "new", "real", "imag", "string", "bool", "byte"})
_GO_NUMBER = re.compile(r"^(u?int|float|complex|rune|uintptr)\d*$")


@dataclass(frozen=True)
class Binding:
    """``known`` is false where unpacked arguments hide what is passed. Texts are the arguments' source text."""

    known: bool
    bound: dict[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        return self.known and not (self.missing or self.unexpected or self.surplus)


def signature(definition: DefinitionFact) -> tuple[ParameterFact, ...]:
    """The parameters that a call gives values to: without ``self`` and ``cls``."""
    parameters = definition.parameters
    static = any(_last(one) == "staticmethod" for one in definition.decorators)
    bound = parameters and parameters[0].name in ("self", "cls") and parameters[0].kind == "positional"
    return parameters[1:] if bound and not static else parameters


def opaque_decorator(definition: DefinitionFact) -> str | None:
    """The first decorator that may change what a call must pass or what it gets, null where there is none."""
    return next((one for one in definition.decorators if _last(one) not in KEEPING), None)


def _last(decorator: str) -> str:
    return decorator.lstrip("@").split("(")[0].strip().rsplit(".", 1)[-1]


def bind(definition: DefinitionFact, call: CallFact, language: str) -> Binding:
    """Bind a call's arguments to a definition's parameters by the rules of the language."""
    parameters = signature(definition)
    if _hides(call.arguments, parameters, language):
        return Binding(known=False)
    binding = _bound(parameters, call, language)
    # In Go the receiver can be an embedded field, which has the name of its type; the arguments tell.
    # The others call what is static through its class or an object, and take no method from it.
    settled = (language == "go" and binding.fits) or language in _TYPED
    return Binding(known=False) if _unbound(definition, call) and not settled else binding


def _bound(parameters: Sequence[ParameterFact], call: CallFact, language: str) -> Binding:
    positional = [one for one in call.arguments if one.keyword is None]
    keywords = {one.keyword: one.text for one in call.arguments if one.keyword is not None}
    slots = [one for one in parameters if one.kind == "positional"]
    bound = {slot.name: one.text for slot, one in zip(slots, positional, strict=False)}
    surplus = () if _takes(parameters, "var_positional") else tuple(one.text for one in positional[len(slots) :])
    named = {one.name for one in parameters if one.kind in ("positional", "keyword_only")}
    unexpected = () if _takes(parameters, "var_keyword") else tuple(key for key in keywords if key not in named)
    bound |= {key: text for key, text in keywords.items() if key in named}
    missing = tuple(
        one.name
        for index, one in enumerate(parameters)
        if one.default is None
        and not one.kind.startswith("var_")
        and not _given(index, one, bound, positional, language)
    )
    return Binding(known=True, bound=bound, missing=missing, unexpected=unexpected, surplus=surplus)


def _given(
    index: int, parameter: ParameterFact, bound: dict[str, str], positional: Sequence[ArgumentFact], language: str
) -> bool:
    # Go allows several parameters named _ or none at all, so there the place counts, not the name.
    return index < len(positional) if language in BY_PLACE else parameter.name in bound


def _takes(parameters: Sequence[ParameterFact], kind: str) -> bool:
    return any(one.kind == kind for one in parameters)


def _hides(arguments: Sequence[ArgumentFact], parameters: Sequence[ParameterFact], language: str) -> bool:
    if any(one.star for one in arguments):
        return True
    if language != "go" or len(arguments) != 1 or len(parameters) == 1:
        return False
    call = _GO_CALL.match(arguments[0].text)
    return call is not None and call[1] not in _GO_SINGLE and _GO_NUMBER.match(call[1]) is None


def _unbound(definition: DefinitionFact, call: CallFact) -> bool:
    """``Class.method(obj, …)``: the instance is an argument, and every place is shifted by one."""
    owner, _, _ = definition.qualname.rpartition(".")
    receiver = call.callee.rpartition(".")[0]
    plain = not any(_last(one) in ("staticmethod", "classmethod") for one in definition.decorators)
    return bool(owner) and plain and receiver.rpartition(".")[2] == owner.rpartition(".")[2]
