"""What lines that came use of the function, the type and the file that they came into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from review_agent.syntax.edits.frame import Frame, Run, words
from review_agent.syntax.model import Symbol
from review_agent.vocabulary import FactValue, Side

__all__ = ["used_names"]

_MOST = 12
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`$]*`|/\*.*?\*/|//.*$|(?:^|\s)#.*$")
# A name that is no member of another one; neither the key of an entry nor the keyword of an argument.
_ROOT = re.compile(r"(?<![\w.$])(?!\d)([\w$]+)(?!\s*:(?![:=])|=(?!=)|\w)")
_RECEIVER = re.compile(r"^\s*func\s*\(\s*(\w+)\s+\*?\w")
_NO_NAME_WORDS = """
    and as async await bool break case catch class const continue def default defer delete do elif else except extends
    false False final finally for from func function go if import in instanceof int is lambda let long map match new
    nil None not null nullptr of or pass raise range return select static str string super switch this throw throws
    true True try type typeof undefined var void while with yield self cls
"""
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())


def used_names(frame: Frame, scope: Symbol, run: Run) -> dict[str, FactValue]:
    """``locals`` that the rest of the function names too, ``members`` of its own type, ``helpers`` of its file."""
    code = [_TEXT.sub(" ", frame.new_lines[n - 1]) for n in run.new]
    outline = frame.new_outline
    imported = {one.alias for one in outline.imports}
    rest = {
        word
        for n in range(scope.start, scope.end + 1)
        if n not in run.new
        for word in words(_TEXT.sub(" ", frame.new_lines[n - 1]))
    }
    roots = [one for line in code for one in _ROOT.findall(line) if one not in _NO_NAMES and one not in imported]
    owner = scope.qualname.rpartition(".")[0]
    beside = {one.name for one in outline.symbols if owner and one.scope == owner and one.kind != "function"}
    members = [*_members(frame, scope, code), *(one for one in roots if one in beside and one not in rest)]
    defined = {one.name for one in outline.symbols if not one.scope}
    return {
        "locals": _few(one for one in roots if one in rest and one not in defined and one not in members),
        "members": _few(members),
        "helpers": _few(one for one in roots if one in defined),
    }


def _members(frame: Frame, scope: Symbol, code: list[str]) -> Iterator[str]:
    """Names behind the receiver of the function."""
    found = _RECEIVER.match(frame.text(Side.NEW, scope.name_line, scope.name_line))
    receivers = "|".join(["self", "this", "cls", *([found[1]] if found else [])])
    shape = re.compile(rf"(?<![\w.$])(?:{receivers})\??\.#?(\w+)")
    for line in code:
        yield from shape.findall(line)


def _few(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))[:_MOST]
