"""What each rule of api_contract makes of hand-made facts: a card, and the look-alikes that stay silent."""

from dataclasses import replace

import pytest
from builders import (
    AMBIGUOUS,
    call,
    definition,
    implementer,
    make_bundle,
    make_edit,
    make_question,
    seeds,
    use,
)

from review_agent.kinds.api_contract import ApiContract
from review_agent.kinds.base import Unsettled
from review_agent.vocabulary import ChangeKind, Confidence, EditOp, EffectOp, NoFindingCode, QueryKind, Severity, Side

KIND = ApiContract()


def settle(question, *hits, **options):
    return KIND.settle(question, make_bundle(question, *hits, **options))


def card(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert not isinstance(settled, Unsettled), settled
    (draft,) = settled
    assert draft.question_id == question.question_id
    assert draft.change_kind is ChangeKind.API_CONTRACT
    assert draft.diff_anchor == question.anchor
    return draft


def silent(question, *hits, **options):
    settled = settle(question, *hits, **options)
    assert isinstance(settled, Unsettled), settled
    return settled


def added(**facts):
    given = {"function": "quote", "symbolKind": "function", "index": 2, "required": True, "keywordOnly": False}
    return make_edit(EditOp.PARAMETER_ADDED, "region", scope="quote", after="region", **(given | facts))


SIGNATURE = definition("quote", parameters=("tenant", "sku", "region"))


class TestRequiredParameterAdded:
    def question(self, *others, **facts):
        return make_question(KIND, added(**facts), *others, rule="required_parameter_added")

    def test_a_caller_with_the_old_arguments_breaks(self):
        draft = card(self.question(), SIGNATURE, call("quote", "tenant", "sku"))
        assert "`region`" in draft.claim
        assert "`src/shop/api.py` line 41" in draft.claim
        assert "`TypeError`" in draft.claim
        assert (draft.effect.op, draft.effect.subject) == (EffectOp.ADDED, "region")
        assert (draft.severity, draft.confidence) == (Severity.BLOCKING, Confidence.HIGH)
        assert [ref.path for ref in draft.supporting_refs] == ["src/shop/api.py"]

    def test_several_callers_are_counted_and_listed_with_the_products_own_code_first(self):
        calls = [call("quote", "tenant", "sku", path=path) for path in ("examples/a.py", "src/z.py", "src/b.py")]
        draft = card(self.question(), SIGNATURE, *calls)
        assert "`src/b.py` line 41 (the first of 3 resolved callers that do so)" in draft.claim
        assert [ref.path for ref in draft.supporting_refs] == ["src/b.py", "src/z.py", "examples/a.py"]

    @pytest.mark.parametrize(
        "given",
        [
            call("quote", "tenant", "sku", "region"),
            call("quote", "tenant", keywords={"sku": "s", "region": "r"}),
        ],
        ids=["by position", "by keyword"],
    )
    def test_callers_that_pass_it_refute(self, given):
        settled = silent(self.question(), SIGNATURE, given)
        assert settled.code is NoFindingCode.REFUTED
        assert settled.refs == (given.ref,)

    @pytest.mark.parametrize(
        "given",
        [
            call("quote", "tenant", star=("**options",)),
            call("quote", "tenant", "sku", caught=("TypeError",)),
            call("quote", "tenant", "sku", resolution=AMBIGUOUS),
            call("quote", "tenant", "sku", "region", "more"),
        ],
        ids=["unpacked", "caught", "ambiguous", "did not fit before either"],
    )
    def test_callers_that_are_not_clear_leave_it_open(self, given):
        settled = silent(self.question(), SIGNATURE, given)
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert settled.missing

    def test_a_decorator_of_unknown_effect_leaves_it_open(self):
        signature = definition("quote", parameters=("tenant", "region"), decorators=("inject",))
        settled = silent(self.question(), signature, call("quote", "tenant"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert "`inject`" in settled.detail

    def test_two_definitions_conflict(self):
        other = definition("quote", parameters=("tenant",), line=30)
        settled = silent(self.question(), SIGNATURE, other, call("quote", "tenant", "sku"))
        assert settled.code is NoFindingCode.CONFLICTING_EVIDENCE

    def test_no_caller_says_what_was_searched(self):
        settled = silent(self.question(), SIGNATURE)
        assert settled.code is NoFindingCode.NO_CANDIDATE
        assert "12 files at head" in settled.detail

    def test_a_refused_query_is_a_spent_budget(self):
        assert silent(self.question(), SIGNATURE, refused=[QueryKind.CALLERS]).code is NoFindingCode.BUDGET_EXHAUSTED
        assert silent(self.question(), refused=[QueryKind.DEFINITION]).code is NoFindingCode.BUDGET_EXHAUSTED

    def test_a_cut_search_still_settles_what_it_found(self):
        found = call("quote", "tenant", "sku")
        assert card(self.question(), SIGNATURE, found, truncated=[QueryKind.CALLERS]).supporting_refs == (found.ref,)
        settled = silent(self.question(), SIGNATURE, truncated=[QueryKind.CALLERS])
        assert settled.code is NoFindingCode.BUDGET_EXHAUSTED

    def test_tests_alone_are_no_card(self):
        settled = silent(self.question(), SIGNATURE, call("quote", "tenant", "sku", in_test=True))
        assert settled.code is NoFindingCode.NO_CANDIDATE
        assert settled.refs

    def test_a_call_inside_the_change_is_no_support(self):
        settled = silent(self.question(), SIGNATURE, call("quote", "a", "b", path="src/shop/pricing.py", line=13))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_constructor_is_called_by_its_class(self):
        question = self.question(function="Quote.__init__", symbolKind="method")
        signature = definition("Quote.__init__", symbol="method", parameters=("self", "sku", "region"))
        draft = card(question, signature, call("Quote", "sku"))
        assert "`Quote`" in draft.claim
        assert [query.name for query in question.plan] == ["__init__", "Quote"]

    def test_a_call_through_the_class_is_shifted(self):
        question = self.question(function="Base.quote", symbolKind="method")
        signature = definition("Base.quote", symbol="method", parameters=("self", "region"))
        settled = silent(question, signature, call("Base.quote", "self"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_in_go_the_call_does_not_compile_and_one_call_may_stand_for_all_arguments(self):
        edit = added().model_copy(update={"language": "go", "path": "shop/price.go"})
        question = make_question(KIND, edit, rule="required_parameter_added")
        signature = definition("quote", parameters=("tenant", "sku", "region"), path="shop/price.go")
        assert "does not compile" in card(question, signature, call("quote", "tenant", "sku", path="a.go")).claim
        spread = call("quote", "pair(tenant)", path="a.go")
        assert silent(question, signature, spread).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_optional_and_nested_ones_raise_no_question(self):
        assert not seeds(KIND, added(required=False), rule="required_parameter_added")
        assert not seeds(KIND, added(function="outer.quote"), rule="required_parameter_added")

    def test_several_at_once_are_one_question(self):
        second = added().model_copy(update={"subject": "zone", "edit_id": "e-2"})
        (seed,) = seeds(KIND, added(), second, rule="required_parameter_added")
        assert [one.subject for one in seed.edits] == ["region", "zone"]
        signature = definition("quote", parameters=("tenant", "region", "zone"))
        question = make_question(KIND, added(), second, rule="required_parameter_added")
        assert "`region` and `zone`" in card(question, signature, call("quote", "tenant")).claim


class TestParameterRemoved:
    def question(self, **facts):
        given = {"function": "quote", "symbolKind": "function", "index": 1, "hadDefault": True, "keywordOnly": False}
        given |= {"acceptsAny": False, "positionalMax": 1}
        edit = make_edit(EditOp.PARAMETER_REMOVED, "region", scope="quote", **(given | facts))
        return make_question(KIND, edit, rule="parameter_removed_still_passed")

    SIGNATURE = definition("quote", parameters=("tenant",))

    def test_the_old_keyword_breaks(self):
        draft = card(self.question(), self.SIGNATURE, call("quote", "t", keywords={"region": "r"}))
        assert "the keyword `region`" in draft.claim
        assert (draft.effect.op, draft.effect.subject) == (EffectOp.REMOVED, "region")

    def test_a_surplus_argument_breaks_and_is_named(self):
        assert "passes `where`" in card(self.question(), self.SIGNATURE, call("quote", "t", "where")).claim

    @pytest.mark.parametrize(
        ("signature", "given"),
        [
            (SIGNATURE, call("quote", "t")),
            (
                definition("quote", parameters=("tenant", ("rest", None, "var_keyword"))),
                call("q", "t", keywords={"region": "r"}),
            ),
            (definition("quote", parameters=("tenant", ("rest", None, "var_positional"))), call("quote", "t", "r")),
        ],
        ids=["not passed", "any keyword taken", "any number taken"],
    )
    def test_a_call_that_fits_refutes(self, signature, given):
        assert silent(self.question(), signature, given).code is NoFindingCode.REFUTED

    def test_another_keyword_that_never_fitted_is_not_this_change(self):
        settled = silent(self.question(), self.SIGNATURE, call("quote", "t", keywords={"other": "r"}))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE


class TestParameterRenamed:
    def edit(self, **changes):
        facts = {"function": "quote", "symbolKind": "function", "newName": "area", "index": 1, "keywordOnly": False}
        edit = make_edit(EditOp.PARAMETER_RENAMED, "region", scope="quote", acceptsAny=False, **facts)
        return edit.model_copy(update=changes)

    def question(self):
        return make_question(KIND, self.edit(), rule="parameter_renamed_still_passed")

    SIGNATURE = definition("quote", parameters=("tenant", ("area", "None")))

    def test_the_old_keyword_breaks(self):
        draft = card(self.question(), self.SIGNATURE, call("quote", "t", keywords={"region": "r"}))
        assert draft.effect.to == "area"
        assert "Renaming the parameter `region` of `quote` to `area`" in draft.claim

    @pytest.mark.parametrize("given", [call("quote", "t", "r"), call("quote", "t", keywords={"area": "r"})])
    def test_a_position_or_the_new_keyword_refutes(self, given):
        assert silent(self.question(), self.SIGNATURE, given).code is NoFindingCode.REFUTED

    def test_unpacked_keywords_leave_it_open(self):
        settled = silent(self.question(), self.SIGNATURE, call("quote", "t", star=("**kw",)))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_go_has_no_keywords(self):
        assert not seeds(KIND, self.edit(language="go"))


class TestParametersReordered:
    def question(self):
        orders = {"beforeOrder": ("tenant", "sku"), "afterOrder": ("sku", "tenant")}
        facts = {"function": "quote", "symbolKind": "function"} | orders
        return make_question(KIND, make_edit(EditOp.PARAMETERS_REORDERED, "quote", scope="quote", **facts))

    SIGNATURE = definition("quote", parameters=("sku", "tenant"))

    @staticmethod
    def at_base(*args, **options):
        hit = call("quote", *args, **options)
        return replace(hit, ref=hit.ref.model_copy(update={"side": Side.OLD}))

    def test_a_call_that_stood_the_same_at_base_breaks(self):
        draft = card(self.question(), self.SIGNATURE, call("quote", "a", "b"), self.at_base("a", "b"))
        assert "sends `a` of the unchanged call" in draft.claim
        assert "to `sku`, where it was `tenant` before" in draft.claim
        assert draft.severity is Severity.IMPORTANT

    def test_a_call_updated_along_is_left_alone(self):
        settled = silent(self.question(), self.SIGNATURE, call("quote", "b", "a"), self.at_base("a", "b"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    @pytest.mark.parametrize(
        "given", [call("quote", keywords={"sku": "s", "tenant": "t"}), call("quote", "sku", "order.tenant")]
    )
    def test_keywords_and_arguments_named_for_the_new_order_refute(self, given):
        assert silent(self.question(), self.SIGNATURE, given).code is NoFindingCode.REFUTED

    def test_unpacked_arguments_leave_it_open(self):
        settled = silent(self.question(), self.SIGNATURE, call("quote", star=("*pair",)))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def inserted(self):
        return make_question(KIND, added(required=False, index=1), rule="parameters_reordered")

    def test_an_optional_parameter_before_others_moves_them(self):
        signature = definition("quote", parameters=("tenant", ("region", "None"), ("sku", "None")))
        draft = card(self.inserted(), signature, call("quote", "t", "s"), self.at_base("t", "s"))
        assert "Adding `region` before other parameters of `quote`" in draft.claim
        assert draft.effect.op is EffectOp.ADDED

    def test_an_optional_parameter_at_the_end_moves_nothing(self):
        signature = definition("quote", parameters=("tenant", "sku", ("region", "None")))
        assert silent(self.inserted(), signature, call("quote", "t", "s")).code is NoFindingCode.REFUTED


class TestBecameAsync:
    def question(self):
        return make_question(KIND, make_edit(EditOp.BECAME_ASYNC, "load", function="load", symbolKind="function"))

    SIGNATURE = definition("load", is_async=True)

    @pytest.mark.parametrize(
        ("result", "words"), [("ignored", "the body never runs"), ("attribute", "attribute of the coroutine")]
    )
    def test_a_use_that_no_coroutine_has_breaks(self, result, words):
        draft = card(self.question(), self.SIGNATURE, call("load", result=result))
        assert words in draft.claim
        assert draft.effect.op is EffectOp.CHANGED

    def test_an_awaiting_caller_refutes(self):
        settled = silent(self.question(), self.SIGNATURE, call("load", awaited=True, result="ignored"))
        assert settled.code is NoFindingCode.REFUTED

    @pytest.mark.parametrize("result", ["assigned", "argument", "returned", "iterated", "context"])
    def test_what_may_be_awaited_later_stays_open(self, result):
        settled = silent(self.question(), self.SIGNATURE, call("load", result=result))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_decorator_that_may_run_it_stays_open(self):
        signature = definition("load", is_async=True, decorators=("run_sync",))
        settled = silent(self.question(), signature, call("load", result="ignored"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE


class TestBecameSync:
    def question(self):
        return make_question(KIND, make_edit(EditOp.BECAME_SYNC, "load", function="load", symbolKind="function"))

    def test_awaiting_a_plain_value_breaks(self):
        draft = card(self.question(), definition("load", returns=("dict", "none")), call("load", awaited=True))
        assert "still awaits" in draft.claim

    def test_a_caller_without_await_refutes(self):
        assert (
            silent(self.question(), definition("load", returns=("dict",)), call("load")).code is NoFindingCode.REFUTED
        )

    @pytest.mark.parametrize(
        "options", [{"returns": ("call",)}, {"returns": ("dict",), "results": ("Awaitable[dict]",)}], ids=str
    )
    def test_what_may_be_awaitable_stays_open(self, options):
        settled = silent(self.question(), definition("load", **options), call("load", awaited=True))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE


class TestReturnShape:
    def question(self, before, after, language="python"):
        facts = {"function": "load", "symbolKind": "function", "beforeShape": before, "afterShape": after}
        edit = make_edit(EditOp.RETURN_SHAPE_CHANGED, "load", before="a, b", after="a, b, c", **facts)
        return make_question(KIND, edit.model_copy(update={"language": language}))

    @pytest.mark.parametrize(
        ("before", "after", "given"),
        [
            ("tuple:2", "tuple:3", call("load", result="unpacked", targets=("a", "b"))),
            ("tuple:2", "none", call("load", result="unpacked", targets=("a", "b"))),
            ("dict", "none", call("load", result="subscript", targets=())),
            ("call", "tuple:2", call("load", result="attribute", targets=())),
        ],
    )
    def test_taking_the_old_shape_apart_breaks(self, before, after, given):
        draft = card(self.question(before, after), definition("load"), given)
        assert draft.severity is Severity.BLOCKING
        assert draft.effect.to == "a, b, c"

    def test_taking_the_new_shape_refutes(self):
        given = call("load", result="unpacked", targets=("a", "b", "c"))
        settled = silent(self.question("tuple:2", "tuple:3"), definition("load"), given)
        assert settled.code is NoFindingCode.REFUTED

    @pytest.mark.parametrize(
        "given",
        [
            call("load", result="unpacked", targets=("a", "*rest")),
            call("load", result="assigned"),
            call("load", result="iterated"),
        ],
    )
    def test_what_may_take_both_stays_open(self, given):
        settled = silent(self.question("tuple:2", "tuple:3"), definition("load"), given)
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_go_counts_results_and_targets(self):
        question = self.question("other", "tuple:2", language="go")
        signature = definition("load", results=("int", "error"))
        assert "does not compile" in card(question, signature, call("load", result="assigned", targets=("x",))).claim
        fits = call("load", result="unpacked", targets=("x", "err"))
        assert silent(question, signature, fits).code is NoFindingCode.REFUTED


class TestSymbolRemoved:
    def edit(self, **changes):
        facts = {"symbolKind": "function", "qualname": "quote", "exported": True}
        return make_edit(EditOp.SYMBOL_REMOVED, "quote", side=Side.OLD, **(facts | changes))

    def question(self, **changes):
        return make_question(KIND, self.edit(**changes))

    def test_an_import_is_worse_than_a_call_and_stands_for_what_its_file_does(self):
        imported = use("from shop.pricing import quote", use="import", path="src/z.py", line=2)
        draft = card(self.question(), call("quote", path="src/a.py"), imported, call("quote", path="src/z.py"))
        assert "breaks `src/z.py` line 2 (the first of 2 resolved references that do so)" in draft.claim
        assert "`ImportError`" in draft.claim
        assert draft.effect.op is EffectOp.REMOVED

    def test_a_definition_left_at_head_refutes(self):
        moved = definition("quote", path="src/shop/new.py")
        settled = silent(self.question(), moved, call("quote"))
        assert settled.code is NoFindingCode.REFUTED
        assert settled.refs == (moved.ref,)

    def test_a_doubtful_definition_conflicts(self):
        settled = silent(self.question(), definition("quote", resolution=AMBIGUOUS), call("quote"))
        assert settled.code is NoFindingCode.CONFLICTING_EVIDENCE

    def test_a_handler_for_missing_names_refutes(self):
        settled = silent(self.question(), call("quote", caught=("AttributeError",)))
        assert settled.code is NoFindingCode.REFUTED

    def test_a_guarded_use_and_an_ambiguous_one_stay_open(self):
        for hit in (use("quote", guarded_by="hasattr(m, 'quote')"), call("quote", resolution=AMBIGUOUS)):
            assert silent(self.question(), hit).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_an_import_that_can_be_forgone_stays_open(self):
        nested = use("    from shop.pricing import quote", use="import")
        rebound = (use("from shop.pricing import quote", use="import"), use("quote = None", use="write", line=5))
        assert silent(self.question(), nested).code is NoFindingCode.INSUFFICIENT_EVIDENCE
        assert silent(self.question(), *rebound).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_write_is_no_reference(self):
        assert silent(self.question(), use("quote", use="write")).code is NoFindingCode.NO_CANDIDATE

    def test_a_method_needs_a_class_that_is_seen_whole(self):
        question = self.question(symbolKind="method", qualname="Store.quote")
        whole = definition("Store", symbol="class", members=("other",), name="Store")
        assert "`quote`" in card(question, whole, call("store.quote")).claim
        derived = definition("Store", symbol="class", bases=("Base",), closed=False, name="Store")
        assert silent(question, derived, call("store.quote")).code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_local_names_raise_no_question(self):
        assert not seeds(KIND, self.edit(qualname="outer.quote", exported=False))
        (outside,) = seeds(KIND, self.edit(symbolKind="field"))
        assert outside.rule == "public_interface_broken"

    def test_a_rename_names_both(self):
        facts = {"symbolKind": "function", "qualname": "quote", "newName": "price", "newQualname": "price"}
        question = make_question(KIND, make_edit(EditOp.SYMBOL_RENAMED, "quote", exported=True, **facts))
        draft = card(question, call("quote"))
        assert "Renaming `quote` to `price`" in draft.claim
        assert (draft.effect.op, draft.effect.to) == (EffectOp.RENAMED, "price")
        kept = definition("quote", symbol="variable", value="price")
        assert silent(question, kept, call("quote")).code is NoFindingCode.REFUTED
        assert silent(question, refused=[QueryKind.CALLERS]).code is NoFindingCode.BUDGET_EXHAUSTED


class TestAbstractMember:
    def question(self, language="python"):
        facts = {"owner": "Store", "otherMembers": ("get",), "parameters": ()}
        edit = make_edit(EditOp.ABSTRACT_MEMBER_ADDED, "close", scope="Store", **facts)
        return make_question(KIND, edit.model_copy(update={"language": language}))

    OWNER = definition("Store", symbol="class", bases=("ABC",), name="Store")

    def test_an_implementer_without_it_breaks(self):
        draft = card(self.question(), self.OWNER, implementer("MemoryStore"))
        assert "`MemoryStore` at `src/shop/stores.py` line 20" in draft.claim
        assert draft.confidence is Confidence.MEDIUM
        assert draft.uncertainty

    def test_implementers_that_have_it_refute(self):
        settled = silent(self.question(), self.OWNER, implementer("MemoryStore", has_member=True))
        assert settled.code is NoFindingCode.REFUTED

    def test_an_open_implementer_and_a_class_that_enforces_nothing_stay_open(self):
        settled = silent(self.question(), self.OWNER, implementer("MemoryStore", closed=False))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE
        plain = definition("Store", symbol="class", name="Store")
        settled = silent(self.question(), plain, implementer("MemoryStore"))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_type_that_others_extend_is_no_card(self):
        below = implementer("DiskStore", has_member=True, line=40)
        below = replace(below, text="class DiskStore(MemoryStore):")
        settled = silent(self.question(), self.OWNER, implementer("MemoryStore"), below)
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_test_double_is_no_card(self):
        settled = silent(self.question(), self.OWNER, implementer("FakeStore", path="tests/fakes.py"))
        assert settled.code is NoFindingCode.NO_CANDIDATE

    def test_go_needs_no_metaclass(self):
        assert "no longer satisfies `Store`" in card(self.question("go"), implementer("MemoryStore")).claim

    def test_nobody_implements_it(self):
        assert silent(self.question(), self.OWNER).code is NoFindingCode.NO_CANDIDATE


class TestNameDoesNotExist:
    def question(self, form="import"):
        facts = {"form": form, "module": ".prices", "level": 1, "binding": "quote"}
        return make_question(KIND, make_edit(EditOp.REFERENCE_ADDED, "quote", **facts))

    def module(self, **options):
        given = {"symbol": "module", "members": ("other",), "path": "src/shop/prices.py", "line": 1}
        return definition("prices", **(given | options))

    def imported(self, text="from .prices import quote", scope=""):
        given = {"use": "import", "path": "src/shop/pricing.py", "line": 10, "scope": scope}
        return use(text, asks=QueryKind.USES_INSIDE, **given)

    def test_a_closed_module_without_the_name_breaks(self):
        draft = card(self.question(), self.module(), self.imported())
        assert "`quote`" in draft.claim
        assert "`src/shop/prices.py`" in draft.claim
        assert "`ImportError`" in draft.claim
        assert "`AttributeError`" in card(self.question("attribute"), self.module()).claim

    @pytest.mark.parametrize(
        "how",
        [
            {"text": "    from .prices import quote"},
            {"text": "        quote,"},
            {"text": "        from .prices import quote", "scope": "f"},
        ],
    )
    def test_an_import_inside_a_block_stays_open(self, how):
        settled = silent(self.question(), self.module(), self.imported(**how))
        assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    @pytest.mark.parametrize("how", [{"text": "    quote,"}, {"text": "    from .prices import quote", "scope": "f"}])
    def test_a_line_of_a_longer_import_and_one_inside_a_function_break(self, how):
        assert card(self.question(), self.module(), self.imported(**how))

    def test_the_name_found_refutes(self):
        found = definition("quote", path="src/shop/prices.py", name="quote")
        assert silent(self.question(), found, self.module()).code is NoFindingCode.REFUTED
        assert silent(self.question(), self.module(members=("quote",))).code is NoFindingCode.REFUTED

    def test_an_open_or_doubtful_module_stays_open(self):
        for options in ({"closed": False}, {"resolution": AMBIGUOUS}):
            settled = silent(self.question(), self.module(**options))
            assert settled.code is NoFindingCode.INSUFFICIENT_EVIDENCE

    def test_a_module_from_elsewhere_is_no_candidate(self):
        assert silent(self.question()).code is NoFindingCode.NO_CANDIDATE
        settled = silent(self.question(), refused=[QueryKind.DEFINITION])
        assert settled.code is NoFindingCode.BUDGET_EXHAUSTED
