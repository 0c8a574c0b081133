"""Whether a test shows that a value is there, and which test around or before a place does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from review_agent.syntax.calls import argument_nodes, callee_node, dotted, split
from review_agent.syntax.flow import Flow, branches, operators, statements
from review_agent.syntax.model import Access
from review_agent.syntax.tree import Node

NONE_TYPES = frozenset(("none", "nil", "null", "undefined", "null_literal"))
_CHECKS = frozenset(("isinstance", "issubclass", "callable", "hasattr", "bool", "len", "Boolean", "isArray", "nonNull"))
_ASSERTIONS = frozenset(
    ("assertIsNotNone", "assertTrue", "assertIsInstance", "assertIn", "assertNotNone", "NotNil", "NotNilf", "True",
     "assert", "invariant", "ok", "requireNonNull", "checkNotNull", "notNull", "assertNotNull")
)  # fmt: skip
_MISSES = frozenset(
    ("AttributeError", "TypeError", "KeyError", "LookupError", "Exception", "BaseException", "NullPointerException",
     "NoSuchElementException", "RuntimeException", "Throwable")
)  # fmt: skip
_SAME = frozenset(("is", "==", "===", "<", ">", "<=", ">=", "instanceof"))
_DIFFERS = frozenset(("is not", "!=", "!=="))
_SEQUENCES = frozenset(
    ("block", "module", "source_file", "switch_case", "switch_default", "switch_block_statement_group")
)
# A search gives up after this many statements and parents: generated code must not cost quadratic time.
_REACH = 150
_PARTS = 100


@dataclass(frozen=True)
class Origin:
    """Where a value comes from that may be absent. ``names`` are the expressions whose presence shows the value's;
    ``since`` the preorder index it holds from."""

    origin: str
    producer: str
    names: frozenset[str]
    since: int = -1

    def access(self, kind: str, node: Node, place: Node, member: str, guard: str | None) -> Access:
        """The use of the value at ``node`` by ``place``, which stands around it."""
        at = (place.line, place.last, place.scope)
        return Access(kind, dotted(node), member, self.origin, self.producer, guard, *at)


def implies(test: Node | None, names: Collection[str], truth: bool) -> bool:
    """Whether ``test`` being ``truth`` shows that one of the expressions ``names`` is neither None nor nil.

    ``names`` also holds memberships (``k in d``) that show the same.
    """
    open_ends = [(test, truth)]
    for _ in range(_PARTS):
        if not open_ends:
            break
        node, truth = open_ends.pop()
        if node is None:
            continue
        if node.tag == "group":
            open_ends += [(part, truth) for part in node.parts]
        elif node.tag == "not":
            open_ends.append((node.role("value"), not truth))
        elif node.tag == ("and" if truth else "or"):
            open_ends += [(node.role("right"), truth), (node.role("left"), truth)]
        elif _shows(node, names, truth):
            return True
    return False


def _shows(node: Node, names: Collection[str], truth: bool) -> bool:
    if node.tag == "compare":
        return _comparison_shows(node, names, truth)
    if node.tag == "call" and _asks_itself(node, names, truth):
        return True
    if not truth:
        return False
    if node.tag == "call":
        _, name = split(callee_node(node))
        return name in _CHECKS and any(is_one_of(a, names) for a in argument_nodes(node)[:1])
    return is_one_of(node, names)


def _asks_itself(call: Node, names: Collection[str], truth: bool) -> bool:
    """Java: ``x.isPresent()``, ``m.containsKey(k)``; and ``x.isEmpty()`` or ``isNull(x)`` being false."""
    receiver, name = split(callee_node(call))
    first = next(iter(argument_nodes(call)), None)
    if not truth:
        return (name == "isEmpty" and receiver in names) or (name == "isNull" and is_one_of(first, names))
    if name == "containsKey" and first is not None:
        return f"{first.text} in {receiver}" in names
    return name == "isPresent" and receiver in names


def _comparison_shows(node: Node, names: Collection[str], truth: bool) -> bool:
    words, operands = operators(node), node.parts
    if len(words) != 1 or len(operands) != 2:
        return truth and any(is_one_of(o, names) for o in operands)
    word, (left, right) = words[0], operands
    if word in ("in", "not in"):
        present = (word == "in") is truth
        return present and (is_one_of(left, names) or f"{left.text} in {dotted(right)}" in names)
    typed = left.role("value") if left.tag == "typeof" else left
    if not (is_one_of(typed, names) or is_one_of(right, names)):
        return False
    same = word in _SAME if truth else word in _DIFFERS
    is_none = left.type in NONE_TYPES or right.type in NONE_TYPES or right.raw.strip("'\"") == "undefined"
    return not same if is_none else same


def is_one_of(node: Node | None, names: Collection[str]) -> bool:
    """Whether an expression is one of ``names``, seen through parentheses and ``:=``."""
    while node is not None and node.tag == "group" and node.parts:
        node = node.parts[0]
    if node is None:
        return False
    if node.tag == "assign":
        return dotted(node.role("left")) in names or dotted(node.role("right")) in names
    return dotted(node) in names


def guarding_test(place: Node, names: Collection[str], flow: Flow, since: int = -1) -> str | None:
    """The text of the nearest test that shows one of ``names`` to be there at ``place``, None for none.

    Only what runs after the node of preorder index ``since`` counts. A handler that catches the miss is
    ``except TYPE``.
    """
    budget = _REACH
    child = place
    for parent in place.up():
        if parent is place.env.scope.node or budget <= 0:
            break
        found = _around(child, parent, names, flow)
        if found is None and (parent.tag == "sequence" or parent.type in _SEQUENCES):
            for sibling in _before(child, parent, since):
                found = found or _after(sibling, names, flow)
                budget -= 1
                if found is not None or budget <= 0:
                    break
        if found is not None:
            return found
        budget -= 1
        child = parent
    return _handler(place, flow)


def _before(child: Node, parent: Node, since: int) -> Iterator[Node]:
    siblings = parent.children
    for at in range(bisect_left(siblings, child.index, key=lambda n: n.index) - 1, -1, -1):
        if siblings[at].stop <= since:
            return
        if siblings[at].named:
            yield siblings[at]


def _around(child: Node, parent: Node, names: Collection[str], flow: Flow) -> str | None:
    """The test of ``parent`` under which its part ``child`` runs, if it guards."""
    test = parent.role("test")
    if parent.tag in ("and", "or") and parent.role("right") is child:
        left = parent.role("left")
        return left.text if left is not None and implies(left, names, parent.tag == "and") else None
    if parent.tag in ("if", "ternary", "loop", "case") and test is not None and child is not test:
        return _branch(child, parent, test, names)
    if parent.tag == "comprehension" and child is parent.role("body"):
        tests = (t for c in parent.children if c.tag == "filter" and (t := c.role("test")) is not None)
        return next((t.text for t in tests if implies(t, names, True)), None)
    return None


def _branch(child: Node, parent: Node, test: Node, names: Collection[str]) -> str | None:
    if child is parent.role("body") or (parent.tag == "case" and child.tag == "sequence"):
        tests = test.parts if parent.tag == "case" and test.type == "expression_list" else [test]
        return next((t.text for t in tests if implies(t, names, True)), None)
    is_other = child is parent.role("other") or child.tag == "else" or child.tag == "if"
    if not is_other or parent.tag in ("loop", "case"):
        return None
    passed = [t for c in islice(_before(child, parent, -1), _PARTS) if c.tag == "if" and (t := c.role("test"))]
    return next((t.text for t in (*passed, test) if implies(t, names, False)), None)


def _after(sibling: Node, names: Collection[str], flow: Flow) -> str | None:
    """The test of an earlier statement that lets only a present value pass."""
    test = sibling.role("test")
    if sibling.tag == "if" and test is not None:
        return test.text if _passed(sibling, test, names, flow) else None
    if sibling.tag == "assert" and test is not None:
        return test.text if implies(test, names, True) else None
    if sibling.tag == "loop" and test is not None:
        return test.text if implies(test, names, False) and not flow.breaks(sibling) else None
    for call in sibling.children if sibling.type == "expression_statement" else ():
        if call.tag == "call" and split(callee_node(call))[1] in _ASSERTIONS:
            return call.text if any(is_one_of(a, names) for a in argument_nodes(call)) else None
    return None


def _passed(node: Node, test: Node, names: Collection[str], flow: Flow) -> bool:
    bodies, has_else = branches(node)
    if implies(test, names, False):
        first = bodies[0]
        return first is not None and (flow.leaving(first) != "" or _assigns(first, names))
    return has_else and len(bodies) == 2 and flow.leaving(bodies[1]) != "" and implies(test, names, True)


def _assigns(body: Node, names: Collection[str]) -> bool:
    assigned = (n for s in statements(body) for n in (s, *s.children) if n.tag == "assign")
    return any(dotted(target) in names for node in assigned for target in node.walk() if target.use == "write")


def _handler(place: Node, flow: Flow) -> str | None:
    for block in place.env.tries:
        types = [t for t in flow.adapter.kept(block) if t.rpartition(".")[2] in _MISSES]
        if types:
            return f"except {', '.join(types)}"
    return None
