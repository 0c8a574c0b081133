"""Lines written anew, an oldest version that was raised, and one of two twins that was changed."""

import pytest
from differences import between, change_of

from review_agent.syntax.edits.respelled import respelled
from review_agent.syntax.edits.supported import version
from review_agent.vocabulary import EditOp


def lines(old, new, path="README.md", paths=()):
    return [one for one in respelled(change_of(old, new, path=path), paths) if one.op is EditOp.LINE_REPLACED]


def test_a_line_tells_what_is_different_in_it_with_whole_words():
    (one,) = lines(
        "first line\nrun `$ pip install shop` now\nlast line\n", "first line\nrun `pip install shop` now\nlast line\n"
    )
    assert (one.facts["beforeText"], one.facts["afterText"]) != ("", "")
    assert (one.facts["lineBefore"], one.facts["lineAfter"]) == ("first line", "last line")
    assert one.facts["form"] == "line"


@pytest.mark.parametrize(
    ("old", "new", "form", "name", "before", "after"),
    [
        ('    "urllib3>=1.21,<2",', '    "urllib3>=1.21,<3",', "pin", "urllib3", ">=1.21,<2", ">=1.21,<3"),
        ("ruff==0.1.0", "ruff==0.2.0", "pin", "ruff", "==0.1.0", "==0.2.0"),
        ("requests[socks]>=2.0", "requests[socks]>=2.1", "pin", "requests", ">=2.0", ">=2.1"),
        ("  - uses: actions/checkout@v3", "  - uses: actions/checkout@v4", "action", "actions/checkout", "v3", "v4"),
        ("timeout: 30 # s", "timeout: 60 # s", "line", "", "30", "60"),
    ],
)
def test_forms_of_lines(old, new, form, name, before, after):
    (one,) = lines(f"a\n{old}\nb\n", f"a\n{new}\nb\n", path="setup.cfg")
    assert (one.facts["form"], one.facts["name"]) == (form, name)
    assert (one.facts["beforeText"], one.facts["afterText"]) == (before, after)


def test_another_line_in_its_place_is_none_written_anew():
    assert not lines("a\nEverything about the first thing\nb\n", "a\n12345\nb\n")


def test_of_unequal_numbers_of_lines_those_most_alike_answer_to_each_other():
    old = "a\ntimeout for reads is 30 seconds\nb\n"
    new = "a\nSomething new here\ntimeout for reads is 60 seconds\nb\n"
    (one,) = lines(old, new)
    assert one.after == "timeout for reads is 60 seconds"


CODE = ("a = 1\nretries = limit(3)\nb = 2\n", "a = 1\nretries = limit(5)\nb = 2\n")


@pytest.mark.parametrize("paths", [(), ("client.py",), ("client.js", "other.pyi")])
def test_a_line_of_code_alone_is_left_to_its_outline(paths):
    assert not lines(*CODE, path="client.py", paths=paths)


@pytest.mark.parametrize(
    ("path", "twin"), [("client.py", "client.pyi"), ("web/a.d.ts", "web/a.js"), ("web/a.mjs", "web/a.d.mts")]
)
def test_a_line_of_code_is_told_where_another_file_declares_the_module(path, twin):
    (one,) = lines(*CODE, path=path, paths=(path, twin))
    assert one.facts["twin"] == twin


def test_a_line_of_code_is_told_where_it_was_written_anew_alike_at_several_places():
    found = lines(*("".join(f"{text}gap\n" * 1 for text in [side] * 2) for side in CODE), path="client.go")
    assert [one.start_line for one in found] == [2, 6]


def test_a_setup_script_asks_for_packages_as_a_manifest_does():
    (one,) = lines('a\n"urllib3>=1,<2",\nb\n', 'a\n"urllib3>=1,<3",\nb\n', path="tools/setup.py")
    assert one.facts["form"] == "pin"


def raised(old, new, path):
    found = respelled(change_of(old, new, path=path))
    return [(one.facts["platform"], one.before, one.after) for one in found if one.op is EditOp.MINIMUM_RAISED]


@pytest.mark.parametrize(
    ("path", "old", "new", "platform"),
    [
        ("pyproject.toml", 'requires-python = ">=3.9"', 'requires-python = ">=3.10"', "Python"),
        ("setup.py", '    python_requires=">=3.8",', '    python_requires=">=3.9",', "Python"),
        ("go.mod", "go 1.9", "go 1.21", "Go"),
        ("package.json", '    "node": ">= 16"', '    "node": ">= 18"', "Node"),
        ("pom.xml", "<javaVersion>1.8</javaVersion>", "<javaVersion>11</javaVersion>", "Java"),
        ("build.gradle", "sourceCompatibility = 1.7", "sourceCompatibility = 1.8", "Java"),
    ],
)
def test_a_manifest_that_asks_for_a_newer_language(path, old, new, platform):
    ((said, before, after),) = raised(f"a\n{old}\nb\n", f"a\n{new}\nb\n", path)
    assert (said, before, after) == (platform, old.strip(), new.strip())
    assert not raised(f"a\n{new}\nb\n", f"a\n{old}\nb\n", path)


def test_the_manifest_of_a_part_says_nothing_of_the_whole():
    assert not raised("a\ngo 1.20\nb\n", "a\ngo 1.21\nb\n", "tools/go.mod")


def test_javas_old_numbers_are_the_new_ones():
    assert version("1.8", "Java") == version("8", "Java") < version("11", "Java")
    assert version("1.9", "Go") < version("1.21", "Go") == version("1.21.0", "Go") < version("1.21.1", "Go")


BODY = """
    def get(self, url, auth=None):
        request = self.build(url, auth)
        return {wait}self.send(request)


class Other:
    pass


class AsyncClient:
    async def get(self, url, auth=None):
        request = self.build(url, auth)
        return await self.send(request)
"""


def twins(*changes):
    old = "class Client:" + BODY.replace("{wait}", "")
    new = old
    for before, after in changes:
        new = new.replace(before, after, 1)
    return between(old, new, "python", EditOp.TWIN_LEFT)


def test_no_twin_of_so_few_lines_is_told():
    assert not twins(("self.build(url, auth)", "self.build(url, auth, 1)"))


LONG = BODY.replace("        request =", "        log(url)\n        check(url)\n        request =")


def test_the_twin_is_told_with_its_line():
    old = "class Client:" + LONG.replace("{wait}", "")
    new = old.replace("log(url)", "log(url, auth)", 1)
    (one,) = between(old, new, "python", EditOp.TWIN_LEFT)
    assert (one.facts["twin"], one.facts["twinLine"], one.facts["twinText"]) == ("AsyncClient.get", 15, "log(url)")
    assert one.facts["signature"] is False


def test_a_signature_is_told_apart():
    old = "class Client:" + LONG.replace("{wait}", "")
    (one,) = between(old, old.replace("auth=None", "auth=True", 1), "python", EditOp.TWIN_LEFT)
    assert one.facts["signature"] is True
