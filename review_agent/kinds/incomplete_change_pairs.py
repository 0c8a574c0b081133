"""Rules of ``incomplete_change`` about two functions that undo each other, of which one alone changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    flag,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.occurrences import content, is_text, shape
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import snippet
from review_agent.syntax.roles import opposite, words_of
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name, words_in
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    Evidence,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    SourceRef,
)

__all__ = ["RULES"]


def _function(edit: Edit) -> str:
    """The function that the change is in."""
    return text(edit, "function") or next((one for one in texts(edit, "scopes") if one), edit.scope)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    function = _function(edit)
    scope, _, name = function.rpartition(".")
    if in_test(edit.path) or not name or name == edit.after or not _is_paired(name) or not _forms(edit):
        return None
    same = [one for one in edits if _says(one) == _says(edit)]
    if same[0].edit_id != edit.edit_id or _goes_another_way(edit, name):
        return None
    if edit.op is EditOp.STEP_ADDED and any(
        one.op is EditOp.TEXT_REPLACED and one.path == edit.path and one.after == edit.subject for one in edits
    ):
        return None
    changed = {_function(one).rpartition(".")[2] for one in edits if one.path == edit.path}
    if any(opposite(name, one) for one in changed):
        return None
    done = _said(edit)
    return seed(
        edit,
        "one_of_pair_changed",
        change=f"{code(name)} {done}",
        precondition="the function that undoes it still works as before",
        consequence="the one cannot read what the other makes",
        refuted_if=(
            "its counterpart does the reverse of the new step already",
            f"{code(name)} has no counterpart here",
        ),
        plan=(ask(QueryKind.SIBLINGS, name, path=edit.path, scope=scope),),
        others=same[1:],
    )


def _says(edit: Edit) -> tuple[object, ...]:
    """What a card on an edit would tell: edits of which it is the same are one question."""
    texts = (edit.subject,) if edit.op is EditOp.STEP_ADDED else (edit.before, edit.after)
    return edit.op, edit.path, _function(edit), *texts


def _goes_another_way(edit: Edit, name: str) -> bool:
    """Whether a step is none of the form: one that reads in a function that writes, one that writes in one that reads,
    or one that a reader takes for some of what it gets, which is more than what is written."""
    if edit.op is not EditOp.STEP_ADDED:
        return False
    function, step = (set(words_of(one)) for one in (name, edit.subject))
    reads, writes = bool(function & _READ), bool(function & _WRITE)
    if reads == writes:
        return False
    apart = bool(step & (_WRITE if reads else _READ)) and not step & (_READ if reads else _WRITE)
    return apart or (reads and flag(edit, "conditional"))


_WRITE_WORDS = """
    encode marshal serialize serialise dump dumps pack encrypt compress escape quote write save put push set add
    export format store stringify b64encode hexlify gzip deflate seal
"""
_READ_WORDS = """
    decode unmarshal deserialize deserialise load loads unpack decrypt decompress unescape unquote read restore get
    pop import parse b64decode unhexlify gunzip inflate open
