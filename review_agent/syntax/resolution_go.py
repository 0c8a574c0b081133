"""Go's expressions: what a receiver is, by parameters, declarations, constructors, struct fields and embedding."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_chain import Step, chain, closing, split_arguments
from review_agent.syntax.resolution_go_types import BUILTIN_TYPES, DEPTH, GoTypes, Values
from review_agent.syntax.resolution_locals import Declaration, all_of, in_force
from review_agent.syntax.resolution_world import Target, Value, World

__all__ = ["Go"]


# A longer line is made by a program: what it declares is not read.
_LINE = 1_000


class Go(GoTypes):
    """Evaluates expressions of one commit to what they can be. Places of values are packages, not files."""

    def __init__(self, world: World, target: Target | None = None) -> None:
        super().__init__(world, target)
        self._depth = 0

    def name(self, path: str, scope: str, name: str, line: int = 0) -> Values:
        """What a bare name means at a line (0: anywhere in the scope): a local, an import, a name of the package."""
        if self._depth >= DEPTH:
            return (Value("unknown", why=f"`{name}` is reached through more than {DEPTH} steps"),)
        self._depth += 1
        found = (
            self._local(path, scope, name, line)
            or self.packages.imported(path, name)
            or self.package_member(self.packages.home(path), name)
            or self.dotted(path, name)
        )
        self._depth -= 1
        return found

    def is_local(self, path: str, scope: str, name: str, line: int) -> bool:
        """Whether a bare name is bound in the function around it at a line, so that no import or package is meant."""
        return bool(self._local(path, scope, name, line))

    def _local(self, path: str, scope: str, name: str, line: int) -> Values:
        index = self.world.index(path) if scope else None
        symbol = next(iter(index.by_qualname.get(scope, ())), None) if index else None
        if symbol is None or symbol.kind not in ("function", "method"):
            return ()
        lines = self._lines(path)
        # A line that only uses the name declares nothing; telling the two apart needs no parsing of the file anew.
        first = symbol.header_end + (symbol.header_end < symbol.end)
        bound = [number for number in range(first, symbol.end + 1) if name in lines[number - 1]]
        found = all_of(lines, name, bound) if not line else [one for one in [in_force(lines, name, bound, line)] if one]
        values = [
            replace(got, why=f"`{name}` is declared at line {one.line}")
            for one in found
            for got in self._declared(path, scope, one)
        ]
        return _same_type(values) or self._parameter(path, symbol, name)

    def _lines(self, path: str) -> list[str]:
        return [line if len(line) <= _LINE else "" for line in (self.world.text(path) or "").split("\n")]

    def _declared(self, path: str, scope: str, found: Declaration) -> Values:
        if found.how == "type" or (found.how == "case" and found.text):
            return (self.typed(path, found.text),)
        if found.how == "value":
            texts = split_arguments(found.text)
            several = len(texts) > 1
            text, position = (
                (texts[found.position], 0) if several and found.position < len(texts) else (found.text, found.position)
            )
            return self.expression(path, scope, text, found.line, position)
        if found.how == "range":
            held = [one for value in self.expression(path, scope, found.text, found.line) for one in self.held(value)]
            return tuple(_ranged(one, found.position) for one in held)
        return (Value("unknown"),)

    def _parameter(self, path: str, symbol: Symbol, name: str) -> Values:
        header = " ".join(self._lines(path)[symbol.start - 1 : symbol.header_end])[:_LINE]
        receiver = re.match(r"func\s*\(\s*(\w+)\s", header)
        where = f"`{symbol.qualname}`, line {symbol.name_line}"
        if receiver and receiver[1] == name and symbol.receiver:
            owner = symbol.receiver.lstrip("*").split("[")[0]
            return (Value("instance", self.packages.home(path), owner, why=f"the receiver of {where}"),)
        for param in symbol.params:
            if param.name == name:
                typed = self.typed(path, param.type or "")
                return (replace(typed, why=f"parameter `{name}` of {where}"),)
        result = re.search(rf"\)\s*\(.*\b{re.escape(name)}\b(?:\s*,\s*\w+)*\s+([\w.*\[\]]*[\w\]])", header)
        return (replace(self.typed(path, result[1]), why=f"result `{name}` of {where}"),) if result else ()

    def held(self, value: Value) -> Values:
        """What a package's variable or a struct's field holds; other values hold themselves."""
        if value.kind != "variable":
            return (value,)
        found: list[Value] = []
        for one in self.packages.declared(value.path, value.qualname):
            if one.symbol.results:
                found.append(self.typed(one.path, one.symbol.results[0]))
            elif one.symbol.value:
                found += self.expression(one.path, "", one.symbol.value)
        return tuple(dict.fromkeys(found)) or (Value("unknown", why=f"the type of `{value.qualname}` is not known"),)

    def expression(self, path: str, scope: str, text: str, line: int = 0, position: int = 0) -> Values:
        """What an expression can be at a line; ``position`` picks one of a call's several results."""
        bare = text.strip().lstrip("&*").strip()
        while bare.startswith("(") and closing(bare, 0) == len(bare) - 1:
            bare = bare[1:-1].strip().lstrip("&*").strip()
        if bare.startswith(("[", "map[")):
            return (self.typed(path, bare.partition("{")[0]),)
        steps = chain(bare)
        if steps is None:
            return (Value("unknown", why=f"`{bare[:60]}` is not followed"),)
        return self._steps(path, scope, steps, line, position)

    def _steps(self, path: str, scope: str, steps: list[Step], line: int, position: int) -> Values:
        head, rest = steps[0], steps[1:]
        if head.text in ("new", "make") and rest and rest[0].act == "call" and len(rest) == 1:
            return (self.typed(path, split_arguments(rest[0].text)[0]),)
        if head.text == "append" and rest and rest[0].act == "call":
            return self.expression(path, scope, split_arguments(rest[0].text)[0], line)
        values = self.name(path, scope, head.text, line) or (self._free(head.text),)
        for number, step in enumerate(rest):
            last = position if number == len(rest) - 1 else 0
            values = tuple(got for one in values for got in self._step(path, one, step, last))
        return tuple(dict.fromkeys(values))

    def _free(self, name: str) -> Value:
        if name in BUILTIN_TYPES or name in ("len", "cap", "copy", "true", "false", "iota"):
            return Value("external", qualname=name)
        return Value("unknown", why=f"`{name}` is declared nowhere in its package")

    def _step(self, path: str, value: Value, step: Step, position: int) -> Iterable[Value]:
        match step.act:
            case "member":
                found = self.members(value, step.text)
                return found or (Value("unknown", why=f"`{value.qualname or value.path}` has no `{step.text}`"),)
            case "assertion":
                return (self.typed(path, step.text),)
            case "literal":
                return (replace(value, kind="instance") if value.kind == "class" else _literal(value),)
            case "index":
                return tuple(one.element or self._indexed(one) for one in self.held(value))
        return self._called(value, position)

    def _indexed(self, value: Value) -> Value:
        # A type or function in brackets is an instance of a generic one, not an item of a container.
        return value if value.kind in ("class", "function") else Value("unknown", why="an item of a container")

    def _called(self, value: Value, position: int) -> Iterable[Value]:
        if value.kind == "class":
            return (replace(value, kind="instance"),)
        if value.kind in ("external", "outside"):
            return (Value("outside", qualname=f"{value.qualname}()", sure=False, why=value.why),)
        if value.kind != "function":
            return (Value("unknown", why=f"the result of `{value.qualname or 'a call'}` is of unknown type"),)
        found = []
        for one in self.packages.declared(value.path, value.qualname):
            if position < len(one.symbol.results):
                found.append(self.typed(one.path, _type_of_result(one.symbol.results[position])))
        return tuple(dict.fromkeys(found)) or (Value("unknown", why=f"what `{value.qualname}` returns is not known"),)


def _same_type(values: list[Value]) -> Values:
    """The values, as one where they differ in nothing but the reason."""
    by_type = {replace(one, why=""): one for one in values}
    return tuple(by_type.values())


def _type_of_result(text: str) -> str:
    named = re.fullmatch(r"[A-Za-z_]\w*\s+(.+)", text)
    return named[1] if named and not text.startswith(("chan ", "func ", "map[")) else text


def _ranged(value: Value, position: int) -> Value:
    """What ``range`` gives: of a channel the first value is the element, of all else the second."""
    is_element = position == 1 or value.qualname.startswith(("chan", "<-chan"))
    return value.element if is_element and value.element else Value("unknown", why="what `range` gives")


def _literal(value: Value) -> Value:
    return replace(value, kind="outside") if value.kind == "external" else Value("unknown", why="a literal")
