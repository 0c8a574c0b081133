"""Which run a review goes on with, and whose answers stand: never those of a record that is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Repo
from test_endings import Scripted, asks, draft, drafts, none, question
from test_endings import run as run_once
from test_endings import site as site

from review_agent.engines.recorded import Recorded
from review_agent.pipeline import Reviewed
from review_agent.publish.data import outcomes_text
from review_agent.vocabulary import EngineRole, Request, RunStatus, SynthesizePayload, UnansweredCause

pytestmark = pytest.mark.slow

TWO = asks(question(), question(changeKind="input"))
DOWN = {"failure": UnansweredCause.ENDPOINT_DOWN, "detail": "reset"}


def run(site: Repo, engine: Any, state: Path | None = None) -> Reviewed:
    """A review in which both questions are asked."""
    return run_once(site, engine, state, questions_per_run=2)


class Model(Scripted):
    identity = "openai:m/abc"


def half(request: Request) -> dict[str, Any]:
    """An answer to one of the two questions."""
    assert isinstance(request.payload, SynthesizePayload)
    return DOWN if request.payload.question.rule == "compiled:input" else none()


def asked(engine: Scripted) -> list[str]:
    payloads = [one.payload for one in engine.of(EngineRole.SYNTHESIZE)]
    return [one.question.rule for one in payloads if isinstance(one, SynthesizePayload)]


def cut(done: Reviewed, before: str) -> Path:
    """The run log as a kill leaves it, before its first event of a type."""
    lines = done.path.read_bytes().splitlines(keepends=True)
    end = next(n for n, line in enumerate(lines) if f'"type":"{before}"'.encode() in line)
    done.path.write_bytes(b"".join(lines[:end]))
    return done.path


def whole(site: Repo, state: Path | None = None) -> Reviewed:
    return run(site, Model(compile=TWO, synthesize=drafts(draft())), state)


@pytest.mark.parametrize("killed", [False, True], ids=["ended incomplete", "killed"])
def test_a_record_is_played_whatever_the_state_folder_has(site: Repo, tmp_path: Path, killed: bool) -> None:
    record = whole(site, tmp_path / "ci")
    other = run(site, Model(compile=TWO, synthesize=half))
    assert other.document.run.status is RunStatus.INCOMPLETE
    before = cut(other, "run_ended") if killed else other.path
    content = before.read_bytes()
    for _ in range(2):
        played = run(site, Recorded([record.path]))
        assert outcomes_text(played.document) == outcomes_text(record.document)
        assert played.notices == ()
    assert before.read_bytes() == content


@pytest.mark.parametrize("killed", [False, True], ids=["ended incomplete", "killed"])
def test_what_was_played_is_no_part_of_what_a_model_goes_on_with(site: Repo, tmp_path: Path, killed: bool) -> None:
    own = run(site, Model(compile=TWO, synthesize=half))
    assert own.document.run.status is RunStatus.INCOMPLETE
    other = run(site, Model(compile=asks()), tmp_path / "ci")
    played = run(site, Recorded([cut(other, "answer")]))
    assert played.document.run.status is RunStatus.INCOMPLETE, "the record has no answer at all"
    if killed:
        cut(played, "bundle")
    engine = Model()
    done = run(site, engine)
    assert done.document.run.status is RunStatus.COMPLETE
    assert (engine.of(EngineRole.COMPILE), asked(engine)) == ([], ["compiled:input"])


def test_a_run_that_was_killed_before_it_had_all_standing_answers_loses_none(site: Repo) -> None:
    run(site, Model(compile=TWO, synthesize=half))
    going_on = run(site, Model(compile=TWO, synthesize=half))
    lines = cut(going_on, "attempt_started").read_bytes().splitlines(keepends=True)
    going_on.path.write_bytes(b"".join(lines[:2]))
    engine = Model()
    done = run(site, engine)
    assert done.document.run.status is RunStatus.COMPLETE
    assert (engine.of(EngineRole.COMPILE), asked(engine)) == ([], ["compiled:input"])
