"""A nil pointer beside an error, handed on as an interface (Go)."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.ERROR_HANDLING)
silent = partial(silence_of, kind=ChangeKind.ERROR_HANDLING)
RULE = "typed_nil_beside_error"

GO = {
    "go.mod": "module example.com/zoo\n\ngo 1.22\n",
    "zoo.go": """package zoo

import "errors"

// Animal makes itself heard.
type Animal interface{ Cry() string }

// Owl is one.
type Owl struct{ cry string }

// Cry says it.
func (o *Owl) Cry() string { return o.cry }

func hatch(cry string) (Animal, error) {
	if cry == "" {
		return nil, errors.New("no cry")
	}
	return &Owl{cry: cry}, nil
}
""",
    "keeper.go": """package zoo

// Find gives an animal.
func Find(cry string) (Animal, error) {
	return hatch(cry)
}
""",
}
TURNED = ("zoo.go", "func hatch(cry string) (Animal, error)", "func hatch(cry string) (*Owl, error)")


def test_results_that_are_handed_on_as_they_come(repo):
    card = one_card(repo, GO, RULE, TURNED)
    assert "`keeper.go` line 5" in card.claim
    assert card.uncertainty


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "keeper.go",
            "\treturn hatch(cry)\n",
            "\to, err := hatch(cry)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn o, nil\n",
        ),
        ("keeper.go", "(Animal, error)", "(*Owl, error)"),
        ("zoo.go", "return nil, errors.New", "return &Owl{}, errors.New"),
    ],
    ids=["the error is looked at", "the same pointer", "never nil"],
)
def test_look_alikes(repo, path, old, new):
    assert set(silent(repo, GO, RULE, TURNED, (path, old, new))) == {"refuted"}
