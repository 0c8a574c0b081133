"""Outlines of JavaScript, TypeScript and TSX."""

import pytest
from outlined import javascript, pick, typescript

from review_agent.syntax.model import Import, Param
from review_agent.syntax.outline import outline, tokens, uses


def kinds(found):
    return {one.qualname: one.kind for one in found.symbols}


def test_functions_are_named_by_what_they_are_given_to():
    found = javascript(
        """
        export const load = async (id, opts = {}) => fetch(id, opts);
        const Row = memo(function (props) { return props.x });
        exports.close = function () {};
        module.exports = { open() {}, shut: () => 1, load };
        Pool.prototype.get = function (k) { return k };
        app.use = (fn) => fn;
        const api = { list() {}, deep: { one: () => 1 }, size: 3 };
        export default function () {}
        list.map((x) => x);
        """
    )
    assert kinds(found) == {
        "load": "function",
        "Row": "function",
        "close": "function",
        "open": "function",
        "shut": "function",
        "Pool.get": "method",
        "app.use": "method",
        "api": "variable",
        "api.list": "method",
        "api.deep": "field",
        "api.deep.one": "method",
        "api.size": "field",
        "default": "function",
    }
    assert found.symbols[0].params == (Param("id", None, "positional", None), Param("opts", "{}", "positional", None))
    assert found.symbols[0].is_async
    assert {one.name for one in found.symbols if one.exported} == {"load", "close", "open", "shut", "default"}


def test_typescript_types_members_and_parameter_properties():
    found = typescript(
        """
        @Injectable()
        export class Foo<T> extends Base<T> implements One, ns.Two {
          static readonly limit: number = 1;
          #hidden = 2;
          constructor(private readonly svc: Service, size?: number) { super(); this.w = 1; }
          @Get("/x") async load(@Body() dto: Dto, { a, b = 1 }: Opts, ...rest: any[]): Promise<void> {}
          get view(): string { return "" }
          abstract must(): void;
          go(a: string): void;
          go(a: any) {}
          handle = async (e: Event) => {};
        }
        export interface Shape extends Old { name: string; area?(x: number): number }
        type Pair = { left: string };
        export enum Color { Red = 1, Green }
        declare function given(x: string): number;
        """
    )
    by_name = {one.qualname: one for one in found.symbols}
    foo = by_name["Foo"]
    assert (foo.start, foo.name_line, foo.bases, foo.decorators) == (1, 2, ("Base", "One", "ns.Two"), ("Injectable()",))
    assert {"svc", "w", "load", "view", "must", "handle", "#hidden"} <= set(foo.members)
    assert by_name["Foo.svc"].results == ("Service",)
    assert by_name["Foo.limit"].modifiers == ("static", "readonly")
    assert by_name["Foo.constructor"].params[1] == Param("size", "undefined", "positional", "number")
    load = by_name["Foo.load"]
    assert [one.name for one in load.params] == ["dto", "{}", "rest"]
    assert (load.results, load.is_async, load.decorators) == (("Promise<void>",), True, ('Get("/x")',))
    assert by_name["Foo.must"].is_abstract
    assert [one.params[0].type for one in found.symbols if one.qualname == "Foo.go"] == ["any"]
    assert by_name["Foo.handle"].kind == "method"
    assert (by_name["Shape"].kind, by_name["Shape.name"].is_abstract) == ("interface", True)
    assert not by_name["Shape.area"].is_abstract
    assert by_name["Pair"].members == ("left",)
    assert by_name["Color.Red"].value == "1"
    assert by_name["given"].results == ("number",)


def test_tests_are_symbols_and_scopes():
    found = javascript(
        """
        describe("cart", () => {
          it("adds", async () => { const n = add(1); expect(n).not.toBe(2); });
          test.skip(`removes ${x}`, function () { assert.equal(a, b) });
          it.each([1])("takes %s", (x) => {});
        });
        test("tap", async (t) => { t.equal(a, 1); await request(app).get("/").expect(200) });
        """
    )
    assert pick(found.symbols, "kind", "name", "is_test") == [
        ("test", "cart", False),
        ("test", "adds", True),
        ("test", "`removes ${x}`", True),
        ("test", "takes %s", True),
        ("test", "tap", True),
    ]
    assert [one.scope for one in found.calls if one.name == "add"] == ["cart.adds"]
    assert pick(found.assertions, "form", "name") == [
        ("expect", "toBe"),
        ("call", "equal"),
        ("call", "equal"),
        ("call", "expect"),
    ]


