"""Go's expressions: what a receiver is, by parameters, declarations, constructors, struct fields and embedding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from review_agent.syntax.model import Symbol
from review_agent.syntax.resolution_chain import Step, chain, closing, split_arguments
from review_agent.syntax.resolution_locals import Declaration, in_force
from review_agent.syntax.resolution_packages import Declared, Packages
from review_agent.syntax.resolution_world import Target, Value, World, value_kind

__all__ = ["Go"]

Values = tuple[Value, ...]

# Nested evaluations (an assignment of a call of a field of …) before a value counts as unknown.
_DEPTH = 12
_BUILTIN_TYPES = frozenset({
    "bool", "byte", "complex64", "complex128", "float32", "float64", "int", "int8", "int16", "int32", "int64", "rune",
    "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
})  # fmt: skip
# Types of the standard library that are structs and often stand without a star: they cannot hold a type of ours.
_STRUCTS = frozenset({
    "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "sync.Once", "sync.Map", "sync.Pool", "bytes.Buffer", "time.Time",
    "time.Duration", "strings.Builder", "http.Header", "url.URL", "url.Values", "net.IP", "atomic.Bool", "atomic.Int32",
    "atomic.Int64", "atomic.Uint64", "atomic.Value", "testing.T", "testing.B",
})  # fmt: skip
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class Go:
    """Evaluates expressions of one commit to what they can be. Places of values are folders, not files."""

    def __init__(self, world: World, target: Target | None = None) -> None:
        self.world = world
        self.target = target
        self.packages = Packages(world, target)
        self._depth = 0

    def name(self, path: str, scope: str, name: str, line: int = 0) -> Values:
        """What a bare name means at a line: a local, an import, a name of the package, a builtin type."""
        if self._depth >= _DEPTH:
            return (Value("unknown", why=f"`{name}` is reached through more than {_DEPTH} steps"),)
        self._depth += 1
        found = (
            self._local(path, scope, name, line)
            or self.packages.imported(path, name)
            or self.package_member(self.packages.home(path), name)
            or self._dotted(path, name)
        )
        self._depth -= 1
        return found

    def _dotted(self, path: str, name: str) -> Values:
        for folder, item in self.packages.dotted(path):
            found = self.package_member(folder, name)
            if found:
                why = f'import . "{item.module}", line {item.line}'
                return tuple(replace(one, why=why, sure=False) for one in found)
        return ()

    def package_member(self, folder: str, name: str) -> Values:
        """What ``name`` is at the level of a package."""
        found = tuple(dict.fromkeys(self._placed(folder, one) for one in self.packages.declared(folder, name)))
        return found or self._phantom(folder, "", name)

    def _placed(self, folder: str, declared: Declared) -> Value:
        symbol = declared.symbol
        kind = value_kind(symbol)
        return Value(kind, folder, symbol.qualname, why=f"`{symbol.qualname}` is declared in `{folder or '.'}`")

    def _phantom(self, folder: str, scope: str, name: str) -> Values:
        target = self.target
        if target and (self.packages.home(target.path), target.scope, target.name) == (folder, scope, name):
            return (Value("function", folder, target.qualname, why=f"`{target.path}` is where it was defined"),)
        return ()

    def _local(self, path: str, scope: str, name: str, line: int) -> Values:
        index = self.world.index(path) if scope else None
        symbol = next(iter(index.by_qualname.get(scope, ())), None) if index else None
        if symbol is None or symbol.kind not in ("function", "method"):
            return ()
        uses = [one for one in self.world.uses(path, name) if one.scope == scope and not one.receiver]
        bound = [one.line for one in uses if one.use in ("write", "definition", "parameter")]
        found = in_force(self._lines(path), name, (one for one in bound if one > symbol.header_end), line or symbol.end)
        if found:
            why = f"`{name}` is declared at line {found.line}"
            return tuple(replace(one, why=why) for one in self._declared(path, scope, found))
        return self._parameter(path, symbol, name)

    def _lines(self, path: str) -> list[str]:
        return (self.world.text(path) or "").split("\n")

    def _declared(self, path: str, scope: str, found: Declaration) -> Values:
        if found.how == "type" or (found.how == "case" and found.text):
            return (self.typed(path, found.text),)
        if found.how == "value":
            texts = split_arguments(found.text)
            several = len(texts) > 1
            text, position = (
                (texts[found.position], 0) if several and found.position < len(texts) else (found.text, found.position)
            )
            return self.expression(path, scope, text, found.line - 1, position)
        if found.how == "range":
            held = [
                one for value in self.expression(path, scope, found.text, found.line - 1) for one in self.held(value)
            ]
            return tuple(_ranged(one, found.position) for one in held)
        return (Value("unknown"),)

    def _parameter(self, path: str, symbol: Symbol, name: str) -> Values:
        header = " ".join(self._lines(path)[symbol.start - 1 : symbol.header_end])
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

    def typed(self, path: str, text: str) -> Value:
        """An instance of the type written in a file."""
        bare = text.strip()
        while bare.startswith("(") and closing(bare, 0) == len(bare) - 1:
            bare = bare[1:-1].strip()
        pointer = bare.startswith("*")
        bare = bare.lstrip("*").strip()
        container = re.match(r"\[[^\]]*\]|\.\.\.|map\[|chan\s|<-chan\s|chan<-\s", bare)
        if container:
            end = closing(bare, bare.index("[")) + 1 if bare.startswith("map[") else container.end()
            element = self.typed(path, bare[end:]) if end else None
            return Value("outside", qualname=bare[:40], element=element)
        name = bare.split("[")[0]
        if name.startswith(("func", "struct")):
            return Value("unknown", why=f"its type `{bare[:40]}` has no name")
        if name in _BUILTIN_TYPES:
            return Value("outside", qualname=name)
        return self._instance(path, name, pointer)

    def _instance(self, path: str, name: str, pointer: bool) -> Value:
        first, _, rest = name.partition(".")
        if not _IDENTIFIER.fullmatch(first) or (rest and not _IDENTIFIER.fullmatch(rest)):
            return Value("unknown", why=f"the type `{name[:60]}` is not followed")
        if not rest:
            found = self.package_member(self.packages.home(path), first) or self._dotted(path, first)
        else:
            packages = self.packages.imported(path, first)
            found = tuple(got for one in packages for got in self.members(one, rest))
        if len(found) == 1 and found[0].kind == "class":
            return replace(found[0], kind="instance")
        if found and found[0].kind == "external":
            concrete = pointer or name in _STRUCTS
            return Value("outside", qualname=name, sure=concrete, why=f"`{name}` is of other code")
        return Value("unknown", why=f"the type `{name}` is not known")

    def members(self, value: Value, name: str) -> Values:
        """What ``value.name`` is; empty where the value is known in full and has no such name."""
        match value.kind:
            case "module":
                found = self.package_member(value.path, name)
                return tuple(replace(one, sure=one.sure and value.sure) for one in found)
            case "instance" | "class":
                return self._type_member(value, name)
            case "variable":
                return tuple(got for one in self.held(value) for got in self.members(one, name))
            case "external":
                return (Value("external", qualname=f"{value.qualname}.{name}", why=value.why),)
            case "outside":
                # What other code holds is of other code's types, though perhaps an interface of theirs.
                return (Value("outside", qualname=f"{value.qualname}.{name}", sure=False, why=value.why),)
        return (value if value.kind == "unknown" else Value("unknown", why=f"part of `{value.qualname}`"),)

    def _type_member(self, value: Value, name: str) -> Values:
        level, seen, hidden = [(value.path, value.qualname)], set(), ""
        while level:
            found = [got for folder, owner in level for got in self._own_member(folder, owner, name)]
            if found:
                return tuple(dict.fromkeys(replace(one, receiver=value, sure=value.sure) for one in found))
            seen.update(level)
            deeper = [base for folder, owner in level for base in self._embedded(folder, owner)]
            hidden = hidden or next((one.qualname for one in deeper if one.kind != "instance"), "")
            level = [(one.path, one.qualname) for one in deeper if one.kind == "instance"]
            level = [one for one in dict.fromkeys(level) if one not in seen]
        if hidden:
            return (Value("unknown", why=f"`{value.qualname}` embeds `{hidden}`, which is of other code"),)
        return ()

    def _own_member(self, folder: str, owner: str, name: str) -> Values:
        found = self.packages.declared(folder, f"{owner}.{name}")
        placed = tuple(dict.fromkeys(self._placed(folder, one) for one in found))
        return placed or self._phantom(folder, owner, name)

    def _embedded(self, folder: str, owner: str) -> Iterator[Value]:
        for one in self.packages.declared(folder, owner):
            for base in one.symbol.bases:
                yield replace(self.typed(one.path, base), qualname=self.typed(one.path, base).qualname or base)

    def is_interface(self, value: Value) -> bool:
        """Whether a value is of an interface type of the repository."""
        declared = self.packages.declared(value.path, value.qualname) if value.kind == "instance" else ()
        return any(one.symbol.kind == "interface" for one in declared)

    def method_set(self, package: str, owner: str, depth: int = 0) -> tuple[frozenset[str], bool]:
        """Names of the methods a type has, promoted ones too; false where it embeds types of other code."""
        names, whole = set(self.packages.method_names(package, owner)), depth < _DEPTH
        for one in self.packages.declared(package, owner):
            names.update(one.symbol.members if one.symbol.kind == "interface" else ())
        for base in self._embedded(package, owner) if whole else ():
            if base.kind == "instance":
                more, known = self.method_set(base.path, base.qualname, depth + 1)
                names |= more
                whole = whole and known
            else:
                whole = False
        return frozenset(names), whole

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
        if name in _BUILTIN_TYPES or name in ("len", "cap", "copy", "true", "false", "iota"):
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


def _type_of_result(text: str) -> str:
    named = re.fullmatch(r"[A-Za-z_]\w*\s+(.+)", text)
    return named[1] if named and not text.startswith(("chan ", "func ", "map[")) else text


def _ranged(value: Value, position: int) -> Value:
    """What ``range`` gives: of a channel the first value is the element, of all else the second."""
    is_element = position == 1 or value.qualname.startswith(("chan", "<-chan"))
    return value.element if is_element and value.element else Value("unknown", why="what `range` gives")


def _literal(value: Value) -> Value:
    return replace(value, kind="outside") if value.kind == "external" else Value("unknown", why="a literal")
