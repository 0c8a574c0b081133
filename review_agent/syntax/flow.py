"""Where control goes: what a block does, and whether it can be left at its end."""

from __future__ import annotations

from collections.abc import Iterator

from review_agent.syntax.adapter import Adapter
from review_agent.syntax.calls import call_of
from review_agent.syntax.tree import Node

_LEAVES = ("return", "raise", "break", "continue")
# Nesting beyond this is not followed; such a block counts as leaving in an unknown way.
_DEEPEST = 60


def statements(block: Node | None) -> list[Node]:
    """The statements of a block, comments left out."""
    if block is not None and block.type.endswith("_statement"):
        return [block]
    parts = block.parts if block is not None else []
    return parts[0].parts if len(parts) == 1 and parts[0].tag == "sequence" else parts


def passes_on(body: Node | None, binds: str) -> bool:
    """Whether the body of a handler ends by raising the error again that it caught, bound to ``binds``."""
    last = next(iter(reversed(statements(body))), None)
    if last is None or last.tag != "raise":
        return False
    return not last.parts or (len(last.parts) == 1 and last.parts[0].text == binds)


def branches(node: Node) -> tuple[list[Node | None], bool]:
    """The bodies of an if statement in order, and whether the last one is an else."""
    bodies: list[Node | None] = [node.role("body")]
    while (other := node.role("other")) is not None:
        if other.tag != "if":
            return [*bodies, other], True
        bodies.append(other.role("body"))
        node = other
    has_else = False
    for part in node.children:
        if part.tag in ("if", "else") and part.role("body") is not None and part.field == "alternative":
            bodies.append(part.role("body"))
            has_else = part.tag == "else"
    return bodies, has_else


def operators(compare: Node) -> list[str]:
    """The operators of a comparison: ``["<"]``, ``["is not"]``."""
    return [" ".join(c.raw.split()) for c in compare.children if not c.named]


def inside(block: Node) -> Iterator[Node]:
    """All nodes of a block in preorder, without the bodies of nested definitions and function literals."""
    nodes, at, stop = block.tree.nodes, block.index, block.stop
    while at < stop:
        node = nodes[at]
        at = node.stop if node.tag in ("function", "class", "closure") and node is not block else at + 1
        yield node


