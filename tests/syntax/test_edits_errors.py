"""Handlers, retries, raised types and dropped errors, from real source on both sides."""

import pytest
from differences import between, told

from review_agent.vocabulary import EditOp, Side

BROADENED, SWALLOWS, GONE = EditOp.HANDLER_BROADENED, EditOp.HANDLER_SWALLOWS, EditOp.HANDLER_REMOVED
HANDLERS = (BROADENED, SWALLOWS, GONE)

TRY = """
def f(client, key):
    try:
        value = client.get(key)
    except {types}:
        {action}
    return value
"""


def handlers(before, after):
    return between(TRY.format(**before), TRY.format(**after), "python", *HANDLERS)


def clause(types, action="raise Failed"):
    return {"types": types, "action": action}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("KeyError", "Exception"),
        ("KeyError", "LookupError"),
        ("KeyError", "(KeyError, ValueError)"),
        ("Exception", "BaseException"),
        ("TimeoutError", "OSError"),
        ("client.Gone", "Exception"),
    ],
)
def test_a_handler_that_catches_more_is_broadened(before, after):
    (edit,) = handlers(clause(before), clause(after))
    assert (edit.op, edit.side, edit.start_line) == (BROADENED, Side.NEW, 4)
    assert edit.facts["tryCalls"] == ("client.get",)
    assert (edit.facts["tryStart"], edit.facts["tryEnd"]) == (3, 3)
    assert edit.facts["actions"] == ("raise",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Exception", "KeyError"),
        ("(KeyError, ValueError)", "KeyError"),
        ("IOError", "OSError"),
        ("KeyError", "client.Gone"),
        ("(KeyError, ValueError)", "(ValueError, KeyError)"),
    ],
)
def test_other_or_fewer_types_broaden_nothing(before, after):
    assert told(handlers(clause(before), clause(after))) == []


def test_merged_handlers_catch_no_more_than_they_did_apart():
    old = """
    def f(d, k):
        try:
            return d[k]
        except KeyError:
            raise Missing(k)
        except TypeError:
            raise Missing(k)
    """
    new = """
    def f(d, k):
        try:
            return d[k]
        except (KeyError, TypeError):
            raise Missing(k)
    """
    assert told(between(old, new, "python", *HANDLERS)) == []


@pytest.mark.parametrize("action", ["pass", "value = None", "log.warning('no %s', key)"])
def test_a_handler_that_raised_now_swallows(action):
    (edit,) = handlers(clause("KeyError"), clause("KeyError", action))
    assert (edit.op, edit.facts["beforeActions"], edit.facts["isNew"]) == (SWALLOWS, ("raise",), False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("raise Failed", "raise Other"),
        ("raise Failed", "log.warning('no %s', key)\n        raise"),
        ("pass", "value = None"),
        ("raise Failed", "value = client.again(key)"),
    ],
)
def test_handlers_that_still_pass_the_error_on(before, after):
    assert told(handlers(clause("KeyError", before), clause("KeyError", after))) == []


def test_an_error_that_is_used_is_not_swallowed():
    before, after = clause("KeyError as error"), clause("KeyError as error", "report(error)\n        value = None")
    assert told(handlers(before, after)) == []


PLAIN = """
def f(client, key):
    value = client.get(key)
    return value
"""


def test_a_new_handler_around_old_statements_swallows():
    (edit,) = between(PLAIN, TRY.format(types="Exception", action="value = None"), "python", *HANDLERS)
    assert (edit.op, edit.subject, edit.facts["isNew"]) == (SWALLOWS, "Exception", True)
    assert (edit.start_line, edit.end_line) == (4, 5)


def test_a_new_handler_around_new_statements_does_not():
    old = "def f(client, key):\n    return None\n"
    assert told(between(old, TRY.format(types="Exception", action="value = None"), "python", *HANDLERS)) == []


def test_a_handler_that_went_leaves_its_call_bare():
    (edit,) = between(TRY.format(types="KeyError", action="value = None"), PLAIN, "python", *HANDLERS)
    assert (edit.op, edit.side, edit.facts["types"]) == (GONE, Side.OLD, ("KeyError",))


