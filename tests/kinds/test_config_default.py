"""What each rule of config_default makes of hand-made facts: a card, and the look-alikes that stay silent."""

from dataclasses import replace

import pytest
from builders import call, config, definition, make_bundle, make_edit, make_question, seeds, use

from review_agent.kinds.base import Unsettled
from review_agent.kinds.config_default import ConfigDefault
from review_agent.vocabulary import ChangeKind, Confidence, EditOp, EffectOp, NoFindingCode, QueryKind, Severity, Side

KIND = ConfigDefault()


def settle(question, *hits, **options):
    return KIND.settle(question, make_bundle(question, *hits, **options))


def card(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert not isinstance(settled, Unsettled), settled
    (draft,) = settled
    assert draft.change_kind is ChangeKind.CONFIG_DEFAULT
    assert draft.severity is Severity.IMPORTANT
    return draft


def silent(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert isinstance(settled, Unsettled), settled
    return settled


def default(subject, before, after, transition, **facts):
    scope = facts.pop("scope", "")
    given = {"key": subject, "transition": transition}
    return make_edit(EditOp.DEFAULT_CHANGED, subject, scope=scope, before=before, after=after, **(given | facts))


def both_sides(hit):
    """A call that reads the same at head and at base."""
    return hit, replace(hit, ref=hit.ref.model_copy(update={"side": Side.OLD}))


class TestParameterDefault:
    def question(self, before="True", after="False", transition="flipped"):
        facts = {"carrier": "parameter", "function": "get", "index": 1}
        return make_question(KIND, default("verify", before, after, transition, scope="get", **facts))

    SIGNATURE = definition("get", parameters=("url", ("verify", "False")))
    READ = use("verify", asks=QueryKind.USES_INSIDE, path="src/shop/pricing.py", line=30, scope="get")

    def test_a_caller_that_leaves_it_out_and_was_not_changed(self):
        draft = card(self.question(), self.SIGNATURE, self.READ, *both_sides(call("get", "url")))
        assert "from `True` to `False`" in draft.claim
        assert "`src/shop/api.py` line 41" in draft.claim
        assert "the opposite setting" in draft.claim
        assert draft.effect.to == "False"
        assert [ref.start_line for ref in draft.supporting_refs] == [41, 30]
        assert "line 30" in draft.impact_condition

    def test_callers_that_pass_it_refute(self):
        given = call("get", "url", keywords={"verify": "True"})
        settled = silent(self.question(), self.SIGNATURE, self.READ, *both_sides(given))
        assert settled.code is NoFindingCode.REFUTED

    def test_a_caller_written_along_with_the_default_refutes(self):
        settled = silent(self.question(), self.SIGNATURE, self.READ, call("get", "url"))
        assert settled.code is NoFindingCode.REFUTED

    def test_the_old_value_pinned_elsewhere_in_the_same_change_conflicts(self):
        pinned = call("get", "url", keywords={"verify": "True"}, path="src/pinned.py")
        settled = silent(self.question(), self.SIGNATURE, self.READ, pinned, *both_sides(call("get", "url")))
        assert settled.code is NoFindingCode.CONFLICTING_EVIDENCE
        assert settled.refs == (pinned.ref,)

    def test_a_parameter_that_nothing_reads_refutes(self):
        settled = silent(self.question(), self.SIGNATURE, *both_sides(call("get", "url")))
        assert settled.code is NoFindingCode.REFUTED

    @pytest.mark.parametrize("how", [{"use": "write"}, {"guarded_by": "verify is None"}, {"use": "guard"}], ids=str)
    def test_a_body_that_repairs_nothing_needs_a_person(self, how):
        read = use("verify", asks=QueryKind.USES_INSIDE, path="src/shop/pricing.py", line=30, **how)
        question = self.question("True", "None", "to_none")
        settled = silent(question, self.SIGNATURE, self.READ, read, *both_sides(call("get", "url")))
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    @pytest.mark.parametrize(
        ("before", "after", "transition"), [("30", "60", "number"), ("'a'", "'b'", "text"), ("A", "B", "other")]
    )
    def test_a_plain_tweak_needs_a_person(self, before, after, transition):
        settled = silent(self.question(before, after, transition))
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_unpacked_arguments_and_tests_are_no_card(self):
        hidden = call("get", star=("*args",))
        settled = silent(self.question(), self.SIGNATURE, self.READ, hidden)
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        tested = both_sides(call("get", "url", in_test=True))
        assert silent(self.question(), self.SIGNATURE, self.READ, *tested).code is NoFindingCode.NO_CANDIDATE

    def test_a_refused_look_at_base_is_a_spent_budget(self):
        settled = silent(self.question(), self.SIGNATURE, self.READ, refused=[QueryKind.CALLERS])
        assert settled.code is NoFindingCode.BUDGET_EXHAUSTED

    def test_a_bound_that_moves_by_a_magnitude_bears_risk(self):
        facts = {"carrier": "parameter", "function": "get", "index": 1}
        edit = default("timeout", "30", "0.3", "number", scope="get", **facts)
        read = use("timeout", asks=QueryKind.USES_INSIDE, path="src/shop/pricing.py", line=30)
        signature = definition("get", parameters=("url", ("timeout", "0.3")))
        draft = card(make_question(KIND, edit), signature, read, *both_sides(call("get", "url")))
        assert "another order of magnitude" in draft.claim


class TestFieldDefault:
    def question(self, transition="flipped"):
        return make_question(KIND, default("strict", "True", "False", transition, carrier="field", scope="Options"))

    RECORD = definition("Options", symbol="class", decorators=("dataclass",), members=("strict", "name"))

    def test_a_constructor_call_that_leaves_it_out(self):
        draft = card(self.question(), self.RECORD, *both_sides(call("Options", keywords={"name": "n"})))
        assert "the field `strict` of `Options`" in draft.claim

    @pytest.mark.parametrize("given", [call("Options", "n"), call("Options", star=("**raw",))])
    def test_positions_and_unpacked_fields_stay_open(self, given):
        assert silent(self.question(), self.RECORD, *both_sides(given)).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_call_that_sets_it_and_a_new_call_refute(self):
        given = call("Options", keywords={"strict": "True"})
        assert silent(self.question(), self.RECORD, *both_sides(given)).code is NoFindingCode.REFUTED
        assert silent(self.question(), self.RECORD, call("Options")).code is NoFindingCode.REFUTED

    def test_a_written_constructor_stays_open(self):
        record = definition("Options", symbol="class", decorators=("dataclass",), members=("strict", "__init__"))
        settled = silent(self.question(), record, *both_sides(call("Options")))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_plain_tweak_needs_a_person(self):
        assert silent(self.question("text")).code is NoFindingCode.NEEDS_HUMAN_CONTEXT


class TestConstant:
    def question(self, subject="VERIFY_TLS", transition="flipped"):
        return make_question(KIND, default(subject, "True", "False", transition, carrier="constant"))

    def test_a_reader_elsewhere(self):
        draft = card(self.question(), use("VERIFY_TLS", path="src/http.py", line=9, use="guard"))
        assert "`src/http.py` line 9" in draft.claim
        assert draft.confidence is Confidence.MEDIUM

    def test_an_import_or_a_test_is_no_reader(self):
        given = (use("VERIFY_TLS", use="import"), use("VERIFY_TLS", line=8, in_test=True))
        assert silent(self.question(), given[0]).code is NoFindingCode.NO_CANDIDATE
        assert silent(self.question(), given[1]).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_names_that_hold_nothing_back_need_a_person(self):
        settled = silent(make_question(KIND, default("COLOR", "True", "False", "flipped", carrier="constant")))
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT


def reads(key, *, path="src/shop/pricing.py", value=None, line=30, **options):
    return config(key, "reads", value=value, carrier="environment", path=path, line=line, **options)


ASKED = {"asks": QueryKind.CONFIG}
NEAR = {"asks": QueryKind.SIBLINGS}


class TestEnvironmentFallback:
    def question(self, after='"0"', transition="text"):
        return make_question(KIND, default("RATE_LIMIT", '"30"', after, transition, carrier="environment"))

    def test_a_deployment_that_sets_neighbours_only(self):
        bare = config("HOST", path="deploy/app.env", line=2, **NEAR)
        draft = card(self.question(), reads("HOST", **NEAR), bare)
        assert "`deploy/app.env` line 2" in draft.claim
        assert "sets `HOST` but no `RATE_LIMIT`" in draft.claim
        assert draft.effect.to == '"0"'
        assert draft.confidence is Confidence.MEDIUM

    def test_a_deployment_that_sets_it_refutes(self):
        bare = config("HOST", path="deploy/app.env", line=2, siblings=("RATE_LIMIT",), **NEAR)
        settled = silent(self.question(), reads("HOST", **NEAR), bare, config("RATE_LIMIT", **ASKED))
        assert settled.code is NoFindingCode.REFUTED

    @pytest.mark.parametrize(
        "bare",
        [
            config("HOST", path="deploy/app.env.example", **NEAR),
            config("HOST", path="tests/app.env", **NEAR),
            config("HOST", "documents", path="deploy/app.env", **NEAR),
            config("OTHER", path="deploy/app.env", **NEAR),
        ],
        ids=["sample", "test", "documents", "of another service"],
    )
    def test_what_configures_no_service_of_this_code_stays_open(self, bare):
        settled = silent(self.question(), reads("HOST", **NEAR), bare)
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert settled.missing

    def test_a_plain_tweak_needs_a_person_and_a_refusal_is_a_spent_budget(self):
        assert silent(self.question('"40"')).code is NoFindingCode.NEEDS_HUMAN_CONTEXT
        assert silent(self.question(), refused=[QueryKind.CONFIG]).code is NoFindingCode.BUDGET_EXHAUSTED

    def test_a_flag_is_settled_alike(self):
        question = make_question(KIND, default("--limit", "30", "0", "to_zero", carrier="flag"))
        assert question.rule == "flag_default_changed"
        draft = card(question, reads("--host", **NEAR), config("--host", path="Makefile", carrier="flag", **NEAR))
        assert "no `--limit`" in draft.claim


class TestFallbackRemoved:
    def question(self, *, required=True):
        facts = {"carrier": "environment", "key": "TOKEN", "fallback": '"x"', "required": required}
        return make_question(KIND, make_edit(EditOp.FALLBACK_REMOVED, "TOKEN", **facts))

    def test_a_deployment_that_sets_neighbours_only(self):
        draft = card(self.question(), reads("HOST", **NEAR), config("HOST", path="deploy/app.env", **NEAR))
        assert 'Removing the fallback `"x"` of `TOKEN`' in draft.claim
        assert draft.effect.op is EffectOp.REMOVED

    def test_a_deployment_that_sets_it_refutes_and_none_leaves_it_open(self):
        assert silent(self.question(), config("TOKEN", **ASKED)).code is NoFindingCode.REFUTED
        assert silent(self.question()).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_miss_that_does_not_fail_needs_a_person(self):
        settled = silent(self.question(required=False), config("HOST", path="deploy/app.env", **NEAR))
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT


class TestKeyRenamed:
    def question(self, act="reads", old="CACHE_URL", new="CACHE_DSN"):
        facts = {"carrier": "environment", "newKey": new, "act": act}
        return make_question(KIND, make_edit(EditOp.KEY_RENAMED, old, **facts))

    def test_a_deployment_that_still_sets_the_old_one(self):
        draft = card(self.question(), config("CACHE_URL", path="deploy/app.env", name="CACHE_URL", **ASKED))
        assert "still sets `CACHE_URL`, which is no longer read" in draft.claim
        assert (draft.effect.op, draft.effect.to) == (EffectOp.RENAMED, "CACHE_DSN")

    def test_code_that_still_reads_the_old_one(self):
        draft = card(self.question("sets"), reads("CACHE_URL", path="src/cache.py", name="CACHE_URL", **ASKED))
        assert "`src/cache.py` line 30" in draft.claim
        assert "still reads `CACHE_URL`" in draft.claim

    def test_both_names_set_or_read_refute_or_leave_nothing(self):
        old = config("CACHE_URL", path="deploy/app.env", name="CACHE_URL", **ASKED)
        new = config("CACHE_DSN", path="deploy/app.env", line=5, name="CACHE_DSN", **ASKED)
        assert silent(self.question(), old, new).code is NoFindingCode.NO_CANDIDATE
        assert silent(self.question(), reads("CACHE_URL", name="CACHE_URL", **ASKED)).code is NoFindingCode.REFUTED

    def test_another_reader_of_the_old_name_conflicts(self):
        old = config("CACHE_URL", path="deploy/app.env", name="CACHE_URL", **ASKED)
        other = reads("CACHE_URL", path="src/other.py", name="CACHE_URL", **ASKED)
        assert silent(self.question(), old, other).code is NoFindingCode.CONFLICTING_EVIDENCE

    def test_one_key_renamed_in_several_files_is_one_question(self):
        facts = {"carrier": "config_file", "newKey": "cache_dsn", "act": "sets"}
        one = make_edit(EditOp.KEY_RENAMED, "cache_url", path="deploy/a.yaml", line=4, **facts)
        two = make_edit(EditOp.KEY_RENAMED, "cache_url", path="deploy/b.yaml", line=9, **facts)
        (only,) = seeds(KIND, one, two)
        assert [edit.path for edit in only.edits] == ["deploy/a.yaml", "deploy/b.yaml"]

    def test_a_common_word_and_a_tools_own_file_raise_no_question(self):
        facts = {"carrier": "config_file", "newKey": "title", "act": "sets"}
        assert not seeds(KIND, make_edit(EditOp.KEY_RENAMED, "app.name", path="app.toml", **facts))
        assert not seeds(KIND, make_edit(EditOp.KEY_RENAMED, "cache_url", path=".github/workflows/ci.yml", **facts))
        assert seeds(KIND, make_edit(EditOp.KEY_RENAMED, "app.cache_url", path="app.toml", **facts))

    def test_a_dotted_key_is_read_by_its_last_part(self):
        question = self.question("sets", old="app.cache_url", new="app.cache_dsn")
        draft = card(question, reads("cache_url", path="src/cache.py", name="app.cache_url", **ASKED))
        assert "`src/cache.py` line 30" in draft.claim

    def test_a_refusal_is_a_spent_budget(self):
        assert silent(self.question(), refused=[QueryKind.CONFIG]).code is NoFindingCode.BUDGET_EXHAUSTED


class TestKeyRemoved:
    def edit(self, act="sets", key="CACHE_URL"):
        return make_edit(EditOp.KEY_REMOVED, key, path="deploy/app.env", carrier="environment", act=act, siblings=())

    def question(self, **options):
        return make_question(KIND, self.edit(**options))

    def test_a_reader_without_fallback(self):
        draft = card(self.question(), reads("CACHE_URL", path="src/cache.py", **ASKED))
        assert "Removing `CACHE_URL` from `deploy/app.env`" in draft.claim
        assert "has no fallback" in draft.claim

    def test_a_reader_with_fallback_needs_a_person(self):
        settled = silent(self.question(), reads("CACHE_URL", path="src/cache.py", value='"local"', **ASKED))
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_the_key_set_elsewhere_refutes(self):
        other = config("CACHE_URL", path="deploy/base.env", **ASKED)
        settled = silent(self.question(), other, reads("CACHE_URL", path="src/cache.py", **ASKED))
        assert settled.code is NoFindingCode.REFUTED

    def test_nobody_reads_it(self):
        assert silent(self.question()).code is NoFindingCode.NO_CANDIDATE

    def test_a_reader_removed_and_a_common_word_raise_no_question(self):
        assert not seeds(KIND, self.edit(act="reads"))
        assert not seeds(KIND, self.edit(key="name"))
