"""Whether a file belongs to an application that is run, not to a package that others build on: its manifest tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import dirname

from review_agent.stages.evidence_view import View

__all__ = ["run_not_imported"]

# Manifests by the ending of the source file; in each, what says that an application is built.
_JVM = re.compile(
    r"<packaging>\s*(?:quarkus|war|ear)\s*</packaging>|"
    r"<artifactId>\s*(?:spring-boot-maven-plugin|quarkus-maven-plugin|micronaut-maven-plugin)\s*</artifactId>|"
    r"com\.android\.application|plugins\.android\.application\b|\bMain-Class\b|"
    r"(?:id|apply plugin:)[\s('\"]+(?:application|war|org\.springframework\.boot|io\.quarkus)['\"]|"
    r"^\s*(?:application|war)\s*$",
    re.MULTILINE,
)
_PRIVATE = re.compile(r"^\s*\"private\"\s*:\s*true\b", re.MULTILINE)
_MANIFESTS = {
    "java": (("pom.xml", "build.gradle", "build.gradle.kts"), _JVM),
    "kt": (("pom.xml", "build.gradle", "build.gradle.kts"), _JVM),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "tsx", "mts", "cts"), (("package.json",), _PRIVATE)),
}


def run_not_imported(view: View, path: str) -> str:
    """What says that the file is part of a program; "" where nothing does."""
    if path.endswith(".py"):
        return _of_django(view)
    names, says = _MANIFESTS.get(path.rpartition(".")[2], ((), _PRIVATE))
    for folder in _above(path):
        nearest = next((one for name in names if (one := f"{folder}/{name}".lstrip("/")) in view.paths), "")
        if nearest:
            told = says.search(view.text(nearest) or "")
            return f"`{nearest}` builds a program, by `{' '.join(told[0].split())}`" if told else ""
    return ""


def _of_django(view: View) -> str:
    """A site of Django's has the program that runs it at its root, and settings of its own."""
    text = view.text("manage.py") if "manage.py" in view.paths else None
    named = re.search(r"DJANGO_SETTINGS_MODULE[\"']\s*,\s*[\"']([\w.]+)", text or "")
    home = named[1].partition(".")[0] if named else ""
    inside = any(one.startswith(f"{home}/") or one == f"{home}.py" for one in view.paths) if home else False
    aside = re.search(r"test|example|sample|demo|sandbox", home) is not None
    return f"`manage.py` runs it as a site, by `{named[1]}`" if named and inside and not aside else ""


def _above(path: str) -> Iterator[str]:
    folder = dirname(path)
    while folder:
        yield folder
        folder = dirname(folder)
    yield ""
