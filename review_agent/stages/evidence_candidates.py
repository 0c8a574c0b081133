"""Queries that search: which files are looked into, and what their hits are."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from review_agent.counting import counted
from review_agent.stages.evidence_budget import Allowance
from review_agent.stages.evidence_config import config_found, keys_read
from review_agent.stages.evidence_gather import Answer, Found
from review_agent.stages.evidence_members import calls_on, function_around, key_uses, siblings
from review_agent.stages.evidence_ranking import Looking, fits_path, is_candidate, ranked, readable
from review_agent.stages.evidence_references import references
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_search import Ground, Hits, ground_of, words_of
from review_agent.stages.readers.base import Owner
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.resolution_world import Value
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    EditOp,
    ImplementerFact,
    QueryKind,
    QueryStatus,
    Question,
    Resolution,
    Side,
    UseFact,
)

__all__ = ["begin", "choose", "describe", "finish"]

# Files with a text in them that are parsed for the calls on its lines; a text that more have is no trace.
_PARSED_FOR_CALLS = 12
# Rows of files that a partial clone lacks; the rest is counted.
_UNREAD_ROWS = 8


def begin(run: Run, answer: Answer, question: Question) -> Looking | None:
    """Search a query's words and rank the files; null where the answer is complete without looking into files."""
    query = answer.query
    ground = ground_of(query) if query.kind is not QueryKind.SIBLINGS else Ground(query.side, ())
    if ground is None:
        answer.refuse(QueryStatus.FAILED, f"`{query.path}` is not in a language whose names are followed")
        return None
    looking = Looking(answer, ground, Hits(), [])
    if not _prepare(run, looking, question):
        return None
    looking.hits = run.search.hits(ground, looking.words, query.path)
    if looking.hits.failed:
        answer.refuse(QueryStatus.FAILED, looking.hits.failed)
        return None
    describe(run, looking)
    looking.ranked = ranked(run, looking)
    return looking


def _prepare(run: Run, looking: Looking, question: Question) -> bool:
    """Settle what is looked for; false where that already ends the query."""
    answer, query = looking.answer, looking.answer.query
    looking.words = words_of(query)
    if query.kind in (QueryKind.CALLERS, QueryKind.TESTS):
        looking.target = run.target(query)
        if looking.target is None:
            answer.refuse(QueryStatus.UNSUPPORTED, f"`{query.name}` is of other code: its callers are not followed")
            return False
        looking.words = (looking.target.name,)
    elif query.kind is QueryKind.IMPLEMENTERS:
        return _prepare_owner(run, looking, question)
    elif query.kind is QueryKind.SIBLINGS:
        read = keys_read(run.views[query.side], query.path)
        others = tuple(key for key in read if key != query.name)
        if query.name not in read or not others:
            siblings(run, answer)
            return False
        looking.words = others
    return True


def _prepare_owner(run: Run, looking: Looking, question: Question) -> bool:
    query = looking.answer.query
    member = next((one.subject for one in question.edits if one.op is EditOp.ABSTRACT_MEMBER_ADDED), "")
    defined = run.defined(query)
    classes = [one for one in defined.places if one.kind == "class"]
    if len(classes) == 1:
        looking.owner = Owner(classes[0], member)
    elif not defined.places:
        outside = run.reader(query).outside_owner(query.path, query.scope, query.name)
        looking.owner = Owner(Value("external", qualname=outside), member) if outside else None
    if looking.owner is None:
        looking.answer.refuse(QueryStatus.FAILED, defined.note or f"`{query.name}` is no one type")
        return False
    looking.words = _rarest(run, looking, looking.owner) or looking.words
    return True


def _rarest(run: Run, looking: Looking, owner: Owner) -> tuple[str, ...]:
    """Of the words that stand wherever a type below the owner does, the one that fewest lines hold."""
    words = run.reader(looking.answer.query).owner_words(owner)
    run.search.expect(looking.ground, words)
    counts = {word: run.search.hits(looking.ground, (word,), "").count for word in words}
    return tuple(sorted(words, key=lambda word: (counts[word], word))[:1])


