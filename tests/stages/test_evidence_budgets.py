"""Both permissions have their own budgets: reserved before they are spent, refused aloud, shared where already paid."""

import pytest
from evidence_room import Room, ask, hits, places, read

from review_agent.git import Git, GrepHits
from review_agent.vocabulary import QueryStatus

PRICING = {"shop/pricing.py": "def quote(x):\n    y = x\n    return y\n", "shop/__init__.py": ""}
CALLERS = ask("callers", "quote", "shop/pricing.py")


def callers(count, **more):
    """Files ``a00`` … that each call ``quote`` from a function of their own."""
    body = "from shop.pricing import quote\n\n\ndef f():\n    return quote(1)\n"
    return {**PRICING, **{f"app/a{n:02}.py": body for n in range(count)}, **more}


def test_queries_over_the_budget_are_refused_and_recorded(repo):
    plan = [ask("definition", "quote", "shop/pricing.py")] * 3
    bundle = Room(repo, PRICING).bundle(*plan, queries=2)
    assert [one.status for one in bundle.queries] == [QueryStatus.ANSWERED, QueryStatus.ANSWERED, QueryStatus.REFUSED]
    assert bundle.queries[2].note == "queries budget of 2 spent"
    assert bundle.spent.queries == 2
    assert any(row.why == "queries budget of 2 spent" for row in bundle.left_out)


def test_candidate_files_over_the_budget_are_left_out_by_name(repo):
    bundle = Room(repo, callers(6)).bundle(CALLERS, candidate_files=4)
    assert bundle.spent.candidate_files == 4
    assert bundle.queries[0].truncated
    over = [row.what for row in bundle.left_out if row.why == "candidate_files budget of 4 spent"]
    assert over == [f"2 hits of `quote` in app/a0{n}.py" for n in (3, 4, 5)]


def test_the_home_and_the_files_that_import_it_come_first(repo):
    more = {"aaa.py": "x.quote(1)\n", "shop/zz.py": "y.quote(1)\n"}
    bundle = Room(repo, callers(2, **more)).bundle(CALLERS, candidate_files=3)
    assert {path for path, _ in places(bundle)} == {"app/a00.py", "app/a01.py"}


def test_product_code_comes_before_tests_and_examples_and_before_what_has_only_comments(repo):
    user = "from shop.pricing import quote\n\nquote(1)\n"
    more = {
        "examples/shop.py": user,
        "shop/test_pricing.py": user,
        "shop/notes.py": "# quote is told elsewhere\n",
        "web/view.py": user,
    }
    room = Room(repo, {**PRICING, **more})
    assert {path for path, _ in places(room.bundle(CALLERS, candidate_files=2))} == {"web/view.py"}
    assert {path for path, _ in places(room.bundle(CALLERS, candidate_files=4))} == {*more} - {"shop/notes.py"}


def test_one_test_is_kept_among_many_callers(repo):
    test = "from shop.pricing import quote\n\n\ndef test_it():\n    quote(1)\n"
    bundle = Room(repo, callers(9, **{"tests/test_a.py": test, "tests/test_b.py": test})).bundle(CALLERS)
    assert {path for path, _ in places(bundle) if path.startswith("tests/")} == {"tests/test_a.py"}


def test_queries_of_one_question_share_the_candidate_files_in_turns(repo):
    other = "def other(): ...\n"
    more = {f"b/b{n}.py": "from shop.other import other\nother()\n" for n in range(4)}
    room = Room(repo, callers(4, **more, **{"shop/other.py": other}))
    bundle = room.bundle(CALLERS, ask("callers", "other", "shop/other.py"), candidate_files=6)
    assert len({path for path, _ in places(bundle, 0)}) == len({path for path, _ in places(bundle, 1)}) == 2


def test_hits_over_the_query_bytes_are_left_out_unrelated_ones_first(repo):
    more = {"b.py": "def quote(): ...\n" + "quote()\n" * 30}
    bundle = Room(repo, callers(3, **more)).bundle(CALLERS, query_bytes=256)
    assert bundle.queries[0].unresolved == 30
    assert not bundle.queries[0].truncated
    assert {fact.resolution.value for path, _, fact in hits(bundle) if path.startswith("app/")} == {"resolved"}
    assert sum(len(one.text.encode()) for one in bundle.evidence if one.origin == "hit") <= 256
    assert any("query_bytes budget of 256 spent" in row.why for row in bundle.left_out)


def test_an_answer_whose_resolved_hits_were_cut_is_not_whole(repo):
    more = {"b.py": "from shop.pricing import quote\n" + "quote(12345678901234567890)\n" * 30}
    assert Room(repo, {**PRICING, **more}).bundle(CALLERS, query_bytes=256).queries[0].truncated


def test_long_lines_are_cut(repo):
    more = {"b.py": f"from shop.pricing import quote\nquote({'1' * 500})\n"}
    bundle = Room(repo, {**PRICING, **more}).bundle(CALLERS, line_characters=60)
    assert {len(line) for one in bundle.evidence for line in one.text.split("\n")} <= set(range(61))


