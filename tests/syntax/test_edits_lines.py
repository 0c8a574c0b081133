"""What holds for all edits: their lines, their ids, their order, whatever the change."""

from differences import between, change_of, told
from drawn import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from review_agent.syntax.edits import edits
from review_agent.syntax.outline import outline
from review_agent.vocabulary import EditOp, Side

BLOCKS = (
    "LIMIT = 10\n",
    "import shop.store as store\n",
    "def load(path, mode='r'):\n    if path is None:\n        raise ValueError(path)\n    return open(path, mode)\n",
    "class Store(Base):\n    size = 1\n\n    def get(self, key):\n        return self.rows[key]\n",
    "def send(item):\n    try:\n        return store.put(item)\n    except OSError:\n        raise Failed(item)\n",
    "def retry(call):\n    for n in range(LIMIT):\n        try:\n            return call()\n"
    "        except OSError:\n            wait()\n",
    "def pair(a, b):\n    if not a:\n        return None\n    return a, b\n",
    "URL = os.environ.get('URL', 'http://a')\n",
)
GO_BLOCKS = (
    "type Store struct {\n\tName string\n}\n",
    "func (s *Store) Get(key string) (*Row, error) {\n"
    "\tif s == nil {\n\t\treturn nil, ErrGone\n\t}\n\treturn s.rows[key], nil\n}\n",
    "func Save(name string) error {\n\tif err := write(name); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
    "const limit = 10\n",
)


def compare(old, new, language="python"):
    change = change_of(old, new, "a.py" if language == "python" else "a.go")
    found = edits(
        change,
        language=language,
        old=outline(old, language),
        new=outline(new, language),
        old_lines=old.splitlines(),
        new_lines=new.splitlines(),
    )
    return change, found


def joined(blocks, language="python"):
    head = "package p\n\n\n" if language == "go" else ""
    return head + "\n\n".join(blocks)


@settings(max_examples=examples(40))
@given(st.permutations(BLOCKS))
def test_moving_things_about_is_no_edit(blocks):
    assert told(compare(joined(BLOCKS), joined(blocks))[1]) == []


@given(st.permutations(GO_BLOCKS))
def test_moving_things_about_is_no_edit_in_go(blocks):
    assert told(compare(joined(GO_BLOCKS, "go"), joined(blocks, "go"), "go")[1]) == []


LINES = joined(BLOCKS).splitlines()
Kept = st.lists(st.booleans(), min_size=len(LINES), max_size=len(LINES))


@settings(max_examples=examples(50))
@given(Kept, Kept)
def test_every_edit_stands_on_changed_lines_and_has_an_id_of_its_own(kept, wanted):
    old, new = (
        "".join(f"{line}\n" for line, keep in zip(LINES, flags, strict=True) if keep) for flags in (kept, wanted)
    )
    change, found = compare(old, new)
    changed = {(hunk.hunk_id, side): set(hunk.changed(side)) for hunk in change.hunks for side in (Side.OLD, Side.NEW)}
    for edit in found:
        assert set(range(edit.start_line, edit.end_line + 1)) <= changed[edit.hunk_id, edit.side]
        assert (edit.path, edit.language) == ("a.py", "python")
    ids = [edit.edit_id for edit in found]
    assert len(set(ids)) == len(ids)
    assert all(len(one) == 16 for one in ids)
    assert compare(old, new)[1] == found


def test_edits_come_in_the_order_of_the_file():
    old = joined(BLOCKS)
    new = old.replace("LIMIT = 10", "LIMIT = 20").replace("pair(a, b)", "pair(a, b, c)").replace("'r'", "'w'")
    assert told(between(old, new)) == [
        ("default_changed", "LIMIT"),
        ("default_changed", "mode"),
        ("parameter_added", "c"),
    ]


def test_two_edits_of_one_line_and_subject_have_two_ids():
    old = "def f(a):\n    return a\n"
    found = between(old, "def f(a, b, c): return a\n")
    assert len({edit.edit_id for edit in found}) == len(found) == 2


def test_sides_that_were_not_parsed_are_told_by_lines():
    change = change_of("a\nb\nc\n", "a\nB\nC\nD\n", "a.py")
    (edit,) = edits(change, language="python", old=None, new=None, old_lines=(), new_lines=())
    assert (edit.op, edit.side, edit.start_line, edit.end_line) == (EditOp.LINES_CHANGED, Side.NEW, 2, 4)
    assert edit.facts == {"removed": 2, "added": 3}
    assert told(between("x = 1\n", "def (:\n")) == [("lines_changed", "")]


def test_a_new_file_that_cannot_be_parsed_is_told_by_lines():
    change = change_of(None, "x\n", "a.py")
    found = edits(change, language="python", old=None, new=None, old_lines=(), new_lines=("x",))
    assert told(found) == [("lines_changed", "")]
