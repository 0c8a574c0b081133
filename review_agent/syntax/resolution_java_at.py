"""Whether an occurrence of a name in Java is the thing asked for."""

from __future__ import annotations

import re
from dataclasses import replace

from review_agent.syntax.model import Call
from review_agent.syntax.resolution_classes import ClassResolver
from review_agent.syntax.resolution_java import Java
from review_agent.syntax.resolution_java_types import Values, outward
from review_agent.syntax.resolution_verdict import Verdict, joined, maybe, other, told
from review_agent.syntax.resolution_world import Target, Value, World
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Resolution

__all__ = ["JavaResolver"]


class JavaResolver(ClassResolver[Java]):
    """Overloads share a name: of a call they are told apart by how many arguments it passes."""

    _unbound = "the import binds a package"

    def __init__(self, world: World, target: Target) -> None:
        super().__init__(target, Java(world, target))
        self._world = world

    def _at(self, path: str, scope: str, receiver: str, name: str, line: int) -> Verdict:
        if self._out_of_reach(path, scope):
            return other(f"`{name}` is local to `{self.target.scope}`")
        count = self._count(path, receiver, name, line)
        if not receiver:
            return self._bare(path, scope, name, line, count)
        if name[:1].isupper() and receiver.replace(".", "").replace("_", "").islower():
            # A type by its full name; a local or field called like a package is not looked into by types.
            named = self.names.in_package(path, receiver, name)
            if named:
                return self._judge(named, "")
        values = self.names.expression(path, scope, receiver, line)
        held = [one for value in values for one in self.names.held(value)]
        verdicts = [self._member(receiver, one, name, count) for one in held]
        return joined(verdicts) if verdicts else maybe(f"receiver `{receiver}` of unknown type")

    def _out_of_reach(self, path: str, scope: str) -> bool:
        index = self.names.index(self.target.path)
        around = [one for at in outward(self.target.scope) for one in (index.by_qualname.get(at, ()) if index else ())]
        inside = next((one.qualname for one in around if one.kind == "method"), "")
        return bool(inside) and not (path == self.target.path and f"{scope}.".startswith(f"{inside}."))

    def _count(self, path: str, receiver: str, name: str, line: int) -> int | None:
        """How many arguments the call at a line passes; -1 where calls differ, null where nothing is called."""
        index = self._world.index(path)
        calls = [one for one in (index.calls.get(name, ()) if index else ()) if _is_there(one, receiver, line)]
        counts = {len(one.args) for one in calls}
        return None if not counts else counts.pop() if len(counts) == 1 else -1

    def _bare(self, path: str, scope: str, name: str, line: int, count: int | None) -> Verdict:
        text = ((self._world.text(path) or "").split("\n")[line - 1 : line] or [""])[0]
        is_type = count is None or re.search(rf"\bnew\s+(?:[\w.]+\.)?{whole_name(name)}", text)
        local: Values = self.names.local(path, scope, name, line) if count is None else ()
        if local:
            return other(f"a local name: {local[0].why}")
        values = self.names.method(path, scope, name, count) if not is_type else ()
        if is_type:
            types = self.names.type_named(path, scope, name)
            fields = self.names.name(path, scope, name, line) if count is None else ()
            values = types if name[:1].isupper() and types else fields or types
        return self._apart(self._judge(values, f"`{name}` is declared nowhere that is seen from `{path}`"), values)

    def _apart(self, verdict: Verdict, values: Values) -> Verdict:
        """A bare call in a class below the target's own, or above it, may run the other's method."""
        if verdict.resolution is not Resolution.UNRESOLVED or not self.target.scope:
            return verdict
        owners = {(one.path, one.qualname.rpartition(".")[0]) for one in values if one.kind == "function"}
        if owners and any(self._is_above(one) for one in owners):
            return maybe(f"{verdict.reason}, which `{self.target.scope}` overrides")
        return verdict

    def _member(self, receiver: str, value: Value, name: str, count: int | None) -> Verdict:
        if value.kind == "unknown":
            return maybe(f"receiver `{receiver}` of unknown type" + (f": {value.why}" if value.why else ""))
        said = told(receiver, value)
        if value.kind in ("outside", "external"):
            return self._outside(said, value)
        found = self.names.take(value, name, count)
        if not found:
            return self._missing(said, value, name)
        verdict = self._judge(found, said)
        owners = {(one.path, one.qualname.rpartition(".")[0]) for one in found}
        above = self._is_above((value.path, value.qualname)) or any(self._is_above(one) for one in owners)
        if verdict.resolution is Resolution.UNRESOLVED and above:
            return maybe(f"{said}, and `{self.target.scope}` below it has its own `{name}`")
        reason = said if verdict.resolution is Resolution.RESOLVED else f"{said}: {verdict.reason}"
        return Verdict(verdict.resolution, reason)

    def _outside(self, said: str, value: Value) -> Verdict:
        if self._is_open_above(value):
            return maybe(f"{said}, of other code, which `{self.target.scope}` extends")
        return other(f"{said}, of other code")

    def _missing(self, said: str, value: Value, name: str) -> Verdict:
        if self._is_above((value.path, value.qualname)):
            return maybe(f"{said}, which does not declare `{name}` itself")
        return other(f"{said}, which has no `{name}`")

    def _judge(self, values: Values, nothing: str) -> Verdict:
        known = tuple(replace(one, element=None) for one in values)
        verdict = super()._judge(known, nothing)
        index = self.names.index(self.target.path)
        namesakes = len(index.types(self.target.scope)) if index and self.target.scope else 0
        if verdict.resolution is Resolution.RESOLVED and namesakes > 1:
            # Classes without a name that extend the same class are called alike.
            return maybe(f"`{self.target.path}` has {namesakes} classes `{self.target.scope}`")
        return verdict


def _is_there(call: Call, receiver: str, line: int) -> bool:
    return call.receiver == receiver and call.start <= line <= call.end
