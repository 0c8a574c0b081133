"""The contract as a whole: cards, rejections with every reason, identity, and judging again."""

import pytest
from judging import CASE, codes, judged, true_draft
from truecards import world

from review_agent.errors import RecordError
from review_agent.stages.contract import model_may_post
from review_agent.stages.verification import attach, plan
from review_agent.vocabulary import Confidence, ContractCode, Severity, Side


def test_a_card_carries_identity_rule_and_fingerprint():
    (card,) = judged(true_draft())
    assert (card.kind, card.rule, card.pr, card.schema_version) == ("card", "by_hand", None, "1.0")
    assert len(card.card_id) == 32
    assert len(card.card_version) == 16
    assert len(card.fingerprint) == 32
    (same,) = judged(true_draft())
    assert same == card
    (other,) = judged(true_draft(), review_id="s" * 64)
    assert other.card_id != card.card_id
    assert other.fingerprint == card.fingerprint


def test_the_designs_own_rejection_is_told_by_its_three_codes():
    draft = {
        **true_draft(),
        "claim": "This may leak data across tenants via `TenantCache.get_all`",
        "supportingRefs": [],
    }
    assert codes(judged(draft)[0]) >= {
        ContractCode.INVENTED_SYMBOL,
        ContractCode.HEDGE_WITHOUT_UNCERTAINTY,
        ContractCode.NO_RETRIEVED_SUPPORT,
    }


def test_every_reason_is_collected_even_past_unknown_fields_and_values():
    draft = {
        **true_draft(),
        "modelMayPost": True,
        "severity": "fatal",
        "claim": "Adding `phantom` to key_cache may break things.",
        "impactCondition": "",
        "confidence": "low",
    }
    assert codes(judged(draft)[0]) >= {
        ContractCode.SCHEMA,
        ContractCode.UNKNOWN_VALUE,
        ContractCode.INVENTED_SYMBOL,
        ContractCode.UNQUOTED_IDENTIFIER,
        ContractCode.CLAIM_NOT_CONCRETE,
        ContractCode.IMPACT_EMPTY,
        ContractCode.UNCERTAINTY_MISSING,
        ContractCode.HEDGE_WITHOUT_UNCERTAINTY,
        ContractCode.EFFECT_CONTRADICTS_CLAIM,
    }


def test_a_stand_in_for_an_unknown_value_is_not_held_against_the_draft():
    assert codes(judged({**true_draft(), "severity": "fatal"})[0]) == {ContractCode.UNKNOWN_VALUE}
    assert codes(judged({**true_draft(), "confidence": "sure"})[0]) == {ContractCode.UNKNOWN_VALUE}
    assert codes(judged({**true_draft(), "modelMayPost": True})[0]) == {ContractCode.SCHEMA}


def test_a_claim_may_name_a_line_that_was_read_and_is_cited_by_no_ref():
    """What was shown is evidence; the refs are those that the conclusion falls without."""
    draft = true_draft()
    draft["claim"] = draft["claim"].replace("`tenant.discount_for`", "line 3 of `shop/tenants.py`")
    draft["supportingRefs"] = [ref for ref in draft["supportingRefs"] if ref["path"] != "shop/tenants.py"]
    (found,) = judged(draft)
    assert found.kind == "card" or ContractCode.INVENTED_NUMBER not in codes(found)
    bundle = world().cases[CASE][1]
    unread = bundle.model_copy(
        update={"evidence": tuple(one for one in bundle.evidence if one.ref.path != "shop/tenants.py")}
    )
    assert codes(judged(draft, bundle=unread)[0]) & {ContractCode.INVENTED_NUMBER, ContractCode.INVENTED_PATH}


@pytest.mark.parametrize(
    ("said", "fine"), [("`shop sale`", True), ("`shop phantom`", False), ("`sale`", False), ("`shop.sale()`", False)]
)
def test_a_command_line_is_named_by_the_files_that_define_it(said, fine):
    """``restic prune`` by cmd/restic/cmd_prune.go; one word alone, or a call, is a name and must stand somewhere."""
    draft, bundle = true_draft(), world().cases[CASE][1]
    draft["impactCondition"] += f" Somebody runs {said}."
    one = bundle.evidence[0]
    other = one.model_copy(update={"ref": one.ref.model_copy(update={"path": "shop/cmd_sale.py"})})
    (found,) = judged(draft, bundle=bundle.model_copy(update={"evidence": (*bundle.evidence, other)}))
    assert (found.kind == "card" or ContractCode.INVENTED_SYMBOL not in codes(found)) == fine


