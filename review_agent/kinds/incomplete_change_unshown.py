"""Rules of ``incomplete_change``: an option or a case came without a test to others that one test file names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

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
    number,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.incomplete_change_listed import hidden
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.unshown import forms, in_tests, is_test_of_sorts, near_stem
from review_agent.syntax.edits.prose import DOCS, HISTORY
from review_agent.syntax.prose import is_telling
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

OPTION, CASE = "option_without_test", "case_without_test"
_OPS = (EditOp.PARAMETER_ADDED, EditOp.FIELD_ADDED, EditOp.CASE_ADDED)
# So many others must be named in one file of tests before the new one counts as the exception.
_LEAST, _ASKED, _QUERIES = 3, 6, 8
# Where there are fewer, all of them.
_FEWEST = 2
_SHORTEST = 5
# A parameter in front may be given without its name.
_BY_NAME = 2
_OPTIONS = re.compile(r"(?:Options?|Opts|Config\w*|Settings|Args|Params|Props|Request)$")
# What says how a warning is told, or who may be told, and no more.
_PLUMBING = re.compile(r"(?i)^(?:stack_?level|logger|log|debug|verbose|ctx|context|kwargs|args|self|cls|_\w*)$")
_TESTS = {"javascript": "*[ts][ep][se][tc]*", "typescript": "*[ts][ep][se][tc]*"}


def _raise(edit: Edit, edits: Sequence[Edit], rule: str) -> Seed | None:
    if _rule(edit) != rule or not _eligible(edit) or not _leads(edit, edits):
        return None
    others = _others(edit)
    keys = [text(one, "key") for one in edits if one.op is EditOp.FIELD_ADDED and one.subject == edit.subject]
    own = _forms(edit, next(filter(None, keys), ""))
    where = _TESTS.get(edit.language, "*[Tt]est*")
    beside = [ask(QueryKind.TEXT, f"{_dashes(edit)}{one}", path=where, scope="words") for one in others]
    return seed(
        edit,
        rule,
        change=f"{code(edit.subject)} came to {code(_owner(edit))}",
        precondition="a file of tests names those beside it, and no test names it",
        consequence="what it does can break without a test failing",
        refuted_if=(f"a test names {code(edit.subject)}", "those beside it are not named in tests either"),
        plan=[*(ask(QueryKind.TEXT, one) for one in own), *beside][:_QUERIES],
        risk=-40,
    )


def _eligible(edit: Edit) -> bool:
    name = edit.subject
    if in_test(edit.path) or len(name) < _SHORTEST or _PLUMBING.match(name) or len(_others(edit)) < _FEWEST:
        return False
    if edit.op is EditOp.PARAMETER_ADDED:
        by_name = flag(edit, "keywordOnly") or (number(edit, "index") or 0) >= _BY_NAME
        return by_name and not flag(edit, "required") and not re.search(r"(?:^|\.)_[^_]", text(edit, "function"))
    if edit.op is EditOp.FIELD_ADDED:
        return not hidden(edit) and bool(text(edit, "key") or _OPTIONS.search(_owner(edit)))
    return True


def _owner(edit: Edit) -> str:
    named = text(edit, "owner") or text(edit, "function")
    return named.rpartition(".")[2] or edit.path


def _leads(edit: Edit, edits: Sequence[Edit]) -> bool:
    """Whether it is the most telling of its file and its name: what else comes with it says no more."""
    mine = set(_own(edit))
    like = [one for one in edits if one.op in _OPS and (one.path == edit.path or mine & set(_own(one)))]
    best = min((one for one in like if _eligible(one)), key=_worth, default=None)
    return best is not None and best.edit_id == edit.edit_id


def _worth(edit: Edit) -> int:
    """What users write says more than what it becomes inside."""
    if edit.op is EditOp.CASE_ADDED:
        return 0
    return 1 if text(edit, "key") or edit.op is EditOp.PARAMETER_ADDED else 2


def _rule(edit: Edit) -> str:
    return CASE if text(edit, "form") == "case" else OPTION


def _dashes(edit: Edit) -> str:
    """What stands in front of an option of a command line."""
    return "--" if text(edit, "form") == "flag" else ""


def _own(edit: Edit) -> tuple[str, ...]:
    return _forms(edit, text(edit, "key"))


def _forms(edit: Edit, key: str) -> tuple[str, ...]:
    return forms(edit.subject, key, language=edit.language, case=edit.op is EditOp.CASE_ADDED)


def _others(edit: Edit) -> tuple[str, ...]:
    """Those that it came to, the nearest first where that is known, which can be told in a test."""
    fact = {EditOp.PARAMETER_ADDED: "others", EditOp.FIELD_ADDED: "otherKeys", EditOp.CASE_ADDED: "beside"}[edit.op]
    names = [one for one in texts(edit, fact) if one not in _own(edit)]
    if edit.op is EditOp.FIELD_ADDED:
        at = number(edit, "index") or 0
        names = [names[n] for n in sorted(range(len(names)), key=lambda n: abs(n - at))]
    elif edit.op is EditOp.PARAMETER_ADDED:
        names.reverse()
    long = [one for one in names if len(one) >= _SHORTEST]
    return tuple(sorted(long, key=lambda one: not is_telling(one)))[:_ASKED]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    own = [one.name for one in question.plan if not one.path]
    for form in own:
        named = next(in_tests(_hits(bundle, form)), None)
        if named is not None:
            return unsettled(NoFindingCode.REFUTED, f"{place(named.ref)} names {code(form)}", refs=[named.ref])
    stood = next((one for one in _hits(bundle, edit.subject) if _stood(one, edit)), None)
    if stood is not None:
        return unsettled(
            NoFindingCode.NEEDS_HUMAN_CONTEXT,
            f"{place(stood.ref)} had {code(edit.subject)} before: whether the change brings anything new is not told",
            missing=("what it did before",),
            refs=[stood.ref],
        )
    beside = _beside(bundle, edit)
    if len(beside) < min(_LEAST, len(_others(edit))):
        return blocked(bundle, QueryKind.TEXT) or unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no file of tests names {_LEAST} of those beside it; {searched(bundle, QueryKind.TEXT)}",
        )
    stopped = next((one for form in own if (one := blocked_for(bundle, QueryKind.TEXT, form)) is not None), None)
    return stopped if stopped is not None else (_card(question, beside),)


def _hits(bundle: Bundle, name: str) -> tuple[Found[UseFact], ...]:
    return every(bundle, UseFact, QueryKind.TEXT, name)


def _stood(one: Found[UseFact], edit: Edit) -> bool:
    """Whether code that did not change has a case already."""
    plain = not one.evidence.near_change and not DOCS.search(one.ref.path) and not HISTORY.search(one.ref.path)
    whole = re.search(rf"(?<![\w\-.]){re.escape(edit.subject)}(?![\w\-.])", one.evidence.text) is not None
    return edit.op is EditOp.CASE_ADDED and whole and plain


def _beside(bundle: Bundle, edit: Edit) -> Mapping[str, Found[UseFact]]:
    """Of the file of tests that names most of the others, the first line of each; empty if they are few."""
    by_path: dict[str, dict[str, Found[UseFact]]] = {}
    for name in _others(edit):
        for one in in_tests(_hits(bundle, f"{_dashes(edit)}{name}")):
            if is_test_of_sorts(one.ref.path) and not one.evidence.near_change and _tells(name, one, edit):
                by_path.setdefault(one.ref.path, {}).setdefault(name, one)
    best = max(sorted(by_path), key=lambda path: len(by_path[path]), default="")
    return by_path.get(best, {})


def _tells(name: str, one: Found[UseFact], edit: Edit) -> bool:
    """Whether the name means the same there: a plain word does only in the tests of that file."""
    return is_telling(name) or bool(_dashes(edit)) or near_stem(edit.path, one.ref.path)


def _card(question: Question, beside: Mapping[str, Found[UseFact]]) -> Draft:
    edit = question.edits[0]
    told = list(_told(beside))
    what = "the case" if question.rule == CASE else "the option"
    path = next(iter(beside.values())).ref.path
    key = text(edit, "key")
    names = f"{code(edit.subject)} or {code(key)}" if key and key != edit.subject else code(edit.subject)
    return draft(
        question,
        claim=f"Adding {what} {code(edit.subject)} to {code(_owner(edit))} leaves it without a test: no test at head "
        f"names {names}. Of those beside it, {code(path)} has {', '.join(told[:-1])} and {told[-1]}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[one.ref for one in list(beside.values())[:_LEAST]],
        impact=f"A later change breaks what {code(edit.subject)} does; every run of the suite stays green.",
        counter=(f"A line of a test that has {code(edit.subject)} under another name would refute this.",),
    )


def _told(beside: Mapping[str, Found[UseFact]]) -> Iterator[str]:
    chosen = list(beside.items())[:_LEAST]
    for name, one in sorted(chosen, key=lambda told: told[1].ref.start_line):
        yield f"{code(name)} (line {one.ref.start_line})"


RULES = (
    Rule(OPTION, frozenset(_OPS), lambda edit, edits: _raise(edit, edits, OPTION), _settle),
    Rule(CASE, frozenset({EditOp.CASE_ADDED}), lambda edit, edits: _raise(edit, edits, CASE), _settle),
)
