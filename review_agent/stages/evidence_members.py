"""Members and keys: the life of an object's own state, who writes and reads a key, what stands beside a symbol."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import replace
from posixpath import dirname

from review_agent.stages.evidence_budget import Allowance
from review_agent.stages.evidence_gather import Answer, Found
from review_agent.stages.evidence_references import call_fact, use_fact
from review_agent.stages.evidence_run import Run
from review_agent.stages.evidence_view import View
from review_agent.stages.readers.facts import definition_fact, definition_found
from review_agent.syntax.languages import PARSED, family_of, language_of
from review_agent.syntax.model import MemberUse, NameUse, Outline
from review_agent.syntax.resolution import Verdict
from review_agent.syntax.surroundings import held_at, raised_in
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import QueryStatus, Resolution, UseFact

__all__ = ["calls_on", "function_around", "key_uses", "lifetime", "siblings"]

_KEYS = frozenset({"key_read", "key_write", "key_tag"})
_NAMING = frozenset({"import", "parameter", "keyword", "export"})


def lifetime(run: Run, answer: Answer, allowance: Allowance) -> None:
    """Every use of a member (``*``: of any) on the object itself, in the methods of its type (``scope``); Go: in the
    whole package."""
    query, view = answer.query, run.views[answer.query.side]
    answer.searched = f"methods of `{query.scope}` in `{query.path}`"
    for path in _homes(view, query.path, query.scope, query.name):
        if not allowance.take_candidate(path):
            answer.cut = True
            answer.leave_out(f"uses of `{query.name}` in {path}", "candidate_files budget spent")
            continue
        answer.files += 1
        index = view.index(path)
        if index is None:
            answer.cut = True
            answer.leave_out(f"uses of `{query.name}` in {path}", view.why_no_index(path))
            continue
        uses = (one for one in index.outline.member_uses if _is_of(one, query.scope, query.name))
        answer.found += [_member_found(index.outline, path, one) for one in uses]
    answer.hits = len(answer.found)


def _homes(view: View, path: str, owner: str, name: str) -> list[str]:
    """The files that can hold methods of a type declared in a file: in Go those of the package that its text shows to
    have one, and to name the member."""
    if family_of(path) != "go":
        return [path]
    others = [one for one in view.files(dirname(path)) if one.endswith(".go") and not in_test(one) and one != path]
    method = re.compile(rf"(?m)^func \(\s*(?:\w+\s+)?\*?{whole_name(owner)}")
    member = re.compile(r"" if name == "*" else rf"\.{whole_name(name)}")
    texts = ((one, view.text(one) or "") for one in others)
    return [path, *(one for one, said in texts if method.search(said) and member.search(said))]


def _is_of(use: MemberUse, owner: str, name: str) -> bool:
    return use.owner == owner and (name == "*" or use.path == name or use.path.startswith(f"{name}."))


def _member_found(outline: Outline, path: str, use: MemberUse) -> Found:
    fact = UseFact(
        resolution=Resolution.RESOLVED,
        reason=f"a member of `{use.owner}` on the object itself",
        use=use.act,
        text=use.path,
        scope=use.scope,
        guarded_by=None,
        in_test=in_test(path),
        held=held_at(outline, use.scope, use.line),
    )
    return Found(path, use.line, use.line, (fact,), in_test(path))


def key_uses(view: View, path: str, name: str, lines: Container[int]) -> Iterator[Found]:
    """Who writes and reads a key in one file: string keys as such, members of that name as what they may be."""
    index = view.index(path)
    if index is None:
        return
    for use in view.uses(path, name):
        if _taken_apart(view, path, use):
            fact = use_fact(replace(use, use="key_read"), _TAKEN, path, outline=index.outline)
            yield Found(path, use.line, use.line, (fact,), in_test(path))
            continue
        if use.use == "keyword" and _makes_key(view, path, use):
            fact = use_fact(replace(use, use="key_write"), _KEYWORD, path, outline=index.outline)
            yield Found(path, use.line, use.line, (fact,), in_test(path))
        if use.use in _NAMING or (use.use not in _KEYS and not use.receiver and use.use != "definition"):
            continue
        fact = use_fact(use, _key_verdict(use), path, outline=index.outline)
        yield Found(path, use.line, use.line, (fact,), in_test(path))
    for one in index.outline.sqls:
        line = next((at for at in range(one.start, one.end + 1) if at in lines), None)
        if line is not None:
            yield Found(path, line, line, (_sql_fact(one.text, one.scope, path),), in_test(path))


# What makes a record of its keywords in Python.
_MADE_OF_KEYWORDS = re.compile(r"(?:^|[^\w.])(?:dict|OrderedDict|jsonify)\(|\.update\(")
_KEYWORD = Verdict(Resolution.RESOLVED, "a record is made with this keyword for a key")
_TAKEN = Verdict(Resolution.RESOLVED, "an object is taken apart by that name")


def _makes_key(view: View, path: str, use: NameUse) -> bool:
    """Whether a keyword is the key of a record: in an object of JavaScript, in a call that makes a dictionary."""
    return family_of(path) == "javascript" or _MADE_OF_KEYWORDS.search(_line(view, path, use)) is not None


def _taken_apart(view: View, path: str, use: NameUse) -> bool:
    """Whether a JavaScript pattern takes a member of that name: ``const { total } = order``, ``({ total }) =>``."""
    if family_of(path) != "javascript" or use.receiver or use.use in _KEYS | {"import", "export", "call"}:
        return False
    line, name = _line(view, path, use), re.escape(use.name)
    pattern = rf"\{{[^{{}}]*(?<![\w$.:]){name}\s*(?:[,}}=]|:\s*\w+\s*[,}}])[^{{}}]*\}}?\s*(?:=(?![=>])|\)|:\s*[A-Z{{])"
    declared = re.match(r"\s*(?:export\s+)?(?:const|let|var|async|function|\()", line) or "=>" in line
    return bool(declared) and re.search(pattern, line) is not None and "require(" not in line


def _line(view: View, path: str, use: NameUse) -> str:
    source = view.source(path)
    return source.lines[use.line - 1] if source and use.line <= len(source.lines) else ""


def _key_verdict(use: NameUse) -> Verdict:
    if use.use in _KEYS:
        return Verdict(Resolution.RESOLVED, "the key stands here as a string")
    if use.use == "definition":
        return Verdict(Resolution.RESOLVED, "a member of that name is defined here")
    return Verdict(Resolution.AMBIGUOUS, f"a member of `{use.receiver}`, whose type was not followed")


def _sql_fact(text: str, scope: str, path: str) -> UseFact:
    return UseFact(
        resolution=Resolution.RESOLVED,
        reason="the name stands in this SQL statement",
        use="sql",
        text=text,
        scope=scope,
        guarded_by=None,
        in_test=in_test(path),
    )


def calls_on(view: View, path: str, line: int) -> Iterator[Found]:
    """The calls that a line is part of, where its file is parsed."""
    index = view.index(path) if language_of(path) in PARSED else None
    if index is None:
        return
    verdict = Verdict(Resolution.RESOLVED, "a call on a line that holds the text")
    for call in index.outline.calls:
        if call.start <= line <= call.end:
            fact = call_fact(call, verdict, path, index.outline)
            yield Found(path, call.start, call.end, (fact,), in_test(path))


def function_around(view: View, path: str, line: int) -> tuple[str, tuple[str, ...]]:
    """The function that a line stands in, and what it raises; nothing where its file is not parsed."""
    index = view.index(path) if language_of(path) in PARSED else None
    symbols = index.outline.symbols if index else ()
    around = [one for one in symbols if one.kind in ("function", "method") and one.start <= line <= one.end]
    if not around or index is None:
        return "", ()
    scope = max(around, key=lambda one: one.start).qualname
    return scope, raised_in(index.outline, scope)


def siblings(run: Run, answer: Answer) -> None:
    """What stands beside: for ``receiver.name`` the file's other calls on that receiver, else the symbols in the same
    scope (``scope``; "" for the module)."""
    query, view = answer.query, run.views[answer.query.side]
    index = view.index(query.path)
    answer.searched, answer.files = f"`{query.path}`", 1
    if index is None:
        answer.refuse(QueryStatus.FAILED, view.why_no_index(query.path))
        return
    receiver = query.name.rpartition(".")[0]
    answer.found = list(
        _calls_beside(index.outline, query.path, receiver)
        if receiver
        else _symbols_beside(view, query.path, query.scope)
    )
    answer.hits = len(answer.found)


def _calls_beside(outline: Outline, path: str, receiver: str) -> Iterator[Found]:
    for call in outline.calls:
        if call.receiver == receiver:
            verdict = Verdict(Resolution.RESOLVED, f"a call on `{receiver}` in the same file")
            fact = call_fact(call, verdict, path, outline)
            yield Found(path, call.start, call.end, (fact,), in_test(path))


def _symbols_beside(view: View, path: str, scope: str) -> Iterator[Found]:
    index = view.index(path)
    beside = [one for one in index.outline.symbols if one.scope == scope] if index else []
    roots = {text.lstrip("@").partition(".")[0] for one in beside for text in one.decorators}
    for symbol in beside:
        if index and (symbol.kind in ("function", "method", "class", "struct") or symbol.name in roots):
            why = f"defined beside it in `{scope or path}`"
            fact = definition_fact(index, symbol, Resolution.RESOLVED, why, symbol.bases, closed=True)
            yield definition_found(path, symbol, fact)
