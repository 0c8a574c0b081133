"""What several places say alike and a change left in one of them; what may differ is silent."""

import pytest
from reviewing import review

pytestmark = pytest.mark.slow


def ended(repo, before, after, rule):
    return [one for one in review(repo, before, after) if one.rule == rule]


def claims(repo, before, after, rule):
    return [card.claim for one in ended(repo, before, after, rule) for card in one.cards]


ADVICE = "Set the environment variable `SHOP_DEBUG` to see each request that the client sends to the server.\n"
SETUP = "# Contributing\n\nClone it first:\n\n{step} clone https://example.org/shop.git\n{step} install --editable .\n"


def test_a_copied_sentence_that_was_mended_in_one_file_is_left_in_the_other(repo):
    before = {"README.md": f"# Shop\n\n{ADVICE}", "docs/index.md": f"# Start\n\nHello.\n\n{ADVICE}"}
    after = {"README.md": before["README.md"].replace("SHOP_DEBUG", "SHOP_TRACE")}
    (claim,) = claims(repo, before, after, "copied_line_left")
    assert "`docs/index.md` line 5" in claim
    assert "`SHOP_DEBUG`" in claim


def test_a_copy_is_known_by_further_lines_that_changed_in_both_alike(repo):
    before = {"docs/contributing.md": SETUP.format(step="$ run"), ".github/CONTRIBUTING.md": SETUP.format(step="$ run")}
    after = {"docs/contributing.md": SETUP.format(step="run")}
    (claim,) = claims(repo, before, after, "copied_line_left")
    assert "`.github/CONTRIBUTING.md` line 5" in claim


def test_a_short_line_alone_is_no_copy(repo):
    before = {
        "docs/a.md": "# One\nRun make test all\nThen read on.\n",
        "docs/b.md": "# Two\nRun make test all\nMore of it.\n",
    }
    after = {"docs/a.md": before["docs/a.md"].replace("test all", "test fast")}
    (one,) = ended(repo, before, after, "copied_line_left")
    assert not one.cards
    assert one.code == "insufficient_evidence"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("ci/nightly.yml", "runs-on: ${{ settings.os || 'ubuntu-latest' }}"),
        ("Makefile", "pytest --durations 20 tests/all"),
        ("shop/cart.py", "total = price * count + shipping"),
        ("web/cart.js", "const total = price * count + shipping;"),
        ("shop/cart.go", "total := price * count + shipping"),
        ("src/Cart.java", "int total = price * count + shipping;"),
    ],
)
def test_no_copy_is_looked_for_where_none_could_be_told(repo, path, line):
    other = path.replace("cart", "basket").replace("Cart", "Basket").replace("nightly", "tests")
    before = {path: f"a\n{line}\nb\n", other: f"a\n{line}\nb\n"}
    after = {path: before[path].replace("count", "counts").replace("20", "30").replace("os |", "config.os |")}
    assert not ended(repo, before, after, "copied_line_left")


def test_settings_changed_alike_in_several_files_are_copies_where_fewer_are_left(repo):
    line = "test-command: python -m pytest --durations 20"
    before = {f"ci/{name}.yml": f"{name}:\n  {line}\n" for name in ("one", "two", "three")}
    after = {f"ci/{name}.yml": before[f"ci/{name}.yml"].replace("20", "30") for name in ("one", "two")}
    (claim,) = claims(repo, before, after, "copied_line_left")
    assert "`ci/three.yml` line 2" in claim


@pytest.mark.parametrize("other", ["CHANGELOG.md", "tests/data.md", "docs/migration.md", "shop/fixtures/page.md"])
def test_what_tells_the_past_or_is_data_keeps_its_line(repo, other):
    before = {"README.md": f"# Shop\n\n{ADVICE}", other: f"# Start\n\nHello.\n\n{ADVICE}"}
    after = {"README.md": before["README.md"].replace("SHOP_DEBUG", "SHOP_TRACE")}
    assert not claims(repo, before, after, "copied_line_left")


def test_a_copy_that_was_mended_too_is_not_missed(repo):
    before = {"README.md": f"# Shop\n\n{ADVICE}", "docs/index.md": f"# Start\n\nHello.\n\n{ADVICE}"}
    after = {path: text.replace("SHOP_DEBUG", "SHOP_TRACE") for path, text in before.items()}
    assert not claims(repo, before, after, "copied_line_left")


def test_code_is_a_copy_only_where_it_declares_the_same_module(repo):
    line = "export function open(path: string, mode?: number): Handle;\n"
    before = {"index.d.ts": line, "index.d.cts": f"// CommonJS\n\n\n\n\n{line}", "other.ts": line}
    after = {"index.d.ts": line.replace("number", "number | null")}
    (claim,) = claims(repo, before, after, "copied_line_left")
    assert "`index.d.cts` line 6" in claim


