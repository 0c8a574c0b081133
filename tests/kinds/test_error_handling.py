"""What the rules of error_handling about handlers make of hand-made facts: a card, or silence with a code."""

import pytest
from builders import call, definition, implementer, make_edit, make_question, use
from error_handling_by_hand import KIND, card, silent

from review_agent.vocabulary import Confidence, EditOp, EffectOp, NoFindingCode, QueryKind, Side


class TestHandlerBroadened:
    PATH = "src/shop/pricing.py"

    def question(self, before=("MailboxFull",), after=("Exception",), actions=("log", "continue"), calls=("send",)):
        facts = {"beforeTypes": before, "afterTypes": after, "actions": actions, "tryCalls": calls}
        edit = make_edit(
            EditOp.HANDLER_BROADENED, ", ".join(after), scope="run", tryStart=8, tryEnd=9, function="run", **facts
        )
        return make_question(KIND, edit)

    SEND = definition("send", path="src/shop/statements.py", line=15, raises=("LedgerMismatch",), name="send")

    def guarded(self, caught=("Exception",), line=9):
        return call("send", path=self.PATH, line=line, caught=caught, scope="run", name="send")

    def test_an_error_of_a_callee_that_is_now_caught_and_only_logged(self):
        draft = card(self.question(), self.SEND, self.guarded())
        assert "hides `LedgerMismatch`, which `send` raises in `src/shop/statements.py` line 15" in draft.claim
        assert (draft.effect.op, draft.effect.subject, draft.effect.to) == (
            EffectOp.BROADENED,
            "MailboxFull",
            "Exception",
        )
        assert [ref.path for ref in draft.supporting_refs] == ["src/shop/statements.py"]

    def test_the_line_that_raises_is_named_where_the_body_was_read(self):
        body = "def send(to):\n    if owed != booked:\n        raise LedgerMismatch(to)"
        draft = card(self.question(), self.SEND, self.guarded(), excerpts=[("src/shop/statements.py", 15, body)])
        assert "`src/shop/statements.py` line 17" in draft.claim
        assert [(ref.start_line, ref.end_line) for ref in draft.supporting_refs] == [(15, 17)]

    def test_a_handler_that_raises_again_refutes(self):
        settled = silent(self.question(actions=("log", "raise")), self.SEND, self.guarded())
        assert settled.code is NoFindingCode.REFUTED

    def test_a_handler_that_hands_the_error_on_is_for_people(self):
        settled = silent(self.question(actions=("assign", "call")), self.SEND, self.guarded())
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_a_type_that_the_handler_names_was_meant_to_be_caught(self):
        question = self.question(after=("MailboxFull", "LedgerMismatch"))
        assert silent(question, self.SEND, self.guarded(caught=question.edits[0].facts["afterTypes"]))

    def test_a_kind_of_what_was_caught_before_is_nothing_new(self):
        kin = implementer("LedgerMismatch", name="MailboxFull")
        assert silent(self.question(), self.SEND, self.guarded(), kin).code is NoFindingCode.NO_CANDIDATE

    def test_a_builtin_kind_of_a_builtin_is_nothing_new(self):
        raising = definition("send", path="src/shop/statements.py", raises=("FileNotFoundError",), name="send")
        assert silent(self.question(before=("OSError",)), raising, self.guarded())

    def test_what_is_not_known_to_derive_from_it_does_not_count(self):
        settled = silent(self.question(), self.SEND, self.guarded(), refused=(QueryKind.IMPLEMENTERS,))
        assert settled.code is NoFindingCode.NO_CANDIDATE

    def test_another_handler_that_catches_it_first_refutes(self):
        assert silent(self.question(), self.SEND, self.guarded(caught=("LedgerMismatch", "Exception")))

    def test_a_callee_that_does_not_resolve_is_missing(self):
        settled = silent(self.question(), self.guarded())
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert "definition of `send`" in settled.missing[0]

    def test_a_refused_definition_is_a_spent_budget(self):
        settled = silent(self.question(), refused=(QueryKind.DEFINITION,))
        assert settled.code is NoFindingCode.BUDGET_EXHAUSTED

    def test_a_body_of_builtins_has_no_candidate(self):
        settled = silent(self.question(calls=("print", "log.info")))
        assert settled.code is NoFindingCode.NO_CANDIDATE


