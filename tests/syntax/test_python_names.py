"""Python's own names are a list of ours: the same on each interpreter, and whole for each that is supported."""

import builtins
import keyword
import re
import sys
from pathlib import Path

import pytest

import review_agent
from review_agent.syntax.python_names import BUILTINS, EXCEPTIONS, KEYWORDS, STANDARD_MODULES

SUPPORTED = sys.version_info < (3, 14)


def exceptions():
    named = ((name, getattr(builtins, name)) for name in dir(builtins))
    return {name: one for name, one in named if isinstance(one, type) and issubclass(one, BaseException)}


@pytest.mark.skipif(not SUPPORTED, reason="a newer Python may bring more")
def test_the_lists_hold_what_this_python_brings():
    assert set(dir(builtins)) - {"_"} <= BUILTINS
    assert {*keyword.kwlist, *keyword.softkwlist} <= KEYWORDS
    assert sys.stdlib_module_names <= STANDARD_MODULES


@pytest.mark.skipif(not SUPPORTED, reason="a newer Python may bring more")
def test_an_exception_has_all_that_it_derives_from():
    for name, one in exceptions().items():
        assert EXCEPTIONS[name] == {base.__name__ for base in one.__mro__} - {"object"}


def test_no_outcome_asks_the_running_interpreter():
    asks = re.compile(r"^import (?:builtins|keyword)\b|sys\.stdlib_module_names", re.MULTILINE)
    files = Path(review_agent.__file__).parent.rglob("*.py")
    assert [path.name for path in files if asks.search(path.read_text())] == []
