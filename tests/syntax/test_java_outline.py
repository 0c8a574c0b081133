"""Outlines of Java: symbols, calls, errors, resources, locks, values that may be absent, settings, own members."""

from outlined import java, pick

from review_agent.syntax.outline import tokens, uses

SHOP = """
    import java.util.Map;
    import java.util.*;
    import static shop.Rules.check;

    @Service("shop")
    public abstract class Shop<T extends Item> extends Base<T> implements Open, lib.Close {
        private static final int LIMIT = 3;
        protected volatile String name = "a";

        public Shop(String name, int... sizes) throws IOException {
            super(name);
            this.name = name;
        }

        @Override
        @Deprecated
        public synchronized List<T> find(final String key, @Nullable T other) {
            return null;
        }

        private void hide() {}

        abstract int count(List<? extends T>[] items);

        enum Mode implements Named {
            ON(1), OFF { void run() {} };
            Mode(int level) {}
        }

        record Pair(int left, @NotNull String right) implements Named {
            Pair { check(left); }
        }

        record Plain(int one) {}

        interface Seen {
            int AGE = 1;
            void see(int x);
            default void look() {}
        }
    }
"""


def symbol(outline, qualname):
    found = [one for one in outline.symbols if one.qualname == qualname]
    assert found, qualname
    return found[0]


class TestSymbols:
    def test_a_class_with_its_bases_annotations_and_members(self):
        shop = symbol(java(SHOP), "Shop")
        assert (shop.kind, shop.bases, shop.decorators) == (
            "class",
            ("Base", "Open", "lib.Close"),
            ('Service("shop")',),
        )
        assert (shop.modifiers, shop.is_abstract, shop.exported) == (("public", "abstract"), True, True)
        assert shop.members == ("LIMIT", "name", "find", "hide", "count", "Mode", "Pair", "Plain", "Seen")

    def test_a_constructor_has_the_name_of_its_class(self):
        made = symbol(java(SHOP), "Shop.Shop")
        assert (made.kind, made.scope, made.receiver) == ("method", "Shop", "Shop")
        assert pick(made.params, "name", "type", "kind") == [
            ("name", "String", "positional"),
            ("sizes", "int", "var_positional"),
        ]

    def test_methods(self):
        outline = java(SHOP)
        find = symbol(outline, "Shop.find")
        assert (find.results, find.decorators, find.modifiers) == (
            ("List<T>",),
            ("Override", "Deprecated"),
            ("public", "synchronized"),
        )
        assert (find.start, find.name_line, find.header_end, find.end) == (16, 18, 18, 20)
        assert pick(find.params, "name", "type") == [("key", "String"), ("other", "T")]
        assert symbol(outline, "Shop.hide").exported is False
        assert symbol(outline, "Shop.hide").results == ()
        assert symbol(outline, "Shop.count").is_abstract
        assert symbol(outline, "Shop.count").params[0].type == "List<? extends T>[]"

    def test_fields(self):
        outline = java(SHOP)
        limit, name = symbol(outline, "Shop.LIMIT"), symbol(outline, "Shop.name")
        assert (limit.kind, limit.value, limit.results, limit.exported) == ("constant", "3", ("int",), False)
        assert (name.kind, name.value, name.modifiers) == ("field", '"a"', ("protected", "volatile"))

    def test_enums_records_and_interfaces(self):
        outline = java(SHOP)
        assert symbol(outline, "Shop.Mode").modifiers == ("enum",)
        assert symbol(outline, "Shop.Mode.ON").value == "(1)"
        assert symbol(outline, "Shop.Mode.OFF.run").kind == "method"
        assert pick(symbol(outline, "Shop.Pair.Pair").params, "name") == ["left", "right"]
        assert pick(symbol(outline, "Shop.Plain.Plain").params, "name") == ["one"]
        assert symbol(outline, "Shop.Pair.right").kind == "field"
        seen = symbol(outline, "Shop.Seen")
        assert (seen.kind, seen.members) == ("interface", ("AGE", "see", "look"))
        assert symbol(outline, "Shop.Seen.see").is_abstract
        assert not symbol(outline, "Shop.Seen.look").is_abstract

    def test_an_anonymous_class_is_named_by_what_it_makes(self):
        outline = java("class A { void go() { run(new Runnable() { public void run() { } }); } }")
        made = symbol(outline, "A.go.new Runnable")
        assert (made.kind, made.bases, made.exported) == ("class", ("Runnable",), False)
        assert symbol(outline, "A.go.new Runnable.run").exported is False

    def test_overloads_are_several_symbols(self):
        outline = java("class A { void f(int x) {} void f(String y) {} }")
        assert [one.params[0].type for one in outline.symbols if one.qualname == "A.f"] == ["int", "String"]

    def test_tests(self):
        outline = java(
            'class ATest { @Test void adds() {} @ParameterizedTest(name = "x") void all() {} void help() {} }'
        )
        assert pick([one for one in outline.symbols if one.kind == "method"], "name", "is_test") == [
            ("adds", True),
            ("all", True),
            ("help", False),
        ]

    def test_package_and_imports(self):
        outline = java(SHOP)
        assert outline.package == "p"
        assert pick(outline.imports, "module", "name", "alias") == [
            ("java.util", "Map", "Map"),
            ("java.util", "*", "*"),
            ("shop.Rules", "check", "check"),
        ]