class TestHandlerSwallows:
    def question(
        self, types=("QuotaError",), after=("log",), language="python", calls=("fetch",), function="load", new=False
    ):
        facts = {"types": types, "beforeActions": ("raise",), "afterActions": after, "isNew": new, "tryCalls": calls}
        edit = make_edit(
            EditOp.HANDLER_SWALLOWS,
            ", ".join(types),
            path="src/shop/pricing.py" if language == "python" else "shop/pricing.go",
            language=language,
            scope=function,
            tryStart=8,
            tryEnd=9,
            function=function,
            **facts,
        )
        return make_question(KIND, edit)

    LOAD = definition("load", name="load", returns=("name",))
    ALONE = ("src/shop/api.py", 39, "def view():\n    try:\n        x = load()\n    except QuotaError:\n        pass")

    def test_a_caller_whose_handler_the_error_no_longer_reaches(self):
        draft = card(self.question(), self.LOAD, call("load", caught=("QuotaError",)), excerpts=[self.ALONE])
        assert draft.claim.startswith("Swallowing `QuotaError` inside `load`, which only logs it, keeps the failure")
        assert "`src/shop/api.py` line 41" in draft.claim
        assert draft.effect.op is EffectOp.WEAKENED

    def test_a_caller_that_catches_a_base_of_it_relies_on_it_too(self):
        kin = definition("QuotaError", symbol="class", bases=("ShopError", "Exception"), name="QuotaError", line=2)
        caller = call("load", caught=("ShopError",))
        assert "`ShopError`" in card(self.question(), self.LOAD, kin, caller, excerpts=[self.ALONE]).claim

    @pytest.mark.parametrize("caught", [(), ("Exception",), ("OtherError",)])
    def test_callers_that_do_not_ask_for_it_stay_silent(self, caught):
        settled = silent(self.question(), self.LOAD, call("load", caught=caught), excerpts=[self.ALONE])
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    @pytest.mark.parametrize(
        "text",
        [
            "def view():\n    try:\n        x = load()\n        y = other()\n    except QuotaError:\n        pass",
            "    try:\n        y = other()\n        x = load()\n    except QuotaError:\n        pass",
        ],
    )
    def test_a_handler_that_guards_more_than_the_call_keeps_its_use(self, text):
        caller = call("load", caught=("QuotaError",))
        settled = silent(self.question(), self.LOAD, caller, excerpts=[("src/shop/api.py", 39, text)])
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    @pytest.mark.parametrize("new", [False, True])
    def test_a_handler_of_everything_swallows_what_is_tried(self, new):
        fetch = definition("fetch", path="src/shop/remote.py", line=4, raises=("QuotaError",), name="fetch")
        caller = call("load", caught=("QuotaError",))
        draft = card(self.question(("Exception",), new=new), self.LOAD, fetch, caller, excerpts=[self.ALONE])
        assert "Swallowing `Exception` inside `load`" in draft.claim
        assert "`QuotaError` of `src/shop/remote.py` line 4" in draft.claim
        assert draft.effect.subject == "Exception"

    def test_a_new_handler_that_names_its_error_is_for_people(self):
        caller = call("load", caught=("QuotaError",))
        settled = silent(self.question(new=True), self.LOAD, caller, excerpts=[self.ALONE])
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_an_error_that_still_leaves_another_way_stays_silent(self):
        raising = definition("load", name="load", raises=("QuotaError",))
        assert silent(self.question(), raising, call("load", caught=("QuotaError",)), excerpts=[self.ALONE])

    def test_tests_do_not_count_as_callers(self):
        caller = call("load", caught=("QuotaError",), in_test=True)
        assert silent(self.question(), self.LOAD, caller, excerpts=[self.ALONE]).code is NoFindingCode.NO_CANDIDATE

    def test_a_handler_that_still_raises_refutes(self):
        caller = call("load", caught=("QuotaError",))
        settled = silent(self.question(after=("log", "raise")), self.LOAD, caller, excerpts=[self.ALONE])
        assert settled.code is NoFindingCode.REFUTED

    def go(self):
        return self.question(types=("error",), language="go", calls=("store.Fetch",), function="Load")

    LOAD_GO = definition("Load", path="shop/pricing.go", line=5, results=("*Price", "error"), name="Load")
    FETCH = definition("Fetch", path="store/store.go", line=3, raises=("ErrGone",), name="store.Fetch")
    TAKING = call("Load", path="api/api.go", result="unpacked", targets=("price", "err"), scope="Serve")
    ALL_NIL = "func Load() (*Price, error) {\n\tp, err := store.Fetch()\n\treturn p, nil\n}"

    def test_go_a_function_left_without_any_error_to_return(self):
        draft = card(self.go(), self.LOAD_GO, self.FETCH, self.TAKING, excerpts=[("shop/pricing.go", 5, self.ALL_NIL)])
        assert "`ErrGone` of `store/store.go` line 3" in draft.claim
        assert "`api/api.go` line 41 looks at `err` in vain" in draft.claim

    def test_go_a_function_with_other_errors_is_for_people(self):
        other = self.ALL_NIL.replace("return p, nil", "return p, check(p)")
        settled = silent(self.go(), self.LOAD_GO, self.FETCH, self.TAKING, excerpts=[("shop/pricing.go", 5, other)])
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT

    def test_go_a_caller_that_takes_no_error_stays_silent(self):
        blank = call("Load", path="api/api.go", result="unpacked", targets=("price", "_"), scope="Serve")
        assert silent(self.go(), self.LOAD_GO, self.FETCH, blank, excerpts=[("shop/pricing.go", 5, self.ALL_NIL)])


