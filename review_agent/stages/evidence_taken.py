"""Where files that a change leaves alone take a name from a module in which the reading of it finds no such name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_search import Ground
from review_agent.syntax.languages import family_of, suffixes_of
from review_agent.syntax.model import Import, Outline
from review_agent.syntax.resolution_definitions import Defined
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import PlanQuery, Resolution, Side, UseFact

__all__ = ["taken_before"]

# Files with the name in them that are parsed to see whether they take it.
_FILES = 12


def taken_before(run: Run, query: PlanQuery, asked: Defined) -> list[Found]:
    """The first place, in a file that stands as it stood, which takes the name from the same module.

    What already worked shows that the module has the name, whatever its text shows; not so where the text at base
    showed it, for then the change took it out.
    """
    suffixes = suffixes_of(family_of(query.path))
    if query.side is not Side.NEW or "." in query.name or not suffixes:
        return []
    hits = run.search.hits(Ground(Side.NEW, tuple(f"*{one}" for one in suffixes)), (query.name,), query.path)
    homes = {one.path for one in asked.modules}
    old, new = run.views[Side.OLD], run.views[Side.NEW]
    paths = [one for one in hits.lines if one != query.path and one not in homes]
    for path in [one for one in paths if old.text(one) == new.text(one)][:_FILES]:
        index = new.index(path)
        for item, line in _takings(run, path, index.outline, query) if index else ():
            placed = _asked_at(query, path, item)
            same = homes & {one.path for one in run.defined(placed).modules}
            if same and not _was_seen(run, placed):
                return [_found(path, line, item, query.name)]
    return []


def _asked_at(query: PlanQuery, path: str, item: Import) -> PlanQuery:
    """The same name asked for where another file imports it."""
    return query.model_copy(update={"path": path, "scope": "." * item.level + item.module})


def _takings(run: Run, path: str, outline: Outline, query: PlanQuery) -> Iterator[tuple[Import, int]]:
    """The imports of the name itself, and its uses on an imported module, that are carried out in any case."""
    view = run.views[Side.NEW]
    source = view.source(path)
    for item in outline.imports:
        line = source.lines[item.line - 1] if source and item.line <= len(source.lines) else ""
        may_fail = family_of(path) == "python" and line[:1].isspace()
        if item.name == query.name and not may_fail:
            yield item, item.line
        elif item.name != "*" and not may_fail:
            uses = (one for one in view.uses(path, query.name) if one.receiver == item.alias)
            yield from ((_as_module(item), one.line) for one in uses)


def _as_module(item: Import) -> Import:
    """An import as that of the module which its local name can stand for: ``from shop import rates``."""
    if item.name is None or not item.alias:
        return item
    return replace(item, module=f"{item.module}.{item.name}" if item.module else item.name, name=None)


def _was_seen(run: Run, query: PlanQuery) -> bool:
    """Whether the text of the module had the name at base."""
    before = query.model_copy(update={"side": Side.OLD})
    defined, reader = run.defined(before), run.reader(before)
    named = (reader.module(one, query.name)[0].names for one in defined.modules)
    return bool(defined.places) or not defined.modules or any(query.name in names for names in named)


def _found(path: str, line: int, item: Import, name: str) -> Found:
    fact = UseFact(
        resolution=Resolution.RESOLVED,
        reason="it takes the name from the same module, and the change leaves it alone",
        use="import",
        text=f"{'.' * item.level}{item.module} {name}",
        scope=item.scope,
        guarded_by=None,
        in_test=in_test(path),
    )
    return Found(path, line, line, (fact,), in_test(path))
