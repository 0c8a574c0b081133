"""A rule of ``incomplete_change``: a file of code came without a test file, where those beside it have one each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename, splitext

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked_for,
    code,
    draft,
    every,
    flag,
    place,
    searched,
    seed,
    texts,
    unsettled,
)
from review_agent.kinds.prose import named
from review_agent.kinds.rulebook import Rule
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

RULE = "file_without_test"
# Names of what the file gives that are looked for in tests, and tests of others that a card shows.
_NAMES, _SHOWN = 3, 2
_SHORTEST = 5
# What begins a test.
_BEGINS = {"python": "def test", "go": "func Test", "java": "@Test", "javascript": "expect(", "typescript": "expect("}


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    same = [one for one in edits if one.op is edit.op]
    tests, names = texts(edit, "tests"), _given(edit, edits)
    begins = _BEGINS.get(edit.language, "expect(")
    if same[0].edit_id != edit.edit_id or len(tests) < _SHOWN:
        return None
    return seed(
        edit,
        RULE,
        change=f"{code(edit.subject)} came",
        precondition="the files beside it have a test file each, and no test names it or what it gives",
        consequence="what it does can break without a test failing",
        refuted_if=("a test names it or what it gives", "those beside it have no tests of their own"),
        plan=[
            *(ask(QueryKind.TEXT, one, scope="words") for one in names),
            *(ask(QueryKind.TEXT, begins, path=named(one)) for one in tests),
        ],
        # In front of the many imports of a file that came.
        risk=-33,
    )


def _given(edit: Edit, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The file's own name and those of its functions that others can call."""
    own = [
        one.subject
        for one in edits
        if one.op is EditOp.SYMBOL_ADDED and one.path == edit.path and flag(one, "exported")
    ]
    telling = [one for one in own if len(one) >= _SHORTEST]
    return tuple(dict.fromkeys([splitext(basename(edit.path))[0], *telling]))[: _NAMES + 1]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    names = [one.name for one in question.plan if not one.path]
    for name in names:
        hits = every(bundle, UseFact, QueryKind.TEXT, name)
        tested = next((one for one in hits if one.fact.in_test), None)
        if tested is not None:
            return unsettled(NoFindingCode.REFUTED, f"{place(tested.ref)} names {code(name)}", refs=[tested.ref])
        stopped = blocked_for(bundle, QueryKind.TEXT, name)
        if stopped is not None:
            return stopped
    shown = list(_shown(bundle, edit))
    if len(shown) < _SHOWN:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"that the files beside {code(edit.path)} are tested was not seen",
            missing=(f"a test in each of two of their test files; {searched(bundle, QueryKind.TEXT)}",),
        )
    return (_card(question, names, shown[:_SHOWN]),)


def _shown(bundle: Bundle, edit: Edit) -> Iterator[tuple[str, Found[UseFact]]]:
    """Files beside it, each with the first test in its test file."""
    hits = [one for one in every(bundle, UseFact, QueryKind.TEXT) if not one.evidence.near_change]
    for path, test in zip(texts(edit, "tested"), texts(edit, "tests"), strict=True):
        first = next((one for one in hits if one.ref.path == test), None)
        if first is not None:
            yield path, first


def _card(question: Question, names: Sequence[str], shown: Sequence[tuple[str, Found[UseFact]]]) -> Draft:
    edit = question.edits[0]
    others = " and ".join(f"{code(path)} ({place(one.ref)})" for path, one in shown)
    share = "every other file" if flag(edit, "every") else "nearly every other file"
    gives = f", nor {' or '.join(code(one) for one in names[1:])}" if len(names) > 1 else ""
    return draft(
        question,
        claim=f"Adding {code(edit.path)} leaves it without a test: {share} beside it has a test file, as {others}, "
        f"and no test at head names {code(names[0])}{gives}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[one.ref for _, one in shown],
        impact="A later change breaks what it does and every run of the suite stays green, unlike with its neighbours.",
        counter=("A test that reaches it under another name would refute this; the search went by its own names.",),
        uncertainty=("What tests of its callers reach was not followed.",),
    )


RULES = (Rule(RULE, frozenset({EditOp.FILE_UNTESTED}), _raise, _settle),)