@pytest.mark.parametrize(
    "after",
    [
        "def f(client, key):\n    return None\n",
        "def f(client, key):\n    with suppress(KeyError):\n        value = client.get(key)\n    return value\n",
        TRY.format(types="LookupError", action="value = None"),
        "def f(client, key):\n    return g(client, key)\n\n\n" + TRY.format(types="KeyError", action="value = None"),
    ],
)
def test_a_handler_that_went_with_its_statements_or_was_replaced(after):
    found = between(TRY.format(types="KeyError", action="value = None"), after, "python", GONE)
    assert told(found) == []


def test_reindented_handlers_are_the_same():
    old = """
    def f(a):
        try:
            g(a)
        except KeyError:
            pass
    """
    new = """
    def f(a):
        if a:
            try:
                g(a)
            except KeyError:
                pass
    """
    assert told(between(old, new)) == []


RETRY = """
def f(send):
    {loop}
        try:
            return send()
        except OSError:
            {action}
    raise Failed
"""


def retry(before, after, action="pause()"):
    old, new = (RETRY.format(loop=loop, action=action) for loop in (before, after))
    return between(old, new, "python", EditOp.RETRY_UNBOUNDED)


def test_a_bounded_retry_becomes_unbounded():
    (edit,) = retry("for attempt in range(MAX_TRIES):", "while True:")
    assert (edit.subject, edit.side, edit.start_line) == ("send", Side.NEW, 2)
    assert edit.facts["capNames"] == ("MAX_TRIES",)
    assert edit.facts["types"] == ("OSError",)
    assert (edit.facts["loopStart"], edit.facts["loopEnd"]) == (2, 6)
    assert told(retry("while tries < limit:", "while True:")) == [("retry_unbounded", "send")]


def test_loops_that_still_end_or_never_did():
    assert told(retry("while True:", "while 1:")) == []
    assert told(retry("for server in servers:", "while True:")) == []
    assert told(retry("for _ in range(3):", "while True:", "raise")) == []
    counted = "n += 1\n            if n > 3:\n                raise"
    assert told(retry("for n in range(3):", "while True:", counted)) == []


def test_a_lost_count_in_an_endless_loop():
    old = RETRY.format(loop="while True:", action="tries += 1\n            if tries > limit:\n                raise")
    new = RETRY.format(loop="while True:", action="tries += 1")
    (edit,) = between(old, new, "python", EditOp.RETRY_UNBOUNDED)
    assert edit.facts["capNames"] == ("limit",)


def test_go_retries():
    frame = """
package p

func f() error {{
	for {head}{{
		err := send()
		if err != nil {{
			log.Print(err)
			continue
		}}
		return nil
	}}
	return errGaveUp
}}
"""
    old, new = frame.format(head="i := 0; i < tries; i++ "), frame.format(head="")
    (edit,) = between(old, new, "go", EditOp.RETRY_UNBOUNDED)
    assert (edit.subject, edit.facts["capNames"]) == ("send", ("tries",))
    assert told(between(frame.format(head="_, s := range servers "), new, "go", EditOp.RETRY_UNBOUNDED)) == []


def raises(before, after, extra=""):
    classes = "class A(Exception):\n    pass\n\n\nclass B(A):\n    pass\n\n\n"
    frame = classes + "def f(x):\n    if x:\n        {}\n{}    return x\n"
    return between(frame.format(before, extra), frame.format(after, extra), "python", EditOp.RAISE_TYPE_CHANGED)


def test_another_type_is_raised_in_the_same_place():
    (edit,) = raises("raise A(x)", "raise ValueError(x)")
    assert (edit.subject, edit.facts["beforeType"], edit.facts["afterType"]) == ("A", "A", "ValueError")
    assert (edit.facts["function"], edit.facts["symbolKind"]) == ("f", "function")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("raise A(x)", "raise A(x, 1)"),
        ("raise A(x)", "raise B(x)"),
        ("raise IOError(x)", "raise OSError(x)"),
        ("raise KeyError(x)", "return None"),
        ("raise LookupError(x)", "raise KeyError(x)"),
    ],
)
def test_types_that_old_callers_still_catch(before, after):
    assert told(raises(before, after)) == []


