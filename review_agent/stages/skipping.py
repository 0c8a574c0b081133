"""Which changed files are set aside whole, and by which rule."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent import globs
from review_agent.policy.model import Policy
from review_agent.sources import Source, Sources
from review_agent.vocabulary import FileChange, FileStatus, Side, Skipped, SkipRule

__all__ = ["FileSkips", "Ranks", "generated_mark", "is_comment", "no_file"]

_NO_FILES = {
    "160000": (SkipRule.SUBMODULE, "another repository's commit; its files are not here"),
    "120000": (SkipRule.SYMLINK, "links are not followed"),
}
"""By mode, what is no file."""
# A mark counts where a program writes it: in a comment near the top of the file.
FIRST_LINES = 12
COMMENTS = ("#", "//", "/*", "*", "--", "<!--", ";", '"""', "%", "..")
_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v\d\n(?:ext-\d-\S+ sha256:[0-9a-f]{64}\n)*"
    rb"oid sha256:[0-9a-f]{64}\nsize \d+\n"
)
_PROBLEMS = {"binary": SkipRule.BINARY, "too_large": SkipRule.TOO_LARGE}


class Ranks:
    """What a path adds to the rank of its questions."""

    def __init__(self, policy: Policy) -> None:
        self._specs = [(globs.spec([one.glob]), one.risk) for one in policy.sensitive_paths]

    def of(self, path: str) -> int:
        """The highest risk among the sensitive globs that match, 0 where none does."""
        return max((risk for spec, risk in self._specs if spec.match_file(path)), default=0)


class FileSkips:
    """The rules that set a whole file aside, in the order in which they are tried."""

    def __init__(self, policy: Policy, old: Sources, new: Sources, exclude: Sequence[str] = ()) -> None:
        self._specs = [
            (rule, [(glob, globs.spec([glob])) for glob in those])
            for rule, those in ((SkipRule.EXCLUDED, exclude), *policy.skips.globs.items())
        ]
        self._marks = policy.skips.generated_marks
        self._ranks = Ranks(policy)
        self._old, self._new = old, new

    def of(self, change: FileChange) -> Skipped | None:
        """The skip of a changed file, null where it is to be examined."""
        found = self._by_mode(change) or self._by_path(change) or self._unchanged(change) or self._by_content(change)
        if found is None:
            return None
        rule, detail = found
        return Skipped(kind="skipped", path=change.path, hunk_id=None, question_id=None, rule=rule, detail=detail)

    @staticmethod
    def _by_mode(change: FileChange) -> tuple[SkipRule, str] | None:
        """A file that is none on either side. Where a file takes the place of a link, or a link that of a file, there
        is code that came or went."""
        found = [no_file(change, side) for side in Side if _blob(change, side) is not None]
        return found[-1] if found and None not in found else None

    def _by_path(self, change: FileChange) -> tuple[SkipRule, str] | None:
        """A rule with globs for the file's path on every side it has: a move alone must not end its review.

        A copy has no other side here: the file that it was copied from stays where it was.
        """
        moved = change.old_blob is not None and change.new_blob is not None and change.status is not FileStatus.COPIED
        paths = (change.path, change.old_path) if moved else (change.path,)
        for rule, specs in self._specs:
            globs = [next((glob for glob, spec in specs if spec.match_file(path)), None) for path in paths]
            if None not in globs:
                return rule, f"matches {globs[0]}"
        return None

    def _unchanged(self, change: FileChange) -> tuple[SkipRule, str] | None:
        if change.binary:
            return SkipRule.BINARY, f"git takes it for binary{self._why_binary(change)}"
        if change.old_blob != change.new_blob or any(hunk.lines for hunk in change.hunks):
            return None
        if change.status in (FileStatus.RENAMED, FileStatus.COPIED):
            return SkipRule.PURE_RENAME, f"from {change.old_path}, same content"
        return SkipRule.MODE_ONLY, f"mode {change.old_mode} to {change.new_mode}"

    def _why_binary(self, change: FileChange) -> str:
        if "too_large" in (self._old.problem(change.old_path), self._new.problem(change.path)):
            return ", as all files above 16 MiB"
        wide = self._old.is_wide(change.old_path) or self._new.is_wide(change.path)
        return ": it looks like text in UTF-16, which is reviewed once it is stored as UTF-8" if wide else ""

    def _by_content(self, change: FileChange) -> tuple[SkipRule, str] | None:
        sides = [(self._old, change.old_path, change.old_blob), (self._new, change.path, change.new_blob)]
        for sources, path, blob in sides:
            problem = sources.problem(path) if blob is not None else ""
            if problem in _PROBLEMS:
                return _PROBLEMS[problem], f"the {sources.side} side"
        texts = self._texts(change)
        if texts and all(is_pointer(source) for source in texts):
            return SkipRule.LFS_POINTER, "a pointer: its content is in a store of its own, not here"
        mark = self._mark(change)
        return None if mark is None else (SkipRule.GENERATED, f"says {mark!r} in its first lines")

    def _mark(self, change: FileChange) -> str | None:
        """A mark on every side the file has: head alone must not set a file aside that was reviewed so far.

        A new file has no other side; its own word counts, but not on a sensitive path.
        """
        if (change.old_blob is None or no_file(change, Side.OLD)) and self._ranks.of(change.path):
            return None
        found = [generated_mark(source.opening(FIRST_LINES), self._marks) for source in self._texts(change)]
        return found[-1] if found and all(found) else None

    def _texts(self, change: FileChange) -> list[Source]:
        """The file's text on each side that has it."""
        sides = ((self._old, change.old_path, change.old_blob), (self._new, change.path, change.new_blob))
        read = [sources.get(path) for sources, path, blob in sides if blob is not None]
        return [source for source in read if source is not None]


def no_file(change: FileChange, side: Side) -> tuple[SkipRule, str] | None:
    """The rule by which what stands on a side is no file that could be read, and why; null for a file."""
    return _NO_FILES.get(change.old_mode if side is Side.OLD else change.new_mode)


def _blob(change: FileChange, side: Side) -> str | None:
    return change.old_blob if side is Side.OLD else change.new_blob


def is_pointer(source: Source) -> bool:
    """Whether a file is a pointer of git-lfs and not a word more: a script that begins like one is none."""
    return len(source.raw_lines) <= FIRST_LINES and _POINTER.fullmatch(b"".join(source.raw_lines)) is not None


def generated_mark(lines: Sequence[str], marks: Iterable[str]) -> str | None:
    """The mark by which a file says that a program wrote it, null where it does not say so."""
    marks = tuple(marks)
    return next((mark for line in lines[:FIRST_LINES] if is_comment(line) for mark in marks if mark in line), None)


def is_comment(line: str) -> bool:
    """Whether a line begins as comments do in any of the languages met."""
    return line.strip().startswith(COMMENTS)
