"""Queries that need no search: definitions, types, uses inside a scope, paths."""

from __future__ import annotations

from collections.abc import Iterable

from review_agent import globs
from review_agent.counting import counted
from review_agent.stages.evidence_budget import Allowance
from review_agent.stages.evidence_gather import Answer, Found
from review_agent.stages.evidence_members import lifetime
from review_agent.stages.evidence_references import use_fact
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_taken import taken_before
from review_agent.stages.evidence_view import View
from review_agent.stages.readers.facts import module_fact
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.resolution import Verdict
from review_agent.syntax.resolution_world import Target, Value
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    DefinitionFact,
    PlanQuery,
    QueryKind,
    QueryStatus,
    Resolution,
    Side,
    UseFact,
)

__all__ = ["direct", "unfit", "unreadable"]

# Files that a glob finds are cited by their first line, this many at most.
_PATHS = 20


def direct(run: Run, answer: Answer, allowance: Allowance) -> None:
    """Answer a query of one of these kinds in place."""
    query = answer.query
    if query.kind is QueryKind.PATH:
        _paths(run, answer)
        return
    problem = unreadable(run.views[query.side], query.path)
    if problem and query.kind is QueryKind.USES_INSIDE:
        answer.refuse(QueryStatus.FAILED, problem)
    elif language_of(query.path) not in PARSED:
        answer.refuse(QueryStatus.FAILED, problem or f"`{query.path}` is not in a language whose names are followed")
    elif query.kind is QueryKind.USES_INSIDE:
        _uses(run, answer, allowance)
    elif query.kind is QueryKind.LIFETIME:
        lifetime(run, answer, allowance)
    else:
        _definitions(run, answer, allowance)
        if problem and not answer.found:
            answer.notes.append(problem)


def unfit(query: PlanQuery) -> str:
    """Why a query cannot be carried out as it is written; "" where it can be.

    What a text is looked for in goes to git, which takes a colon for magic and refuses what leaves the repository.
    """
    path = query.path
    if query.kind is QueryKind.TEXT and (path.startswith(("/", ":")) or ".." in path.split("/") or "\0" in path):
        return f"`{path}` is no path or glob inside the repository"
    glob = query.name if query.kind is QueryKind.PATH else path if query.kind is QueryKind.TEXT else ""
    if globs.stars(glob) > globs.MOST_STARS:
        return f"`{glob}` has more than {globs.MOST_STARS} stars"
    if query.kind is QueryKind.PATH:
        try:
            globs.spec([glob])
        except ValueError:
            return f"`{glob}` is no glob as in a .gitignore"
    return ""


def unreadable(view: View, path: str) -> str:
    """Why a file has no outline, in words; "" where it has one."""
    if not path:
        return "the query names no path"
    if language_of(path) in PARSED and view.index(path) is not None:
        return ""
    where = "at head" if view.sources.side is Side.NEW else "at the merge base"
    return f"`{path}` {where}: {view.why_no_index(path)}"


def _definitions(run: Run, answer: Answer, allowance: Allowance) -> None:
    query, reader = answer.query, run.reader(answer.query)
    asked = reader.types if query.kind is QueryKind.TYPES else reader.defined
    defined = asked(query.path, query.scope, query.name)
    before = run.before(query) if not defined.places and in_test(query.path) else None
    if before is not None:
        # A test that went took its imports with it: what it named is looked for where it stood.
        defined = asked(before.path, before.scope, before.name)
    found = [*_modules(run, answer, defined.modules), *reader.definitions(defined)]
    if defined.modules and not defined.places and query.scope and not _has(found, query.name):
        found += taken_before(run, query, defined)
    files = dict.fromkeys(one.path for one in found)
    answer.searched = f"`{query.scope}` in `{query.path}`" if query.scope else f"names and imports of `{query.path}`"
    answer.files, answer.hits = len(files) or 1, len(found)
    answer.notes += [defined.note] if defined.note else []
    answer.found = list(_allowed(answer, found, allowance))