def describe(run: Run, looking: Looking) -> None:
    """Tell what was searched, how much was found, and what the search did not see."""
    answer, hits = looking.answer, looking.hits
    view = run.views[looking.ground.side]
    known = (
        [path for path in view.paths if looking.ground.matches(path)] if answer.query.kind is not QueryKind.TEXT else []
    )
    answer.files = sum(1 for path in known if not run.search.skips.rule(path)) or len(hits.lines)
    where = "head" if looking.ground.side is Side.NEW else "the merge base"
    answer.searched = f"{counted(answer.files, 'file')} at {where}"
    answer.hits = hits.count
    if not answer.files and looking.ground.pathspecs:
        answer.notes.append(f"no file matches {', '.join(f'`{one}`' for one in looking.ground.pathspecs)}")
    if hits.skipped:
        answer.notes.append(f"hits in {counted(hits.skipped, 'file')} left out by skip rules")
    _account(run, looking)


def _account(run: Run, looking: Looking) -> None:
    """Say what the search did not see; where an answer could hang on that, it is not the whole answer."""
    answer, hits, word = looking.answer, looking.hits, looking.words[0]
    answer.left_out += hits.left_out
    if hits.cut:
        answer.cut = True
        cap = run.policy.budgets.grep_hits_per_name
        answer.leave_out(f"{counted(hits.cut, 'hit')} of `{word}`", f"grep_hits_per_name budget of {cap} spent")
    if hits.stopped:
        answer.cut = True
        answer.notes.append(f"the search was cut at {hits.stopped}: its output passed the bound")
        answer.leave_out(f"hits of `{word}` from {hits.stopped} on", "the search's output passed its bound")
    aside = sum(is_candidate(looking, path, lines) for path, lines in hits.aside.items())
    if aside:
        answer.cut = True
        answer.unread += aside
        answer.notes.append("uses in generated or excluded files were not looked at")
    _unseen(looking, hits.unread, "not in this clone", "contents are not in this partial clone")
    _unseen(looking, hits.binary, "binary", "contents are binary to git, which shows no lines of them")


def _unseen(looking: Looking, paths: Sequence[str], short: str, why: str) -> None:
    """Files that were not searched: nobody knows whether, or how, they use the name."""
    answer, word = looking.answer, looking.words[0]
    unread = [path for path in paths if fits_path(looking, path)]
    if unread:
        answer.notes.append(f"{counted(len(unread), 'file')} not searched: {short}")
    for path in unread[:_UNREAD_ROWS]:
        answer.unseen(f"hits of `{word}` in {path}", f"its {why}")
    if len(unread) > _UNREAD_ROWS:
        more = len(unread) - _UNREAD_ROWS
        answer.unseen(f"hits of `{word}` in {counted(more, 'more file')}", f"their {why}", more)


def choose(run: Run, lookings: Sequence[Looking], allowance: Allowance) -> None:
    """Give out the candidate files in turns, so that no query of a question starves the others."""
    queues = [(one, deque(one.ranked)) for one in lookings if one.answer.query.kind is not QueryKind.TEXT]
    while any(queue for _, queue in queues):
        for looking, queue in queues:
            if queue:
                path = queue.popleft()
                if len(allowance.candidates) < allowance.budgets.candidate_files and not readable(run, looking, path):
                    continue
                if allowance.take_candidate(path):
                    looking.chosen.append(path)
                else:
                    _over(looking, path, allowance)


def _over(looking: Looking, path: str, allowance: Allowance) -> None:
    # What a test writes under a name reaches no reader of the product, so an unread test hides no producer.
    if looking.answer.query.kind is not QueryKind.PRODUCERS or not in_test(path):
        looking.answer.cut = True
    count = len(looking.hits.lines.get(path, ()))
    cap = allowance.budgets.candidate_files
    looking.answer.leave_out(
        f"{counted(count, 'hit')} of `{looking.words[0]}` in {path}", f"candidate_files budget of {cap} spent"
    )


def finish(run: Run, looking: Looking, allowance: Allowance) -> None:
    """Look into the chosen files and complete the answer."""
    kind = looking.answer.query.kind
    view = run.views[looking.ground.side]
    view.sources.prefetch(looking.chosen)
    if kind is QueryKind.TEXT:
        _text(run, looking)
    elif kind in (QueryKind.CONFIG, QueryKind.SIBLINGS):
        for path in looking.chosen:
            _outlined(run, looking, path)
            looking.answer.found += config_found(view, path, looking.words, list(looking.hits.lines[path]))
    elif kind is QueryKind.IMPLEMENTERS:
        _implementers(run, looking, allowance)
    elif kind is QueryKind.PRODUCERS:
        for path in looking.chosen:
            _outlined(run, looking, path)
            looking.answer.found += key_uses(view, path, looking.answer.query.name, looking.hits.lines[path])
    else:
        _references(run, looking)


