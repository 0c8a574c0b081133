"""Queries other than callers: definitions, modules, types, uses, implementers, configuration, text and paths."""

import pytest
from evidence_room import Room, ask, hits, places

from review_agent.vocabulary import Edit, EditOp, QueryStatus, Resolution, Side

SHOP = {
    "shop/__init__.py": "from .tenants import Tenant\nfrom .store import *\n",
    "shop/base.py": "from abc import ABC\n\n\nclass Base(ABC):\n    def discount_for(self, sku):\n        return 0\n",
    "shop/tenants.py": "from .base import Base\n\nLIMIT = 5\n\n\n@final\nclass Tenant(Base):\n    kind: str = 'x'\n\n"
    "    def __init__(self, name, *, rate=1.0, **more):\n        self.name = name\n\n"
    "    async def rates(self) -> list:\n        if self.name:\n            raise ValueError('x')\n"
    "        return [], 1\n",
    "shop/store.py": "cache = make()\n__all__ = ['cache']\nhidden = 1\n",
    "shop/api.py": "import requests\nfrom . import Tenant\nfrom .store import cache\nfrom .tenants import gone\n\n\n"
    "def view(tenant: Tenant, other):\n    tenant.discount_for(1)\n    x = other\n    if x is not None:\n"
    "        x.go()\n    return x\n",
}


def definition(repo, name, path, scope="", files=SHOP):
    bundle = Room(repo, files).bundle(ask("definition", name, path, scope))
    return bundle.queries[0], hits(bundle)


def test_a_class_is_defined_in_full(repo):
    result, ((path, line, fact),) = definition(repo, "Tenant", "shop/tenants.py")
    assert (path, line, result.status) == ("shop/tenants.py", 6, QueryStatus.ANSWERED)
    assert (fact.symbol, fact.qualname, fact.resolution) == ("class", "Tenant", Resolution.RESOLVED)
    assert fact.bases == ("Base", "ABC")
    assert fact.decorators == ("final",)
    assert {"kind", "__init__", "rates", "name"} <= set(fact.members)
    assert fact.closed


def test_a_function_is_defined_in_full(repo):
    _, ((_, _, fact),) = definition(repo, "__init__", "shop/tenants.py", "Tenant")
    assert [(one.name, one.default, one.kind) for one in fact.parameters] == [
        ("self", None, "positional"),
        ("name", None, "positional"),
        ("rate", "1.0", "keyword_only"),
        ("more", None, "var_keyword"),
    ]
    _, ((_, _, fact),) = definition(repo, "rates", "shop/tenants.py", "Tenant")
    assert (fact.raises, fact.returns, fact.results, fact.is_async) == (("ValueError",), ("tuple:2",), ("list",), True)


WHERE = {
    "through a package's re-export": ("Tenant", "shop/api.py", "", "shop/tenants.py", 6),
    "a member by its base": ("Tenant.discount_for", "shop/api.py", "view", "shop/base.py", 5),
    "a member of what a parameter is": ("tenant.discount_for", "shop/api.py", "view", "shop/base.py", 5),
    "a member asked of its class": ("discount_for", "shop/tenants.py", "Tenant", "shop/base.py", 5),
    "a variable through its import": ("cache", "shop/api.py", "view", "shop/store.py", 1),
    "a constant at home": ("LIMIT", "shop/tenants.py", "", "shop/tenants.py", 3),
    "an attribute that a method sets": ("name", "shop/tenants.py", "Tenant", "shop/tenants.py", 11),
}


@pytest.mark.parametrize("asked", WHERE.values(), ids=WHERE)
def test_a_name_is_found_where_it_is_defined(repo, asked):
    name, path, scope, at, line = asked
    _, ((found, start, fact),) = definition(repo, name, path, scope)
    assert (found, start, fact.resolution) == (at, line, Resolution.RESOLVED)


NOWHERE = {
    "gone": ("lost", "shop/tenants.py", "", "`lost` is bound nowhere in `shop/tenants.py`"),
    "other code": ("requests.get", "shop/api.py", "view", "`requests.get` is not in this repository"),
    "a scope that is gone": ("x", "shop/api.py", "Lost", "`Lost` is not defined in `shop/api.py`"),
    "a class without it": ("lost", "shop/base.py", "Base", "`Base` has no `lost`"),
    "a missing file": ("x", "shop/lost.py", "", "missing"),
}


