"""Where the control plane comes from, and that nothing of a faulty one is used."""

import os
import shutil
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from review_agent import __version__
from review_agent.errors import PolicyError
from review_agent.git import Git
from review_agent.kinds import KINDS
from review_agent.policy.check import FILES, LANGUAGES, check, check_file
from review_agent.policy.document import MAX_BYTES
from review_agent.policy.faults import faults as faults_of
from review_agent.policy.folder import NAMES, read
from review_agent.policy.load import load
from review_agent.policy.rules import RULES
from review_agent.resources import shipped
from review_agent.syntax.languages import CONFIG, PARSED
from review_agent.vocabulary import ChangeKind

BUDGETS = (shipped("policy") / "budgets.yml").read_text()


def folder(tmp_path: Path, **files: str) -> Path:
    made = tmp_path / "policy"
    made.mkdir(exist_ok=True)
    for name, text in files.items():
        (made / name.replace("__", "-").replace("_yml", ".yml")).write_text(text)
    return made


def faults(tmp_path: Path, name: str, text: str) -> list[str]:
    made = tmp_path / "policy"
    made.mkdir(exist_ok=True)
    (made / name).write_text(text)
    policy, problems = check(read(made))
    assert (policy is None) == bool(problems)
    return [str(problem) for problem in problems]


def changed(name: str, old: str, new: str) -> str:
    text = (shipped("policy") / name).read_text()
    assert old in text
    return text.replace(old, new, 1)


def test_the_shipped_default_holds_the_numbers_of_the_design():
    policy = load()
    assert policy.source == "the shipped default"
    assert policy.budgets.wire() == {
        "queries": 8,
        "candidateFiles": 8,
        "filesRead": 4,
        "linesPerFile": 160,
        "queryBytes": 4096,
        "lineCharacters": 200,
        "questionsPerHunk": 3,
        "questionsPerRun": 60,
        "draftsPerQuestion": 2,
        "blobBytes": 1_000_000,
        "grepHitsPerName": 400,
    }
    asked = {kind for kind, one in policy.change_kinds.kinds.items() if one.enabled}
    assert asked == set(ChangeKind)
    assert [code.code for code in policy.reason_codes if code.needs_comment] == ["other"]
    lasting = {code.code: code.expires_after_days for code in policy.reason_codes if code.expires_after_days}
    assert lasting == {"deferred": 30, "accepted_risk": 180}
    assert not policy.jobs.allow_running_changed_code


def test_every_rule_has_a_way_to_confirm_or_refute_it():
    named = {rule for entry in load().catalog for rule in entry.rules}
    assert named == set(RULES)


def test_every_command_of_the_catalogue_only_reads_the_head_and_no_value_can_be_an_option():
    """A value comes from the change: where it begins an argument, something before it says that options are over."""
    for entry in load().catalog:
        assert not entry.runs_changed_code
        if entry.argv:
            assert entry.argv[:2] in (("git", "grep"), ("git", "ls-files"))
            for place, template in enumerate(entry.argv):
                assert not template.startswith("{") or template == "{head}" or "--" in entry.argv[:place]


def test_a_partial_folder_is_laid_over_the_default_file_by_file(tmp_path):
    made = folder(tmp_path, budgets_yml=BUDGETS.replace("queries: 8 ", "queries: 3 "))
    policy = load(made)
    assert policy.budgets.queries == 3
    assert policy.change_kinds == load().change_kinds
    assert policy.source == f"the folder {made}: budgets.yml; the rest from the shipped default"


@pytest.mark.slow
def test_the_hash_covers_every_file_and_nothing_else(tmp_path):
    made = tmp_path / "copy"
    shutil.copytree(shipped("policy"), made)
    assert load(made).hash == load().hash
    hashes = {load().hash}
    for name in NAMES:
        (made / name).write_text((made / name).read_text() + "\n# a remark\n")
        hashes.add(load(made).hash)
    assert len(hashes) == 1 + len(NAMES)


def test_the_policy_comes_from_the_remotes_default_branch_and_never_from_head(repo):
    repo.write("app.py", "x = 1\n")
    repo.write(".github/review-agent/budgets.yml", BUDGETS.replace("queries: 8 ", "queries: 5 "))
    protected = repo.commit("Protect")
    repo.git("update-ref", "refs/remotes/origin/main", protected)
    repo.git("switch", "-q", "-c", "feature")
    repo.write(".github/review-agent/budgets.yml", BUDGETS.replace("queries: 8 ", "queries: 99 "))
    repo.commit("Widen the budget from the change under review")
    repo.write(".github/review-agent/budgets.yml", "not: read")
    policy = load(git=Git(repo.root))
    assert policy.budgets.queries == 5
    assert policy.source.startswith(f".github/review-agent/ at origin/main ({protected[:12]}): budgets.yml")


