"""Edits that a test has to show: a refusal that a function gained, a case that came to those who tell texts apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import islice

from review_agent.syntax.edits.frame import Frame, Sighting
from review_agent.syntax.edits.scopes import CALLABLES, Scopes
from review_agent.syntax.model import Guard, Outline, Raise, Symbol
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import EditOp, FactValue, Side

__all__ = ["find"]

_MOST = 8
_TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`")
# What only passes on a failure that there was before, or says that a place is never reached.
_PASSES_ON = re.compile(r"^(?:err|e|ex|exc|error|[a-z]\w*[eE]rr(?:or)?|cause)$")
_WRAPPED = re.compile(r"%w|[,(]\s*(?:err|e|ex|exc|error|cause)\s*[,)]|\b(?:err|error|ex|exc)\.")
_UNREACHABLE = re.compile(
    r"(?i)NotImplemented|UnsupportedOperation|AssertionError|unreachable|should (?:never|not) happen|unexpected|"
    r"not implemented|internal error|invariant|\bbug\b|ImportError|ModuleNotFound|SystemExit|StopIteration"
)
_REFUSES = re.compile(r"(?i)\b(?:raise|throw|assert\w*|panic|reject|\w*(?:check|require|ensure|valid)\w*)\b|rror")
_FAILURE = re.compile(
    r"(?i)\w*(?:err(?!and)|rais(?:e|ing)|throw|reject|refus|den(?:y|ied)|fail|invalid|illegal|malform|wrong|panic|exception|abort|bad_?|"
    r"unsupported|not_?allowed|missing|must_?not|negative|too_?(?:long|short|many|few|large|small|big|deep))\w*"
)
# How a test says that a call shall not fail.
_NO_FAILURE = re.compile(
    r"if err != nil|if err := .*; err != nil|\berr :?= |, err\b|[(,] ?err\)|\bt\.(?:Error|Fatal)f?\(.*|"
    r"\bvar err error\b|NoError\w*\(|throws (?:\w*Exception(?:, )?)+"
)
_CASES = (
    re.compile(r"^(?P<at>\s*)case\s+(?P<names>.+?)\s*(?::(?!:)|->)"),
    re.compile(
        r"^(?P<at>\s*)(?:\}\s*)?(?:el)?(?:se )?if\s*\(?\s*[\w.]+\s*={2,3}\s*(?P<names>[\"'][\w.\-/]+[\"'])\s*\)?\s*[:{]"
    ),
)
# A line that makes an option of a command line; one with a letter for short may be given by that in a test.
_FLAG = re.compile(
    r"""(?:\.Flag\(|Flags\(\)\.\w*[a-z0-9](?:Var)?\(|\b(?:add_argument|add_option|option)\()\s*(?:&[\w.]+,\s*)?["'](?P<name>-{0,2}[a-z][\w.\-]+)["']"""
)
_FLAG_LINE = re.compile(r"""^\s+["'](?P<name>--[a-z][\w.\-]+)["'],?\s*$""")
_SHORT = re.compile(r"""["']-\w["']|\.Short\(|\bVarP\(|[a-z]P\(""")
_QUOTED = re.compile(r"""^["']([\w.\-/]+)["']$""")
_AROUND = 200


def find(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """refusal_added and case_added; of tests failure_expected."""
    if in_test(frame.path):
        yield from _failures(frame)
        return
    known = {" ".join(one.text.split()) for one in frame.old_outline.raises}
    refusals = (_refusal(frame, scopes, one, known) for one in frame.new_outline.raises)
    yield from islice((found for found in refusals if found is not None), _MOST)
    yield from islice(_cases(frame, scopes), _MOST)
    yield from islice(_flags(frame, scopes), _MOST)


def _failures(frame: Frame) -> Iterator[Sighting]:
    """The first new line of a test that speaks of a failure, other than that there shall be none."""
    for line in sorted(frame.new):
        text = frame.new_lines[line - 1]
        hit = _FAILURE.search(_NO_FAILURE.sub(" ", text))
        spot = frame.spot((Side.NEW, (line, line)))
        if hit is not None and spot is not None:
            yield Sighting(EditOp.FAILURE_EXPECTED, spot, "", hit[0], None, text.strip()[:200], {})
            return


def _refusal(frame: Frame, scopes: Scopes, one: Raise, known: Set[str]) -> Sighting | None:
    before = scopes.old_of.get(one.scope, "")
    function = scopes.new_symbols.get(one.scope)
    if function is None or not frame.old_lines or not _is_new(frame, one, known):
        return None
    guard = _guard(frame, one, before)
    spot = frame.spot((Side.NEW, (one.start, one.end)))
    said = _message(frame, one)
    if guard is None or spot is None or not said:
        return None
    facts: dict[str, FactValue] = {
        "function": one.scope,
        "symbolKind": function.kind,
        "exported": function.exported,
        "test": guard.test,
        "message": said,
        "type": one.type,
    }
    return Sighting(EditOp.REFUSAL_ADDED, spot, one.scope, one.type, None, " ".join(one.text.split())[:200], facts)


def _is_new(frame: Frame, one: Raise, known: Set[str]) -> bool:
    """Whether it fails for a reason of its own, that the file did not have before."""
    text = " ".join(one.text.split())
    own = bool(one.type) and not one.in_handler and not _PASSES_ON.match(one.type)
    passes = (one.wraps and _PASSES_ON.match(one.wraps)) or _WRAPPED.search(text) or _UNREACHABLE.search(text)
    return own and not passes and text not in known and all(line in frame.new for line in range(one.start, one.end + 1))


def _guard(frame: Frame, one: Raise, before: str) -> Guard | None:
    """The innermost condition around it, where the change brought that too and it tests no error."""
    around = [
        guard
        for guard in frame.new_outline.guards
        if guard.scope == one.scope and guard.start <= one.start and one.end <= guard.end
    ]
    inner = max(around, key=lambda guard: guard.start, default=None)
    if inner is None or inner.start not in frame.new or inner.test_kind == "error":
        return None
    stood = _tested(frame.old_outline, before, inner.test) if before else 0
    came = _tested(frame.new_outline, one.scope, inner.test) > stood
    if re.search(r"\berr\b", inner.test) or not came or _stood(frame, inner):
        return None
    return inner


def _tested(outline: Outline, scope: str, test: str) -> int:
    """How often a function tests the same."""
    own = (" ".join(guard.test.split()) for guard in outline.guards if guard.scope == scope)
    return sum(1 for one in own if one == " ".join(test.split()))


def _stood(frame: Frame, guard: Guard) -> bool:
    """Whether what gave way to it refused already."""
    run = frame.run_of(Side.NEW, guard.start)
    return run is not None and any(_REFUSES.search(frame.text(Side.OLD, n, n)) for n in run.old)


def _message(frame: Frame, one: Raise) -> str:
    """The longest text in what it raises: adjoining texts are one."""
    text = re.sub(r"([\"'])\s*\+?\s*\n\s*[fFrRbB]?\1", "", frame.text(Side.NEW, one.start, one.end))
    found = [
        next(part for part in hit.groups() if part is not None) for hit in _TEXT.finditer(text) if any(hit.groups())
    ]
    return max(found, key=len, default="")[:300]


def _cases(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    functions = [one for one in frame.new_outline.symbols if one.kind in CALLABLES]
    for line in sorted(frame.new):
        for shape in _CASES:
            hit = shape.match(frame.new_lines[line - 1])
            inside = [one for one in functions if one.start < line <= one.end] if hit is not None else []
            if hit is not None and inside:
                scope = max(inside, key=lambda one: one.start)
                yield from _case(frame, scopes, scope, line, shape, hit)


def _case(
    frame: Frame, scopes: Scopes, scope: Symbol, line: int, shape: re.Pattern[str], hit: re.Match[str]
) -> Iterator[Sighting]:
    if scope.qualname not in scopes.old_of:
        return
    beside = _beside(frame, scope, line, shape, hit["at"])
    spot = frame.spot((Side.NEW, (line, line)))
    for name in _names(hit["names"]):
        stood = any(re.search(rf"""["']{re.escape(name)}["']""", text) for text in frame.old_lines)
        if stood or spot is None or not beside:
            continue
        facts: dict[str, FactValue] = {"form": "case", "function": scope.qualname, "beside": beside}
        text = frame.new_lines[line - 1].strip()[:200]
        yield Sighting(EditOp.CASE_ADDED, spot, scope.qualname, name, None, text, facts)


def _names(listed: str) -> tuple[str, ...]:
    """The texts of one case; none where it is told by something else."""
    hits = [_QUOTED.match(part.strip()) for part in re.split(r"[,|]", listed)]
    return tuple(hit[1] for hit in hits if hit is not None)


def _beside(frame: Frame, scope: Symbol, line: int, shape: re.Pattern[str], at: str) -> tuple[str, ...]:
    """The cases that stood in the same switch or chain before, the nearest first."""
    found: list[str] = []
    for step in (-1, 1):
        for n in range(line + step, line + step * _AROUND, step):
            if not scope.start < n <= scope.end:
                break
            text = frame.new_lines[n - 1]
            own = shape.match(text)
            if own is not None and own["at"] == at and n not in frame.new:
                found += _names(own["names"])
            elif text.strip() and _ends(text, at):
                break
    return tuple(dict.fromkeys(found))


def _ends(text: str, at: str) -> bool:
    """Whether a line is no part of the switch or chain any more."""
    depth = len(text) - len(text.lstrip())
    return depth < len(at) or (depth == len(at) and re.match(r"\s*(?:case|default|el|\}|if|//|#|/?\*)", text) is None)


def _flags(frame: Frame, scopes: Scopes) -> Iterator[Sighting]:
    """Options of a command line that came to others of the same file."""
    stood = {name: n for n, text in enumerate(frame.new_lines, 1) if n not in frame.new and (name := _flag(text))}
    for line in sorted(frame.new):
        name, spot = _flag(frame.new_lines[line - 1]), frame.spot((Side.NEW, (line, line)))
        if not name or spot is None or any(name in old for old in frame.old_lines) or _has_letter(frame, line):
            continue
        near = [one for one in stood if abs(stood[one] - line) <= _AROUND]
        function = _function(frame, line)
        facts: dict[str, FactValue] = {
            "form": "flag",
            "function": function,
            "beside": tuple(sorted(near, key=lambda one: abs(stood[one] - line)))[:_MOST],
        }
        if near and function in scopes.old_of:
            text = frame.new_lines[line - 1].strip()[:200]
            yield Sighting(EditOp.CASE_ADDED, spot, function, name, None, text, facts)


def _function(frame: Frame, line: int) -> str:
    inside = [one for one in frame.new_outline.symbols if one.kind in CALLABLES and one.start <= line <= one.end]
    return max(inside, key=lambda one: one.start).qualname if inside else ""


def _has_letter(frame: Frame, line: int) -> bool:
    """Whether an option can be given by one letter too."""
    own = frame.new_lines[line - 1]
    around = [one for n in (line - 2, line) if n < len(frame.new_lines) and not _flag(one := frame.new_lines[n])]
    return any(_SHORT.search(one) for one in (own, *around))


def _flag(text: str) -> str:
    """The option that a line makes, "" for none."""
    hit = _FLAG.search(text) or _FLAG_LINE.search(text)
    return hit["name"].lstrip("-") if hit is not None else ""
