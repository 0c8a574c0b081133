"""Places of an old word that cannot be meant to stay: what the change itself shows to have gone over to the new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.kinds.base import code, draft, place, texts
from review_agent.kinds.occurrence_stores import in_sql
from review_agent.kinds.occurrences import content, is_text
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Bundle, Draft, Edit, EffectOp, Evidence, Question, Severity, SourceRef

__all__ = ["declared_members", "is_access", "member_card", "migrated", "rows_card", "sets_member"]

_STATEMENTS = re.compile(r"(?i)\.sql$|(?:^|/)(?:migrations?|alembic|versions)/")
# Languages in which naming a member that nothing declares is no error of the compiler.
_LOOSE = (".py", ".js", ".mjs", ".cjs", ".jsx")


def migrated(bundle: Bundle, before: str, after: str) -> dict[str, Evidence]:
    """Columns in which a statement of a migration turns the old value into the new one."""
    found: dict[str, Evidence] = {}
    for one in bundle.evidence:
        if one.origin != "hit" or in_test(one.ref.path) or not _STATEMENTS.search(one.ref.path):
            continue
        for column in _acts(one.text, after, "write") & _acts(one.text, before, "read"):
            found.setdefault(column, one)
    return found


def _acts(statement: str, value: str, act: str) -> set[str]:
    return {one.slot for one in in_sql(statement, content(value)) if one.act == act}


def declared_members(edits: Sequence[Edit]) -> Iterator[Edit]:
    """The edits that rename a member where its class declares it, in a language that lets anyone set any member."""
    for edit in edits:
        name = re.escape(edit.after or "")
        if is_text(edit.after or "") or not edit.path.endswith(_LOOSE):
            continue
        field = re.compile(rf"^\s*(?:static )?{name}\s*(?::(?!:)|=(?!=)|;)")
        own = re.compile(rf"^\s*(?:self|this)\.{name}\s*(?::[^=]+)?=(?!=)")
        for line, scope in zip(texts(edit, "texts"), texts(edit, "scopes"), strict=False):
            last = scope.removesuffix(f".{edit.after}").rpartition(".")[2]
            if (field.match(line) and last[:1].isupper()) or (own.match(line) and last in ("__init__", "constructor")):
                yield edit
                break


def is_access(line: str, name: str) -> bool:
    """Whether every place of a word in a line of code is a member of something that has a name."""
    bare = re.sub(rf"(?<=[\w)\]])\??\.{whole_name(name)}(?!\s*\()", "", line)
    return bare != line and re.search(whole_name(name), bare) is None


def sets_member(line: str, name: str) -> bool:
    """Whether a line puts something into a member of that name."""
    return re.search(rf"\.{re.escape(name)}\s*(?::[^=]+)?[-+|&*/]?=(?!=)", line) is not None


def rows_card(question: Question, ref: SourceRef, column: str, migration: Evidence) -> Draft:
    """A card on a line that asks for a value of which a migration leaves no row."""
    edit = question.edits[0]
    before, after = snippet(edit.before or ""), snippet(edit.after or "")
    return draft(
        question,
        claim=f"Changing {before} to {after} in {code(edit.path)} leaves {place(ref)} behind: it still asks for "
        f"{before} in {code(column)}, which {place(migration.ref)} turns into {after}.",
        op=EffectOp.CHANGED,
        subject=edit.before or "",
        to=edit.after or "",
        severity=Severity.IMPORTANT,
        support=[ref, migration.ref],
        impact="The migration has run: no row has the old value, and the test for it meets none of those that it was "
        "written for.",
        counter=(f"A place that still stores {before} would refute this; none was found at head outside tests.",),
        uncertainty=("That both lines mean the column of one table was told by its name.",),
    )


def member_card(question: Question, left: Evidence) -> Draft:
    """A card on a line that names a member which its class declares no more."""
    edit = question.edits[0]
    before, after = code(edit.before or ""), code(edit.after or "")
    writes = sets_member(left.text, edit.before or "")
    does = f"still sets {before}, which nothing reads any more" if writes else f"still reads {before}"
    return draft(
        question,
        claim=f"Renaming the member {before} to {after} in {code(edit.path)} leaves {place(left.ref)} behind: it "
        f"{does}.",
        op=EffectOp.RENAMED,
        subject=edit.before or "",
        to=edit.after or "",
        severity=Severity.IMPORTANT,
        support=[left.ref],
        impact=f"Control reaches that line: {after} keeps the value that it had, and whoever reads it goes by that."
        if writes
        else "Control reaches that line: nothing declares or sets a member of that name.",
        counter=(f"Another declaration of {before} would refute this; none was found at head outside tests.",),
        uncertainty=("What reaches the member by a computed name was not looked at.",),
    )