class TestHandlerRemoved:
    def question(self, types=("UnknownCustomer",)):
        facts = {"types": types, "tryCalls": ("customers.find",), "function": "index"}
        edit = make_edit(EditOp.HANDLER_REMOVED, types[0], side=Side.OLD, scope="index", line=10, **facts)
        return make_question(KIND, edit)

    FIND = definition("find", path="src/shop/customers.py", line=8, raises=("UnknownCustomer",), name="customers.find")

    def test_an_error_that_nobody_catches_any_more(self):
        draft = card(self.question(), self.FIND, call("index", name="index"))
        assert "Removing the handler of `UnknownCustomer` from `index`" in draft.claim
        assert [ref.path for ref in draft.supporting_refs] == ["src/shop/customers.py", "src/shop/api.py"]
        assert draft.confidence is Confidence.MEDIUM

    def test_a_callee_that_no_longer_raises_it_refutes(self):
        find = definition("find", path="src/shop/customers.py", name="customers.find")
        assert silent(self.question(), find, call("index", name="index")).code is NoFindingCode.REFUTED

    def test_callers_that_catch_it_refute(self):
        settled = silent(self.question(), self.FIND, call("index", name="index", caught=("UnknownCustomer",)))
        assert settled.code is NoFindingCode.REFUTED

    def test_a_handler_elsewhere_is_for_people(self):
        other = use("errors.UnknownCustomer", use="catch", path="src/shop/app.py", name="UnknownCustomer")
        settled = silent(self.question(), self.FIND, call("index", name="index"), other)
        assert settled.code is NoFindingCode.NEEDS_HUMAN_CONTEXT
        assert settled.refs == (other.ref,)

    def test_a_callee_that_does_not_resolve_is_missing(self):
        settled = silent(self.question(), call("index", name="index"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_refused_callers_are_a_spent_budget(self):
        settled = silent(self.question(), self.FIND, refused=(QueryKind.CALLERS,))
        assert settled.code is NoFindingCode.BUDGET_EXHAUSTED
