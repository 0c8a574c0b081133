"""What a test is about, and whether that lives on at head with or without other tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import Found, ask, every, flag, found, place, text, texts
from review_agent.kinds.functions import function_of
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    PlanQuery,
    QueryKind,
    QueryStatus,
    Question,
    Resolution,
    Side,
    SourceRef,
    UseFact,
)

__all__ = [
    "PLATFORM",
    "Life",
    "about",
    "failures_expected",
    "given",
    "home_of",
    "last",
    "life",
    "plan_of_subjects",
    "relied_on",
    "routes_of",
    "same_call_elsewhere",
    "subjects_of",
    "within_its_class",
]

# Code under test that one question follows.
MOST = 3
# A path that is no longer than this stands in too many places.
_SHORT = 3
# Roots of callees that belong to the way a test is written, in five languages.
_TOOL_WORDS = """
    pytest unittest mock mocker monkeypatch caplog capsys capfd tmp_path tmpdir assert require expect jest vi vitest
    sinon chai should cy mockito assertions assertthat assertj hamcrest verify when given t tb b m f suite cls
    describe it test before after beforeeach aftereach beforeall afterall console math json object array promise number
    string date os sys time datetime fmt strings bytes errors context reflect sort sync strconv filepath path io ioutil
    http httptest url log logging asyncio threading re random uuid copy collections itertools functools subprocess
    shutil tempfile pathlib decimal arrays list lists map maps set sets collectors stream optional objects duration
    instant localdate bigdecimal system thread timeunit executors integer long double boolean screen fireevent
    userevent render renderhook act waitfor supertest request buffer settimeout setinterval cleartimeout clearinterval
"""
_BUILTIN_WORDS = """
    len range str int float bool dict list set tuple sorted sum min max any all isinstance type repr print zip map
    filter enumerate next iter open getattr setattr hasattr super abs round append make new panic cap string byte
    decimal error
