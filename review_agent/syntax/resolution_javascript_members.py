"""JavaScript's modules and members: what is exported under a name, fields and methods through classes and bases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from review_agent.syntax.model import Assign, Symbol
from review_agent.syntax.resolution_javascript_objects import JavaScriptObjects
from review_agent.syntax.resolution_javascript_scopes import Values, union
from review_agent.syntax.resolution_once import lineage
from review_agent.syntax.resolution_world import Index, Value

__all__ = ["JavaScriptMembers"]

_LISTED = re.compile(r"^\s*export\s*(?:type\s*)?\{([^}]*)\}(?!\s*from)", re.MULTILINE)
_DEFAULT = re.compile(r"^\s*export\s+(?:default|=)\s+(.*)$", re.MULTILINE)
_DECLARED = re.compile(r"(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class)\s+([\w$]+)")
_ANONYMOUS = re.compile(r"(?:async\s+)?(?:function\b|class\b|\(|\{|[\w$]+\s*=>)")
_CALLED = ("call", "apply", "bind")
# Bases of the language that bring no method of ours and hide none.
_PLAIN_BASES = frozenset(("Error", "TypeError", "RangeError", "Object", "Array", "Map", "Set", "Promise"))


class JavaScriptMembers(JavaScriptObjects):
    """Evaluates exports, members and calls; how an expression reads is left to the class below."""

    def exported(self, path: str, name: str, hops: int = 0) -> Values:
        return self.once(("exported", path, name), name, lambda: self._exported(path, name, hops))

    def _exported(self, path: str, name: str, hops: int) -> Values:
        index = self.index(path)
        if index is None:
            return self.phantom(path, "", name)
        if name == "default" and (found := self._default(path, index, hops)):
            return found
        found = self._own_export(path, index, name, hops)
        return found or self._gone(path, index, name) or self._behind_star(path, index, name, hops)

    def _gone(self, path: str, index: Index, name: str) -> Values:
        """The target as it was; what still stands in a module that does not export it was never given out."""
        stays = index.outline.exports is not None and index.symbols.get(("", name))
        return () if stays else self.phantom(path, "", name)

    def _own_export(self, path: str, index: Index, name: str, hops: int) -> Values:
        passed = [one for one in index.imports.get(("", name), ()) if one.name != "*"]
        if any(re.match(r"\s*export\b", self.lines(path)[one.line - 1]) for one in passed):
            return union(got for one in passed for got in self.imported(path, one, hops))
        local = self._renamed(path, name)
        if local or name in (index.outline.exports or ()) or index.outline.exports is None:
            found = self.module_member(path, local or name)
            if found:
                return found
        return self.set_on_exports(path, index, name)

    def _renamed(self, path: str, name: str) -> str:
        """The local name of what ``export { local as name }`` gives out."""
        for listed in _LISTED.findall(self.world.text(path) or ""):
            for part in listed.split(","):
                words = part.split("//")[0].split()
                words = words[1:] if words[:1] == ["type"] and len(words) > 1 else words
                if words and words[-1] == name:
                    return str(words[0])
        return ""

    def _default(self, path: str, index: Index, hops: int) -> Values:
        match = _DEFAULT.search(self.world.text(path) or "")
        if match is None:
            local = self._renamed(path, "default")
            return self.module_member(path, local) if local else self._default_of_commonjs(path, index, hops)
        text = match[1].strip()
        declared = _DECLARED.match(text)
        if declared:
            return self.module_member(path, declared[1])
        if _ANONYMOUS.match(text):
            return self.module_member(path, "default")
        return self.expression(path, "", text.rstrip(";"))

    def _default_of_commonjs(self, path: str, index: Index, hops: int) -> Values:
        if index.assigns.get(("", "module.exports")) or self._is_commonjs(index):
            return self.whole(path, hops)
        return ()

    def _is_commonjs(self, index: Index) -> bool:
        return any(target.startswith(("exports.", "module.exports")) for scope, target in index.assigns if not scope)

    def _behind_star(self, path: str, index: Index, name: str, hops: int) -> Values:
        found: list[Value] = []
        for item in index.imports.get(("", "*"), ()):
            file = self.modules.path(path, item.module)
            if file is None:
                return (Value("unknown", why=f'`export * from "{item.module}"` of `{path}` may give `{name}`'),)
            found += self.exported(file, name, hops + 1) if name != "default" and hops < 5 else ()
        return union(found)

    def whole(self, path: str, hops: int = 0) -> Values:
        return self.once(("whole", path), path, lambda: self._whole(path))

    def _whole(self, path: str) -> Values:
        index = self.index(path)
        module = (Value("module", path, why=f"`{path}`"),)
        found: list[Value] = []
        for assign in index.assigns.get(("", "module.exports"), ()) if index else ():
            if assign.value.startswith("{"):
                return self._object(path, assign) or module
            named = _DECLARED.match(assign.value)
            own = named[1] if named else "exports"
            symbols = index.symbols.get(("", own), []) if index else []
            if named or (symbols and _ANONYMOUS.match(assign.value)):
                found += [self.symbol(path, one) for one in symbols]
            else:
                found += self.expression(path, "", assign.value, assign.start)
        return union(found) or module

    def _object(self, path: str, assign: Assign) -> Values:
        """The name that ``app = module.exports = {}`` gives the object beside."""
        names = [one for one in assign.targets if "." not in one and one != "exports"]
        return self.module_member(path, names[0]) if names else ()

    def members(self, value: Value, name: str) -> Values:
        """What ``value.name`` is; empty where the value is known in full and has no such name."""
        match value.kind:
            case "module":
                found = self.exported(value.path, name)
                return tuple(replace(one, sure=one.sure and value.sure) for one in found)
            case "class" | "instance" | "super" | "function" | "variable":
                return self._member(value, name)
            case "external":
                return (Value("external", qualname=f"{value.qualname}.{name}", why=value.why),)
            case "outside":
                why = f"an attribute of `{value.qualname}`"
                return (Value("unknown", qualname=f"{value.qualname}.{name}", why=why),)
        return (value,)

    def _member(self, value: Value, name: str) -> Values:
        if name == "prototype" and value.kind in ("class", "function"):
            return (replace(value, kind="instance"),)
        if value.kind == "function" and name in _CALLED:
            return (value,)
        hidden: list[str] = []
        for at, path, qualname in self.lineage(value.path, value.qualname):
            if at == "open":
                hidden.append(qualname)
            elif value.kind != "super" or (path, qualname) != (value.path, value.qualname):
                found = self._own_member(path, qualname, name, value)
                if found:
                    return tuple(replace(one, sure=one.sure and value.sure and not hidden) for one in found)
        mixed = self.mixed_in(value, name)
        if mixed:
            return mixed
        if value.kind == "variable":
            held = [one for one in self.type_of(value) if one != value]
            return union(got for one in held for got in self.members(one, name))
        if hidden:
            why = f"`{value.qualname}` does not define `{name}`, its base `{hidden[0]}` is not in this repository"
            return (Value("unknown", why=why),)
        if value.kind == "function":
            return (Value("unknown", why=f"an attribute of the function `{value.qualname}`"),)
        return ()

    def _own_member(self, path: str, qualname: str, name: str, receiver: Value) -> Values:
        index = self.index(path)
        symbols = index.by_qualname.get(f"{qualname}.{name}", []) if index else []
        if receiver.kind == "class" and symbols and index and index.types(qualname):
            # On the class itself stands what is static.
            symbols = [one for one in symbols if "static" in one.modifiers or one.kind == "constant"]
            if not symbols:
                return ()
        for symbol in index.by_qualname.get(qualname, ()) if index else ():
            if name in symbol.members and (held := self.holds_by_name(path, symbol, name)):
                return held
        found = [replace(self.symbol(path, one), receiver=receiver) for one in symbols]
        if found:
            return union(found)
        for symbol in index.by_qualname.get(qualname, ()) if index else ():
            if name in symbol.members:
                return (Value("variable", path, f"{qualname}.{name}", receiver=receiver),)
            if symbol.kind == "type" and symbol.value and not symbol.members:
                return union(got for one in self.typed(path, "", symbol.value) for got in self.members(one, name))
        return self.phantom(path, qualname, name)

    def lineage(self, path: str, qualname: str) -> Iterator[tuple[str, str, str]]:
        """A type and its bases, depth first: ("class", path, qualname), or ("open", "", base) where one is unknown."""
        return lineage(path, qualname, self._bases)

    def _bases(self, path: str, qualname: str) -> list[tuple[str, str]]:
        index = self.index(path)
        found: list[tuple[str, str]] = []
        for symbol in index.types(qualname) if index else ():
            for base in symbol.bases:
                if base in _PLAIN_BASES:
                    continue
                values = [self._as_class(one) for one in self.expression(path, symbol.scope, base)]
                classes = [(one.path, one.qualname) for one in values if one.kind in ("class", "function")]
                found += classes if len(classes) == len(values) == 1 else [("", base)]
        return found

    def _as_class(self, value: Value) -> Value:
        held = self.type_of(value) if value.kind == "variable" else ()
        return held[0] if len(held) == 1 and held[0].kind == "class" else value

    def called(self, value: Value) -> Values:
        """What calling a value gives, waited for."""
        if value.kind == "class":
            return (replace(value, kind="instance"),)
        if value.kind == "function":
            return self.once(("called", value), value.qualname, lambda: self._returned(value))
        if value.kind == "variable":
            return union(got for one in self.type_of(value) for got in self.called(one))
        if value.kind == "module":
            return union(got for one in self.exported(value.path, "default") for got in self.called(one))
        if value.kind == "external":
            made = value.qualname.rpartition(".")[2][:1].isupper()
            return (
                Value("outside", qualname=value.qualname if made else f"{value.qualname}()", why=value.why, sure=made),
            )
        return (Value("unknown", why=f"the result of `{value.qualname or 'a call'}` is of unknown type"),)

    def _returned(self, value: Value) -> Values:
        index = self.index(value.path)
        symbols = index.by_qualname.get(value.qualname, []) if index else []
        if index and self._constructs(index, value.qualname):
            return (replace(value, kind="instance"),)
        found = union(got for one in symbols for got in self._returned_by(value, one, index)) if index else ()
        if any(one.kind == "unknown" for one in found):
            found = union(got for one in symbols for got in self.said(value.path, one)) or found
        return found or (Value("unknown", why=f"what `{value.qualname}` returns is not known"),)

    def _constructs(self, index: Index, qualname: str) -> bool:
        """Whether a function is used as a class: methods are set on its prototype."""
        return any(one.kind == "method" and one.scope == qualname and one.receiver for one in index.outline.symbols)

    def _returned_by(self, value: Value, symbol: Symbol, index: Index) -> Iterable[Value]:
        if symbol.results:
            if symbol.results[0] == "this" and value.receiver:
                yield value.receiver
            else:
                yield from self.typed(value.path, symbol.scope, symbol.results[0])
            return
        for leaving in index.returns.get(symbol.qualname, ()):
            if leaving.text == "this" and value.receiver:
                yield value.receiver
            elif leaving.shape != "none":
                text = self.narrowed(value.path, leaving)
                yield from self.expression(value.path, symbol.qualname, text, leaving.start)

    def type_of(self, value: Value) -> Values:
        """What a module's variable, a class's field or a getter holds."""
        key = ("held", value.path, value.qualname)
        return self.once(key, value.qualname, lambda: [got for one in self._type_of(value) for got in self.held(one)])

    def _type_of(self, value: Value) -> Values:
        index = self.index(value.path)
        if index is None:
            return (Value("unknown"),)
        symbols = index.by_qualname.get(value.qualname, [])
        if any(one.kind in ("function", "method") for one in symbols):
            return self.called(replace(value, kind="function"))
        written = [got for one in symbols if one.results for got in self.typed(value.path, one.scope, one.results[0])]
        found = union(written) or self._held_by(index, value, symbols)
        why = f"what `{value.qualname}` of `{value.path}` holds"
        known = tuple(one if one.kind == "unknown" else replace(one, why=why) for one in found)
        return known or (Value("unknown", why=f"{why} is not known"),)

    def _held_by(self, index: Index, value: Value, symbols: list[Symbol]) -> Values:
        found: list[Value] = []
        scope, _, name = value.qualname.rpartition(".")
        for symbol in symbols:
            if symbol.value is not None and symbol.kind in ("variable", "constant", "field"):
                found += self.expression(value.path, symbol.scope, symbol.value, symbol.start)
        for assign in index.assigns.get(("", value.qualname), ()) if not scope and not found else ():
            found += self._assigned(value.path, "", value.qualname, assign)
        for (at, target), assigns in index.assigns.items() if scope else ():
            if target == f"this.{name}" and (at == scope or at.startswith(f"{scope}.")):
                found += [got for one in assigns for got in self._assigned(value.path, at, target, one)]
        return union(found)

    def held(self, value: Value) -> Values:
        """What a variable holds; other values hold themselves, and so do objects whose members are declared."""
        if value.kind != "variable":
            return (value,)
        index = self.index(value.path)
        declared = index.by_qualname.get(value.qualname, ()) if index else ()
        if any(one.members for one in declared) or (index and self._constructs(index, value.qualname)):
            return (value,)
        return self.type_of(value)