def test_a_local_main_is_not_a_protected_ref(repo):
    repo.write(".github/review-agent/budgets.yml", BUDGETS.replace("queries: 8 ", "queries: 99 "))
    repo.commit("Main is what is under review")
    policy = load(git=Git(repo.root))
    assert policy.budgets.queries == 8
    assert "no remote has a default branch" in policy.source


def test_a_configured_ref_wins_and_must_resolve(repo):
    repo.write(".github/review-agent/policy.md", "Ours.\n")
    repo.commit("Policy")
    repo.git("branch", "protected")
    assert load(git=Git(repo.root), ref="protected").text == "Ours.\n"
    with pytest.raises(PolicyError, match="does not resolve") as told:
        load(git=Git(repo.root), ref="gone")
    assert "fetch" in told.value.hint


def test_a_protected_ref_without_a_folder_gives_the_default_and_says_so(repo):
    repo.write("app.py", "x = 1\n")
    repo.git("update-ref", "refs/remotes/origin/main", repo.commit("Code"))
    assert load(git=Git(repo.root)).source == "the shipped default: origin/main has no .github/review-agent/"


def test_a_symlink_in_the_protected_folder_is_refused(repo):
    (repo.root / ".github/review-agent").mkdir(parents=True)
    (repo.root / ".github/review-agent/budgets.yml").symlink_to("/etc/passwd")
    repo.git("update-ref", "refs/remotes/origin/main", repo.commit("Link"))
    with pytest.raises(PolicyError, match="not a regular file"):
        load(git=Git(repo.root))


@pytest.mark.parametrize("name", ["policy.md", "prompt-refute.md", "budgets.yml"])
@pytest.mark.parametrize("more", [1, 6_000_000])
def test_a_file_above_the_limit_is_refused_wherever_it_comes_from_and_never_cut(repo, tmp_path, name, more):
    made = repo.root / ".github/review-agent"
    made.mkdir(parents=True)
    (made / name).write_text("#" * (MAX_BYTES + more))
    policy, problems = check(read(made))
    assert policy is None
    assert [str(one) for one in problems] == [f"{name}: it is larger than a policy file may be (262144 bytes)"]
    repo.git("update-ref", "refs/remotes/origin/main", repo.commit("Large"))
    with pytest.raises(PolicyError, match=f"^{name}: .*it is larger than a policy file may be"):
        load(git=Git(repo.root))


def test_a_text_of_just_the_limit_is_taken_whole(tmp_path):
    assert load(folder(tmp_path, **{"policy.md": "x" * MAX_BYTES})).text == "x" * MAX_BYTES


def test_a_folder_that_is_none_or_holds_nothing_is_refused(tmp_path):
    with pytest.raises(PolicyError, match="no policy folder"):
        load(tmp_path / "gone")
    (tmp_path / "README.md").write_text("nothing here")
    with pytest.raises(PolicyError, match="holds no policy file"):
        load(tmp_path)


