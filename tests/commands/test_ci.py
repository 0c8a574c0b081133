"""What a CI job's environment says, and what of it is refused."""

from __future__ import annotations

import json

import pytest

from review_agent.commands._ci import told
from review_agent.errors import UsageError

BASE, HEAD, NONE = "a" * 40, "b" * 40, "0" * 40
SHOP = {"repository": {"default_branch": "develop"}}
PULL = {**SHOP, "pull_request": {"number": 42, "base": {"sha": BASE, "ref": "main"}, "head": {"sha": HEAD}}}


@pytest.fixture
def github(tmp_path):
    def job(event: object, name: str = "pull_request", **more: str):
        path = tmp_path / "event.json"
        path.write_text(event if isinstance(event, str) else json.dumps(event))
        return told({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), **more})

    return job


def test_a_pull_request_names_its_commits_number_and_the_branch_whose_policy_counts(github):
    found = github(PULL)
    assert (found.base, found.head, found.pr) == (BASE, HEAD, "42")
    assert found.protected == "refs/remotes/origin/develop"
    assert found.source == "GitHub pull_request"
    assert "fetch-depth: 0" in found.hint


def test_a_merge_group_and_a_push_name_theirs(github):
    group = github({**SHOP, "merge_group": {"base_sha": BASE, "head_sha": HEAD}}, "merge_group")
    push = github({**SHOP, "before": BASE, "after": HEAD}, "push")
    assert [(one.base, one.head, one.pr) for one in (group, push)] == [(BASE, HEAD, None)] * 2


def test_a_new_branch_is_compared_with_the_default_one_and_a_deleted_one_is_no_change(github):
    assert github({**SHOP, "before": NONE, "after": HEAD}, "push").base == "refs/remotes/origin/develop"
    with pytest.raises(UsageError, match="deleted"):
        github({**SHOP, "before": BASE, "after": NONE}, "push")


def test_a_branch_name_serves_where_the_event_says_no_commit(github):
    found = github(SHOP, "workflow_dispatch", GITHUB_BASE_REF="release/1", GITHUB_SHA=HEAD)
    assert (found.base, found.head) == ("refs/remotes/origin/release/1", HEAD)


@pytest.mark.parametrize(
    "sha",
    ["main", "a" * 39, "A" * 40, f"{BASE}\n", "$(id)", "--upload-pack=x", "", None, 7, ["a" * 40], {"x": 1}, NONE],
)
def test_only_a_whole_id_in_hex_is_a_commit(github, sha):
    event = {**PULL, "pull_request": {**PULL["pull_request"], "head": {"sha": sha}}}
    with pytest.raises(UsageError, match="head is no commit id"):
        github(event)


@pytest.mark.parametrize(
    "event", ["", "[", "[]", "null", '{"pull_request": []}', '{"pull_request": {"base": 1}}', "[" * 100_000]
)
def test_an_event_of_another_shape_is_a_usage_error(github, event):
    with pytest.raises(UsageError) as refused:
        github(event)
    assert "--base" in refused.value.hint


def test_an_event_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError) as refused:
        told({"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": str(tmp_path / "none.json")})
    assert refused.value.where.endswith("none.json")


@pytest.mark.parametrize("branch", ["a..b", "-x", "a b", "x~1", "x^{/fix}", "x@{1}", "a:b", "", "x.lock", "a//b", 3])
def test_a_branch_that_git_would_not_allow_is_refused(github, branch):
    with pytest.raises(UsageError, match="is no branch"):
        github({**PULL, "repository": {"default_branch": branch}})


@pytest.mark.parametrize("number", ["42; id", -1, 0, True, 4.5, "x"])
def test_a_number_is_digits(github, number):
    event = {**PULL, "pull_request": {**PULL["pull_request"], "number": number}}
    with pytest.raises(UsageError, match="is no number"):
        github(event)


def test_an_event_about_no_change_says_what_to_run_it_on(github):
    with pytest.raises(UsageError, match="'schedule' is about no change") as refused:
        github(SHOP, "schedule")
    assert "pull_request" in refused.value.hint


def test_what_is_given_by_hand_goes_first_and_the_policys_branch_stays(github):
    found = github(SHOP, "schedule", REVIEW_AGENT_BASE="v1", REVIEW_AGENT_HEAD="v2", REVIEW_AGENT_PR="7")
    assert (found.base, found.head, found.pr, found.source) == ("v1", "v2", "7", "REVIEW_AGENT_BASE")
    assert found.protected == "refs/remotes/origin/develop"
    assert told({"REVIEW_AGENT_BASE": "v1"}, "v0").base == "v0"
    assert told({"REVIEW_AGENT_PROTECTED": "refs/heads/trunk"}).protected == "refs/heads/trunk"


def test_gitlab_names_a_merge_request_and_a_push():
    job = {"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "trunk", "CI_COMMIT_SHA": HEAD}
    merge = {**job, "CI_MERGE_REQUEST_DIFF_BASE_SHA": BASE, "CI_MERGE_REQUEST_IID": "9", "CI_COMMIT_BEFORE_SHA": NONE}
    found = told(merge)
    assert (found.base, found.head, found.pr, found.protected) == (BASE, HEAD, "9", "refs/remotes/origin/trunk")
    assert "GIT_DEPTH" in found.hint
    assert told({**merge, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "c" * 40}).head == "c" * 40
    assert told({**job, "CI_COMMIT_BEFORE_SHA": BASE}).base == BASE
    assert told({**job, "CI_COMMIT_BEFORE_SHA": NONE}).base == "refs/remotes/origin/trunk"


def test_outside_of_ci_the_repository_is_asked():
    found = told({})
    assert (found.base, found.head, found.protected, found.source) == (None, None, None, "the repository")
