"""A rule of ``incomplete_change``: a file moved or went, and another file still names it at its old path."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from posixpath import basename, dirname, join, normpath, splitext

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    every,
    found,
    place,
    searched,
    seed,
    unsettled,
)
from review_agent.kinds.prose import MOST, beside, is_document, is_ignore_list, lasting, named
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

# Names that any project, and any example in a document, has files of.
_COMMON = re.compile(
    r"^(?:setup|conf|config|conftest|manage|main|app|index|utils?|helpers?|models?|views?|urls|base|common|core|types?"
    r"|constants|errors?|exceptions?|client|server|test|tests|example|hello|run|mod|lib|install|build|deploy|doc"
    r"|__init__|__main__|package|pyproject|tox|go|pom|makefile|dockerfile|manifest|docker-compose"
    r"|requirements|root|add|_index|cli|context|request|response|router?|handler|user|users)$",
    re.IGNORECASE,
)
_LINKED = re.compile(r"\]\(\s*$|\]:\s*$|(?:href|src)=[\"']$|:(?:doc|download|file):`[^`]*$|include::\s*$")
# Every folder can have its own.
_OWN = re.compile(r"^(?:readme|licen[cs]e|changes|security)\b", re.IGNORECASE)
_SHORTEST = 5


def _raise_gone(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    old, name = edit.subject, basename(edit.subject)
    wanted = _wanted(old)
    if not wanted or in_test(old):
        return None
    new = edit.after or ""
    return seed(
        edit,
        "old_path_left_behind",
        change=f"{code(old)} is now {code(new)}" if new else f"{code(old)} is gone",
        precondition="another file still names it at its old path",
        consequence="what follows that path finds nothing",
        refuted_if=("no other file names it so", "something stands at the old path", "a tool makes the file anew"),
        plan=(ask(QueryKind.TEXT, wanted), ask(QueryKind.PATH, f"**/{named(name)}")),
        risk=-10,
    )


def _wanted(old: str) -> str:
    """What is looked for: the file's name, with its folder where the name says little; "" where that says little."""
    name = basename(old)
    if not _COMMON.match(splitext(name)[0]) and len(name) > _SHORTEST and "." in name:
        return name
    folder = basename(dirname(old))
    return f"{folder}/{name}" if folder else ""


def _settle_gone(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.TEXT, QueryKind.PATH)
    if stopped is not None:
        return stopped
    listed = next(one for one in bundle.queries if one.query.kind is QueryKind.PATH)
    there = {one.ref.path for one in found(bundle, UseFact, QueryKind.PATH)}
    if len(there) != listed.hits:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"not every file called {code(basename(edit.subject))} could be read",
            missing=(f"the files called {code(basename(edit.subject))}",),
        )
    made = [one for one in every(bundle, UseFact, QueryKind.TEXT) if is_ignore_list(one.ref.path)]
    if made and edit.after is None:
        refs = [one.ref for one in made[:MOST]]
        return unsettled(
            NoFindingCode.REFUTED, f"{place(refs[0])} leaves it out of the repository on purpose", refs=refs
        )
    # A catalogue of translations is written by a tool, with the places that it read.
    told = [one for one in lasting(bundle, question.plan[0].name) if not one.ref.path.endswith((".po", ".pot"))]
    hits = [one for one in told if _names(edit, one, there)]
    if not hits:
        where = searched(bundle, QueryKind.TEXT)
        return unsettled(NoFindingCode.NO_CANDIDATE, f"nothing names {code(edit.subject)} there any more; {where}")
    return (_card(question, hits, there),)


def _names(edit: Edit, one: Found[UseFact], there: Collection[str]) -> str:
    """How a line names the file that is gone, by a path that leads to no file at head; "" where it does not."""
    old, line, path = edit.subject, one.evidence.text, one.ref.path
    pattern = re.compile(rf"[\w@.+/~${{}}:-]*{re.escape(basename(old))}(?![\w-]|\.\w|/)")
    tokens = (token for token in pattern.finditer(line) if "://" not in token.group())
    named = (one.group() for one in tokens if _leads(old, one.group(), line[: one.start()], path, there))
    return next(named, "")


def _leads(old: str, token: str, before: str, path: str, there: Collection[str]) -> bool:
    name = basename(old)
    if token != name and not token.endswith(f"/{name}"):
        return False
    whole = token.removeprefix("./").removeprefix("/")
    beside_it = normpath(join(dirname(path), token))
    if whole in there or beside_it in there:
        return False
    linked = _LINKED.search(before) is not None
    if "/" in whole:
        in_code = language_of(path) in PARSED
        return whole == old or (beside_it == old and (linked or not in_code))
    if language_of(path) in PARSED or _COMMON.match(splitext(name)[0]):
        return linked and beside_it == old
    if _OWN.match(name):
        return beside_it == old or (whole == old and linked)
    return beside_it == old or (whole == old and not there) or (linked and not there)


def _card(question: Question, hits: Sequence[Found[UseFact]], there: Collection[str]) -> Draft:
    edit = question.edits[0]
    used = next((one for one in hits if not is_document(one.ref.path)), None)
    hits = [used, *(one for one in hits if one is not used)] if used is not None else hits
    first = hits[0]
    act = f"Renaming {code(edit.subject)} to {code(edit.after)}" if edit.after else f"Removing {code(edit.subject)}"
    return draft(
        question,
        claim=f"{act} leaves {place(first.ref)} with the old path, {code(_names(edit, first, there))}{beside(hits)}: "
        "no file is there at head.",
        op=EffectOp.RENAMED if edit.after else EffectOp.REMOVED,
        subject=edit.subject,
        to=edit.after,
        severity=Severity.IMPORTANT if used is not None else Severity.SUGGESTION,
        support=[one.ref for one in hits[:MOST]],
        impact=(
            "The tool that reads this path stops or passes over it without a word."
            if used is not None
            else "A reader who follows it comes to a page that does not exist."
        ),
        counter=(f"A file at {code(edit.subject)} would refute this; head has none there.",),
    )


RULES = (
    Rule(
        "old_path_left_behind",
        frozenset({EditOp.FILE_MOVED, EditOp.FILE_REMOVED}),
        _raise_gone,
        _settle_gone,
    ),
)
