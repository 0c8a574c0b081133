"""Edits of the oldest version of a language that a project asks for, told by the line of its manifest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename

from review_agent.syntax.edits.frame import Sighting, Spot
from review_agent.vocabulary import EditOp, FactValue, Line, Side

__all__ = ["raised", "version"]

_PYTHON = re.compile(r"(?:requires-python|python_requires)\s*[=:]\s*[\"']?\s*>=\s*(\d+\.\d+)")
_GO = re.compile(r"^go (\d+\.\d+(?:\.\d+)?)\s*$")
_NODE = re.compile(r"\"node\"\s*:\s*\"\s*>=\s*v?(\d+(?:\.\d+)*)")
_JAVA = re.compile(
    r"<(?:maven\.compiler\.(?:release|source|target)|java\.version|javaVersion|release|source|target)>(\d+(?:\.\d+)?)<"
    r"|(?:source|target)Compatibility\s*=?\s*['\"]?(?:JavaVersion\.VERSION_)?(\d+(?:[._]\d+)?)"
)
# The manifest that speaks for the whole project stands at its root.
_MANIFESTS = {
    "pyproject.toml": ("Python", _PYTHON),
    "setup.py": ("Python", _PYTHON),
    "setup.cfg": ("Python", _PYTHON),
    "go.mod": ("Go", _GO),
    "package.json": ("Node", _NODE),
    "pom.xml": ("Java", _JAVA),
    "build.gradle": ("Java", _JAVA),
}


def raised(path: str, number: int, old: Line, new: Line) -> Iterator[Sighting]:
    """minimum_raised: a manifest asks for a newer version of its language than it did."""
    platform, pattern = _MANIFESTS.get(path, ("", _PYTHON))
    one, other = pattern.search(old.text), pattern.search(new.text)
    if not platform or new.new is None or not one or not other:
        return
    before, after = (next(part for part in found.groups() if part).replace("_", ".") for found in (one, other))
    if version(before, platform) >= version(after, platform):
        return
    facts: dict[str, FactValue] = {"platform": platform, "beforeVersion": before, "afterVersion": after}
    spot = Spot(number, Side.NEW, new.new, new.new)
    was, now = " ".join(old.text.split()), " ".join(new.text.split())
    yield Sighting(EditOp.MINIMUM_RAISED, spot, basename(path), before, was, now, facts)


def version(text: str, platform: str) -> tuple[int, ...]:
    """A version as numbers, without noughts at its end; Java's ``1.8`` is 8."""
    parts = [int(part) for part in text.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts[1:] if platform == "Java" and parts[0] == 1 and len(parts) > 1 else parts)
