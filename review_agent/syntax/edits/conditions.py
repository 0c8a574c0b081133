"""What a condition says: its alternatives, what each demands, and whether one condition implies another.

A condition is held as a disjunction of conjunctions of atoms. An atom is (left, operator, right) with spaces folded,
``>`` turned into ``<``, ``!``, ``&&``, ``||`` and ``nil`` in Python's words; a bare expression is (text, "true", "").
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product

__all__ = ["Atom", "Condition", "implies", "negated", "parse", "same"]

Atom = tuple[str, str, str]
Condition = tuple[frozenset[Atom], ...]

TOKEN = re.compile(
    r"""[rbuf]*"(?:\\.|[^"\\])*"|[rbuf]*'(?:\\.|[^'\\])*'|`[^`]*`|\d[\w.]*|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"""
    r"""|:=|==|!=|<=|>=|<<|>>|&&|\|\||\*\*|//|->|\S""",
    re.IGNORECASE,
)
OPENING, CLOSING = {"(", "[", "{"}, {")", "]", "}"}
COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "is", "in", "is not", "not in"}
OPPOSITE = {"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}
OPPOSITE |= {"true": "false", "false": "true"}
MOST_ALTERNATIVES = 32
SYNONYMS = {"&&": "and", "||": "or", "!": "not", "nil": "None"}
FALSY = {"0", "''", "None", "False", "false", "[]", "{}", "()", "0.0"}


def parse(test: str, renames: Mapping[str, str] | None = None) -> Condition:
    """The alternatives of a condition's source text, with the words in ``renames`` replaced."""
    return _condition(_tokens(test, renames or {}), True)


def _tokens(test: str, renames: Mapping[str, str]) -> tuple[str, ...]:
    tokens: list[str] = []
    for token in TOKEN.findall(test):
        token = SYNONYMS.get(token, token)
        if token[0] in "\"'`" and token[-1] in "\"'`":
            token = f"'{token[1:-1]}'"
        elif token[0].isalpha() or token[0] == "_":
            token = ".".join(renames.get(part, part) for part in token.split("."))
        if tokens and (tokens[-1], token) in {("is", "not"), ("not", "in")}:
            tokens[-1] = f"{tokens[-1]} {token}"
        else:
            tokens.append(token)
    return tuple(tokens)


def _condition(tokens: Sequence[str], holds: bool) -> Condition:
    """The condition, or its negation where ``holds`` is false."""
    for word in ("or", "and"):
        parts = _split(tokens, word)
        if len(parts) > 1 and not _is_ternary(tokens):
            conditions = [_condition(part, holds) for part in parts]
            return _any(conditions) if (word == "or") == holds else _all(conditions)
    if len(tokens) > 1 and tokens[0] == "not":
        return _condition(tokens[1:], not holds)
    if len(tokens) > 2 and tokens[0] == "(" and _closes(tokens) == len(tokens) - 1:
        return _condition(tokens[1:-1], holds)
    atoms = [frozenset({atom if holds else _opposite(atom)}) for atom in _atoms(tokens)]
    return _all([(atom,) for atom in atoms]) if holds else tuple(atoms)


def _is_ternary(tokens: Sequence[str]) -> bool:
    return len(_split(tokens, "if")) > 1


def _split(tokens: Sequence[str], word: str) -> list[Sequence[str]]:
    parts, start, depth = [], 0, 0
    for index, token in enumerate(tokens):
        depth += (token in OPENING) - (token in CLOSING)
        if token == word and depth == 0:
            parts.append(tokens[start:index])
            start = index + 1
    return [*parts, tokens[start:]]


def _closes(tokens: Sequence[str]) -> int:
    """Index of the bracket that closes the first token."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token in OPENING) - (token in CLOSING)
        if depth == 0:
            return index
    return -1


def _any(conditions: Sequence[Condition]) -> Condition:
    return tuple(dict.fromkeys(part for condition in conditions for part in condition))[:MOST_ALTERNATIVES]


def _all(conditions: Sequence[Condition]) -> Condition:
    size = 1
    for condition in conditions:
        size *= len(condition)
    if size > MOST_ALTERNATIVES:
        text = repr(sorted(sorted(part) for condition in conditions for part in condition))
        return (frozenset({(text, "true", "")}),)
    return tuple(dict.fromkeys(frozenset().union(*parts) for parts in product(*conditions)))


def _atoms(tokens: Sequence[str]) -> list[Atom]:
    """One atom a comparison (a chain has several), else one truth test."""
    operands: list[list[str]] = [[]]
    operators: list[str] = []
    depth = 0
    for token in tokens:
        depth += (token in OPENING) - (token in CLOSING)
        if depth == 0 and token in COMPARISONS:
            operators.append(token)
            operands.append([])
        else:
            operands[-1].append(token)
    texts = ["".join(operand) if len(operand) < 2 else " ".join(operand) for operand in operands]
    if not operators:
        return [(texts[0], "true", "")]
    return [_atom(texts[i], operator, texts[i + 1]) for i, operator in enumerate(operators)]


def _atom(left: str, operator: str, right: str) -> Atom:
    if operator in (">", ">="):
        left, operator, right = right, operator.replace(">", "<"), left
    if operator in ("==", "!=") and "None" in (left, right):
        operator = "is" if operator == "==" else "is not"
    if operator in ("==", "!=", "is", "is not") and (left in FALSY or left[:1] in "'0123456789"):
        left, right = right, left
    return left, operator, right


def _opposite(atom: Atom) -> Atom:
    left, operator, right = atom
    if operator in ("<", "<="):
        return right, "<=" if operator == "<" else "<", left
    return left, OPPOSITE[operator], right


def negated(condition: Condition) -> Condition:
    """The condition that holds exactly where this one does not."""
    return _all([tuple(frozenset({_opposite(atom)}) for atom in sorted(part)) for part in condition])


def implies(narrow: Condition, wide: Condition) -> bool:
    """Whether ``wide`` holds wherever ``narrow`` does, as far as the texts show it."""
    return all(any(_meets(part, alternative) for alternative in wide) for part in narrow)


def same(one: Condition, other: Condition) -> bool:
    return implies(one, other) and implies(other, one)


def _meets(part: frozenset[Atom], alternative: frozenset[Atom]) -> bool:
    return all(any(_gives(atom, demand) for atom in part) for demand in alternative)


def _gives(atom: Atom, demand: Atom) -> bool:
    """Whether one atom implies another."""
    if atom == demand or _mirrored(atom) == demand:
        return True
    return _gives_truth(atom, demand) or _gives_order(atom, demand) or _gives_type(atom, demand)


def _mirrored(atom: Atom) -> Atom:
    left, operator, right = atom
    return (right, operator, left) if operator in ("==", "!=", "is", "is not") else atom


def _gives_truth(atom: Atom, demand: Atom) -> bool:
    left, operator, right = atom
    if demand == (left, "false", ""):
        return (operator in ("is", "==") and right in FALSY) or (f"len ( {left} )", "==", "0") == atom
    if operator == "true" and demand[0] == left:
        return demand[1] in ("is not", "!=") and demand[2] in FALSY
    return operator in ("==", "!=", "is", "is not") and atom[0] == demand[0] and _weaker_equality(atom, demand)


def _weaker_equality(atom: Atom, demand: Atom) -> bool:
    """``x == 'a'`` says also ``x != 'b'`` and ``x is not None``."""
    literal = all(right in FALSY or right[:1] in "'0123456789" for right in (atom[2], demand[2]))
    return atom[1] in ("==", "is") and demand[1] in ("!=", "is not") and literal and atom[2] != demand[2]


def _gives_order(atom: Atom, demand: Atom) -> bool:
    if {atom[0], atom[2]} == {demand[0], demand[2]} and atom[1] in ("<", "=="):
        return demand[1] == "<=" and (atom[1] == "==" or atom[0] == demand[0])
    if atom[1] not in ("<", "<=") or demand[1] not in ("<", "<="):
        return False
    return _bound(atom, demand, 0, 2, below=True) or _bound(atom, demand, 2, 0, below=False)


def _bound(atom: Atom, demand: Atom, same_at: int, number_at: int, *, below: bool) -> bool:
    """Both compare the same expression with a number, and the atom's bound is the tighter one."""
    ours, theirs = _number(atom[number_at]), _number(demand[number_at])
    if atom[same_at] != demand[same_at] or ours is None or theirs is None:
        return False
    tighter = ours < theirs if below else ours > theirs
    return tighter or (ours == theirs and (atom[1] == "<" or demand[1] == "<="))


def _number(text: str) -> float | None:
    try:
        return float(text.replace(" ", "").replace("_", ""))
    except ValueError:
        return None


TYPE_TEST = re.compile(r"(isinstance|issubclass) \( (.+?) , (.+) \)$")


def _gives_type(atom: Atom, demand: Atom) -> bool:
    """``isinstance(x, A)`` implies ``isinstance(x, (A, B))``, and the other way round where both are negated."""
    ours, theirs = TYPE_TEST.match(atom[0]), TYPE_TEST.match(demand[0])
    if not ours or not theirs or atom[1] != demand[1] or ours.groups()[:2] != theirs.groups()[:2]:
        return False
    few, many = (ours, theirs) if atom[1] == "true" else (theirs, ours)
    return _types(few.group(3)) <= _types(many.group(3))


def _types(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[\w.]+", text))
