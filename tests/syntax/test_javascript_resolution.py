"""What JavaScript and TypeScript names are resolved to: every marked line of a made repository."""

import pytest
from made_world import check

CLIENT = """\
export class Client {
  constructor(url, options = {}) { this.url = url }
  fetch(path) { return path }
  static connect(url) { return new Client(url) }
}
export function open(path) { return new Client(path) }
export const close = (client) => client.fetch("x")
export default Client
"""


def test_names_are_followed_through_es_imports_aliases_and_namespaces():
    check(
        {
            "src/client.js": CLIENT,
            "src/index.js": 'export { open, close as shut } from "./client.js"\nexport * as api from "./client.js"\n',
            "src/a.js": 'import { open } from "./client.js"\nopen("x") // yes\n'
            "function open2() { const open = () => 1\n  return open() // no\n}\n",
            "src/b.js": 'import * as c from "./client"\nc.open("x") // yes\nc.shut.open() // maybe\n',
            "src/c.js": 'import { open } from "."\nopen("y") // yes\n',
            "src/d.js": 'import { open } from "other"\nopen("y") // no\n',
            "src/e.js": "open() // no\nthing.open() // maybe\n",
        },
        "src/client.js",
        "",
        "open",
    )


def test_names_are_followed_through_require_and_exports():
    check(
        {
            "lib/util.js": "function pick (a) { return a }\nfunction other () {}\nmodule.exports = { pick, other }\n",
            "lib/more.js": "exports.pick = require('./util').pick\n",
            "lib/a.js": "const { pick } = require('./util')\npick(1) // yes\n",
            "lib/b.js": "const util = require('./util.js')\nutil.pick(1) // yes\nutil.x.pick() // maybe\n",
            "lib/c.js": "const pick = require('./util').pick\nfunction f () {\n  pick(2) // yes\n}\n",
            "lib/d.js": "const { pick: p } = require('./util')\nconst pick = require('lodash/pick')\npick(1) // no\n",
            "lib/e.js": "const { pick } = require('./more')\npick(3) // yes\n",
        },
        "lib/util.js",
        "",
        "pick",
    )


def test_a_module_can_be_one_function_or_class():
    texts = {
        "lib/pool.js": "class Pool {\n  get (k) { return k }\n}\nmodule.exports = Pool\n",
        "lib/a.js": "const Pool = require('./pool')\nconst pool = new Pool()\npool.get(1) // yes\n",
        "lib/b.js": "const { get } = require('./pool')\nget(1) // maybe\nnew Map().get(1) // no\n",
        "lib/c.js": "const Pool = require('./pool')\nclass Sub extends Pool {\n  run () {\n    this.get(1) // yes\n"
        "    super.get(2) // yes\n    this.items.forEach((x) => x.get(1)) // maybe\n  }\n}\n"
        "class Own extends Pool {\n  get () {}\n  run () { this.get(1) } // no\n}\n",
    }
    check(texts, "lib/pool.js", "Pool", "get")


def test_typed_parameters_fields_and_constructor_properties():
    check(
        {
            "src/store.ts": "export class Store {\n  load(id: string) { return id }\n}\n"
            "export interface Reader { load(id: string): string }\n",
            "src/a.ts": """\
import { Store, type Reader } from "./store"
import { Other } from "other"
export class A {
  private second: Store
  third = new Store()
  constructor(private readonly store: Store, other: Other) { this.fourth = other }
  run(list: Store[], reader: Reader, maybe?: Store | null) {
    this.store.load("a") // yes
    this.second.load("a") // yes
    this.third.load("b") // yes
    this.fourth.load("c") // no
    maybe!.load("d") // yes
    maybe?.load("d") // yes
    reader.load("d") // no
    list[0].load("e") // yes
    const s: Store = make()
    s.load("f") // yes
    const t = make() as Store
    t.load("f") // yes
    for (const one of list) {
      one.load("g") // maybe
    }
    unknown.load("h") // maybe
  }
}
""",
        },
        "src/store.ts",
        "Store",
        "load",
    )


