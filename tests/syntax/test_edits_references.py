"""What a file starts to rely on: names of modules, values that may be absent."""

import pytest
from differences import between, told

from review_agent.vocabulary import EditOp, Side

ADDED, NILABLE = EditOp.REFERENCE_ADDED, EditOp.NILABLE_DEREFERENCED


def test_an_imported_name():
    (edit,) = between("from .store import get\n", "from .store import get, put as save\n")
    assert (edit.op, edit.subject, edit.side, edit.start_line) == (ADDED, "put", Side.NEW, 1)
    assert edit.facts == {"form": "import", "module": ".store", "level": 1, "binding": "save"}


def test_the_line_of_a_name_in_a_long_import():
    old = "from shop.store import (\n    get,\n)\n"
    new = "from shop.store import (\n    get,\n    put,\n)\n"
    (edit,) = between(old, new)
    assert (edit.subject, edit.start_line, edit.facts["module"]) == ("put", 3, "shop.store")


def test_an_attribute_of_an_imported_module():
    old = "import shop.store as store\n\n\ndef f():\n    return store.get()\n"
    (edit,) = between(old, old.replace("store.get()", "store.get() or store.find()"))
    assert (edit.subject, edit.scope, edit.start_line) == ("find", "f", 5)
    assert edit.facts == {"form": "attribute", "module": "shop.store", "level": 0, "binding": "store"}


def test_a_module_of_the_same_package():
    old = "from . import store\n\n\ndef f():\n    return 1\n"
    (edit,) = between(old, old.replace("return 1", "return store.find()"))
    assert (edit.subject, edit.facts["module"], edit.facts["level"]) == ("find", ".store", 1)


def test_a_go_package():
    old = 'package p\n\nimport "example.com/shop/store"\n\nfunc F() int {\n\treturn store.Get()\n}\n'
    (edit,) = between(old, old.replace("store.Get()", "store.Find()"), "go")
    assert (edit.subject, edit.facts["module"], edit.facts["binding"]) == ("Find", "example.com/shop/store", "store")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\n", "import os\nx = os.getcwd()\n"),
        ("", "from collections import deque\n"),
        ("from a import b\n", "x = 1\nfrom a import b\n"),
        ("from a import b\n", "from a import (\n    b,\n)\n"),
        ("import a\n\nx = a.f()\n", "import a\n\nx = [a.f()]\n"),
        ("import a\n", 'import a\nx = "a.b"  # a.c\n'),
        ("import a\n", 'import a\n\nx = """\na.b\n"""\n'),
        ("import a\n\na = a.load()\n", "import a\n\na = a.load()\na.run()\n"),
        ("from a import *\n", "from a import *\nfrom b import *\n"),
    ],
)
def test_nothing_new_is_relied_on(before, after):
    assert told(between(before, after, "python", ADDED)) == []


def test_a_hunk_tells_twenty_references_at_most():
    new = "".join(f"from a import name{n}\n" for n in range(30))
    found = between("x = 1\n", "x = 1\n" + new, "python", ADDED)
    assert len(found) == 20
    assert found[0].subject == "name0"


def nilable(before, after, language="python"):
    return [(edit.subject, edit.facts["origin"]) for edit in between(before, after, language, NILABLE)]


def python(statement):
    return f"import re\n\n\ndef f(table, key):\n    {statement}\n"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("return table.get(key).name", ("table.get(key)", "dict_get")),
        ("return re.match('a', key).group()", ("re.match('a', key)", "re_match")),
        ("found = table.get(key)\n    return found.name", ("found", "dict_get")),
    ],
)
def test_a_value_that_may_be_absent_is_used(statement, expected):
    assert nilable(python("return key"), python(statement)) == [expected]


@pytest.mark.parametrize(
    "statement",
    [
        "return table.get(key, fallback).name",
        "found = table.get(key)\n    if found is None:\n        return None\n    return found.name",
        "return table[key].name",
    ],
)
def test_a_value_that_is_there_or_was_tested(statement):
    assert nilable(python("return key"), python(statement)) == []


def test_an_old_use_that_moved_is_not_new():
    old = python("return table.get(key).name")
    new = python("if key:\n        return table.get(key).name\n    return None")
    assert nilable(old, new) == []


def test_gos_maps_and_assertions():
    frame = "package p\n\nfunc F(m map[string]*T, v any) string {{\n\t{}\n}}\n"
    old = frame.format('return ""')
    assert nilable(old, frame.format('return m["a"].Name'), "go") == [('m["a"]', "map_index")]
    assert nilable(old, frame.format("return v.(*T).Name"), "go") == [("v.(*T)", "type_assertion")]
