"""How the contract reads prose, and what it does with data that is no draft at all."""

import json

import pytest
from drawn import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import CASE, codes, judged, true_draft
from truecards import world

from review_agent.stages.contract_text import (
    Mention,
    code_like,
    content_words,
    denies_doubt,
    flaw,
    is_path,
    lines_apart,
    mentions,
    numbers_in,
    stands_in,
)
from review_agent.vocabulary import ContractCode, Rejection, ReviewEvidenceCard


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the tenant_id and the tenantId", ("tenant_id", "tenantId")),
        ("calls read() and os.path.join", ("read()", "os.path.join")),
        ("in src/a.py and Makefile.toml, not src", ("src/a.py", "Makefile.toml")),
        ("the MAX_SIZE of a ValueError", ("MAX_SIZE", "ValueError")),
        ("`tenant_id` is quoted", ()),
        ("GitHub gives IDs, e.g. for URLs; the argument(s) and I/O", ()),
        ("A claim ends. Another follows and/or does not.", ()),
        ("PostgreSQL or Node.js with 3.11", ()),
        ("_private and __init__ too", ("_private", "__init__")),
    ],
)
def test_words_that_look_like_code_are_found_outside_backticks(text, found):
    assert code_like(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at `src/a.py` line 41", (Mention("src/a.py", (41,)),)),
        ("src/a.py:7 makes one", (Mention("src/a.py", (7,)),)),
        ("`src/a.py:7-9` and a.go lines 3 to 5", (Mention("src/a.py", (7, 9)), Mention("a.go", (3, 5)))),
        ("`x` line 4 of nothing", ()),
    ],
)
def test_places_are_read_with_and_without_backticks(text, found):
    assert mentions(text) == found


@pytest.mark.parametrize(
    ("text", "lines", "others"),
    [
        ("line 3 is read 3 times", {"3"}, {"3"}),
        ("lines 3, 5 and 7-9, then 11", {"3", "5", "7", "9"}, {"11"}),
        ("Line 4 to 6 of 8 lines", {"4", "6"}, {"8"}),
        ("src/a.py:7 bills 9", {"7"}, {"9"}),
        ("`src/a.py:7` and 9 more", {"7"}, {"9"}),
        ("src/a.py:7-9", {"7", "9"}, set()),
        ("``:41 bills 9", {"41"}, {"9"}),
        ("`src/a.py` lines 41 through 44 & 46 of 50", {"41", "44", "46"}, {"50"}),
        ("at line number 41 it does so 3 times", {"41"}, {"3"}),
        ("a ratio of `a`: 13", set(), {"13"}),
        ("in 13 lines at a ratio of 1:13", set(), {"1", "13"}),
        ("online 5, deadline 6", set(), {"5", "6"}),
    ],
)
def test_a_number_is_a_lines_only_where_the_text_says_so(text, lines, others):
    said, rest = lines_apart(text)
    assert (numbers_in(said), numbers_in(rest)) == (lines, others)


def test_an_amount_is_not_excused_by_a_line_of_that_number():
    """Nearly every small number is the number of some line that was read."""
    (card,) = judged(true_draft())
    start = card.supporting_refs[0].start_line
    for text, fits in ((f" Line {start} does so.", True), (f" It bills {start} times.", False)):
        draft = true_draft()
        (verdict,) = judged({**draft, "claim": draft["claim"] + text})
        assert isinstance(verdict, ReviewEvidenceCard) == fits
        assert fits or codes(verdict) == {ContractCode.INVENTED_NUMBER}


@pytest.mark.parametrize(
    "text",
    [
        "None.",
        "None known.",
        "none at all",
        "No known doubts.",
        "There is no uncertainty.",
        "No uncertainty remains.",
        "No remaining uncertainty about the callers.",
        "There are no open questions here.",
        "I have no doubt that it fails.",
        "Nothing is uncertain here.",
        "Nothing remains unclear.",
        "Nothing, all was verified.",
        "None - the code was read.",
        "No, the evidence is complete.",
        "N/A n/a",
        "I am fully certain.",
        "It is certain that `quote` fails.",
        "All clear",
        "Everything was verified.",
        " — no doubt at all",
        "No concerns were found.",
        "No reservations about it at all.",
    ],
)
def test_who_only_denies_doubt_lists_none(text):
    draft = {**true_draft(), "confidence": "medium", "uncertainty": [text]}
    assert codes(judged(draft)[0]) == {ContractCode.UNCERTAINTY_MISSING}
    hedged = {**draft, "impactCondition": "Probably: " + draft["impactCondition"]}
    assert ContractCode.HEDGE_WITHOUT_UNCERTAINTY in codes(judged(hedged)[0])