def test_blocks_shadow_and_end():
    check(
        {
            "a.js": """\
import { run } from "./b.js"
export function outer(list) {
  if (list) {
    const run = list.make()
    run(1) // no
  }
  run(2) // yes
  list.forEach((run) => {
    run(3) // no
  })
  list.map((run) => run(4)) // no
  run(5) // yes
}
describe("x", () => {
  const run = make()
  it("y", () => {
    run(6) // no
  })
})
describe("z", () => {
  run(7) // yes
})
""",
            "b.js": "export function run() {}\n",
        },
        "b.js",
        "",
        "run",
    )


def test_packages_of_the_repository_and_path_aliases():
    check(
        {
            "package.json": '{"name": "root", "private": true, "workspaces": ["packages/*"]}',
            "packages/core/package.json": '{"name": "@acme/core", "main": "./dist/index.js"}',
            "packages/core/src/index.ts": 'export * from "./sum"\n',
            "packages/core/src/sum.ts": "export const sum = (a: number, b: number): number => a + b\n",
            "packages/app/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"],}, /* x */}}',
            "packages/app/src/lib/calc.ts": 'export { sum } from "@acme/core"\n',
            "packages/app/src/a.ts": 'import { sum } from "@acme/core"\nsum(1, 2) // yes\n',
            "packages/app/src/b.tsx": 'import { sum } from "@/lib/calc"\nconst x = <p>{sum(1, 2)}</p> // yes\n',
            "packages/app/src/c.ts": 'import { sum } from "@acme/other"\nsum(1, 2) // no\n',
        },
        "packages/core/src/sum.ts",
        "",
        "sum",
    )


def test_objects_prototypes_and_results():
    check(
        {
            "lib/app.js": """\
var app = exports = module.exports = {}
app.use = function use (fn) { return this }
app.go = function () {
  this.use(1) // yes
}
""",
            "lib/main.js": "const app = require('./app')\napp.use(x) // yes\n",
        },
        "lib/app.js",
        "app",
        "use",
    )
    check(
        {
            "lib/p.js": "function Parser () {}\nParser.prototype.feed = function (x) { return x }\n"
            "Parser.prototype.all = function () { this.feed(1) } // yes\nmodule.exports = Parser\n"
            "function make () { return new Parser() }\nmake().feed(2) // yes\n",
            "lib/q.js": "const Parser = require('./p')\nnew Parser().feed(3) // yes\nconst q = new Parser()\n"
            "q.feed(4) // yes\n",
        },
        "lib/p.js",
        "Parser",
        "feed",
    )


@pytest.mark.parametrize("name", ["dropped", "gone"])
def test_a_name_that_is_gone_is_still_what_its_users_mean(name):
    check(
        {
            "src/m.ts": "export const other = 1\n",
            "src/a.ts": f'import {{ {name} }} from "./m"\n{name}() // yes\n',
            "src/b.ts": f'import * as m from "./m"\nm.{name}() // yes\nm.other.{name}() // no\n',
        },
        "src/m.ts",
        "",
        name,
    )


def test_an_object_that_holds_functions_by_their_names_gives_them_out():
    texts = {
        "lib/utils.js": "function pick(a) { return a }\nconst other = (a) => a\nexport default { pick, other }\n",
        "lib/a.js": 'import utils from "./utils.js"\nutils.pick(1) // yes\nutils.other(1)\n',
        "lib/b.js": 'import utils from "./utils.js"\nconst all = { pick: utils.pick, more: 1 }\nall.pick(2) // yes\n',
        "lib/d.js": 'import { pick } from "./utils.js"\npick(3) // maybe\n',
        "lib/c.js": "const mine = { pick: (a) => a }\nmine.pick(2) // no\nconst { pick } = mine\npick(1) // no\n",
    }
    check(texts, "lib/utils.js", "", "pick")


def test_a_name_taken_out_of_a_value_is_what_the_value_has():
    texts = {
        "lib/jsx.js": "export function jsx(a) { return a }\n",
        "lib/a.test.js": 'const load = () => import("./jsx")\nit("a", async () => {\n  const { jsx } = await load()\n'
        "  jsx(1) // yes\n})\nfunction given(deps) {\n  const { jsx } = deps\n  jsx(2) // maybe\n"
        "  const { make: jsx2, other: { jsx: inner } } = deps\n}\n"
        'function other() {\n  const { jsx } = require("react")\n  return jsx(3) // no\n}\n'
        "function renamed(deps) {\n  const { make: jsx } = deps\n  jsx(4) // no\n}\n",
    }
    check(texts, "lib/jsx.js", "", "jsx")


