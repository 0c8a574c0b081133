"""Callers, tests and uses: what each occurrence of a name in the candidate files is, as facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field

from review_agent.stages.evidence_gather import Found
from review_agent.stages.evidence_view import View
from review_agent.syntax.model import Arg, Call, Import, NameUse, Outline
from review_agent.syntax.resolution import Resolver, Verdict
from review_agent.syntax.resolution_world import Index
from review_agent.syntax.surroundings import (
    calls_around,
    decorators_at,
    following,
    held_at,
    origin_of,
    parameters_at,
    preceding,
    raised_in,
    within,
)
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import ArgumentFact, CallFact, Resolution, UseFact

__all__ = ["Seen", "call_fact", "references", "use_fact"]

# Occurrences that name something without referring to it.
_NAMING = ("definition", "parameter", "keyword")


@dataclass
class Seen:
    """What a file's occurrences are: findings, and counts by kind of occurrence for the query's summary."""

    found: list[Found] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    lines: set[int] = field(default_factory=set)


def references(view: View, resolver: Resolver, path: str, lines: Container[int]) -> Seen | None:
    """Every occurrence of the target's name on the hit lines of a file, resolved; null where it has no outline.

    A local name that the file imports the target under counts as its name.
    """
    index = view.index(path)
    if index is None:
        return None
    seen = Seen()
    name = resolver.target.name
    for use in view.uses(path, name):
        seen.lines.add(use.line)
        seen.counts[_counted(use)] += 1
    for local in (name, *_aliases(resolver, index, path)):
        taken: set[Call] = set()
        for use in view.uses(path, local):
            if use.line not in lines if local == name else use.receiver:
                continue
            one = _occurrence(resolver, index, path, use, taken)
            if one is not None:
                seen.found.append(one)
    return seen


def _counted(use: NameUse) -> str:
    return {"import": "import", "definition": "definition", "call": "call"}.get(use.use, "other use")


def _aliases(resolver: Resolver, index: Index, path: str) -> list[str]:
    """Other local names under which this file imports the target."""
    name = resolver.target.name
    renamed = [item for item in index.outline.imports if item.name == name and item.alias not in (name, "*", "_")]
    resolved = [item for item in renamed if resolver.imported(path, item).resolution is Resolution.RESOLVED]
    return list(dict.fromkeys(item.alias for item in resolved))


def _occurrence(resolver: Resolver, index: Index, path: str, use: NameUse, taken: set[Call]) -> Found | None:
    if use.use in _NAMING:
        return None
    if use.use == "import":
        return _imported(resolver, index, path, use)
    # An alias is another name for the target: what it is bound to decides, not how it is spelled.
    verdict = resolver.at(path, use.scope, use.receiver, use.name, use.line)
    if use.use == "write" and verdict.resolution is Resolution.UNRESOLVED:
        return None
    call = _call(index, use, taken) if use.use == "call" else None
    if call is not None:
        taken.add(call)
        return Found(path, call.start, call.end, (call_fact(call, verdict, path, index.outline),), in_test(path))
    return Found(path, use.line, use.line, (use_fact(use, verdict, path, outline=index.outline),), in_test(path))


def _call(index: Index, use: NameUse, taken: set[Call]) -> Call | None:
    """The call that an occurrence is the callee of; of several on the same lines each is taken once."""
    around = [
        call
        for call in index.calls.get(use.name, ())
        if call.receiver == use.receiver and call.start <= use.line <= call.end
    ]
    return min((call for call in around if call not in taken), key=lambda call: call.end - call.start, default=None)


def _imported(resolver: Resolver, index: Index, path: str, use: NameUse) -> Found | None:
    item = next((one for one in index.outline.imports if one.name == use.name and one.line == use.line), None)
    if item is None:
        return None
    verdict = resolver.imported(path, item)
    return Found(path, use.line, use.line, (use_fact(use, verdict, path, _written(item)),), in_test(path))


def _written(item: Import) -> str:
    renamed = f" as {item.alias}" if item.alias != item.name else ""
    return f"from {'.' * item.level}{item.module} import {item.name}{renamed}"


def call_fact(call: Call, verdict: Verdict, path: str, outline: Outline) -> CallFact:
    """A call site as a fact, with what its outline says of the place."""
    return CallFact(
        resolution=verdict.resolution,
        reason=verdict.reason,
        callee=call.callee,
        arguments=tuple(_argument(outline, call, arg) for arg in call.args),
        awaited=call.awaited,
        result=call.result,
        targets=call.targets,
        caught=call.caught,
        scope=call.scope,
        in_test=in_test(path),
        held=held_at(outline, call.scope, call.start),
        preceded_by=preceding(outline, call.scope, call.start),
        followed_by=following(outline, call.scope, call.end),
        within=within(outline, call.start),
        loop=call.loop,
        decorators=decorators_at(outline, call.scope),
        parameters=parameters_at(outline, call.scope),
    )


def _argument(outline: Outline, call: Call, arg: Arg) -> ArgumentFact:
    name = arg.text.isidentifier() or arg.text.replace(".", "").isidentifier()
    origin = origin_of(outline, call.scope, call.start, arg.text) if name else ""
    return ArgumentFact(text=arg.text, keyword=arg.keyword, star=arg.star, origin=origin)


def use_fact(
    use: NameUse, verdict: Verdict, path: str, text: str | None = None, outline: Outline | None = None
) -> UseFact:
    """An occurrence that is no call as a fact."""
    return UseFact(
        resolution=verdict.resolution,
        reason=verdict.reason,
        use=use.use,
        text=text or use.text,
        scope=use.scope,
        guarded_by=use.guarded_by,
        in_test=in_test(path),
        held=held_at(outline, use.scope, use.line) if outline else (),
        scope_raises=raised_in(outline, use.scope) if outline and use.scope else (),
        given_to=calls_around(outline, use.line, use.text) if outline else (),
    )
