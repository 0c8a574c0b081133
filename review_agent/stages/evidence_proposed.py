"""Plans that somebody wrote who saw the diff alone: a scope by its last name, a definition by a bare name.

A model names what it sees. What it means is looked up here before the search, and where names cannot be followed, what
is called so is shown as ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from review_agent.counting import counted
from review_agent.stages.evidence_budget import Allowance
from review_agent.stages.evidence_candidates import describe
from review_agent.stages.evidence_gather import Answer, Found
from review_agent.stages.evidence_ranking import Looking
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_search import Ground
from review_agent.stages.readers.facts import definition_fact, definition_found
from review_agent.syntax.languages import family_of, suffixes_of
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import COMPILED, PlanQuery, QueryStatus, Question, Resolution

__all__ = ["COMPILED", "by_name", "delegated", "is_proposed", "qualified"]

_DECLARES = r"\b(?:def|func|class|type|function|interface|struct|enum|record)\b[^=(]*(?:\([^)]*\)\s*)?{name}"
_BODIED = r"{name}\s*\([^;]*\{{\s*$"
# Files that are looked into for a bare name: more would be a roam.
_MOST = 3
# Lines of a body that may do no more than hand on to another.
_SHORT = 6
_WHY = "found by its name alone: what it is called on was not followed"


def is_proposed(question: Question) -> bool:
    """Whether a model wrote the question and its plan."""
    return question.rule.startswith(COMPILED)


def qualified(run: Run, query: PlanQuery) -> PlanQuery:
    """The query with its scope in full, where one scope of the file alone ends in what it says."""
    index = run.views[query.side].index(query.path) if query.scope and query.path else None
    if index is None or query.scope in index.by_qualname:
        return query
    ends = [one for one in index.by_qualname if one.endswith(f".{query.scope}")]
    return query.model_copy(update={"scope": ends[0]}) if len(ends) == 1 else query


def by_name(run: Run, answer: Answer, allowance: Allowance) -> None:
    """Definitions of a bare name in files of the same family, where following it found none."""
    query, name = answer.query, answer.query.name.rpartition(".")[2]
    suffixes = suffixes_of(family_of(query.path))
    if answer.found or not suffixes:
        return
    ground = Ground(query.side, tuple(f"*{one}" for one in suffixes))
    looking = Looking(answer, ground, run.search.hits(ground, (name,), query.path), [], words=(name,))
    if looking.hits.failed:
        answer.refuse(QueryStatus.FAILED, looking.hits.failed)
        return
    followed = answer.searched
    describe(run, looking)
    answer.searched = f"{followed}, then {answer.searched}"
    paths = _declaring(looking, name)
    for path in paths[:_MOST]:
        if allowance.take_candidate(path):
            answer.found += _named(run, query, path, name)
        else:
            why = f"candidate_files budget of {allowance.budgets.candidate_files} spent"
            _unseen(answer, f"definition of `{name}` in {path}", why)
    if rest := paths[_MOST:]:
        what = f"definitions of `{name}` in {counted(len(rest), 'more file')}"
        _unseen(answer, what, f"{_MOST} are looked into for a bare name")
    if answer.found:
        answer.notes.append(_WHY)


def _unseen(answer: Answer, what: str, why: str) -> None:
    answer.cut = True
    answer.leave_out(what, why)


def _declaring(looking: Looking, name: str) -> list[str]:
    """The files with a hit that looks like a definition, the product's own before its tests."""
    declares = re.compile("|".join(one.format(name=whole_name(name)) for one in (_DECLARES, _BODIED)))
    lines = looking.hits.lines
    paths = [path for path in lines if any(declares.search(text) for text in lines[path].values())]
    return sorted(paths, key=lambda one: (in_test(one), one))


def delegated(run: Run, answer: Answer) -> None:
    """What a definition hands on to, where its short body makes one call alone, to a neighbour in its file."""
    for one in tuple(answer.found):
        index = run.views[answer.query.side].index(one.path)
        for symbol in index.outline.symbols if index else ():
            if symbol.start != one.start or symbol.end - symbol.start > _SHORT:
                continue
            called = {call.name for call in index.outline.calls if call.scope == symbol.qualname} if index else set()
            if len(called) == 1 and called != {symbol.name}:
                answer.found += _named(run, answer.query, one.path, called.pop())


def _named(run: Run, query: PlanQuery, path: str, name: str) -> Iterator[Found]:
    index = run.views[query.side].index(path)
    for symbol in index.outline.symbols if index else ():
        if index and symbol.name == name and symbol.kind not in ("field", "variable"):
            fact = definition_fact(index, symbol, Resolution.AMBIGUOUS, _WHY, symbol.bases, closed=False)
            yield definition_found(path, symbol, fact)
