"""Calls that bind a path to a handler: the path, the guards among the arguments, how a claim names them."""

from __future__ import annotations

import re

from review_agent.kinds.authority import asks
from review_agent.kinds.base import Found, code
from review_agent.kinds.entrances import is_registration, path_of
from review_agent.vocabulary import CallFact

__all__ = ["given", "grouped", "guard_of", "label", "path_bound"]

_STRING = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")
# Of a handler written in place only its head is looked at for guards.
_HEAD = 200


def guard_of(argument: str) -> tuple[int, str]:
    """What an argument of a registering call asks, and by which name. A handler written in place is none."""
    if re.match(r"\s*(?:async\s*)?(?:\(|function\b|func\b|\w+\s*=>|\w+\s*->)", argument):
        return 0, ""
    for callee in re.findall(r"[A-Za-z_$][\w$.]*", _STRING.sub("''", argument[:_HEAD])):
        level = asks(callee)
        if level:
            return level, callee
    return 0, ""


def given(one: Found[CallFact]) -> list[str]:
    """The arguments of a call as written."""
    return [argument.text for argument in one.fact.arguments]


def grouped(one: Found[CallFact]) -> list[tuple[int, str]]:
    """What the groups that a binding stands in ask: ``r.Group(func(r) { r.Use(check) …``."""
    used = [part for text in one.fact.within for part in re.findall(r"\.[uU]se\(([\w.]+)", text)]
    return [pair for part in used if (pair := guard_of(part))[0]]


def path_bound(one: Found[CallFact]) -> str:
    """The path that a call binds; "" where it binds none."""
    name = one.fact.callee.rpartition(".")[2]
    return path_of(given(one)) if is_registration(name, given(one)) else ""


def label(one: Found[CallFact]) -> str:
    """A binding in a claim: the path, with the method where that is the call's name."""
    path, name = path_bound(one), one.fact.callee.rpartition(".")[2]
    verb = (
        f"{code(name)} "
        if re.fullmatch(r"get|post|put|patch|delete|GET|POST|PUT|PATCH|DELETE|Get|Post|Put|Patch|Delete", name)
        else ""
    )
    return f"{verb}{code(path)}"
