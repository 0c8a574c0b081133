"""What a test does with the values that an assertion was about: which it makes no more, which it reads no more."""

from __future__ import annotations

import re
from collections import Counter

from review_agent.syntax.edits.frame import Frame
from review_agent.syntax.edits.frame import words as words_of
from review_agent.syntax.edits.scopes import Scopes
from review_agent.syntax.edits.testing_subjects import conditions
from review_agent.syntax.model import Assertion, Symbol
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Side

__all__ = ["unread", "value_gone"]


def value_gone(frame: Frame, scopes: Scopes, between: tuple[str, str], one: Assertion) -> bool:
    """Whether the test makes no more what was asserted: its name is not in it, nor the call that gave it."""
    was, scope = between
    names = set(one.names)
    made = [
        assign
        for assign in frame.old_outline.assigns
        if assign.scope == was and assign.callee and names & {target.partition(".")[0] for target in assign.targets}
    ]
    symbol = scopes.new_symbols.get(scope)
    if not made or symbol is None:
        return False
    left = set(words_of(frame.text(Side.NEW, symbol.header_end + 1, symbol.end)))
    kept = {target.partition(".")[0] for assign in made for target in assign.targets} & names & left
    called_still = {call.callee for call in frame.new_outline.calls if symbol.start <= call.start <= symbol.end}
    return not kept and not called_still & {assign.callee for assign in made}


def unread(frame: Frame, scopes: Scopes, scope: str, one: Assertion) -> tuple[str, ...]:
    """Names of an assertion that stand in the head or the table of the test still and are read nowhere in it."""
    symbol = scopes.new_symbols.get(scope)
    if symbol is None:
        return ()
    head = set(words_of(frame.text(Side.NEW, symbol.start, max(symbol.header_end, symbol.name_line))))
    counts = Counter(words_of(frame.text(Side.NEW, symbol.header_end + 1, symbol.end)))
    params = {param.name for param in symbol.params}
    around = conditions(frame.old_outline, one)
    said = " ".join([one.text, *around])
    return tuple(
        name
        for name in dict.fromkeys([*one.names, *words_of(" ".join(around))])
        if (name in params & head and not counts[name])
        or (counts[name] and re.search(rf"\.{whole_name(name)}", said) and _is_column(frame, symbol, name))
    )


def _is_column(frame: Frame, symbol: Symbol, name: str) -> bool:
    """Whether a name is a column of a table in the test that nothing takes out of a row."""
    text = frame.text(Side.NEW, symbol.header_end + 1, symbol.end)
    column = re.search(rf"\b{re.escape(name)}\s*:|\b{re.escape(name)}\s+[\w.*\[\]]+\s*[\n;}}]", text)
    return column is not None and re.search(rf"[\w\])]\.{whole_name(name)}", text) is None
