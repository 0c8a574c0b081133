"""Whether an occurrence of a Python name is the thing asked for, on small repositories whose lines say what they are."""

# ruff: noqa: E501  (a small repository stands on one line, so that a table shows it beside its name)

import pytest
from made_world import MadeWorld, check, said

from review_agent.syntax.resolution import resolver
from review_agent.syntax.resolution_world import Target

PRICING = "def quote(tenant):\n    return tenant\n"


def shop(**more):
    """A package under src/ with ``quote`` in its pricing module, and further files by their path."""
    return {"src/shop/__init__.py": "", "src/shop/pricing.py": PRICING, **more}


IMPORTS = {
    "by name": "from shop.pricing import quote  # yes\nquote(1)  # yes\n",
    "from a module": "from shop import pricing\npricing.quote(1)  # yes\n",
    "under another module name": "import shop.pricing as p\np.quote(1)  # yes\n",
    "by its whole path": "import shop.pricing\nshop.pricing.quote(1)  # yes\n",
    "from other code": "from prices import quote  # no\nquote(1)  # no\n",
    "of a module of other code": "import prices\nprices.quote(1)  # no\n",
    "not at all": "quote(1)  # no\n",
    "behind a star": "from shop.pricing import *\nquote(1)  # maybe\n",
    "from a module without it": "from shop.pricing import other\nother.quote(1)  # maybe\n",
    "inside a function": "def f():\n    from shop.pricing import quote  # yes\n    return quote(1)  # yes\n",
    "in one branch of two": "try:\n    from shop.pricing import quote\nexcept ImportError:\n    from prices import quote\n"
    "quote(1)  # maybe\n",
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS)
def test_a_call_resolves_through_an_import_only(text):
    check(shop(**{"app.py": text}), "src/shop/pricing.py", "", "quote")


SHADOWS = {
    "a parameter": "def f(quote):\n    return quote(1)  # no\n",
    "an assignment": "def f():\n    quote = make()\n    return quote(1)  # no\n",
    "a loop": "def f(rows):\n    for quote in rows:\n        quote(1)  # no\n",
    "a lambda's parameter": "f = lambda: 0\ndef g():\n    return map(lambda quote: quote(1), [])  # no\n",
    "an inner function": "def f():\n    def quote(x):\n        return x\n    return quote(1)  # no\n",
    "a definition below": "def quote(x):\n    return x\nquote(1)  # no\n",
}


@pytest.mark.parametrize("text", SHADOWS.values(), ids=SHADOWS)
def test_a_shadowed_name_is_not_the_imported_one(text):
    start = "from shop.pricing import quote\n" if "def quote(x):\n    return x\nquote" not in text else ""
    check(shop(**{"app.py": start + text}), "src/shop/pricing.py", "", "quote")


def test_a_name_that_is_not_shadowed_here_is_still_the_import():
    text = (
        "from shop.pricing import quote\ndef f(quote):\n    return quote  # no\ndef g():\n    return quote(1)  # yes\n"
    )
    check(shop(**{"app.py": text}), "src/shop/pricing.py", "", "quote")


def test_a_star_brings_surely_only_what_its_module_lists():
    texts = {
        "listed.py": "__all__ = ['quote']\n" + PRICING,
        "hidden.py": "__all__ = []\n" + PRICING,
        "a.py": "from listed import *\nquote(1)  # yes\n",
        "b.py": "from hidden import *\nquote(1)  # no\n",
        "c.py": "from listed import *\nfrom lost import *\nquote(1)  # maybe\n",
    }
    check(texts, "listed.py", "", "quote")


def test_relative_imports_count_their_dots():
    more = {
        "src/shop/api/__init__.py": "",
        "src/shop/api/views.py": "from ..pricing import quote  # yes\nquote(1)  # yes\n",
        "src/shop/api/other.py": "from .pricing import quote  # no\nquote(1)  # no\n",
    }
    check(shop(**more), "src/shop/pricing.py", "", "quote")


