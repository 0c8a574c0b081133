"""The seeded cases: complete, and as they were when they were frozen, before a detector of their kind was read."""

import hashlib
import json

import pytest

from review_agent.resources import shipped
from review_agent.vocabulary import ChangeKind

ROOT = shipped("fixtures") / "seeded-regressions"
FAMILIES = ("python", "javascript", "go", "java")
PLACES = ("same_file", "elsewhere")


def contents(folder):
    """One digest of all files below a folder: their paths and bytes."""
    whole = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        whole.update(path.relative_to(folder).as_posix().encode() + b"\0")
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def digests():
    cases = {f"{one.parent.name}/{one.name}": contents(one) for one in sorted(ROOT.glob("cases/*/*"))}
    return {"cases": cases, "projects": {one.name: contents(one) for one in sorted(ROOT.glob("projects/*"))}}


def test_every_kind_has_a_case_in_every_family_in_the_same_file_and_elsewhere():
    kinds = [kind.value for kind in ChangeKind if kind is not ChangeKind.OTHER]
    wanted = {f"{family}/{kind}-{place}" for family in FAMILIES for kind in kinds for place in PLACES}
    assert {f"{one.parent.name}/{one.name}" for one in ROOT.glob("cases/*/*")} == wanted


@pytest.mark.parametrize("part", ["cases", "projects"])
def test_they_are_as_they_were_frozen(part):
    frozen = json.loads((ROOT / "frozen.json").read_text())
    assert digests()[part] == frozen[part]
