"""Whether a commit is a fix: told by its diff and tests, and only helped by what its message says.

A commit is *weighed* where it can be a fix at all: it changes few lines of the product's own code (at most 60 in at
most three files), it changes or adds a test in the same commit, and that test names something the changed code names.
What is weighed has a score, the sum of its signs:

    test_names_it      +1  the test names what the changed lines or their function name (without it nothing is weighed)
    test_added         +1  a test was added, not only altered
    test_altered       -1  more lines of tests went than came: an expectation was changed, not a gap closed
    small              +1  at most 12 lines of code changed
    large              -1  more than 30
    condition_added    +1  a test, a handler, a bound or a lock is among the lines added
    new_public         -2  a public function or type appears; once, however many
    new_parameter      -1  a signature takes more than before
    docs_written       -1  five or more lines of documentation beside the change log, or a note on the version
    said_fix           +2  the subject says so: fix, bug, crash, regression …, or "closes #…"; alone it is never enough
    said_feature       -2  the message opens with add, support, allow, rename, refactor, deprecate …

Mining adds what needs more of history than the commit (``replay.history_fixes``): ``one_origin``, ``stands`` and
``old_origin``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import basename, dirname

from review_agent.diff import parse
from review_agent.git import Git
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import FileChange, Line

__all__ = [
    "ENOUGH",
    "SIGNS",
    "CommitDiff",
    "Weighed",
    "commit_diff",
    "is_code",
    "is_product",
    "names_in",
    "said_fix",
    "weigh",
]

SIGNS = {
    "test_names_it": 1,
    "test_added": 1,
    "test_altered": -1,
    "small": 1,
    "large": -1,
    "condition_added": 1,
    "new_public": -2,
    "new_parameter": -1,
    "docs_written": -1,
    "said_fix": 2,
    "said_feature": -2,
    "one_origin": 1,
    "stands": 1,
    "old_origin": -2,
}
ENOUGH = 4
"""The score from which a commit counts as a fix, before the signs that mining adds."""

_MOST_FILES, _MOST_LINES = 3, 60
_SMALL, _LARGE = 12, 30
_DOCS = 5

_ASIDE = frozenset(
    {"docs", "doc", "docs_src", "examples", "example", "benchmarks", "scripts", "vendor", "node_modules", "dist", "t"}
)
_LOG = re.compile(r"^(changes|changelog|history|news|release)", re.IGNORECASE)
_COMMENT = re.compile(
    r"^\s*(#|//|/\*|\*|\"\"\"|'''|import\b|from\s+\S+\s+import\b|export\s.*\sfrom\b|\"[\w./-]+\"$|package\s)"
    r"|^\s*(const|let|var)\s.*\brequire\("
)
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_COMMON = re.compile(
    r"self|cls|None|True|False|return|assert|import|from|def|class|func|function|test|tests|type|string|"
    r"str|int|bool|err|error|nil|null|undefined|const|let|var|this|new|for|while|with|not|and|else|elif|"
    r"public|private|static|final|void|raise|throw|catch|try|except|finally|async|await|data|value|result|"
    r"name|args|kwargs|get|set|the|expect|describe|require|should|equal|interface|struct|package|range|"
    r"list|dict|true|false"
)
_NEW_TEST = re.compile(
    r"^\s*(async\s+)?def test_|^func (\(.*\) )?Test|\b(it|test)\(|@Test\b|t\.Run\("
    r"|^\s*@pytest\.mark\.param|^\s*\{?\(?['\"]"
)
_CONDITION = re.compile(
    r"\b(if|elif|unless|except|catch|finally|with|try|while|is None|is not None|isinstance|lock|Lock|defer|min|max)\b"
    r"|\?\?|\|\||&&|\?\.|!=|==|<=|>="
)
_PUBLIC = re.compile(
    r"^(?:\s{0,4}(?:async\s+)?def\s+(?P<py>[a-z]\w*)|class\s+(?P<cls>[A-Z]\w*)|func\s+(?:\([^)]*\)\s*)?(?P<go>[A-Z]\w*)"
    r"|type\s+(?P<gt>[A-Z]\w*)|export\s+(?:default\s+)?(?:async\s+)?(?:function|class|const)\s+(?P<js>\w+)"
    r"|\s+public\s+[\w<>\[\], ]+?\s(?P<java>\w+)\s*\()"
)
_DEFINES = re.compile(r"^\s*(export\s+)?(async\s+)?(def|class|func|function|public|protected|static)\b")
_SIGNATURE = re.compile(r"^\s*(?:async\s+)?(?:def|func|function|public|protected)\b.*?(\w+)\s*\((.*)")
_NOTED = re.compile(r"versionadded|versionchanged|@since|New in version")
_SAID_FIX = re.compile(
    r"\b(fix(e[sd]|ing)?|bug(s|fix)?|regress(ion|ed|es)?|crash(es|ed)?|incorrect(ly)?|wrong(ly)?|broken|leak(s|ed)?"
    r"|race|deadlock|panic(s)?|prevent(s)?|(no longer|not) (fail|raise|crash)|correctly|properly)\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"^[^\w\n]*(fix(es|ed)?|close[sd]?|resolve[sd]?)\W{1,8}(issue\s{1,8})?(\S{0,200}#\d|https?://)",
    re.IGNORECASE | re.MULTILINE,
)
_SAID_FEATURE = re.compile(
    r"^(\w+(\([\w/ .-]*\))?!?:\s*)?(feat\b|add(s|ed|ing)?\b|support|implement|allow|introduc|rename|refactor|deprecat"
    r"|remov|drop|improv|enhanc|new\b|expose|enable|clean|typ(e|ing)\b|mov(e|ing)\b|simplif|optimi[sz]|perf\b|speed|bump"
    r"|update|upgrade|use\b|switch|convert|replace|extend|make\b.*\boption|let\b|accept\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Weighed:
    """A commit that can be a fix: its signs and their sum."""

    signs: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def score(self) -> int:
        return sum(SIGNS[sign] for sign in self.signs)

    @property
    def fixes(self) -> bool:
        return self.score >= ENOUGH

    def also(self, *signs: str) -> Weighed:
        """With signs that were found later."""
        return Weighed((*self.signs, *signs), self.tests)


@dataclass(frozen=True)
class CommitDiff:
    """A commit against its first parent, raw: what is told of it is masked where it is told."""

    commit: str
    parent: str
    message: str
    files: tuple[FileChange, ...]

    @property
    def subject(self) -> str:
        return self.message.strip().partition("\n")[0]

    @cached_property
    def product(self) -> tuple[FileChange, ...]:
        return tuple(file for file in self.files if is_product(file.path) and _code(file))

    @cached_property
    def tests(self) -> tuple[FileChange, ...]:
        return tuple(file for file in self.files if in_test(file.path) and language_of(file.path) in PARSED)

    @cached_property
    def size(self) -> int:
        """Changed lines of the product's code; blank ones and comments are none."""
        return sum(1 for file in self.product for _ in _code(file))