def test_re_exports_are_followed_for_three_hops_and_no_further():
    texts = {
        "a/__init__.py": "from .b import quote  # yes\n",
        "a/b/__init__.py": "from .c import quote  # yes\n",
        "a/b/c/__init__.py": "from .d import quote  # yes\n",
        "a/b/c/d.py": PRICING,
        "near.py": "from a.b import quote  # yes\nquote(1)  # yes\n",
        "e/__init__.py": "from a import quote\n",
        "far.py": "from e import quote  # maybe\nquote(1)  # maybe\n",
    }
    check(texts, "a/b/c/d.py", "", "quote")


def test_a_package_that_imports_its_own_submodule_means_that():
    texts = {
        "p/__init__.py": "from . import pricing as pricing\n",
        "p/pricing.py": PRICING,
        "app.py": "import p\np.pricing.quote(1)  # yes\n",
    }
    check(texts, "p/pricing.py", "", "quote")


def test_a_module_of_the_same_name_elsewhere_is_another_one():
    texts = {
        "one/setup.py": "",
        "one/src/shop/__init__.py": "",
        "one/src/shop/pricing.py": PRICING,
        "one/src/app.py": "from shop.pricing import quote  # yes\nquote(1)  # yes\n",
        "two/src/shop/__init__.py": "",
        "two/src/shop/pricing.py": PRICING,
        "two/src/app.py": "from shop.pricing import quote  # no\nquote(1)  # no\n",
        "three/app.py": "from shop.pricing import quote  # maybe\nquote(1)  # maybe\n",
    }
    check(texts, "one/src/shop/pricing.py", "", "quote")


def test_a_module_inside_a_package_is_not_found_at_top_level():
    check(shop(**{"app.py": "from pricing import quote  # no\n"}), "src/shop/pricing.py", "", "quote")


def test_a_far_script_does_not_stand_for_an_installed_module():
    texts = {
        "examples/tool/requests.py": "def get(url):\n    return url\n",
        "app.py": "import requests\nrequests.get(1)  # maybe\n",
    }
    check(texts, "examples/tool/requests.py", "", "get")


def test_a_target_that_is_gone_is_still_what_an_import_of_it_means():
    texts = shop(**{"app.py": "from shop.pricing import gone  # yes\ngone(1)  # yes\n"})
    check(texts, "src/shop/pricing.py", "", "gone")


def test_a_target_that_moved_is_not_what_is_left_behind():
    texts = shop(**{
        "src/shop/pricing.py": "from .prices import quote\n",
        "src/shop/prices.py": PRICING,
        "app.py": "from shop.pricing import quote  # no\nquote(1)  # no\n",
    })  # fmt: skip
    check(texts, "src/shop/pricing.py", "", "quote")


MODEL = "class Tenant:\n    def discount(self):\n        return 1\n\n    def total(self):\n        return self.discount()  # yes\n"

