"""Whether an occurrence of a Java name is the thing asked for, on small source trees whose lines say what they are."""

# ruff: noqa: E501  (a small repository stands on one line, so that a table shows it beside its name)

import pytest
from made_world import MadeWorld, check

from review_agent.syntax.resolution import resolver
from review_agent.syntax.resolution_world import Target

STORE = """package shop.store;

import java.util.List;
import java.util.Map;

public class Store extends Base implements Reader {
    private final Client client;
    static Store shared = new Store(null);
    Map<String, Client> clients;

    public Store(Client client) {
        this.client = client;
    }

    public String get(String key) {
        return key;
    }

    public String get(String key, int limit) {
        return get(key);
    }

    static Store open(String path) {
        return new Store(null);
    }

    Client client() {
        return client;
    }

    class Cursor {
        void next() {
        }
    }
}
"""
CLIENT = "package shop.store;\n\npublic class Client {\n    public void send(String text) {}\n    Store store() { return null; }\n}\n"
BASE = "package shop.store;\n\nabstract class Base {\n    void close() {}\n    abstract String name();\n}\n"
READER = (
    "package shop.store;\n\npublic interface Reader {\n    String get(String key);\n    default void reset() {}\n}\n"
)
ROOT = "src/main/java/"
TREE = {
    f"{ROOT}shop/store/Store.java": STORE,
    f"{ROOT}shop/store/Client.java": CLIENT,
    f"{ROOT}shop/store/Base.java": BASE,
    f"{ROOT}shop/store/Reader.java": READER,
}
HOME, SEND, CLOSE = f"{ROOT}shop/store/Store.java", f"{ROOT}shop/store/Client.java", f"{ROOT}shop/store/Base.java"


def use(body, imports="import shop.store.*;", extra="", path="shop/app/App.java"):
    package = path.rpartition("/")[0].replace("/", ".")
    return {**TREE, ROOT + path: f"package {package};\n{imports}\n\nclass App {{\n{extra}\n{body}\n}}\n"}


