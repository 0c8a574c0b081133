"""A file of code that came without a test file, where those beside it have one each."""

import pytest
from reviewing import cards, codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "file_without_test"
KIND = ChangeKind.INCOMPLETE_CHANGE

PY = "".join(f"def step_{n}_{{0}}(order):\n    return order.total + {n}\n\n\n" for n in range(12))
TS = "".join(f"export function step{n}{{0}}(order) {{{{\n  return order.total + {n};\n}}}}\n\n" for n in range(8))
GO = "package shop\n\n" + "".join(
    f"// Step{n}{{0}} adds.\nfunc Step{n}{{0}}(total int) int {{{{\n\treturn total + {n}\n}}}}\n\n" for n in range(8)
)
NAMES = ("prices", "orders", "carts", "stocks")


def python(names=NAMES, tested=NAMES):
    return {f"shop/{one}.py": PY.format(one) for one in names} | {
        f"tests/test_{one}.py": f"from shop.{one} import step_1_{one}\n\n\ndef test_{one}():\n    assert step_1_{one}\n"
        for one in tested
    }


def typescript():
    test = 'import {{ step1{0} }} from "../{0}";\n\nit("adds", () => expect(step1{0}).toBeTruthy());\n'
    return {f"src/{one}.ts": TS.format(one) for one in NAMES} | {
        f"src/__tests__/{one}Spec.ts": test.format(one) for one in NAMES
    }


def go():
    return {"go.mod": "module shop\n"} | {
        path: text
        for one in NAMES
        for path, text in (
            (f"{one}.go", GO.format(one.title())),
            (
                f"{one}_test.go",
                f"package shop\n\nfunc Test{one.title()}(t *testing.T) {{\n\tStep1{one.title()}(1)\n}}\n",
            ),
        )
    }


def test_the_one_module_without_a_test_file(repo):
    (card,) = cards(review(repo, python(), {"shop/vouchers.py": PY.format("vouchers")}, KIND), RULE)
    assert "every other file beside it has a test file, as `shop/carts.py` (`tests/test_carts.py` line 4)" in card.claim
    assert "names `vouchers`, nor `step_0_vouchers`" in card.claim
    assert card.severity == "suggestion"
    assert card.uncertainty


@pytest.mark.parametrize(
    ("before", "path", "text"),
    [(typescript, "src/vouchers.ts", TS.format("vouchers")), (go, "vouchers.go", GO.format("Vouchers"))],
)
def test_typescript_and_go(repo, before, path, text):
    (card,) = cards(review(repo, before(), {path: text}, KIND), RULE)
    assert f"Adding `{path}` leaves it without a test" in card.claim


def test_nearly_all_are_said_as_such(repo):
    before = python((*NAMES, "refunds"))
    (card,) = cards(review(repo, before, {"shop/vouchers.py": PY.format("vouchers")}, KIND), RULE)
    assert "nearly every other file beside it" in card.claim


def test_a_test_file_that_came_along(repo):
    after = {"shop/vouchers.py": PY.format("vouchers"), "tests/test_vouchers.py": "def test_it():\n    assert True\n"}
    assert codes(review(repo, python(), after, KIND), RULE) == []


def test_another_test_that_names_what_it_gives(repo):
    test = "from shop import step_2_vouchers\n\n\ndef test_it():\n    assert step_2_vouchers\n"
    after = {"shop/vouchers.py": PY.format("vouchers"), "tests/test_shop.py": test}
    assert codes(review(repo, python(), after, KIND), RULE) == ["refuted"]


def test_half_of_them_are_tested(repo):
    before = python((*NAMES, "refunds", "returns", "parcels", "letters"))
    assert codes(review(repo, before, {"shop/vouchers.py": PY.format("vouchers")}, KIND), RULE) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("shop/__init__.py", PY.format("vouchers")),
        ("shop/constants.py", PY.format("vouchers")),
        ("shop/vouchers.py", "".join(f"RATE_{n} = {n}\n" for n in range(40))),
        ("shop/vouchers.py", "def step(order):\n    return order.total\n"),
        ("shop/vouchers.json", "{}\n" * 40),
        ("other/vouchers.py", PY.format("vouchers")),
    ],
)
def test_what_owes_no_test_of_its_own(repo, path, text):
    assert codes(review(repo, python(), {path: text}, KIND), RULE) == []
