"""What a function changes before it would drop a cached value, and conditions under which nothing is stale."""

from __future__ import annotations

import re

from review_agent.kinds.bodies import Body, calls_in
from review_agent.kinds.cache_access import holder
from review_agent.kinds.functions import function_of, split
from review_agent.syntax.roles import words_of
from review_agent.vocabulary import (
    Edit,
    EditOp,
)

__all__ = ["LOGS", "WRITING", "changing", "idle"]

WRITING = re.compile(
    r"(?i)(?<![a-z])(?:save|update|insert|delete|execute|executemany|exec|execcontext|executeupdate|commit|put|post|patch|"
    r"write|store|create|replace|persist|merge|upsert|append|remove|set|add|rename|apply|import|run|modify|publish|grant|"
    r"revoke|assign|move|push|adjust|bump|close|flush|sync|cancel|archive|restore|approve|reject|complete|ship|pay|"
    r"mark|toggle|enable|disable|rotate|register|transfer|charge|refund|reserve|book|submit|mutat)"
    r"\w*\s*\(|\bUPDATE\b|\bINSERT\b|\bDELETE FROM\b"
)
_SETS = re.compile(r"^\s*[\w.$>-]+(?:\.[\w$]+|\[[^\]]+\])\s*(?:[-+|*/]?=)(?!=)|\.\w+\s*(?:\+\+|--)")
LOGS = re.compile(r"(?i)\b(log|logger|console|print|metrics|logging)\b")
_SELECTS = re.compile(r"\bSELECT\b")
# A statement that changes rows, where its call begins on another line.
_CHANGES = re.compile(r"[\"'`]+\s*(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO|MERGE\s+INTO)\b", re.IGNORECASE)
_LOCAL = re.compile(r"\s*(?:const|let|var|final|return)\b")


def changing(edit: Edit, body: Body, callee: str) -> str | None:
    """What the body changes of what is cached before the value would be dropped: the callee or target on that line."""
    last = edit.start_line if edit.op is EditOp.EXIT_ADDED else 10**9
    for number, line in body.lines[1:]:
        if number >= last or callee in line or LOGS.search(line) or _SELECTS.search(line):
            continue
        if edit.op is EditOp.EXIT_ADDED and re.match(r"\s*return\b", line):
            continue
        if _SETS.search(line) and not _LOCAL.match(line):
            return re.split(r"\s*(?:[-+|*/]?=|\+\+|--)", line.strip())[0]
        if WRITING.search(_bare(line)):
            call = next((one for one in calls_in(line) if WRITING.search(f"{one.name}(")), None)
            if call is not None:
                return call.callee
    stated = (one for one in body.calls if one.line < last and any(_CHANGES.match(arg) for arg in one.args))
    sql = next(stated, None)
    if sql is not None:
        return sql.callee
    return split(function_of(edit))[1] if edit.op is EditOp.DECORATOR_REMOVED else None


# Conditions under which nothing was changed, so that nothing is stale.
_UNCHANGED = re.compile(
    r"(?i)rows?_?count|rowsaffected|affected|changed|modified|updated|deleted|removed|inserted|success|succe|\bok\b|"
    r"\berr(?:or)?\b|exists?\b|found|old|previous|before|\bprev|dirty|dry_?run"
)


# What a test says of a count, a flag or an error where nothing was done.
_NOTHING = re.compile(
    r"==+\s*0|<\s*1\b|<=\s*0|\bnot\b|(?<![=!])!(?!=)|\bis None|(?<!err )==+\s*(?:None|null|nil|undefined)|"
    r"\berr(?:or)?\s*!=+|same|unchanged|equal|==+\s*\w*\.?(?:old|before|prev|current)"
)


def idle(edit: Edit, body: Body, callee: str) -> str:
    """The condition under which the drop is passed over, where it says that nothing was changed or kept."""
    if edit.op is EditOp.ACT_CONDITIONED:
        test = edit.after or ""
        store = words_of(holder(callee).rpartition(".")[2])
        done = _UNCHANGED.search(test) and not _NOTHING.search(test)
        return test if done or (store and store[-1] in words_of(test)) else ""
    if edit.op is not EditOp.EXIT_ADDED:
        return ""
    before = [line for number, line in body.lines if edit.start_line - 3 <= number <= edit.start_line]
    tests = [line.strip() for line in before if re.match(r"\s*(?:}\s*)?(?:el)?(?:se )?(?:if|except|catch)\b", line)]
    test = tests[-1] if tests else ""
    missed = _UNCHANGED.search(test) and _NOTHING.search(test)
    return test if missed or re.match(r"(?:}\s*)?(?:except|catch)", test) else ""


def _bare(line: str) -> str:
    return re.sub(r"^\s*(?:async\s+)?(?:def|func|function)\b.*$", "", line)
