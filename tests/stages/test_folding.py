"""One defect that two kinds saw gives one card; the other is recorded as a rejection that names it."""

import pytest
from made_runs import card, ref, sha

from review_agent.stages.folding import folded
from review_agent.vocabulary import ChangeKind, Confidence, Effect, EffectOp, Severity

NEUTRAL = {
    "diff_anchor": ref("a.py", 7),
    "supporting_refs": (ref("b.py", 3, role="use"),),
    "severity": Severity.IMPORTANT,
    "confidence": Confidence.HIGH,
}


def made(n, kind, **changes):
    one = card(sha("review", 1), n)
    return one.model_copy(update={**NEUTRAL, "question_id": f"q-{n}", "change_kind": kind, **changes})


def effect(subject):
    return Effect(op=EffectOp.CHANGED, subject=subject)


def ends(*cards):
    return [(name, record.change_kind.value) for name, record in folded(("passed", one) for one in cards)]


def test_the_card_of_a_kind_of_its_own_stays():
    general, own = made(0, ChangeKind.INCOMPLETE_CHANGE), made(1, ChangeKind.SERIALIZATION)
    (name, rejection), (_, kept) = folded([("passed", general), ("passed", own)])
    assert kept is own
    assert (name, rejection.question_id, rejection.ordinal) == ("rejection", "q-0", 0)
    (reason,) = rejection.reasons
    assert reason.code == "duplicate"
    assert own.card_id[:8] in reason.detail
    assert rejection.draft["claim"] == general.claim


@pytest.mark.parametrize(
    "better",
    [
        {"severity": Severity.BLOCKING, "confidence": Confidence.MEDIUM},
        {"confidence": Confidence.HIGH},
    ],
)
def test_the_more_severe_stays_then_the_surer(better):
    plain = made(0, ChangeKind.SERIALIZATION, confidence=Confidence.MEDIUM)
    other = made(1, ChangeKind.INCOMPLETE_CHANGE, **better)
    assert ends(plain, other) == [("rejection", "serialization"), ("passed", "incomplete_change")]


def test_a_models_card_takes_the_place_of_no_rules_card():
    rules = made(0, ChangeKind.API_CONTRACT, confidence=Confidence.MEDIUM)
    models = made(1, ChangeKind.INPUT, severity=Severity.BLOCKING, rule="compiled:input")
    for both in ((rules, models), (models, rules)):
        assert sorted(ends(*both)) == [("passed", "api_contract"), ("rejection", "input")]


def test_of_equals_the_question_that_ranks_higher_stays():
    assert ends(made(0, ChangeKind.AUTH), made(1, ChangeKind.INPUT)) == [("passed", "auth"), ("rejection", "input")]


@pytest.mark.parametrize(
    "other",
    [
        {"diff_anchor": ref("a.py", 8)},
        {"diff_anchor": ref("a.py", 7, side="old")},
        {"supporting_refs": (ref("b.py", 4, role="use"),)},
        {"supporting_refs": (ref("b.py", 3, role="use"), ref("c.py", 3, role="use"))},
    ],
)
def test_other_lines_or_other_evidence_is_another_finding(other):
    cards = made(0, ChangeKind.AUTH), made(1, ChangeKind.INPUT, **other)
    assert [name for name, _ in ends(*cards)] == ["passed", "passed"]


def test_two_effects_of_one_kind_stay_apart():
    cards = made(0, ChangeKind.AUTH), made(1, ChangeKind.AUTH), made(2, ChangeKind.INPUT)
    assert ends(*cards) == [("passed", "auth"), ("passed", "auth"), ("rejection", "input")]


def test_what_else_ended_stays_as_it_is_and_drafts_are_counted():
    first = made(0, ChangeKind.INPUT, diff_anchor=ref("a.py", 1), effect=effect("another"))
    second = made(0, ChangeKind.INPUT, card_id="c" * 32)
    top = made(1, ChangeKind.AUTH)
    got = list(folded([("passed", top), ("no_finding", {}), ("passed", first), ("passed", second)]))
    assert [name for name, _ in got] == ["passed", "no_finding", "passed", "rejection"]
    assert got[-1][1].ordinal == 1


