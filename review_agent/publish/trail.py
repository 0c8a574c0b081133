"""The whole trail of a run as text: how each question ended; what was changed, asked, searched, read and refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from review_agent.counting import counted
from review_agent.errors import UsageError
from review_agent.publish.account import reviewed_text
from review_agent.publish.safe import terminal
from review_agent.publish.trail_answers import (
    amended_lines,
    answer_lines,
    answers_by_question,
    idle_lines,
    proposal_lines,
)
from review_agent.publish.trail_calls import call_lines
from review_agent.runlog import RunState
from review_agent.stages.account import document, records
from review_agent.vocabulary import (
    Bundle,
    Coverage,
    Edit,
    Evidence,
    FileChange,
    Phase,
    QueryResult,
    Question,
    ReviewDocument,
    Skipped,
    SkipRule,
    SourceRef,
    only_rules,
)

__all__ = ["trail_text"]

_SHORTEST = 4  # characters of an id that name it


def trail_text(state: RunState, only: Sequence[str] = ()) -> str:
    """What the run is and how each question ended, then every step, file by file and question by question.

    ``only`` narrows the steps to questions of a kind, a rule, or the start of a question's or its card's id. Ends with
    a newline. Raises UsageError for a word that narrows to nothing.
    """
    attempt = state.attempts[-1] if state.attempts else ""
    whole = document(state, attempt)
    every = records(state, Phase.COMPILE, "question", Question)
    chosen = _chosen(every, whole, only)
    hunks = {question.hunk_id for question in chosen} if only else None
    refused = proposal_lines(state) if not only else ()
    parts = [_head(state, whole), _index(chosen, whole), refused, _files(state, whole.coverage, hunks)]
    return "\n".join(line for part in (*parts, _questions(state, whole, chosen)) for line in part) + "\n"


def _chosen(every: Sequence[Question], whole: ReviewDocument, only: Sequence[str]) -> list[Question]:
    cards = {card.card_id: card.question_id for card in whole.outcomes.cards}
    chosen: set[str] = set()
    for word in only:
        of_cards = {question for card, question in cards.items() if len(word) >= _SHORTEST and card.startswith(word)}
        found = {
            one.question_id
            for one in every
            if word in (one.kind, one.rule)
            or one.question_id in of_cards
            or (len(word) >= _SHORTEST and one.question_id.removeprefix("q-").startswith(word.removeprefix("q-")))
        }
        if not found:
            kinds = ", ".join(sorted({one.kind for one in every})) or "no question at all"
            hint = f"give a kind, a rule, or the start of a question's or a card's id; this run asked {kinds}"
            raise UsageError(f"no question of this run is {word!r}", hint=hint)
        chosen |= found
    return [one for one in every if one.question_id in chosen or not only]


def _index(chosen: Sequence[Question], whole: ReviewDocument) -> Iterable[str]:
    """One line a question: where, by which rule, and how it ended."""
    yield counted(len(chosen), "question")
    for one in chosen:
        ends = ", ".join(_ended(one.question_id, whole)) or "not ended"
        yield terminal(f"  {one.question_id}  {one.kind} · {one.rule} · {one.path}:{one.anchor.start_line} → {ends}")
    yield ""


def _ended(question_id: str, whole: ReviewDocument) -> Iterable[str]:
    outcomes = whole.outcomes
    yield from (f"card {c.card_id[:8]} {c.severity}" for c in outcomes.cards if c.question_id == question_id)
    yield from (f"no finding {one.code}" for one in outcomes.no_findings if one.question_id == question_id)
    yield from (f"rejection {one.ordinal}" for one in outcomes.rejections if one.question_id == question_id)
    yield from (f"unanswered {one.cause}" for one in outcomes.unanswered if one.question_id == question_id)
    yield from ("suppressed" for one in outcomes.suppressed if one.question_id == question_id)


def _head(state: RunState, whole: ReviewDocument) -> list[str]:
    started = state.started
    ended = ", ".join(phase for phase in Phase if phase in state.completed)
    lines = [
        f"review {started['reviewId'][:12]} · {whole.run.status} · {counted(len(state.attempts), 'attempt')}",
        f"  compared   {terminal(started['chosen'])}",
        f"  commits    merge base {started['mergeBase'][:12]} · head {started['head'][:12]}",
        f"  policy     {started['policyHash'][:12]} · {terminal(started['policySource'])}",
        f"  engine     {started['engine']} · product {started['product']}",
        f"  phases     {ended or 'none ended'}",
        f"  coverage   {reviewed_text(whole.coverage)}",
    ]
    if remembered := started.get("remembered", {}).get("rejections"):
        lines.append(f"  memory     {counted(len(remembered), 'rejection')} that could matter to this change")
    lines += call_lines(state.calls, 0 if only_rules(str(started["engine"])) else sum(state.torn))
    lines += [
        terminal(f"  failed     {one.what} {one.name}{f' · {one.path}' if one.path else ''}: {one.detail}")
        for one in whole.coverage.failures
    ]
    lines += [
        terminal(f"  no model   {one.path}: {one.detail}")
        for one in whole.outcomes.skipped
        if one.rule is SkipRule.PART_CAP
    ]
    if state.stopped:
        lines.append(f"  stopped    {state.stopped['status']}: {terminal(str(state.stopped.get('detail', '')))}")
    return [*lines, ""]


def _files(state: RunState, coverage: Coverage, hunks: Container[str] | None) -> Iterable[str]:
    """Files with their hunks and edits; of ``hunks`` alone where they are given."""
    edits = defaultdict(list)
    for edit in records(state, Phase.COMPILE, "edit", Edit):
        edits[edit.hunk_id].append(edit)
    skips = records(state, Phase.COMPILE, "skipped", Skipped)
    for file in records(state, Phase.SNAPSHOT, "file", FileChange):
        shown = [hunk for hunk in file.hunks if hunks is None or hunk.hunk_id in hunks]
        if hunks is not None and not shown:
            continue
        origin = f" (from {terminal(file.old_path)})" if file.old_path != file.path else ""
        yield f"file {terminal(file.path)}{origin} · {file.status} · {counted(len(file.hunks), 'hunk')}"
        yield from (
            f"  skipped {skip.rule} {terminal(skip.detail)}".rstrip()
            for skip in skips
            if skip.path == file.path and skip.hunk_id is None and skip.question_id is None
        )
        yield from (f"  failed {terminal(one.detail)}" for one in coverage.failed if one.path == file.path)
        if file.path in coverage.line_facts_only:
            yield "  read by lines only, without a parse"
        for hunk in shown:
            rule = next((s.rule for s in skips if s.hunk_id == hunk.hunk_id and s.question_id is None), None)
            note = f" · skipped {rule}" if rule else ""
            yield f"  hunk -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count}{note}"
            yield from (f"    edit {_edit(edit)}" for edit in edits[hunk.hunk_id])
    yield ""


def _edit(edit: Edit) -> str:
    change = f" · {edit.before or '∅'} → {edit.after or '∅'}" if edit.before or edit.after else ""
    where = f"{edit.side} {edit.start_line}" + (f"–{edit.end_line}" if edit.end_line != edit.start_line else "")
    subject = f" {edit.subject}" if edit.subject else ""
    return terminal(f"{edit.op}{subject} · in {edit.scope or 'module'} · {where}{change}")


def _questions(state: RunState, whole: ReviewDocument, chosen: Iterable[Question]) -> Iterable[str]:
    bundles = {bundle.question_id: bundle for bundle in records(state, Phase.COLLECT, "bundle", Bundle)}
    answers = answers_by_question(state)
    for question in chosen:
        yield from _question(question)
        if question.question_id in bundles:
            yield from _bundle(bundles[question.question_id])
        yield from (line for answer in answers.get(question.question_id, ()) for line in answer_lines(answer))
        yield from amended_lines(question.question_id, state)
        yield from idle_lines(question.question_id, state)
        yield from (f"  {line}" for line in _ends(question.question_id, whole))
        yield ""


def _question(question: Question) -> Iterable[str]:
    place = f"{question.path}:{question.anchor.start_line}"
    yield terminal(
        f"question {question.question_id} · {question.kind} · {question.rule} · {place} · risk {question.risk}"
    )
    yield terminal(f"  change        {question.change}")
    yield terminal(f"  precondition  {question.precondition}")
    yield terminal(f"  consequence   {question.consequence}")
    yield from (terminal(f"  refuted if    {text}") for text in question.refuted_if)


def _bundle(bundle: Bundle) -> Iterable[str]:
    for number, result in enumerate(bundle.queries):
        yield terminal(f"  query {_query(result)}")
        yield from (f"    {_evidence(item)}" for item in bundle.evidence if item.query == number)
    yield from (terminal(f"  left out {item.what}: {item.why}") for item in bundle.left_out)
    spent = bundle.spent
    yield (
        f"  spent {counted(spent.queries, 'query', 'queries')}, {counted(spent.candidate_files, 'candidate file')}, "
        f"{counted(spent.files_read, 'file')} and {counted(spent.lines_read, 'line')} read"
    )


def _query(result: QueryResult) -> str:
    query = result.query
    at = f" in {query.scope or query.path}" if query.scope or query.path else ""
    counts = (
        f"{counted(result.hits, 'hit')}: {result.resolved} resolved, {result.ambiguous} ambiguous, "
        f"{result.unresolved} unresolved"
    )
    cut = " · cut" if result.truncated else ""
    note = f" · {result.note}" if result.note else ""
    return f"{query.kind}({query.name}){at} · {result.status} · {result.searched} · {counts}{cut}{note}"


def _evidence(item: Evidence) -> str:
    facts = "; ".join(f"{getattr(f, 'resolution', '')} {getattr(f, 'reason', '')}".strip() for f in item.facts)
    first = item.text.split("\n", 1)[0].strip()
    return terminal(f"{item.origin} {_place(item.ref)} {item.ref.role}: {first[:120]}{f'  [{facts}]' if facts else ''}")


def _place(ref: SourceRef) -> str:
    last = f"–{ref.end_line}" if ref.end_line != ref.start_line else ""
    return f"{ref.path}:{ref.start_line}{last}"


def _ends(question_id: str, whole: ReviewDocument) -> Iterable[str]:
    outcomes = whole.outcomes
    for card in outcomes.cards:
        if card.question_id == question_id:
            yield f"card {card.card_id[:8]} · {card.severity} · {card.confidence} · passed the contract"
            yield from (terminal(f"  check {v.kind}: {v.command_or_procedure}") for v in card.verification)
    for finding in outcomes.no_findings:
        if finding.question_id == question_id:
            yield terminal(f"no finding {finding.code}: {finding.detail}")
            yield from (terminal(f"  missing {text}") for text in finding.missing)
            yield from (f"  defeated by {_place(ref)}" for ref in finding.refs)
    for rejection in outcomes.rejections:
        if rejection.question_id == question_id:
            yield f"rejection of draft {rejection.ordinal}"
            yield from (terminal(f"  {reason.code}: {reason.detail}") for reason in rejection.reasons)
    for suppressed in outcomes.suppressed:
        if suppressed.question_id == question_id:
            yield terminal(f"suppressed {suppressed.card.card_id[:8]} · {suppressed.card.claim}")
            yield terminal(f"  {suppressed.detail}")
    for unanswered in outcomes.unanswered:
        if unanswered.question_id == question_id:
            yield terminal(f"unanswered {unanswered.cause}: {unanswered.detail}")
