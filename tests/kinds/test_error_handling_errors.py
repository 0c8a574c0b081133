"""What the rules of error_handling about errors themselves make of hand-made facts."""

from dataclasses import replace

import pytest
from builders import call, definition, make_edit, make_question, seeds, use
from error_handling_by_hand import KIND, card, silent

from review_agent.vocabulary import EditOp, EffectOp, NoFindingCode, QueryKind


def test_changes_of_tests_raise_no_question():
    facts = {"form": "ignored", "function": "TestSave", "receiver": ""}
    edit = make_edit(EditOp.ERROR_DROPPED, "Save", path="store/store_test.go", language="go", **facts)
    assert seeds(KIND, edit) == []


class TestRaiseTypeChanged:
    def question(self, before="Declined", after="Refused"):
        facts = {"beforeType": before, "afterType": after, "function": "charge", "symbolKind": "function"}
        edit = make_edit(
            EditOp.RAISE_TYPE_CHANGED, before, scope="charge", before=f"raise {before}", after=f"raise {after}", **facts
        )
        return make_question(KIND, edit)

    def refused(self, *bases):
        return definition("Refused", symbol="class", path="src/shop/errors.py", line=20, bases=bases, name="Refused")

    def test_a_caller_that_catches_only_the_old_type(self):
        draft = card(self.question(), self.refused("ShopError", "Exception"), call("charge", caught=("Declined",)))
        assert "from `Declined` to `Refused` lets it past `src/shop/api.py` line 41" in draft.claim
        assert (draft.effect.subject, draft.effect.to) == ("Declined", "Refused")
        assert [ref.path for ref in draft.supporting_refs] == ["src/shop/api.py", "src/shop/errors.py"]

    def test_builtin_types_need_no_definition(self):
        draft = card(self.question("KeyError", "ValueError"), call("charge", caught=("LookupError",)))
        assert "guarded for `LookupError`" in draft.claim

    def test_a_new_type_that_is_a_kind_of_the_old_refutes(self):
        settled = silent(self.question(), self.refused("Declined", "Exception"), call("charge", caught=("Declined",)))
        assert settled.code is NoFindingCode.REFUTED

    @pytest.mark.parametrize("caught", [("Declined", "Refused"), ("Declined", "ShopError"), ("Exception",), ()])
    def test_callers_that_get_along_with_both_or_neither_refute(self, caught):
        settled = silent(self.question(), self.refused("ShopError", "Exception"), call("charge", caught=caught))
        assert settled.code is NoFindingCode.REFUTED

    def test_a_new_type_of_unknown_bases_is_missing(self):
        settled = silent(self.question(), self.refused("vendor.Base"), call("charge", caught=("Declined",)))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert "definition of `Refused`" in settled.missing[0]

    def test_only_tests_that_catch_the_old_type_are_no_candidate(self):
        caught = call("charge", caught=("Declined",), in_test=True)
        settled = silent(self.question(), self.refused("ShopError", "Exception"), caught)
        assert settled.code is NoFindingCode.NO_CANDIDATE


class TestSentinelChanged:
    def question(self, after="return ErrMissing"):
        facts = {"beforeType": "ErrGone", "afterType": "ErrMissing", "function": "Fetch", "symbolKind": "function"}
        edit = make_edit(
            EditOp.RAISE_TYPE_CHANGED,
            "ErrGone",
            path="store/store.go",
            language="go",
            scope="Fetch",
            before="return ErrGone",
            after=after,
            **facts,
        )
        return make_question(KIND, edit)

    CALL = call("store.Fetch", path="api/api.go", line=20, scope="Serve", targets=("err",), name="Fetch")

    def sentinel(self, text="if errors.Is(err, store.ErrGone) {", scope="Serve"):
        return replace(use("store.ErrGone", path="api/api.go", line=22, scope=scope, name="ErrGone"), text=text)

    def test_a_caller_that_tests_for_the_old_error(self):
        draft = card(self.question(), self.CALL, self.sentinel())
        assert "the test for `store.ErrGone` in `api/api.go` line 22 fail" in draft.claim
        assert [ref.start_line for ref in draft.supporting_refs] == [20, 22]

    def test_a_new_error_that_wraps_the_old_refutes(self):
        wrapping = 'return fmt.Errorf("%w: %w", ErrMissing, ErrGone)'
        assert silent(self.question(wrapping), self.CALL, self.sentinel()).code is NoFindingCode.REFUTED

    def test_a_new_error_that_wraps_something_else_is_open(self):
        settled = silent(self.question('return fmt.Errorf("fetch: %w", err)'), self.CALL, self.sentinel())
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_test_that_names_the_new_error_too_stays_silent(self):
        both = "if errors.Is(err, store.ErrGone) || errors.Is(err, store.ErrMissing) {"
        assert silent(self.question(), self.CALL, self.sentinel(both))

    def test_a_test_in_another_function_stays_silent(self):
        assert silent(self.question(), self.CALL, self.sentinel(scope="Other")).code is NoFindingCode.NO_CANDIDATE


