"""What only one test had of a call: its refusal, an argument, a column of its table, a failure that was not caught."""

from functools import partial

import pytest
from changing import one_card as card_of
from changing import silent as silence_of

from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

one_card = partial(card_of, kind=ChangeKind.TEST_REMOVAL)
silent = partial(silence_of, kind=ChangeKind.TEST_REMOVAL)
REMOVED, WEAKENED = "test_removed_code_lives", "assertion_weakened_code_lives"

REFUSED = """

def test_a_lender_does_not_borrow():
    desk = Desk()
    with pytest.raises(NotLent):
        desk.lend("atlas", "mia")
"""
DESK = {
    "desk/__init__.py": "",
    "desk/desk.py": '''"""A lending desk."""


class NotLent(Exception):
    pass


class Desk:
    owner = "mia"

    def lend(self, title, to, days=14):
        if to == self.owner:
            raise NotLent(title)
        return title, to, days

    def take(self, title):
        raise NotLent(title)
''',
    "tests/test_desk.py": f"""import pytest

from desk.desk import Desk, NotLent


def test_lend():
    desk = Desk()
    assert desk.lend("atlas", "tom")[1] == "tom"


def test_take():
    with pytest.raises(NotLent):
        Desk().take("atlas")
{REFUSED}""",
}
LATE = """

def test_lend_for_days():
    desk = Desk()
    assert desk.lend("atlas", "tom", days=3)[2] == 3
"""


def test_the_only_test_of_a_refusal(repo):
    card = one_card(repo, DESK, REMOVED, ("tests/test_desk.py", REFUSED, ""))
    assert "`lend` refuses with `NotLent`" in card.claim
    assert "every call of `lend` in a test left has to succeed" in card.claim


def test_another_test_expects_the_refusal(repo):
    again = DESK["tests/test_desk.py"] + REFUSED.replace("borrow", "borrow_twice")
    before = {**DESK, "tests/test_desk.py": again}
    assert silent(repo, before, REMOVED, ("tests/test_desk.py", REFUSED, "")) == ["refuted"]


def test_the_only_test_that_gives_an_argument(repo):
    before = {**DESK, "tests/test_desk.py": DESK["tests/test_desk.py"] + LATE}
    card = one_card(repo, before, REMOVED, ("tests/test_desk.py", LATE, ""))
    assert "leaves the `days` of `lend` to no test" in card.claim


@pytest.mark.parametrize(
    "call", ['desk.lend("atlas", "tom", 5)', 'desk.lend("atlas", "tom", days=5)', "desk.lend(*ALL)"]
)
def test_another_test_gives_the_argument(repo, call):
    text = DESK["tests/test_desk.py"].replace('desk.lend("atlas", "tom")', call) + LATE
    assert silent(repo, {**DESK, "tests/test_desk.py": text}, REMOVED, ("tests/test_desk.py", LATE, "")) == ["refuted"]


JAVA_TEST = """package desk;

class DeskTest {
    @Test
    void lends() {
        Desk desk = new Desk();
        assertEquals("tom", desk.lend("atlas", "tom"));
    }

    @Test
    void refusesItsOwner() {
        Desk desk = new Desk();
        assertThrows(NotLent.class, () -> desk.lend("atlas", "mia"));
    }

    @Test
    void refusesToTake() {
        Desk desk = new Desk();
        assertThrows(NotLent.class, () -> desk.take("atlas"));
    }
}
"""
JAVA = {
    "src/main/java/desk/Desk.java": """package desk;

class Desk {
    String lend(String title, String to) {
        if (to.equals("mia")) {
            throw new NotLent(title);
        }
        return to;
    }

    String take(String title) {
        throw new NotLent(title);
    }
}
""",
    "src/main/java/desk/NotLent.java": """package desk;

class NotLent extends RuntimeException {
    NotLent(String title) {
        super(title);
    }
}
""",
    "src/test/java/desk/DeskTest.java": JAVA_TEST,
}
JAVA_REFUSES = JAVA_TEST[
    JAVA_TEST.index("    @Test\n    void refusesIts") : JAVA_TEST.index("    @Test\n    void refusesTo")
]


def test_a_refusal_in_java(repo):
    card = one_card(repo, JAVA, REMOVED, ("src/test/java/desk/DeskTest.java", JAVA_REFUSES, ""))
    assert "`lend` refuses with `NotLent`" in card.claim


