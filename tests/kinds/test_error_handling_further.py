"""Rules about tests that let nothing through, errors as values, what is caught, and hidden failures."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.ERROR_HANDLING)
silent = partial(silence_of, kind=ChangeKind.ERROR_HANDLING)
PAD = "\n".join(f"# {n}" for n in range(8))
PADDED = "\n".join(f"// {n}" for n in range(8))

SHOP = {
    "shop/__init__.py": "",
    "shop/service.py": """from shop.db import find


def greet(key):
    user = find(key)
    if user is None or user.blocked:
        return ""
    return user.name
""",
    "shop/db.py": """ROWS = {}


def find(key):
    for row in ROWS:
        if row.id == key:
            return row
    return None
""",
}
WEAKER = ("shop/service.py", "if user is None or user.blocked", "if user.blocked")


class TestWeakened:
    RULE = "guard_lets_missing_through"

    def test_what_the_value_comes_from_gives_none(self, repo):
        assert "`find` at `shop/db.py` line 4" in one_card(repo, SHOP, self.RULE, WEAKER).claim

    def test_what_the_value_comes_from_always_gives_one(self, repo):
        before = SHOP | {"shop/db.py": "def find(key):\n    return key.row\n"}
        assert silent(repo, before, self.RULE, WEAKER) == ["refuted"]

    def test_a_test_in_other_words(self, repo):
        assert silent(repo, SHOP, self.RULE, ("shop/service.py", "user is None or", "not user or")) == []

    def test_typescript(self, repo):
        before = {
            "package.json": "{}\n",
            "src/service.ts": 'import { find } from "./db";\n\nexport function greet(key: string) {\n'
            "  const user = find(key);\n  if (!user || user.blocked) {\n"
            '    return "";\n  }\n  return user.name;\n}\n',
            "src/db.ts": "const rows: any[] = [];\n\nexport function find(key: string) {\n  for (const row of rows) {\n"
            "    if (row.key === key) {\n      return row;\n    }\n  }\n  return null;\n}\n",
        }
        card = one_card(repo, before, self.RULE, ("src/service.ts", "!user || user.blocked", "user.blocked"))
        assert "`src/db.ts` line 3" in card.claim


GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "load.go": f"""package shop

import (
	"errors"
	"fmt"
)

var ErrMissing = errors.New("missing")

type Invalid struct{{}}

func (e *Invalid) Error() string {{ return "x" }}

func Load(id int) error {{
	err := read(id)
	if err != nil {{
		return fmt.Errorf("load %d: %w", id, err)
	}}
	return nil
}}

{PADDED}
func check(id int) error {{
	if id < 0 {{
		return &Invalid{{}}
	}}
	return nil
}}

func read(id int) error {{ return ErrMissing }}
""",
    "show.go": """package shop

import "errors"

func Show(id int) string {
	err := Load(id)
	if errors.Is(err, ErrMissing) {
		return "none"
	}
	return "ok"
}

func Validate(id int) error {
	return check(id)
}
""",
}
UNWRAPPED = ("load.go", "load %d: %w", "load %d: %v")


class TestGo:
    def test_a_caller_looks_for_the_cause(self, repo):
        card = one_card(repo, GO, "error_no_longer_wrapped", UNWRAPPED)
        assert "`show.go` line 7" in card.claim

    def test_no_caller_looks_for_it(self, repo):
        edits = (UNWRAPPED, ("show.go", "errors.Is(err, ErrMissing)", "err != nil"))
        assert silent(repo, GO, "error_no_longer_wrapped", *edits) == ["insufficient_evidence"]

    def test_a_nil_that_is_not_nil(self, repo):
        edit = ("load.go", "func check(id int) error", "func check(id int) *Invalid")
        assert "`show.go` line 14" in one_card(repo, GO, "typed_nil_returned", edit).claim

    def test_a_pointer_that_is_tested_itself(self, repo):
        tested = "if err := check(id); err != nil {\n\t\treturn err\n\t}\n\treturn nil"
        edits = (
            ("load.go", "func check(id int) error", "func check(id int) *Invalid"),
            ("show.go", "return check(id)", tested),
        )
        assert silent(repo, GO, "typed_nil_returned", *edits) == ["refuted"]


CAUGHT = {
    "shop/__init__.py": "",
    "shop/codes.py": "class Gone(Exception):\n    pass\n\n\ndef gone(x):\n    return x\n",
    "shop/run.py": f"""from shop.codes import Gone, gone


def run(act):
    try:
        act()
    except ValueError:
        return gone(1)


{PAD}
""",
}


class TestCaught:
    RULE = "caught_is_no_exception"

    def test_a_function_among_the_types(self, repo):
        card = one_card(repo, CAUGHT, self.RULE, ("shop/run.py", "except ValueError", "except (ValueError, gone)"))
        assert "`shop/codes.py` line 5" in card.claim

    def test_a_class_of_exceptions(self, repo):
        edit = ("shop/run.py", "except ValueError", "except (ValueError, Gone)")
        assert silent(repo, CAUGHT, self.RULE, edit) == ["refuted"]


STORE = {
    "package.json": "{}\n",
    "src/save.js": "export async function save(row) {\n  await store(row);\n  return row;\n}\n\n"
    "export function store(row) {\n  return Promise.resolve(row);\n}\n",
    "src/route.js": """import { save } from "./save.js";

export async function put(order) {
  await save(order);
  order.status = "saved";
}
""",
}
CATCH = ("src/save.js", "await store(row);", "await store(row).catch(() => {});")


class TestSuccess:
    RULE = "hidden_failure_marked_success"

    def test_a_caller_that_marks_a_success(self, repo):
        assert "`src/route.js` line 4" in one_card(repo, STORE, self.RULE, CATCH).claim

    def test_a_caller_that_marks_nothing(self, repo):
        edits = (CATCH, ("src/route.js", '  order.status = "saved";\n', ""))
        assert silent(repo, STORE, self.RULE, *edits) == ["insufficient_evidence"]

    def test_a_rejection_that_is_handed_on(self, repo):
        edit = ("src/save.js", "await store(row);", "await store(row).catch((error) => { throw error; });")
        assert silent(repo, STORE, self.RULE, edit) == []
