"""Edits of what a change leaves behind: a symbol that lost its last use, a parameter that nothing reads any more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from review_agent.syntax.code import HIDING, read_lines
from review_agent.syntax.edits.evaluated import is_evaluated
from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.model import Param, Symbol
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name, words_in
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Kinds of symbols that nothing but a use by name keeps alive.
_OWN = frozenset({"function", "method", "class", "constant", "variable"})
# What a run time calls by name.
_CALLED_BY_NAME = re.compile(r"^(?:__\w+__|init|main|setUp\w*|tearDown\w*|constructor|toString|hashCode|equals|run)$")
_LEAST = 3
_DOCSTRING = re.compile(r"""\s*[rRuU]?(\"{3}|'{3}|"|')""")
# What takes all parameters at once.
_ALL = frozenset({"locals", "vars", "arguments", "eval", "exec"})
# A body that is no more than this says nothing of what its parameters are for.
_STUB = re.compile(r"^(?:pass|\.\.\.|raise NotImplementedError.*|return|return None|\{|\}|;|throw new Unsupported.*|)$")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """last_use_removed and parameter_unread."""
    if in_test(frame.path):
        return
    old, new = (_words(frame, side) for side in (Side.OLD, Side.NEW))
    for before, after in scopes.pairs:
        if _is_own(before, after) and old[before.name] > new[after.name] == _defined(frame, after.name):
            yield from _unused(frame, before, after)
        if before.kind in CALLABLES and after.kind in CALLABLES:
            yield from _unread(frame, scopes, before, after)


def _words(frame: Frame, side: Side) -> Counter[str]:
    """How often each word stands in the code of one side, strings included: a name in a string may be a use."""
    lines = frame.old_lines if side is Side.OLD else frame.new_lines
    return Counter(word for line in lines for word in words_in(line, frame.language))


def _defined(frame: Frame, name: str) -> int:
    """How often the name stands where it is defined."""
    return sum(1 for one in frame.new_outline.symbols if one.name == name)


def _is_own(before: Symbol, after: Symbol) -> bool:
    """Whether nobody outside the file's package can name it, no tool calls it, and the change left it as it was."""
    plain = not after.exported and not after.decorators and not after.is_test and not after.is_abstract
    named = len(after.name) >= _LEAST and not _CALLED_BY_NAME.match(after.name)
    return plain and named and after.kind in _OWN and after.kind == before.kind and before.body == after.body


def _unused(frame: Frame, before: Symbol, after: Symbol) -> Iterator[Sighting]:
    word = re.compile(whole_name(before.name, frame.language))
    lines = [n for n in frame.old if word.search(frame.text(Side.OLD, n, n))]
    spot = frame.spot((Side.OLD, (lines[0], lines[0]))) if lines else None
    if spot is None or frame.touches(Side.NEW, after.start, after.header_end):
        return
    facts: dict[str, FactValue] = {
        "symbolKind": after.kind,
        "qualname": after.qualname,
        "definedAt": after.name_line,
        "function": _around(frame, lines[0]),
    }
    text = frame.text(Side.OLD, lines[0], lines[0]).strip()[:200]
    yield Sighting(EditOp.LAST_USE_REMOVED, spot, after.scope, after.name, text, None, facts)


def _around(frame: Frame, line: int) -> str:
    inside = [one for one in frame.old_outline.symbols if one.kind in CALLABLES and one.start <= line <= one.end]
    return max(inside, key=lambda one: one.start).qualname if inside else ""


def _unread(frame: Frame, scopes: Scopes, before: Symbol, after: Symbol) -> Iterator[Sighting]:
    if not _is_plain(before, after):
        return
    was, now = _body(frame, Side.OLD, before), _body(frame, Side.NEW, after)
    if not was or not now or all(_STUB.match(line.strip()) for line in now):
        return
    new = {word for line in _reading(now, frame.language, doubtful=True) for word in words_in(line, frame.language)}
    if not _ALL.isdisjoint(new):
        return
    kept = {one.name for one in before.params}
    for index, one in enumerate(after.params):
        gone = one.name in kept and one.name not in new and _is_telling(one)
        if gone and not (frame.language == "python" and is_evaluated(now, one.name)):
            yield from _parameter(frame, scopes, before, after, one, index)


def _reading(body: Sequence[str], language: str, *, doubtful: bool = False) -> Sequence[str]:
    return read_lines(body, language, doubtful=doubtful) if language in HIDING else body


def _is_plain(before: Symbol, after: Symbol) -> bool:
    """Whether the signature is the function's own choice: no override, no interface, no tool that calls it."""
    if (
        after.decorators
        or after.is_test
        or after.is_abstract
        or not frozenset(after.modifiers).isdisjoint({"abstract"})
    ):
        return False
    return bool(after.params) and after.kind == before.kind and not _CALLED_BY_NAME.match(after.name)


def _is_telling(param: Param) -> bool:
    return param.kind in ("positional", "keyword_only") and not param.name.startswith("_") and len(param.name) >= _LEAST


def _body(frame: Frame, side: Side, symbol: Symbol) -> Sequence[str]:
    """The lines below a signature, without a docstring; a one-line function has none."""
    lines = list((frame.old_lines if side is Side.OLD else frame.new_lines)[symbol.header_end : symbol.end])
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    opens = _DOCSTRING.match(lines[first]) if first is not None and frame.language == "python" else None
    if first is None or opens is None:
        return lines
    fence, rest = opens[1], lines[first][opens.end() :]
    if fence in rest:
        return lines[first + 1 :]
    last = next((n for n in range(first + 1, len(lines)) if fence in lines[n]), len(lines) - 1)
    return lines[last + 1 :]


def _parameter(
    frame: Frame, scopes: Scopes, before: Symbol, after: Symbol, one: Param, index: int
) -> Iterator[Sighting]:
    # Neither a member of that name is the parameter, nor what is assigned to it or to a keyword of that name.
    read = re.compile(rf"(?<!(?<!\.\.)\.){whole_name(one.name, frame.language)}(?!\s*=(?!=))")
    body = _body(frame, Side.OLD, before)
    said = enumerate(_reading(body, frame.language), before.end + 1 - len(body))
    lines = [n for n, line in said if n in frame.old and read.search(line)]
    spot = frame.spot((Side.OLD, (lines[0], lines[0]))) if lines else None
    if spot is None:
        return
    owner = scopes.new_symbols.get(after.scope)
    own = sum(1 for param in after.params[:index] if param.name in ("self", "cls"))
    facts: dict[str, FactValue] = {
        "function": after.qualname,
        "symbolKind": after.kind,
        "index": index - own,
        "hasDefault": one.default is not None,
        "bases": owner.bases if owner is not None else (),
        "exported": after.exported,
    }
    text = frame.text(Side.OLD, lines[0], lines[0]).strip()[:200]
    yield Sighting(EditOp.PARAMETER_UNREAD, spot, after.qualname, one.name, text, None, facts)