"""
_WRITE, _READ = frozenset(_WRITE_WORDS.split()), frozenset(_READ_WORDS.split())


def _is_paired(name: str) -> bool:
    return _counterpart.search(name) is not None


_counterpart = re.compile(
    r"(?i)(?:en|de)code|(?:un)?marshal|serializ|serialis|dump|load|pack|(?:en|de)crypt|compress|(?:un)?escape|quote|"
    r"read|write|save|restore|put|get|push|pop|open|close|add|remove|set|import|export|to_|from_|parse|format|store"
)


def _forms(edit: Edit) -> bool:
    """Whether the change is one of how a value is formed."""
    if edit.op is EditOp.STEP_ADDED:
        return flag(edit, "forms")
    before, after = edit.before or "", edit.after or ""
    if is_text(before) != is_text(after) or _plain(before) == _plain(after) or "{}" in shape(before):
        return False
    return is_text(before) or any(re.search(rf"{whole_name(after)}[\w.]*\(", line) for line in texts(edit, "texts"))


def _plain(word: str) -> str:
    """A word in one spelling: utf-8 is utf8."""
    return re.sub(r"[\W_]", "", content(word)).lower()


def _said(edit: Edit) -> str:
    if edit.op is EditOp.STEP_ADDED:
        return f"now takes {code(edit.subject)}"
    return f"now uses {snippet(edit.after or '')} for {snippet(edit.before or '')}"


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    name = _function(edit).rpartition(".")[2]
    partners = [
        one
        for one in every(bundle, DefinitionFact, QueryKind.SIBLINGS)
        if one.fact.symbol in ("function", "method") and _undoes(name, one.fact.qualname.rpartition(".")[2])
    ]
    stopped = blocked(bundle, QueryKind.SIBLINGS)
    if not partners:
        where = searched(bundle, QueryKind.SIBLINGS)
        return stopped or unsettled(
            NoFindingCode.NO_CANDIDATE, f"nothing beside {code(name)} undoes what it does; searched: {where}"
        )
    for one in partners:
        body = _body(bundle, one)
        stale = _stale(edit, one, body)
        if stale and body is not None and not body.near_change:
            return (_card(question, one, body, stale),)
    first = partners[0]
    return unsettled(
        NoFindingCode.REFUTED,
        f"{code(first.fact.qualname)} at {place(first.ref)} is not seen to go by what {code(name)} did before",
        refs=[first.ref],
    )


def _undoes(name: str, other: str) -> bool:
    if opposite(name, other):
        return True
    pairs = (
        ("to_", "from_"),
        ("read", "write"),
        ("load", "save"),
        ("load", "store"),
        ("load", "dump"),
        ("parse", "format"),
    )
    return any(name.replace(a, b, 1) == other != name or name.replace(b, a, 1) == other != name for a, b in pairs)


def _body(bundle: Bundle, one: Found[DefinitionFact]) -> Evidence | None:
    start = (one.ref.path, one.ref.side, one.ref.start_line)
    return next(
        (e for e in bundle.evidence if e.origin == "read" and (e.ref.path, e.ref.side, e.ref.start_line) == start), None
    )


def _stale(edit: Edit, partner: Found[DefinitionFact], body: Evidence | None) -> str:
    """What of its old form the counterpart still goes by, "" for nothing."""
    calls = [one.rpartition(".")[2] for one in partner.fact.calls]
    if edit.op is EditOp.STEP_ADDED:
        gone = texts(edit, "replaced")
        if gone and not any(opposite(one, other) for one in gone for other in calls):
            # The step came for another one, which the counterpart never undid.
            return ""
        undone = any(opposite(edit.subject, one) or _same_form(edit.subject, one) for one in calls)
        return "" if undone or body is None else partner.fact.qualname.rpartition(".")[2]
    before, after = edit.before or "", edit.after or ""
    source = body.text if body is not None else ""
    if is_text(before):
        held = [one for one in (f'"{content(before)}"', f"'{content(before)}'") if one in source]
        return held[0] if held and content(after) not in source else ""
    words = set(words_in(source, edit.language))
    if after in words or any(opposite(after, one) for one in words):
        return ""
    return before if before in words else next((one for one in sorted(words) if opposite(before, one)), "")


def _same_form(step: str, other: str) -> bool:
    """Compress undone by a reader of compressed streams: the same library word in both."""
    return step.lower() in other.lower() or other.lower() in step.lower()


def _card(question: Question, partner: Found[DefinitionFact], body: Evidence, stale: str) -> Draft:
    edit = question.edits[0]
    name, other = _function(edit).rpartition(".")[2], partner.fact.qualname.rpartition(".")[2]
    added = edit.op is EditOp.STEP_ADDED
    first = next(
        (n for n, line in enumerate(body.text.splitlines(), body.ref.start_line) if stale in line), body.ref.start_line
    )
    if added:
        claim = (
            f"Adding {code(edit.subject)} to {code(name)} leaves its counterpart {code(other)} behind: "
            f"{code(body.ref.path)} line {body.ref.start_line} has no step that undoes it."
        )
    else:
        claim = (
            f"Changing {snippet(edit.before or '')} to {snippet(edit.after or '')} in {code(name)} leaves its "
            "counterpart "
            f"{code(other)} behind: {code(body.ref.path)} line {first} still goes by {snippet(stale)}."
        )
    return draft(
        question,
        claim=claim,
        op=EffectOp.ADDED if added else EffectOp.CHANGED,
        subject=edit.subject if added else edit.before or "",
        to=None if added else edit.after,
        severity=Severity.IMPORTANT,
        support=[_ref(body)],
        impact="A value makes the way through both: what the first hands over is not what the second takes.",
        counter=(f"A reverse of the new form inside {code(other)} would refute this; its body was read and has none.",),
    )


def _ref(body: Evidence) -> SourceRef:
    return body.ref


RULES = (Rule("one_of_pair_changed", frozenset({EditOp.TEXT_REPLACED, EditOp.STEP_ADDED}), _raise, _settle),)
