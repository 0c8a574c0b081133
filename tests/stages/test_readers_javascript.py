"""Definitions, callers, types, modules and implementers of JavaScript and TypeScript, over a real repository."""

import pytest
from evidence_room import Room, ask, hits, places

SHOP = {
    "package.json": '{"name": "shop", "main": "lib/index.js"}\n',
    "lib/store.js": """\
class Store {
  constructor (url, size = 10) { this.url = url }
  load (id) {
    if (!id) throw new Missing(id)
    return this.rows[id]
  }
}
function open (url) { return new Store(url) }
module.exports = { Store, open }
""",
    "lib/index.js": """\
const { open, Store } = require('./store')
const store = new Store('x')
function run (id) {
  try {
    return store.load(id)
  } catch (err) {
    return null
  }
}
module.exports = { run, open }
""",
    "src/api.ts": """\
export interface Api {
  get(id: string): string;
}
export abstract class Base implements Api {
  get(id: string): string { return id; }
  abstract name(): string;
}
export const limit = 3;
export default function start(api: Api): string { return api.get("a"); }
""",
    "src/more.ts": """\
import begin, { Base, type Api } from "./api";
export * from "./api";
export class Plain implements Api {}
export class Good extends Base { name() { return begin(this); } }
export class Bad extends Base { other() { return 1; } }
""",
    "test/api.test.ts": """\
import { Plain } from "../src/more";
it("gets", () => { new Plain().get("x"); });
""",
}


@pytest.fixture
def room(repo):
    return Room(repo, SHOP)


def test_callers_follow_require_with_what_is_caught(room):
    found = hits(room.bundle(ask("callers", "load", "lib/store.js", "Store")))
    assert [(path, line) for path, line, _ in found] == [("lib/index.js", 5)]
    fact = found[0][2]
    assert (fact.resolution, fact.caught, fact.result) == ("resolved", ("Error",), "returned")


def test_a_class_is_called_by_its_constructor(room):
    found = hits(room.bundle(ask("callers", "Store", "lib/store.js")))
    calls = [(path, line) for path, line, fact in found if fact.fact == "call"]
    assert calls == [("lib/index.js", 2), ("lib/store.js", 8)]


def test_definitions_tell_parameters_raises_and_returns(room):
    bundle = room.bundle(
        ask("definition", "constructor", "lib/store.js", "Store"), ask("definition", "store.load", "lib/index.js")
    )
    made, loaded = hits(bundle, 0)[0][2], hits(bundle, 1)[0][2]
    assert [(one.name, one.default) for one in made.parameters] == [("url", None), ("size", "10")]
    assert (loaded.qualname, loaded.raises, loaded.closed) == ("Store.load", ("Missing",), True)


def test_modules_list_what_they_export(room):
    bundle = room.bundle(
        ask("definition", "gone", "src/more.ts", "./api"),
        ask("definition", "gone", "lib/index.js", "./store"),
        ask("definition", "gone", "test/api.test.ts", "../src/more"),
    )
    facts = [hits(bundle, query)[0][2] for query in range(3)]
    assert [(one.symbol, set(one.members), one.closed) for one in facts] == [
        ("module", {"Api", "Base", "limit", "default"}, True),
        ("module", {"Store", "open"}, True),
        ("module", {"Plain", "Good", "Bad", "Api", "Base", "limit"}, True),
    ]


def test_types_of_a_parameter(room):
    assert places(room.bundle(ask("types", "api", "src/api.ts", "start"))) == [("src/api.ts", 1)]


def test_implementers_near_and_far(room):
    found = hits(room.bundle(ask("implementers", "Api", "src/api.ts")))
    assert {fact.type_name for _, _, fact in found} == {"Base", "Plain", "Good", "Bad"}
    named = {fact.type_name: fact.closed for _, _, fact in found}
    assert named["Plain"]
    assert not named["Base"]


def test_default_imports_are_followed_under_the_name_they_are_given(room):
    found = hits(room.bundle(ask("definition", "begin", "src/more.ts")))
    assert [(path, line, fact.qualname) for path, line, fact in found] == [("src/api.ts", 9, "start")]
