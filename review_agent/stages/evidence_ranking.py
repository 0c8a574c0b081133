"""Which files a search looks into first: near the name's home, importing it, the product's own code before tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from posixpath import basename, dirname

from review_agent.stages.evidence_config import is_carrier
from review_agent.stages.evidence_gather import Answer
from review_agent.stages.evidence_implementers import Owner, go_member_pattern
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_search import Ground, Hits
from review_agent.stages.evidence_view import View, in_test
from review_agent.syntax.languages import language_of
from review_agent.syntax.resolution_world import Target
from review_agent.vocabulary import QueryKind

__all__ = ["Looking", "ranked"]

# Hit files whose text is looked at for an import of the home module before they are ranked.
_RANKED = 300
# Where the first test stands among the candidates: behind these, before the rest of the product's own files.
_BEFORE_TESTS = 3


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
    """The hit files worth a look: those near the home of the name first, tests behind the product's own code."""
    query, view = looking.answer.query, run.views[looking.ground.side]
    paths = list(looking.hits.lines)
    view.sources.prefetch(paths[:_RANKED])
    paths = [path for path in paths if _fits(run, looking, view, path)]
    home = looking.target.path if looking.target else query.path
    near = _mention(looking.target) if looking.target else None
    calls = re.compile(rf"\b(?:{'|'.join(re.escape(word) for word in looking.words)})\s*\(")

    def rank(path: str) -> tuple[bool, bool, bool, bool, bool, str]:
        text = (view.text(path) or "") if path in paths[:_RANKED] else ""
        imports = bool(near and near.search(text))
        return path != home, not imports, dirname(path) != dirname(home), in_test(path), not calls.search(text), path

    ordered = sorted(paths, key=rank)
    return _with_a_test(ordered)


def _with_a_test(ordered: list[str]) -> list[str]:
    own = [path for path in ordered if not in_test(path)]
    tests = [path for path in ordered if in_test(path)]
    return [*own[:_BEFORE_TESTS], *tests[:1], *own[_BEFORE_TESTS:], *tests[1:]]


def _fits(run: Run, looking: Looking, view: View, path: str) -> bool:
    """Whether looking into a hit file can add to the answer at all."""
    kind = looking.answer.query.kind
    source = view.source(path)
    if source is None or run.search.skips.is_generated(source.lines):
        looking.answer.leave_out(f"hits of `{looking.words[0]}` in {path}", view.sources.problem(path) or "generated")
        looking.answer.cut = looking.answer.cut or source is None
        return False
    if kind is QueryKind.TESTS:
        return in_test(path)
    if kind in (QueryKind.CONFIG, QueryKind.SIBLINGS):
        return is_carrier(path)
    if kind is QueryKind.IMPLEMENTERS and language_of(path) == "go":
        return bool(go_member_pattern(looking.words).search(source.text))
    return kind is not QueryKind.IMPLEMENTERS or bool(_class_line(looking.words).search(source.text))


def _class_line(words: Iterable[str]) -> re.Pattern[str]:
    listed = "|".join(re.escape(word) for word in words)
    return re.compile(rf"^\s*class\s+\w+\s*(?:\[[^\]]*\])?\s*\([^)]*\b(?:{listed})\b", re.MULTILINE)


def _mention(target: Target) -> re.Pattern[str]:
    """Finds an import line that names the target's module, package or class."""
    if target.path.endswith(".go"):
        return re.compile(
            rf'^\s*(?:import\s+)?(?:\w+\s+)?"[^"]*\b{re.escape(basename(dirname(target.path)) or " ")}"', re.M
        )
    module = basename(target.path.removesuffix("/__init__.py")).removesuffix(".py")
    names = "|".join(re.escape(one) for one in (module, target.scope.split(".")[0] or target.name))
    return re.compile(rf"^\s*(?:from|import)\b.*\b(?:{names})\b", re.MULTILINE)