def test_a_rule_that_tells_the_same_of_many_places_by_the_same_lines_tells_it_once():
    places = [made(n, ChangeKind.INCOMPLETE_CHANGE, diff_anchor=ref(f"new{n}.py", 7 + n)) for n in range(4)]
    other = made(4, ChangeKind.INCOMPLETE_CHANGE, diff_anchor=ref("new4.py", 1), effect=effect("another"))
    got = list(folded(("passed", one) for one in (*places, other)))
    assert [name for name, _ in got] == ["passed", "rejection", "rejection", "rejection", "passed"]
    assert all(places[0].card_id[:8] in one.reasons[0].detail for name, one in got if name == "rejection")
    assert "the same of another place" in got[1][1].reasons[0].detail


@pytest.mark.parametrize("subject", ["book", "`Carrier.book`", "carrier.book(order, 1)"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_models_question_gives_way_to_a_rules_card_on_the_same_subject_of_the_same_line(subject, order):
    rules = made(0, ChangeKind.API_CONTRACT, effect=effect("book"), rule="required_parameter")
    changes = {
        "supporting_refs": (ref("z.py", 9, role="use"),),
        "severity": Severity.BLOCKING,
        "rule": "compiled:other",
    }
    model = made(1, ChangeKind.OTHER, effect=effect(subject), **changes)
    pair = [rules, model]
    got = dict(folded(("passed", pair[n]) for n in order))
    assert got["passed"] is rules
    (reason,) = got["rejection"].reasons
    assert got["rejection"].question_id == "q-1"
    assert (reason.code, rules.card_id[:8] in reason.detail) == ("duplicate", True)
    assert "the same on the same line" in reason.detail


@pytest.mark.parametrize(
    "other",
    [
        {"effect": Effect(op=EffectOp.CHANGED, subject="cancel")},
        {"diff_anchor": ref("a.py", 8)},
        {"rule": "another_rule"},
    ],
    ids=["another subject", "another line", "a rule of its own"],
)
def test_what_tells_of_something_else_stands_beside_the_rules_card(other):
    rules = made(0, ChangeKind.API_CONTRACT, effect=effect("book"), rule="required_parameter")
    told = {
        "effect": effect("book"),
        "supporting_refs": (ref("z.py", 9, role="use"),),
        "rule": "compiled:other",
        **other,
    }
    assert [name for name, _ in folded(("passed", one) for one in (rules, made(1, ChangeKind.OTHER, **told)))] == [
        "passed",
        "passed",
    ]


def test_a_rejection_names_the_card_that_is_left_where_the_one_it_gives_way_to_gives_way_too():
    rules, kind = ChangeKind.INCOMPLETE_CHANGE, ChangeKind.SERIALIZATION
    general, left = made(0, rules, effect=effect("save")), made(1, kind, effect=effect("all"))
    models = made(2, kind, rule="compiled:serialization", effect=effect("save"), supporting_refs=(ref("c.py", 9),))
    for order in ((general, left, models), (models, general, left)):
        found = list(folded(("passed", one) for one in order))
        assert [record.card_id for name, record in found if name == "passed"] == [left.card_id]
        for name, record in found:
            assert name == "passed" or f"the card {left.card_id[:8]} " in record.reasons[0].detail


def test_a_step_that_is_gone_from_two_places_is_two_defects_though_both_rest_on_one_definition():
    """A person who rejects one has said nothing of the other."""
    places = [
        made(
            n,
            ChangeKind.CONCURRENCY_RETRY,
            diff_anchor=ref(f"src/{n}.js", 4),
            rule="await_dropped",
            effect=effect("save"),
        )
        for n in range(2)
    ]
    assert ends(*places) == [("passed", "concurrency_retry")] * 2