@pytest.mark.parametrize(
    "text",
    [
        "No caller outside the tests was read.",
        "No-op callers were not looked for.",
        "None of the other readers was looked at.",
        "Nothing shows whether the cache is shared.",
        "Nothing known of other processes was read.",
        "Nothing rejects unknown keys as far as was read.",
        "I am not certain whether tenants share it.",
        "Not all is known of who else calls it.",
        "Certain tenants may have no discount.",
        "All callers were not read.",
        "It is open whether anybody else asks.",
        "Whether there is no doubt of it elsewhere was not read.",
        "No reservation with a null guest was seen in the tests.",
        "No question rows without an author were looked at.",
        "No open question whether callers pass `None` was settled.",
        "No: the caller in another file was not read.",
        "Nothing here, in the library, was read about retries.",
        "I am sure only of the one path.",
        "It is certain only that `quote` is called.",
    ],
)
def test_a_doubt_may_begin_with_a_denial(text):
    assert not denies_doubt(text)
    (verdict,) = judged({**true_draft(), "confidence": "medium", "uncertainty": [text]})
    assert isinstance(verdict, ReviewEvidenceCard)


def test_pieces_of_code_match_whole_words_only():
    assert stands_in("quote", "def quote(x)")
    assert not stands_in("quote", "def quotes(x)")
    assert stands_in("a.b", "x = a.b + 1")
    assert not stands_in("a.b", "x = a.bc")
    assert is_path("src/a.py")
    assert is_path("a.yaml")
    assert not is_path("tenant.id")


def test_words_that_carry_meaning_are_compared_by_their_stems():
    assert content_words("The caller of `get_all` removes it") == ("caller", "get", "all", "remove")
    assert content_words("removing") != content_words("a caller")


@pytest.mark.parametrize(
    "text", ["", "  ", "a\nb", "a\tb", "a\u202eb", "a\u200bb", "a`b", "``", "<!-- x -->", "<b>", "[a](b)"]
)
def test_texts_that_may_not_be_shown(text):
    assert flaw(text)


def test_texts_that_may_be_shown():
    assert not flaw("A claim: `List<int>`, 3 < 4, “quoted” and naïve.")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=examples(80), deadline=None)
@given(JSON)
def test_random_data_is_rejected_and_never_crashes(data):
    (verdict,) = judged(data)
    assert isinstance(verdict, Rejection)
    json.dumps(verdict.wire())
    (verdict,) = judged(data, verification_due=True)
    assert isinstance(verdict, Rejection)


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_a_true_draft_with_random_fields_never_crashes(data):
    draft = true_draft()
    for _ in range(data.draw(st.integers(1, 3))):
        where = data.draw(st.sampled_from([draft, draft["effect"], draft["diffAnchor"], draft["supportingRefs"][0]]))
        key = data.draw(st.sampled_from(sorted(where)) | st.sampled_from(["change_kind", "extra"]))
        value = data.draw(JSON | st.text(alphabet="`_./ab1: \u202e<!-", max_size=60))
        if where is draft or key in where:
            where[key] = value
        if not isinstance(draft.get("effect"), dict) or not isinstance(draft.get("diffAnchor"), dict):
            break
        refs = draft.get("supportingRefs")
        if not isinstance(refs, list) or not refs or not isinstance(refs[0], dict):
            break
    (verdict,) = judged(draft)
    json.dumps(verdict.wire())
    if isinstance(verdict, ReviewEvidenceCard):
        assert verdict.diff_anchor == world().cases[CASE][0].anchor


@pytest.mark.parametrize(
    "data",
    [
        {"claim": "\ud800"},
        {"claim": float("nan")},
        {"a": 10**400},
        json.loads("[" * 300 + "]" * 300),
        {**world().cases[CASE][2], "claim": "x_y " * 100_000},
        {**world().cases[CASE][2], "uncertainty": ["a"] * 10_000},
    ],
    ids=["surrogate", "nan", "huge number", "deep", "long", "many"],
)
def test_data_that_no_file_could_hold_is_recorded_in_another_form(data):
    (verdict,) = judged(data)
    assert codes(verdict) == {ContractCode.SCHEMA}
    json.dumps(verdict.wire()).encode()


def test_lines_of_absurd_size_are_refused():
    draft = true_draft()
    draft["supportingRefs"][0]["endLine"] = 10**30
    draft["diffAnchor"]["endLine"] = 10**30
    assert codes(judged(draft)[0]) >= {ContractCode.REF_NOT_READ, ContractCode.QUOTE_MISMATCH}
