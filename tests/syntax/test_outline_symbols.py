from outlined import go, pick, python

from review_agent.syntax.model import Import, Param


def test_python_definitions_and_their_scopes():
    outline = python(
        """
        @app.route("/x")
        @login_required
        async def view(a, b: int = 2, /, *rest, c, d="x", **kw) -> Response:
            def inner(): ...
        class Shop(Base, metaclass=Meta):
            open = True
            RATE: float = 0.5
            owner: str
            def __init__(self, name):
                self.name = name
                self.size: int = 0
            @abc.abstractmethod
            def sell(self): ...
        LIMIT = 3
        first, second = 1, 2
        """
    )
    assert pick(outline.symbols, "kind", "qualname", "scope", "exported") == [
        ("function", "view", "", True),
        ("function", "view.inner", "view", False),
        ("class", "Shop", "", True),
        ("field", "Shop.open", "Shop", True),
        ("constant", "Shop.RATE", "Shop", True),
        ("field", "Shop.owner", "Shop", True),
        ("method", "Shop.__init__", "Shop", True),
        ("method", "Shop.sell", "Shop", True),
        ("constant", "LIMIT", "", True),
        ("variable", "first", "", True),
        ("variable", "second", "", True),
    ]
    view, _, shop, is_open, rate, owner, _, sell, _, first, _ = outline.symbols
    assert (view.start, view.name_line, view.header_end, view.end) == (1, 3, 3, 4)
    assert view.decorators == ('app.route("/x")', "login_required")
    assert (view.is_async, view.results) == (True, ("Response",))
    assert view.params == (
        Param("a", None, "positional", None),
        Param("b", "2", "positional", "int"),
        Param("rest", None, "var_positional", None),
        Param("c", None, "keyword_only", None),
        Param("d", '"x"', "keyword_only", None),
        Param("kw", None, "var_keyword", None),
    )
    assert shop.bases == ("Base",)
    assert shop.members == ("open", "RATE", "owner", "__init__", "sell", "name", "size")
    assert (is_open.value, rate.value, rate.results) == ("True", "0.5", ("float",))
    assert (owner.value, owner.results) == (None, ("str",))
    assert (sell.receiver, sell.is_abstract) == ("Shop", True)
    assert first.value == "1"


def test_python_signature_over_several_lines_ends_with_its_colon():
    symbol = python("def f(\n    a,  # first\n    b,\n) -> int:\n    return a\n").symbols[0]
    assert (symbol.start, symbol.header_end, symbol.end) == (1, 4, 5)


def test_python_exports():
    outline = python('__all__ = ["f"]\n__all__ += ["h"]\ndef f(): ...\ndef g(): ...\ndef __getattr__(name): ...\n')
    assert outline.exports == ("f", "h")
    assert outline.has_getattr
    assert dict(pick(outline.symbols, "name", "exported")) == {
        "__all__": False,
        "f": True,
        "g": False,
        "__getattr__": False,
    }
    without = python("def _f(): ...\nclass A:\n    def __getattr__(self, name): ...\n")
    assert (without.exports, without.has_getattr) == (None, False)
    assert pick(without.symbols, "exported") == [False, True, True]


def test_python_bodies_are_equal_whatever_the_layout():
    bodies = pick(
        python(
            '''
            def a(x):
                """Says something."""
                return f(x, 1)  # why
            def b(x):
                return f(
                    x,
                    1,
                )
            def c(x):
                return f(x, 2)
            '''
        ).symbols,
        "body",
    )
    assert bodies[0] == bodies[1] != bodies[2]
    assert all(len(body) == 64 for body in bodies)


def test_python_chained_and_aliased_definitions():
    outline = python("a = b = f()\ntype Pair[T] = tuple[T, T]\nif x:\n    C = 1\nelse:\n    C = 2\n")
    assert pick(outline.symbols, "kind", "name", "value") == [
        ("variable", "a", "f()"),
        ("variable", "b", "f()"),
        ("type", "Pair", "tuple[T, T]"),
        ("constant", "C", "1"),
        ("constant", "C", "2"),
    ]


