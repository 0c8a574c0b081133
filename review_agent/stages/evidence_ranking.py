"""Which files a search looks into first: near the name's home, importing it, the product's own code before tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from posixpath import dirname

from review_agent.kinds.callers import ASIDE
from review_agent.sources import Source
from review_agent.stages.evidence_config import is_carrier
from review_agent.stages.evidence_gather import Answer
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_search import Ground, Hits
from review_agent.stages.evidence_view import View
from review_agent.stages.readers import declares, mentions
from review_agent.stages.readers.base import Owner
from review_agent.stages.skipping import is_comment
from review_agent.syntax.resolution_world import Target
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import QueryKind, Side

__all__ = ["Looking", "fits_path", "is_candidate", "ranked", "readable"]

# Hit files whose text is looked at for an import of the home module before they are ranked.
_RANKED = 40
# Where the first test stands among the candidates: behind these, before the rest of the product's own files.
_BEFORE_TESTS = 3
_IMPORT = re.compile(r"\s*(?:from|import)\b")


@dataclass
class Looking:
    """A searching query under way: its hits, its files in the order of interest, and those it may look into."""

    answer: Answer
    ground: Ground
    hits: Hits
    ranked: list[str]
    target: Target | None = None
    owner: Owner | None = None
    words: tuple[str, ...] = ()
    chosen: list[str] = field(default_factory=list)


def ranked(run: Run, looking: Looking) -> list[str]:
    """The hit files worth a look: those near the home of the name first, tests behind the product's own code.

    Of a name that is followed, examples stand with the tests, and files with nothing but comments behind them all.
    """
    view, lines = run.views[looking.ground.side], looking.hits.lines
    home = looking.target.path if looking.target else looking.answer.query.path
    listed = "|".join(re.escape(word) for word in looking.words)
    called = re.compile(rf"\b(?:{listed})\s*\(")

    def rank(path: str) -> tuple[bool, bool, bool, bool, bool, bool, str]:
        texts = lines[path].values()
        imports = any(_IMPORT.match(text) for text in texts)
        calls = any(called.search(text) for text in texts)
        far = dirname(path) != dirname(home)
        if looking.target is None:
            return path != home, not imports, far, in_test(path), not calls, False, path
        idle = not is_candidate(looking, path, lines[path])
        return path != home, idle, not imports, _aside(path), far, not calls, path

    ordered = sorted((path for path in lines if _fits(looking, path, lines[path])), key=rank)
    if looking.answer.query.kind is QueryKind.PRODUCERS:
        return sorted(ordered, key=in_test)
    return _with_a_test(_importers_first(view, looking.target, home, ordered) if looking.target else ordered)


def _aside(path: str) -> bool:
    """Whether a file runs for readers and developers of the project before it runs for its users."""
    return in_test(path) or any(part.startswith(ASIDE) for part in path.lower().split("/")[:-1])


def _importers_first(view: View, target: Target, home: str, ordered: list[str]) -> list[str]:
    """The best files once more by whether they import the target's module or class: for that their text is read."""
    best, rest = ordered[:_RANKED], ordered[_RANKED:]
    view.sources.prefetch(best)
    near = mentions(target)
    imports = {path: (source := view.source(path)) is not None and source.says(near) for path in best}
    return [*sorted(best, key=lambda path: (path != home, not imports[path])), *rest]


def _with_a_test(ordered: list[str]) -> list[str]:
    own = [path for path in ordered if not in_test(path)]
    tests = [path for path in ordered if in_test(path)]
    return [*own[:_BEFORE_TESTS], *tests[:1], *own[_BEFORE_TESTS:], *tests[1:]]


def fits_path(looking: Looking, path: str) -> bool:
    """Whether a file of this name can add to the answer at all."""
    kind = looking.answer.query.kind
    if kind is QueryKind.TESTS:
        return in_test(path)
    return kind not in (QueryKind.CONFIG, QueryKind.SIBLINGS) or is_carrier(path)


def is_candidate(looking: Looking, path: str, lines: Mapping[int, str]) -> bool:
    """Whether the hits in a file left unread could be what is asked for: more than comments and definitions."""
    if not _fits(looking, path, lines):
        return False
    if looking.answer.query.kind in (QueryKind.TEXT, QueryKind.IMPLEMENTERS):
        return True
    listed = "|".join(re.escape(word) for word in looking.words)
    defines = re.compile(rf"\s*(?:async\s+)?(?:def|func)\s+(?:\([^)]*\)\s*)?(?:{listed})\b")
    return any(not is_comment(text) and not defines.match(text) for text in lines.values())


def _fits(looking: Looking, path: str, lines: Mapping[int, str]) -> bool:
    """Whether looking into a hit file can add to the answer at all."""
    if looking.answer.query.kind is not QueryKind.IMPLEMENTERS:
        return fits_path(looking, path)
    shape = declares(path, looking.words)
    return any(shape.search(text) for text in lines.values())


def readable(run: Run, looking: Looking, path: str) -> bool:
    """Whether a chosen file can be looked into; if not, it is left out with the reason."""
    view = run.views[looking.ground.side]
    source = view.source(path)
    if source is not None and not _is_generated(run, looking.ground.side, path, source):
        return True
    what, why = f"hits of `{looking.words[0]}` in {path}", view.sources.problem(path) or "generated"
    # A program's file calls and sets as any other: with it unread, nobody may say that nothing does.
    if source is None or is_candidate(looking, path, looking.hits.lines.get(path, {})):
        looking.answer.unseen(what, why)
    else:
        looking.answer.leave_out(what, why)
    return False


def _is_generated(run: Run, side: Side, path: str, source: Source) -> bool:
    """Whether a file says that a program wrote it, on every side that it has: a mark that came with the change must
    not take the file out of what is searched."""
    skips = run.search.skips
    if not skips.is_generated(source):
        return False
    other = run.views[Side.OLD if side is Side.NEW else Side.NEW].source(path)
    return other is None or skips.is_generated(other)