def body(text, **named):
    return java("class A {\n    Object run(Object x, Map<String, B> m) throws E {\n" + text + "\n    }\n}\n")


class TestCalls:
    def test_callee_receiver_and_arguments(self):
        calls = body("a.b(1).c(x, y); f(); new C<>(z); super.run(x); this.g();").calls
        assert pick(calls, "callee", "receiver", "name") == [
            ("a.b(1).c", "a.b(1)", "c"),
            ("a.b", "a", "b"),
            ("f", "", "f"),
            ("C", "", "C"),
            ("super.run", "super", "run"),
            ("this.g", "this", "g"),
        ]
        assert pick(calls[0].args, "text") == ["x", "y"]

    def test_what_becomes_of_a_result(self):
        outline = body(
            "int a = f(); if (g()) {} return h(); k(); i().j; for (B b : l()) {} throw new E(m(n()));"
            " try (R r = o()) {}"
        )
        found = dict(pick(outline.calls, "name", "result"))
        wanted = {"f": "assigned", "g": "condition", "h": "returned", "k": "ignored", "l": "iterated", "o": "context"}
        assert wanted.items() <= found.items()
        assert (found["E"], found["n"]) == ("raised", "argument")

    def test_caught_types_and_loops(self):
        calls = body("while (true) { try { f(); } catch (A | b.C e) { g(); } finally { h(); } }").calls
        assert pick(calls, "name", "caught", "loop") == [
            ("f", ("A", "b.C"), "while_true"),
            ("g", (), "while_true"),
            ("h", (), "while_true"),
        ]


class TestErrors:
    def test_handlers(self):
        outline = body(
            """try { f(); } catch (IOException | SQLException e) { log.warn("x", e); return null; }
            try (R r = open()) { } catch (Exception e) { throw new Bad("y", e); }
            try { g(); } catch (Exception ignored) { }
            try { g(); } catch (RuntimeException e) { throw e; }"""
        )
        assert pick(outline.handlers, "types", "actions", "uses_error") == [
            (("IOException", "SQLException"), ("log", "return_none"), False),
            (("Exception",), ("raise",), True),
            (("Exception",), ("pass",), False),
            (("RuntimeException",), ("raise",), True),
        ]
        assert pick(outline.raises, "type", "wraps", "in_handler") == [("Bad", "e", True), ("", "", True)]

    def test_guards(self):
        outline = body(
            """if (x == null) throw new E();
            if (!(x instanceof String s) || s.isEmpty()) { return null; }
            if (Strings.isBlank(key)) { return x; }
            assert x != null;"""
        )
        assert pick(outline.guards, "test_kind", "action", "subjects") == [
            ("none", "raise", ("x",)),
            ("type", "return", ("x", "s")),
            ("other", "return", ("key",)),
            ("none", "raise", ("x",)),
        ]

    def test_returns(self):
        outline = java(
            """class A {
            Object f(int x) { if (x > 1) { return null; } return x == 0 ? "a" : g(x); }
            void h() { return; }
            Object i() { run(() -> { return 1; }); return this; }
            }"""
        )
        assert pick(outline.returns, "scope", "shape") == [
            ("A.f", "none"),
            ("A.f", "literal"),
            ("A.f", "call"),
            ("A.h", "none"),
            ("A.i", "name"),
        ]

    def test_blocks(self):
        outline = body("try (R r = open(x); W w = new W()) { f(); } finally { g(); } synchronized (lock) { h(); }")
        assert pick(outline.blocks, "kind", "subject", "binds") == [
            ("try_resource", "open(x)", "r"),
            ("try_resource", "new W()", "w"),
            ("try", "", ""),
            ("finally", "", ""),
            ("synchronized", "lock", ""),
        ]


