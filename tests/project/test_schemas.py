"""The committed schemas are those of the records, and real records fit them."""

import json

import jsonschema
import pytest
from judging import judged, true_draft
from made_runs import calls
from ruamel.yaml import YAML
from truecards import world

from review_agent import cli
from review_agent.commands.schema import names, schema, write
from review_agent.errors import UsageError
from review_agent.resources import shipped
from review_agent.stages.verification import attach, plan

SCHEMAS = shipped("schemas")


def validator(name):
    made = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


def test_the_folder_holds_exactly_what_the_records_give(tmp_path):
    write(tmp_path)
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text() for path in SCHEMAS.iterdir()}
    assert made == kept, "run `review-agent schema --write schemas`"


@pytest.mark.parametrize("name", names())
def test_every_schema_is_valid_and_closed(name):
    made = validator(name).schema
    assert made["$id"] == f"{name}.schema.json"
    records = [one for one in (made, *made.get("$defs", {}).values()) if one.get("type") == "object"]
    assert records or made["type"] == "array"
    assert all(one["additionalProperties"] is False for one in records if "properties" in one)


def test_real_records_fit_their_schemas():
    question, bundle, draft = world().cases["unbounded_retry"]
    (card,) = judged(draft, name="unbounded_retry")
    whole = attach(card, plan(card, question, world().policy), world().policy)
    rejection = judged({**true_draft(), "severity": "fatal"})[0]
    for name, record in (
        ("question", question.wire()),
        ("bundle", bundle.wire()),
        ("draft", draft),
        ("review-evidence-card", whole.wire()),
        ("rejection", rejection.wire()),
        ("snapshot", world().snapshot.wire()),
    ):
        validator(name).validate(record)


def test_a_call_as_the_run_log_and_the_ledger_hold_it_fits_its_schema():
    made = [one.model_copy(update={"raw_usage": {"prompt_tokens": 9, "of": {"any": "sort"}}}).wire() for one in calls()]
    for one in made:
        validator("call").validate(one)
    with pytest.raises(jsonschema.ValidationError):
        validator("call").validate({**made[0], "error": "unheard_of"})


@pytest.mark.parametrize("change", [{"severity": "fatal"}, {"claim": None}, {"extra": 1}])
def test_a_draft_of_wrong_form_does_not_fit(change):
    with pytest.raises(jsonschema.ValidationError):
        validator("draft").validate({**true_draft(), **change})


@pytest.mark.parametrize("path", sorted(shipped("policy").glob("*.yml")), ids=lambda path: path.name)
def test_the_shipped_policy_fits_the_schemas_that_editors_use(path):
    validator(f"policy-{path.stem}").validate(YAML(typ="safe").load(path.read_text()))


def test_the_command_lists_prints_and_writes(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(cli, "COMMANDS", ("schema", "doctor"))
    with pytest.raises(SystemExit):
        cli.main(["schema"])
    assert tuple(capsys.readouterr().out.split()) == names()
    with pytest.raises(SystemExit):
        cli.main(["schema", "draft"])
    assert capsys.readouterr().out == schema("draft")
    with pytest.raises(SystemExit):
        cli.main(["schema", "--write", str(tmp_path / "made")])
    assert len(list((tmp_path / "made").iterdir())) == len(names())


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("reveiw-document", "did you mean review-document?"),
        ("card", "did you mean review-evidence-card?"),
        ("nothing-like-it-at-all", "`review-agent schema` lists the names"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name, hint):
    with pytest.raises(UsageError) as told:
        schema(name)
    assert told.value.hint == hint