def commit_diff(git: Git, commit: str) -> CommitDiff | None:
    """What a commit changed against its first parent; null for a root commit and one whose parent is not here."""
    parents = git.parents(commit)
    if not parents or git.missing(parents[0]):
        return None
    files = parse(git.raw_diff(parents[0], commit), git.patch(parents[0], commit), str)
    return CommitDiff(commit, parents[0], git.message(commit), files)


def weigh(diff: CommitDiff) -> Weighed | None:
    """The signs of a commit that can be a fix; null for one that cannot."""
    product = diff.product
    if not product or len(product) > _MOST_FILES or not 0 < diff.size <= _MOST_LINES:
        return None
    came, went = list(_of(diff.tests, "+")), list(_of(diff.tests, "-"))
    shared = _names(product) & names_in(_lines(diff.tests, "+"))
    if not shared:
        return None
    signs = ["test_names_it", *_of_tests(came, went), *_of_code(diff), *_of_words(diff)]
    return Weighed(tuple(signs), tuple(file.path for file in diff.tests))


def said_fix(diff: CommitDiff) -> bool:
    """Whether the subject says that something was fixed, or the message that it closes an issue.

    The rest of a message says nothing here: a merge squashed into one commit lists whatever was done on the way.
    """
    return _SAID_FIX.search(diff.subject) is not None or _CLOSES.search(diff.message) is not None


