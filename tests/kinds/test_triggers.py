"""A team's own triggers: which edits they ask about, that a change is no template, and that they settle nothing."""

from builders import make_bundle, make_edit, make_question

from review_agent.kinds.triggers import is_team_rule, settle, team_seeds
from review_agent.policy.model import Trigger, TriggerQuery
from review_agent.vocabulary import ChangeKind, EditOp, NoFindingCode, QueryKind

AUDIT = Trigger(
    name="audit_call_removed",
    kind=ChangeKind.PERSISTENCE,
    ops=(EditOp.CALL_REMOVED,),
    paths=("src/payments/**",),
    languages=("python",),
    subject=r"^audit\.",
    facts={"deferred": "false"},
    change="`{subject}` is no longer called in `{function}`",
    precondition="`{function}` moves money",
    consequence="the movement is not on record",
    refuted_if=("a caller of `{function}` records it",),
    plan=(TriggerQuery(kind=QueryKind.CALLERS, name="{function}"),),
)


def removed(path="src/payments/refund.py", subject="audit.record", language="python", deferred=False):
    facts = {"function": "refund", "deferred": deferred}
    return make_edit(EditOp.CALL_REMOVED, subject, path=path, language=language, before=f"{subject}(x)", **facts)


def asked(*edits):
    return list(team_seeds(AUDIT, edits))


def test_an_edit_that_fits_is_asked_about_with_its_slots_filled():
    (one,) = asked(removed())
    assert one.change == "`audit.record` is no longer called in `refund`"
    assert (one.plan[0].name, one.plan[0].path) == ("refund", "src/payments/refund.py")
    assert is_team_rule(one.rule)


def test_another_path_subject_language_or_fact_is_not():
    assert not asked(
        removed(path="src/other/refund.py"),
        removed(subject="log.audit"),
        removed(language="go"),
        removed(deferred=True),
    )


def test_what_a_slot_holds_is_never_read_as_a_template():
    (one,) = asked(removed(subject="audit.{path}"))
    assert one.change == "`audit.{path}` is no longer called in `refund`"


class Team:
    """The trigger as a kind, for the builders."""

    kind = ChangeKind.PERSISTENCE

    def trigger(self, edits):
        return iter(asked(*edits))


def test_it_never_settles():
    question = make_question(Team(), removed())
    said = settle(question, make_bundle(question))
    assert said.code is NoFindingCode.NEEDS_HUMAN_CONTEXT
    assert said.missing == ("`refund` moves money",)
