"""What differs between languages in the words of a card: how a call fails, what stands for nothing."""

from __future__ import annotations

from review_agent.vocabulary import Edit

__all__ = ["COMPILED", "comment_of", "compiled", "nothing", "throws"]

COMPILED = frozenset({"go", "java", "typescript", "tsx"})
_NOTHING = {"python": "None", "go": "nil"}


def compiled(edit: Edit) -> bool:
    """Whether a name or call that does not fit keeps the program from being built, and never runs."""
    return edit.language in COMPILED


def nothing(edit: Edit) -> str:
    """The value that stands for none in the language of the changed file."""
    return _NOTHING.get(edit.language, "null")


def throws(edit: Edit) -> str:
    """The verb for an error that leaves a function."""
    return "raises" if edit.language in ("python", "go") else "throws"


def comment_of(edit: Edit) -> str:
    """What starts a comment to the end of the line."""
    return "#" if edit.language == "python" else "//"
