"""A parameter that is nothing by default, used before anything tests it."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.ERROR_HANDLING)
silent = partial(silence_of, kind=ChangeKind.ERROR_HANDLING)
RULE = "optional_parameter_used"

PYTHON = {
    "tours/__init__.py": "",
    "tours/plan.py": '''"""Tours."""


def plan(stops, guide=None):
    """A tour with a guide, or without one."""
    length = len(stops)
    days = 1 + length // 4
    pace = length / days
    start = stops[0]
    end = stops[-1]
    if guide is None:
        return [start, end, days, pace]
    return [start, end, days, pace, guide.name]
''',
    "tours/web.py": '''"""Pages."""

from tours.plan import plan


def show(stops):
    return plan(stops)
''',
}
USED = ("tours/plan.py", "    length = len(stops)\n", "    length = len(stops) + guide.visits\n")
SCRIPT = {
    "plan.js": """export function plan(stops, guide = null) {
  const length = stops.length;
  const days = 1 + length / 4;
  const pace = length / days;
  const start = stops[0];
  const end = stops[length - 1];
  if (guide === null) {
    return [start, end, days, pace];
  }
  return [start, end, days, pace, guide.name];
}
""",
    "web.js": """import { plan } from "./plan.js";

export function show(stops) {
  return plan(stops);
}
""",
}


def test_a_caller_that_leaves_it_out(repo):
    card = one_card(repo, PYTHON, RULE, USED)
    assert "`tours/web.py` line 7" in card.claim
    assert "line 11" in card.claim
    assert not card.uncertainty


def test_a_caller_in_javascript(repo):
    edit = ("plan.js", "const length = stops.length;", "const length = stops.length + guide.visits;")
    assert "`web.js` line 4" in one_card(repo, SCRIPT, RULE, edit).claim


def test_the_own_test_behind_it_where_no_caller_is_seen(repo):
    lines = "Stops come first.\n\n    The guide is looked up by the caller.\n\n    No guide: a short tour."
    doc = f'"""A tour.\n\n    {lines}\n    """'
    text = PYTHON["tours/plan.py"].replace('"""A tour with a guide, or without one."""', doc)
    card = one_card(repo, {"tours/__init__.py": "", "tours/plan.py": text}, RULE, USED)
    assert card.uncertainty


@pytest.mark.parametrize(
    "line",
    [
        "    length = len(stops) + (guide.visits if guide else 0)\n",
        "    length = len(stops)\n    if guide:\n        length += guide.visits\n",
        "    length = len(stops)\n    guide = guide or stops[0].guide\n    length += guide.visits\n",
        "    try:\n        length = guide.visits\n    except AttributeError:\n        length = len(stops)\n",
    ],
    ids=["ternary", "test", "filled in", "caught"],
)
def test_guarded_uses(repo, line):
    assert silent(repo, PYTHON, RULE, ("tours/plan.py", "    length = len(stops)\n", line)) == []


def test_every_caller_gives_it(repo):
    web = PYTHON["tours/web.py"].replace("plan(stops)", "plan(stops, stops[0].guide)")
    assert silent(repo, {**PYTHON, "tours/web.py": web}, RULE, USED) == ["refuted"]


def test_a_use_that_stood_there_before(repo):
    text = PYTHON["tours/plan.py"].replace("len(stops)\n", "len(stops) + guide.age\n")
    used = ("tours/plan.py", "guide.age\n", "guide.age + guide.visits\n")
    assert silent(repo, {**PYTHON, "tours/plan.py": text}, RULE, used) == []
