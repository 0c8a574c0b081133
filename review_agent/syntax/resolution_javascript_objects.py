"""JavaScript's objects as values: names they hold under the same name, what is taken out of them or mixed into them."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace

from review_agent.syntax.model import Assign, Return, Symbol
from review_agent.syntax.resolution_chain import closing
from review_agent.syntax.resolution_javascript_scopes import JavaScriptScopes, Values, union
from review_agent.syntax.resolution_javascript_text import split_top, split_types
from review_agent.syntax.resolution_world import Index, Value
from review_agent.syntax.words import whole_name

__all__ = ["JavaScriptObjects"]

# Functions that copy the members of their further arguments into their first.
_MIXERS = frozenset(("assign", "extend", "merge", "mixin", "setPrototypeOf"))
_PATTERN = re.compile(r"(?:^|[;(,\s])\{([^{}]*)\}\s*=(?!=|>)")
# A function literal on the line of its declaration, or where a function returns it.
_WRITTEN = re.compile(r"(?::\s*([^=:]+?)\s*=|\breturn|=>)\s*(?:async\s*)?(?:\(([^()]*)\)\s*(?::[^=]+)?|([\w$]+)\s*)=>")
_FUNCTION_TYPE = re.compile(r"(?:<[^()]*>\s*)?\(")
# Lines of a pattern that are read before it counts as too long.
_LINES = 60
# A longer line is made by a program: its layout tells nothing.
_LONGEST = 1_000


class JavaScriptObjects(JavaScriptScopes):
    """Follows members of objects to what stands elsewhere."""

    @abstractmethod
    def members(self, value: Value, name: str) -> Values:
        """What ``value.name`` is; empty where the value is known in full and has no such name."""

    @abstractmethod
    def held(self, value: Value) -> Values:
        """What a variable holds; other values hold themselves."""

    def holds_by_name(self, path: str, owner: Symbol, name: str) -> Values:
        """What ``{ name }`` and ``{ name: a.name }`` hold: what that name is beside the object."""
        if owner.kind not in ("variable", "constant"):
            return ()
        index = self.index(path)
        written = index.by_qualname.get(f"{owner.qualname}.{name}", []) if index else []
        if any(one.kind != "field" for one in written) or self._is_target(path, f"{owner.qualname}.{name}"):
            return ()
        text = (written[0].value or "") if written else name
        if not re.fullmatch(rf"(?:[\w$]+\.)*{re.escape(name)}", text):
            return ()
        found = self.expression(path, owner.scope, text, owner.start)
        return found if all(one.kind != "unknown" for one in found) else ()

    def _is_target(self, path: str, qualname: str) -> bool:
        return self.target is not None and (self.target.path, self.target.qualname) == (path, qualname)

    def taken(self, path: str, at: str, name: str, assign: Assign) -> Values:
        """What ``const { name } = value`` and ``const { key: name } = value`` bind a name to."""
        where = f"`{name}` is assigned at line {assign.start}, out of what is taken apart there"
        key = self._key(path, name, assign)
        if not key:
            return (Value("unknown", why=where),)
        values = self.expression(path, at, assign.value, assign.start)
        found = [got for value in values for one in self.held(value) for got in self.members(one, key)]
        if not found or any(one.kind == "unknown" for one in found):
            # A name that is taken under itself may be any function of that name.
            return (Value("unknown", why=where, sure=key != name),)
        return tuple(replace(one, why=where if one.kind == "external" else one.why) for one in found)

    def _key(self, path: str, name: str, assign: Assign) -> str:
        """The key that a pattern takes a name from; "" where it is nested, has a default or is no object's."""
        if assign.end - assign.start > _LINES:
            return ""
        found = _PATTERN.search("\n".join(self.lines(path)[assign.start - 1 : assign.end]))
        for part in split_top(found[1], (",",)) if found else ():
            key, colon, local = (one.strip() for one in part.partition(":"))
            if (local if colon else key) == name:
                return key
        return ""

    def by_place(self, path: str, around: Sequence[Symbol], line: int, name: str) -> Values:
        """What a parameter without a type is, of a function literal whose own type is written: before it, or as what
        the function around returns."""
        lines = self.lines(path)
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        for found in _WRITTEN.finditer(text if len(text) < _LONGEST else ""):
            names = [one.strip() for one in (found[2] or found[3] or "").split(",")]
            results = [one.results[0] for one in around if one.results]
            written = found[1] or (results[0] if results else "")
            if name in names and written:
                return self._nth(path, written, names.index(name))
        return ()

    def _nth(self, path: str, written: str, position: int) -> Values:
        """What a function type of the repository takes at a position: types of the repository alone."""
        found: list[Value] = []
        for one in self.typed(path, "", written):
            index = self.index(one.path) if one.kind == "instance" else None
            for symbol in index.types(one.qualname) if index else ():
                parts = _parameters(symbol.value or "")
                text = parts[position].partition(":")[2] if position < len(parts) else ""
                found += self.typed(one.path, "", text) if text else ()
        return union(found) if all(one.kind == "instance" for one in found) else ()

    def narrowed(self, path: str, leaving: Return) -> str:
        """What is returned, as an expression: of ``return a instanceof B ? a : …`` the first is a ``B``."""
        lines = self.lines(path)[leaving.start - 1 : leaving.start] if leaving.shape == "name" else ()
        name = whole_name(leaving.text)
        found = re.search(rf"{name}\s+instanceof\s+([\w$.]+)\s*\?\s*{name}\s*:", "".join(lines))
        return f"new {found[1]}()" if found else leaving.text

    def set_on_exports(self, path: str, index: Index, name: str) -> Values:
        """``exports.name = …``, and the keys of the object that ``module.exports`` is set to."""
        found: list[Value] = []
        for target in (f"exports.{name}", f"module.exports.{name}"):
            for assign in index.assigns.get(("", target), ()):
                found += self.expression(path, "", assign.value, assign.start)
        for one in index.outline.composites:
            if one.target == "module.exports" and name in one.components:
                found += self.expression(path, "", one.values[one.components.index(name)], one.start)
        if found:
            return union(found)
        whole = self.whole(path)
        if whole and whole[0].kind != "module":
            return union(got for one in whole for got in self.members(one, name))
        return ()

    def mixed_in(self, value: Value, name: str) -> Values:
        """A member that a function or object is given by ``Object.assign(value, …)`` and the like."""
        index = self.index(value.path)
        scope, _, own = value.qualname.rpartition(".")
        for call in index.outline.calls if index and value.kind in ("function", "variable") else ():
            if call.name in _MIXERS and call.scope == scope and len(call.args) > 1 and call.args[0].text == own:
                found = union(self._given_by(value.path, scope, [one.text for one in call.args[1:]], name, call.start))
                if found:
                    return found
        return ()

    def _given_by(self, path: str, scope: str, texts: list[str], name: str, line: int) -> Iterator[Value]:
        for text in texts:
            for given in self.expression(path, scope, text, line):
                for one in self.held(given):
                    yield from (got for got in self.members(one, name) if got.kind not in ("unknown", "external"))


def _parameters(text: str) -> list[str]:
    """The parameters of ``(a: A, b: B) => C``; none for another type."""
    start = _FUNCTION_TYPE.match(text.strip())
    end = closing(text.strip(), start.end() - 1) if start else -1
    return split_types(text.strip()[start.end() : end]) if start and end > 0 else []
