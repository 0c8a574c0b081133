"""Edits that put a step between a parameter and the store or the slot that it goes to: a key normalised, a unit
converted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes, by_scope
from review_agent.syntax.model import Call, Symbol
from review_agent.syntax.roles import words_of
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

# Steps of one file that are told; more is another design.
MOST = 20
_USED = frozenset({"assigned", "argument", "subscript", "computed", "other", "returned"})
_FORMS_WORDS = """
    encode decode marshal unmarshal serialize deserialize dump dumps load loads pack unpack encrypt decrypt
    compress decompress escape unescape quote unquote b64encode b64decode hexlify unhexlify gzip gunzip deflate
    inflate stringify parse seal open sign
"""
_FORMS = frozenset(_FORMS_WORDS.split())
_KEYED = (
    "get|set|put|pop|has|contains|del|remove|add|load|store|fetch|find|exists|lookup|discard|evict|compute|hget|hset"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_BRANCH = re.compile(r"^[\s}]*(?:(?:el)?if|else|case|default|switch|match|except|catch)\b")


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """step_added: a call that a function newly makes of a parameter on the way to what it is kept in."""
    old, new = by_scope(frame.old_outline.calls), by_scope(frame.new_outline.calls)
    told = 0
    for before, after in scopes.shared():
        symbol = scopes.new_symbols.get(after)
        if symbol is None or symbol.kind not in CALLABLES:
            continue
        known = {one.name for one in old.get(before, [])}
        for call in new.get(after, []):
            paired = _is_paired(call)
            argument = _argument(call, symbol) or ("…" if paired else "")
            if call.name in known or not argument or not frame.touches(Side.NEW, call.start, call.end):
                continue
            stores, slots = _stores(frame, symbol, call), _slots(frame, call)
            told += 1
            if (stores or slots or paired) and told <= MOST:
                spot = frame.spot((Side.NEW, (call.start, call.end)))
                replaced = _replaced(frame, call, old.get(before, []), new.get(after, []))
                if spot is not None:
                    facts = _facts(scopes, after, call, argument, stores, slots)
                    facts |= {"replaced": replaced, "conditional": _is_conditional(frame, symbol, call)}
                    yield Sighting(EditOp.STEP_ADDED, spot, after, call.name, argument, _written(frame, call), facts)


def _replaced(frame: Frame, call: Call, old: Sequence[Call], new: Sequence[Call]) -> tuple[str, ...]:
    """What the function called in these lines and calls no more: the step came in its place."""
    run = frame.run_of(Side.NEW, call.start)
    kept = {one.name for one in new}
    gone = [one.name for one in old if run is not None and one.start in run.old and one.name not in kept]
    return tuple(dict.fromkeys(gone))


def _is_conditional(frame: Frame, symbol: Symbol, call: Call) -> bool:
    """Whether a call stands in a branch: it is made of some values only."""
    depth = _depth(frame.text(Side.NEW, call.start, call.start))
    for line in range(call.start - 1, symbol.header_end, -1):
        text = frame.text(Side.NEW, line, line)
        if text.strip() and _depth(text) < depth:
            depth = _depth(text)
            if _BRANCH.match(text):
                return True
    return bool(_BRANCH.match(frame.text(Side.NEW, call.start, call.start)))


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _argument(call: Call, symbol: Symbol) -> str:
    """What of the function's parameters a call turns into something else, "" where it does not."""
    if call.result not in _USED or call.deferred:
        return ""
    params = {one.name for one in symbol.params} - {"self", "cls", "this"}
    texts = [one.text for one in call.args] + [call.receiver]
    return next((one for one in texts if one and one.split(".")[0].split("[")[0] in params), "")


def _is_paired(call: Call) -> bool:
    """Whether a call forms a value in a way that another one undoes: compress, encrypt, quote."""
    return call.result in _USED and any(word in _FORMS for word in words_of(call.name))


def _stores(frame: Frame, symbol: Symbol, call: Call) -> tuple[str, ...]:
    """What is looked into, in the same function, with the result of a call: ``self._items`` of ``self._items[key]``."""
    words = [whole_name(one) for one in call.targets if one != "_" and _NAME.fullmatch(one)]
    result = "|".join([*words, rf"{re.escape(call.callee)}\("])
    into = re.compile(rf"([A-Za-z_][\w.]*)(?:\[|\.(?i:{_KEYED})\w*\()\s*(?:{result})")
    holds = re.compile(rf"(?:{result})[^\n]*?\s(?:not )?in ([A-Za-z_][\w.]*)")
    found = []
    for line in range(call.start, symbol.end + 1):
        text = frame.text(Side.NEW, line, line)
        found += [one[1] for shape in (into, holds) for one in shape.finditer(text)]
    return tuple(dict.fromkeys(one for one in found if one != call.receiver and one not in call.callee))


def _slots(frame: Frame, call: Call) -> tuple[str, ...]:
    """The keyword, the key or the attribute that takes the result of a call."""
    text = frame.text(Side.NEW, call.start, call.start)
    callee = re.escape(call.callee)
    found = re.findall(rf"""(?:\.|["'(,{{]\s*|^\s+)(\w+)["']?\s*(?::|=)\s*{callee}\(""", text)
    return tuple(dict.fromkeys(one for one in found if one not in call.targets))


def _facts(
    scopes: Scopes,
    scope: str,
    call: Call,
    argument: str,
    stores: tuple[str, ...],
    slots: tuple[str, ...],
) -> dict[str, FactValue]:
    return {
        "callee": call.callee,
        "argument": argument,
        "forms": _is_paired(call),
        "stores": stores,
        "slots": slots,
        "owner": scope.rpartition(".")[0],
        "function": scopes.function(scope),
    }


def _written(frame: Frame, call: Call) -> str:
    text = " ".join(frame.text(Side.NEW, call.start, call.end).split())
    at = text.find(f"{call.callee}(")
    if at < 0:
        return call.callee
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] == "(") - (text[end] == ")")
        if text[end] == ")" and depth == 0:
            return text[at : end + 1]
    return text[at:]