def test_imports_and_exports():
    found = typescript(
        """
        import a, { b as c, type D } from "./x";
        import * as ns from "y";
        import "./setup";
        export { e, f as g } from "./k";
        export * from "./m";
        const { h, i: j = 1 } = require("z");
        const k = require("w").k;
        const l = await import("./lazy");
        export { a as own };
        """
    )
    assert {(one.module, one.name, one.alias) for one in found.imports} == {
        ("./x", "default", "a"),
        ("./x", "b", "c"),
        ("./x", "D", "D"),
        ("y", None, "ns"),
        ("./setup", "", ""),
        ("./k", "e", "e"),
        ("./k", "f", "g"),
        ("./m", "*", "*"),
        ("z", "h", "h"),
        ("w", "k", "k"),
        ("./lazy", None, "l"),
    }
    assert found.exports == ("own", "e", "g")
    assert found.imports[0] == Import("./x", "b", "c", 0, 1, "")


@pytest.mark.parametrize(
    ("statement", "result", "targets", "awaited"),
    [
        ("f()", "ignored", (), False),
        ("await f()", "awaited", (), True),
        ("const x = await f()", "assigned", ("x",), True),
        ("const { a, b: c = 1, ...d } = f()", "unpacked", ("a", "c", "d"), False),
        ("const [x] = f()", "unpacked", ("x",), False),
        ("a = b = f()", "assigned", ("a", "b"), False),
        ("f().x", "attribute", (), False),
        ("f()?.[0]", "subscript", (), False),
        ("g(f())", "argument", (), False),
        ("if (!f()) g()", "condition", (), False),
        ("f() === 1", "compared", (), False),
        ("x = y - f()", "computed", (), False),
        ("x = y - (await f())", "computed", (), True),
        ("x = `at ${f()}`", "computed", (), False),
        ("for (const x of f()) {}", "iterated", (), False),
        ("throw new f()", "raised", (), False),
        ("const y = () => f()", "returned", (), False),
    ],
)
def test_what_becomes_of_a_call(statement, result, targets, awaited):
    call = next(one for one in javascript(statement).calls if one.name == "f")
    assert (call.result, call.targets, call.awaited) == (result, targets, awaited)


def test_handlers_of_try_and_of_promises():
    found = javascript(
        """
        async function run() {
          try { await a.b() } catch (e) { if (e instanceof NotFound) { return null } throw e }
          try { c() } catch { log.warn("x") } finally { done() }
          d().then((x) => x.y()).catch((err) => console.error(err));
          if (bad) throw new Fail("x", { cause: err });
          return Promise.reject(new Late());
        }
        """
    )
    assert pick(found.handlers, "types", "actions") == [
        (("NotFound",), ("return_none", "raise")),
        (("Error",), ("log",)),
        (("Error",), ("log",)),
    ]
    caught = {one.callee: one.caught for one in found.calls}
    assert (caught["a.b"], caught["c"], caught["d"], caught["done"]) == (("NotFound",), ("Error",), ("Error",), ())
    assert pick(found.raises, "type", "wraps") == [("", ""), ("Fail", "err"), ("Late", "")]
    assert [one.kind for one in found.blocks] == ["try", "try", "finally"]


def test_guards_and_accesses():
    found = javascript(
        """
        function f(m, a) {
          if (!a) return;
          const x = m.get("k");
          x.name;
          x?.name;
          if (x !== undefined) x.size;
          if (typeof a === "string" || a instanceof Foo) throw new Error();
          list.find((q) => q.id).name;
          "s".match(/a/)[0];
          for (;;) { if (a.length > 3) break }
        }
        """
    )
    assert pick(found.guards, "test_kind", "action") == [
        ("falsy", "return"),
        ("none", "wraps"),
        ("type", "raise"),
        ("bounds", "break"),
    ]
    assert pick(found.accesses, "base", "origin", "guarded_by") == [
        ("x", "dict_get", None),
        ("x", "dict_get", "?."),
        ("x", "dict_get", "x !== undefined"),
        ("list.find((q) => q.id)", "call", None),
        ('"s".match(/a/)', "re_match", None),
    ]
    assert pick(found.loops, "kind", "leaves") == [("while_true", True)]


