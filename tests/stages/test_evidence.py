"""Collecting for questions: callers found and resolved, the order and truth of evidence, what is said of the rest."""

import pytest
from evidence_room import Room, ask, hits, places

from review_agent.vocabulary import QueryStatus, Resolution, Role, Side

SHOP = {
    "shop/__init__.py": "",
    "shop/pricing.py": "def quote(tenant, sku):\n    return sku\n",
    "shop/api.py": "from shop.pricing import quote\n\n\ndef view(request):\n"
    "    try:\n        price = quote(\n            request.tenant, sku=1\n        )\n"
    "    except ValueError:\n        return None\n"
    "    # quote it\n    return price\n",
    "shop/admin.py": "def tool(thing):\n    return thing.quote(1)\n",
    "shop/other.py": "def quote():\n    return 1\n\n\nquote()\n",
    "tests/test_pricing.py": "from shop.pricing import quote\n\n\ndef test_it():\n    assert quote(1, 2) == 2\n",
}
CALLERS = ask("callers", "quote", "shop/pricing.py")


def test_callers_are_resolved_and_counted(repo):
    bundle = Room(repo, SHOP).bundle(CALLERS)
    (result,) = bundle.queries
    assert result.status is QueryStatus.ANSWERED
    assert (result.resolved, result.ambiguous, result.unresolved) == (4, 1, 1)
    assert result.searched == "6 files at head; 9 hits: 4 calls, 2 definitions, 2 imports"
    assert result.note == "1 in comments or strings"
    assert (result.files_searched, result.hits, result.truncated) == (6, 9, False)


def test_a_call_is_cited_by_its_whole_range_with_what_it_passes_and_what_guards_it(repo):
    bundle = Room(repo, SHOP).bundle(CALLERS)
    ((ref, fact),) = [
        (one.ref, fact)
        for one in bundle.evidence
        for fact in one.facts
        if one.ref.path == "shop/api.py" and fact.fact == "call"
    ]
    assert (ref.start_line, ref.end_line, ref.role) == (6, 8, Role.CALLER)
    assert [(one.text, one.keyword) for one in fact.arguments] == [("request.tenant", None), ("1", "sku")]
    assert (fact.callee, fact.scope, fact.result, fact.targets) == ("quote", "view", "assigned", ("price",))
    assert fact.caught == ("ValueError",)
    assert fact.reason == "`from shop.pricing import quote`, line 1"
    assert not fact.in_test


def test_evidence_stands_in_order_of_query_path_and_line_and_every_ref_holds(repo):
    room = Room(repo, SHOP)
    bundle = room.bundle(CALLERS, ask("tests", "quote", "shop/pricing.py"))
    order = [(one.query, one.ref.path, one.ref.start_line) for one in bundle.evidence]
    assert order == sorted(order)
    assert all(room.sources[one.ref.side].holds(one.ref) for one in bundle.evidence)
    assert places(bundle) == [
        ("shop/admin.py", 2),
        ("shop/api.py", 1),
        ("shop/api.py", 6),
        ("shop/other.py", 5),
        ("tests/test_pricing.py", 1),
        ("tests/test_pricing.py", 5),
    ]


def test_tests_are_asked_for_apart_and_carry_their_role(repo):
    bundle = Room(repo, SHOP).bundle(CALLERS, ask("tests", "quote", "shop/pricing.py"))
    assert places(bundle, 1) == [("tests/test_pricing.py", 1), ("tests/test_pricing.py", 5)]
    assert all(fact.in_test for _, _, fact in hits(bundle, 1))
    roles = {(one.query, one.ref.path): one.ref.role for one in bundle.evidence if one.origin == "hit"}
    assert roles[0, "tests/test_pricing.py"] is roles[1, "tests/test_pricing.py"] is Role.TEST


def test_the_old_side_is_searched_at_the_merge_base(repo):
    room = Room(repo, SHOP, {"shop/api.py": "x = 1\n"})
    bundle = room.bundle(CALLERS, ask("callers", "quote", "shop/pricing.py", side=Side.OLD))
    assert "shop/api.py" not in [path for path, _ in places(bundle)]
    assert ("shop/api.py", 6) in places(bundle, 1)
    assert {one.ref.side for one in bundle.evidence if one.query == 1 and one.origin == "hit"} == {Side.OLD}
    assert "at the merge base" in bundle.queries[1].searched


def test_references_to_a_file_that_is_gone_still_resolve(repo):
    room = Room(repo, SHOP, {"shop/pricing.py": None})
    bundle = room.bundle(CALLERS, ask("definition", "quote", "shop/pricing.py"))
    assert bundle.queries[0].resolved == 4
    assert bundle.queries[1].status is QueryStatus.EMPTY
    assert "missing" in bundle.queries[1].note


def test_a_name_that_its_path_only_imports_is_followed_home(repo):
    bundle = Room(repo, SHOP).bundle(ask("callers", "quote", "shop/api.py"))
    assert bundle.queries[0].resolved == 4
    assert ("tests/test_pricing.py", 5) in places(bundle)


def test_an_imports_other_name_is_searched_too(repo):
    more = {**SHOP, "shop/more.py": "from shop.pricing import quote as q\n\nq(1)\n"}
    assert ("shop/more.py", 3) in places(Room(repo, more).bundle(CALLERS))