def test_two_raises_in_one_run_are_paired_in_order():
    old = "def f(x):\n    if x:\n        raise A(x)\n    raise B(x)\n"
    new = "def f(x):\n    if x:\n        raise C(x)\n    raise D(x)\n"
    assert told(between(old, new, "python", EditOp.RAISE_TYPE_CHANGED)) == [
        ("raise_type_changed", "A"),
        ("raise_type_changed", "B"),
    ]


def test_go_sentinels():
    frame = "package p\n\nfunc f(x int) error {{\n\tif x > 0 {{\n\t\treturn {}\n\t}}\n\treturn nil\n}}\n"

    def change(before, after):
        return told(between(frame.format(before), frame.format(after), "go", EditOp.RAISE_TYPE_CHANGED))

    assert change("ErrA", "ErrB") == [("raise_type_changed", "ErrA")]
    assert change("ErrA", 'fmt.Errorf("no: %w", ErrA)') == []
    assert change('errors.New("a")', "ErrB") == []


GO = """
package p

func f(name string) error {{
	{body}
	use(name)
	return nil
}}
"""

LOOK = "\n\tif err != nil {\n\t\treturn err\n\t}"
CHECKED = "if err := save(name); err != nil {\n\t\treturn err\n\t}"


def dropped(before, after):
    found = between(GO.format(body=before), GO.format(body=after), "go", EditOp.ERROR_DROPPED)
    return [(edit.subject, edit.facts["form"]) for edit in found]


@pytest.mark.parametrize(
    ("before", "after", "form"),
    [
        (CHECKED, "save(name)", "ignored"),
        (CHECKED, "_ = save(name)", "blank"),
        ("n, err := count(name)\n\tif err != nil {\n\t\treturn err\n\t}", "n, _ := count(name)", "blank"),
        (CHECKED, "if err := save(name); err != nil {\n\t\treturn nil\n\t}", "return_nil"),
        (
            f"err := save(name){LOOK}\n\terr = load(name){LOOK}",
            f"err := save(name)\n\terr = load(name){LOOK}",
            "unchecked",
        ),
    ],
)
def test_go_errors_are_dropped_in_each_form(before, after, form):
    assert [one[1] for one in dropped(before, after)] == [form]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CHECKED, "err := save(name)\n\tif err != nil {\n\t\treturn err\n\t}"),
        (CHECKED, "return save(name)"),
        (CHECKED, 'if err := save(name); err != nil {\n\t\treturn fmt.Errorf("save: %w", err)\n\t}'),
        (CHECKED, "must(save(name))"),
        (CHECKED, ""),
        ("save(name)", "_ = save(name)"),
        ("err := save(name)\n\tlog.Print(err)", "err := save(name)\n\tlog.Print(err, name)"),
        ("n, ok := find(name)", "n, _ := find(name)"),
    ],
)
def test_go_errors_that_are_still_looked_at_or_never_were(before, after):
    assert dropped(before, after) == []


def test_an_error_dropped_while_the_call_moved_and_took_more():
    before = CHECKED + "\n\tif err := other(name); err != nil {\n\t\treturn err\n\t}"
    after = "if err := other(name); err != nil {\n\t\treturn err\n\t}\n\tsave(name, 1)"
    assert dropped(before, after) == [("save", "ignored")]


SENDING = """
async function send(letter) {
  try {
    await post(letter);
  } catch (err) {
    LOG
    throw err;
  }
}
"""


@pytest.mark.parametrize(
    ("handling", "swallows"),
    [
        ("const code = err instanceof Full ? err.code : null;\n    await note({ letter, code });", True),
        ("console.error('not sent', err);\n    count('letters', err.code);", True),
        ("failures.push(err);", False),
        ("next(err);", False),
        ("letter.failed = err.code;", False),
        ("return { code: err.code };", False),
        ("return null;", True),
    ],
)
def test_a_handler_that_uses_parts_of_the_error_and_tells_no_caller(handling, swallows):
    before, after = (
        SENDING.replace("LOG\n    throw err;", "throw err;"),
        SENDING.replace("LOG\n    throw err;", handling),
    )
    assert bool(between(before, after, "javascript", EditOp.HANDLER_SWALLOWS)) == swallows