def test_what_is_mixed_into_a_function_is_its_own():
    texts = {
        "lib/app.js": "var app = module.exports = {}\napp.use = function use(fn) { return this }\n",
        "lib/index.js": "var mixin = require('merge-descriptors')\nvar EventEmitter = require('events')\n"
        "var proto = require('./app')\nmodule.exports = create\nfunction create() {\n"
        "  var app = function (req) { app.handle(req) }\n  mixin(app, EventEmitter.prototype, false)\n"
        "  mixin(app, proto, false)\n  return app\n}\n",
        "index.js": "module.exports = require('./lib/index')\n",
        "test/a.js": "var express = require('..')\nvar app = express()\napp.use(1) // yes\n"
        "var second = module.exports = express()\nsecond.use(1) // yes\n",
    }
    check(texts, "lib/app.js", "app", "use")


def test_a_class_that_returns_what_is_one_already_or_makes_one():
    texts = {
        "h.js": "class Headers {\n  trim() { return this }\n"
        "  static from(a) { return a instanceof this ? a : new this(a) }\n}\nexport default Headers\n",
        "a.js": 'import H from "./h.js"\nH.from(1).trim() // yes\nconst h = H.from(1).trim()\nh.trim() // yes\n',
    }
    check(texts, "h.js", "Headers", "trim")


def test_a_proxy_may_give_on_what_it_stands_before():
    texts = {
        "pool.js": "class Pool {\n  close() {}\n  compose(a) {\n    return new Proxy(this, {\n"
        "      get: (target, key) => key === 'a' ? a : target[key]\n    })\n  }\n}\nmodule.exports = Pool\n",
        "a.js": "const Pool = require('./pool')\nconst pool = new Pool().compose(1)\npool.close() // maybe\n"
        "const plain = new Proxy({}, {})\nplain.close() // no\n",
    }
    check(texts, "pool.js", "Pool", "close")


def test_what_a_comment_says_a_parameter_or_a_result_is():
    texts = {
        "timer.js": "class Timer {\n  clear() {}\n}\n/**\n * @param {string} a\n * @returns {Timer}\n */\n"
        "function start(a) { return timers[a] }\nmodule.exports = {\n  /**\n   * Ends it.\n   *\n"
        "   * @param {Timer} timer\n   * @param {Object} other\n   */\n  end(timer, other) {\n"
        "    timer.clear() // yes\n    other.clear() // maybe\n  },\n  run() { start('a').clear() } // yes\n}\n",
    }
    check(texts, "timer.js", "Timer", "clear")


def test_a_parameter_is_what_the_written_type_of_its_function_says():
    texts = {
        "types.ts": 'import { Context } from "./context"\n'
        "export type Handler<E = any> = (\n  c: Context<E, string>, next: Next\n) => Promise<void>\n"
        "export type Next = () => void\n",
        "context.ts": "export class Context<E> {\n  text(a: string) {}\n}\n",
        "a.ts": 'import type { Handler, Next } from "./types"\nexport const first: Handler<any> = (c) => {\n'
        '  c.text("a") // yes\n}\nexport const made = (path: string): Handler => {\n  return async (c, next) => {\n'
        '    await next()\n    c.text("b") // yes\n  }\n}\nconst other: Next = (c) => {\n  c.text("c") // maybe\n}\n'
        'app.get("/", (c) => c.text("d")) // maybe\n',
    }
    check(texts, "context.ts", "Context", "text")


def test_a_package_is_imported_by_its_folder():
    texts = {
        "packages/io/package.json": '{"name": "io", "main": "./dist/index.js"}',
        "packages/io/lib/index.ts": "export class Server {\n  on(a: string) {}\n}\n",
        "packages/io/test/a.ts": 'import { Server } from ".."\nconst io = new Server()\nio.on("a") // yes\n',
        "other/package.json": '{"name": "other", "main": "main.js"}',
        "other/main.js": 'import { Server } from ".."\nnew Server().on("b") // maybe\n',
    }
    check(texts, "packages/io/lib/index.ts", "Server", "on")
