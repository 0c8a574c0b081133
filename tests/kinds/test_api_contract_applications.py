"""A program's code is used by nobody outside, whatever its tags are called; a library's beside it is."""

import pytest
from test_api_contract_public import FIRST, JAVA, LAST, PYTHON, TABLE, TYPED, ended, one_card, silent

__all__ = ["ended"]

pytestmark = pytest.mark.slow

GONE = (TABLE, FIRST, "")
LEFT = ("rates/_table.py", LAST, "")
BUILT = "<project><artifactId>rates</artifactId><version>1.4.0</version>%s</project>\n"
SITE = 'import os\n\nos.environ.setdefault("DJANGO_SETTINGS_MODULE", "%s.main")\n'


@pytest.mark.parametrize(
    "by",
    [
        "<packaging>quarkus</packaging>",
        "<packaging>war</packaging>",
        "<build><plugins><plugin><artifactId>spring-boot-maven-plugin</artifactId></plugin></plugins></build>",
    ],
)
def test_java_what_maven_builds_as_a_program(repo, by):
    assert silent(repo, {**JAVA, "pom.xml": BUILT % by}, GONE) == ["refuted"]


def test_java_what_gradle_builds_as_a_program(repo):
    before = {name: text for name, text in JAVA.items() if name != "pom.xml"}
    before["build.gradle"] = "plugins {\n    id 'java'\n    id 'application'\n}\n"
    assert silent(repo, before, GONE) == ["refuted"]


def test_java_a_library_beside_a_program(repo):
    before = {**JAVA, "server/pom.xml": BUILT % "<packaging>war</packaging>"}
    assert one_card(repo, before, GONE)


def test_python_a_site(repo):
    before = {**PYTHON, "manage.py": SITE % "settings", "settings/main.py": "DEBUG = False\n"}
    assert silent(repo, before, LEFT) == ["refuted"]


def test_python_a_library_with_a_site_that_shows_it(repo):
    before = {**PYTHON, "manage.py": SITE % "example", "example/main.py": "DEBUG = True\n"}
    assert one_card(repo, before, LEFT)


def test_typescript_a_package_that_is_never_published(repo):
    private = TYPED["package.json"].replace("{\n", '{\n  "private": true,\n', 1)
    gone = ("index.d.ts", "export function rate(region: string): number;\n", "")
    assert silent(repo, {**TYPED, "package.json": private}, gone) == ["refuted"]
