"""Which source a module's name means, where that is written and where it is a guess; and names that others take."""

import json

import pytest
from reviewing import cards, codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "name_does_not_exist"


def reviewed(repo, before, after):
    return review(repo, before, after, ChangeKind.API_CONTRACT)


def manifest(name="@acme/client", **more):
    return json.dumps({"name": name, **more})


USES = "import { apiClient } from '@acme/client';\n\nexport const ask = () => apiClient.get('/');\n"
OLD_USE = "import { apiClient } from '@acme/client';\n\nexport const old = () => apiClient.get('/old');\n"
MODELS = "export class Plugin {}\nexport class Post {}\n"
CLIENT = {
    "package.json": '{"name": "root", "private": true}\n',
    "packages/client/src/index.ts": MODELS,
    "packages/client/entry/index.ts": "export * from '../src';\nexport { apiClient } from './api-client';\n",
    "packages/client/entry/api-client.ts": "export const apiClient = { get: (path: string) => path };\n",
    "packages/client/package.json": manifest(main="./dist/index.js"),
    "app/src/main.ts": "export const main = 1;\n",
}
ENTRY = "export default defineConfig({ entry: ['./entry/index.ts'] });\n"


@pytest.mark.parametrize(
    "settings", [{}, {"vite.config.ts": ENTRY}, {"tsconfig.json": '{"include": ["src", "entry"]}'}]
)
def test_javascript_a_source_that_is_guessed_settles_nothing(repo, settings):
    before = {**CLIENT, **{f"packages/client/{path}": text for path, text in settings.items()}}
    assert codes(reviewed(repo, before, {"app/src/ask.ts": USES}), RULE) == ["insufficient_evidence"]


@pytest.mark.parametrize(
    "said",
    [
        {"packages/client/package.json": manifest(main="./dist/index.js", source="./src/index.ts")},
        {"packages/client/package.json": manifest(exports={".": {"development": "./src/index.ts"}})},
        {"packages/client/package.json": manifest(main="dist/index.js", scripts={"build": "tsup src/index.ts"})},
        {"packages/client/tsup.config.ts": "export default { entry: ['src/index.ts'] };\n"},
        {"packages/client/tsconfig.json": '{"compilerOptions": {"outDir": "dist", "rootDir": "./src"}}'},
        {"packages/client/tsconfig.json": '{"include": ["src/**/*"]}'},
        {"tsconfig.json": '{"compilerOptions": {"paths": {"@acme/client": ["./packages/client/src"]}}}'},
    ],
)
def test_javascript_a_source_that_is_named(repo, said):
    (card,) = cards(reviewed(repo, {**CLIENT, **said}, {"app/src/ask.ts": USES}), RULE)
    assert "which `packages/client/src/index.ts` does not have" in card.claim


def test_javascript_a_path_that_is_not_there_names_no_source(repo):
    paths = '{"compilerOptions": {"paths": {"@acme/client": ["./packages/client/dist/index"]}}}'
    before = {**CLIENT, "tsconfig.json": paths}
    assert codes(reviewed(repo, before, {"app/src/ask.ts": USES}), RULE) == ["insufficient_evidence"]


@pytest.mark.parametrize("other", ["app/src/old.ts", "tests/old.js"])
def test_javascript_others_take_the_name_already(repo, other):
    ended = reviewed(repo, {**CLIENT, other: OLD_USE}, {"app/src/ask.ts": USES})
    assert codes(ended, RULE) == ["refuted"]


def test_javascript_others_took_what_the_change_takes_out(repo):
    client = "export const b = 2;\n" + "// more\n" * 8 + "export const apiClient = 1;\n"
    before = {"package.json": '{"name": "root"}\n', "src/client.ts": client}
    before["src/old.ts"] = OLD_USE.replace("@acme/client", "./client")
    after = {"src/client.ts": client.replace("export const apiClient = 1;\n", "")}
    after["src/ask.ts"] = USES.replace("@acme/client", "./client")
    assert cards(reviewed(repo, before, after), RULE)


