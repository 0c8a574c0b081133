"""How well callers are resolved: a sample of a repository's functions, for judging by reading.

Prints a table of what the hits of the sampled names were found to be, then one JSON line a sampled caller: the
definition's line, the call's line, and the reason given. A person reads both places and says right or wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from review_agent.git import Git
from review_agent.policy.load import load
from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.evidence import collect
from review_agent.stages.evidence_search import Skips
from review_agent.syntax.languages import language_of, suffixes_of
from review_agent.syntax.model import Symbol
from review_agent.syntax.parser import Parser
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    ChangeKind,
    PlanQuery,
    QueryKind,
    Question,
    Role,
    Side,
    Snapshot,
)

SUFFIXES = {
    "python": suffixes_of("python"),
    "go": suffixes_of("go"),
    "java": suffixes_of("java"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts", ".tsx"),
}


@dataclass(frozen=True)
class Room:
    """One repository at one commit, with budgets wide enough to see every hit unless ``tight``."""

    git: Git
    sources: Sources
    parser: Parser
    policy: Policy
    commit: str

    @classmethod
    def of(cls, repo: Path, commit: str, parser: Parser, *, tight: bool = False) -> Room:
        """The room of a repository on disk, at a commit as git writes it."""
        git = Git(repo)
        at = git.resolve(commit)
        policy = load() if tight else _wide(load())
        sources = Sources(git, at, lambda text: text, side=Side.NEW, max_bytes=policy.budgets.blob_bytes)
        return cls(git, sources, parser, policy, at)


def main() -> None:
    args = _arguments()
    with Parser() as parser:
        room = Room.of(args.repo, args.commit, parser, tight=args.tight)
        chance = random.Random(args.seed)
        started = time.monotonic()
        functions = list(_functions(room, args.language))
        sampled = chance.sample(functions, min(args.sample * 3, len(functions)))
        asked = ((*one, ask(room, *one)) for one in sampled)
        called = list(islice((one for one in asked if one[2].queries[0].hits > 1), args.sample))
        _table(called, time.monotonic() - started)
        for path, symbol, bundle in called:
            _show(room, chance, args.show, path, symbol, bundle)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--language", choices=sorted(SUFFIXES), required=True)
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", choices=["resolved", "ambiguous", "unresolved", "any"], default="resolved")
    parser.add_argument("--tight", action="store_true", help="keep the shipped budgets instead of wide ones")
    return parser.parse_args()


def _wide(policy: Policy) -> Policy:
    budgets = policy.budgets.model_copy(
        update={"candidate_files": 2_000, "query_bytes": 50_000_000, "grep_hits_per_name": 100_000, "files_read": 0}
    )
    return policy.model_copy(update={"budgets": budgets})


def _functions(room: Room, language: str) -> Iterator[tuple[str, Symbol]]:
    skips = Skips(room.policy)
    paths = [one for one in room.sources.paths if one.endswith(SUFFIXES[language]) and not skips.rule(one)]
    room.sources.prefetch(paths)
    for path in paths:
        source = room.sources.get(path)
        outline = room.parser.outline(source.text, language_of(path) or "") if source and not in_test(path) else None
        for symbol in outline.symbols if outline else ():
            if symbol.kind in ("function", "method") and not _is_skipped(symbol):
                yield path, symbol


def _is_skipped(symbol: Symbol) -> bool:
    """What is not called by its name: special methods, Go's ``init``, constructors."""
    own = symbol.scope.rpartition(".")[2]
    return symbol.name.startswith("__") or symbol.name in ("init", "constructor", "default", own)


def ask(room: Room, path: str, symbol: Symbol) -> Bundle:
    """What the callers query of one function finds."""
    plan = PlanQuery(kind=QueryKind.CALLERS, name=symbol.name, path=path, scope=symbol.scope)
    anchor = room.sources.ref(path, symbol.start, symbol.start, Role.DIFF)
    question = Question(
        question_id="sample",
        kind=ChangeKind.API_CONTRACT,
        rule="sample",
        hunk_id="",
        path=path,
        change="",
        precondition="",
        consequence="",
        refuted_if=(),
        anchor=anchor,
        plan=(plan,),
        edits=(),
        risk=0,
    )
    snapshot = Snapshot(base=room.commit, head=room.commit, merge_base=room.commit, files=(), chosen="sample")
    found = collect(
        [question],
        snapshot=snapshot,
        git=room.git,
        old=room.sources,
        new=room.sources,
        parser=room.parser,
        policy=room.policy,
    )
    return next(found)


def _table(called: list[tuple[str, Symbol, Bundle]], seconds: float) -> None:
    facts = Counter(
        (fact.resolution.value, type(fact).__name__)
        for _, _, bundle in called
        for evidence in bundle.evidence
        for fact in evidence.facts
        if fact.fact in ("call", "use")
    )
    print(f"{len(called)} functions in {seconds:.0f} s")
    for resolution in ("resolved", "ambiguous", "unresolved"):
        print(f"  {resolution:11} {facts[resolution, 'CallFact']:6} calls {facts[resolution, 'UseFact']:6} other uses")


def _show(room: Room, chance: random.Random, wanted: str, path: str, symbol: Symbol, bundle: Bundle) -> None:
    calls = [
        (evidence, fact)
        for evidence in bundle.evidence
        for fact in evidence.facts
        if isinstance(fact, CallFact) and wanted in ("any", fact.resolution.value)
    ]
    if not calls:
        return
    evidence, fact = chance.choice(calls)
    source = room.sources.get(path)
    row = {
        "definition": f"{path}:{symbol.name_line}",
        "qualname": symbol.qualname,
        "header": source.lines[symbol.name_line - 1].strip() if source else "",
        "call": f"{evidence.ref.path}:{evidence.ref.start_line}",
        "scope": fact.scope,
        "text": evidence.text.strip()[:200],
        "resolution": fact.resolution.value,
        "reason": fact.reason,
    }
    print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
