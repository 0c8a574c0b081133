"""The worker is a real child process; it is really killed here."""

import os
import subprocess
import sys
import time

import pytest

from review_agent.syntax import outline as verbs
from review_agent.syntax.parser import Parser, command

TEXT = "import os\n\ndef f(x=1):\n    if x is None:\n        return os.getenv('A')\n    return g(x, *y, k=2)\n"
# Recovering from this many errors takes a grammar far longer than any test waits.
SLOW = "x = " + "(" * 400_000


@pytest.fixture(scope="module")
def parser():
    with Parser() as parser:
        yield parser


@pytest.mark.parametrize(
    ("text", "language"), [(TEXT, "python"), ("package p\nfunc f() (int, error) { return 1, nil }\n", "go")]
)
def test_answers_equal_those_made_here(parser, text, language):
    assert parser.outline(text, language) == verbs.outline(text, language)
    assert parser.tokens(text, language) == verbs.tokens(text, language)
    assert parser.uses(text, language, ["x", "f"]) == verbs.uses(text, language, ["x", "f"])
    assert parser.why(text, language) == ""


def test_any_text_survives_the_pipe(parser):
    for text in ("", "\0", "x = '\ud800€😀\u2028'\r\n", "x = 1\n" * 2_000):
        assert parser.outline(text, "python") == verbs.outline(text, "python")


def test_what_is_not_parsed(parser):
    assert parser.outline("x", "cobol") is None
    assert parser.why("x", "cobol") == "no grammar for cobol"
    with Parser(max_bytes=10) as small:
        assert small.tokens("x = 'ééé'", "python") is None
        assert small.why("x = 'ééé'", "python") == "larger than 10 bytes"
        assert small.outline("x = 'ee'", "python") is not None


def test_many_one_after_the_other(parser):
    texts = [("a()", "python"), ("x", "cobol"), ("a()", "python"), ("package q", "go")]
    found = [parser.outline(text, language) for text, language in texts]
    assert [o and (o.language, len(o.calls)) for o in found] == [("python", 1), None, ("python", 1), ("go", 0)]


def test_a_text_too_deep_fails_alone(parser):
    deep = "f(" * 5_000 + ")" * 5_000
    assert parser.outline(deep, "python") is None
    assert "levels" in parser.why(deep, "python")
    assert not parser.gave_up(deep, "python")
    assert parser.outline("after()", "python").calls[0].callee == "after"


def test_a_hang_fails_that_text_and_no_other():
    with Parser(timeout=0.3) as parser:
        parser.outline("warm()", "python")
        start = time.monotonic()
        assert parser.outline(SLOW, "python") is None
        assert time.monotonic() - start < 3
        assert parser.why(SLOW, "python") == "not parsed within 0.3 seconds"
        assert parser.tokens(SLOW, "python") is None
        assert parser.gave_up(SLOW, "python")
        assert not parser.gave_up("not sent", "python")
    with Parser() as parser:
        parser.close()
        assert parser.outline("after()", "python").calls[0].callee == "after"


def test_a_killed_worker_is_replaced():
    with Parser() as parser:
        parser.outline("a()", "python")
        first = parser.pid
        os.kill(first, 9)
        assert parser.outline("b()", "python").calls[0].callee == "b"
        assert parser.pid != first
        assert parser.outline("a()", "python").calls[0].callee == "a"


def test_no_worker_is_left_behind():
    with Parser() as parser:
        parser.outline("a()", "python")
        pid = parser.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert parser.pid is None


def test_the_worker_takes_nothing_from_the_working_directory(tmp_path):
    for name in ("json.py", "tree_sitter.py", "review_agent.py", "sitecustomize.py"):
        (tmp_path / name).write_text("raise SystemExit('imported from the reviewed repository')\n")
    done = subprocess.run(command(), input=b"", cwd=tmp_path, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_worker_starts_light():
    heavy = ("pydantic", "duckdb", "typer", "rich", "review_agent.vocabulary", "asyncio")
    places, start = command()[-1].split("from review_agent", 1)[0], "import review_agent.syntax.worker"
    check = f"{places} {start}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-c", check], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