@pytest.mark.parametrize("asked", NOWHERE.values(), ids=NOWHERE)
def test_a_name_that_is_not_found_says_why(repo, asked):
    name, path, scope, note = asked
    result, found = definition(repo, name, path, scope)
    assert (result.status, found) == (QueryStatus.EMPTY, [])
    assert note in result.note


def test_a_module_answers_with_all_its_names(repo):
    _, ((path, line, fact),) = definition(repo, "gone", "shop/api.py", ".tenants")
    assert (path, line, fact.symbol, fact.qualname) == ("shop/tenants.py", 1, "module", ".tenants")
    assert {"Base", "LIMIT", "Tenant"} <= set(fact.members)
    assert "gone" not in fact.members
    assert fact.closed


def test_a_package_has_its_submodules_and_what_a_star_brings(repo):
    _, found = definition(repo, "Tenant", "shop/api.py", ".")
    (fact,) = [fact for _, _, fact in found if fact.symbol == "module"]
    assert {"Tenant", "cache", "tenants", "api"} <= set(fact.members)
    assert "hidden" not in fact.members
    assert fact.closed
    assert [fact.qualname for _, _, fact in found if fact.symbol == "class"] == ["Tenant"]


OPEN = {
    "a star import of other code": "from requests import *\n",
    "a module's __getattr__": "def __getattr__(name): ...\n",
    "names made at run time": "globals()['x'] = 1\n",
    "a syntax error": "def f(:\n",
}


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_a_module_that_can_have_more_names_is_not_closed(repo, text):
    files = {"m.py": text, "app.py": "from m import x\n"}
    _, found = definition(repo, "x", "app.py", "m", files)
    assert [fact.closed for _, _, fact in found if fact.symbol == "module"] == [False]


def test_a_name_that_may_be_bound_unseen_is_in_doubt(repo):
    files = {"m.py": "from requests import *\n\n\ndef __getattr__(name): ...\n"}
    result, found = definition(repo, "x", "m.py", "", files)
    assert [(line, fact.resolution) for _, line, fact in found] == [
        (1, Resolution.AMBIGUOUS),
        (4, Resolution.AMBIGUOUS),
    ]
    assert result.ambiguous == 2


def test_a_module_of_other_code_is_empty_and_says_so(repo):
    result, found = definition(repo, "get", "shop/api.py", "requests")
    assert (result.status, found) == (QueryStatus.EMPTY, [])
    assert result.note == "module `requests` is not in this repository"


def test_a_module_without_a_line_is_cited_where_it_is_imported(repo):
    files = {"p/__init__.py": "", "app.py": "import os\nfrom p import x\n"}
    result, ((path, line, fact),) = definition(repo, "x", "app.py", "p", files)
    assert (path, line, fact.symbol, fact.closed) == ("app.py", 2, "module", True)
    assert "has no line to cite" in result.note


def test_overloads_and_setters_are_no_definitions(repo):
    text = "class A:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n"
    _, found = definition(repo, "x", "m.py", "A", {"m.py": text})
    assert [line for _, line, _ in found] == [2]


def test_a_metaclass_is_shown_among_the_bases(repo):
    text = "from abc import ABCMeta\n\n\nclass A(Lost, metaclass=ABCMeta):\n    pass\n"
    _, ((_, _, fact),) = definition(repo, "A", "m.py", "", {"m.py": text})
    assert fact.bases == ("Lost", "metaclass=ABCMeta")
    assert not fact.closed


def test_types_are_the_classes_of_what_a_name_holds(repo):
    bundle = Room(repo, SHOP).bundle(
        ask("types", "tenant", "shop/api.py", "view"), ask("types", "other", "shop/api.py", "view")
    )
    ((path, line, fact),) = hits(bundle)
    assert (path, line, fact.qualname) == ("shop/tenants.py", 6, "Tenant")
    assert bundle.queries[1].status is QueryStatus.EMPTY
    assert "no annotation" in bundle.queries[1].note


def test_uses_inside_a_scope_carry_their_guards(repo):
    bundle = Room(repo, SHOP).bundle(ask("uses_inside", "x", "shop/api.py", "view"))
    assert [(line, fact.use, fact.guarded_by) for _, line, fact in hits(bundle)] == [
        (9, "write", None),
        (10, "read", None),
        (11, "attribute", "x is not None"),
        (12, "read", None),
    ]
    assert bundle.queries[0].searched == "`shop/api.py` in `view`"


