"""How a test may name what came, and which files are tests: the words that the rules about missing tests share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import basename, splitext

from review_agent.kinds.base import Found
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import UseFact

__all__ = ["forms", "in_tests", "is_test_of_sorts", "is_test_path", "near_stem"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_FORMS = 4
# A name of a file that is no part of another word by chance.
_LONG = 6
_TESTS = re.compile(r"(?i)(?:^|[/_.\-])(?:(?!(?:lat|att|cont|prot|great)est)\w)*(?:tests?|specs?|e2e)(?:[/_.\-]|$)")


def is_test_path(path: str) -> bool:
    return re.search(r"(?i)test|(?:^|[/_.])specs?(?:[/_.]|$)|e2e", path) is not None


def in_tests(hits: Iterable[Found[UseFact]]) -> Iterator[Found[UseFact]]:
    """Those of the hits that stand in tests, their data and snapshots included."""
    return (one for one in hits if one.fact.in_test or is_test_path(one.ref.path))


def is_test_of_sorts(path: str) -> bool:
    """The same, where it shall count as a test that is there: no word that only ends like it."""
    return in_test(path) or _TESTS.search(path) is not None


def near_stem(path: str, test: str) -> bool:
    """Whether a file of tests is named for a file."""
    stem, named = (splitext(basename(one))[0].lower() for one in (path, test))
    own = re.sub(r"^tests?_?|[_.\-]?(?:tests?|spec|it)$", "", named)
    plain, named_for = stem.replace("_", ""), re.sub(r"[_\-]", "", own)
    return plain == named_for or (len(plain) >= _LONG and plain in named_for)


def forms(name: str, key: str, *, language: str, case: bool) -> tuple[str, ...]:
    """A name as tests may write it: as it is, as its key, and in the other ways to join its words."""
    words = _WORD.findall(name)
    pascal = "".join(one[:1].upper() + one[1:] for one in words)
    snake, kebab, camel = "_".join(words).lower(), "-".join(words).lower(), pascal[:1].lower() + pascal[1:]
    joined = [snake, kebab, pascal, camel] if language == "python" else [snake, pascal, camel, kebab]
    others = joined if len(words) > 1 else []
    if case and not re.fullmatch(r"[\w\-]+", name):
        others = []
    return tuple(dict.fromkeys(one for one in (name, key, *others) if one))[:_FORMS]
