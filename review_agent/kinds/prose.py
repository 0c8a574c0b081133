"""What rules about texts share: which hits of a text still speak for the present, and how a card lists them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from review_agent.kinds.base import Found, every, place
from review_agent.syntax.edits.prose import DOCS, HISTORY
from review_agent.syntax.languages import language_of
from review_agent.vocabulary import Bundle, QueryKind, UseFact

__all__ = ["DOCS", "MOST", "beside", "is_document", "is_ignore_list", "is_past", "lasting", "named"]

# Refs that one card lists.
MOST = 3
# A line that tells what was keeps the old name on purpose.
_PAST = re.compile(
    r"\b(?:formerly|previously|used to|was (?:moved|renamed|removed)|moved|renamed|removed|deprecated|obsolete|legacy"
    r"|no longer|until|prior to|before (?:version )?\d|since \d|versionadded|versionchanged|older than)\b"
    r"|^\s*File \"",
    re.IGNORECASE,
)
# Lists of what a tool leaves out: a name too many does no harm there.
_IGNORED = re.compile(r"(?:^|/)\.[\w-]*(?:ignore|attributes|ignore-revs|exclude)$|(?:^|/)\.git-blame", re.IGNORECASE)


def is_past(path: str, line: str) -> bool:
    """Whether a line, or its whole file, tells of former times."""
    return HISTORY.search(path) is not None or _PAST.search(line) is not None


def is_document(path: str) -> bool:
    """Whether people read a file as text: no code, no data."""
    return DOCS.search(path) is not None and language_of(path) is None


def named(path: str) -> str:
    """A path as a pattern that means itself alone."""
    return re.sub(r"([\[\]*?!#\\])", r"\\\1", path)


def is_ignore_list(path: str) -> bool:
    """Whether a file lists what a tool leaves out."""
    return _IGNORED.search(path) is not None


def lasting(bundle: Bundle, name: str) -> list[Found[UseFact]]:
    """Hits of a text outside the change that neither a test, a list of exceptions nor the past holds, best first."""
    hits = every(bundle, UseFact, QueryKind.TEXT, name)
    kept = [
        one
        for one in hits
        if not one.evidence.near_change
        and not one.fact.in_test
        and not is_ignore_list(one.ref.path)
        and not is_past(one.ref.path, one.evidence.text)
    ]
    return sorted(kept, key=lambda one: (not is_document(one.ref.path), one.ref.path, one.ref.start_line))


def beside(hits: Sequence[Found[UseFact]]) -> str:
    """The places after the first, in a sentence; "" for a single one."""
    others = [place(one.ref) for one in _apart(hits[1:MOST])]
    more = " and others" if len(hits) > MOST else ""
    return f", and so {'do' if len(others) > 1 else 'does'} {' and '.join(others)}{more}" if others else ""


def _apart(hits: Iterable[Found[UseFact]]) -> list[Found[UseFact]]:
    return list({(one.ref.path, one.ref.start_line): one for one in hits}.values())