FAULTS = [
    (
        "budgets.yml",
        BUDGETS.replace("queries:", "querys:"),
        "budgets.yml:2: querys: unknown key (did you mean queries?)",
    ),
    (
        "budgets.yml",
        BUDGETS.replace("queries: 8 ", "queries: '8' "),
        "budgets.yml:2: queries: input should be a valid int",
    ),
    ("budgets.yml", BUDGETS.replace("queries: 8 ", "queries: 0 "), "budgets.yml:2: queries: input should be greater"),
    ("budgets.yml", BUDGETS + "queries: 9\n", "queries: the key stands twice, first at line 2"),
    ("budgets.yml", BUDGETS.replace("queries: 8 ", ""), "the key queries is missing"),
    ("budgets.yml", "- 1\n", "budgets.yml:1: input should be"),
    ("budgets.yml", "queries: [8\n", "budgets.yml:2: not YAML"),
    ("budgets.yml", BUDGETS + "---\n" + BUDGETS, "a second document"),
    ("budgets.yml", BUDGETS.replace("queries: 8 ", "queries: !!python/object:os.system 8 "), "the tag"),
    ("budgets.yml", BUDGETS.replace("queries: 8 ", "queries: &a 8 "), "anchors and aliases are refused"),
    ("budgets.yml", "? {a: 1}\n: 2\n", "a key that is itself"),
    ("budget.yml", BUDGETS, "budget.yml: no policy file has this name (did you mean budgets.yml?)"),
    (
        "change-kinds.yml",
        changed("change-kinds.yml", "severities: [blocking, important, suggestion]", "severities: [blockin]"),
        "kinds.api_contract.severities[0]: unknown value 'blockin' (did you mean blocking?)",
    ),
    (
        "change-kinds.yml",
        changed("change-kinds.yml", "  api_contract:\n", "  api_contrakt:\n"),
        "unknown value 'api_contrakt' (did you mean api_contract?)",
    ),
    ("change-kinds.yml", changed("change-kinds.yml", "renamed: [renam]", "renamed: []"), "no word states this effect"),
    (
        "change-kinds.yml",
        changed("change-kinds.yml", "severities: [important, suggestion]", "severities: []"),
        "no severity is allowed",
    ),
    (
        "change-kinds.yml",
        changed("change-kinds.yml", "risk: 70", "risk: 700"),
        "kinds.api_contract.risk: input should be less",
    ),
    ("skips.yml", "globs: {lock_fil: [a]}\ngeneratedMarks: []\n", "unknown value 'lock_fil' (did you mean lock_file?)"),
    ("skips.yml", "globs: {lock_file: ['[z-a]']}\ngeneratedMarks: []\n", "globs.lock_file[0]: not a gitignore pattern"),
    (
        "skips.yml",
        "globs: {lock_file: ['*a*b*c*d*']}\ngeneratedMarks: []\n",
        "globs.lock_file[0]: the pattern '*a*b*c*d*': it has more than 4 runs of stars (write fewer",
    ),
    ("sensitive-paths.yml", "- {glob: '*a*b*c*d*e', risk: 10, why: x}\n", "it has more than 4 runs of stars"),
    ("steering.yml", "files:\n- {glob: '*a*b*c*d*e', why: x}\ntexts: []\n", "it has more than 4 runs of stars"),
    ("skips.yml", "globs: {lock_file: ['[[:alfa:]]']}\ngeneratedMarks: []\n", "there is no class [:alfa:]"),
    ("skips.yml", "globs: {lock_file: ['!']}\ngeneratedMarks: []\n", "globs.lock_file[0]: not a gitignore pattern"),
    ("masking.yml", "- {id: a, pattern: '('}\n", "masking.yml:1: [0].pattern: not a regular expression"),
    ("masking.yml", "- {id: a, pattern: '(a+)+b'}\n", "a repetition inside a repetition"),
    ("masking.yml", "- {id: a, pattern: 'x*'}\n", "matches the empty text"),
    ("masking.yml", "- {id: a, pattern: 'x'}\n- {id: a, pattern: 'y'}\n", "masking.yml:2: [1].id: a stands twice"),
    ("reason-codes.yml", "- {code: a, layer: teem, about: b}\n", "unknown value 'teem' (did you mean team?)"),
    (
        "validation-catalog.yml",
        "- id: a\n  kind: test\n  kinds: [auth]\n  rules: [retry_unbound]\n  procedure: p\n  signal: s\n",
        "validation-catalog.yml:4: [0].rules[0]: unknown rule 'retry_unbound' (did you mean retry_unbounded?)",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: manual-check, kinds: [api_contract], rules: [retry_unbounded], procedure: p, signal: s}\n",
        "the rule retry_unbounded is of the kind error_handling",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: manual-check, kinds: [auth], procedure: '{subjekt}', signal: '{line:9}'}\n",
        "unknown slot {subjekt} (did you mean subject?)",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: manual-check, kinds: [auth], procedure: 'x', signal: '{line:99999999999}'}\n",
        "the slot line has a format",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: test, kinds: [auth], procedure: p, signal: s, argv: [./run, '{nope}']}\n",
        "validation-catalog.yml:1: [0].argv[0]: './run' is not the bare name of a program",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: test, kinds: [auth], procedure: p, signal: s, argv: [make, '{nope}']}\n",
        "unknown slot {nope}",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: test, kinds: [auth], procedure: p, signal: s, argv: [make]}\n",
        "validation-catalog.yml:1: [0].argv: whether make runs code of the reviewed change is not said",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: manual-check, kinds: [auth], procedure: p, signal: s, argv: [make]}\n",
        "a manual-check has no command",
    ),
    (
        "validation-catalog.yml",
        "- {id: a, kind: test, kinds: [auth], procedure: p, signal: s, argv: [make], failCodes: [0]}\n",
        "exit code 0 cannot mean pass and fail at once",
    ),
    (
        "jobs.yml",
        "allowRunningChangedCode: yes\nseconds: 1\noutputBytes: 1024\nlogCharacters: 200\n",
        "allowRunningChangedCode",
    ),
    ("jobs.yml", "seconds: 0\noutputBytes: 1024\nlogCharacters: 200\n", "seconds"),
    ("queue.yml", "auditPercent: 101\n", "auditPercent"),
    ("queue.yml", "suppressed: [{fingerprint: x}]\n", "fingerprint"),
    ("reason-codes.yml", "- {code: a, layer: team, about: b, expiresAfterDays: 0}\n", "expiresAfterDays"),
    ("validation-catalog.yml", "- {id: a, kind: test, kinds: [], procedure: p, signal: s}\n", "applies to nothing"),
]