RECEIVERS = {
    "a constructor": "def f():\n    t = Tenant()\n    return t.discount()  # yes\n",
    "a constructor in place": "Tenant().discount()  # yes\n",
    "the class": "Tenant.discount(1)  # yes\n",
    "an annotated parameter": "def f(t: Tenant):\n    return t.discount()  # yes\n",
    "an optional one": "from typing import Optional\ndef f(t: Optional[Tenant] = None):\n    return t.discount()  # yes\n",
    "a union with None": "def f(t: 'Tenant | None'):\n    return t.discount()  # yes\n",
    "a union with another": "def f(t: Tenant | int):\n    return t.discount()  # maybe\n",
    "an element": "def f(ts: list[Tenant]):\n    for t in ts:\n        t.discount()  # yes\n    return ts[0].discount()  # yes\n",
    "an unknown parameter": "def f(t):\n    return t.discount()  # maybe\n",
    "a parameter of another type": "def f(t: int):\n    return t.discount()  # no\n",
    "an annotated result": "def make() -> Tenant: ...\nmake().discount()  # yes\n",
    "a seen result": "def make():\n    return Tenant()\ndef f():\n    t = make()\n    return t.discount()  # yes\n",
    "an awaited result": "async def make() -> Tenant: ...\nasync def f():\n    t = await make()\n    t.discount()  # yes\n",
    "a type variable of self": "T = TypeVar('T')\nclass Sub(Tenant):\n    def copy(self: T) -> T: ...\nSub().copy().discount()  # yes\n",
    "an unknown result": "t = elsewhere()\nt.discount()  # maybe\n",
    "two assignments": "def f(x):\n    t = Tenant()\n    if x:\n        t = x\n    return t.discount()  # maybe\n",
    "a default": "def f(t: Tenant | None):\n    t = t or Tenant()\n    return t.discount()  # yes\n",
    "an attribute": "class Box:\n    def __init__(self):\n        self.t = Tenant()\n    def f(self):\n        return self.t.discount()  # yes\n",
    "an annotated attribute": "class Box:\n    t: Tenant\n    def f(self):\n        return self.t.discount()  # yes\n",
    "an attribute from a parameter": "class Box:\n    def __init__(self, t: Tenant):\n        self.t = t\n"
    "    def f(self):\n        return self.t.discount()  # yes\n",
    "a property": "class Box:\n    @property\n    def t(self) -> Tenant: ...\ndef f(box: Box):\n    box.t.discount()  # yes\n",
    "a module's variable": "t = Tenant()\ndef f():\n    return t.discount()  # yes\n",
    "a cast": "from typing import cast\ndef f(x):\n    return cast(Tenant, x).discount()  # yes\n",
    "a string": "def f():\n    return ''.discount()  # no\n",
    "a type of other code": "from sqlite3 import Row\ndef f(t: Row):\n    return t.discount()  # no\n",
    "what leads back to itself": "def f():\n    return f().discount()  # maybe\n",
}


@pytest.mark.parametrize("text", RECEIVERS.values(), ids=RECEIVERS)
def test_a_method_resolves_through_what_its_receiver_is_known_to_be(text):
    check({"model.py": MODEL, "app.py": f"from model import Tenant\n{text}"}, "model.py", "Tenant", "discount")


CLASSES = {
    "a subclass's self": "class Sub(Tenant):\n    def f(self):\n        return self.discount()  # yes\n",
    "super": "class Sub(Tenant):\n    def discount(self):\n        return super().discount()  # yes\n",
    "a class method": "class Sub(Tenant):\n    @classmethod\n    def f(cls):\n        return cls.discount  # yes\n",
    "an override": "class Sub(Tenant):\n    def discount(self): ...\n    def f(self):\n        return self.discount()  # no\n",
    "a mixin": "class Mixin:\n    def f(self):\n        return self.discount()  # maybe\n",
    "an unrelated class": "class Other:\n    def discount(self): ...\n    def f(self):\n        return self.discount()  # no\n",
    "a base of other code first": "from django import Model\nclass Sub(Model, Tenant):\n    def f(self):\n        return self.discount()  # maybe\n",
    "a plain base first": "from abc import ABC\nclass Sub(ABC, Tenant):\n    def f(self):\n        return self.discount()  # yes\n",
    "a static method's first parameter": "class Sub(Tenant):\n    @staticmethod\n    def f(self):\n        return self.discount()  # maybe\n",
    "two steps down": "class Sub(Tenant): ...\nclass Low(Sub):\n    def f(self):\n        return self.discount()  # yes\n",
    "a cycle of bases": "class A(B): ...\nclass B(A):\n    def f(self):\n        return self.discount()  # maybe\n",
}


@pytest.mark.parametrize("text", CLASSES.values(), ids=CLASSES)
def test_self_and_super_follow_the_bases(text):
    check({"model.py": MODEL, "app.py": f"from model import Tenant\n{text}"}, "model.py", "Tenant", "discount")


