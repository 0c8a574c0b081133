"""What differs between languages in the words of a card: how a call fails, what stands for nothing."""

from __future__ import annotations

from review_agent.vocabulary import Edit

__all__ = ["BY_PLACE", "COMPILED", "SCRIPTS", "comment_of", "compiled", "nothing", "silent", "throws"]

COMPILED = frozenset({"go", "java", "typescript", "tsx"})
# Calls give arguments by their place alone.
BY_PLACE = frozenset({"go", "java", "javascript", "typescript", "tsx"})
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_NOTHING = {"python": "None", "go": "nil"}


def compiled(edit: Edit) -> bool:
    """Whether a name or call that does not fit keeps the program from being built, and never runs."""
    return edit.language in COMPILED


def silent(edit: Edit) -> bool:
    """Whether nothing refuses a call that does not fit: in JavaScript what is missing is `undefined`."""
    return edit.language == "javascript"


def nothing(edit: Edit) -> str:
    """The value that stands for none in the language of the changed file."""
    if edit.language in SCRIPTS and "null" not in (edit.after or ""):
        return "undefined"
    return _NOTHING.get(edit.language, "null")


def throws(edit: Edit) -> str:
    """The verb for an error that leaves a function."""
    return "raises" if edit.language in ("python", "go") else "throws"


def comment_of(edit: Edit) -> str:
    """What starts a comment to the end of the line."""
    return "#" if edit.language == "python" else "//"