class TestErrorDropped:
    def question(self, form="ignored", callee="journal.Append"):
        edit = make_edit(
            EditOp.ERROR_DROPPED,
            callee,
            path="orders/handler.go",
            language="go",
            scope="Handler.accept",
            form=form,
            function="Handler.accept",
            receiver="journal",
        )
        return make_question(KIND, edit)

    def append(self, raises=("ErrClosed",), returns=("nil", "name"), results=("error",), name="journal.Append", **at):
        given = {"path": "journal/journal.go", "line": 39} | at
        return definition("Append", raises=raises, returns=returns, results=results, name=name, **given)

    @pytest.mark.parametrize("form", ["ignored", "unchecked"])
    def test_a_callee_with_an_error_of_its_own(self, form):
        draft = card(self.question(form), self.append())
        assert draft.claim.startswith("Dropping the error of `journal.Append` lets `Handler.accept` go on")
        assert "`journal/journal.go` line 39 returns `ErrClosed`" in draft.claim

    def test_a_callee_that_always_returns_nil_refutes(self):
        settled = silent(self.question(), self.append(raises=(), returns=("nil",)))
        assert settled.code is NoFindingCode.REFUTED

    def test_a_callee_that_returns_no_error_refutes(self):
        assert silent(self.question(), self.append(results=("int",))).code is NoFindingCode.REFUTED

    def test_a_callee_that_hands_on_an_error_that_is_not_nil(self):
        body = "func Append(e Entry) error {\n\tif err := check(e); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}"
        read = [("journal/journal.go", 39, body)]
        draft = card(self.question(), self.append(raises=(), returns=("name", "nil")), excerpts=read)
        assert "`journal/journal.go` line 41 returns `err`" in draft.claim

    @pytest.mark.parametrize("callee", ["fmt.Fprintf", "fmt.Println", "fmt.Print"])
    def test_printing_raises_no_question(self, callee):
        assert seeds(KIND, self.question().edits[0].model_copy(update={"subject": callee})) == []

    def test_a_callee_that_hands_on_what_it_calls_is_open(self):
        settled = silent(self.question(), self.append(raises=(), returns=("call", "name")))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_an_error_set_aside_in_so_many_words_is_for_people(self):
        assert silent(self.question("blank"), self.append()).code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_closing_what_is_done_with_is_for_people(self):
        closing = self.append(name="file.Close")
        assert silent(self.question(callee="file.Close"), closing).code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_a_callee_that_does_not_resolve_is_missing(self):
        settled = silent(self.question())
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert "definition of `journal.Append`" in settled.missing[0]

    def test_nil_for_a_failure_reaches_a_caller_that_takes_the_error(self):
        taking = call("h.accept", path="main.go", targets=("err",), name="accept", scope="main")
        draft = card(self.question("return_nil"), self.append(), taking)
        assert "`main.go` line 41" in draft.claim
        assert draft.effect.op is EffectOp.CHANGED

    def test_nil_for_a_failure_without_a_caller_stays_silent(self):
        assert silent(self.question("return_nil"), self.append()).code is NoFindingCode.NO_CANDIDATE


class TestRetryUnbounded:
    def question(self, types=("TimeoutError",), caps=("ATTEMPTS",)):
        facts = {"beforeTest": "range(ATTEMPTS)", "afterTest": "True", "tryCalls": ("push",), "types": types}
        facts |= {"loopStart": 10, "loopEnd": 15, "capNames": caps, "function": "sync"}
        edit = make_edit(EditOp.RETRY_UNBOUNDED, "push", scope="sync", before="range(ATTEMPTS)", after="True", **facts)
        return make_question(KIND, edit)

    PUSH = definition("push", path="src/shop/remote.py", line=7, raises=("TimeoutError",), name="push")

    def test_a_failure_that_can_stay_is_tried_for_ever(self):
        draft = card(self.question(), self.PUSH)
        assert "Removing the bound `range(ATTEMPTS)` makes `sync` try `push` for ever" in draft.claim
        assert "`src/shop/remote.py` line 7 fails with `TimeoutError`" in draft.claim

    def test_a_cap_that_is_still_read_conflicts(self):
        still = use("ATTEMPTS", path="src/shop/pricing.py", line=13, asks=QueryKind.USES_INSIDE, name="ATTEMPTS")
        settled = silent(self.question(), self.PUSH, still)
        assert settled.code is NoFindingCode.CONFLICTING_EVIDENCE
        assert settled.refs == (still.ref,)

    def test_a_failure_that_the_loop_does_not_catch_ends_it(self):
        settled = silent(self.question(types=("KeyError",)), self.PUSH)
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_callee_that_does_not_resolve_is_missing(self):
        assert "definition of `push`" in silent(self.question()).missing[0]
