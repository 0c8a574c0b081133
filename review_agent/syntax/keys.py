"""Keys of configuration files, line by line, and the edits between two versions of such a file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from review_agent.syntax.edits import as_edits
from review_agent.syntax.edits.frame import Changed, Sighting
from review_agent.syntax.edits.transitions import same_value, transition
from review_agent.syntax.edits.values import VERSIONS
from review_agent.syntax.key_readers import READERS, Key
from review_agent.syntax.languages import CONFIG, language_of
from review_agent.syntax.matching import Matcher
from review_agent.vocabulary import Edit, EditOp, FactValue, FileChange, Side

__all__ = ["Key", "config_edits", "config_language", "keys"]

DOCKERFILE = re.compile(r"(^|/)(Dockerfile|Containerfile)[^/]*$|\.dockerfile$", re.IGNORECASE)
MOST_A_HUNK = 20


def config_language(path: str) -> str | None:
    """The reader for a repository path: one of ``READERS``, null where the file is no configuration."""
    if DOCKERFILE.search(path):
        return "dockerfile"
    language = language_of(path)
    return language if language in CONFIG else None


def keys(lines: Sequence[str], language: str) -> tuple[Key, ...]:
    """The keys with their lines, in the order of the file. A language without a reader has none."""
    reader = READERS.get(language)
    return tuple(reader(lines)) if reader else ()


def config_edits(
    change: FileChange, language: str, old_lines: Sequence[str], new_lines: Sequence[str]
) -> tuple[Edit, ...]:
    """default_changed, key_renamed and key_removed between two versions of a configuration file.

    At most 20 a hunk. A file that was added has none; a key that moved to another block of the file has none.
    """
    if change.old_blob is None:
        return ()
    found = _Comparison(change, keys(old_lines, language), keys(new_lines, language), old_lines, new_lines).edits()
    counts: dict[int, int] = {}
    kept = []
    for one in sorted(found, key=lambda sighting: (sighting.spot.hunk, sighting.spot.start)):
        counts[one.spot.hunk] = counts.get(one.spot.hunk, 0) + 1
        if counts[one.spot.hunk] <= MOST_A_HUNK:
            kept.append(one)
    return as_edits(change, language, kept)


class _Comparison:
    def __init__(
        self,
        change: FileChange,
        old: Sequence[Key],
        new: Sequence[Key],
        old_lines: Sequence[str],
        new_lines: Sequence[str],
    ) -> None:
        self.changed = Changed(change)
        self.old, self.new, self.old_lines, self.new_lines = old, new, old_lines, new_lines
        self.names = {one.key for one in new}

    def edits(self) -> Iterator[Sighting]:
        before = {one.key for one in self.old}
        gone = [one for one in self.old if one.key not in self.names and one.line in self.changed.old]
        come = [one for one in self.new if one.key not in before and one.line in self.changed.new]
        yield from self._values()
        for one in gone:
            other = next((new for new in come if self._replaces(one, new, gone, come)), None)
            if other is not None:
                come.remove(other)
                yield from self._renamed(one, other)
            elif not any(_last(new.key) == _last(one.key) for new in come):
                yield from self._removed(one)

    def _values(self) -> Iterator[Sighting]:
        """Keys of both sides with another value; where a key stands several times, the n-th with the n-th."""
        by_name: dict[str, list[Key]] = {}
        for one in self.new:
            by_name.setdefault(one.key, []).append(one)
        for one in self.old:
            others = by_name.get(one.key)
            if others:
                yield from self._value(one, others.pop(0))

    def _value(self, one: Key, other: Key) -> Iterator[Sighting]:
        if same_value(one.value, other.value) or VERSIONS.match(_last(one.key)):
            return
        run = self.changed.run_of(Side.OLD, one.line)
        if run is None or self.changed.run_of(Side.NEW, other.line) is not run:
            # An element that came before it in its list: the same place, another thing.
            return
        spot = self.changed.spot((Side.NEW, (other.line, other.line)), (Side.OLD, (one.line, one.line)))
        if spot is not None:
            facts: dict[str, FactValue] = {
                "carrier": "config_file",
                "key": other.key,
                "transition": transition(one.value, other.value),
            }
            yield Sighting(EditOp.DEFAULT_CHANGED, spot, other.block, other.key, one.value, other.value, facts)

    def _replaces(self, one: Key, other: Key, gone: Sequence[Key], come: Sequence[Key]) -> bool:
        """Whether a key is another one under a new name: same block, same run of lines, same value or like name."""
        run = self.changed.run_of(Side.OLD, one.line)
        if one.block != other.block or run is None or self.changed.run_of(Side.NEW, other.line) is not run:
            return False
        alone = sum(key.line in run.old for key in gone) == 1 == sum(key.line in run.new for key in come)
        likeness = Matcher(_last(one.key), _last(other.key)).ratio()
        if same_value(one.value, other.value):
            return likeness > 0.5 or (alone and len(one.value) > 1)
        return alone and likeness > 0.75

    def _renamed(self, one: Key, other: Key) -> Iterator[Sighting]:
        spot = self.changed.spot((Side.NEW, (other.line, other.line)), (Side.OLD, (one.line, one.line)))
        if spot is not None:
            facts: dict[str, FactValue] = {
                "carrier": "config_file",
                "newKey": other.key,
                "act": "sets",
                "key": one.key,
            }
            before, after = self.old_lines[one.line - 1].strip(), self.new_lines[other.line - 1].strip()
            yield Sighting(EditOp.KEY_RENAMED, spot, other.block, one.key, before, after, facts)

    def _removed(self, one: Key) -> Iterator[Sighting]:
        spot = self.changed.spot((Side.OLD, (one.line, one.line)))
        if spot is not None:
            siblings = tuple(dict.fromkeys(other.key for other in self.new if other.block == one.block))
            facts: dict[str, FactValue] = {
                "carrier": "config_file",
                "act": "sets",
                "siblings": siblings,
                "key": one.key,
            }
            before = self.old_lines[one.line - 1].strip()
            yield Sighting(EditOp.KEY_REMOVED, spot, one.block, one.key, before, None, facts)


def _last(key: str) -> str:
    return key.rpartition(".")[2]
