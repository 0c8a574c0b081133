"""Records of an outline that tell of values: lookups, settings, what is put together, SQL, what tests check."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Access", "Assertion", "Composite", "Setting", "Sql"]


@dataclass(frozen=True)
class Access:
    """A use of a value that may be absent. ``kind``: attribute, subscript, call, dereference (Go ``*p``).

    ``base``: text of the value used; ``member``: attribute or key text; ``origin``: how the value came about:
    "dict_get" (``x.get(k)`` without fallback, used directly or through a name), "re_match", "call" (any other call),
    "map_index" (Go, one-value), "type_assertion" (Go, one-value), "pointer" (Go explicit ``*x.F`` or ``*x``), "name".
    ``producer``: callee or container for those origins. ``guarded_by``: the nearest test that guards it, null if none.
    """

    kind: str
    base: str
    member: str
    origin: str
    producer: str
    guarded_by: str | None
    start: int
    end: int
    scope: str


@dataclass(frozen=True)
class Setting:
    """A configuration value read or declared in code.

    ``carrier``: environment (os.getenv, os.environ[...], os.Getenv, os.LookupEnv), flag (argparse, click, flag),
    lookup (``config.get("k", d)``, ``settings["k"]``, viper), tag (Go struct tags: env, yaml, json, toml …).
    ``fallback`` is source text, null where there is none; ``required``: a miss raises or ends the program.
    """

    key: str
    carrier: str
    fallback: str | None
    required: bool
    start: int
    end: int
    scope: str


@dataclass(frozen=True)
class Composite:
    """A value put together from parts.

    ``kind``: template (an interpolated string), join (strings added up), format (a formatting call), tuple, list,
    object (a literal with keys). ``components``: the expressions put in, in order; of an object its keys (without
    quotes). ``values``: of an object the value of each key; of a template or join the fixed text with ``{}`` where a
    component stands, of a format the format as written (one element). ``type``: the named type of an object literal,
    "" for none. Where it goes: ``target``, the dotted name it is assigned to; ``call``, the callee it is an argument of
    (``name[]`` where it is an index of it); ``returned``.
    """

    kind: str
    components: tuple[str, ...]
    values: tuple[str, ...]
    type: str
    target: str
    call: str
    returned: bool
    start: int
    end: int
    scope: str


@dataclass(frozen=True)
class Sql:
    """A string that is an SQL statement: ``text`` with whitespace folded, cut at 2,000 characters, interpolated parts
    as ``{expression}``; ``verb`` in capitals (SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, WITH …)."""

    text: str
    verb: str
    target: str
    call: str
    start: int
    end: int
    scope: str


@dataclass(frozen=True)
class Assertion:
    """A check in a test. ``form``: statement (``assert x``), call (``self.assertEqual``, ``assert.Equal``,
    ``assertThat``), expect (``expect(x).toBe(1)``), failure (Go: ``t.Errorf`` and the like under a condition, whose
    test is ``text``). ``name``: the callee's last name, or for expect the matcher; ``names``: identifiers in it."""

    form: str
    name: str
    text: str
    names: tuple[str, ...]
    start: int
    end: int
    scope: str
