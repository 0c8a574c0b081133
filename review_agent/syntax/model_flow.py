"""Records of an outline that tell where control goes: handlers, raises, returns, guards, loops, blocks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RETURN_SHAPES", "Block", "Guard", "Handler", "Loop", "Raise", "Return"]

RETURN_SHAPES = (
    "none",  # a bare return, return None, or falling off the end where other paths return a value
    "tuple:N",  # N elements (Go: N results)
    "literal",  # a constant, string, number, true or false
    "dict",
    "list",
    "call",  # the result of a call
    "name",
    "nil",  # Go: a single nil
    "other",
)


@dataclass(frozen=True)
class Handler:
    """An except clause, or in Go the body of ``if err != nil``.

    ``types``: what is caught (bare except: "BaseException"; Go: "error"). ``actions`` in order, each of: raise,
    return, return_error (Go: the error or a wrapping of it is returned), return_none, pass, log, continue, break,
    assign, call, exit. ``uses_error``: the bound error is read for anything but logging. ``try_start``/``try_end``:
    the guarded statements (Go: the statement that set the error). ``source``: Go, the callee whose error is handled.
    """

    types: tuple[str, ...]
    binds: str
    actions: tuple[str, ...]
    uses_error: bool
    start: int
    end: int
    try_start: int
    try_end: int
    scope: str
    loop: str
    source: str


@dataclass(frozen=True)
class Raise:
    """Python ``raise X(...)``: type "X" ("" for a bare re-raise). Go: a returned error that is made here: ``ErrX``,
    ``errors.New``, ``fmt.Errorf`` or ``&MyErr``; ``wraps`` names what %w or ``from`` carries."""

    type: str
    text: str
    wraps: str
    start: int
    end: int
    scope: str
    in_handler: bool


@dataclass(frozen=True)
class Return:
    shape: str
    text: str
    start: int
    end: int
    scope: str


@dataclass(frozen=True)
class Guard:
    """A conditional that leaves (return, raise, continue, break), repairs (assign) or wraps (body).

    ``test`` is the condition; ``test_kind``: none, error, type, bounds, membership, falsy, comparison, other.
    ``subjects``: dotted names read in the test. ``action``: return, raise, continue, break, assign, wraps, exit.
    ``start``..``end`` is the whole statement; ``body_start``..``body_end`` its guarded body.
    """

    test: str
    test_kind: str
    subjects: tuple[str, ...]
    action: str
    start: int
    end: int
    body_start: int
    body_end: int
    scope: str


@dataclass(frozen=True)
class Loop:
    """``kind``: for, while, while_true. ``leaves``: the body holds a break, return or raise outside handlers."""

    kind: str
    test: str
    start: int
    end: int
    scope: str
    leaves: bool


@dataclass(frozen=True)
class Block:
    """A region that something is held or caught for.

    ``kind``: with (Python ``with`` and ``async with``, one a item), try_resource (Java), synchronized (Java), try (a
    body with handlers or a finally clause), finally. ``subject``: the expression held, "" for try and finally;
    ``binds``: the name it is held under. ``start``..``end`` is the whole statement.
    """

    kind: str
    subject: str
    binds: str
    start: int
    end: int
    body_start: int
    body_end: int
    scope: str
