"""What a release gave to people outside is gone or changed, though every caller inside was adapted."""

import pytest
from changing import changed
from reviewing import cards, codes, review

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "public_interface_broken"
KIND = ChangeKind.API_CONTRACT

GO = {
    "go.mod": "module example.com/wire\n\ngo 1.22\n",
    "listen.go": """package wire

import "net"

// Address is where something listens.
type Address struct{ Host, Port string }

// Listen opens the address.
func (a Address) Listen(network string) (net.Listener, error) {
	return net.Listen(network, net.JoinHostPort(a.Host, a.Port))
}
""",
    "serve.go": """package wire

// Serve opens the usual port.
func Serve() error {
	_, err := Address{Port: "80"}.Listen("tcp")
	return err
}
""",
}
BACKLOG = (
    ("listen.go", "Listen(network string)", "Listen(network string, backlog int)"),
    ("serve.go", 'Listen("tcp")', 'Listen("tcp", 5)'),
)

PYTHON = {
    "pyproject.toml": '[project]\nname = "rates"\nversion = "1.4.0"\n',
    "rates/__init__.py": '"""Rates."""\n\nfrom rates._table import Table, lookup\n\n__version__ = "1.4.0"\n',
    "rates/_table.py": '''"""Tables."""


class Table:
    """A table of rates."""

    def __init__(self, rows):
        self.rows = rows

    def first(self, default=None):
        """The first row."""
        return self.rows[0] if self.rows else default

    def last(self):
        """The last row."""
        return self.rows[-1]


def lookup(table, region):
    """The rate of a region."""
    return table.rows[region]
''',
}
LAST = '''
    def last(self):
        """The last row."""
        return self.rows[-1]
'''

JAVA = {
    "pom.xml": "<project><artifactId>rates</artifactId><version>1.4.0</version></project>\n",
    "src/main/java/com/acme/rates/Table.java": """package com.acme.rates;

import java.util.List;

/** A table of rates. */
public class Table {
  private final List<String> rows;

  public Table(List<String> rows) {
    this.rows = rows;
  }

  /** How many rows there are. */
  public int size() {
    return rows.size();
  }

  /** The first row. */
  public String first() {
    return rows.get(0);
  }

  String hidden() {
    return rows.get(1);
  }
}
""",
}
TABLE = "src/main/java/com/acme/rates/Table.java"
FIRST = """
  /** The first row. */
  public String first() {
    return rows.get(0);
  }
"""

TYPED = {
    "package.json": '{\n  "name": "rates",\n  "version": "1.4.0",\n  "types": "./index.d.ts"\n}\n',
    "index.d.ts": "export function rate(region: string): number;\n\n"
    + "\n".join(f"export function other{n}(): void;" for n in range(6))
    + "\n\nexport function listed(): string[];\n",
}


def ended(repo, before, *edits, tag="v1.4.0"):
    """How the questions about a change of released files end; no tag, no release."""
    for path, text in before.items():
        repo.write(path, text)
    repo.commit("Release")
    if tag:
        repo.git("tag", tag)
    return review(repo, {}, changed(before, *edits), KIND)


def one_card(repo, before, *edits, **how):
    (card,) = cards(ended(repo, before, *edits, **how), RULE)
    return card


def silent(repo, before, *edits, **how):
    return codes(ended(repo, before, *edits, **how), RULE)


def test_a_go_method_takes_more(repo):
    card = one_card(repo, GO, *BACKLOG)
    assert "Adding the required parameter `backlog` of `Address.Listen` breaks code outside" in card.claim
    assert "what `v1.4.0` released" in card.claim
    assert "`go.mod` line 1 lets others import its package as part of `example.com/wire`" in card.claim
    assert (card.confidence.value, card.severity.value) == ("medium", "important")


@pytest.mark.parametrize("tag", ["", "nightly", "v1.5.0-rc.1"])
def test_what_no_release_has(repo, tag):
    assert silent(repo, GO, *BACKLOG, tag=tag) == ["no_candidate"]


def test_what_came_after_the_release(repo):
    repo.write("go.mod", GO["go.mod"])
    repo.commit("Begin")
    repo.git("tag", "v1.0.0")
    assert silent(repo, GO, *BACKLOG, tag="") == ["no_candidate"]


def test_a_major_version_that_nobody_can_import(repo):
    assert silent(repo, GO, *BACKLOG, tag="v2.0.0") == ["insufficient_evidence"]


@pytest.mark.parametrize("note", ["Deprecated: use Open.", "EXPERIMENTAL: this may change."])
def test_what_was_announced_as_passing(repo, note):
    before = {**GO, "listen.go": GO["listen.go"].replace("opens the address.", f"opens the address.\n// {note}")}
    assert silent(repo, before, *BACKLOG) == ["refuted"]


