"""A block whose own test the changed test around it rules out."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.INCOMPLETE_CHANGE)
silent = partial(silence_of, kind=ChangeKind.INCOMPLETE_CHANGE)
RULE = "block_contradicted"

PYTHON = {
    "mail/__init__.py": "",
    "mail/send.py": """def deliver(letter, urgent, settings):
    receipt = None
    if not urgent or not settings.quiet:
        stamp = letter.stamp()
        if stamp is not None:
            receipt = stamp.number
            letter.mark(receipt)
            letter.keep()
            if urgent:
                letter.headers["receipt"] = receipt
    return receipt
""",
}
NARROWED = ("mail/send.py", "not urgent or not settings.quiet", "not urgent and not settings.quiet")
GO = {
    "go.mod": "module example.com/mail\n\ngo 1.22\n",
    "send.go": """package mail

func deliver(l *Letter, urgent bool, quiet bool) string {
	receipt := ""
	if !urgent || !quiet {
		stamp := l.Stamp()
		if stamp != "" {
			receipt = stamp
			l.Mark(receipt)
			l.Keep()
			if urgent {
				l.Headers["receipt"] = receipt
			}
		}
	}
	return receipt
}
""",
}
SCRIPT = {
    "send.js": """function deliver(letter, urgent, quiet) {
  let receipt = null;
  if (!urgent || !quiet) {
    const stamp = letter.stamp();
    if (stamp) {
      receipt = stamp.number;
      letter.mark(receipt);
      letter.keep();
      if (urgent) {
        letter.headers.receipt = receipt;
      }
    }
  }
  return receipt;
}
module.exports = { deliver };
""",
}


def test_a_block_for_the_case_that_is_now_shut_out(repo):
    card = one_card(repo, PYTHON, RULE, NARROWED)
    assert "`mail/send.py` line 9" in card.claim
    assert "`urgent`" in card.claim


@pytest.mark.parametrize(
    ("before", "edit"),
    [
        (GO, ("send.go", "!urgent || !quiet", "!urgent && !quiet")),
        (SCRIPT, ("send.js", "!urgent || !quiet", "!urgent && !quiet")),
    ],
    ids=["go", "javascript"],
)
def test_other_languages(repo, before, edit):
    assert "line" in one_card(repo, before, RULE, edit).claim


@pytest.mark.parametrize(
    "edit",
    [
        ("mail/send.py", "not urgent or not settings.quiet", "urgent and not settings.quiet"),
        ("mail/send.py", "not urgent or not settings.quiet", "not urgent or not settings.silent"),
    ],
    ids=["the case is let in", "another setting"],
)
def test_look_alikes(repo, edit):
    assert silent(repo, PYTHON, RULE, edit) == []


def test_a_name_that_is_set_between_the_two_tests(repo):
    text = PYTHON["mail/send.py"].replace("letter.keep()", "urgent = letter.keep()")
    assert silent(repo, {**PYTHON, "mail/send.py": text}, RULE, NARROWED) == []


def test_a_block_next_to_the_change(repo):
    text = (
        PYTHON["mail/send.py"]
        .replace(
            "        stamp = letter.stamp()\n",
            '        if urgent:\n            letter.headers["now"] = 1\n        stamp = letter.stamp()\n',
        )
        .replace('            if urgent:\n                letter.headers["receipt"] = receipt\n', "")
    )
    assert silent(repo, {**PYTHON, "mail/send.py": text}, RULE, NARROWED) == ["insufficient_evidence"]
