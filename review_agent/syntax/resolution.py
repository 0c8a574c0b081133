"""Whether an occurrence of a name is the thing asked for. A bare name never is by itself: something must allow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from review_agent.syntax.model import Import
from review_agent.syntax.resolution_classes import MemberResolver
from review_agent.syntax.resolution_go import Go
from review_agent.syntax.resolution_java_at import JavaResolver
from review_agent.syntax.resolution_javascript import JavaScriptResolver
from review_agent.syntax.resolution_python import Python
from review_agent.syntax.resolution_verdict import Verdict, joined, judge, maybe, other, told
from review_agent.syntax.resolution_world import Target, Value, World
from review_agent.vocabulary import Resolution

__all__ = ["GoResolver", "PythonResolver", "Resolver", "Verdict", "resolver"]

Values = tuple[Value, ...]


class Resolver(Protocol):
    """Resolves occurrences of one target's name in one commit."""

    target: Target

    def at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        """Whether ``receiver.name`` (no receiver: the bare name) at a line is the target."""
        ...

    def imported(self, path: str, item: Import) -> Verdict:
        """Whether an import binds the target."""
        ...


def resolver(world: World, language: str, target: Target) -> Resolver:
    """The resolver of a language. Raises KeyError for one that has none."""
    made: dict[str, Callable[[World, Target], Resolver]] = {
        "python": PythonResolver,
        "go": GoResolver,
        "java": JavaResolver,
        **dict.fromkeys(("javascript", "typescript", "tsx"), JavaScriptResolver),
    }
    return made[language](world, target)


class PythonResolver(MemberResolver[Python]):
    def __init__(self, world: World, target: Target) -> None:
        super().__init__(target, Python(world, target))

    def _at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        if self._out_of_reach(path, scope):
            return other(f"`{name}` is local to `{self.target.scope}`")
        if not receiver:
            return self._bare(path, scope, name)
        held = [one for value in self.names.expression(path, scope, receiver) for one in self.names.held(value)]
        verdicts = [self._member(receiver, one, name) for one in held]
        return joined(verdicts) if verdicts else maybe(f"receiver `{receiver}` of unknown type")

    def _out_of_reach(self, path: str, scope: str) -> bool:
        index = self.names.index(self.target.path) if self.target.scope else None
        around = index.by_qualname.get(self.target.scope, ()) if index else ()
        is_local = bool(around) and all(one.kind in ("function", "method") for one in around)
        return is_local and not (path == self.target.path and f"{scope}.".startswith(f"{self.target.scope}."))

    def _bare(self, path: str, scope: str, name: str) -> Verdict:
        values = self.names.name(path, scope, name)
        verdict = self._judge(values, f"`{name}` is bound nowhere in `{path}`")
        unsure = verdict.resolution is Resolution.AMBIGUOUS and all(one.kind == "unknown" for one in values)
        if unsure and self.names.is_local(path, scope, name):
            return other(f"a local name: {verdict.reason}")
        return verdict

    def _outside(self, said: str, value: Value) -> Verdict:
        if value.kind == "outside" and self._is_open_above(value):
            return maybe(f"{said}, of other code, which `{self.target.scope}` extends")
        return other(f"{said}, of other code")

    def _missing(self, said: str, receiver: str, value: Value, name: str) -> Verdict:
        if receiver in ("self", "cls") or self._is_above((value.path, value.qualname)):
            return maybe(f"{said}, which does not define `{name}` itself")
        return other(f"{said}, which has no `{name}`")


class GoResolver:
    def __init__(self, world: World, target: Target) -> None:
        self.target = target
        self.names = Go(world, target)
        self._home = self.names.packages.home(target.path)
        self._variants = self._differing()
        self._elsewhere = self._other_files()

    def _differing(self) -> int:
        found = self.names.packages.declared(self._home, self.target.qualname)
        return len(found) if len({(one.symbol.params, one.symbol.results) for one in found}) > 1 else 0

    def _other_files(self) -> frozenset[str]:
        """Files that declare the same name for another build: what is called there is their own."""
        declared = self.names.packages.declared
        found = declared(self._home, self.target.qualname)
        owners = declared(self._home, self.target.scope) if self.target.scope else ()
        return frozenset(one.path for one in (*found, *owners) if len(found) > 1) - {self.target.path}

    def at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        verdict = self._at(path, scope, receiver, name, line)
        if verdict.resolution is Resolution.RESOLVED and path in self._elsewhere:
            return other(f"`{path}` declares its own `{self.target.qualname}`")
        return verdict

    def _at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        if not receiver:
            return self._bare(path, scope, name, line)
        held = [one for value in self.names.expression(path, scope, receiver, line) for one in self.names.held(value)]
        verdicts = [self._member(receiver, one, name) for one in held]
        return joined(verdicts) if verdicts else maybe(f"receiver `{receiver}` of unknown type")

    def _member(self, receiver: str, value: Value, name: str) -> Verdict:
        if value.kind == "unknown":
            return maybe(f"receiver `{receiver}` of unknown type" + (f": {value.why}" if value.why else ""))
        said = told(receiver, value)
        if value.kind in ("outside", "external"):
            foreign = value.kind == "outside" and not value.sure and bool(self.target.scope)
            return maybe(f"{said}, perhaps an interface") if foreign else other(f"{said}, of other code")
        found = self.names.members(value, name)
        if not found:
            return other(f"{said}, which has no `{name}`")
        verdict = self._judge(found, said)
        typed = [value] if self.names.is_interface(value) else map(_owner, found)
        behind = next((one for one in typed if self._may_implement(one)), None)
        if verdict.resolution is Resolution.UNRESOLVED and behind:
            has = f"which `{self.target.scope}` may implement"
            return maybe(f"receiver `{receiver}` is interface `{behind.qualname}`, {has}")
        reason = said if verdict.resolution is Resolution.RESOLVED else f"{said}: {verdict.reason}"
        return Verdict(verdict.resolution, reason)

    def _bare(self, path: str, scope: str, name: str, line: int) -> Verdict:
        values = self.names.name(path, scope, name, line)
        verdict = self._judge(values, f"`{name}` is declared nowhere in its package")
        unsure = verdict.resolution is Resolution.AMBIGUOUS and all(one.kind == "unknown" for one in values)
        if unsure and self.names.is_local(path, scope, name, line):
            return other(f"a local name: {verdict.reason}")
        return verdict

    def _may_implement(self, value: Value) -> bool:
        if not self.target.scope or not self.names.is_interface(value):
            return False
        wanted, _ = self.names.method_set(value.path, value.qualname)
        has, whole = self.names.method_set(self._home, self.target.scope)
        return not whole or wanted <= has | {self.target.name}

    def imported(self, path: str, item: Import) -> Verdict:
        return other(f'import "{item.module}" binds a package')

    def _judge(self, values: Values, nothing: str) -> Verdict:
        verdict = judge(values, (self._home, self.target.qualname), nothing)
        if verdict.resolution is Resolution.RESOLVED and self._variants:
            return maybe(f"`{self.target.qualname}` has {self._variants} differing definitions in its package")
        return verdict


def _owner(member: Value) -> Value:
    """An instance of the type that declares a member: behind an embedded interface stands more than its struct."""
    return Value("instance", member.path, member.qualname.rpartition(".")[0])