def test_hits_of_one_name_are_bounded_with_the_home_first(repo):
    bundle = Room(repo, callers(5)).bundle(CALLERS, grep_hits_per_name=3)
    assert bundle.queries[0].truncated
    assert any("grep_hits_per_name budget of 3 spent" in row.why for row in bundle.left_out)


def test_reading_takes_the_definition_and_the_functions_around_callers(repo):
    room = Room(repo, callers(3))
    plan = (ask("definition", "quote", "shop/pricing.py"), CALLERS)
    (bundle,) = room.collect(room.question(*plan, at="shop/pricing.py", line=2))
    assert ("shop/pricing.py", 1, 3) in read(bundle)
    assert [one for one in read(bundle) if one[0].startswith("app/")] == [("app/a00.py", 4, 5), ("app/a01.py", 4, 5)]
    assert bundle.spent.lines_read == 3 + 2 + 2


def test_reading_stops_at_its_files_and_says_so(repo):
    bundle = Room(repo, callers(3)).bundle(ask("definition", "quote", "shop/pricing.py"), CALLERS, files_read=2)
    assert bundle.spent.files_read == 2
    assert any(row.why == "files_read budget of 2 spent" for row in bundle.left_out)
    assert len({path for path, _, _ in read(bundle)}) == 2


def test_reading_stops_at_its_lines_and_says_so(repo):
    long = "def quote(x):\n" + "    y = x\n" * 50 + "    return y\n"
    plan = ask("definition", "quote", "shop/pricing.py")
    bundle = Room(repo, {**PRICING, "shop/pricing.py": long}).bundle(plan, lines_per_file=20)
    assert read(bundle)[-1] == ("shop/pricing.py", 1, 20)
    assert bundle.spent.lines_read == 20
    assert any(row.what == "shop/pricing.py lines 21 to 52" for row in bundle.left_out)


def test_lines_read_for_one_question_cost_the_next_nothing(repo):
    room = Room(repo, PRICING)
    plan = ask("definition", "quote", "shop/pricing.py")
    first, second = room.collect(*[room.question(plan, at="shop/pricing.py")] * 2)
    assert read(first) == read(second) != []
    assert (first.spent.files_read, first.spent.lines_read) == (1, 3)
    assert (second.spent.files_read, second.spent.lines_read) == (0, 0)


def test_nothing_is_read_without_the_permission(repo):
    bundle = Room(repo, callers(2)).bundle(CALLERS, files_read=0)
    assert not read(bundle)
    assert places(bundle)


@pytest.mark.slow
def test_a_frequent_name_hides_no_other_name_of_the_same_file(repo):
    many = "from shop.pricing import quote\nimport shop.other\n" + "shop.other.other()\n" * 1_200 + "quote(1)\n"
    room = Room(repo, {**PRICING, "shop/other.py": "def other(): ...\n", "b.py": many})
    bundle = room.bundle(CALLERS, ask("callers", "other", "shop/other.py"))
    assert ("b.py", 1_203) in places(bundle)
    assert [one.truncated for one in bundle.queries] == [False, True]
    assert any("hits of `other`" in row.what and "grep_hits_per_name" in row.why for row in bundle.left_out)


def test_an_answer_whose_search_was_cut_is_not_whole(repo, monkeypatch):
    monkeypatch.setattr("review_agent.git._MAX_GREP_OUTPUT", 200)
    (result,) = (bundle := Room(repo, callers(30)).bundle(CALLERS)).queries
    assert result.truncated
    assert "the search was cut at app/a" in result.note
    assert any(row.why == "the search's output passed its bound" for row in bundle.left_out)


def without(*paths):
    """A ``git grep`` in a clone that lacks the contents of these files."""
    real = Git.grep

    def grep(self, *args, **more):
        found = GrepHits(hit for hit in real(self, *args, **more) if hit.path not in paths)
        found.unread = paths
        return found

    return grep


def test_files_that_a_partial_clone_lacks_are_named_and_leave_the_answer_open(repo, monkeypatch):
    room = Room(repo, callers(2))
    monkeypatch.setattr(Git, "grep", without("app/a01.py", "vendor/x.py"))
    bundle = room.bundle(CALLERS)
    assert bundle.queries[0].truncated
    assert bundle.queries[0].note == "1 file not searched: not in this clone"
    rows = [row.what for row in bundle.left_out if row.why == "its contents are not in this partial clone"]
    assert rows == ["hits of `quote` in app/a01.py"]


def test_files_that_cannot_set_a_key_may_lack_in_the_clone(repo, monkeypatch):
    room = Room(repo, {"a.env": "RATE=1\n", "logo.png": "x"})
    monkeypatch.setattr(Git, "grep", without("logo.png"))
    assert not room.bundle(ask("config", "RATE")).queries[0].truncated
