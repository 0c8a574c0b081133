"""What the environment of a CI job says of the change: base, head, number, and where the policy is protected.

All of it is data from outside. A commit is taken only as a full id in hex, a branch only as a name that git allows, a
number only as digits; nothing of it reaches a shell, and git is given ids and full ref names alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from review_agent.errors import UsageError

__all__ = ["Told", "told"]

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NO_COMMIT = re.compile(r"0{40}(?:0{24})?")  # how a forge says: there was none before
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_NO_BRANCH = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|[/.]$|\.lock$")
_MOST_BYTES = 64 * 1_048_576
_GITHUB_HINT = "check out the whole history: actions/checkout with `fetch-depth: 0`"
_GITLAB_HINT = 'give the job the variable GIT_DEPTH: "0", so that the runner fetches the whole history'
_HINT = "fetch the whole history first: `git fetch --unshallow origin`, or `git fetch origin REF`"


@dataclass(frozen=True)
class Told:
    """``base`` and ``head`` are ids or refs, null where nothing says; ``source`` says in words who told.

    ``protected`` is the ref that policy is read from, null where the remote's default branch is to be found by git.
    ``hint`` is what to do where a commit is not in the clone.
    """

    source: str
    base: str | None = None
    head: str | None = None
    pr: str | None = None
    protected: str | None = None
    hint: str = _HINT


def told(environment: Mapping[str, str], base: str | None = None, head: str | None = None) -> Told:
    """What a CI job's environment says; a base and a head given by hand go first, then variables of our own.

    Raises UsageError for what is no commit id, branch or number, and for an event that is about no change.
    """
    own_base = base or environment.get("REVIEW_AGENT_BASE") or None
    own_head = head or environment.get("REVIEW_AGENT_HEAD") or None
    number = environment.get("REVIEW_AGENT_PR")
    if environment.get("GITHUB_ACTIONS") == "true":
        found = _github(environment, own_base is None)
    elif environment.get("GITLAB_CI") == "true":
        found = _gitlab(environment, own_base is None)
    else:
        found = Told("the repository")
    return replace(
        found,
        source=("--base" if base else "REVIEW_AGENT_BASE") if own_base else found.source,
        base=own_base or found.base,
        head=own_head or found.head,
        pr=_number(number, "REVIEW_AGENT_PR") if number else found.pr,
        protected=environment.get("REVIEW_AGENT_PROTECTED") or found.protected,
    )


def _github(environment: Mapping[str, str], ask: bool) -> Told:
    """Where policy is protected, and if it is asked for, which change the event is about."""
    name = environment.get("GITHUB_EVENT_NAME", "")
    event = _event(environment.get("GITHUB_EVENT_PATH", ""))
    protected = _protected(_in(event, "repository").get("default_branch"), "the event's default branch")
    found = Told("GitHub", protected=protected, hint=_GITHUB_HINT)
    if not ask:
        return found
    if "pull_request" in event:
        change = _in(event, "pull_request")
        return replace(
            found,
            source="GitHub pull_request",
            base=_id(_in(change, "base").get("sha"), "the pull request's base"),
            head=_id(_in(change, "head").get("sha"), "the pull request's head"),
            pr=_number(change["number"], "the pull request's number") if "number" in change else None,
        )
    if "merge_group" in event:
        group = _in(event, "merge_group")
        base = _id(group.get("base_sha"), "the merge group's base")
        return replace(
            found, source="GitHub merge_group", base=base, head=_id(group.get("head_sha"), "the merge group's head")
        )
    if "before" in event and "after" in event:
        return _pushed(replace(found, source="GitHub push"), event["before"], event["after"])
    if environment.get("GITHUB_BASE_REF"):
        branch = _protected(environment["GITHUB_BASE_REF"], "GITHUB_BASE_REF")
        return replace(found, source="GITHUB_BASE_REF", base=branch, head=_sha(environment, "GITHUB_SHA"))
    hint = "run it on pull_request, push or merge_group, or give --base and --head"
    raise UsageError(f"the GitHub event {name[:40]!r} is about no change", hint=hint)


def _gitlab(environment: Mapping[str, str], ask: bool) -> Told:
    protected = _protected(environment.get("CI_DEFAULT_BRANCH") or None, "CI_DEFAULT_BRANCH")
    found = Told("GitLab", protected=protected, hint=_GITLAB_HINT)
    if not ask:
        return found
    if environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        # A pipeline of merged results runs on a commit of GitLab's own; the change's head is named beside it.
        merged = bool(environment.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"))
        number = environment.get("CI_MERGE_REQUEST_IID")
        return replace(
            found,
            source="GitLab merge request",
            base=_sha(environment, "CI_MERGE_REQUEST_DIFF_BASE_SHA"),
            head=_sha(environment, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA" if merged else "CI_COMMIT_SHA"),
            pr=_number(number, "CI_MERGE_REQUEST_IID") if number else None,
        )
    before, after = environment.get("CI_COMMIT_BEFORE_SHA", "0" * 40), environment.get("CI_COMMIT_SHA")
    return _pushed(replace(found, source="GitLab push"), before, after)


def _pushed(found: Told, before: object, after: object) -> Told:
    """A push, compared with what the branch was; a new branch with the default one."""
    if isinstance(after, str) and _NO_COMMIT.fullmatch(after):
        raise UsageError("a branch was deleted: there is no change to review", hint="leave deletions out of the job")
    fresh = isinstance(before, str) and _NO_COMMIT.fullmatch(before)
    return replace(found, base=found.protected if fresh else _id(before, "push base"), head=_id(after, "push head"))


def _event(path: str) -> dict[str, Any]:
    """The event's payload; an empty one where the job has none."""
    if not path:
        return {}
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        event = json.loads(raw) if len(raw) <= _MOST_BYTES else None
    except OSError as error:
        raise UsageError(f"the event cannot be read: {error.strerror}", where=path, hint=_by_hand()) from error
    except (ValueError, RecursionError) as error:
        raise UsageError("the event is no JSON", where=path, hint=_by_hand()) from error
    if not isinstance(event, dict):
        raise UsageError("the event is no JSON object of a size that can be read", where=path, hint=_by_hand())
    return event


def _in(event: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key, an empty one where there is none."""
    found = event.get(key)
    return found if isinstance(found, dict) else {}


def _sha(environment: Mapping[str, str], name: str) -> str:
    return _id(environment.get(name), name)


def _id(value: object, what: str) -> str:
    if isinstance(value, str) and _ID.fullmatch(value) and not _NO_COMMIT.fullmatch(value):
        return value
    raise UsageError(f"{what} is no commit id: {_quoted(value)}", where="the job's environment", hint=_by_hand())


def _number(value: object, what: str) -> str:
    text = str(value)
    if isinstance(value, (int, str)) and _NUMBER.fullmatch(text):
        return text
    raise UsageError(f"{what} is no number: {_quoted(value)}", where="the job's environment", hint=_by_hand())


def _protected(value: object, what: str) -> str | None:
    """A branch of the remote as a full ref: no tag and no local branch of the same name can take its place."""
    if value is None:
        return None
    if isinstance(value, str) and 0 < len(value) <= 255 and not _NO_BRANCH.search(value):
        return f"refs/remotes/origin/{value}"
    raise UsageError(f"{what} is no branch: {_quoted(value)}", where="the job's environment", hint=_by_hand())


def _quoted(value: object) -> str:
    return repr(value)[:80]


def _by_hand() -> str:
    return "give --base and --head, or REVIEW_AGENT_BASE and REVIEW_AGENT_HEAD"