GET = (HOME, "Store", "get")
CASES = {
    "parameter": (use("    void run(Store s) {\n        s.get(k); // yes\n    }"), GET),
    "field": (
        use("    void run() {\n        s.get(k); // yes\n        this.s.get(k); // yes\n    }", extra="    Store s;"),
        GET,
    ),
    "local": (use("    void run() {\n        Store s = make();\n        s.get(k); // yes\n    }"), GET),
    "var": (use("    void run() {\n        var s = new Store(c);\n        s.get(k); // yes\n    }"), GET),
    "static factory": (use("    void run() {\n        Store.open(p).get(k); // yes\n    }"), GET),
    "constructed": (use("    void run() {\n        new Store(c).get(k); // yes\n    }"), GET),
    "static field": (use("    void run() {\n        Store.shared.get(k); // yes\n    }"), GET),
    "cast": (use("    void run(Object o) {\n        ((Store) o).get(k); // yes\n    }"), GET),
    "by full name": (use("    void run() {\n        shop.store.Store.open(p).get(k); // yes\n    }", imports=""), GET),
    "returned": (use("    void run(Client c) {\n        c.store().get(k); // yes\n    }"), GET),
    "of a list": (use("    void run(java.util.List<Store> all) {\n        all.remove(0).get(k); // yes\n    }"), GET),
    "loop": (
        use("    void run(Store[] all) {\n        for (var s : all) {\n            s.get(k); // yes\n        }\n    }"),
        GET,
    ),
    "typed lambda": (use("    void run() {\n        go((Store s) -> s.get(k)); // yes\n    }"), GET),
    "untyped lambda": (use("    void run() {\n        go(s -> s.get(k)); // maybe\n    }"), GET),
    "method reference": (use("    void run() {\n        go(Store::get); // yes\n    }"), GET),
    "built text": (use("    void run(StringBuilder b) {\n        b.append(1).get(k); // no\n    }"), GET),
    "other class": (use("    void run(Client c) {\n        c.get(k); // no\n    }"), GET),
    "map": (use("    void run(java.util.Map<String, String> m) {\n        m.get(k); // no\n    }"), GET),
    "unknown type": (use("    void run(Unseen u) {\n        u.get(k); // maybe\n    }"), GET),
    "interface": (use("    void run(Reader r) {\n        r.get(k); // maybe\n    }"), GET),
    "subclass": (
        use("    void run(Sub s) {\n        s.get(k); // yes\n    }\n    static class Sub extends Store {}"),
        GET,
    ),
    "overriding": (
        use(
            "    void run(Sub s) {\n        s.get(k); // no\n    }\n    static class Sub extends Store { public String get(String k) { return k; } }"
        ),
        GET,
    ),
    "by number of arguments": (
        use(
            "    void run(Sub s) {\n        s.get(k, 1); // yes\n        s.get(k); // no\n    }\n    static class Sub extends Store { public String get(String k) { return k; } }"
        ),
        GET,
    ),
    "own": ({**TREE, HOME: STORE.replace("return get(key);", "return get(key); // yes")}, GET),
    "inherited": (
        {
            **TREE,
            f"{ROOT}shop/app/App.java": "package shop.app;\nimport shop.store.Store;\nclass App extends Store {\n    void run() {\n        get(k); // yes\n        super.get(k); // yes\n    }\n}\n",
        },
        GET,
    ),
    "same package": (
        {
            **TREE,
            f"{ROOT}shop/store/Near.java": "package shop.store;\nclass Near {\n    Store s;\n    void run() {\n        s.get(k); // yes\n    }\n}\n",
        },
        GET,
    ),
    "not imported": (use("    void run(Store s) {\n        s.get(k); // maybe\n    }", imports=""), GET),
    "another of that name": (
        use("    void run(Store s) {\n        s.get(k); // no\n    }", imports="import other.Store;"),
        GET,
    ),
    "shadowed field": (use("    void run(Client s) {\n        s.get(k); // no\n    }", extra="    Store s;"), GET),
    "block over": (
        use(
            "    void run() {\n        if (a) {\n            Client s = c();\n        }\n        s.get(k); // yes\n    }",
            extra="    Store s;",
        ),
        GET,
    ),
    "anonymous class": (
        use(
            "    void run() {\n        go(new Runnable() {\n            public void run() {\n                s.get(k); // yes\n            }\n        });\n    }",
            extra="    Store s;",
        ),
        GET,
    ),
    "resource": (
        use("    void run() {\n        try (Store s = open()) {\n            s.get(k); // yes\n        }\n    }"),
        GET,
    ),
    "resource on a second line": (
        use(
            "    void run() {\n        try (Client c = make();\n                Store s = open()) {\n            s.get(k); // yes\n        }\n        s.get(k); // no\n    }",
            extra="    Client s;",
        ),
        GET,
    ),
    "by full name, as a type": (
        use("    void run() {\n        shop.store.Store s = null; // yes\n    }", imports=""),
        (HOME, "", "Store"),
    ),
    "nested constants imported": (
        {
            **TREE,
            f"{ROOT}shop/app/App.java": "package shop.app;\nimport static shop.store.Modes.Kind.*;\nclass App {\n    void run() {\n        FAST.tell(); // yes\n    }\n}\n",
            f"{ROOT}shop/store/Modes.java": "package shop.store;\nclass Modes {\n    enum Kind { FAST; void tell() {} }\n}\n",
        },
        (f"{ROOT}shop/store/Modes.java", "Modes.Kind", "tell"),
    ),
    "handed on": (use("    void run(Store s) {\n        verify(s).get(k); // yes\n    }"), GET),
    "pattern": (
        use(
            "    void run(Object o) {\n        if (o instanceof Store s) {\n            s.get(k); // yes\n        }\n    }"
        ),
        GET,
    ),
    "base method": (use("    void run(Store s) {\n        s.close(); // yes\n    }"), (CLOSE, "Base", "close")),
    "interface default": (
        use("    void run(Store s) {\n        s.reset(); // yes\n    }"),
        (f"{ROOT}shop/store/Reader.java", "Reader", "reset"),
    ),
    "constructor": (
        use("    void run() {\n        new Store(c); // yes\n        Store s; // yes\n    }"),
        (HOME, "", "Store"),
    ),
    "nested class": (
        use("    void run(Store.Cursor c) {\n        c.next(); // yes\n    }"),
        (HOME, "Store.Cursor", "next"),
    ),
    "nested class imported": (
        use("    void run(Cursor c) {\n        c.next(); // yes\n    }", imports="import shop.store.Store.Cursor;"),
        (HOME, "Store.Cursor", "next"),
    ),
    "static import": (
        use("    void run() {\n        open(p); // yes\n    }", imports="import static shop.store.Store.open;"),
        (HOME, "Store", "open"),
    ),
    "static import of all": (
        use("    void run() {\n        open(p); // yes\n    }", imports="import static shop.store.Store.*;"),
        (HOME, "Store", "open"),
    ),
    "bare and unknown": (use("    void run() {\n        open(p); // no\n    }"), (HOME, "Store", "open")),
    "open base": (
        {
            **TREE,
            f"{ROOT}shop/app/App.java": "package shop.app;\nimport lib.Frame;\nclass App extends Frame {\n    void run() {\n        open(p); // maybe\n    }\n}\n",
        },
        (HOME, "Store", "open"),
    ),
    "gone method": (use("    void run(Store s) {\n        s.gone(k); // yes\n    }"), (HOME, "Store", "gone")),
    "gone class": (
        use("    void run() {\n        Gone g = null; // yes\n    }"),
        (f"{ROOT}shop/store/Gone.java", "", "Gone"),
    ),
    "two source trees": (
        {
            **use("    void run(Store s) {\n        s.get(k); // yes\n    }"),
            "b/src/main/java/shop/store/Store.java": STORE,
        },
        GET,
    ),
    "import": (use("", imports="import shop.store.Store; // yes"), (HOME, "", "Store")),
    "enum": (
        {
            **TREE,
            f"{ROOT}shop/app/Mode.java": "package shop.app;\nenum Mode {\n    ON { void go() { tell(); } }, OFF;\n    void tell() {}\n    static void all() {\n        Mode.ON.tell(); // yes\n        OFF.tell(); // yes\n    }\n}\n",
        },
        (f"{ROOT}shop/app/Mode.java", "Mode", "tell"),
    ),
    "record accessor": (
        {
            **TREE,
            f"{ROOT}shop/app/Pair.java": "package shop.app;\nrecord Pair(String left, String right) {\n    static void all(Pair p) {\n        p.left(); // yes\n        p.right();\n    }\n}\n",
        },
        (f"{ROOT}shop/app/Pair.java", "Pair", "left"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_java(case):
    texts, (path, scope, name) = CASES[case]
    check(texts, path, scope, name)


@pytest.mark.slow
def test_deep_text_is_given_up():
    world = MadeWorld({**TREE, "A.java": "class A {}"})
    judge = resolver(world, "java", Target(HOME, "Store", "get"))
    verdict = judge.at("A.java", "A", "(" * 3000 + "a" + ")" * 3000, "get", 1)
    assert verdict.resolution.value == "ambiguous"


def test_of_several_classes_without_a_name_none_is_taken_for_another():
    texts = {
        "F.java": "class F {\n  static final B X = new B() {\n    public A build(Object o) { return null; }\n  };\n"
        "  static final B Y = new B() {\n    public A build(Object o) { return this.build(o); } // maybe\n  };\n"
        "  static final C Z = new C() {\n    public A made(Object o) { return null; }\n"
        "    A two() { return this.made(1); }\n  };\n}\n",
    }
    check(texts, "F.java", "F.new B", "build")
    one = texts["F.java"].replace(" // maybe", "").replace("this.made(1); }", "this.made(1); } // yes")
    check({"F.java": one}, "F.java", "F.new C", "made")
