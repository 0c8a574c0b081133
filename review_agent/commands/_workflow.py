"""The GitHub workflow that ``init --github`` writes: it may read the code, nothing else, and runs nothing of it."""

from __future__ import annotations

import json
import re
from importlib import metadata
from typing import Any

from review_agent import __version__
from review_agent.errors import UsageError

__all__ = ["PATH", "install_of", "installed", "workflow"]

PATH = ".github/workflows/review-agent.yml"

# Commits that the actions' own tags name: a tag can be moved, a commit cannot.
_CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
_PYTHON = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"
_UPLOAD = "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0"

# What pip may be given, between single quotes in a shell line: no quote, no $ and no line end.
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9 @+:/._=<>~!,;\[\]#?&%-]*")

_TEXT = """\
# Reviews each pull request and keeps the run log as an artifact; written by `review-agent init --github`.
# It needs no secret, so that it works on forks too. It never fails a job unless `check` is given --fail-on.
name: review-agent

on:
  pull_request:

permissions:
  contents: read

concurrency:
  group: review-agent-${{ github.ref }}
  cancel-in-progress: true

jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      # Installed before the checkout: nothing of the change can get in the way of it.
      - uses: PYTHON
        with:
          python-version: "3.13"
      - run: |
          pip install --disable-pip-version-check 'REQUIREMENT'
      - uses: CHECKOUT
        with:
          fetch-depth: 0 # the base, the history between, and the branch that holds the policy
          persist-credentials: false
      - run: review-agent check
      - uses: UPLOAD
        if: ${{ !cancelled() }}
        with:
          name: review-agent
          path: .review-agent/artifact/
          include-hidden-files: true # the folder's name begins with a dot
          if-no-files-found: ignore
          retention-days: 30
"""


def workflow(requirement: str) -> str:
    """The workflow's text. Raises UsageError for a requirement that could be more than one to pip."""
    if not _REQUIREMENT.fullmatch(requirement):
        hint = "give what `pip install` takes, such as a name with its version or git+https://…@COMMIT"
        raise UsageError(f"{requirement[:80]!r} is nothing that pip installs", hint=hint)
    words = {"PYTHON": _PYTHON, "REQUIREMENT": requirement, "CHECKOUT": _CHECKOUT, "UPLOAD": _UPLOAD}
    return re.sub("|".join(words), lambda found: words[found.group()], _TEXT)


def install_of(told: dict[str, Any] | None, version: str = __version__) -> str:
    """What pip has to be given elsewhere for this product, by what it was installed from (PEP 610; null: an index).

    Raises UsageError where that is a folder, which no CI job can reach.
    """
    if told is None:
        return f"review-agent=={version}"
    url, vcs, archive = told.get("url", ""), told.get("vcs_info"), told.get("archive_info")
    if vcs:
        return f"review-agent @ {vcs['vcs']}+{url}@{vcs['commit_id']}"
    if archive is not None and url.startswith("https://"):
        sha = (archive.get("hashes") or {}).get("sha256")
        return f"review-agent @ {url}" + (f"#sha256={sha}" if sha else "")
    raise UsageError(
        "this review-agent is installed from a folder, which a CI job does not have",
        where=url,
        hint="say what pip installs there: init --github --install 'git+https://HOST/REPO@COMMIT'",
    )


def installed() -> str:
    """What pip has to be given elsewhere for the product that runs here. Raises UsageError where nothing can be."""
    try:
        told = metadata.distribution("review-agent").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return install_of({"url": "a checkout"})
    return install_of(json.loads(told) if told else None)
