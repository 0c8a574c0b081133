"""What a calibration says in text and HTML: proposals, kinds that nothing is known of, cards beside a fault."""

import pytest

from review_agent.rates import rate
from review_agent.replay.calibrate import Calibration, CleanCase, KindCalibration, MinedCase
from review_agent.replay.calibrate_html import calibration_html
from review_agent.replay.calibrate_text import calibration_text
from review_agent.replay.history_fixes import Clean, Fix
from review_agent.replay.product import Identity
from review_agent.replay.records import Place
from review_agent.vocabulary import Side

PLACE = Place(path="shop/cart.py", side=Side.NEW, start=3, end=4)
FIX = Fix(
    commit="a" * 40,
    parent="b" * 40,
    subject="Fix <carts>",
    score=7,
    signs=("small",),
    tests=("tests/test_cart.py",),
    introduced_by="c" * 40,
    introduced_subject="Carts",
    share=1.0,
    places=(PLACE,),
    fixed=(PLACE,),
)


def _kind(name, found, alarmed, proposal, why):
    return KindCalibration(kind=name, enabled=True, found=found, here=0, alarmed=alarmed, proposal=proposal, why=why)


@pytest.fixture
def made():
    clean = Clean(commit="d" * 40, subject="Calm", size=3)
    identity = Identity.model_construct(engine="rules", policy_hash="e" * 64, policy_source="shipped", product="1")
    return Calibration.model_construct(
        identity=identity,
        repository="shop",
        until="f" * 40,
        scanned=50,
        weighed=5,
        mined=1,
        found=rate(0, 1),
        silent=rate(0, 2),
        failed=0,
        cards_per_hundred=100.0,
        missed_by={"synthesis": 1},
        more=True,
        kinds=(
            _kind("input", rate(0, 1), rate(0, 2), "keep", "one case"),
            _kind("auth", rate(0, 0), rate(2, 2), "disable", "2 of 2 clean commits alarmed"),
        ),
        cases=(
            MinedCase(
                fix=FIX, verdict="missed", cards=(), beside=1, layer="synthesis", why="guard_removed ended refuted"
            ),
        ),
        clean=(CleanCase(clean=clean, verdict="alarmed", cards=("guard_removed: gone",)),),
    )


def test_text_tells_what_to_write_where_and_what_is_not_known(made):
    text = calibration_text(made)
    assert "  auth:\n    enabled: false   # 2 of 2 clean commits alarmed" in text
    assert "what they find here is not known: auth" in text
    assert "proves little either way: input" in text
    assert "1 card elsewhere in the commit" in text
    assert "missed by synthesis: guard_removed ended refuted" in text
    assert "--limit 150" in text


def test_the_page_tells_the_same_and_escapes_subjects(made):
    page = calibration_html(made)
    for told in ("auth:\n  enabled: false", "1 card elsewhere in the commit", "Fix &lt;carts&gt;", "shop/<wbr>cart.py"):
        assert told in page
    assert "Fix <carts>" not in page


def test_without_a_fault_none_is_said_to_be_met(made):
    bare = made.model_copy(update={"found": rate(0, 0), "cases": (), "kinds": made.kinds[:1], "missed_by": {}})
    assert "leave the kinds as they are: no fault was mined, 2 of 2 clean commits alarmed" in calibration_text(bare)