def test_what_is_passed_as_a_value_is_a_use_and_no_call(repo):
    more = {**SHOP, "shop/more.py": "from shop.pricing import quote\n\nprint(quote)\n"}
    (fact,) = [
        fact for path, line, fact in hits(Room(repo, more).bundle(CALLERS)) if (path, line) == ("shop/more.py", 3)
    ]
    assert (fact.fact, fact.use, fact.resolution) == ("use", "read", Resolution.RESOLVED)


def test_two_calls_on_one_line_are_two_facts_of_one_hit(repo):
    more = {**SHOP, "shop/more.py": "from shop.pricing import quote\n\nx = quote(1) + quote(2)\n"}
    bundle = Room(repo, more).bundle(CALLERS)
    facts = [fact for path, line, fact in hits(bundle) if (path, line) == ("shop/more.py", 3)]
    assert [fact.arguments[0].text for fact in facts] == ["1", "2"]
    assert len([one for one in bundle.evidence if one.ref.path == "shop/more.py" and one.ref.start_line == 3]) == 1


def test_vendored_and_generated_files_are_left_out_aloud(repo):
    call = "from shop.pricing import quote\nquote(1)\n"
    more = {**SHOP, "vendor/x.py": call, "shop/made.py": f"# Code generated by hand. DO NOT EDIT.\n{call}"}
    bundle = Room(repo, more).bundle(CALLERS)
    rows = {row.what: row.why for row in bundle.left_out}
    assert rows["hits of `quote` in vendor/x.py"] == "vendored"
    assert rows["hits of `quote` in shop/made.py"] == "generated"
    assert not {"vendor/x.py", "shop/made.py"} & {path for path, _ in places(bundle)}
    assert "hits in 1 file left out by skip rules" in bundle.queries[0].note


def is_whole(repo, more):
    """Whether callers are answered in full beside these files."""
    return not Room(repo, {**SHOP, **more}).bundle(CALLERS).queries[0].truncated


def test_a_caller_that_speaks_of_marks_outside_a_comment_is_looked_into(repo):
    caller = 'from shop.pricing import quote\n\nTEXT = "DO NOT EDIT"\nquote(1)\n'
    bundle = Room(repo, {**SHOP, "shop/more.py": caller}).bundle(CALLERS)
    assert ("shop/more.py", 4) in places(bundle)
    assert not bundle.queries[0].truncated


@pytest.mark.parametrize(
    ("path", "text", "whole"),
    [
        ("shop/made.py", "# DO NOT EDIT\nfrom shop.pricing import quote\nquote(1)\n", False),
        ("shop/made.py", "# DO NOT EDIT\n# quote\ndef quote(): ...\n", True),
        ("shop/api_pb2.py", "from shop.pricing import quote\nquote(1)\n", False),
        ("vendor/x.py", "# DO NOT EDIT\nfrom shop.pricing import quote\nquote(1)\n", True),
    ],
)
def test_uses_in_generated_files_leave_the_answer_open(repo, path, text, whole):
    assert is_whole(repo, {path: text}) is whole


def test_names_of_other_code_and_other_languages_are_refused_in_words(repo):
    more = {**SHOP, "app.rb": "quote()\n"}
    bundle = Room(repo, more).bundle(
        ask("callers", "quote", "app.rb"),
        ask("history", "quote", "shop/pricing.py"),
    )
    assert [one.status for one in bundle.queries] == [QueryStatus.FAILED, QueryStatus.FAILED]
    assert all(one.note for one in bundle.queries)
    assert not places(bundle)


def test_a_search_without_hits_is_empty_and_says_what_it_searched(repo):
    (result,) = Room(repo, SHOP).bundle(ask("callers", "nowhere", "shop/pricing.py")).queries
    assert (result.status, result.searched) == (QueryStatus.EMPTY, "6 files at head; 0 hits")


def test_a_file_that_cannot_be_read_is_named_and_the_answer_is_not_whole(repo):
    more = {**SHOP, "shop/huge.py": "from shop.pricing import quote\nquote(1)\n" + "x = 1\n" * 170_000}
    bundle = Room(repo, more).bundle(CALLERS)
    assert bundle.queries[0].truncated
    assert ("hits of `quote` in shop/huge.py", "too_large") in {(row.what, row.why) for row in bundle.left_out}
    assert ("shop/api.py", 6) in places(bundle)


def test_bundles_come_in_the_order_asked_with_progress(repo):
    room = Room(repo, SHOP)
    seen = []
    first, second = room.question(CALLERS), room.question(CALLERS, ask("tests", "quote", "shop/pricing.py"))
    bundles = room.collect(first, second, progress=lambda done, total: seen.append((done, total)))
    assert [one.question_id for one in bundles] == [first.question_id, second.question_id]
    assert seen == [(1, 2), (2, 2)]


def test_the_same_questions_give_the_same_bundles(repo):
    room = Room(repo, SHOP)
    plan = (CALLERS, ask("definition", "quote", "shop/api.py", "view"), ask("text", "quote"))
    assert room.bundle(*plan) == room.bundle(*plan)