@pytest.mark.parametrize(("name", "text", "said"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_named_with_file_line_key_and_suggestion(tmp_path, name, text, said):
    assert any(said in fault for fault in faults(tmp_path, name, text)), faults(tmp_path, name, text)


def test_what_was_read_once_is_never_answered_for_other_bytes(tmp_path):
    said = []
    for text in ("nonsense: 1\n", BUDGETS, "nonsense: 1\n"):
        policy, problems = check(read(folder(tmp_path, budgets_yml=text)))
        said.append((policy is None, [str(problem) for problem in problems]))
        problems.clear()
    assert said[0] == said[2] != said[1] == (False, [])
    assert "nonsense" in said[0][1][0]


def test_all_faults_are_listed_and_the_error_counts_them(tmp_path):
    text = BUDGETS.replace("queries: 8 ", "queries: x ").replace("filesRead: 4 ", "filesRead: -1 ")
    found = faults(tmp_path, "budgets.yml", text)
    assert [fault.split(":")[1] for fault in found] == ["2", "4"]
    with pytest.raises(PolicyError, match=r"budgets.yml:2: queries.* and 1 more") as told:
        load(tmp_path / "policy")
    assert "policy check" in told.value.hint


BOMBS = {
    "aliases": "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n",
    "depth": "[" * 100_000,
    "nested mappings": "{a: " * 50_000,
    "size": "a: b\n" * 200_000,
    "one long line": "x" * 250_000,
    "quotes": "'" * 250_000,
    "colons": ": " * 100_000,
    "keys": "".join(f"k{n}: 1\n" for n in range(6_000)),
    "huge number": "queries: " + "9" * 200_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_hostile_file_is_refused_in_bounded_time(tmp_path, bomb):
    started = time.process_time()
    assert faults(tmp_path, "budgets.yml", BOMBS[bomb])
    assert time.process_time() - started < 8


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(name=st.sampled_from(NAMES), raw=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_crash_the_loader(tmp_path, name, raw):
    made = tmp_path / "any"
    made.mkdir(exist_ok=True)
    for old in made.iterdir():
        old.unlink()
    (made / name).write_bytes(raw)
    policy, problems = check(read(made))
    assert (policy is None) == bool(problems)
    assert {problem.file for problem in problems} <= {name}


def test_the_rules_that_policy_knows_are_those_that_the_registered_kinds_raise():
    """The contract asks no rule that policy does not know: one left out here would pass unchecked."""
    books = {kind: one.rules for kind, one in KINDS.items()}
    assert {name: kind for kind, book in books.items() for name in book} == RULES
    assert sum(map(len, books.values())) == len(RULES)


def test_the_languages_that_policy_knows_are_those_that_files_are_read_as():
    assert (*PARSED, *CONFIG) == LANGUAGES


CATALOG = """\
- {id: a, kind: test, kinds: [auth], rules: [quantum_drift, lock_dropped], procedure: p, signal: s}
- {id: a, kind: test, kinds: [auth], rules: [tea_cold], procedure: "{nothing}", signal: s}
"""


def test_rules_of_another_version_are_one_problem_and_hide_no_other(tmp_path):
    found = faults(tmp_path, "validation-catalog.yml", CATALOG)
    (strange,) = [one for one in found if "does not have" in one]
    assert strange.startswith(
        f"validation-catalog.yml:1: [0].rules[0]: review-agent {__version__} does not have 2 rules that it names: "
        "quantum_drift, tea_cold (they are of another version: take them out"
    )
    assert "init validation-catalog.yml --force" in strange
    assert len(found) == 4
    for said in ("the rule lock_dropped is of the kind", "a stands twice", "unknown slot {nothing}"):
        assert any(said in one for one in found)


def test_an_item_that_has_not_its_shape_hides_no_problem_of_another(tmp_path):
    found = faults(tmp_path, "validation-catalog.yml", CATALOG + "- {id: b, kind: tset, kinds: [auth], new: 1}\n")
    for said in ("unknown value 'tset'", "new: unknown key", "does not have 2 rules", "unknown slot {nothing}"):
        assert any(said in one for one in found)


TRIGGER = """
triggers:
  - name: audit_call_removed
    kind: persistence
    ops: [call_removed]
    change: "`{subject}` went"
    precondition: "money moves"
    consequence: "no record"
    refutedIf: ["a caller records it"]
    plan: [{kind: callers, name: "{function}"}]
"""


def test_a_team_adds_its_own_trigger_without_code(tmp_path):
    text = (shipped("policy") / "change-kinds.yml").read_text() + TRIGGER
    made = folder(tmp_path, change__kinds_yml=text)
    (one,) = load(made).change_kinds.triggers
    assert (one.name, one.plan[0].name, one.plan[0].path) == ("audit_call_removed", "{function}", "{path}")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("call_removed]", "call_remove]", "did you mean"),
        ("{function}", "{fonction}", "unknown slot {fonction} (did you mean function?)"),
        ('change: "`{subject}` went"', 'subject: "(a+)+"\n    change: "x"', "a repetition inside a repetition"),
        ('["a caller records it"]', "[]", "the list is empty"),
        ("ops:", "languages: [pyhton]\n    ops:", "unknown language 'pyhton' (did you mean python?)"),
        ("ops:", 'facts: {defered: "true"}\n    ops:', "call_removed has no fact 'defered' (did you mean deferred?)"),
        ("ops:", 'facts: {zzz: "1"}\n    ops:', "one of arguments, awaited, callsAfter"),
        (
            "[call_removed]",
            '[call_removed, sql_changed]\n    facts: {deferred: "true"}',
            "sql_changed has no fact 'deferred'",
        ),
        ("ops:", 'paths: ["[a"]\n    ops:', "the pattern '[a' fits no path"),
        ("ops:", 'paths: ["*a*b*c*d*e"]\n    ops:', "paths[0]: the pattern '*a*b*c*d*e': it has more than 4 runs"),
        ("ops:", 'paths: [""]\n    ops:', "the pattern '' fits no path"),
    ],
)
def test_a_faulty_trigger_is_named_with_its_place(tmp_path, old, new, said):
    text = (shipped("policy") / "change-kinds.yml").read_text() + TRIGGER.replace(old, new)
    (problem,) = faults(tmp_path, "change-kinds.yml", text)
    assert said in problem
    assert "triggers[0]" in problem


@pytest.mark.parametrize("name", sorted(FILES))
def test_what_is_shipped_has_no_fault(name):
    """It is not looked for when it is loaded."""
    value, problems = check_file(name, (shipped("policy") / name).read_bytes())
    assert (problems, list(faults_of(value))) == ([], [])


def test_a_pipe_in_the_place_of_a_file_is_a_problem_and_is_not_waited_for(tmp_path):
    os.mkfifo(folder(tmp_path) / "engine.yml")
    (problem,) = read(tmp_path / "policy").problems
    assert (problem.file, "is no file" in problem.message) == ("engine.yml", True)


def test_a_broken_policy_is_answered_with_the_command_that_lists_its_problems(tmp_path, repo):
    (tmp_path / "our policy").mkdir()
    (tmp_path / "our policy/budgets.yml").write_text("bogus: 1\n")
    with pytest.raises(PolicyError) as told:
        load(tmp_path / "our policy")
    assert told.value.hint == f"`review-agent policy check '{tmp_path}/our policy'` lists every problem"
    repo.write(".github/review-agent/budgets.yml", "bogus: 1\n")
    repo.commit("policy")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    rest = "; a commit on {} mends it, and where a command takes `--policy DIR` it goes on with that folder meanwhile"
    with pytest.raises(PolicyError) as told:
        load(git=Git(repo.root))
    assert told.value.hint == "`review-agent policy check` lists every problem" + rest.format("origin/main")
    with pytest.raises(PolicyError) as told:
        load(git=Git(repo.root), ref="main")
    assert told.value.hint == "`review-agent policy check --ref main` lists every problem" + rest.format("main")
