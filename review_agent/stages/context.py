"""What the head says about itself: its instructions to reviewers and assistants, and its commits' messages.

It may explain words. It is labelled, masked, cut to size and never obeyed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from review_agent.git import Git
from review_agent.masking import Masker
from review_agent.sources import Sources
from review_agent.stages.snapshot import Asked, Choice
from review_agent.vocabulary import ContextItem, Role

__all__ = ["cut", "from_head", "prose"]

_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md")
_MOST_COMMITS = 20
# What people write without quotes; in code, which policy's own patterns are for, it is mostly a name.
_UNQUOTED = Masker(
    [
        (
            "said_secret",
            r"(?i)(?<![\w.-])(?:[\w-]{0,40}[_-])?(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|credential)"
            r"(?:[_-]?key)?\s?[=:]\s?(?=\S{0,200}\d)(?=\S{0,200}[a-z])([^\s\"'`{}$<>%()\[\],;]{6,256})",
        )
    ],
    {"said_secret": ("password", "passwd", "passphrase", "pwd", "secret", "token", "api", "credential")},
)


def from_head(
    git: Git, choice: Choice, asked: Asked, head: Sources, mask: Callable[[str], str], most_bytes: int
) -> Iterator[ContextItem]:
    """The commits' messages, newest first, and the first of the head's instruction files; each at most so long.

    Raises SnapshotError (GitError among them) when git fails.
    """
    if most_bytes and asked.commits and choice.merge_base != choice.head:
        ids = (
            git.commits(choice.head, since=choice.merge_base, limit=_MOST_COMMITS)
            if asked.commit is None
            else [choice.head]
        )
        told = "\n\n".join(git.message(one).strip() for one in ids)
        if told.strip():
            yield cut(
                ContextItem(label="commits", role=Role.INSTRUCTION, source="git", text=prose(told, mask)), most_bytes
            )
    for path in _INSTRUCTIONS if most_bytes else ():
        source = head.get(path) if path in head.paths else None
        if source is not None and source.text.strip():
            item = ContextItem(label="instructions", role=Role.INSTRUCTION, source=path, text=source.text)
            yield cut(item, most_bytes)
            return


def prose(text: str, mask: Callable[[str], str]) -> str:
    """What people wrote, masked: also a password that stands there without quotes."""
    return _UNQUOTED(mask(text))


def cut(item: ContextItem, most_bytes: int) -> ContextItem:
    """The item with a text of at most so many bytes, and said to be cut where it was."""
    raw = item.text.encode("utf-8", "surrogatepass")
    if len(raw) <= most_bytes:
        return item
    return item.model_copy(update={"text": raw[:most_bytes].decode("utf-8", "ignore"), "cut": True})
