"""A function that came under the comment of the one that it was copied from."""

import pytest
from changing import one_card, silent

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

RULE = "comment_of_another"
KIND = ChangeKind.INCOMPLETE_CHANGE

GO = {
    "go.mod": "module example.com/out\n\ngo 1.22\n",
    "write.go": """package out

import "io"

// Out is where a command writes.
type Out struct{ out, in io.Writer }

// SetOut sets where results go.
func (o *Out) SetOut(w io.Writer) {
	o.out = w
}

// Ready says whether both are set.
func (o *Out) Ready() bool {
	return o.out != nil && o.in != nil
}
""",
}
END = "\treturn o.out != nil && o.in != nil\n}\n"
COPIED = "\n// SetOut sets where input comes from.\nfunc (o *Out) SetIn(w io.Writer) {\n\to.in = w\n}\n"


def test_a_comment_that_was_copied(repo):
    card = one_card(repo, GO, RULE, ("write.go", END, END + COPIED), kind=KIND)
    assert "`SetOut` is defined at `write.go` line 9" in card.claim


def test_its_own_comment(repo):
    own = COPIED.replace("// SetOut", "// SetIn")
    assert silent(repo, GO, RULE, ("write.go", END, END + own), kind=KIND) == []


NOBODY = COPIED.replace("// SetOut", "// SetInput")


def test_a_name_that_nothing_has(repo):
    used = {"run.go": "package out\n\nfunc run(o *Out) {\n\to.SetIn(nil)\n}\n"}
    card = one_card(repo, {**GO, **used}, RULE, ("write.go", END, END + NOBODY), kind=KIND)
    assert "begins with `SetInput` documents a name that nothing has" in card.claim
    assert "`run.go` line 4 calls" in card.claim


def test_a_name_that_nothing_has_and_nobody_calls(repo):
    assert silent(repo, GO, RULE, ("write.go", END, END + NOBODY), kind=KIND) == ["insufficient_evidence"]


def test_a_word_that_others_use(repo):
    notes = {"notes.go": "package out\n\n// SetInput is a word of the old interface.\n"}
    assert silent(repo, {**GO, **notes}, RULE, ("write.go", END, END + NOBODY), kind=KIND) == ["no_candidate"]


def test_a_sentence(repo):
    said = COPIED.replace("// SetOut sets where", "// Sets where")
    assert silent(repo, GO, RULE, ("write.go", END, END + said), kind=KIND) == []


def test_both_came(repo):
    both = (
        COPIED.replace("SetOut", "SetErr")
        + "\n// SetErr says it.\nfunc (o *Out) SetErr(w io.Writer) {\n\to.in = w\n}\n"
    )
    assert silent(repo, GO, RULE, ("write.go", END, END + both), kind=KIND) == ["insufficient_evidence"]