def test_python_imports():
    outline = python(
        """
        from __future__ import annotations
        import os.path, numpy as np
        from ..pkg.mod import (
            one,
            two as deux,
        )
        from . import *
        def f():
            from .late import thing
        """
    )
    assert outline.imports == (
        Import("__future__", "annotations", "annotations", 0, 1, ""),
        Import("os.path", None, "os", 0, 2, ""),
        Import("numpy", None, "np", 0, 2, ""),
        Import("pkg.mod", "one", "one", 2, 4, ""),
        Import("pkg.mod", "two", "deux", 2, 5, ""),
        Import("", "*", "*", 1, 7, ""),
        Import("late", "thing", "thing", 1, 9, "f"),
    )


def test_go_definitions_and_their_scopes():
    outline = go(
        """
        const Max, min int = 3, 1
        var store = newStore()
        type Server[T any] struct {
            Name, addr string
            *Base
            log.Logger
        }
        type Store interface {
            Get(ctx Context, keys ...string) (item *Item, err error)
            io.Closer
        }
        type ID = string
        func (s *Server[T]) Serve(a, b int, _ string) error {
            return nil
        }
        func helper() {
            type local struct{ X int }
        }
        """
    )
    assert pick(outline.symbols, "kind", "qualname", "scope", "exported") == [
        ("constant", "Max", "", True),
        ("constant", "min", "", False),
        ("variable", "store", "", False),
        ("struct", "Server", "", True),
        ("field", "Server.Name", "Server", True),
        ("field", "Server.addr", "Server", False),
        ("field", "Server.Base", "Server", True),
        ("field", "Server.Logger", "Server", True),
        ("interface", "Store", "", True),
        ("method", "Store.Get", "Store", True),
        ("type", "ID", "", True),
        ("method", "Server.Serve", "Server", True),
        ("function", "helper", "", False),
        ("struct", "helper.local", "helper", False),
        ("field", "helper.local.X", "helper.local", False),
    ]
    by_name = {s.qualname: s for s in outline.symbols}
    server, get, serve = by_name["Server"], by_name["Store.Get"], by_name["Server.Serve"]
    assert outline.package == "p"
    assert (by_name["Max"].value, by_name["Max"].results, by_name["store"].value) == ("3", ("int",), "newStore()")
    assert (server.bases, server.members) == (("Base", "log.Logger"), ("Name", "addr", "Base", "Logger"))
    assert (by_name["Server.Name"].results, by_name["Server.Base"].results) == (("string",), ("*Base",))
    assert (by_name["Store"].bases, by_name["Store"].members) == (("io.Closer",), ("Get",))
    assert (get.is_abstract, get.receiver, get.results) == (True, "Store", ("*Item", "error"))
    assert get.params == (
        Param("ctx", None, "positional", "Context"),
        Param("keys", None, "var_positional", "string"),
    )
    assert (serve.receiver, serve.results, pick(serve.params, "name", "type")) == (
        "Server",
        ("error",),
        [("a", "int"), ("b", "int"), ("_", "string")],
    )
    assert (serve.start, serve.header_end, serve.end) == (14, 14, 16)


def test_go_imports_are_known_by_the_name_they_bind():
    outline = go(
        """
        import (
            "fmt"
            str "strings"
            . "math"
            _ "embed"
            "example.com/tool/v2"
            "gopkg.in/yaml.v3"
        )
        """
    )
    assert pick(outline.imports, "module", "name", "alias", "line") == [
        ("fmt", None, "fmt", 3),
        ("strings", None, "str", 4),
        ("math", "*", ".", 5),
        ("embed", None, "_", 6),
        ("example.com/tool/v2", None, "tool", 7),
        ("gopkg.in/yaml.v3", None, "yaml", 8),
    ]