PINNED = {
    "setup.py": 'setup(\n    name="shop",\n    install_requires=[\n        "urllib3>=1.21,<2",\n    ],\n)\n',
    "setup.cfg": "[metadata]\nname = shop\n\n[options]\nrequires-dist =\n    idna\n    urllib3>=1.21,<2\n",
}


def test_a_version_asked_for_in_two_manifests_is_raised_in_one(repo):
    after = {"setup.py": PINNED["setup.py"].replace("<2", "<3")}
    (claim,) = claims(repo, PINNED, after, "pin_left_behind")
    assert "`setup.cfg` line 7" in claim
    assert "`urllib3`" in claim


def test_another_range_or_package_in_the_other_manifest_is_its_own(repo):
    before = {**PINNED, "setup.cfg": PINNED["setup.cfg"].replace("urllib3>=1.21,<2", "urllib4>=1.21,<2")}
    after = {"setup.py": PINNED["setup.py"].replace("<2", "<3")}
    assert not claims(repo, before, after, "pin_left_behind")


def test_an_artifact_raised_in_one_pom_is_left_in_the_other(repo):
    part = "<a>\n  <artifactId>junit</artifactId>\n  <version>4.12</version>\n</a>\n"
    other = part.replace("junit", "guava")
    before = {"pom.xml": part, "proto/pom.xml": f"<p>\n{part}</p>\n", "extras/pom.xml": other}
    (claim,) = claims(repo, before, {"pom.xml": part.replace("4.12", "4.13")}, "pin_left_behind")
    assert "`proto/pom.xml` line 4" in claim
    assert "`junit`" in claim


def test_a_step_of_ci_raised_in_one_workflow_is_left_in_the_other(repo):
    step = "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v3\n"
    before = {f".github/workflows/{name}.yml": step for name in ("test", "lint")}
    after = {".github/workflows/test.yml": step.replace("v3", "v4")}
    (claim,) = claims(repo, before, after, "pin_left_behind")
    assert "`.github/workflows/lint.yml` line 4" in claim


GO = {"go.mod": "module example.org/shop\n\ngo 1.21\n", "README.md": "# Shop\n\n- [Go 1.21 or newer](https://go.dev)\n"}


def test_a_readme_that_states_the_oldest_go_is_left_behind(repo):
    (claim,) = claims(repo, GO, {"go.mod": GO["go.mod"].replace("1.21", "1.23")}, "minimum_left_behind")
    assert "`README.md` line 3" in claim
    assert "`1.23`" in claim


@pytest.mark.parametrize(
    ("manifest", "new", "path", "line"),
    [
        ('requires-python = ">=3.8"\n', "3.9", "README.md", "Shop officially supports Python 3.8+, and runs well."),
        ('requires-python = ">=3.8"\n', "3.9", ".pre-commit-config.yaml", '        args: ["--py38-plus"]'),
        ('requires-python = ">=3.8"\n', "3.9", "ruff.toml", 'target-version = "py38"'),
        ('requires-python = ">=3.8"\n', "3.9", "tox.ini", "envlist = py{38,39,310}-{lint,test}"),
        ('requires-python = ">=3.8"\n', "3.9", ".github/workflows/t.yml", '  python-version: ["3.8", "3.9"]'),
    ],
)
def test_an_oldest_python_stated_elsewhere_is_left_behind(repo, manifest, new, path, line):
    before = {"pyproject.toml": f'[project]\nname = "shop"\n{manifest}', path: f"one\n{line}\n"}
    after = {"pyproject.toml": before["pyproject.toml"].replace("3.8", new)}
    (claim,) = claims(repo, before, after, "minimum_left_behind")
    assert f"`{path}` line 2" in claim


