"""A model cites what it was shown, and nothing else: evidence of its request and lines of its part of the change."""

from __future__ import annotations

import re

import pytest
from conftest import Repo
from test_endings import BEFORE, TENANTS, Scripted, asks, defeats, draft, drafts, none, question, run

from review_agent.citable import citable
from review_agent.engines.showing import shown_evidence
from review_agent.pipeline import Reviewed
from review_agent.vocabulary import EngineRole, NoFinding, Rejection, SynthesizePayload

pytestmark = pytest.mark.slow

CALL = "def get{0}(request, body):\n    return quote(request.tenant, body.sku, body.qty + {0})\n\n\n"


@pytest.fixture
def site(repo: Repo) -> Repo:
    """A call in more places than a request shows; another changed file, and one that a rule sets aside."""
    repo.write("src/shop/pricing.py", BEFORE)
    repo.write("src/shop/tenants.py", TENANTS)
    repo.write("src/shop/api.py", "from shop.pricing import quote\n\n\n" + "".join(map(CALL.format, range(30))))
    repo.write("notes.txt", "one\n")
    repo.write("package-lock.json", "{}\n")
    repo.commit("start")
    repo.write("src/shop/pricing.py", BEFORE.replace("total = unit * qty\n", "total = unit * qty + 1\n"))
    repo.write("notes.txt", "one\nunit * qty is right\n")
    repo.write("package-lock.json", "{}\nunit * qty is right\n")
    repo.commit("bill one more")
    return repo


def numbers(site: Repo) -> tuple[int, int]:
    """A piece of evidence that is shown, and one that is not."""
    engine = Scripted(compile=asks(question()))
    run(site, engine, site.root / "first")
    (evidence,) = [
        one.payload.bundle.evidence
        for one in engine.of(EngineRole.SYNTHESIZE)
        if isinstance(one.payload, SynthesizePayload) and one.payload.question.rule.startswith("compiled:")
    ]
    shown = citable(evidence)
    told = {int(number) for number in re.findall(r"^E(\d+) ", shown_evidence(evidence), re.MULTILINE)}
    assert told == shown
    calls = {n for n, one in enumerate(evidence, 1) if "return quote" in one.text and one.origin == "hit"}
    return min(calls & shown), min(calls - shown)


def ended(done: Reviewed) -> NoFinding:
    (found,) = [one for one in done.document.outcomes.no_findings if one.rule == "compiled:other"]
    return found


def test_evidence_that_was_not_shown_refutes_no_question(site: Repo) -> None:
    seen, hidden = numbers(site)
    for number, code in ((seen, "refuted"), (hidden, "insufficient_evidence")):
        engine = Scripted(compile=asks(question()), synthesize=lambda request, n=number: none("refuted", f"E{n}"))
        found = ended(run(site, engine, site.root / code))
        assert (found.code, len(found.refs)) == (code, code == "refuted")


def test_evidence_that_was_not_shown_defeats_no_draft(site: Repo) -> None:
    seen, hidden = numbers(site)
    made = draft(supporting=[f"E{seen}"], claim=draft()["claim"].replace("src/shop/api.py:5", "src/shop/api.py"))
    for number, cards in ((seen, 0), (hidden, 1)):
        refuter = lambda request, n=number: defeats(f"E{n}", "return quote(request.tenant")  # noqa: E731
        engine = Scripted(compile=asks(question()), synthesize=drafts(made), refute=refuter)
        assert len(run(site, engine, site.root / str(cards)).document.outcomes.cards) == cards


def test_evidence_that_was_not_shown_supports_nothing(site: Repo) -> None:
    _, hidden = numbers(site)
    engine = Scripted(compile=asks(question()), synthesize=drafts(draft(supporting=[f"E{hidden}"])))
    (rejected,) = run(site, engine, site.root / "second").document.outcomes.rejections
    assert isinstance(rejected, Rejection)
    assert "ref_not_read" in {one.code for one in rejected.reasons}


@pytest.mark.parametrize(
    ("cited", "group_bytes", "code"),
    [
        ("D:new:notes.txt:2", 48_000, "refuted"),
        ("D:new:notes.txt:2", 200, "insufficient_evidence"),
        ("D:new:src/shop/pricing.py:17", 200, "refuted"),
        ("D:new:package-lock.json:2", 48_000, "insufficient_evidence"),
        ("D:new:src/shop/pricing.py:2", 48_000, "insufficient_evidence"),
        ("D:old:src/shop/pricing.py:17", 48_000, "refuted"),
    ],
)
def test_lines_of_the_requests_own_part_of_the_change_refute(
    site: Repo, cited: str, group_bytes: int, code: str
) -> None:
    engine = Scripted(compile=asks(question()), synthesize=lambda request: none("refuted", cited))
    assert ended(run(site, engine, group_bytes=group_bytes)).code == code