def test_a_call_on_a_base_may_reach_the_override_below_it():
    text = "class Base:\n    def run(self): ...\n    def go(self):\n        self.run()  # maybe\nclass Sub(Base):\n    def run(self): ...\n"
    check({"m.py": text}, "m.py", "Sub", "run")


def test_a_method_that_is_gone_from_its_class_is_still_what_self_means():
    text = "class Sub:\n    def go(self):\n        self.run()  # yes\n"
    check({"m.py": text}, "m.py", "Sub", "run")


def test_a_method_that_is_gone_gives_way_to_the_one_of_its_base():
    text = "class Base:\n    def run(self): ...\nclass Sub(Base):\n    def go(self):\n        self.run()\n"
    found = said({"m.py": text}, "m.py", "Base", "run")
    assert found == {("m.py", 5): ["resolved"]}


def test_a_function_inside_a_function_is_out_of_reach_elsewhere():
    texts = {
        "m.py": "def outer():\n    def inner(): ...\n    return inner()  # yes\ndef other(x):\n    return x.inner()  # no\n",
        "n.py": "def f(inner):\n    return inner()  # no\n",
    }
    check(texts, "m.py", "outer", "inner")


def test_a_fixture_gives_a_test_what_it_returns_or_yields():
    texts = {
        "model.py": MODEL,
        "tests/conftest.py": "import pytest\nfrom model import Tenant\n@pytest.fixture\ndef tenant():\n    t = Tenant()\n    yield t\n",
        "tests/test_model.py": "def test_it(tenant):\n    assert tenant.discount()  # yes\n",
        "tests/test_own.py": "import pytest\n@pytest.fixture(name='tenant')\ndef made():\n    return 1\n"
        "def test_it(tenant):\n    assert tenant.discount()  # no\n",
        "app.py": "def handle(tenant):\n    return tenant.discount()  # maybe\n",
    }
    check(texts, "model.py", "Tenant", "discount")


def test_a_context_manager_binds_what_it_enters():
    texts = {
        "m.py": "class Conn:\n    def __enter__(self):\n        return self\n    def run(self): ...\n"
        "class Pool:\n    def __enter__(self) -> Conn: ...\n",
        "app.py": "from m import Conn, Pool\ndef f():\n    with Conn() as c:\n        c.run()  # yes\n"
        "def g():\n    with Pool() as c:\n        c.run()  # yes\ndef h():\n    with open('x') as c:\n        c.run()  # maybe\n",
    }
    check(texts, "m.py", "Conn", "run")


def test_a_generator_with_a_decorator_binds_what_it_yields():
    texts = {
        "model.py": MODEL,
        "app.py": "from contextlib import contextmanager\nfrom typing import Iterator\nfrom model import Tenant\n"
        "@contextmanager\ndef seen():\n    yield Tenant()\n@contextmanager\ndef said() -> Iterator[Tenant]:\n    yield x\n"
        "def plain():\n    yield Tenant()\n"
        "with seen() as a, said() as b, plain() as c:\n    a.discount()  # yes\n    b.discount()  # yes\n    c.discount()  # maybe\n",
    }
    check(texts, "model.py", "Tenant", "discount")


def test_reasons_name_the_import_and_its_line():
    world = MadeWorld(shop(**{"app.py": "import os\nfrom shop.pricing import quote\nquote(1)\n"}))
    verdict = resolver(world, "python", Target("src/shop/pricing.py", "", "quote")).at("app.py", "", "", "quote", 3)
    assert verdict.reason == "`from shop.pricing import quote`, line 2"


def test_reasons_say_what_is_not_known_of_a_receiver():
    world = MadeWorld({"model.py": MODEL, "app.py": "def f(t):\n    return t.discount()\n"})
    verdict = resolver(world, "python", Target("model.py", "Tenant", "discount")).at("app.py", "f", "t", "discount", 2)
    assert verdict.reason == "receiver `t` of unknown type: parameter `t` of `f`, line 1, has no annotation"
