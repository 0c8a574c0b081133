"""What the change itself shows to have gone over: rows that a migration turns, members that a class renames."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "replacement_left_behind"
one_card = partial(card_of, kind=ChangeKind.INCOMPLETE_CHANGE)
silent = partial(silence_of, kind=ChangeKind.INCOMPLETE_CHANGE)
PAD = "\n".join(f"# {n}" for n in range(8))
PADDED = "\n".join(f"// {n}" for n in range(8))

TICKETS = {
    "desk/tickets.py": 'OPEN = "open"\nSOLVED = "solved"\n\n\ndef solve(row):\n    row.state = SOLVED\n',
    "desk/report.py": '_COUNT = """\nSELECT count(*) FROM tickets\nWHERE state = \'solved\' AND age < ?\n"""\n',
    "migrations/002.sql": "-- nothing yet\n",
}
SOLVED = ("desk/tickets.py", '"solved"', '"closed"')
MIGRATION = ("migrations/002.sql", "-- nothing yet", "UPDATE tickets SET state = 'closed' WHERE state = 'solved';")
OTHER_COLUMN = ("migrations/002.sql", "-- nothing yet", "UPDATE tickets SET mood = 'closed' WHERE mood = 'solved';")


class TestRows:
    def test_a_query_for_a_value_of_which_a_migration_leaves_no_row(self, repo):
        card = one_card(repo, TICKETS, RULE, SOLVED, MIGRATION)
        assert "`desk/report.py` line 3" in card.claim
        assert "`migrations/002.sql` line 1 turns into" in card.claim

    @pytest.mark.parametrize(
        "edits",
        [
            (SOLVED,),
            (SOLVED, OTHER_COLUMN),
            (SOLVED, MIGRATION, ("desk/report.py", "'solved'", "'closed'")),
        ],
        ids=["no migration", "another column", "the query as well"],
    )
    def test_look_alikes(self, repo, edits):
        assert set(silent(repo, TICKETS, RULE, *edits)) <= {"insufficient_evidence", "no_candidate"}


LAMP = {
    "home/lamp.py": f"""class Lamp:
    def __init__(self):
        self.dimmed_to = None

    def shine(self):
        return self.dimmed_to or 100


{PAD}
def reset(lamp):
    lamp.dimmed_to = None
""",
}
RENAMED = (
    ("home/lamp.py", "self.dimmed_to = None", "self.level = None"),
    ("home/lamp.py", "self.dimmed_to or", "self.level or"),
)
SHADE = {"home/shade.py": "class Shade:\n    dimmed_to: int = 0\n"}
KNOB = {
    "home/knob.js": f"""export class Knob {{
  turnedBy = 0;
  angle() {{
    return this.turnedBy * 3;
  }}
}}
{PADDED}
export function read(knob) {{
  return knob.turnedBy > 3;
}}
""",
}
TURNED = (("home/knob.js", "  turnedBy = 0", "  steps = 0"), ("home/knob.js", "this.turnedBy", "this.steps"))


class TestMember:
    @pytest.mark.parametrize(
        ("before", "edits", "said"),
        [
            (LAMP, RENAMED, "still sets `dimmed_to`, which nothing reads any more"),
            (KNOB, TURNED, "still reads `turnedBy`"),
        ],
        ids=["python", "javascript"],
    )
    def test_a_member_that_its_class_declares_no_more(self, repo, before, edits, said):
        assert said in one_card(repo, before, RULE, *edits).claim

    @pytest.mark.parametrize(
        ("before", "edits"),
        [
            (LAMP | SHADE, RENAMED),
            (LAMP, (*RENAMED, ("home/lamp.py", "lamp.dimmed_to", "lamp.level"))),
        ],
        ids=["another class has it", "all changed"],
    )
    def test_look_alikes(self, repo, before, edits):
        assert set(silent(repo, before, RULE, *edits)) <= {"insufficient_evidence", "no_candidate"}
