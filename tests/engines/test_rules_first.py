"""The rules answer first; a model is asked what they leave open, the riskiest first, and no more than allowed."""

from __future__ import annotations

from asking import Scripted, compile_, synthesize
from made_runs import bundle

from review_agent.engines.rules_first import RulesFirst
from review_agent.vocabulary import Answer, EngineRole, Pending

DRAFT = {"drafts": ({"claim": "x"},)}
REFUTED = {"no_finding": {"code": "refuted", "detail": "", "missing": []}}
OPEN = {"no_finding": {"code": "insufficient_evidence", "detail": "", "missing": []}}
BROKEN = {"failure": "engine_failed", "detail": "a bug"}


def ends(engine, requests):
    """How each question ended, in the order in which its answer came."""
    ids = {request.request_id: request.question_id for request in requests}
    return [
        (ids[one.request_id], one.engine if isinstance(one, Answer) else type(one).__name__)
        for one in engine.answer(requests)
    ]


def test_what_rules_settle_never_reaches_the_model_and_what_they_leave_open_does():
    rules = Scripted({"q1": DRAFT, "q2": REFUTED, "q3": OPEN, "q4": BROKEN}, "rules/1")
    model = Scripted(name="model")
    found = ends(RulesFirst(model, rules, 6), [synthesize(n) for n in (1, 2, 3, 4)])
    assert found[:2] == [("q1", "rules/1"), ("q2", "rules/1")]
    assert sorted(found[2:]) == [("q3", "Pending"), ("q4", "Pending")]
    assert sorted(model.heard) == ["q3", "q4"]


def test_only_the_riskiest_go_to_the_model_and_the_others_keep_what_the_rules_said():
    rules = Scripted({f"q{n}": OPEN for n in range(1, 5)}, "rules/1")
    model = Scripted(name="model")
    requests = [synthesize(1, risk=10), synthesize(2, risk=90), synthesize(3, risk=50), synthesize(4, risk=20)]
    found = ends(RulesFirst(model, rules, 2), requests)
    assert found == [("q1", "rules/1"), ("q4", "rules/1"), ("q2", "Pending"), ("q3", "Pending")]


def test_where_no_query_found_anything_the_rules_keep_the_word():
    empty = bundle(1)
    empty = empty.model_copy(update={"queries": tuple(one.model_copy(update={"hits": 0}) for one in empty.queries)})
    one = synthesize(1)
    bare = one.model_copy(update={"payload": one.payload.model_copy(update={"bundle": empty})})
    model = Scripted(name="model")
    assert ends(RulesFirst(model, Scripted({"q1": OPEN}, "rules/1"), 6), [bare]) == [("q1", "rules/1")]
    compiled = synthesize(2, rule="compiled:other")
    asked = compiled.model_copy(update={"payload": compiled.payload.model_copy(update={"bundle": empty})})
    assert ends(RulesFirst(model, Scripted(name="rules/1"), 6), [asked]) == [("q2", "Pending")]


def test_none_goes_to_the_model_where_none_is_allowed():
    model = Scripted(name="model")
    assert ends(RulesFirst(model, Scripted({"q1": OPEN}, "rules/1"), 0), [synthesize(1)]) == [("q1", "rules/1")]
    assert model.heard == []


def test_compiled_and_team_questions_and_other_roles_go_to_the_model_without_counting():
    rules, model = Scripted(name="rules/1"), Scripted(name="model")
    requests = [synthesize(1, rule="compiled:other"), synthesize(2, rule="team:ours"), compile_()]
    assert [end for _, end in ends(RulesFirst(model, rules, 0), requests)] == ["Pending"] * 3
    assert rules.heard == []


def test_a_run_that_goes_on_makes_the_same_choice_wherever_it_was_cut():
    words = {f"q{n}": OPEN for n in range(1, 7)}
    requests = [synthesize(n, risk=10 * (n * 5 % 7)) for n in range(1, 7)]

    def asked(due):
        model = Scripted(name="model")
        answered = [one.request_id for one in RulesFirst(model, Scripted(words, "rules/1"), 2).answer(due)]
        return set(model.heard), answered

    whole, order = asked(requests)
    assert len(whole) == 2
    for cut in range(len(order)):
        rest = [one for one in requests if one.request_id not in order[:cut]]
        again, _ = asked(rest)
        answered_before = {one.question_id for one in requests if one.request_id in order[:cut]}
        assert again == whole - answered_before, cut


def test_it_is_named_by_both_and_takes_every_role_of_the_model():
    model = Scripted(name="batch:m/1")
    engine = RulesFirst(model, Scripted(name="rules/1"), 1)
    engine.begin([], torn=(2, 1))
    assert (engine.identity, engine.roles, model.began) == ("rules/1+batch:m/1", frozenset(EngineRole), [(2, 1)])


def test_rules_that_say_nothing_leave_the_question_to_the_model():
    class Silent(Scripted):
        def answer(self, requests):
            return iter(())

    (only,) = RulesFirst(Scripted(), Silent(), 1).answer([synthesize(1)])
    assert isinstance(only, Pending)
