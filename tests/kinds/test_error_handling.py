"""What each rule of error_handling makes of hand-made facts: a card, and the look-alikes that stay silent."""

from dataclasses import replace

import pytest
from builders import call, definition, implementer, make_bundle, make_edit, make_question, make_ref, seeds, use

from review_agent.kinds.base import Unsettled
from review_agent.kinds.error_handling import ErrorHandling
from review_agent.vocabulary import (
    ChangeKind,
    Confidence,
    EditOp,
    EffectOp,
    Evidence,
    NoFindingCode,
    QueryKind,
    Role,
    Severity,
    Side,
)

KIND = ErrorHandling()


def settle(question, *hits, excerpts=(), **options):
    bundle = make_bundle(question, *hits, **options)
    read = tuple(
        Evidence(ref=ref, query=0, origin="read", text=text, facts=())
        for path, start, text in excerpts
        for ref in [make_ref(path, start, start + text.count("\n"))]
    )
    return KIND.settle(question, bundle.model_copy(update={"evidence": (*bundle.evidence, *read)}))


def card(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert not isinstance(settled, Unsettled), settled
    (draft,) = settled
    assert draft.change_kind is ChangeKind.ERROR_HANDLING
    assert draft.severity is Severity.IMPORTANT
    assert (draft.confidence is Confidence.HIGH) == (not draft.uncertainty)
    return draft


def silent(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert isinstance(settled, Unsettled), settled
    return settled


def test_changes_of_tests_raise_no_question():
    facts = {"form": "ignored", "function": "TestSave", "receiver": ""}
    edit = make_edit(EditOp.ERROR_DROPPED, "Save", path="store/store_test.go", language="go", **facts)
    assert seeds(KIND, edit) == []


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


class TestNoneReturned:
    def question(self, language="python", name="find"):
        edit = make_edit(
            EditOp.NONE_RETURN_ADDED,
            name,
            path="src/shop/pricing.py" if language == "python" else "rates/client.go",
            language=language,
            scope=name,
            function=name,
            symbolKind="function",
            beforeShape="call",
        )
        return make_question(KIND, edit)

    @pytest.mark.parametrize(
        ("result", "said"),
        [
            ("attribute", "takes an attribute"),
            ("subscript", "indexes"),
            ("iterated", "iterates"),
            ("unpacked", "unpacks"),
        ],
    )
    def test_a_caller_that_takes_the_result_apart(self, result, said):
        draft = card(self.question(), call("find", result=result))
        assert draft.claim.startswith("Returning `None` from `find` makes `src/shop/api.py` line 41 fail")
        assert said in draft.claim
        assert draft.effect.subject == "find"

    @pytest.mark.parametrize("caught", [("AttributeError",), ("Exception",)])
    def test_a_caller_that_catches_the_miss_stays_silent(self, caught):
        assert silent(self.question(), call("find", result="attribute", caught=caught))

    def test_a_caller_that_tests_the_result_refutes(self):
        assert silent(self.question(), call("find", result="condition")).code is NoFindingCode.REFUTED

    def assigned(self, *lines):
        text = "\n".join(["def view():", "    x = find(1)", *lines])
        return replace(call("find", "1", line=31), text="    x = find(1)"), [("src/shop/api.py", 30, text)]

    def test_a_name_used_before_it_is_tested(self):
        one, read = self.assigned("    log()", "    return x.email")
        draft = card(self.question(), one, excerpts=read)
        assert "`src/shop/api.py` line 33 fail: there `view` uses `x` of line 31 without a test" in draft.claim
        assert [(ref.start_line, ref.end_line) for ref in draft.supporting_refs] == [(30, 33)]

    @pytest.mark.parametrize(
        "line",
        [
            "    if x is None: return",
            "    return x.email if x else None",
            "    return x and x.email",
            "    use(x)",
            "    # x.email",
            "    return y.x.email",
        ],
    )
    def test_a_name_whose_first_use_is_no_plain_use_stays_silent(self, line):
        one, read = self.assigned(line)
        assert silent(self.question(), one, excerpts=read).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_use_whose_miss_is_caught_stays_silent(self):
        one, read = self.assigned(
            "    try:", "        return x.email", "    except (KeyError, AttributeError):", "        pass"
        )
        assert silent(self.question(), one, excerpts=read).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_without_the_lines_behind_the_call_it_stays_silent(self):
        assert silent(self.question(), call("find")).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    GO = "func Convert() float64 {\n\trate, err := Lookup(c)\n\tif err != nil {\n\t\treturn 0\n\t}\n"

    def go(self, last):
        one = call(
            "Lookup",
            "c",
            path="orders/convert.go",
            line=11,
            result="unpacked",
            targets=("rate", "err"),
            scope="Convert",
        )
        one = replace(one, text="\trate, err := Lookup(c)")
        return one, [("orders/convert.go", 10, self.GO + last + "\n}")]

    def test_go_a_pointer_used_behind_the_look_at_the_error(self):
        one, read = self.go("\treturn rate.PerEuro")
        draft = card(self.question("go", "Lookup"), one, excerpts=read)
        assert "`orders/convert.go` line 15" in draft.claim
        assert "the `err` beside it is nil as well" in draft.claim

    @pytest.mark.parametrize(
        "line", ["\tif rate == nil {", "\treturn use(rate)", "\treturn rate.A + f(rate)", "\treturn rate.Get()"]
    )
    def test_go_a_pointer_that_is_tested_or_handed_on_stays_silent(self, line):
        one, read = self.go(line)
        assert silent(self.question("go", "Lookup"), one, excerpts=read)


class TestUsedUnguarded:
    def question(self, origin="pointer", base="object.VersionId", producer="", member=""):
        edit = make_edit(
            EditOp.NILABLE_DEREFERENCED,
            base,
            path="s3/s3.go",
            language="go",
            scope="Fs.list",
            after=f"versionID := *{base}",
            member=member,
            origin=origin,
            producer=producer,
            function="Fs.list",
        )
        return make_question(KIND, edit)

    def guarded(self, text="object.VersionId", by="object.VersionId != nil", line=90, **facts):
        return use(text, path="s3/s3.go", line=line, guarded_by=by, asks=QueryKind.USES_INSIDE, **facts)

    def test_another_place_that_tests_the_same_value_first(self):
        draft = card(self.question(), self.guarded())
        assert "`s3/s3.go` line 90 uses the same value only behind its test `object.VersionId != nil`" in draft.claim
        assert draft.confidence is Confidence.MEDIUM

    @pytest.mark.parametrize(
        "other",
        [
            {"by": None},
            {"by": "err == nil"},
            {"text": "bucket.VersionId", "by": "bucket.VersionId != nil"},
            {"line": 11},
            {"in_test": True},
        ],
    )
    def test_other_places_say_nothing(self, other):
        assert silent(self.question(), self.guarded(**other)).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_pointer_of_unknown_origin_that_is_not_kept_raises_no_question(self):
        edit = self.question().edits[0].model_copy(update={"after": "use(*object.VersionId)"})
        assert seeds(KIND, edit) == []

    def kept(self, **facts):
        base = "info[name].get(table)"
        edit = make_edit(
            EditOp.NILABLE_DEREFERENCED,
            base,
            scope="View.data",
            after=f"table_rows = {base}['count']",
            member="'count'",
            origin="dict_get",
            producer="info[name]",
            function="View.data",
        )
        return make_question(KIND, edit.model_copy(update=facts))

    def read_again(self, text, path="src/shop/templates/table.html", asks=QueryKind.TEXT, line=23):
        return replace(use("table_rows", use="text", path=path, line=line, asks=asks, name="table_rows"), text=text)

    def test_a_template_that_still_tests_what_is_kept(self):
        draft = card(self.kept(), self.read_again("{% if table_rows != None %}"))
        assert "`src/shop/templates/table.html` line 23 still tests what it is kept as, `table_rows`" in draft.claim
        assert draft.uncertainty == ("That the `table_rows` tested there is the one kept here is told by its name.",)

    def test_the_same_function_that_still_tests_what_is_kept(self):
        behind = self.read_again("if table_rows is None:", "src/shop/pricing.py", QueryKind.USES_INSIDE)
        assert "`src/shop/pricing.py` line 23" in card(self.kept(), behind).claim

    @pytest.mark.parametrize(
        "other",
        [
            {"text": "{{ table_rows }}"},
            {"text": "if table_rows is None:", "path": "src/other.py"},
            {
                "text": "if table_rows is None:",
                "path": "src/shop/pricing.py",
                "asks": QueryKind.USES_INSIDE,
                "line": 11,
            },
        ],
    )
    def test_plain_uses_other_files_and_earlier_tests_say_nothing(self, other):
        assert silent(self.kept(), self.read_again(**other)).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_plain_name_is_not_searched_for_as_text(self):
        question = self.kept(after="rows = info[name].get(table)['count']")
        assert QueryKind.TEXT not in {query.kind for query in question.plan}

    def test_an_expression_that_has_no_name_raises_no_question(self):
        edit = self.question().edits[0].model_copy(update={"subject": "f().x"})
        assert seeds(KIND, edit) == []


class TestGuardRemoved:
    def question(self, subject="order", kind="none"):
        test = f"{subject} is None"
        facts = {"test": test, "testKind": kind, "action": "return", "subjects": (subject,), "function": "total"}
        edit = make_edit(
            EditOp.GUARD_REMOVED, subject, side=Side.OLD, scope="total", guardedStart=10, guardedEnd=14, **facts
        )
        return make_question(KIND, edit)

    TOTAL = definition("total", parameters=("order", ("region", "None")), name="total")

    def used(self, text="order.lines", use_="attribute", line=12, **facts):
        name = text.rpartition(".")[0]
        given = {"asks": QueryKind.USES_INSIDE, "name": name, "path": "src/shop/pricing.py"}
        return use(text, use=use_, line=line, **(given | facts))

    def test_a_caller_that_passes_none(self):
        draft = card(self.question(), self.used(), self.TOTAL, call("total", "None"))
        assert "Removing the test `order is None` lets `None` through to `order.lines` in `total`" in draft.claim
        assert "`src/shop/api.py` line 41 passes none for `order`" in draft.claim
        assert draft.effect.subject == "order is None"

    def test_a_caller_that_leaves_out_what_defaults_to_none(self):
        draft = card(self.question("region"), self.used("region.name"), self.TOTAL, call("total", "order"))
        assert "`region`" in draft.claim

    def test_callers_that_pass_something_are_not_enough(self):
        settled = silent(self.question(), self.used(), self.TOTAL, call("total", "order"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_value_that_is_no_longer_used_refutes(self):
        settled = silent(self.question(), self.TOTAL, call("total", "None"))
        assert settled.code is NoFindingCode.REFUTED

    @pytest.mark.parametrize("use_", [{"guarded_by": "order"}, {"line": 30}, {"use_": "write"}])
    def test_guarded_later_or_written_values_refute(self, use_):
        settled = silent(self.question(), self.used(**use_), self.TOTAL, call("total", "None"))
        assert settled.code is NoFindingCode.REFUTED

    def test_a_value_that_is_only_handed_on_is_open(self):
        settled = silent(self.question(), self.used(use_="read"), self.TOTAL, call("total", "None"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert "handed on" in settled.detail

    def test_a_value_that_is_no_parameter_is_missing(self):
        settled = silent(self.question("found"), self.used("found.x"), self.TOTAL, call("total", "None"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    @pytest.mark.parametrize("kind", ["bounds", "falsy", "membership"])
    def test_other_tests_are_other_kinds_of_change(self, kind):
        edit = self.question().edits[0]
        assert seeds(KIND, edit.model_copy(update={"facts": {**edit.facts, "testKind": kind}})) == []

    def elsewhere(self, **facts):
        given = {"path": "src/shop/table.py", "line": 39, "scope": "describe", "guarded_by": "route.quota is None"}
        return use("route.quota.limit", name="route.quota", **(given | facts))

    def test_a_field_that_another_place_still_tests(self):
        draft = card(self.question("route.quota"), self.used("route.quota.limit"), self.elsewhere())
        assert "`src/shop/table.py` line 39 in `describe` reads it only behind its test" in draft.claim
        assert draft.confidence is Confidence.MEDIUM

    @pytest.mark.parametrize("other", [{"guarded_by": None}, {"guarded_by": "other"}, {"in_test": True}])
    def test_a_field_that_no_other_place_tests_is_open(self, other):
        settled = silent(self.question("route.quota"), self.used("route.quota.limit"), self.elsewhere(**other))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE


def test_an_anchor_on_the_old_side_stays_there():
    question = TestGuardRemoved().question()
    assert (question.anchor.side, question.anchor.role) == (Side.OLD, Role.DIFF)
