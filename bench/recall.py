"""How many true callers are found: calls drawn from a repository, whose definitions a person names by reading.

Without ``--check`` it prints calls of names that the repository defines, one JSON line each, in strata (bare, on
``this`` or ``self``, on other receivers, in tests), with all definitions of the name. A person keeps those that call
one of them and writes ``call definition`` lines (``path:line path:line``). ``--check FILE`` asks for the callers of
each definition and prints what its call was found to be.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from resolution import SUFFIXES, Room, ask

from review_agent.stages.evidence_search import Skips
from review_agent.syntax.languages import language_of
from review_agent.syntax.model import Call, Outline, Symbol
from review_agent.syntax.parser import Parser
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import CallFact

SHARES = {"bare": 9, "own": 6, "receiver": 22, "test": 13}


def main() -> None:
    args = _arguments()
    with Parser() as parser:
        room = Room.of(args.repo, args.commit, parser, tight=args.tight)
        if args.check:
            _check(room, args.check)
        else:
            _draw(room, args.language, args.seed, args.times)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--language", choices=sorted(SUFFIXES), default="python")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--times", type=float, default=1.0, help="how many times 50 calls are drawn")
    parser.add_argument("--check", type=Path, help="file of `call definition` lines, as judged")
    parser.add_argument("--tight", action="store_true", help="keep the shipped budgets instead of wide ones")
    return parser.parse_args()


def _outlines(room: Room, language: str) -> Iterator[tuple[str, Outline]]:
    skips = Skips(room.policy)
    paths = [one for one in room.sources.paths if one.endswith(SUFFIXES[language]) and not skips.rule(one)]
    room.sources.prefetch(paths)
    for path in paths:
        source = room.sources.get(path)
        outline = room.parser.outline(source.text, language_of(path) or "") if source else None
        if outline:
            yield path, outline


def _draw(room: Room, language: str, seed: int, times: float) -> None:
    defined: dict[str, list[str]] = defaultdict(list)
    calls: list[tuple[str, Call]] = []
    for path, outline in _outlines(room, language):
        calls += [(path, one) for one in outline.calls]
        for symbol in outline.symbols:
            if symbol.kind in ("function", "method") and symbol.name != symbol.scope.rpartition(".")[2]:
                defined[symbol.name].append(f"{path}:{symbol.name_line} {symbol.qualname}")
    strata: dict[str, list[tuple[str, Call]]] = defaultdict(list)
    for path, call in calls:
        if call.name in defined:
            strata[_stratum(path, call)].append((path, call))
    chance = random.Random(seed)
    for name, share in SHARES.items():
        held = strata[name]
        for path, call in chance.sample(held, min(round(share * times), len(held))):
            row = {"stratum": name, "call": f"{path}:{call.start}", "text": call.callee, "scope": call.scope}
            print(json.dumps({**row, "definitions": defined[call.name]}, ensure_ascii=False))


def _stratum(path: str, call: Call) -> str:
    if in_test(path):
        return "test"
    if not call.receiver:
        return "bare"
    return "own" if call.receiver in ("this", "self", "cls", "super") else "receiver"


def _check(room: Room, file: Path) -> None:
    counts: Counter[str] = Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            call, definition = line.split()[:2]
            verdict, reason = _verdict(room, call, definition)
            counts[verdict] += 1
            print(f"{verdict:10} {call} {definition} {reason}")
    print(dict(counts))


def _verdict(room: Room, call: str, definition: str) -> tuple[str, str]:
    path, _, line = definition.rpartition(":")
    symbol = _symbol(room, path, int(line))
    if symbol is None:
        return "no symbol", ""
    at, _, number = call.rpartition(":")
    for evidence in ask(room, path, symbol).evidence:
        if evidence.ref.path == at and evidence.ref.start_line <= int(number) <= evidence.ref.end_line:
            for fact in evidence.facts:
                if isinstance(fact, CallFact):
                    return fact.resolution.value, fact.reason
    return "absent", ""


def _symbol(room: Room, path: str, line: int) -> Symbol | None:
    source = room.sources.get(path)
    outline = room.parser.outline(source.text, language_of(path) or "") if source else None
    found = [one for one in (outline.symbols if outline else ()) if one.name_line == line]
    return next((one for one in found if one.kind in ("function", "method")), found[0] if found else None)


if __name__ == "__main__":
    main()
