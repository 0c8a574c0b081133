"""The outline of one parsed file: plain dataclasses, the same for every language.

An outline holds every structural fact that edits, resolution and settling need, so that nothing above ``syntax`` sees a
tree. All lines are 1-based and inclusive; all text is source text with whitespace folded to single spaces and cut at
200 characters. ``scope`` is the qualified name of the innermost enclosing function, method, class or struct ("" at
module level): Python ``Class.method.inner``; Go ``Type.Method`` for methods, ``Func`` for functions; function literals
belong to the function around them.

Plain dataclasses, not pydantic: outlines are made in a worker process whose start must be quick, and come back as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass

from review_agent.syntax.model_flow import RETURN_SHAPES, Block, Guard, Handler, Loop, Raise, Return
from review_agent.syntax.model_values import Access, Assertion, Composite, Setting, Sql
from review_agent.syntax.scoped import Scoped

__all__ = [
    "RESULT_USES",
    "RETURN_SHAPES",
    "Access",
    "Arg",
    "Assertion",
    "Assign",
    "Block",
    "Call",
    "Composite",
    "Guard",
    "Handler",
    "Import",
    "Loop",
    "MemberUse",
    "NameUse",
    "Outline",
    "Param",
    "Raise",
    "Return",
    "Setting",
    "Sql",
    "Symbol",
    "Tokens",
]

RESULT_USES = (
    "ignored",  # an expression statement
    "assigned",  # x = f(); targets name the receivers in order
    "unpacked",  # a, b = f(); one target an element, "_" for Go's blank
    "returned",
    "raised",
    "attribute",  # f().x
    "subscript",  # f()[x]
    "called",  # f()()
    "argument",  # g(f())
    "condition",  # if f(): / if f() {
    "compared",
    "computed",  # f() - 1, and in JavaScript `${f()}`
    "iterated",  # for x in f()
    "context",  # with f() as x
    "awaited",
    "other",
)


@dataclass(frozen=True, slots=True)
class Param:
    """``default`` is source text; ``kind`` is positional, keyword_only, var_positional or var_keyword; ``notes`` are
    annotations and decorators of the parameter itself (Java, TypeScript). ``keys``: what an object that is taken apart
    at once is asked for, with "=" behind those that have a default, "..." for the rest (JavaScript)."""

    name: str
    default: str | None
    kind: str
    type: str | None
    notes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Symbol:
    """A definition. ``kind``: function, method, class, interface, struct, type, constant, variable, field.

    ``members`` are the names defined directly in a class, interface or struct (for a Python class also ``self.x``
    assigned in its methods). ``bases``: Python base classes, Go embedded types. ``results``: the Python return
    annotation (one element) or Go's result types in order. ``value``: the right-hand side of a constant, variable or
    field. ``receiver``: Go's receiver type without star; for a Python method its class. ``body``: sha256 of the body's
    tokens, for finding renames. ``is_abstract``: @abstractmethod, or a member of a Go interface. ``modifiers``: the
    words before a name that are no decorators (Java ``synchronized``, ``volatile``; TypeScript ``readonly``).
    ``is_test``: a test that a runner collects by its name, annotation or registering call, wherever its file lies; a
    JavaScript test (``it("adds", () => …)``) is a symbol of kind "test" named by its title.
    """

    kind: str
    name: str
    qualname: str
    scope: str
    start: int
    end: int
    name_line: int
    header_end: int
    params: tuple[Param, ...]
    decorators: tuple[str, ...]
    bases: tuple[str, ...]
    results: tuple[str, ...]
    members: tuple[str, ...]
    value: str | None
    receiver: str | None
    is_async: bool
    is_abstract: bool
    exported: bool
    body: str
    modifiers: tuple[str, ...] = ()
    is_test: bool = False


@dataclass(frozen=True, slots=True)
class Import:
    """``module`` as written ("." stripped into ``level``); ``name`` null for a whole module, "*" for a star import.

    ``alias`` is the local name bound. Go: ``module`` is the import path, ``alias`` its last element or the given name.
    """

    module: str
    name: str | None
    alias: str
    level: int
    line: int
    scope: str


@dataclass(frozen=True, slots=True)
class Arg:
    text: str
    keyword: str | None
    star: bool


@dataclass(frozen=True, slots=True)
class Call:
    """``callee`` is the dotted text (``self.client.get``), ``receiver`` what stands before the last dot ("" if none).

    ``caught``: types caught by the handlers of the try statements around the call inside its function, inner first (a
    bare except is "BaseException"). ``loop``: "" outside loops, else "for", "while" or "while_true" (Go ``for {``) for
    the innermost. ``deferred``: Go's defer or go statement.
    """

    callee: str
    receiver: str
    name: str
    start: int
    end: int
    scope: str
    args: tuple[Arg, ...]
    awaited: bool
    result: str
    targets: tuple[str, ...]
    caught: tuple[str, ...]
    loop: str
    deferred: bool


@dataclass(frozen=True, slots=True)
class Assign:
    """``targets`` dotted, in order ("_" for Go's blank); ``value`` source text; ``callee`` if the value is a call."""

    targets: tuple[str, ...]
    value: str
    callee: str
    start: int
    end: int
    scope: str


@dataclass(frozen=True, slots=True)
class MemberUse:
    """A use of a member on the object itself (``self``, ``this``, Go's receiver, a bare field of a Java class).

    ``path``: dotted, without the object (``values.bytes``; of a call with the method's name). ``act``: read, write,
    update (an augmented or element assignment, ``++``, delete), call. ``owner``: qualified name of the type.
    """

    owner: str
    path: str
    act: str
    line: int
    scope: str


@dataclass(frozen=True)
class Outline(Scoped):
    """``errors``: number of syntax error nodes; ``package``: Go's package clause; ``exports``: names in ``__all__``
    (null where there is none); ``has_getattr``: a module-level ``__getattr__``."""

    language: str
    errors: int
    lines: int
    package: str
    exports: tuple[str, ...] | None
    has_getattr: bool
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    calls: tuple[Call, ...]
    handlers: tuple[Handler, ...]
    raises: tuple[Raise, ...]
    returns: tuple[Return, ...]
    guards: tuple[Guard, ...]
    accesses: tuple[Access, ...]
    assigns: tuple[Assign, ...]
    settings: tuple[Setting, ...]
    loops: tuple[Loop, ...]
    blocks: tuple[Block, ...] = ()
    composites: tuple[Composite, ...] = ()
    sqls: tuple[Sql, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    member_uses: tuple[MemberUse, ...] = ()


@dataclass(frozen=True, slots=True)
class NameUse:
    """One occurrence of a name as an identifier, or of a string that is a key (never in comments).

    ``use``: read, write, call, attribute, subscript, dereference, import, export, catch, parameter, keyword,
    definition; of string keys key_read (``d["k"]``, ``d.get("k")``), key_write (``d["k"] = v``, ``{"k": v}``) and
    key_tag (Go struct tags, Java annotations). ``text`` is the dotted expression around it; ``receiver`` what stands
    before it.
    """

    name: str
    use: str
    text: str
    receiver: str
    line: int
    scope: str
    guarded_by: str | None


@dataclass(frozen=True, slots=True)
class Tokens:
    """``lines``: for each line, its tokens without whitespace and comments: two versions of a line with equal tokens
    differ only cosmetically. Docstrings count as comments."""

    lines: tuple[tuple[str, ...], ...]
