"""Who owns a path, by a CODEOWNERS file as GitHub reads it.

https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-code-owners
The last pattern that matches wins; one without owners leaves the path unowned. Patterns are those of a .gitignore but
for ``!``, ``[ ]`` and ``\\#``, which are not taken, and ``/*`` at the end, which matches no deeper path. Lines that are
not understood are passed over, as GitHub does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from review_agent import globs

if TYPE_CHECKING:
    from review_agent.git import Git

__all__ = ["PLACES", "Owners", "owners_at"]

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where the file may lie; the first there is counts."""

_MOST_BYTES = 3 * 1_048_576
"""GitHub does not load a larger file."""
_OWNER = re.compile(r"@[\w.-]+(?:/[\w.-]+)?|[^@\s]+@[^@\s]+\.[^@\s]+")
_WORD = re.compile(r"(?:\\.|[^\s\\])+")
_Rule = tuple[re.Pattern[str], tuple[str, ...]]


class Owners:
    """The owners of paths: called with one, it gives their names, none where nobody owns it.

    ``names`` are all owners of the file, ``source`` says where it was read. Answers are remembered.
    """

    def __init__(self, rules: list[_Rule], source: str = "") -> None:
        self._last_first = rules[::-1]
        self._known: dict[str, tuple[str, ...]] = {}
        self.source = source
        self.names = tuple(sorted({owner for _, owners in rules for owner in owners}, key=str.casefold))

    @classmethod
    def parse(cls, text: str, source: str = "") -> Owners:
        """What the text of a CODEOWNERS file says; it never raises."""
        return cls(list(_rules(text)), source)

    def __call__(self, path: str) -> tuple[str, ...]:
        if path not in self._known:
            self._known[path] = next((owners for rule, owners in self._last_first if rule.search(path)), ())
        return self._known[path]


def owners_at(git: Git) -> Owners | None:
    """The owners by the CODEOWNERS file of the remote's default branch, of HEAD where there is none; else null.

    It is not the reviewed head's own, so that a change cannot move itself out of an owner's queue.
    """
    ref = git.default_branch()
    commit = git.resolve(ref) if ref is not None else git.head()
    if commit is None:
        return None
    for place in PLACES:
        data = git.show_file(commit, place, max_bytes=_MOST_BYTES)
        if data is not None:
            return Owners.parse(data.decode("utf-8", "replace"), f"{place} at {ref or 'HEAD'}")
    return None


def _rules(text: str) -> Iterator[_Rule]:
    for line in text.splitlines():
        words = _WORD.findall(re.split(r"(?:^|\s)#", line, maxsplit=1)[0])
        if not words or not all(_OWNER.fullmatch(word) for word in words[1:]):
            continue
        pattern = _compiled(words[0])
        if pattern is not None:
            yield pattern, tuple(words[1:])


def _compiled(pattern: str) -> re.Pattern[str] | None:
    if pattern.startswith(("!", "\\#")) or "[" in pattern:
        return None
    try:
        (one,) = globs.spec([pattern]).patterns
    except ValueError:
        return None
    expression = getattr(one, "regex", None)
    if not isinstance(expression, re.Pattern):
        return None
    if pattern.endswith("/*"):
        return re.compile(_FLAT.sub("$", expression.pattern))
    return expression


_FLAT = re.compile(r"\(\?:\(\?P<ps_d>/\)\|\$\)$|\(\?P<ps_d>/\)$")
"""How a pattern's expression ends that takes in what lies deeper."""
