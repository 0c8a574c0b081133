"""Python's expressions: what a receiver is, by annotations, assignments, constructors and base classes."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from functools import lru_cache

from review_agent.syntax.python_names import BUILTINS
from review_agent.syntax.resolution_members import Members, union
from review_agent.syntax.resolution_scopes import Values
from review_agent.syntax.resolution_world import Value

__all__ = ["Python"]

_WRAPPERS = {"Optional": 0, "Annotated": 0, "Final": 0, "ClassVar": 0, "Required": 0, "NotRequired": 0, "ReadOnly": 0}
_AWAITABLES = ("Awaitable", "Coroutine")
_ITERATED = (
    "Iterator", "Iterable", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator", "list", "List", "Sequence",
    "set", "Set", "frozenset", "tuple", "Tuple", "Collection", "deque",
)  # fmt: skip
_KEYED = ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict")
_LITERALS = (
    ast.JoinedStr, ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.GeneratorExp,
    ast.Compare, ast.Lambda,
)  # fmt: skip


# Expressions are evaluated by recursion, one inside the other: what is written to overflow it is not read.
_LONGEST = 500
_DEEPEST = 24


@lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr | None:
    """The text as one expression; null where it is none (cut text is none either), too long or nested too deeply."""
    if len(text) > _LONGEST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return node if _is_shallow(node) else None


def _is_shallow(node: ast.AST) -> bool:
    level: list[ast.AST] = [node]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in ast.iter_child_nodes(one)]
        if not level:
            return True
    return False


class Python(Members):
    """Evaluates expressions of one commit to what they can be."""

    def expression(self, path: str, scope: str, text: str) -> Values:
        node = parse(text)
        return self._node(path, scope, node) if node else (Value("unknown", why="the expression is too long to read"),)

    def _node(self, path: str, scope: str, node: ast.expr) -> Values:
        match node:
            case ast.Name(id=name):
                return self.name(path, scope, name) or (_builtin(name),)
            case ast.Attribute(value=inner, attr=name):
                return self._each(self._node(path, scope, inner), name)
            case ast.Call():
                return self._called(path, scope, node)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return self._node(path, scope, inner)
            case ast.IfExp(body=first, orelse=second):
                return union((*self._node(path, scope, first), *self._node(path, scope, second)))
            case ast.BoolOp(values=nodes):
                return union(value for one in nodes for value in self._node(path, scope, one))
            case ast.Subscript(value=inner):
                return tuple(self._item(one) for one in self._node(path, scope, inner))
            case ast.Constant(value=None):
                return ()
            case ast.Constant(value=constant):
                return (Value("outside", qualname=type(constant).__name__),)
        if isinstance(node, _LITERALS):
            return (Value("outside", qualname=type(node).__name__.lower()),)
        return (Value("unknown", why=f"`{ast.unparse(node)[:60]}` is not followed"),)

    def _item(self, value: Value) -> Value:
        if value.kind in ("class", "external"):
            return value
        held = self.held(value)
        return held[0].element if len(held) == 1 and held[0].element else Value("unknown", why="an item of a container")

    def _each(self, values: Values, name: str) -> Values:
        found: list[Value] = []
        for value in values:
            got = self.members(value, name)
            found += got or (Value("unknown", why=f"`{value.qualname or value.path}` has no `{name}`"),)
        return union(found)

    def _called(self, path: str, scope: str, node: ast.Call) -> Values:
        name = ast.unparse(node.func)
        if name == "super":
            return self._super(path, scope)
        if name in ("cast", "t.cast", "typing.cast") and len(node.args) == 2:
            return self._annotated(path, scope, node.args[0])
        if name == "type" and len(node.args) == 1:
            return tuple(replace(one, kind="class") for one in self._node(path, scope, node.args[0]))
        return union(got for one in self._node(path, scope, node.func) for got in self.called(one))

    def _super(self, path: str, scope: str) -> Values:
        index = self.index(path)
        at = scope
        while at and index and not index.types(at):
            at = at.rpartition(".")[0]
        return (Value("super", path, at, why=f"`super()` in `{at}`"),) if at else (Value("unknown"),)

    def annotation(self, path: str, scope: str, text: str) -> Values:
        node = parse(text)
        return self._annotated(path, scope, node) if node else (Value("unknown", why="its annotation is too long"),)

    def _annotated(self, path: str, scope: str, node: ast.expr) -> Values:
        match node:
            case ast.Constant(value=str(text)):
                return self.annotation(path, scope, text)
            case ast.Constant():
                return ()
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return union((*self._annotated(path, scope, left), *self._annotated(path, scope, right)))
            case ast.Subscript(value=base, slice=inner):
                return self._generic(path, scope, base, inner.elts if isinstance(inner, ast.Tuple) else [inner])
            case ast.Name(id="Self"):
                return self._own_class(path, scope)
        return tuple(self._instance(one, node) for one in self._node(path, scope, node))

    def _generic(self, path: str, scope: str, base: ast.expr, inner: list[ast.expr]) -> Values:
        name = ast.unparse(base).rpartition(".")[2]
        if name in _WRAPPERS:
            return self._annotated(path, scope, inner[_WRAPPERS[name]])
        if name == "Union":
            return union(got for one in inner for got in self._annotated(path, scope, one))
        if name in _AWAITABLES:
            return self._annotated(path, scope, inner[-1])
        if name in ("type", "Type"):
            held = self._annotated(path, scope, inner[0])
            return tuple(replace(one, kind="class") if one.kind == "instance" else one for one in held)
        if name in _ITERATED or name in _KEYED:
            element = self._annotated(path, scope, inner[-1 if name in _KEYED else 0])
            return (Value("outside", qualname=name, element=element[0] if len(element) == 1 else None),)
        return tuple(self._instance(one, base) for one in self._node(path, scope, base))

    def _own_class(self, path: str, scope: str) -> Values:
        index = self.index(path)
        return (Value("instance", path, scope),) if index and index.types(scope) else (Value("unknown"),)

    def _instance(self, value: Value, node: ast.expr) -> Value:
        if value.kind in ("class", "external"):
            return replace(value, kind="instance" if value.kind == "class" else "outside")
        return Value("unknown", why=f"the type `{ast.unparse(node)[:60]}` is not followed")


def _builtin(name: str) -> Value:
    if name in BUILTINS:
        return Value("external", qualname=name, why=f"`{name}` is a builtin")
    return Value("unknown", why=f"`{name}` is bound nowhere in this file")