GO_TEST = """package span

import "testing"

func TestParse(t *testing.T) {
	for _, row := range []struct {
		in   string
		want int
		bad  bool
	}{
		{in: "3m", want: 3},
		{in: "m", bad: true},
		{in: "4h", want: 240},
	} {
		got, err := Parse(row.in)
		if row.bad {
			if err == nil {
				t.Errorf("%q: no error", row.in)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got != row.want {
			t.Errorf("%q: %d", row.in, got)
		}
	}
}
"""
GO = {
    "go.mod": "module example.org/span\n\ngo 1.22\n",
    "span/span.go": """package span

import "errors"

// Parse reads a span of minutes.
func Parse(s string) (int, error) {
	if len(s) < 2 {
		return 0, errors.New("too short")
	}
	return len(s), nil
}
""",
    "span/span_test.go": GO_TEST,
}
GO_CHECK = GO_TEST[GO_TEST.index("\t\tif row.bad") : GO_TEST.index("\t\tif got")]


def test_a_column_of_the_table_that_is_read_no_more(repo):
    card = one_card(repo, GO, WEAKENED, ("span/span_test.go", GO_CHECK, "\t\tif err != nil {\n\t\t\tcontinue\n\t\t}\n"))
    assert "leaves `bad` of its table unread" in card.claim
    assert "the `bad` of `span/span_test.go` line 12" in card.claim


def test_the_column_is_read_in_another_form(repo):
    folded = '\t\tif (err != nil) != row.bad {\n\t\t\tt.Fatalf("%q: %v", row.in, err)\n\t\t}\n'
    assert silent(repo, GO, WEAKENED, ("span/span_test.go", GO_CHECK, folded)) == []


JS_TEST = """const { parse } = require('../src/parse');

const BAD = [
  ['nothing', ''],
  ['one sign', 'x'],
];

test('parses', () => {
  expect(parse('3m')).toBe(3);
});

test.each(BAD)('rejects %s', (_name, text) => {
  expect(() => parse(text)).toThrow(ParseError);
});
"""
JS = {
    "package.json": '{"name": "span"}\n',
    "src/parse.js": """class ParseError extends Error {}

function parse(text) {
  if (text.length < 2) {
    throw new ParseError(text);
  }
  return parseInt(text, 10);
}

module.exports = { parse };
""",
    "src/cli.js": """const { parse } = require('./parse');

function main(args) {
  return parse(args[0]);
}

module.exports = { main };
""",
    "tests/parse.test.js": JS_TEST,
}
JS_OLD = JS_TEST[JS_TEST.index("test.each") :]
JS_NEW = """test('says what is wrong', () => {
  for (const [, text] of BAD) {
    try {
      parse(text);
    } catch (error) {
      expect(error.message).toBe(text);
    }
  }
});
"""


def test_a_successor_that_asserts_only_what_it_caught(repo):
    card = one_card(repo, JS, REMOVED, ("tests/parse.test.js", JS_OLD, JS_NEW))
    assert "asserts only in its `catch`: where `parse` throws nothing, it asserts nothing and passes" in card.claim


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  for (const", "  expect.assertions(BAD.length);\n  for (const"),
        ("      parse(text);\n", "      parse(text);\n      throw new Error('parsed');\n"),
        ("      parse(text);\n", "      parse(text);\n      fail('parsed');\n"),
    ],
    ids=["counted", "thrown", "failed"],
)
def test_a_successor_that_notices(repo, old, new):
    after = JS_NEW.replace(old, new)
    assert after != JS_NEW
    assert silent(repo, JS, REMOVED, ("tests/parse.test.js", JS_OLD, after)) == ["refuted"]


SHELF_TEST = """from shelf.shelf import Shelf


def height(shelf):
    return sum(shelf.books.values())


def test_drop_empties_it():
    shelf = Shelf()
    shelf.put("atlas", 4)
    shelf.drop("atlas")
    assert height(shelf) == 0
    assert shelf.name == "first"


def test_put():
    shelf = Shelf()
    shelf.put("atlas", 4)
    assert shelf.books == {"atlas": 4}
"""
SHELF = {
    "shelf/__init__.py": "",
    "shelf/shelf.py": '''"""A shelf."""


class Shelf:
    def __init__(self):
        self.books, self.name = {}, "first"

    def put(self, title, height):
        self.books[title] = height

    def drop(self, title):
        self.books.pop(title)
''',
    "tests/test_shelf.py": SHELF_TEST,
}
EMPTY = "    assert height(shelf) == 0\n"


def test_a_helper_read_what_a_call_did(repo):
    card = one_card(repo, SHELF, WEAKENED, ("tests/test_shelf.py", EMPTY, "    assert height(shelf) is not None\n"))
    assert "`drop`" in card.claim
    assert "can leave something else for `height`, `tests/test_shelf.py` line 4, to read" in card.claim


def test_another_test_of_the_call(repo):
    more = (
        SHELF_TEST
        + '\n\ndef test_drop_one():\n    shelf = Shelf()\n    shelf.drop("map")\n    assert not shelf.books\n'
    )
    before = {**SHELF, "tests/test_shelf.py": more}
    weaker = ("tests/test_shelf.py", EMPTY, "    assert height(shelf) is not None\n")
    assert silent(repo, before, WEAKENED, weaker) == ["no_candidate"]