def test_uses_inside_something_that_is_gone_say_so(repo):
    bundle = Room(repo, SHOP).bundle(
        ask("uses_inside", "x", "shop/api.py", "lost"), ask("uses_inside", "x", "shop/lost.py")
    )
    assert [one.status for one in bundle.queries] == [QueryStatus.EMPTY, QueryStatus.FAILED]
    assert all(one.note for one in bundle.queries)


BELOW = {
    "m.py": "class Owner:\n    def run(self): ...\n",
    "a.py": "from m import Owner\n\n\nclass Near(Owner):\n    def run(self): ...\n    def more(self): ...\n",
    "b.py": "from a import Near\n\n\nclass Far(Near):\n    pass\n",
    "c.py": "from m import Owner\nfrom lost import Mixin\n\n\nclass Mixed(Owner, Mixin):\n    pass\n",
    "d.py": "class Owner: ...\n\n\nclass Other(Owner):\n    pass\n",
}


def abstract_member(name):
    return Edit(
        edit_id="e",
        op=EditOp.ABSTRACT_MEMBER_ADDED,
        hunk_id="h",
        path="m.py",
        old_path="m.py",
        language="python",
        side=Side.NEW,
        start_line=1,
        end_line=1,
        scope="",
        subject=name,
        before=None,
        after=None,
        facts={},
    )


def implementers(room, name, path, member):
    question = room.question(ask("implementers", name, path), edits=(abstract_member(member),))
    (bundle,) = room.collect(question)
    return {fact.type_name: fact for _, _, fact in hits(bundle)}, bundle


def test_classes_below_are_found_near_and_far(repo):
    found, _ = implementers(Room(repo, BELOW), "Owner", "m.py", "more")
    assert set(found) == {"Near", "Far", "Mixed"}
    assert (found["Near"].has_member, found["Near"].closed) == (True, True)
    assert (found["Far"].has_member, found["Far"].closed) == (True, True)
    assert (found["Mixed"].has_member, found["Mixed"].closed) == (False, False)
    assert all(fact.resolution is Resolution.RESOLVED for fact in found.values())


def test_classes_below_a_builtin_are_found_by_its_name(repo):
    files = {"m.py": "class Lost(KeyError): ...\n\n\nclass Found(Lost): ...\n\n\nclass Other(OSError): ...\n"}
    found, _ = implementers(Room(repo, files), "KeyError", "m.py", "x")
    assert set(found) == {"Lost", "Found"}


GO = {
    "go.mod": "module m\n",
    "io/i.go": "package io\n\ntype Sink interface {\n\tOpen(string) error\n\tClose() error\n\tFlush() error\n}\n\n"
    "type One interface {\n\tClose() error\n\tNew()\n}\n",
    "a/a.go": "package a\n\ntype Whole struct{}\n\nfunc (w *Whole) Open(p string) error { return nil }\n\n"
    "func (w *Whole) Close() error { return nil }\n\nfunc (w *Whole) Flush() error { return nil }\n",
    "b/b.go": "package b\n\ntype Base struct{}\n\nfunc (b Base) Close() error { return nil }\n\ntype Lacks struct {\n"
    "\tBase\n}\n\nfunc (l Lacks) Open(p string) error { return nil }\n",
    "c/c.go": "package c\n\ntype Odd struct{}\n\nfunc (o Odd) Open() {}\n\n"
    "func (o Odd) Close() error { return nil }\n\n"
    "type Closer struct{}\n\nfunc (c Closer) Close() error { return nil }\n",
}


def test_go_types_are_known_by_the_other_methods_of_an_interface(repo):
    found, _ = implementers(Room(repo, GO), "Sink", "io/i.go", "Flush")
    assert {name: (fact.resolution.value, fact.has_member) for name, fact in found.items()} == {
        "Whole": ("resolved", True),
        "Lacks": ("resolved", False),
        "Odd": ("ambiguous", False),
    }


def test_one_common_method_is_not_enough_to_know_a_go_type(repo):
    found, _ = implementers(Room(repo, GO), "One", "io/i.go", "New")
    assert {fact.resolution for fact in found.values()} == {Resolution.AMBIGUOUS}
    assert "Closer" in found


CONFIG = {
    "app/settings.py": "import os\n\nTIMEOUT = os.getenv('APP_TIMEOUT', '30')\nURL = os.environ['APP_URL']\n",
    "docker-compose.yml": "services:\n  app:\n    environment:\n      APP_TIMEOUT: '5'\n      APP_URL: x\n",
    "deploy/other.yml": "services:\n  app:\n    environment:\n      APP_URL: y\n",
    ".env": "APP_TIMEOUT=7\n",
    "app.service": '[Service]\nEnvironment="APP_TIMEOUT=9"\n',
    "README.md": "Set `APP_TIMEOUT` to wait longer.\n",
    "notes.bin": "APP_TIMEOUT\n",
}