def test_returns_of_bodies_and_of_arrows():
    found = javascript(
        """
        const a = (x) => (x ? null : { y: 1 });
        function b(x) { if (x) return [1]; }
        function c(x) { switch (x) { case 1: case 2: return "a"; default: throw new E(); } }
        """
    )
    assert pick(found.returns, "scope", "shape") == [
        ("a", "none"),
        ("a", "dict"),
        ("b", "list"),
        ("b", "none"),
        ("c", "literal"),
    ]


def test_settings():
    found = javascript(
        """
        const port = Number(process.env.PORT || 3000);
        const { HOST = "localhost", KEY } = process.env;
        if (!KEY) throw new Error("KEY");
        const size = config.get("cache.size", 10);
        function f({ timeout = 30, retries }) {}
        program.option("-p, --port <n>", "the port", "80");
        """
    )
    assert pick(found.settings, "key", "carrier", "fallback") == [
        ("PORT", "environment", "3000"),
        ("HOST", "environment", '"localhost"'),
        ("KEY", "environment", None),
        ("cache.size", "lookup", "10"),
        ("timeout", "lookup", "30"),
        ("--port", "flag", '"80"'),
    ]


def test_composites_sql_blocks_and_own_members():
    found = typescript(
        """
        class A {
          n = 1;
          async go(id: string) {
            using f = open(id);
            const key = `u:${this.n}:${id}`;
            this.n += 1;
            this.items[id] = 2;
            await this.db.query("SELECT a FROM t WHERE id = $1", [id, "x"]);
            list.map(() => this.n);
            list.forEach(function () { this.x });
            return { key, n: 1 } as Out;
          }
        }
        """
    )
    assert [(one.kind, one.components, one.target, one.type) for one in found.composites] == [
        ("template", ("this.n", "id"), "key", ""),
        ("list", ("id", '"x"'), "", ""),
        ("object", ("key", "n"), "", "Out"),
    ]
    assert pick(found.sqls, "verb", "call") == [("SELECT", "this.db.query")]
    assert pick(found.blocks, "kind", "subject", "binds") == [("with", "open(id)", "f")]
    assert pick(found.member_uses, "owner", "path", "act") == [
        ("A", "n", "read"),
        ("A", "n", "update"),
        ("A", "items", "update"),
        ("A", "db.query", "call"),
        ("A", "n", "read"),
    ]


def test_tsx_components_are_used_as_names():
    text = "export const Page = ({ a }: Props) => <Row key={a} onClick={() => go(a)}><B/></Row>\n"
    found = outline(text, "tsx")
    assert (found.errors, kinds(found)) == (0, {"Page": "function"})
    assert [one.use for one in uses(text, "tsx", ["Row"])] == ["read", "read"]
    assert [one.name for one in found.calls] == ["go"]


def test_uses_tell_keys_exports_and_definitions():
    text = 'const o = { total: 1, "sum": 2 };\no["sum"] = o.total;\nmodule.exports = { o };\nfunction f({ total }) {}\n'
    assert [(one.name, one.use, one.line) for one in uses(text, "javascript", ["total", "sum", "o"])] == [
        ("o", "write", 1),
        ("total", "keyword", 1),
        ("sum", "key_write", 1),
        ("o", "subscript", 2),
        ("o", "attribute", 2),
        ("total", "read", 2),
        ("sum", "key_write", 2),
        ("o", "export", 3),
        ("total", "parameter", 4),
    ]


def test_tokens_leave_out_comments_and_trailing_commas():
    assert tokens("f(a, // x\n  b,\n)", "javascript").lines == (("f", "(", "a", ","), ("b",), (")",))
