"""What waits for work that was started without waiting for it: for a kept promise, or for what a call is handed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.kinds.absence import unread
from review_agent.kinds.base import Found, Unsettled, code, found, place, text, texts, unsettled
from review_agent.kinds.bodies import Body, body_at, calls_in, has_word, whole_of
from review_agent.kinds.functions import called, function_of
from review_agent.syntax.code import HIDING, read_lines
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Edit,
    EditOp,
    NoFindingCode,
    QueryKind,
    Question,
    Side,
    SourceRef,
    UseFact,
)

__all__ = ["JOINS", "TAKES_OVER", "waited_for", "work_in"]

_TAKERS = (
    r"create_task|ensure_future|gather|wait|wait_for|as_completed|run_until_complete|run_coroutine_threadsafe|"
    r"spawn|start_soon|all|allSettled|race|any|waitUntil|shield|TaskGroup"
)
# Who is handed a call that is not awaited, and waits for it or keeps it.
TAKES_OVER = re.compile(rf"(?:{_TAKERS}|push|append)$")
JOINS = re.compile(r"^(?:Promise\.(?:all|allSettled)|asyncio\.(?:gather|wait|sleep))$")
# By their whole names: of these is known that they wait for each thing that they are given.
_WAITS = re.compile(rf"(?:^|\.)(?:{_TAKERS})$|^asyncio\.run$")
# What stands in front of a name, and behind it, where the name is all that a function returns.
_RETURNED = re.compile(r"(?:^|[\s;{)])return\s+(?:await\s+)?\(?(?:[^({\[]*(?:\?|:|&&|\|\|)\s*)?$")
_ENDS = re.compile(r"\)?\s*(?:!|\bas\b[^,]*?)?\s*(?:[;:}]|\|\||\?\?|$)")
_AWAITED = re.compile(r"\bawait[\s(]*$")
_GOES_ON = re.compile(r"\s*\??\.(?:then|catch|finally)\b")


def work_in(edit: Edit) -> tuple[str, ...]:
    """What a joining call is given to wait for: callees and functions in its arguments."""
    if not JOINS.match(edit.subject):
        return ()
    written = " ".join(texts(edit, "arguments"))
    mapped = re.findall(r"\.map\(\s*([\w.]+)\s*\)", written)
    return tuple(dict.fromkeys([*mapped, *re.findall(r"(?<![\w.\])])([A-Za-z_][\w.]*)\(", written)]))[:2]


def waited_for(question: Question, bundle: Bundle) -> Unsettled | None:
    """Why the work is waited for still, or may be; null where nothing is seen to wait."""
    return _kept(question, bundle) or _moved(question, bundle)


def _kept(question: Question, bundle: Bundle) -> Unsettled | None:
    """What becomes of the name that the promise has. One that is taken apart is none any more: its parts are empty."""
    edit = question.edits[0]
    name = next(iter(texts(edit, "targets")), "")
    if not name or text(edit, "result") == "unpacked":
        return None
    uses = [one for one in found(bundle, UseFact, QueryKind.USES_INSIDE, name) if one.fact.use != "write"]
    for one in uses:
        if _asks(one, name):
            return None
        if _waits(one, name, edit.language):
            detail = f"{place(one.ref)} waits for what {code(edit.subject)} returned"
            return unsettled(NoFindingCode.REFUTED, detail, refs=[one.ref])
    handed = ((one, _handed(one, name, edit.language)) for one in uses)
    return next((_unknown(edit, taker, one.ref) for one, taker in handed if taker), None)


def _asks(one: Found[UseFact], name: str) -> bool:
    """Whether a member is asked of a promise before anything waits for it."""
    behind = one.fact.text.removeprefix(name)
    return behind.startswith(".") and not _GOES_ON.match(behind) and not behind.startswith(".add_done_callback")


def _waits(one: Found[UseFact], name: str, language: str) -> bool:
    """Whether a line waits for a name itself: a member of a promise is no promise, but nothing at all."""
    line = _read(one.evidence.text, language)
    if re.search(rf"(?<![\w$.]){re.escape(name)}\s*\??\.(?:then|add_done_callback)\(", line):
        return True
    for start, end in _whole(line, name):
        returned = language != "python" and _RETURNED.search(line[:start]) and _ENDS.match(line[end:])
        if returned or _AWAITED.search(line[:start]):
            return True
    takers = [call for given in one.fact.given_to for call in calls_in(given)][:8]
    return any(_WAITS.search(call.callee) and any(_gives(arg, name, language) for arg in call.args) for call in takers)


def _handed(one: Found[UseFact], name: str, language: str) -> str:
    """The awaited call that is given the name itself; "" for none."""
    line = _read(one.evidence.text, language)
    for call in calls_in(line):
        if _awaits(line, call.callee, "await") and any(_gives(arg, name, language) for arg in call.args):
            return call.callee
    return ""


def _moved(question: Question, bundle: Bundle) -> Unsettled | None:
    """Whether the work left the function, or a call there that is waited for is handed the work."""
    edit = question.edits[0]
    name = called(function_of(edit))[1]
    named = [one for one in found(bundle, DefinitionFact, QueryKind.DEFINITION, name) if one.ref.side is Side.NEW]
    own = [one for one in named if (one.ref.path, one.fact.qualname) == (edit.path, function_of(edit))]
    if len(own) != 1:
        return None
    body = whole_of(bundle, own[0].ref) or body_at(bundle, edit.path, own[0].ref.start_line)
    work = work_in(edit) if edit.op is EditOp.CALL_REMOVED else (edit.subject,)
    if not any(has_word(said, one) for one in work for said in (*own[0].fact.calls, body.text if body else "")):
        detail = f"{code(name)} at {place(own[0].ref)} does not call {code(work[0])} any more"
        return unread(bundle, own) or unsettled(NoFindingCode.REFUTED, detail, refs=[own[0].ref])
    takers = _takers(body, work, edit.language) if body else []
    known = next((one for one in takers if _WAITS.search(one)), "")
    if known:
        detail = f"{code(known)} in {code(name)} is handed {code(work[0])} and awaited: {place(own[0].ref)}"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[own[0].ref])
    return _unknown(edit, takers[0], own[0].ref) if takers else None


def _takers(body: Body, work: Sequence[str], language: str) -> list[str]:
    """The calls of a function that are waited for and are given the work itself, in order."""
    lines = dict(body.lines)
    return [
        call.callee
        for call in body.calls
        if _awaits(lines.get(call.line, ""), call.callee)
        and any(_gives(_read(arg, language), one, language) for arg in call.args for one in work)
    ]


def _unknown(edit: Edit, taker: str, ref: SourceRef) -> Unsettled:
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(taker)}, which is handed {code(edit.subject)} or what it returned, may wait for it: {place(ref)}",
        missing=(f"whether {code(taker)} waits for what it is given",),
        refs=[ref],
    )


def _awaits(line: str, callee: str, words: str = "await|return") -> bool:
    return re.search(rf"\b(?:{words})\s+(?:\w+\s+)?{re.escape(callee)}\s*\(", line) is not None


def _gives(arg: str, name: str, language: str) -> bool:
    """Whether an argument is the thing itself, or has it in a list or a callback; not a member of it, nor a text."""
    return any(True for _ in _whole(_read(arg, language), name))


def _read(line: str, language: str) -> str:
    return read_lines((line,), language)[0] if language in HIDING else line


def _whole(line: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a name or what a call of it gives stands as a whole: with no member asked of it, and as no key."""
    for match in re.finditer(rf"(?<![\w$.]){re.escape(name)}(?![\w$])", line):
        end = _after_call(line, match.end())
        before, behind = line[: match.start()].rstrip(), line[end:].lstrip()
        is_key = behind.startswith(":") and before.endswith(("{", ","))
        is_keyword = behind.startswith("=") and not behind.startswith(("==", "=>"))
        asked = behind.startswith((".", "?.", "[")) and not _GOES_ON.match(behind)
        if not (is_key or is_keyword or asked):
            yield match.start(), end


def _after_call(line: str, at: int) -> int:
    """Where the call ends that begins behind a name; the name's own end where none does."""
    opened = re.match(r"\s*(?:\?\.)?\(", line[at:])
    depth = 0
    for index in range(at, len(line) if opened else at):
        depth += (line[index] in "([{") - (line[index] in ")]}")
        if depth == 0 and line[index] == ")":
            return index + 1
    return len(line) if opened else at