def test_a_key_is_found_where_it_is_set_read_and_written_about(repo):
    bundle = Room(repo, CONFIG).bundle(ask("config", "APP_TIMEOUT", "app/settings.py"))
    assert {(path, line, fact.act, fact.value, fact.carrier) for path, line, fact in hits(bundle)} == {
        (".env", 1, "sets", "7", "environment"),
        ("README.md", 1, "documents", None, "docs"),
        ("app.service", 2, "sets", "9", "deployment"),
        ("app/settings.py", 3, "reads", "'30'", "environment"),
        ("docker-compose.yml", 4, "sets", "5", "deployment"),
    }
    siblings = {path: fact.siblings for path, _, fact in hits(bundle)}
    assert siblings["docker-compose.yml"] == siblings["app/settings.py"] == ("APP_URL",)


def test_siblings_of_a_key_are_the_other_keys_its_reader_reads(repo):
    bundle = Room(repo, CONFIG).bundle(ask("siblings", "APP_TIMEOUT", "app/settings.py"))
    assert ("deploy/other.yml", 4) in places(bundle)
    assert {fact.key for _, _, fact in hits(bundle)} == {"APP_URL"}


def test_text_and_paths_are_cited_as_they_stand(repo):
    bundle = Room(repo, CONFIG).bundle(
        ask("text", "wait longer"), ask("text", "nothing like it"), ask("path", "*.yml"), ask("path", "*.lost")
    )
    assert places(bundle, 0) == [("README.md", 1)]
    assert places(bundle, 2) == [("deploy/other.yml", 1), ("docker-compose.yml", 1)]
    assert [bundle.queries[n].status for n in (1, 3)] == [QueryStatus.EMPTY, QueryStatus.EMPTY]
    assert bundle.queries[3].note == "no path matches `*.lost`"


def test_a_pathspec_that_matches_nothing_is_reported(repo):
    (result,) = Room(repo, CONFIG).bundle(ask("text", "APP", "lost/*.md")).queries
    assert result.status is QueryStatus.EMPTY
    assert "no file matches `lost/*.md`" in result.note


PACKAGE = {
    "go.mod": "module m\n",
    "store/a.go": "package store\n\ntype Store struct {\n\tBase\n\tpath string\n}\n\ntype Base struct{}\n\n"
    "var ErrLost = errors.New(\"lost\")\n\nfunc New(path string, n ...int) (*Store, error) {\n\tif path == \"\" {\n"
    "\t\treturn nil, ErrLost\n\t}\n\treturn &Store{}, nil\n}\n",
    "store/b.go": "package store\n\nfunc (s *Store) Get(key string) string { return key }\n",
    "app/app.go": "package app\n\nimport \"m/store\"\n\nfunc run() {\n\ts, err := store.New(\"x\")\n\ts.Get(err)\n}\n",
}  # fmt: skip


def test_go_definitions_come_from_the_whole_package(repo):
    _, ((path, line, fact),) = definition(repo, "s.Get", "app/app.go", "run", PACKAGE)
    assert (path, line, fact.qualname, fact.symbol) == ("store/b.go", 3, "Store.Get", "method")
    _, ((path, _, fact),) = definition(repo, "store.New", "app/app.go", "run", PACKAGE)
    assert (path, fact.results, fact.raises) == ("store/a.go", ("*Store", "error"), ("ErrLost",))
    assert [one.kind for one in fact.parameters] == ["positional", "var_positional"]
    _, ((_, _, fact),) = definition(repo, "Store", "store/b.go", "", PACKAGE)
    assert (fact.symbol, fact.bases, fact.closed) == ("struct", ("Base",), True)


def test_a_go_package_answers_with_all_its_names(repo):
    _, found = definition(repo, "Lost", "app/app.go", "m/store", PACKAGE)
    ((path, line, fact),) = found
    assert (path, line, fact.symbol, fact.closed) == ("store/a.go", 1, "module", True)
    assert set(fact.members) == {"Store", "Base", "ErrLost", "New"}
    result, found = definition(repo, "Get", "app/app.go", "net/http", {
        **PACKAGE, "app/app.go": "package app\n\nimport \"net/http\"\n\nvar x = http.Get\n",
    })  # fmt: skip
    assert (result.status, result.note) == (QueryStatus.EMPTY, "package `net/http` is not in this repository")
