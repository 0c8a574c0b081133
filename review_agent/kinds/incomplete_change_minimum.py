"""Rule of ``incomplete_change`` about the oldest version of a language: raised in the manifest, stated elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    code,
    draft,
    every,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.prose import is_document, is_past
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import LONGEST, snippet
from review_agent.syntax.languages import PARSED, language_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

_NAMES = {
    "Python": r"(?:C?Python|PyPy)",
    "Go": r"(?:Go|Golang)",
    "Node": r"Node(?:\.?js)?",
    "Java": r"(?:Java(?: SE)?|JDK|JRE)",
}
_TEXTS = {
    "Python": ("Python {0}", "python {0}", "py{1}", '"{0}"', "'{0}'", ">={0}", ">= {0}", "{{{1},"),
    "Go": ("Go {0}", "go {0}", "go{0}", "golang:{0}", "go-version", "[{0}", "Golang {0}", "Go]("),
    "Node": ("Node {0}", "node {0}", "Node.js {0}", "node.js {0}", "NodeJS {0}", "Node.js](", "node-version", "v{0}"),
    "Java": ("Java {0}", "JDK {0}", "JRE {0}", "Java 1.{0}", "JDK 1.{0}", "java-version", "JDK {0} or", "Java SE {0}"),
}
_ASKS = (
    r"(?:requires?|required|requirements?|needs?|supports?|supported|minimum|at least|must have|works? (?:with|on)"
    r"|install)"
)
_ORSO = r"(?:\+|\s*(?:or|and)\s+(?:newer|later|above|higher|greater|up)|\s+minimum)"
# A release that is past, or a remark on one function, names an old version and is right.
_ELSE = re.compile(
    r"(?i)\bor (?:earlier|older|lower|below)\b"
    r"|\b(?:until|up to|dropp(?:ed|ing)|no longer|since|prior to|before|as of)\b"
)
# Characters in front of a version that a card quotes of a long line.
_LEAD = 30
# Of the repository's own root: in a folder below they are those of a project that was brought in whole.
_CI = re.compile(
    r"^(?:\.(?:github/workflows|circleci|forgejo/workflows)/|\.?(?:azure-pipelines|travis|gitlab-ci)\.ya?ml$)"
)
_TOKENS = {
    "Python": re.compile(
        r"--py(?P<py>\d\d+)-plus|target-version\s*=\s*\[?['\"]py(?P<target>\d\d+)"
        r"|^\s*python_version\s*=\s*['\"]?(?P<checked>\d\.\d+)"
        r"|(?:requires-python|python_requires)\s*[=:]\s*['\"]?>=\s*(?P<needs>\d\.\d+)"
        r"|Programming Language :: Python :: (?P<trove>3\.\d+)"
    ),
    "Go": re.compile(r"^FROM .*golang:(?P<image>\d+\.\d+(?:\.\d+)?)"),
    "Node": re.compile(r"^FROM .*\bnode:(?P<image>\d+)"),
    "Java": re.compile(r"^FROM .*\bjdk:(?P<image>\d+)"),
}


@dataclass(frozen=True)
class _Minimum:
    platform: str
    before: str
    after: str

    @property
    def spellings(self) -> tuple[str, ...]:
        """The old version as people write it: the patch left out where the new one is told without it."""
        parts, new = self.before.split("."), self.after.split(".")
        found = [self.before]
        if self.platform == "Go" and len(parts) == 3 and parts[:2] != new[:2]:
            found.append(".".join(parts[:2]))
        if self.platform == "Java":
            bare = self.before.removeprefix("1.")
            found = [bare, f"1.{bare}"]
        return tuple(dict.fromkeys(found))

    @property
    def searched(self) -> str:
        return self.spellings[-1] if self.platform == "Go" else self.spellings[0]


def _minimum(edit: Edit) -> _Minimum:
    return _Minimum(text(edit, "platform"), text(edit, "beforeVersion"), text(edit, "afterVersion"))


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    same = [one for one in edits if one.op is edit.op and text(one, "platform") == text(edit, "platform")]
    if same[0].edit_id != edit.edit_id:
        return None
    what = _minimum(edit)
    texts = [one.format(what.searched, what.searched.replace(".", "")) for one in _TEXTS[what.platform]]
    return seed(
        edit,
        "minimum_left_behind",
        change=f"{code(edit.path)} asks for {what.platform} {code(what.after)} where it asked for {code(what.before)}",
        precondition=f"another place still states {code(what.before)} as the oldest version",
        consequence="who goes by that place is told of a version that does not work any more",
        refuted_if=("no other place states it", "that place speaks of a former release or of one function"),
        plan=[ask(QueryKind.TEXT, one) for one in texts],
        risk=-20,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    what = _minimum(question.edits[0])
    left: dict[tuple[str, int], Found[UseFact]] = {}
    for one in every(bundle, UseFact, QueryKind.TEXT):
        if not one.evidence.near_change and not in_test(one.ref.path) and _states(what, one):
            left.setdefault((one.ref.path, one.ref.start_line), one)
    if not left:
        return unsettled(
            NoFindingCode.NO_CANDIDATE,
            f"no other place states {code(what.before)} as the oldest version; {searched(bundle, QueryKind.TEXT)}",
        )
    order = sorted(left.values(), key=lambda one: (not is_document(one.ref.path), one.ref.path, one.ref.start_line))
    return (_card(question, what, order[:2]),)


def _states(what: _Minimum, one: Found[UseFact]) -> bool:
    """Whether a line gives the old version as the one that is asked for, or makes a tool go by it."""
    path, line = one.ref.path, one.evidence.text
    if is_past(path, "") or re.search(r"(?i)(?:^|/)(?:fixtures?|examples?|testdata)/", path):
        return False
    return any(
        _is_token(what.platform, line, version)
        or _is_tested(what.platform, path, line, version)
        or _is_stated(what.platform, path, line, version)
        for version in what.spellings
    )


def _is_token(platform: str, line: str, version: str) -> bool:
    pattern = _TOKENS[platform]
    told: Iterator[str] = (part for found in pattern.finditer(line) for part in found.groups() if part)
    return any(part in (version, version.replace(".", "") if platform == "Python" else version) for part in told)


def _is_tested(platform: str, path: str, line: str, version: str) -> bool:
    """Whether a line of CI, or of the tool that runs the tests, lists the version."""
    if platform == "Python" and path.endswith("tox.ini"):
        number = version.replace(".", "")
        return re.search(rf"^\s*env_?list\s*=.*\bpy(?:\{{[\d,]*\b)?{number}\b", line) is not None
    key = rf"\b{platform}[-_.]versions?['\"]?\s*:"
    listed = rf"(?i){key}.*(?<![\w.-]){re.escape(version)}(?!\w|\.\d)"
    return _CI.search(path) is not None and re.search(listed, line) is not None


def _is_stated(platform: str, path: str, line: str, version: str) -> bool:
    if _ELSE.search(line):
        return False
    plain = re.sub(r"\]\([^)]*\)|[\[*`_]", "", line)
    plain = re.sub(r"\]\S*", "", plain)
    name, number = _NAMES[platform], re.escape(version)
    said = rf"{name}\W{{0,3}}(?:versions?\s+)?(?:>=\s*)?v?{number}(?![\w]|\.\d)"
    if language_of(path) in PARSED:
        return re.search(rf"(?i)[\"'`].*\brequires {said}{_ORSO}", line) is not None
    if not is_document(path):
        return False
    bullet = re.search(rf"(?i)^\s*[-*+]?\s*{said}{_ORSO}?\s*[.,;]?\s*$", plain) is not None
    asked = re.search(rf"(?i)\b{_ASKS}\b[^.;]{{0,60}}?{said}(?:{_ORSO}|\s*[.,;)]|\s*$)", plain)
    orso = re.search(rf"(?i){said}{_ORSO}", plain) and re.search(rf"(?i)\b{_ASKS}\b", plain)
    listed = bullet and (platform == "Python" or re.search(rf"(?i){_ORSO}", plain) is not None)
    return bool(listed or asked or orso)


def _card(question: Question, what: _Minimum, left: Sequence[Found[UseFact]]) -> Draft:
    edit, first = question.edits[0], left[0]
    more = f" {place(left[1].ref)} does so too." if len(left) > 1 else ""
    return draft(
        question,
        claim=f"Changing the oldest {what.platform} from {code(what.before)} to {code(what.after)} in "
        f"{code(edit.path)} leaves {place(first.ref)} at the old one: {_around(first.evidence.text, what)}.{more}",
        op=EffectOp.CHANGED,
        subject=edit.subject,
        to=what.after,
        severity=Severity.SUGGESTION,
        support=[one.ref for one in left],
        impact=_impact(first.ref.path),
        counter=(f"A use of {what.platform} there apart from this project would refute this; the line tells of none.",),
    )


def _around(line: str, what: _Minimum) -> str:
    """The part of a line that gives the version, whole words."""
    said = " ".join(line.split())
    found = next((at for one in what.spellings if (at := said.find(one)) >= 0), 0)
    start = said.rfind(" ", 0, max(found - _LEAD, 0)) + 1 if len(said) > LONGEST and found > _LEAD else 0
    return snippet(said[start:])


def _impact(path: str) -> str:
    if is_document(path):
        return "Someone with that version follows the document and is then refused by the build or the installer."
    return "A tool that goes by this setting checks or builds for a version that the project does not take any more."


RULES = (Rule("minimum_left_behind", frozenset({EditOp.MINIMUM_RAISED}), _raise, _settle),)
