"""What is held by name: locks and transactions, told from other things that a block or a call can hold."""

from __future__ import annotations

import re

from review_agent.syntax.roles import words_of
from review_agent.syntax.surroundings import ACQUIRES

__all__ = ["bare_hold", "hold_key", "hold_kind", "kept_locks"]

_LOCK_WORDS = """
    lock locks rlock wlock rwlock mutex mutexes mu mtx rwmu sem semaphore condition cond monitor guard latch critical
    exclusive synchronized filelock spinlock
"""
_LOCKS = frozenset(_LOCK_WORDS.split())
_TRANSACTIONS = frozenset({"atomic", "begin", "savepoint", "transaction", "transactional", "uow"})
_CONNECTIONS = frozenset({"con", "conn", "connection", "database", "db"})
_SELF = frozenset({"self", "this", "cls"})
_SIDES = re.compile(r"\.(?:writeLock|readLock|writer|reader)\(\)$")
_CALL = re.compile(r"\(.*\)$", re.DOTALL)


def bare_hold(text: str) -> str:
    """What is held, without the act that takes it: ``s.mu`` of ``s.mu.Lock``."""
    head, _, last = text.rpartition(".")
    taken = head if head and (last in ACQUIRES or last == "runExclusive") else text
    return _SIDES.sub("", taken)


def hold_key(text: str) -> str:
    """The name by which one thing is known in all methods of a type: without the object in front."""
    if text in ("this", "synchronized"):
        return "synchronized"
    parts = _CALL.sub("", bare_hold(text)).split(".")
    return ".".join(parts[1:]) if len(parts) > 1 and (parts[0] in _SELF or len(parts) == 2) else ".".join(parts)


def hold_kind(text: str) -> str:
    """ "lock", "transaction" or "" for anything else that a block holds."""
    if text == "synchronized" or text.rpartition(".")[2] in (*ACQUIRES, "runExclusive"):
        return "lock"
    name = _CALL.sub("", text)
    words = [word for part in name.split(".") for word in words_of(part)]
    if _TRANSACTIONS & set(words):
        return "transaction"
    last = words_of(name.rpartition(".")[2])
    if _LOCKS & set(last) or (text in _SELF):
        return "lock"
    return "transaction" if "(" not in text and last[-1:] and last[-1] in _CONNECTIONS else ""


def kept_locks(held: tuple[str, ...]) -> dict[str, str]:
    """Of what is held the locks, by their key."""
    return {hold_key(one): one for one in held if hold_kind(one) == "lock"}