def _has(found: Iterable[Found], name: str) -> bool:
    """Whether a module among what was found shows the name."""
    facts = (fact for one in found for fact in one.facts)
    return any(name in fact.members for fact in facts if isinstance(fact, DefinitionFact))


def _allowed(answer: Answer, found: Iterable[Found], allowance: Allowance) -> Iterable[Found]:
    for one in found:
        if allowance.take_candidate(one.path):
            yield one
        else:
            answer.cut = True
            answer.leave_out(
                f"definition of `{answer.query.name}` in {one.path}",
                f"candidate_files budget of {allowance.budgets.candidate_files} spent",
            )


def _modules(run: Run, answer: Answer, values: Iterable[Value]) -> list[Found]:
    """Modules as definitions. One without a line of its own is cited where it is imported."""
    query, view = answer.query, run.views[answer.query.side]
    found = []
    for value in values:
        names, path = run.reader(query).module(value, query.name)
        source = view.source(path) if path and not path.endswith("/") else None
        fact = module_fact(value, names)
        if source is not None and source.lines:
            found.append(Found(path, 1, 1, (fact,), in_test(path)))
        else:
            answer.notes.append(f"`{value.path}` has no line to cite")
            found += _importing(view, query.path, value, fact)
    return found


def _importing(view: View, path: str, value: Value, fact: DefinitionFact) -> list[Found]:
    index = view.index(path)
    lines = (
        [one.line for one in index.outline.imports if "." * one.level + one.module == value.qualname] if index else []
    )
    return [Found(path, line, line, (fact,), in_test(path)) for line in lines[:1]]


def _uses(run: Run, answer: Answer, allowance: Allowance) -> None:
    query, view = answer.query, run.views[answer.query.side]
    inside = f" in `{query.scope}`" if query.scope else ""
    answer.searched, answer.files = f"`{query.path}`{inside}", 1
    if not allowance.take_candidate(query.path):
        answer.refuse(QueryStatus.REFUSED, f"candidate_files budget of {allowance.budgets.candidate_files} spent")
        return
    index = view.index(query.path)
    if query.scope and index and not index.by_qualname.get(query.scope):
        answer.notes.append(f"`{query.path}` has no `{query.scope}`")
        return
    receiver, _, name = query.name.rpartition(".")
    at_module = index is not None and not query.scope and not receiver
    for use in view.uses(query.path, name):
        held = not query.scope or use.scope == query.scope or use.scope.startswith(f"{query.scope}.")
        if (
            held
            and use.use not in ("definition", "parameter", "keyword")
            and (not receiver or use.receiver == receiver)
        ):
            verdict = Verdict(Resolution.RESOLVED, f"inside `{query.scope or query.path}`")
            if at_module and not use.receiver:
                verdict = run.resolver(query.side, Target(query.path, "", name)).at(
                    query.path, use.scope, "", name, use.line
                )
            fact: UseFact = use_fact(use, verdict, query.path, outline=index.outline if index else None)
            answer.found.append(Found(query.path, use.line, use.line, (fact,), in_test(query.path)))
    answer.hits = len(answer.found)


def _paths(run: Run, answer: Answer) -> None:
    view = run.views[answer.query.side]
    spec = globs.spec([answer.query.name])
    found = [path for path in view.paths if spec.match_file(path)]
    answer.searched, answer.files, answer.hits = counted(len(view.paths), "path"), len(view.paths), len(found)
    if not found:
        answer.notes.append(f"no path matches `{answer.query.name}`")
    for path in found[:_PATHS]:
        source = view.source(path)
        if source is None or not source.lines:
            answer.notes.append(f"{path}: {view.sources.problem(path) or 'empty'}")
            continue
        fact = UseFact(
            resolution=Resolution.RESOLVED,
            reason=f"its path matches `{answer.query.name}`",
            use="text",
            text=path,
            scope="",
            guarded_by=None,
            in_test=in_test(path),
        )
        answer.found.append(Found(path, 1, 1, (fact,), in_test(path)))
    if len(found) > _PATHS:
        answer.cut = True
        answer.leave_out(f"{len(found) - _PATHS} more paths that match `{answer.query.name}`", f"{_PATHS} are cited")
