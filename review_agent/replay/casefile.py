"""case.yml: what is wrong in a case's defect, what proves it, and why its twin is harmless."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from review_agent.errors import UsageError
from review_agent.replay.records import Place
from review_agent.vocabulary import ChangeKind, Record

__all__ = ["FILE", "CaseFile", "Defect", "Proof", "Twin", "read"]

FILE = "case.yml"
_HINT = "docs/replay.md tells what a case folder holds"


def _inside(path: str) -> str:
    """A path of a tree never leaves it."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise ValueError("a path of the tree is relative and without ..")
    return path


TreePath = Annotated[str, AfterValidator(_inside)]


class Proof(Place):
    """Lines outside the change that prove the defect, and what they show."""

    shows: str


class Defect(Record):
    removed: tuple[TreePath, ...] = ()
    lines: tuple[Place, ...] = Field(min_length=1)
    claim: str
    proof: tuple[Proof, ...] = ()
    refuted_by: str
    accepted_kinds: tuple[ChangeKind, ...] = ()


class Twin(Record):
    removed: tuple[TreePath, ...] = ()
    harmless: str


class CaseFile(Record):
    """``twin`` may be left out where a case has none."""

    schema_version: Literal["1.0"]
    kind: ChangeKind
    language: str
    evidence: Literal["same_file", "elsewhere"]
    project: str | None = None
    defect: Defect
    twin: Twin | None = None


def read(path: Path) -> CaseFile:
    """The case of a ``case.yml``. Raises UsageError that names the file and the first key at fault."""
    try:
        data = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        return CaseFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(f"{where}: {first['msg']}", where=str(path), hint=_HINT) from error
    except YAMLError as error:
        said = " ".join(str(error).split())[:200]
        raise UsageError(f"it is not YAML: {said}", where=str(path), hint=_HINT) from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"it cannot be read: {error}", where=str(path), hint=_HINT) from error