class TestAccesses:
    def test_maps_and_optionals(self):
        outline = body(
            """m.get(k).go();
            if (m.containsKey(k)) { m.get(k).go(); }
            B b = m.get(k);
            b.go();
            Optional<B> o = find(k);
            o.get();
            if (o.isPresent()) { o.get(); }
            list.get(0).go();"""
        )
        found = pick(outline.accesses, "base", "member", "origin", "guarded_by")
        assert found == [
            ("m.get(k)", "go", "dict_get", None),
            ("m.get(k)", "go", "dict_get", "m.containsKey(k)"),
            ("b", "go", "dict_get", None),
            ("o", "get", "call", None),
            ("o", "isPresent", "call", None),
            ("o", "get", "call", "o.isPresent()"),
        ]

    def test_a_call_that_may_give_null(self):
        outline = body("B b = store.find(k); if (b == null) { return null; } b.go(); store.find(k).go();")
        assert pick(outline.accesses, "base", "producer", "guarded_by") == [
            ("b", "store.find", "b == null"),
            ("store.find(k)", "store.find", None),
        ]


class TestSettings:
    def test_reads(self):
        outline = java(
            """class A {
            static final String KEY = "shop.key";
            @Value("${shop.size:10}") int size;
            @Value("${shop.name}") String name;
            String a = System.getenv("SHOP_A");
            boolean b = Boolean.parseBoolean(System.getProperty("shop.b", "true"));
            String c = Optional.ofNullable(System.getenv("SHOP_C")).orElse("c");
            String d = props.getProperty(KEY, "d");
            void f() {
                String e = System.getenv("SHOP_E");
                String g = e == null ? "e" : e;
                String h = System.getenv("SHOP_H");
                if (h == null) { throw new IllegalStateException(); }
            }
            }"""
        )
        assert pick(outline.settings, "key", "carrier", "fallback", "required") == [
            ("shop.size", "lookup", '"10"', False),
            ("shop.name", "lookup", None, True),
            ("SHOP_A", "environment", None, False),
            ("shop.b", "lookup", "true", False),
            ("SHOP_C", "environment", '"c"', False),
            ("shop.key", "lookup", '"d"', False),
            ("SHOP_E", "environment", '"e"', False),
            ("SHOP_H", "environment", None, True),
        ]


class TestValues:
    def test_composites(self):
        outline = body(
            """String k = "a:" + x + ":" + m;
            log(String.format("%s-%s", x, m));
            Map<String, Object> o = Map.of("one", x, "two", m);
            return new Key(x, m);"""
        )
        assert pick(outline.composites, "kind", "components", "target", "call", "returned") == [
            ("join", ("x", "m"), "k", "", False),
            ("format", ("x", "m"), "", "log", False),
            ("object", ("one", "two"), "o", "", False),
            ("tuple", ("x", "m"), "", "", True),
        ]

    def test_sql_of_several_strings(self):
        outline = body('db.run("UPDATE items " + "SET price = " + x + " WHERE id = ?");')
        assert pick(outline.sqls, "verb", "text", "call") == [
            ("UPDATE", "UPDATE items SET price = {x} WHERE id = ?", "db.run")
        ]

    def test_assertions(self):
        outline = body(
            'assertEquals(1, x.size()); assertThat(x).isEqualTo(2); verify(m).get(k); fail("no"); assert x != null;'
        )
        assert pick(outline.assertions, "form", "name") == [
            ("call", "assertEquals"),
            ("call", "assertThat"),
            ("call", "verify"),
            ("failure", "fail"),
            ("statement", "assert"),
        ]

    def test_own_members(self):
        outline = java(
            """class A {
            int count; Map<String, B> all; B local;
            void f(B local) {
                count++;
                this.count = 1;
                all.put(local.name, null);
                local.go();
                int n = this.all.size();
            }
            }"""
        )
        assert pick(outline.member_uses, "owner", "path", "act") == [
            ("A", "count", "update"),
            ("A", "count", "write"),
            ("A", "all.put", "call"),
            ("A", "all.size", "call"),
        ]

    def test_loops(self):
        outline = body("for (;;) { break; } for (B b : all) { } while (x > 1) { return x; } do { } while (x < 1);")
        assert pick(outline.loops, "kind", "test", "leaves") == [
            ("while_true", "", True),
            ("for", "b : all", False),
            ("while", "x > 1", True),
            ("while", "x < 1", False),
        ]


def test_uses_of_names_and_keys():
    text = """class A { B b;
    void f(Map<String, B> m) {
        b.go();
        m.get("go");
        m.put("go", b);
        run(b::go);
    } @Column(name = "go") int c; }"""
    assert pick(uses(text, "java", ["go"]), "use", "text", "receiver", "line") == [
        ("call", "b.go", "b", 3),
        ("key_read", 'm.get("go")', "m", 4),
        ("key_write", 'm.put("go", b)', "m", 5),
        ("read", "b.go", "b", 6),
        ("key_tag", '@Column(name = "go")', "", 7),
    ]


def test_comments_of_both_kinds_are_no_tokens():
    one = tokens('class A { /* a */ int x = 1; // b\n String s = """\n  t\n  """; }', "java").lines
    other = tokens('class A { int x = 1;\n String s = """\n  t\n  """; }', "java").lines
    assert one == other
