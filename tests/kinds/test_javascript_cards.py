"""Whole reviews of changes in JavaScript and TypeScript: what the cards say, and what stays silent."""

import pytest
from reviewing import cards, codes, review

pytestmark = pytest.mark.slow

STORE = """\
const { NotFound } = require('./errors')
const rows = new Map()

function load (id) {
  const row = rows.get(id)
  if (!row) {
    throw new NotFound(id)
  }
  return row
}

function save (id, row) {
  rows.set(id, row)
  return { row }
}

function clear (kind, deep) {
  return rows.clear(kind, deep)
}

module.exports = { load, save, clear }
"""
SHOP = {
    "lib/errors.js": "class NotFound extends Error {}\nclass Denied extends Error {}\n"
    "module.exports = { NotFound, Denied }\n",
    "lib/store.js": STORE,
    "lib/cart.js": """\
const store = require('./store')
const { save, clear } = require('./store')
const { NotFound } = require('./errors')

class Cart {
  add (id) {
    try {
      return store.load(id)
    } catch (err) {
      if (err instanceof NotFound) return null
      throw err
    }
  }

  keep (id) {
    return save(id, this.rows)
  }

  reset () {
    clear('cart', true)
  }
}

module.exports = Cart
""",
}


def changed(repo, *pairs, base=SHOP, path="lib/store.js", kind=None):
    text = base[path]
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return review(repo, base, {path: text}, kind)


def only(ended, rule):
    found = cards(ended, rule)
    assert len(found) == 1
    return found[0].claim


def test_a_removed_function_is_no_longer_there_to_be_called(repo):
    ended = changed(
        repo, ("function save (id, row) {\n  rows.set(id, row)\n  return { row }\n}\n\n", ""), ("save, ", "")
    )
    claim = only(ended, "symbol_removed_still_referenced")
    assert claim == (
        "Removing `save` from `lib/store.js` breaks `lib/cart.js` line 16: it still calls that name, which is not "
        "found any more, and raises `TypeError`."
    )


def test_a_missing_argument_is_undefined(repo):
    ended = changed(repo, ("save (id, row) {", "save (id, row, at) {"), ("set(id, row)", "set(id, at.now())"))
    claim = only(ended, "required_parameter_added")
    assert claim.endswith("it passes none, so `at` is `undefined` there and `at.now` raises `TypeError`.")


@pytest.mark.parametrize(("use", "code"), [("at?.now()", "refuted"), ("[row, at]", "insufficient_evidence")])
def test_a_missing_argument_that_the_body_can_do_without_is_silent(repo, use, code):
    ended = changed(repo, ("save (id, row) {", "save (id, row, at) {"), ("set(id, row)", f"set(id, {use})"))
    assert codes(ended, "required_parameter_added") == [code]


def test_arguments_move_up_where_a_parameter_went(repo):
    ended = changed(repo, ("clear (kind, deep)", "clear (deep)"), ("clear(kind, deep)", "clear(deep)"))
    assert "passes `'cart'` for it, which now fills `deep`" in only(ended, "parameter_removed_still_passed")


def test_an_argument_too_many_at_the_end_is_silent(repo):
    ended = changed(repo, ("clear (kind, deep)", "clear (kind)"), ("clear(kind, deep)", "clear(kind)"))
    assert codes(ended, "parameter_removed_still_passed") == ["insufficient_evidence"]


def test_another_type_passes_the_handler_that_throws_again(repo):
    ended = changed(repo, ("throw new NotFound", "throw new Denied"), ("{ NotFound }", "{ Denied }"))
    claim = only(ended, "raise_type_changed_uncaught")
    assert "Changing what `load` throws from `NotFound` to `Denied` lets it past `lib/cart.js` line 8" in claim


def test_a_name_that_a_module_does_not_export(repo):
    ended = changed(repo, ("{ save, clear }", "{ save, clear, drop }"), path="lib/cart.js")
    assert only(ended, "name_does_not_exist").endswith("does not have: it is `undefined` there.")


TYPED = {
    "src/repo.ts": """\
export interface Row { id: string; name: string }
export interface Repo {
  load(id: string): Promise<Row>;
}

export function label(row: Row | undefined): { text: string } {
  if (!row) {
    return { text: "" };
  }
  return { text: row.name };
}
""",
    "src/file.ts": """\
import { type Repo, type Row } from "./repo";

export class FileRepo implements Repo {
  async load(id: string): Promise<Row> {
    return { id, name: "x" };
  }
}
""",
    "src/use.ts": """\
import { FileRepo } from "./file";
import { label } from "./repo";

export async function one(id: string) {
  const repo = new FileRepo();
  const row = await repo.load(id);
  const name = row.name;
  return name + label(row).text + label(undefined).text;
}
""",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "rule", "said"),
    [
        ("src/repo.ts", "(row: Row | undefined)", "(row: Row | undefined, day: Date)", "required_parameter_added",
         "`src/use.ts` line 8: it gives `day` no value and does not compile."),
        ("src/repo.ts", "Promise<Row>;", "Promise<Row>;\n  drop(id: string): void;",
         "abstract_member_without_implementer", "`src/file.ts` line 3 without it: the class does not compile."),
        ("src/repo.ts", "export function label(row: Row | undefined): { text: string }",
         "export async function label(row: Row): Promise<{ text: string }>",
         "became_async_not_awaited", "takes an attribute of the promise"),
        ("src/repo.ts", "  if (!row) {\n    return { text: \"\" };\n  }\n", "", "guard_removed_dereferenced",
         "lets `undefined` through to `row.name`"),
        ("src/file.ts", "export class FileRepo", "export class DiskRepo", "symbol_renamed_still_referenced",
         "breaks `src/use.ts` line 1: it still imports that name, and the file does not compile."),
        ("src/file.ts", "    return { id", "    if (!id) return null;\n    return { id", "missing_value_dereferenced",
         "there `one` uses `row` of line 6 without a test."),
        ("src/use.ts", "{ label }", "{ label, shout }", "name_does_not_exist", "the importing file does not compile."),
    ],
)  # fmt: skip
def test_typescript_cards(repo, path, old, new, rule, said):
    ended = changed(repo, (old, new), base=TYPED, path=path)
    assert said in cards(ended, rule)[0].claim