def test_a_type_that_became_an_alias_hands_its_members_on(repo):
    moved = {**GO, "internal/wire/wire.go": "package wire\n\ntype Address struct{ Host, Port string }\n"}
    struct = "type Address struct{ Host, Port string }\n"
    method = GO["listen.go"].partition(struct)[2]
    edit = ("listen.go", struct + method, "type Address = inner.Address\n")
    assert silent(repo, moved, edit, ("serve.go", 'Address{Port: "80"}.Listen("tcp")', "0, error(nil)")) in (
        [],
        ["refuted"],
    )


def test_internal_and_main_packages(repo):
    inner = {
        path.replace("listen", "internal/wire/listen").replace("serve", "internal/wire/serve"): text
        for path, text in GO.items()
    }
    edits = [(f"internal/wire/{path}", old, new) for path, old, new in BACKLOG]
    assert silent(repo, inner, *edits) == []


def test_a_program(repo):
    program = {path: text.replace("package wire", "package main") for path, text in GO.items()}
    assert silent(repo, program, *BACKLOG) == ["refuted"]


MAIN = 'package main\n\nimport _ "example.com/wire/wire"\n\nfunc main() {}\n'


def within(folder):
    """The library in a folder of its module, which has no package at its root."""
    files = {path if path == "go.mod" else f"{folder}/{path}": text for path, text in GO.items()}
    return files, [(f"{folder}/{path}", old, new) for path, old, new in BACKLOG]


def test_a_module_that_is_a_program_promises_its_packages_to_nobody(repo):
    library, edits = within("wire")
    assert silent(repo, {**library, "cmd/wired/main.go": MAIN}, *edits) == ["refuted"]


def test_a_library_beside_whose_root_stands_a_program(repo):
    assert len(cards(ended(repo, {**GO, "cmd/wired/main.go": MAIN}, *BACKLOG), RULE)) == 1


def test_packages_of_a_module_without_a_program(repo):
    library, edits = within("wire")
    assert len(cards(ended(repo, library, *edits), RULE)) == 1


def test_a_go_release_before_version_1_promises_nothing(repo):
    assert silent(repo, GO, *BACKLOG, tag="v0.9.0") == ["refuted"]


def test_a_caller_inside_that_breaks_too_is_for_the_rules_about_callers(repo):
    found = ended(repo, GO, BACKLOG[0])
    assert cards(found, RULE) == []
    assert len(cards(found, "required_parameter_added")) == 1


def test_a_caller_in_a_test_is_judged_by_no_rule_about_callers(repo):
    tested = 'package wire\n\nimport "testing"\n\nfunc TestListen(t *testing.T) {\n\tAddress{}.Listen("tcp")\n}\n'
    assert "`Address.Listen`" in one_card(repo, {**GO, "listen_test.go": tested}, *BACKLOG).claim


def test_a_line_that_hands_a_name_on_does_not_declare_it_anew(repo):
    before = {**PYTHON, "rates/__init__.py": PYTHON["rates/__init__.py"].replace("lookup", "lookup as lookup")}
    found = ended(repo, before, ("rates/_table.py", "def lookup(", "def look_up("))
    assert [(one.code, "still counts on it inside" in one.detail) for one in found if one.rule == RULE] == [
        ("no_candidate", True)
    ]


