"""What the rules of error_handling about missing values make of hand-made facts."""

from dataclasses import replace

import pytest
from builders import call, definition, make_edit, make_question, seeds, use
from error_handling_by_hand import KIND, card, silent

from review_agent.vocabulary import Confidence, EditOp, NoFindingCode, QueryKind, Role, Side


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
