"""Go's types: what a written type is, and its members: methods, fields, and what embedding promotes."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from review_agent.syntax.resolution_chain import closing
from review_agent.syntax.resolution_packages import Declared, Packages
from review_agent.syntax.resolution_world import Target, Value, World, value_kind

__all__ = ["BUILTIN_TYPES", "GoTypes", "Values"]

Values = tuple[Value, ...]

# Embedded types followed down, and nested evaluations, before a value counts as unknown.
DEPTH = 12
BUILTIN_TYPES = frozenset({
    "bool", "byte", "complex64", "complex128", "float32", "float64", "int", "int8", "int16", "int32", "int64", "rune",
    "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
})  # fmt: skip
# Types of the standard library that are structs and often stand without a star: they cannot hold a type of ours.
_STRUCTS = frozenset({
    "sync.Mutex", "sync.RWMutex", "sync.WaitGroup", "sync.Once", "sync.Map", "sync.Pool", "bytes.Buffer", "time.Time",
    "time.Duration", "strings.Builder", "http.Header", "url.URL", "url.Values", "net.IP", "atomic.Bool", "atomic.Int32",
    "atomic.Int64", "atomic.Uint64", "atomic.Value", "testing.T", "testing.B",
})  # fmt: skip
# Characters of a written type that are read.
_TYPE = 300
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class GoTypes(ABC):
    """Types and members of one commit. Places of values are packages, not files."""

    def __init__(self, world: World, target: Target | None = None) -> None:
        self.world = world
        self.target = target
        self.packages = Packages(world, target)

    @abstractmethod
    def held(self, value: Value) -> Values:
        """What a package's variable or a struct's field holds; other values hold themselves."""

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

    def dotted(self, path: str, name: str) -> Values:
        """What a name is that a file imports into its own names (``import . "x"``)."""
        for folder, item in self.packages.dotted(path):
            found = self.package_member(folder, name)
            if found:
                why = f'import . "{item.module}", line {item.line}'
                return tuple(replace(one, why=why, sure=False) for one in found)
        return ()

    def typed(self, path: str, text: str) -> Value:
        """An instance of the type written in a file."""
        bare = text.strip()[:_TYPE]
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
        if name in BUILTIN_TYPES:
            return Value("outside", qualname=name)
        return self._instance(path, name, pointer)

    def _instance(self, path: str, name: str, pointer: bool) -> Value:
        first, _, rest = name.partition(".")
        if not _IDENTIFIER.fullmatch(first) or (rest and not _IDENTIFIER.fullmatch(rest)):
            return Value("unknown", why=f"the type `{name[:60]}` is not followed")
        if not rest:
            found = self.package_member(self.packages.home(path), first) or self.dotted(path, first)
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
        names, whole = set(self.packages.method_names(package, owner)), depth < DEPTH
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
