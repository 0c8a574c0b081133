"""A Go error that is printed where it was wrapped, and who looks for it."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "raise_type_changed_uncaught"
one_card = partial(card_of, kind=ChangeKind.ERROR_HANDLING)
silent = partial(silence_of, kind=ChangeKind.ERROR_HANDLING)

LOCKER = {
    "go.mod": "module example.com/locker\n\ngo 1.22\n",
    "locker/locker.go": """package locker

import (
	"errors"
	"fmt"
)

var ErrTaken = errors.New("taken")

func Take(free map[int]bool, n int) error {
	if !free[n] {
		return fmt.Errorf("locker %d: %w", n, ErrTaken)
	}
	free[n] = false
	return nil
}
""",
    "desk/desk.go": """package desk

import (
	"errors"

	"example.com/locker/locker"
)

func Give(free map[int]bool, n int) string {
	if err := locker.Take(free, n); errors.Is(err, locker.ErrTaken) {
		return "ask for another"
	}
	return "here you are"
}
""",
}
HELPED = (
    ("locker/locker.go", 'fmt.Errorf("locker %d: %w", n, ErrTaken)', "refused(n, ErrTaken)"),
    (
        "locker/locker.go",
        "	free[n] = false\n	return nil\n}\n",
        "	free[n] = false\n	return nil\n}\n\nfunc refused(n int, why any) error {\n"
        '	return fmt.Errorf("locker %d: %v", n, why)\n}\n',
    ),
)
PRINTED = ("locker/locker.go", "locker %d: %w", "locker %d: %v")


def test_a_test_for_an_error_that_a_helper_only_prints(repo):
    claim = one_card(repo, LOCKER, RULE, *HELPED).claim
    assert "`ErrTaken` in its text alone: the test for it in `desk/desk.go` line 10" in claim


def test_a_test_for_an_error_that_is_printed_in_place(repo):
    assert "`desk/desk.go` line 10" in one_card(repo, LOCKER, "error_no_longer_wrapped", PRINTED).claim


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("errors.Is(err, locker.ErrTaken)", "err != nil", "no_candidate"),
        ('return "here', '_ = error(locker.ErrTaken)\n\treturn "here', "insufficient_evidence"),
    ],
    ids=["nobody looks", "another giver"],
)
def test_look_alikes(repo, old, new, code):
    before = {path: text.replace(old, new) for path, text in LOCKER.items()}
    assert silent(repo, before, RULE, *HELPED) == [code]
