"""From questions to bundles: discovery finds names, resolution says what they are, focused reading shows the place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from review_agent.errors import ReviewAgentError
from review_agent.git import Git
from review_agent.policy.model import Policy
from review_agent.sources import Sources
from review_agent.stages.evidence_budget import Allowance
from review_agent.stages.evidence_candidates import begin, choose, finish
from review_agent.stages.evidence_gather import Answer, Gather
from review_agent.stages.evidence_history import History
from review_agent.stages.evidence_proposed import by_name, delegated, is_proposed, qualified
from review_agent.stages.evidence_queries import direct, unfit
from review_agent.stages.evidence_ranking import Looking
from review_agent.stages.evidence_reading import read
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_search import Search
from review_agent.stages.evidence_view import View
from review_agent.stages.regions import near_change
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.parser import Parser
from review_agent.vocabulary import (
    Bundle,
    EvidenceSpend,
    Failure,
    PlanQuery,
    QueryKind,
    QueryStatus,
    Question,
    Side,
    Snapshot,
)

__all__ = ["collect", "unsearched"]

_DIRECT = (QueryKind.DEFINITION, QueryKind.TYPES, QueryKind.USES_INSIDE, QueryKind.PATH, QueryKind.LIFETIME)
_UNSEARCHED = (*_DIRECT, QueryKind.HISTORY)


def collect(
    questions: Sequence[Question],
    *,
    snapshot: Snapshot,
    git: Git,
    old: Sources,
    new: Sources,
    parser: Parser,
    policy: Policy,
    progress: Callable[[int, int], None] | None = None,
    failed: Callable[[Failure], None] | None = None,
) -> Iterator[Bundle]:
    """Collect evidence for questions in rank order, one bundle a question, in the order given.

    All names of all plans are searched together; each plan query is charged to its question all the same. ``old``
    and ``new`` are the files at the merge base and at head. ``progress`` is told how many bundles are done, and of how
    many; ``failed`` in the end of each search and file that was given up. Raises SnapshotError when git fails on
    something other than a search.
    """
    plans = [_accepted(question, policy) for question in questions]
    queries = [query for plan in plans for query in plan if not unfit(query)]
    views = {
        Side.OLD: View(old, parser, _supposed(queries, Side.OLD)),
        Side.NEW: View(new, parser, _supposed(queries, Side.NEW)),
    }
    commits = {Side.OLD: snapshot.merge_base, Side.NEW: snapshot.head}
    history = History(git, snapshot, policy.masker(), views)
    run = Run(policy, views, Search(git, commits, policy, queries))
    bugs: list[Failure] = []
    for number, question in enumerate(questions):
        yield _marked(_guarded(run, history, question, bugs), snapshot)
        if progress:
            progress(number + 1, len(questions))
    if failed:
        for failure in (*run.search.failures, *history.failures, *_unread(views), *bugs):
            failed(failure)


def _unread(views: Mapping[Side, View]) -> Iterator[Failure]:
    yield from (views[side].failures[path] for side in views for path in sorted(views[side].failures))


def unsearched(question: Question, why: str, status: QueryStatus = QueryStatus.UNSUPPORTED) -> Bundle:
    """The bundle of a question for which nothing is searched; each query says why."""
    answers = [Answer(number, query) for number, query in enumerate(question.plan)]
    for answer in answers:
        answer.refuse(status, why)
    return Bundle(
        question_id=question.question_id,
        evidence=(),
        queries=tuple(answer.result() for answer in answers),
        left_out=(),
        spent=EvidenceSpend(queries=0, candidate_files=0, files_read=0, lines_read=0),
    )


def _accepted(question: Question, policy: Policy) -> tuple[PlanQuery, ...]:
    return question.plan[: policy.budgets.queries]


def _supposed(queries: Iterable[PlanQuery], side: Side) -> set[str]:
    """Paths that plans speak of: a file that is gone is still what an import of it means."""
    return {query.path for query in queries if query.side is side and language_of(query.path) in PARSED}


def _guarded(run: Run, history: History, question: Question, bugs: list[Failure]) -> Bundle:
    """The question's bundle; an empty one where a bug is met on the way, which costs this question alone."""
    try:
        return _bundle(run, history, question)
    except ReviewAgentError:  # git's or the machine's: no bug, and not about this one question
        raise
    except Exception as error:  # noqa: BLE001 - the account tells of it
        why = f"its evidence could not be collected, a bug of ours: {type(error).__name__}: {error}"
        bugs.append(Failure(what="search", name=question.rule, path=question.path, detail=why))
        return unsearched(question, why, QueryStatus.FAILED)


def _bundle(run: Run, history: History, question: Question) -> Bundle:
    gather = Gather(question, Allowance(run.policy.budgets))
    plan = [qualified(run, one) for one in question.plan] if is_proposed(question) else question.plan
    answers = [_started(gather, number, query) for number, query in enumerate(plan)]
    due = [answer for answer in answers if answer.status is None]
    for answer in due:
        if answer.query.kind is QueryKind.HISTORY:
            history.answer(answer, gather.allowance)
        elif answer.query.kind in _DIRECT:
            direct(run, answer, gather.allowance)
            if is_proposed(question) and answer.query.kind is QueryKind.DEFINITION:
                by_name(run, answer, gather.allowance)
                delegated(run, answer)
    _searching(run, question, due, gather.allowance)
    for answer in answers:
        gather.keep(answer, run.views[answer.query.side].sources, run.policy.budgets)
    excerpts = read(gather, dict(run.views), run.covered, run.policy.budgets.line_characters)
    found = [one for number in sorted(gather.evidence) for one in gather.evidence[number]]
    evidence = sorted([*found, *excerpts], key=lambda one: (one.query, one.ref.path, one.ref.start_line, one.origin))
    return Bundle(
        question_id=question.question_id,
        evidence=tuple(evidence),
        queries=tuple(answer.result() for answer in answers),
        left_out=gather.everything_left_out(),
        spent=gather.allowance.spent(),
    )


def _marked(bundle: Bundle, snapshot: Snapshot) -> Bundle:
    """The bundle with what lies in or near the change told from what lies outside it."""
    evidence = (one.model_copy(update={"near_change": near_change(one.ref, snapshot)}) for one in bundle.evidence)
    return bundle.model_copy(update={"evidence": tuple(evidence)})


def _started(gather: Gather, number: int, query: PlanQuery) -> Answer:
    """A query before it is answered; one that is not known or not paid for is answered by saying so."""
    answer = Answer(number, query)
    if not gather.allowance.take_query():
        why = f"queries budget of {gather.allowance.budgets.queries} spent"
        answer.leave_out(f"query {query.kind.value} `{query.name}`", why)
        return answer.refuse(QueryStatus.REFUSED, why)
    why = unfit(query)
    return answer.refuse(QueryStatus.FAILED, why) if why else answer


def _searching(run: Run, question: Question, due: Iterable[Answer], allowance: Allowance) -> None:
    lookings: list[Looking] = []
    for answer in due:
        looking = begin(run, answer, question) if answer.query.kind not in _UNSEARCHED else None
        if looking is not None:
            lookings.append(looking)
    choose(run, lookings, allowance)
    for looking in lookings:
        finish(run, looking, allowance)