LOG = {"CHANGES.rst": "Unreleased\n\n-   Tables are quick.\n\n\n\n\n\n-   Regions have names.\n"}
NOTES = {
    "of_its_members": ("-   Many ``Table`` methods take the region as the first\n    parameter.\n", ["refuted"]),
    "of_itself": ("-   ``Table.last`` takes a region.\n", ["refuted"]),
    "of_the_type_alone": ("-   A ``Table`` is printed in colour.\n", None),
    "of_another_type": ("-   Many ``Row`` methods take the region.\n", None),
    "of_what_came": ("-   Added two methods to ``Table`` that return regions.\n", None),
    "of_new_ones": ("-   ``Table`` has new methods for regions.\n", None),
}
ENDS = {
    "of_its_end": ("-   Removed ``Table.last``.\n", ["refuted"]),
    "of_itself": ("-   ``Table.last`` is gone.\n", ["refuted"]),
    "of_its_members": ("-   Some ``Table`` methods were removed.\n", ["refuted"]),
    "of_what_came": ("-   Added two new methods to ``Table`` for regions.\n", None),
    "of_what_others_take": ("-   Many ``Table`` methods take the region.\n", None),
    "above_the_note_of_its_coming": ("-   Regions are quick.\n-   Added ``Table.last``.\n", None),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_note_that_says_no_end_announces_none(repo, name):
    note, code = ENDS[name]
    first, _, old = note.partition("\n")
    before = {**PYTHON, "CHANGES.rst": LOG["CHANGES.rst"].replace("Unreleased\n\n", f"Unreleased\n\n{old}")}
    found = ended(
        repo, before, ("rates/_table.py", LAST, ""), ("CHANGES.rst", "released\n\n", f"released\n\n{first}\n")
    )
    assert (codes(found, RULE) if code else len(cards(found, RULE))) == (code or 1)


@pytest.mark.parametrize("name", NOTES)
@pytest.mark.parametrize("log", ["CHANGES.rst", "CHANGES"])
def test_a_note_of_the_same_change_in_the_change_log(repo, name, log):
    note, code = NOTES[name]
    before = {**PYTHON, log: LOG["CHANGES.rst"]}
    more = ("rates/_table.py", "def last(self)", "def last(self, region)")
    found = ended(repo, before, more, (log, "Unreleased\n\n", f"Unreleased\n\n{note}"))
    assert (codes(found, RULE) if code else len(cards(found, RULE))) == (code or 1)


def test_a_release_that_had_the_name_in_another_form(repo):
    for path, text in PYTHON.items():
        repo.write(path, text)
    repo.commit("Release")
    repo.git("tag", "v1.4.0")
    since = changed(PYTHON, ("rates/_table.py", "default=None", "default=0"))
    found = review(repo, since, changed({**PYTHON, **since}, ("rates/_table.py", "def first(", "def begin(")), KIND)
    (one,) = [one for one in found if one.rule == RULE]
    assert one.detail == "no release has it as it stood before the change: `v1.4.0` does not declare it so"


def test_a_member_of_a_public_class(repo):
    card = one_card(repo, PYTHON, ("rates/_table.py", LAST, ""))
    assert "Removing `Table.last` breaks code outside" in card.claim
    assert "`rates/__init__.py` line 3 hands `Table` on" in card.claim
    assert "raises `AttributeError`" in card.claim


def test_a_keyword_that_was_renamed(repo):
    card = one_card(repo, PYTHON, ("rates/_table.py", "default", "otherwise"))
    assert "Renaming the parameter `default` of `Table.first` to `otherwise`" in card.claim


def test_an_alias_keeps_it(repo):
    kept = LAST.replace("def last", "def end") + "\n    last = end\n"
    assert silent(repo, PYTHON, ("rates/_table.py", LAST, kept)) in (["refuted"], [])


def test_a_deprecated_member(repo):
    warned = LAST.replace("        return", "        warnings.warn('gone soon', DeprecationWarning)\n        return")
    before = {**PYTHON, "rates/_table.py": PYTHON["rates/_table.py"].replace(LAST, warned)}
    assert silent(repo, before, ("rates/_table.py", warned, "")) == ["refuted"]


def test_a_private_member(repo):
    hidden = {**PYTHON, "rates/_table.py": PYTHON["rates/_table.py"].replace("def last", "def _last")}
    assert silent(repo, hidden, ("rates/_table.py", LAST.replace("def last", "def _last"), "")) == []


def test_what_the_package_does_not_hand_on(repo):
    kept = {**PYTHON, "rates/__init__.py": '"""Rates."""\n'}
    assert silent(repo, kept, ("rates/_table.py", LAST, "")) == ["insufficient_evidence"]


def test_a_major_version_on_its_way(repo):
    ahead = {**PYTHON, "pyproject.toml": PYTHON["pyproject.toml"].replace("1.4.0", "2.0.0.dev0")}
    assert silent(repo, ahead, ("rates/_table.py", LAST, "")) == ["refuted"]


def test_a_public_method_of_java(repo):
    card = one_card(repo, JAVA, (TABLE, FIRST, ""))
    assert "Removing `Table.first` breaks code outside" in card.claim
    assert f"`{TABLE}` line 6 declares its class public" in card.claim


def test_a_method_of_java_that_only_its_package_sees(repo):
    assert silent(repo, JAVA, (TABLE, "\n  String hidden() {\n    return rows.get(1);\n  }\n", "")) == []


def test_a_package_that_its_module_keeps(repo):
    module = {"src/main/java/module-info.java": "module rates {\n  exports com.acme.open;\n}\n"}
    assert silent(repo, {**JAVA, **module}, (TABLE, FIRST, "")) == ["insufficient_evidence"]


def test_a_declaration_for_typescript(repo):
    card = one_card(repo, TYPED, ("index.d.ts", "export function listed(): string[];\n", ""))
    assert "Removing `listed` breaks code outside" in card.claim
    assert "`package.json` line 4 hands `index.d.ts` to whoever imports the package" in card.claim


def test_a_change_log_that_tells_of_it(repo):
    before = {**GO, "CHANGELOG.md": "# Changes\n\n## 1.4.0\n\nFirst.\n"}
    said = ("CHANGELOG.md", "# Changes\n", "# Changes\n\n## Next\n\n`Address.Listen` takes a `backlog`.\n")
    assert silent(repo, before, *BACKLOG, said) == ["refuted"]


def test_a_name_that_the_package_takes_from_elsewhere(repo):
    other = {"rates/__init__.py": "from rates.other import Table\n", "rates/other.py": "class Table:\n    last = 1\n"}
    assert silent(repo, {**PYTHON, **other}, ("rates/_table.py", LAST, "")) == ["insufficient_evidence"]
