"""Python's names: what a bare name means in a scope, through imports and re-exports, without running anything."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from posixpath import dirname

from review_agent.syntax.model import Assign, Import, Param, Symbol
from review_agent.syntax.resolution_modules import ModuleFile, is_package, modules, submodule, written
from review_agent.syntax.resolution_once import ITSELF, Evaluations
from review_agent.syntax.resolution_world import TEXT_LIMIT, Index, Target, Value, World, value_kind

__all__ = ["Scopes"]

# Re-exports followed from one package to the next before the chase is given up.
_HOPS = 3

Values = tuple[Value, ...]

# What ``x += y`` stands as: it changes what a name holds, not of what type it is.
_UPDATE = re.compile(r"[^\w\s(\[{\"']{1,3}= ")


class Scopes(Evaluations, ABC):
    """Looks names up in one commit. ``target`` is taken to exist where it is said to be, even if it is gone there."""

    deepest = 10

    def __init__(self, world: World, target: Target | None = None) -> None:
        super().__init__()
        self.world = world
        self.target = target

    @abstractmethod
    def expression(self, path: str, scope: str, text: str) -> Values:
        """What an expression can be in a scope; unknown rather than empty where it cannot be told."""

    @abstractmethod
    def annotation(self, path: str, scope: str, text: str) -> Values:
        """The instances that an annotation allows, None left out."""

    @abstractmethod
    def held(self, value: Value) -> Values:
        """What a variable holds; other values hold themselves."""

    @abstractmethod
    def entered(self, path: str, scope: str, text: str) -> Values:
        """What ``with text as x`` binds to x."""

    def index(self, path: str) -> Index | None:
        """The facts of a file by place; null where it has no outline."""
        return None if path.endswith("/") else self.world.index(path)

    def name(self, path: str, scope: str, name: str) -> Values:
        """All that a bare name can mean in a scope, by Python's rule: function scopes outward, then the module."""
        return self.once(("name", path, scope, name), name, lambda: self._name(path, scope, name))

    def _name(self, path: str, scope: str, name: str) -> Values:
        for at in self._outward(path, scope):
            found = self._bound(path, at, name)
            if found:
                return found
        return self.module_member(path, name, own=True)

    def _outward(self, path: str, scope: str) -> Iterator[str]:
        index = self.index(path)
        at = scope
        while at:
            symbols = index.by_qualname.get(at, []) if index else []
            if at == scope or not any(one.kind == "class" for one in symbols):
                yield at
            at = at.rpartition(".")[0]

    def module_member(self, path: str, name: str, *, hops: int = 0, own: bool = False) -> Values:
        """What ``name`` is in a module: bound there, re-exported, a submodule, or behind a star import."""
        if hops > _HOPS:
            return (Value("unknown", why=f"`{name}` is re-exported through more than {_HOPS} modules"),)
        found = self._bound(path, "", name, hops) if self.index(path) else ()
        found = found or (() if own else self._submodule(path, name)) or self._phantom(path, "", name)
        return found or self._behind_star(path, name, hops)

    def _phantom(self, path: str, scope: str, name: str) -> Values:
        if self.target == Target(path, scope, name):
            return (Value("function", path, self.target.qualname, why=f"`{path}` is where it was defined"),)
        return ()

    def _submodule(self, path: str, name: str) -> Values:
        file = submodule(self.world, path, name)
        return (Value("module", file.path, sure=file.sure),) if file else ()

    def _behind_star(self, path: str, name: str, hops: int) -> Values:
        index = self.index(path)
        if index is None:
            return ()
        stars = index.imports.get(("", "*"), ())
        found = [one for item in stars for one in self._starred(path, item, name, hops)]
        if found:
            # Two stars that bring the name, or one of other code, leave open which comes last.
            alone = len({(one.path, one.qualname) for one in found}) == 1
            alone = alone and all(modules(self.world, path, item) for item in stars)
            return tuple(replace(one, sure=one.sure and alone) for one in found)
        if any(not modules(self.world, path, item) for item in stars):
            return (Value("unknown", why=f"a star import of `{path}` may bind `{name}`"),)
        if index.outline.has_getattr:
            return (Value("unknown", why=f"`{path}` answers for any name by `__getattr__`"),)
        return ()

    def _starred(self, path: str, item: Import, name: str, hops: int) -> Iterator[Value]:
        """What a star import brings under a name: surely only what the module lists in ``__all__``."""
        why = f"`from {written(item)} import *`, line {item.line} of `{path}`"
        for file in modules(self.world, path, item):
            index = self.index(file.path)
            exports = index.outline.exports if index else None
            if name in exports if exports is not None else not name.startswith("_"):
                for one in self.module_member(file.path, name, hops=hops + 1):
                    yield replace(one, sure=one.sure and file.sure and exports is not None, why=why)

    def _bound(self, path: str, at: str, name: str, hops: int = 0) -> Values:
        """All bindings of a name directly in a scope; several where they differ by branch or by line."""
        index = self.index(path)
        if index is None:
            return ()
        found = [
            *self._parameters(path, index, at, name),
            *(self._symbol(path, one) for one in index.symbols.get((at, name), ()) if not _is_local(at, one, index)),
            *(value for item in index.imports.get((at, name), ()) for value in self.imported(path, item, hops)),
        ]
        if at and index.by_qualname.get(at) and not any(one.kind == "class" for one in index.by_qualname[at]):
            found += self._assigned(path, index, at, name)
        elif not found and (index.assigns.get((at, name)) or index.contexts.get((at, name))):
            found.append(Value("variable", path, f"{at}.{name}" if at else name))
        return tuple(dict.fromkeys(found))

    def _symbol(self, path: str, symbol: Symbol) -> Value:
        return Value(
            value_kind(symbol), path, symbol.qualname, why=f"`{symbol.qualname}` is defined at line {symbol.name_line}"
        )

    def _parameters(self, path: str, index: Index, at: str, name: str) -> Iterator[Value]:
        for symbol in index.by_qualname.get(at, ()):
            for position, param in enumerate(symbol.params):
                if param.name.lstrip("*") == name:
                    yield from self._parameter(path, symbol, position, param)

    def _parameter(self, path: str, symbol: Symbol, position: int, param: Param) -> Values:
        where = f"parameter `{param.name}` of `{symbol.qualname}`, line {symbol.name_line}"
        if symbol.kind == "method" and position == 0 and not _decorated(symbol, "staticmethod"):
            of_class = _decorated(symbol, "classmethod") or symbol.name in ("__new__", "__init_subclass__")
            return (Value("class" if of_class else "instance", path, symbol.scope, why=f"method of `{symbol.scope}`"),)
        if param.kind.startswith("var_"):
            return (Value("outside", qualname="tuple" if param.kind == "var_positional" else "dict", why=where),)
        if param.type is None:
            return self.injected(path, symbol, param.name) or (Value("unknown", why=f"{where}, has no annotation"),)
        return tuple(replace(one, why=where) for one in self.annotation(path, symbol.scope, param.type))

    def injected(self, path: str, symbol: Symbol, name: str) -> Values:
        """What an unannotated parameter is given by its name alone; empty where nothing does that."""
        return ()

    def _assigned(self, path: str, index: Index, at: str, name: str) -> Iterator[Value]:
        lines: set[int] = set()
        for assign in index.assigns.get((at, name), ()):
            lines.update(range(assign.start, assign.end + 1))
            yield from self._one_assign(path, at, name, assign)
        for call in index.contexts.get((at, name), ()):
            lines.update(range(call.start, call.end + 1))
            for value in self.entered(path, at, call.callee):
                yield value if value.kind == "unknown" else replace(value, why=f"`{name}`: `with` at line {call.start}")
        given = any(param.name == name for symbol in index.by_qualname.get(at, ()) for param in symbol.params)
        for use in self.world.uses(path, name):
            # A parameter that is none of the function's own belongs to a lambda inside it.
            binds = use.use == "write" or (use.use == "parameter" and not given)
            if binds and use.scope == at and not use.receiver and use.line not in lines:
                yield from self._looped(path, at, name, use.line)

    def _looped(self, path: str, at: str, name: str, line: int) -> Iterator[Value]:
        text = (self.world.text(path) or "").split("\n")[line - 1]
        loop = re.match(rf"\s*(?:async\s+)?for\s+{re.escape(name)}\s+in\s+(.+):\s*(?:#.*)?$", text)
        where = f"`{name}` is bound at line {line}"
        for value in self.expression(path, at, loop[1]) if loop else ():
            for held in self.held(value):
                yield replace(held.element, why=where) if held.element else Value("unknown", why=where)
        if not loop:
            yield Value("unknown", why=where)

    def is_local(self, path: str, scope: str, name: str) -> bool:
        """Whether a bare name is bound inside a function around it, so that no import or module name is meant."""
        return any(self._bound(path, at, name) for at in self._outward(path, scope))

    def _one_assign(self, path: str, at: str, name: str, assign: Assign) -> Values:
        where = f"`{name}` is assigned at line {assign.start}"
        if _UPDATE.match(assign.value):
            return ()
        if len(assign.targets) > 1:
            return (Value("unknown", why=f"{where} by unpacking"),)
        # Long text is cut; what is called is still whole.
        is_cut = len(assign.value) >= TEXT_LIMIT and bool(assign.callee)
        values = self.expression(path, at, f"{assign.callee}()" if is_cut else assign.value)
        why = f"{where}: `{assign.value}`" if len(assign.value) < 60 else where
        return tuple(one if one == ITSELF else replace(one, why=why) for one in values)

    def imported(self, path: str, item: Import, hops: int = 0) -> Values:
        """What one import binds. The reason names the import as it is written, and its line."""
        files = modules(self.world, path, item)
        if item.name is None:
            why = f"`import {item.module}`, line {item.line}"
            found = tuple(self._whole(item, file) for file in files)
        else:
            why = f"`from {written(item)} import {item.name}`, line {item.line}"
            found = tuple(value for file in files for value in self._from(path, file, item.name, hops))
        if not files:
            dotted = ".".join(part for part in (item.module, item.name or "") if part)
            found = (Value("external", qualname=dotted if item.name else item.alias),)
        elif not found:
            found = (Value("unknown", why=f"`{written(item)}` has no `{item.name}`"),)
        return tuple(replace(one, why=one.why if one.kind == "unknown" and one.why else why) for one in found)

    def _whole(self, item: Import, file: ModuleFile) -> Value:
        parts = item.module.split(".")
        if item.alias != parts[0] or len(parts) == 1:
            return Value("module", file.path, sure=file.sure)
        folder = dirname(file.path.rstrip("/"))
        for _ in range(len(parts) - (1 if is_package(file.path) and not file.path.endswith("/") else 2)):
            folder = dirname(folder)
        init = f"{folder}/__init__.py"
        return Value("module", init if self.world.has(init) else f"{folder}/", sure=file.sure)

    def _from(self, importer: str, file: ModuleFile, name: str, hops: int) -> Values:
        if file.path == importer:
            # A package that imports from itself means its submodule: the name is not bound in it before.
            return self._submodule(importer, name)
        found = self.module_member(file.path, name, hops=hops + 1)
        return tuple(replace(one, sure=one.sure and file.sure) for one in found)


def _decorated(symbol: Symbol, name: str) -> bool:
    return any(one.lstrip("@").split("(")[0].rpartition(".")[2] == name for one in symbol.decorators)


def _is_local(at: str, symbol: Symbol, index: Index) -> bool:
    """A variable of a function: its assignments say more than its symbol."""
    inside = index.by_qualname.get(at, ())
    return bool(at) and symbol.kind in ("variable", "constant") and not any(one.kind == "class" for one in inside)