@pytest.mark.parametrize(
    "line",
    [
        "In Python 3.8 and later there is no error any more.",
        "- Python 3.8: use Shop 2.1 or earlier.",
        "Support for Python 3.8 was dropped.",
        "Shop supports Python 3.8.19 in its image only.",
        "python-version: ['3.8']",
    ],
)
def test_a_remark_on_a_version_is_no_statement_of_the_oldest(repo, line):
    before = {"pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.8"\n', "README.md": f"one\n{line}\n"}
    after = {"pyproject.toml": before["pyproject.toml"].replace("3.8", "3.9")}
    (one,) = ended(repo, before, after, "minimum_left_behind")
    assert (one.cards, one.code) == ((), "no_candidate")


def test_a_workflow_below_the_root_is_of_another_project(repo):
    """No server runs it: it came with a project that was brought in whole."""
    line = '  python-version: ["3.8", "3.9"]\n'
    project = '[project]\nname = "shop"\nrequires-python = ">=3.8"\n'
    before = {"pyproject.toml": project, "docs/.github/workflows/t.yml": line}
    after = {"pyproject.toml": before["pyproject.toml"].replace("3.8", "3.9")}
    (one,) = ended(repo, before, after, "minimum_left_behind")
    assert (one.cards, one.code) == ((), "no_candidate")


def test_an_oldest_java_is_told_by_either_of_its_names(repo):
    before = {
        "pom.xml": "<project>\n  <maven.compiler.source>1.7</maven.compiler.source>\n</project>\n",
        "README.txt": "Shop\n\nShop 2 requires JDK 1.7.\n",
    }
    after = {"pom.xml": before["pom.xml"].replace("1.7", "1.8")}
    (claim,) = claims(repo, before, after, "minimum_left_behind")
    assert "`README.txt` line 3" in claim


def test_a_minimum_that_sank_leaves_nothing_behind(repo):
    after = {"go.mod": GO["go.mod"].replace("1.21", "1.20")}
    assert not ended(repo, GO, after, "minimum_left_behind")


TWINS = """
class Client:
    def send(self, request):
        pool = self._pool(request.url)
        response = pool.open(request, retries=0)
        log.debug("sent %s", request.url)
        self.cookies.update(response)
        return response


FIRST = 1
SECOND = 2
THIRD = 3


class AsyncClient:
    async def send(self, request):
        pool = self._pool(request.url)
        response = await pool.open(request, retries=0)
        log.debug("sent %s", request.url)
        self.cookies.update(response)
        return response
"""


def twins(repo, *changes):
    after = TWINS
    for before, now in changes:
        after = after.replace(before, now, 1)
    return ended(repo, {"net/client.py": TWINS}, {"net/client.py": after}, "twin_left_behind")


def test_what_waits_is_left_behind_where_the_other_is_changed(repo):
    (one,) = twins(repo, ("        log.debug(", "        log.info("))
    assert "`AsyncClient.send`" in one.cards[0].claim
    assert "line 20" in one.cards[0].claim


def test_a_line_that_only_one_of_the_twins_gets(repo):
    (one,) = twins(repo, ("        self.cookies", "        self.check(response)\n        self.cookies"))
    assert "Adding `self.check(response)` to `Client.send`" in one.cards[0].claim


def test_a_line_that_only_one_of_the_twins_loses(repo):
    (one,) = twins(repo, ("        self.cookies.update(response)\n", ""))
    assert "Removing `self.cookies.update(response)` from `Client.send`" in one.cards[0].claim


def test_twins_that_change_alike_and_means_of_one_world_are_no_difference(repo):
    assert not twins(repo, ("retries=0", "retries=1"), ("retries=0", "retries=1"))


def test_a_thread_of_the_one_is_nothing_to_the_other(repo):
    assert not twins(
        repo, ("        self.cookies", "        threading.Thread(target=response.drain).start()\n        self.cookies")
    )


def test_what_the_twin_had_already_brings_them_together(repo):
    apart = TWINS.replace("        self.cookies.update(response)\n", "", 1)
    assert not ended(repo, {"net/client.py": apart}, {"net/client.py": TWINS}, "twin_left_behind")


def test_javascript_twins_are_told_alike(repo):
    body = (
        "  const found = store.find(key, limit);\n  audit.note(key);\n  const rows = found.rows();\n  return rows;\n}\n"
    )
    before = {
        "src/read.js": f"export function readSync(key, limit) {{\n{body}\n\n\n\n\n"
        f"export async function readAsync(key, limit) {{\n{body.replace('store.', 'await store.')}"
    }
    after = {"src/read.js": before["src/read.js"].replace("audit.note(key);", "audit.note(key, limit);", 1)}
    (one,) = ended(repo, before, after, "twin_left_behind")
    assert "`readAsync`" in one.cards[0].claim


JOBS = "\n\n\n\n\n".join(f"{name}:\n  runs-on: ubuntu-22.04 # pinned\n  timeout: {len(name)}" for name in "abcd")
OPENED, MENDED = "ubuntu-22.04 # pinned", "ubuntu-24.04 # pinned"


def test_one_line_that_a_change_mends_at_all_places_but_one(repo):
    after = JOBS.replace(OPENED, MENDED, 3)
    (one,) = ended(repo, {"ci/jobs.yml": JOBS}, {"ci/jobs.yml": after}, "repeated_edit_left")
    assert "`ci/jobs.yml` line 23" in one.cards[0].claim


def test_where_more_than_one_place_is_left_the_edit_is_a_choice(repo):
    after = JOBS.replace(OPENED, MENDED, 2)
    (one,) = ended(repo, {"ci/jobs.yml": JOBS}, {"ci/jobs.yml": after}, "repeated_edit_left")
    assert (one.cards, one.code) == ((), "no_candidate")


def test_a_line_mended_at_all_places_leaves_none(repo):
    after = JOBS.replace(OPENED, MENDED)
    assert not claims(repo, {"ci/jobs.yml": JOBS}, {"ci/jobs.yml": after}, "repeated_edit_left")


def test_a_line_that_changed_with_its_neighbours_is_no_edit_of_its_own(repo):
    after = JOBS.replace(OPENED, MENDED, 3).replace("timeout: 1", "timeout: 2", 3)
    assert not claims(repo, {"ci/jobs.yml": JOBS}, {"ci/jobs.yml": after}, "repeated_edit_left")