"""
_TOOLS, _BUILTINS = frozenset(_TOOL_WORDS.split()), frozenset(_BUILTIN_WORDS.split())
_ASSERTING = re.compile(
    r"(?:[Aa]ssert\w*|expect|verify|fail|raises|should\w*|throws|rejects|resolves|skip\w*|Skip\w*|parametrize|not|"
    r"to[A-Z]\w*)$"
)
_ROUTE = re.compile(r"""["'`](/[A-Za-z_][^"'`?\s]*)""")
_STATIC = re.compile(r"/[A-Za-z_][\w\-.]*")
_RAISED = re.compile(
    r"(?:raises|assertRaises\w*|assertThrows\w*|isInstanceOf|toThrow\w*|throws|rejects\.toThrow\w*)\(\s*([A-Z][\w.]*?)(?:\.class)?\s*[,)]"
    r"|(?:errors\.Is|ErrorIs|errors\.As)\(\s*(?:t,\s*)?\w+,\s*&?([\w.]+)"
)
# Conditions of a skip that say where a test cannot run, not that it shall not.
PLATFORM = re.compile(
    r"(?i)platform|goos|goarch|runtime\.|version|short\(\)|environ|getenv|lookpath|importorskip|which\(|os\.name|"
    r"process\.env|isnotavailable|hasattr|find_spec|_available|enabledif|disabledif|disabledon|enabledon|testing\.short|"
    r"windows|win32|darwin|mac_?os|osx|linux|posix|cygwin|pypy|cpython|is_?win\b|\bpy\d|jdk|jre|amd64|arm64|x86"
)
_BROAD = frozenset({"Exception", "BaseException", "Throwable", "RuntimeException", "Error"})


def last(dotted: str) -> str:
    return dotted.rpartition(".")[2]


def subjects_of(edit: Edit) -> tuple[str, ...]:
    """Callees of a test that can be the code under it, the likeliest first: asserted, or named by the test."""
    asserted = " ".join([*texts(edit, "asserted"), edit.before or "" if edit.op.value.startswith("assertion") else ""])
    named = set(words_of(last(function_of(edit)))) - {"test", "should", "when", "the", "it"}
    helpers = set(texts(edit, "helpers"))
    named_in = dict.fromkeys([*texts(edit, "subjects"), *_called(edit)])
    found = [one for one in named_in if _is_product(one) and one not in helpers]
    first = {one: number for number, one in enumerate(found)}
    own = set(texts(edit, "subjects"))
    refused = {said.partition(" ")[0] for said in texts(edit, "refused")}

    def rank(one: str) -> tuple[bool, bool, int, int]:
        inside = one in refused or re.search(rf"(?<![\w.]){re.escape(one)}\(", asserted) is not None
        shared = len(named & set(words_of(last(one))))
        return one not in own, not inside, -shared, -first[one]

    return tuple(sorted(found, key=rank)[:MOST])


def _called(edit: Edit) -> tuple[str, ...]:
    return texts(edit, "calls") or tuple(one.partition("(")[0] for one in texts(edit, "texts"))


def _is_product(callee: str) -> bool:
    if not re.fullmatch(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", callee):
        return False
    root, name = callee.split(".")[0].lower(), last(callee)
    if root in _TOOLS or _ASSERTING.match(name):
        return False
    return callee not in _BUILTINS


def failures_expected(edit: Edit) -> tuple[str, ...]:
    """The types of failure that a test expects by name, but for those above all others."""
    said = " ".join([*texts(edit, "asserted"), *texts(edit, "texts")])
    found = [one or other for one, other in _RAISED.findall(said)]
    return tuple(dict.fromkeys(one for one in found if last(one) not in _BROAD))


def routes_of(edit: Edit) -> tuple[str, ...]:
    """The paths that a test asks for over HTTP: all of one without values, else its last part that is none."""
    found = [_static(route) for one in texts(edit, "texts") for route in _ROUTE.findall(one)]
    return tuple(dict.fromkeys(one for one in found if len(one) > _SHORT))


def _static(route: str) -> str:
    parts = re.findall(r"/[^/]*", route)
    whole = [part for part in parts if _STATIC.fullmatch(part)]
    return route if len(whole) == len(parts) else whole[-1] if whole else ""


def given(edit: Edit, subject: str) -> tuple[str, ...]:
    """How the test called a subject, as written, without its receiver."""
    start = f"{subject}("
    return tuple(one[len(start) - 1 :] for one in texts(edit, "texts") if one.startswith(start))


def home_of(edit: Edit) -> tuple[str, str]:
    """The file and the scope from which a test names what it is about."""
    return edit.old_path, text(edit, "inside") or function_of(edit)


def plan_of_subjects(edit: Edit) -> tuple[PlanQuery, ...]:
    """For each subject its definition and its tests at head, both seen from the test."""
    path, scope = home_of(edit)
    plan: list[PlanQuery] = []
    for one in subjects_of(edit):
        plan.append(ask(QueryKind.DEFINITION, one, path=path, scope=scope))
        plan.append(ask(QueryKind.TESTS, one, path=path, scope=scope))
    return tuple(plan)


@dataclass(frozen=True)
class Life:
    """A subject at head: where it is defined, which other tests use it, and whether that is the whole answer."""

    subject: str
    defined: tuple[Found[DefinitionFact], ...]
    tests: tuple[Found[CallFact] | Found[UseFact], ...]
    unclear: tuple[Found[CallFact] | Found[UseFact], ...]
    whole: bool

    @property
    def home(self) -> Found[DefinitionFact] | None:
        """The one definition outside tests."""
        own = [one for one in self.defined if one.fact.symbol in ("function", "method", "class", "struct", "type")]
        return own[0] if own and len({(one.ref.path, one.fact.qualname) for one in own}) == 1 else None


def life(question: Question, bundle: Bundle, subject: str) -> Life:
    """What head knows of a subject; uses inside the question's own tests do not count."""
    gone = {(one.path, function_of(one)) for one in question.edits} | {
        (one.old_path, function_of(one)) for one in question.edits
    }
    defined = [
        one
        for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, subject)
        if one.ref.side is Side.NEW and not in_test(one.ref.path)
    ]
    whole_files = {one.path for one in question.edits if flag(one, "module")}
    uses = [one for one in _uses(bundle, subject) if not _within(one, gone) and one.ref.path not in whole_files]
    results = [one for one in bundle.queries if one.query.kind is QueryKind.TESTS and one.query.name == subject]
    whole = bool(results) and all(
        one.status in (QueryStatus.ANSWERED, QueryStatus.EMPTY) and not one.truncated for one in results
    )
    return Life(
        subject,
        tuple(defined),
        tuple(one for one in uses if one.fact.resolution is Resolution.RESOLVED),
        tuple(one for one in uses if one.fact.resolution is Resolution.AMBIGUOUS),
        whole,
    )


def _uses(bundle: Bundle, subject: str) -> Iterable[Found[CallFact] | Found[UseFact]]:
    yield from every(bundle, CallFact, QueryKind.TESTS, subject)
    uses = every(bundle, UseFact, QueryKind.TESTS, subject)
    yield from (one for one in uses if one.fact.use not in ("import", "export", "text", "catch"))


def _within(one: Found[CallFact] | Found[UseFact], scopes: Iterable[tuple[str, str]]) -> bool:
    return any(
        one.ref.path == path and (one.fact.scope == scope or one.fact.scope.startswith(f"{scope}."))
        for path, scope in scopes
        if scope
    )


def relied_on(bundle: Bundle, alive: Life) -> tuple[list[SourceRef], str]:
    """The definition of a subject and a caller in the product that relies on it, with the clause that names the caller;
    no refs where both lie in the change."""
    if alive.home is None:
        return [], ""
    calls = [
        one
        for one in found(bundle, CallFact, QueryKind.CALLERS, alive.subject)
        if not one.fact.in_test and not one.evidence.near_change and one.fact.scope != alive.home.fact.qualname
    ]
    if not calls and alive.home.evidence.near_change:
        return [], ""
    refs = [alive.home.ref, *(one.ref for one in calls[:1])]
    return refs, f"; {place(calls[0].ref)} relies on it" if calls else ""


def about(edit: Edit, subject: str) -> bool:
    """Whether a test is about a subject by its own words: it asserts its call, or bears its name."""
    asserted = " ".join(texts(edit, "asserted"))
    if re.search(rf"(?<![\w.]){re.escape(subject)}\(", asserted):
        return True
    return set(words_of(last(subject))) <= set(words_of(edit.subject))


def within_its_class(bundle: Bundle, alive: Life) -> Found[CallFact] | None:
    """A call of a method by another method of its own type: it is a step of that one, and tested through it."""
    owner = alive.home.fact.qualname.rpartition(".")[0] if alive.home is not None else ""
    for one in found(bundle, CallFact, QueryKind.CALLERS, alive.subject):
        if owner and not one.fact.in_test and one.fact.scope.rpartition(".")[0] == owner:
            return one
    return None


def same_call_elsewhere(edit: Edit, alive: Life) -> Found[CallFact] | None:
    """Another test's call of the subject with the arguments that the test gave it."""
    ours = set(given(edit, alive.subject))
    for one in alive.tests:
        if isinstance(one.fact, CallFact) and _written(one.fact) in ours:
            return Found(one.fact, one.evidence)
    return None


def _written(call: CallFact) -> str:
    parts: Sequence[str] = [f"{one.keyword}={one.text}" if one.keyword else one.text for one in call.arguments]
    return f"({', '.join(parts)})"