def is_product(path: str) -> bool:
    """Whether a path is the product's own code in a language that is parsed."""
    aside = _ASIDE.intersection(dirname(path).lower().split("/"))
    return language_of(path) in PARSED and not in_test(path) and not aside and basename(path) != "setup.py"


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Identifiers that say something: not the words of languages and tests."""
    return frozenset(_words(texts))


def is_code(text: str) -> bool:
    """Whether a line can be code that does something: not blank, no comment, no import, no closing bracket alone."""
    return len(text.strip(" \t\r)]}{,;")) > 1 and _COMMENT.match(text) is None


def _code(file: FileChange) -> tuple[Line, ...]:
    return tuple(line for hunk in file.hunks for line in hunk.lines if line.tag != " " and is_code(line.text))


def _of(files: Iterable[FileChange], tag: str) -> Iterator[str]:
    return (text for text in _lines(files, tag) if is_code(text))


def _lines(files: Iterable[FileChange], tag: str) -> Iterator[str]:
    for file in files:
        yield from (line.text for hunk in file.hunks for line in hunk.lines if line.tag == tag)


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (name for name in _NAME.findall(text) if not _COMMON.fullmatch(name))


def _names(product: Sequence[FileChange]) -> frozenset[str]:
    """What the changed code names: identifiers of its lines, and the functions or types that are seen around it."""
    hunks = [hunk for file in product for hunk in file.hunks]
    changed = [line.text for file in product for line in _code(file)]
    around = [line.text for hunk in hunks for line in hunk.lines if _DEFINES.match(line.text)]
    return names_in([*changed, *around, *(hunk.section for hunk in hunks)])


def _of_tests(came: Sequence[str], went: Sequence[str]) -> Iterator[str]:
    if any(_NEW_TEST.search(text) for text in came) and len(came) > len(went):
        yield "test_added"
    if len(went) > len(came):
        yield "test_altered"


def _of_code(diff: CommitDiff) -> Iterator[str]:
    came, went = list(_of(diff.product, "+")), list(_of(diff.product, "-"))
    if diff.size <= _SMALL:
        yield "small"
    if diff.size > _LARGE:
        yield "large"
    if sum(map(_conditions, came)) > sum(map(_conditions, went)):
        yield "condition_added"
    if set(_public(came)) - set(_words(went)):
        yield "new_public"
    if _wider(came, went):
        yield "new_parameter"
    docs = [file for file in diff.files if file.path.endswith((".md", ".rst")) and not _LOG.match(basename(file.path))]
    written = sum(1 for file in docs for hunk in file.hunks for line in hunk.lines if line.tag == "+")
    if written >= _DOCS or any(_NOTED.search(line) for line in _lines(diff.product, "+")):
        yield "docs_written"


def _conditions(text: str) -> int:
    return len(_CONDITION.findall(text))


def _public(lines: Iterable[str]) -> Iterator[str]:
    for text in lines:
        match = _PUBLIC.match(text)
        if match is not None:
            yield next(name for name in match.groups() if name)


def _wider(came: Sequence[str], went: Sequence[str]) -> bool:
    """Whether a signature that was there takes more than before."""
    before = {match[1]: match[2] for match in map(_SIGNATURE.match, went) if match}
    after = {match[1]: match[2] for match in map(_SIGNATURE.match, came) if match}
    return any(name in before and text.count(",") > before[name].count(",") for name, text in after.items())


def _of_words(diff: CommitDiff) -> Iterator[str]:
    if said_fix(diff):
        yield "said_fix"
    if _SAID_FEATURE.match(diff.subject):
        yield "said_feature"
