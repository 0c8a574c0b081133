"""``git grep`` for all names of all plans: one search a side for whole words and one for text, begun ahead of need.

Searching is most of the time that a review waits for git; it goes on beside the reading of the first questions.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Thread

from review_agent.errors import GitError
from review_agent.git import Git
from review_agent.gitoutput import GrepHits
from review_agent.syntax.keys import config_language
from review_agent.syntax.languages import language_of
from review_agent.syntax.words import whole_name
from review_agent.vocabulary import Side

__all__ = ["Grepped", "Greps", "Ground"]

_WORD = re.compile(r"\w+", re.ASCII)
# Characters of a hit line that ranking looks at.
_RANKING_TEXT = 300

ByWord = dict[str, dict[str, dict[int, str]]]


@dataclass(frozen=True)
class Ground:
    """Where names are looked for: one side, some kinds of files, whole words or any text."""

    side: Side
    pathspecs: tuple[str, ...]
    fixed_word: bool = True

    def matches(self, path: str) -> bool:
        """Whether a path lies on this ground, for grounds of a language (others are git's to judge)."""
        return not self.pathspecs or path.endswith(tuple(one.lstrip("*") for one in self.pathspecs))

    @property
    def is_of_suffixes(self) -> bool:
        return all(re.fullmatch(r"\*\.\w+", one) for one in self.pathspecs)


@dataclass
class Grepped:
    """One ground's hits by word. ``stopped``: the path at which git's output was cut; ``unread``: not in the clone;
    ``binary``: by word, the files that hold it where git shows no lines."""

    by_word: ByWord
    stopped: str = ""
    unread: tuple[str, ...] = ()
    binary: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def take(self, more: Grepped) -> None:
        """What a search of the same ground for other words found besides."""
        self.by_word |= more.by_word
        self.stopped = self.stopped or more.stopped
        self.unread = tuple(dict.fromkeys((*self.unread, *more.unread)))
        self.binary |= more.binary


class Greps:
    """The searches of one run. ``blob_bytes``: of a larger binary file nothing is known."""

    def __init__(self, git: Git, commits: Mapping[Side, str], blob_bytes: int) -> None:
        self._git, self._commits, self._blob_bytes = git, commits, blob_bytes
        self._ahead: dict[Ground, _Ahead] = {}
        self._found: dict[Ground, Grepped] = {}

    def start(self, words: Mapping[Ground, Sequence[str]]) -> None:
        """Begin to search in the background for what will be asked; grounds that git can search as one are."""
        for grounds in _together(words):
            wanted = tuple(dict.fromkeys(word for ground in grounds for word in words[ground]))
            ahead = _Ahead(self._git, self._commits[grounds[0].side], _around(grounds), wanted)
            self._ahead |= dict.fromkeys(grounds, ahead)

    def found(self, ground: Ground, words: Sequence[str]) -> Grepped:
        """The hits of the words on a ground, each searched once in a run. Raises GitError where git fails."""
        known = self._found.setdefault(ground, Grepped({}))
        ahead = self._ahead.pop(ground, None)
        if ahead is not None:
            # Of the words of other grounds in the same search, none is this ground's to keep.
            known.take(self._sorted(ground, [word for word in words if word in ahead.words], ahead.result()))
        fresh = [word for word in words if word not in known.by_word]
        if fresh:
            known.take(self._sorted(ground, fresh, _grep(self._git, self._commits[ground.side], ground, fresh)))
        return known

    def _sorted(self, ground: Ground, words: Sequence[str], found: GrepHits) -> Grepped:
        """Hits on the ground by word."""
        by_word: ByWord = {word: defaultdict(dict) for word in words}
        whole = {word for word in words if _WORD.fullmatch(word)} if ground.fixed_word else set()
        other = [(word, _pattern(word, fixed_word=ground.fixed_word)) for word in words if word not in whole]
        lies = ground.matches if ground.is_of_suffixes else lambda path: True
        for hit in found:
            if not lies(hit.path):
                continue
            for word in [
                *whole.intersection(_WORD.findall(hit.text)),
                *(one for one, shape in other if shape(hit.text)),
            ]:
                by_word[word][hit.path][hit.line] = hit.text[:_RANKING_TEXT]
        stopped = (found[-1].path if found else "the first file") if found.truncated else ""
        binary = self._binary(ground, words, filter(lies, found.binary))
        return Grepped(by_word, stopped, tuple(filter(lies, found.unread)), binary)

    def _binary(self, ground: Ground, words: Sequence[str], paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Which of the words each binary file holds that is text to its readers; of one too large, all."""
        held: dict[str, list[str]] = defaultdict(list)
        for path in paths:
            data = self._git.show_file(self._commits[ground.side], path, max_bytes=self._blob_bytes)
            text = None if data is None else text_of(data, path)
            for word in words:
                if text is None or _pattern(word, fixed_word=ground.fixed_word)(text):
                    held[word].append(path)
        return {word: tuple(found) for word, found in held.items()}


class _Ahead:
    """A search in the background. It holds up no exit: git ends by itself when nobody reads what it says."""

    def __init__(self, git: Git, commit: str, ground: Ground, words: tuple[str, ...]) -> None:
        self.words = words
        self._result: GrepHits | Exception | None = None
        self._thread = Thread(target=self._run, args=(git, commit, ground), daemon=True)
        self._thread.start()

    def _run(self, git: Git, commit: str, ground: Ground) -> None:
        try:
            self._result = _grep(git, commit, ground, self.words)
        except Exception as error:  # noqa: BLE001 - raised to whoever asks for the result
            self._result = error

    def result(self) -> GrepHits:
        self._thread.join()
        if isinstance(self._result, GrepHits):
            return self._result
        raise self._result or GitError("git grep ended without a word")


def _grep(git: Git, commit: str, ground: Ground, words: Sequence[str]) -> GrepHits:
    # No cap a file: all words share it, so one frequent word would hide the others without a trace. What bounds the
    # hits of a word is its own cap.
    return git.grep(commit, words, pathspecs=ground.pathspecs, fixed_word=ground.fixed_word, max_per_file=sys.maxsize)


def _together(words: Mapping[Ground, Sequence[str]]) -> Iterable[list[Ground]]:
    """Grounds that one search covers: of one side and way of matching, told by suffixes or the whole tree."""
    groups: dict[tuple[object, ...], list[Ground]] = defaultdict(list)
    for ground in words:
        groups[(ground.side, ground.fixed_word, () if ground.is_of_suffixes else ground.pathspecs)].append(ground)
    return groups.values()


def _around(grounds: Sequence[Ground]) -> Ground:
    specs = tuple(dict.fromkeys(one for ground in grounds for one in ground.pathspecs))
    everywhere = any(not ground.pathspecs for ground in grounds)
    return Ground(grounds[0].side, () if everywhere else specs, grounds[0].fixed_word)


def text_of(data: bytes, path: str) -> str:
    """What a compiler would read of bytes that git takes for binary: UTF-16, or code with a NUL in it; else nothing."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8", "replace") if language_of(path) or config_language(path) else ""


def _pattern(word: str, *, fixed_word: bool) -> Callable[[str], object]:
    """Whether a line holds the word: git says which lines matched, not which of the words did."""
    if not fixed_word:
        return lambda line: word in line
    return re.compile(whole_name(word), re.ASCII).search