def _outlined(run: Run, looking: Looking, path: str) -> bool:
    """Whether a file of code was parsed; if not, what its hits are is not known, and the answer says so."""
    view = run.views[looking.ground.side]
    if language_of(path) not in PARSED or view.index(path) is not None:
        return True
    looking.answer.unseen(f"hits of `{looking.words[0]}` in {path}", view.why_no_index(path))
    return False


def _text(run: Run, looking: Looking) -> None:
    view, query = run.views[looking.ground.side], looking.answer.query
    scope = query.scope if len(looking.hits.lines) <= _PARSED_FOR_CALLS else ""
    for path, lines in sorted(looking.hits.lines.items()):
        if not readable(run, looking, path):
            continue
        parsed = scope in ("calls", "functions") and _outlined(run, looking, path)
        for line in lines:
            if parsed and scope == "calls":
                looking.answer.found += calls_on(view, path, line)
            around = function_around(view, path, line) if parsed and scope == "functions" else ("", ())
            fact = UseFact(
                resolution=Resolution.RESOLVED,
                reason="the text stands here",
                use="text",
                text=query.name,
                scope=around[0],
                guarded_by=None,
                in_test=in_test(path),
                scope_raises=around[1],
            )
            looking.answer.found.append(Found(path, line, line, (fact,), in_test(path)))


def _references(run: Run, looking: Looking) -> None:
    assert looking.target is not None
    view, answer = run.views[looking.ground.side], looking.answer
    resolver = run.resolver(looking.ground.side, looking.target)
    counts: Counter[str] = Counter()
    silent = 0
    for path in looking.chosen:
        seen = references(view, resolver, path, looking.hits.lines[path])
        if seen is None:
            answer.unseen(f"hits of `{looking.target.name}` in {path}", view.why_no_index(path))
            continue
        answer.found += seen.found
        counts += seen.counts
        unnamed = len(set(looking.hits.lines[path]) - seen.lines)
        index = view.index(path)
        if unnamed and index is not None and index.outline.errors:
            answer.unseen(
                f"{counted(unnamed, 'hit')} of `{looking.target.name}` in {path}", "the file parses in part only"
            )
            continue
        silent += unnamed
    answer.searched += f"; {counted(answer.hits, 'hit')}" + (f": {_counted(counts)}" if counts else "")
    if silent:
        answer.notes.append(f"{silent} in comments or strings")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(counts[kind], kind) for kind in sorted(counts))


def _implementers(run: Run, looking: Looking, allowance: Allowance) -> None:
    assert looking.owner is not None
    looking.answer.searched += f"; {counted(looking.answer.hits, 'hit')} of `{looking.words[0]}`"
    reader = run.reader(looking.answer.query)
    looked: set[str] = set()
    for level in range(max(1, reader.levels)):
        for path in [one for one in looking.chosen if one not in looked]:
            looked.add(path)
            _outlined(run, looking, path)
            looking.answer.found += reader.implementers(looking.owner, path)
        known = {last for one in _implementer_names(looking.answer.found) if (last := one.rpartition(".")[2])}
        if level >= reader.levels or not _next_level(run, looking, known - set(looking.words), allowance):
            return


def _implementer_names(found: Iterable[Found]) -> Iterator[str]:
    for one in found:
        yield from (fact.type_name for fact in one.facts if isinstance(fact, ImplementerFact))


def _next_level(run: Run, looking: Looking, names: set[str], allowance: Allowance) -> bool:
    """Search the classes below those found; false where there are no further files to look into."""
    if not names:
        return False
    before = set(looking.chosen)
    looking.words = tuple(dict.fromkeys((*looking.words, *sorted(names))))
    looking.hits = run.search.hits(looking.ground, looking.words, looking.answer.query.path)
    if looking.hits.failed:
        looking.answer.cut = True
        looking.answer.notes.append(looking.hits.failed)
        return False
    _account(run, looking)
    looking.ranked = [path for path in ranked(run, looking) if path not in before]
    choose(run, [looking], allowance)
    return set(looking.chosen) != before