class Flow:
    """Answers about control flow for one language."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter

    def leaving(self, block: Node | None, depth: int = 0) -> str:
        """How a block ends if it never runs off its end: return, raise, continue, break, exit, or forever; else ""."""
        if depth > _DEEPEST:
            return "forever"
        found = (self._leaves(s, depth + 1) for s in reversed(statements(block)))
        return next((f for f in found if f), "")

    def _leaves(self, node: Node, depth: int) -> str:
        if node.tag in _LEAVES:
            return node.tag
        if node.tag == "if":
            bodies, has_else = branches(node)
            return self._all(bodies, depth) if has_else else ""
        if node.tag == "with":
            return self.leaving(node.role("body"), depth)
        if node.tag == "loop":
            return self._loop(node, depth)
        if node.tag == "try":
            return self._try(node, depth)
        if node.tag == "switch":
            return self._switch(node, depth)
        call = call_of(next(iter(node.parts), None)) if node.type == "expression_statement" else None
        action = self.adapter.call_action(call) if call is not None else ""
        return action if action in ("raise", "exit") else ""

    def _loop(self, node: Node, depth: int) -> str:
        if self.breaks(node):
            return ""
        if self.adapter.loop_kind(node) == "while_true":
            return "forever"
        other = next((c for c in node.children if c.tag == "else"), None)
        return self.leaving(other.role("body"), depth) if other is not None else ""

    def _all(self, bodies: list[Node | None], depth: int) -> str:
        found = [self.leaving(body, depth) for body in bodies]
        return found[0] if found and all(found) else ""

    def _try(self, node: Node, depth: int) -> str:
        parts = {c.tag: c for c in node.children}
        final = parts.get("finally")
        if final is not None and (left := self.leaving(final.parts[-1] if final.parts else None, depth)):
            return left
        handlers = [c.role("body") for c in node.children if c.tag == "handler"]
        body = self.leaving(node.role("body"), depth)
        if not body and "else" in parts:
            body = self.leaving(parts["else"].role("body"), depth)
        return body if body and all(self.leaving(h, depth) for h in handlers) else ""

    def _switch(self, node: Node, depth: int) -> str:
        cases = [c for c in node.children if c.tag in ("case", "default")]
        cases = cases or [c for b in node.children for c in b.children if c.tag in ("case", "default")]
        is_total = node.type in ("match_statement", "select_statement")
        if not cases or not (is_total or any(c.tag == "default" for c in cases)):
            return ""
        left = [self.leaving(_case_body(c), depth) for c in cases if not _falls_through(c)]
        return left[0] if left and all(f and f != "break" for f in left) else ""

    def breaks(self, loop: Node) -> bool:
        """Whether a break inside leaves this loop."""
        return any(n.tag == "break" and self._target(n) is loop for n in inside(loop))

    def leaves_loop(self, node: Node, loop: Node) -> bool:
        """Whether a break leaves this loop or one around it."""
        target = self._target(node)
        return target is not None and target.index <= loop.index

    def _target(self, node: Node) -> Node | None:
        """The loop (or Go switch) that a break leaves; a labelled one may leave any loop around it."""
        if node.parts:
            label = node.parts[0].text
            for up in node.up():
                if up.tag == "loop" and up.parent is not None and up.parent.type == "labeled_statement":
                    named = up.parent.child("label") or next(iter(up.parent.parts), None)
                    if named is not None and named.text == label:
                        return up
            return None
        kinds = ("loop", "switch") if self.adapter.BREAKS_SWITCH else ("loop",)
        return next((up for up in node.up() if up.tag in kinds), None)

    def actions(self, block: Node, binds: str) -> tuple[str, ...]:
        """What a handler's body does, in order (see ``model.Handler``)."""
        found = [a for n in inside(block) if (a := self._action(n, binds))]
        return tuple(found) or ("pass",)

    def _action(self, node: Node, binds: str) -> str:
        if node.tag == "return":
            return self.adapter.return_action(node, binds)
        if node.tag in ("raise", "break", "continue", "pass"):
            return node.tag
        if node.tag in ("assign", "update"):
            return "assign"
        if node.tag == "assert":
            return "raise"
        if node.tag in ("send", "yield"):
            return "call"
        if node.use == "ignored":
            call = call_of(node)
            return self.adapter.call_action(call) if call is not None else ""
        return ""

    def uses(self, block: Node, name: str) -> bool:
        """Whether ``name`` is read in a block for anything but logging."""
        if not name:
            return False
        nodes, at, stop = block.tree.nodes, block.index, block.stop
        while at < stop:
            node = nodes[at]
            if node.tag == "call" and self.adapter.call_action(node) == "log":
                at = node.stop
                continue
            if reads(node, name):
                return True
            at += 1
        return False


def _case_body(case: Node) -> Node | None:
    """What runs in a case: a block, or the statements that stand in the case itself."""
    if case.type.startswith("switch_") and case.type != "switch_rule":
        return case
    return case.role("body") or next((s for s in case.children if s.tag == "sequence"), None)


def _falls_through(case: Node) -> bool:
    """A case without statements runs those of the next, in JavaScript and Java."""
    if case.type == "switch_block_statement_group":
        return all(part.type == "switch_label" for part in case.parts)
    return case.type == "switch_case" and not case.all("body")


def reads(node: Node, name: str) -> bool:
    """Whether a node is a read of the plain name (not a member or a keyword called the same)."""
    if node.children or not node.named or node.use in ("write", "keyword", "definition", "parameter"):
        return False
    if node.parent is not None and node.parent.role("name") is node:
        return False
    return node.type in ("identifier", "shorthand_property_identifier") and node.raw == name
