"""What rules about lines that stand in several files share: which files count, and where a line stands besides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from review_agent.kinds.base import Found, Unsettled, blocked, every, searched, unsettled
from review_agent.kinds.prose import is_past
from review_agent.kinds.wording import snippet
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import Bundle, Edit, NoFindingCode, QueryKind, UseFact

__all__ = [
    "FEW",
    "MANIFEST",
    "OWN",
    "elsewhere",
    "is_first",
    "is_past_line",
    "none_left",
    "plain",
    "same_edit",
]

# More copies left than these are a way of writing, not what was forgotten.
FEW = 2
_TREES = re.compile(
    r"(?i)(?:^|/)(?:fixtures?|testdata|__snapshots__|versioned_\w+|locales?|i18n|sandbox|examples?|samples?|demos?)/"
)
# Each speaks of the package that it lies beside: two of them say the same of two things.
OWN = re.compile(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.(?:py|cfg)|pom\.xml|[\w.]*\.gradle(?:\.kts)?|go\.(?:mod|work)"
    r"|Cargo\.toml|tsconfig[\w.]*\.json|[\w.-]*requirements[\w.-]*\.(?:txt|in))$|(?:^|/)requirements[\w-]*/"
)
MANIFEST = re.compile(
    r"(?:^|/)(?:setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|environment[\w-]*\.ya?ml|meta\.ya?ml"
    r"|[\w.-]*requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|(?:Dockerfile|Containerfile)[^/]*"
    r"|\.pre-commit-config\.yaml)$|(?:^|/)requirements/"
)


def _is_aside(path: str) -> bool:
    return in_test(path) or _TREES.search(path) is not None


def is_past_line(path: str, line: str) -> bool:
    return not MANIFEST.search(path) and is_past(path, line)


def same_edit(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    """The same replacement wherever the change makes it."""
    key = (edit.op, edit.before, edit.after)
    return [one for one in edits if (one.op, one.before, one.after) == key and not _is_aside(one.path)]


def is_first(edit: Edit, edits: Sequence[Edit]) -> bool:
    return not _is_aside(edit.path) and same_edit(edit, edits)[0].edit_id == edit.edit_id


def plain(words: str) -> str:
    return " ".join(words.split())


def elsewhere(bundle: Bundle, sought: str) -> list[Found[UseFact]]:
    """Hits of a text in files that speak for the present, outside the change."""
    return [
        one
        for one in every(bundle, UseFact, QueryKind.TEXT, sought)
        if not one.evidence.near_change
        and not _is_aside(one.ref.path)
        and not is_past_line(one.ref.path, one.evidence.text)
    ]


def none_left(bundle: Bundle, sought: str) -> Unsettled:
    return blocked(bundle, QueryKind.TEXT) or unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"no other file has {snippet(sought)}; {searched(bundle, QueryKind.TEXT)}",
    )
