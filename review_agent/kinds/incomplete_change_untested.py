"""A rule of ``incomplete_change``: a function came without a test to others that the tests of their file call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import basename, splitext

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    blocked_for,
    code,
    draft,
    every,
    flag,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

RULE = "added_without_test"
# So many beside it must be called in tests before it counts as the exception.
_LEAST = 3
_ASKED = 5
_SHORTEST = 5
# Names that a run time, a tool or an interface calls, and constructors.
_CALLED_BY_NAME = re.compile(
    r"^(?:_|main$|init$|constructor$|toString$|hashCode$|equals$|String$|Error$|ServeHTTP$|(?:Un)?[mM]arshal|setUp|tearDown|get[A-Z]\w*$|set[A-Z]\w*$|is[A-Z])"
)
# A file of this name has no tests of its own by that name.
_PLAIN = frozenset({"index", "main", "__init__", "utils", "util", "types", "test"})
_DEFINES = r"(?:\bdef|\bfunc|\bfunction|\bpublic|\bprotected|\bstatic|\basync)\b[^=;]*(?<![\w.]){name}\s*[(<]"


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    beside = [one for one in texts(edit, "beside") if not _CALLED_BY_NAME.match(one)]
    telling = len(edit.subject) >= _SHORTEST and not _CALLED_BY_NAME.match(edit.subject)
    if in_test(edit.path) or not flag(edit, "exported") or texts(edit, "decorators") or not telling:
        return None
    stem = splitext(basename(edit.path))[0]
    if len(beside) < _LEAST or not texts(edit, "calls") or stem in _PLAIN:
        return None
    return seed(
        edit,
        RULE,
        change=f"{code(edit.subject)} came to {code(edit.path)}",
        precondition="those beside it are called in tests, and no test names it",
        consequence="it can break without a test failing",
        refuted_if=("a test names it", "those beside it have no tests of their own either"),
        plan=[
            ask(QueryKind.TEXT, edit.subject),
            *(ask(QueryKind.TEXT, one, path=f"*{stem}*") for one in beside[:_ASKED]),
        ],
        risk=-40,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    hits = every(bundle, UseFact, QueryKind.TEXT, edit.subject)
    tested = next((one for one in hits if one.fact.in_test or _is_test_path(one.ref.path)), None)
    if tested is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(tested.ref)} names {code(edit.subject)}", refs=[tested.ref])
    again = [one for one in hits if _defines(one, edit.subject)]
    if len(again) > 1:
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{code(edit.subject)} is defined more than once; tests may call it by an interface",
            missing=("through what it is called",),
            refs=[one.ref for one in again[:2]],
        )
    used = next((one for one in hits if _is_use(one, edit)), None)
    if used is not None:
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{place(used.ref)} uses {code(edit.subject)}; a test of that may try it too",
            missing=("what the tests of its callers reach",),
            refs=[used.ref],
        )
    beside = list(_tested_beside(bundle, edit))
    stopped = blocked_for(bundle, QueryKind.TEXT, edit.subject)
    if stopped is not None:
        return stopped
    if len(beside) < _LEAST:
        return blocked(bundle, QueryKind.TEXT) or unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"fewer than {_LEAST} of those beside it are called in the file's own tests; "
            f"{searched(bundle, QueryKind.TEXT)}",
        )
    return (_card(question, beside[:_LEAST]),)


def _is_test_path(path: str) -> bool:
    return re.search(r"(?i)(?:^|[/_.])(?:tests?|spec|testing|e2e)(?:[/_.]|$)|test", path) is not None


def _defines(one: Found[UseFact], name: str) -> bool:
    return re.search(_DEFINES.format(name=re.escape(name)), one.evidence.text) is not None


_PROSE = re.compile(r"^\s*(?:#|//|/?\*)|\.(?:md|rst|txt|adoc|d\.[cm]?ts)$")


def _is_use(one: Found[UseFact], edit: Edit) -> bool:
    """Whether a line is code that has the name, and neither the definition nor a remark or documentation."""
    name = edit.subject
    own = one.ref.path == edit.path and edit.start_line <= one.ref.start_line <= edit.end_line
    prose = _PROSE.search(one.evidence.text) or _PROSE.search(one.ref.path)
    return (
        not (own or prose or _defines(one, name))
        and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", one.evidence.text) is not None
    )


def _tested_beside(bundle: Bundle, edit: Edit) -> Iterator[tuple[str, Found[UseFact]]]:
    """Those beside it with the first test that calls each."""
    for name in texts(edit, "beside"):
        shape = re.compile(rf"(?<![\w$]){re.escape(name)}\s*\(")
        calls = (
            one
            for one in every(bundle, UseFact, QueryKind.TEXT, name)
            if one.fact.in_test and not one.evidence.near_change and shape.search(one.evidence.text)
        )
        first = next(calls, None)
        if first is not None:
            yield name, first


def _card(question: Question, beside: Sequence[tuple[str, Found[UseFact]]]) -> Draft:
    edit = question.edits[0]
    told = [f"{code(name)} ({place(one.ref)})" for name, one in beside]
    owner = text(edit, "qualname").rpartition(".")[0]
    where = code(owner) if owner else code(edit.path)
    return draft(
        question,
        claim=f"Adding {code(edit.subject)} to {where} leaves it without a test: no test at head names it and no "
        f"code calls it. The tests of that file call those beside it: {', '.join(told[:-1])} and {told[-1]}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[one.ref for _, one in beside],
        impact=f"A later change breaks what {code(edit.subject)} gives; every run of the suite stays green.",
        counter=(f"A line of a test that names {code(edit.subject)} would refute this; the search found none.",),
    )


RULES = (Rule(RULE, frozenset({EditOp.SYMBOL_ADDED}), _raise, _settle),)
