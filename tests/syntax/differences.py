"""Before and after of one file as a FileChange with hunks, and its edits: tests compare real source text."""

import re
from difflib import SequenceMatcher
from textwrap import dedent

from review_agent.syntax.edits import edits
from review_agent.syntax.outline import outline
from review_agent.vocabulary import EDIT_FACTS, FileChange, FileStatus, Hunk, Line

# Edits of single statements: with them every change of a line is told, beside what a test looks for.
STATEMENTS = re.compile(
    r"(act|call|argument|await|block|decorator|component|template|entry|sql|test|assertion|assignment|condition|exit|text|held|unheld)_"
)
SUFFIXES = {"python": "py", "go": "go", "javascript": "js", "typescript": "ts", "tsx": "tsx", "java": "java"}


def change_of(old, new, path="pkg/mod.py", old_path=None):
    """The change from one text to another (null: the file is absent), with three lines of context."""
    before, after = (old or "").splitlines(), (new or "").splitlines()
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3)
    hunks = tuple(_hunk(number, path, group, before, after) for number, group in enumerate(groups))
    status = FileStatus.ADDED if old is None else FileStatus.DELETED if new is None else FileStatus.MODIFIED
    return FileChange(
        path=path,
        old_path=old_path or path,
        status=status,
        old_mode="100644",
        new_mode="100644",
        old_blob=None if old is None else "a" * 40,
        new_blob=None if new is None else "b" * 40,
        binary=False,
        hunks=hunks,
    )


def _hunk(number, path, group, before, after):
    lines = []
    for tag, i, j, k, m in group:
        if tag == "equal":
            lines += [Line(tag=" ", old=i + n + 1, new=k + n + 1, text=before[i + n]) for n in range(j - i)]
            continue
        lines += [Line(tag="-", old=n + 1, new=None, text=before[n]) for n in range(i, j)]
        lines += [Line(tag="+", old=None, new=n + 1, text=after[n]) for n in range(k, m)]
    old_count, new_count = group[-1][2] - group[0][1], group[-1][4] - group[0][3]
    return Hunk(
        hunk_id=f"h{number}",
        path=path,
        old_path=path,
        old_start=group[0][1] + 1 if old_count else group[0][1],
        old_count=old_count,
        new_start=group[0][3] + 1 if new_count else group[0][3],
        new_count=new_count,
        section="",
        lines=tuple(lines),
    )


def between(old, new, language="python", *ops, path=None):
    """The edits from one source text to another (null: the file is absent), those of ``ops`` if any are named, else
    those of more than single statements."""
    old, new = (None if text is None else dedent(text).lstrip("\n") for text in (old, new))
    found = edits(
        change_of(old, new, path or f"pkg/mod.{SUFFIXES[language]}"),
        language=language,
        old=None if old is None else outline(old, language),
        new=None if new is None else outline(new, language),
        old_lines=(old or "").splitlines(),
        new_lines=(new or "").splitlines(),
    )
    for one in found:
        assert one.facts.keys() <= EDIT_FACTS[one.op], "a fact that vocabulary/edit_facts.py does not name"
    return [one for one in found if (one.op in ops if ops else not STATEMENTS.match(one.op))]


def told(found):
    """Edits in short: op and subject."""
    return [(str(one.op), one.subject) for one in found]
