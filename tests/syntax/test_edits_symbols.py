"""Removed, renamed and newly demanded symbols, from real source on both sides."""

import pytest
from differences import between, told

from review_agent.vocabulary import EditOp, Side

REMOVED, RENAMED, ABSTRACT = EditOp.SYMBOL_REMOVED, EditOp.SYMBOL_RENAMED, EditOp.ABSTRACT_MEMBER_ADDED
SYMBOLS = (REMOVED, RENAMED, ABSTRACT)


def test_a_removed_function_is_told_on_its_old_lines():
    (edit,) = between(
        """
        def keep():
            return 1


        def gone(a):
            return a
        """,
        """
        def keep():
            return 1
        """,
        "python",
        *SYMBOLS,
    )
    assert (edit.op, edit.subject, edit.side, edit.start_line) == (REMOVED, "gone", Side.OLD, 5)
    assert edit.facts == {"symbolKind": "function", "qualname": "gone", "exported": True}
    assert edit.before == "def gone(a):"


def test_a_removed_class_is_one_edit_and_its_methods_none():
    found = between(
        """
        class Gone:
            limit = 3

            def a(self):
                return 1

            def b(self):
                return 2
        """,
        "",
        "python",
        *SYMBOLS,
    )
    assert told(found) == [("symbol_removed", "Gone")]


@pytest.mark.parametrize(
    "after",
    [
        "from other import helper\n",
        "from other import thing as helper\n",
        "from other import *\n",
        "def new():\n    return 2\n\n\nhelper = new\n",
        "try:\n    from fast import helper\nexcept ImportError:\n    def helper():\n        return 1\n",
        'def __getattr__(name):\n    if name == "helper":\n        return 1\n    raise AttributeError(name)\n',
    ],
)
def test_a_name_that_is_still_bound_is_not_removed(after):
    assert told(between("def helper():\n    return 1\n", after, "python", *SYMBOLS)) == []


def test_a_function_that_only_moved_gives_no_edit():
    old = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"
    new = "def c():\n    return 3\n\n\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
    assert between(old, new) == []


def test_a_method_that_moved_to_a_base_class_is_not_removed():
    old = """
    class Base:
        pass


    class Child(Base):
        def run(self):
            return 1
    """
    new = """
    class Base:
        def run(self):
            return 1


    class Child(Base):
        pass
    """
    assert told(between(old, new, "python", *SYMBOLS)) == []


def test_a_method_that_moved_to_an_embedded_struct_is_not_removed():
    old = """
    package p

    type base struct{}

    type Child struct{ base }

    func (c *Child) Run() int { return 1 }
    """
    new = old.replace("(c *Child)", "(c *base)")
    assert told(between(old, new, "go", *SYMBOLS)) == []


def test_a_rename_is_one_edit_with_both_names():
    old = """
    def total(items):
        found = 0
        for item in items:
            found += item.price
        return found
    """
    (edit,) = between(old, old.replace("total", "sum_of"), "python")
    assert (edit.op, edit.subject, edit.side) == (RENAMED, "total", Side.NEW)
    assert edit.facts["newName"] == "sum_of"
    assert edit.facts["newQualname"] == "sum_of"


def test_members_of_a_renamed_class_are_followed():
    old = """
    class Old:
        def one(self, a):
            return a + 1

        def two(self, a):
            return a + 2
    """
    new = old.replace("Old", "New").replace("two(self, a)", "two(self, a, b)")
    assert told(between(old, new)) == [("symbol_renamed", "Old"), ("parameter_added", "b")]


def test_two_functions_that_share_nothing_are_no_rename():
    old = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
    new = "def area(width, height):\n    corner = width * height\n    return corner / 2\n"
    assert told(between(old, new, "python", *SYMBOLS)) == [("symbol_removed", "load")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def f():\n    def inner():\n        return 1\n    return inner\n", "def f():\n    return 1\n"),
        ("def f():\n    x = 1\n    return x\n", "def f():\n    return 1\n"),
        ('__all__ = ["a"]\na = 1\n', "a = 1\n"),
    ],
)
def test_locals_and_export_lists_are_no_symbols(old, new):
    assert told(between(old, new, "python", *SYMBOLS)) == []


def test_constants_fields_and_class_attributes_are_symbols():
    old = "LIMIT = 3\n\n\nclass A:\n    size = 1\n    kept = 2\n"
    new = "class A:\n    kept = 2\n"
    assert told(between(old, new, "python", *SYMBOLS)) == [("symbol_removed", "LIMIT"), ("symbol_removed", "size")]


def test_an_attribute_that_is_set_on_self_now_is_not_removed():
    old = "class A:\n    size = 1\n\n    def __init__(self):\n        pass\n"
    new = "class A:\n    def __init__(self):\n        self.size = 1\n"
    assert told(between(old, new, "python", *SYMBOLS)) == []


def test_a_renamed_constant_is_found_by_its_value():
    assert told(between("MAX_WAIT = 30\n", "MAX_WAIT_SECONDS = 30\n")) == [("symbol_renamed", "MAX_WAIT")]


def test_go_fields_and_interface_methods():
    old = """
package p

type Store struct {
	Name  string
	Limit int
}

type Reader interface {
	Read(p []byte) (int, error)
	Close() error
}

func main() {}

func init() {}
"""
    new = """
package p

type Store struct {
	Name string
}

type Reader interface {
	Read(p []byte) (int, error)
	Stat() (int, error)
}
"""
    found = between(old, new, "go", *SYMBOLS)
    assert sorted(told(found)) == [
        ("abstract_member_added", "Stat"),
        ("symbol_removed", "Close"),
        ("symbol_removed", "Limit"),
    ]
    added = next(edit for edit in found if edit.op is ABSTRACT)
    assert added.facts == {"owner": "Reader", "otherMembers": ("Close", "Read"), "parameters": ()}


def test_an_abstract_method_added_to_a_class_that_stood_before():
    old = """
    from abc import ABC, abstractmethod


    class Store(ABC):
        @abstractmethod
        def get(self, key): ...
    """
    new = old + "\n        @abstractmethod\n        def put(self, key, value): ...\n"
    (edit,) = between(old, new, "python", *SYMBOLS)
    assert (edit.subject, edit.side, edit.scope) == ("put", Side.NEW, "Store")
    assert edit.facts == {"owner": "Store", "otherMembers": ("get",), "parameters": ("key", "value")}


def test_a_new_interface_demands_nothing_of_anybody():
    new = "package p\n\ntype Reader interface {\n\tRead() error\n}\n"
    assert told(between("package p\n", new, "go", *SYMBOLS)) == []


def test_a_deleted_file_loses_its_symbols():
    assert told(between("def a():\n    return 1\n\n\nB = 2\n", None)) == [
        ("symbol_removed", "a"),
        ("symbol_removed", "B"),
    ]