def test_javascript_others_take_a_like_name_from_another_module(repo):
    plain = {"package.json": '{"name": "root"}\n', "src/client.ts": "export const b = 2;\n"}
    before = {**plain, "old/client.ts": "export const apiClient = 1;\n"}
    before["old/old.ts"] = OLD_USE.replace("@acme/client", "./client")
    assert cards(reviewed(repo, before, {"src/ask.ts": USES.replace("@acme/client", "./client")}), RULE)


def test_javascript_a_re_export_of_a_guessed_source_is_open(repo):
    before = {**CLIENT, "app/src/all.ts": "export * from '@acme/client';\n"}
    after = {"app/src/ask.ts": USES.replace("@acme/client", "./all")}
    assert codes(reviewed(repo, before, after), RULE) == ["insufficient_evidence"]


PY = {"src/shop/__init__.py": "", "src/shop/rates.py": "RATE = 1\n", "src/shop/api.py": "A = 1\n"}
PY_USE = {"src/shop/view.py": "from shop.rates import quote\n\n\ndef view():\n    return quote(1)\n"}


def test_python_one_file_can_be_the_module(repo):
    (card,) = cards(reviewed(repo, PY, PY_USE), RULE)
    assert "`src/shop/rates.py` does not have" in card.claim


def test_python_a_file_of_another_root_can_be_the_module(repo):
    before = {**PY, "build/lib/shop/__init__.py": "", "build/lib/shop/rates.py": "def quote(n):\n    return n\n"}
    assert codes(reviewed(repo, before, PY_USE), RULE) == ["insufficient_evidence"]


@pytest.mark.parametrize(
    "old",
    [
        "from shop.rates import quote\n\n\ndef old():\n    return quote(2)\n",
        "from shop import rates\n\n\ndef old():\n    return rates.quote(2)\n",
        "import shop.rates as known\n\n\ndef old():\n    return known.quote(2)\n",
    ],
)
def test_python_others_take_the_name_already(repo, old):
    assert codes(reviewed(repo, {**PY, "src/shop/old.py": old}, PY_USE), RULE) == ["refuted"]


def test_python_an_import_that_may_fail_shows_nothing(repo):
    old = "try:\n    from shop.rates import quote\nexcept ImportError:\n    quote = None\n"
    assert cards(reviewed(repo, {**PY, "src/shop/old.py": old}, PY_USE), RULE)


GO = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "rates/rates.go": "package rates\n\n// Rate is one.\nconst Rate = 1\n",
    "main.go": "package main\n\nfunc main() {}\n",
}
GO_USE = """package view

import "example.com/shop/rates"

// View shows.
func View() int {
	return rates.Quote(1)
}
"""


def test_go_a_package_of_the_same_module(repo):
    assert cards(reviewed(repo, GO, {"view/view.go": GO_USE}), RULE)


@pytest.mark.parametrize("mod", ["module example.com/shop/rates\n\ngo 1.22\n"])
def test_go_a_package_of_a_module_inside_it(repo, mod):
    assert codes(reviewed(repo, {**GO, "rates/go.mod": mod}, {"view/view.go": GO_USE}), RULE) == [
        "insufficient_evidence"
    ]


def test_go_others_take_the_name_already(repo):
    old = GO_USE.replace("package view", "package old").replace("View", "Old")
    assert codes(reviewed(repo, {**GO, "old/old.go": old}, {"view/view.go": GO_USE}), RULE) == ["refuted"]


JAVA = {
    "src/main/java/shop/rates/Rate.java": "package shop.rates;\n\npublic class Rate {\n}\n",
    "src/main/java/shop/Api.java": "package shop;\n\npublic class Api {\n}\n",
}
JAVA_USE = """package shop;

import shop.rates.Quote;

public class View {
    int view() {
        return new Quote().of(1);
    }
}
"""


def test_java_a_class_that_no_file_declares(repo):
    assert cards(reviewed(repo, JAVA, {"src/main/java/shop/View.java": JAVA_USE}), RULE)


def test_java_others_take_the_class_already(repo):
    before = {**JAVA, "src/main/java/shop/Old.java": JAVA_USE.replace("View", "Old")}
    assert codes(reviewed(repo, before, {"src/main/java/shop/View.java": JAVA_USE}), RULE) == ["refuted"]