@pytest.mark.parametrize(("path", "fine"), [("api/billing.py", True), ("api/phantom.py", False), ("billing.py", False)])
def test_doubt_may_name_a_file_of_the_repository_that_was_not_read(path, fine):
    """What was not seen stands in no evidence; that it is there is what code can tell."""
    built = world()
    draft = {**true_draft(), "confidence": "medium", "uncertainty": [f"What `{path}` passes was not read."]}
    sources = built.keywords()["sources"]
    known = [one for one in sources[Side.NEW].paths if one not in str(built.cases[CASE][1])]
    draft["uncertainty"] = [text.replace("api/billing.py", known[0]) for text in draft["uncertainty"]]
    (found,) = judged(draft)
    assert (found.kind == "card") == fine


def test_two_drafts_of_one_question_keep_their_order_and_ids():
    bad = {**true_draft(), "impactCondition": ""}
    rejection, card = judged(bad, true_draft())
    assert (rejection.kind, rejection.ordinal, card.kind) == ("rejection", 0, "card")
    assert card.card_id != judged(true_draft())[0].card_id
    assert rejection.draft == bad


def test_a_finding_seen_in_another_question_is_a_duplicate():
    seen = set()
    judged(true_draft(), seen=seen)
    assert len(seen) == 1
    assert codes(judged(true_draft(), seen=seen)[0]) == {ContractCode.DUPLICATE}


def test_a_question_about_another_change_is_an_error_of_ours():
    question = world().cases[CASE][0].model_copy(update={"hunk_id": "gone"})
    with pytest.raises(RecordError, match="hunk that the snapshot does not have"):
        judged(true_draft(), question=question)


def whole_card(name=CASE):
    (card,) = judged(true_draft(name), name=name)
    policy = world().policy
    return attach(card, plan(card, world().cases[name][0], policy), policy)


def test_what_may_be_posted_is_a_function_of_card_and_policy():
    policy, card = world().policy, whole_card()
    assert card.model_may_post
    assert model_may_post(card, policy)
    assert not model_may_post(card.model_copy(update={"verification": ()}), policy)
    assert not model_may_post(card.model_copy(update={"confidence": Confidence.LOW}), policy)
    kinds = policy.change_kinds
    narrowed = kinds.kinds[card.change_kind].model_copy(update={"severities": (Severity.SUGGESTION,)})
    changed = kinds.model_copy(update={"kinds": {**kinds.kinds, card.change_kind: narrowed}})
    assert not model_may_post(card, policy.model_copy(update={"change_kinds": changed}))


def test_a_card_is_judged_again_with_its_verification():
    card = whole_card()
    assert judged(card.wire(), verification_due=True) == [card]
    bare = {**card.wire(), "verification": []}
    assert codes(judged(bare, verification_due=True)[0]) == {ContractCode.VERIFICATION_MISSING}


def test_a_card_altered_since_it_passed_is_rejected_or_computed_anew():
    wire = whole_card().wire()
    assert codes(judged({**wire, "cardId": "0" * 32}, verification_due=True)[0]) == {ContractCode.SCHEMA}
    altered = {**wire, "claim": wire["claim"].replace("Removing", "Adding")}
    assert ContractCode.EFFECT_CONTRADICTS_CLAIM in codes(judged(altered, verification_due=True)[0])
    (again,) = judged({**wire, "modelMayPost": False, "cardVersion": "0" * 16}, verification_due=True)
    assert again.wire() == wire
    assert codes(judged(true_draft(), verification_due=True)[0]) == {ContractCode.SCHEMA}
    hidden = {**wire, "verification": [{**wire["verification"][0], "expectedSignal": "good\x1b[2J"}]}
    assert codes(judged(hidden, verification_due=True)[0]) == {ContractCode.SCHEMA}
