import pytest
from outlined import go, pick, python


def test_python_handlers():
    outline = python(
        """
        def s():
            for x in y:
                try:
                    f()
                    g()
                except (A, m.B) as e:
                    logger.error("no", e)
                    raise C("y") from e
                except D as e:
                    message = str(e)
                except:
                    pass
        """
    )
    assert pick(outline.handlers, "types", "binds", "actions", "uses_error", "start", "end") == [
        (("A", "m.B"), "e", ("log", "raise"), True, 6, 8),
        (("D",), "e", ("assign",), True, 9, 10),
        (("BaseException",), "", ("pass",), False, 11, 12),
    ]
    assert set(pick(outline.handlers, "try_start", "try_end", "scope", "loop", "source")) == {(4, 5, "s", "for", "")}


@pytest.mark.parametrize(
    ("body", "actions", "uses_error"),
    [
        ("...", ("pass",), False),
        ("return", ("return_none",), False),
        ("return None", ("return_none",), False),
        ("return []", ("return",), False),
        ("continue", ("continue",), False),
        ("break", ("break",), False),
        ("print(e)", ("log",), False),
        ("self._log.warning('x', e)", ("log",), False),
        ("logging.getLogger(__name__).info(e)", ("call",), True),
        ("sys.exit(1)", ("exit",), False),
        ("handle(e)", ("call",), True),
        ("x.e = 1", ("assign",), False),
        ("raise X(e=1)", ("raise",), False),
        ("abort(404)", ("raise",), False),
        ("if x: return None", ("return_none",), False),
        ("await handle()", ("call",), False),
    ],
)
def test_what_a_python_handler_does(body, actions, uses_error):
    handler = python(f"while a:\n    try:\n        f()\n    except E as e:\n        {body}\n").handlers[0]
    assert (handler.actions, handler.uses_error) == (actions, uses_error)


def test_a_handler_does_not_do_what_it_only_defines():
    handler = python("try:\n    f()\nexcept E:\n    def later():\n        raise X\n    g = lambda: h()\n").handlers[0]
    assert handler.actions == ("assign",)


def test_python_raises():
    outline = python(
        """
        def s():
            raise m.X("a", 1)
            raise X
            raise X(1).with_traceback(tb) from None
            try:
                f()
            except E as e:
                raise
                raise e
                raise Y from e
        """
    )
    assert pick(outline.raises, "type", "wraps", "in_handler") == [
        ("m.X", "", False),
        ("X", "", False),
        ("X", "None", False),
        ("", "", True),
        ("", "", True),
        ("Y", "e", True),
    ]
    assert outline.raises[0].text == 'raise m.X("a", 1)'


def test_go_handlers_know_who_set_the_error():
    outline = go(
        """
        func s() (int, error) {
            v, err := s.load(1)
            if err != nil {
                return 0, fmt.Errorf("load: %w", err)
            }
            if err := a.b(v); err != nil && !os.IsNotExist(err) {
                log.Printf("b: %v", err)
            } else if err == nil {
                done()
            }
            cerr := c()
            other()
            if nil != cerr {
                return 0, nil
            }
            if err == nil {
                return 1, nil
            } else {
                panic(err)
            }
            if v != nil {
                return 2, nil
            }
            return 3, nil
        }
        """
    )
    assert pick(outline.handlers, "binds", "source", "actions", "uses_error", "start", "end") == [
        ("err", "s.load", ("return_error",), True, 4, 6),
        ("err", "a.b", ("log",), False, 7, 9),
        ("cerr", "c", ("return_none",), False, 14, 16),
        ("err", "s.load", ("raise",), True, 17, 21),
    ]
    assert pick(outline.handlers, "try_start", "try_end") == [(3, 3), (7, 7), (12, 12), (3, 3)]
    assert set(pick(outline.handlers, "types")) == {("error",)}


@pytest.mark.parametrize(
    ("results", "body", "actions", "uses_error"),
    [
        ("error", "", ("pass",), False),
        ("error", "return err", ("return_error",), True),
        ("error", "return wrap(err)", ("return_error",), True),
        ("error", "return nil", ("return_none",), False),
        ("(int, error)", "return 1, nil", ("return_none",), False),
        ("error", "return ErrGone", ("raise",), False),
        ("error", 'return errors.New("x")', ("raise",), False),
        ("(n int, err error)", "return", ("return_error",), False),
        ("", "return", ("return_none",), False),
        ("bool", "return false", ("return",), False),
        ("error", "fs.Errorf(f, err)\ncontinue", ("log", "continue"), False),
        ("error", "log.Fatal(err)", ("exit",), True),
        ("error", "t.Errorf(err)", ("call",), True),
        ("error", 'log.Error().Err(err).Msg("x")', ("log",), False),
        ("error", "errs = append(errs, err)", ("assign",), True),
        ("error", "ch <- err", ("call",), True),
        ("error", "defer func() { use(err) }()", ("call",), True),
    ],
)
def test_what_a_go_handler_does(results, body, actions, uses_error):
    handler = go(f"func s() {results} {{\nfor {{\nif err := f(); err != nil {{\n{body}\n}}\n}}\n}}\n").handlers[0]
    assert (handler.actions, handler.uses_error) == (actions, uses_error)
    assert handler.loop == "while_true"


def test_the_error_of_a_branch_is_not_the_one_handled():
    outline = go(
        """
        func s() error {
            v, err := next()
            if err == nil {
                err = v.Err
            }
            if err != nil {
                return err
            }
            return nil
        }
        """
    )
    assert pick(outline.handlers, "source", "try_start") == [("next", 3)]


def test_go_raises_are_errors_made_where_they_are_returned():
    outline = go(
        """
        func s() (int, error) {
            if err := f(); err != nil {
                return 0, fmt.Errorf("s %d: %w", 1, err)
            }
            errLocal := g()
            switch {
            case a:
                return 0, ErrGone
            case b:
                return 0, errors.New("b")
            case c:
                return 0, &MyError{Op: "c", Err: cause}
            case d:
                return 0, errors.Wrap(cause, "d")
            case e:
                return 0, errLocal
            }
            return 1, nil
        }
        func t() *Thing { return &Thing{} }
        """
    )
    assert pick(outline.raises, "type", "wraps", "in_handler") == [
        ("fmt.Errorf", "err", True),
        ("ErrGone", "", False),
        ("errors.New", "", False),
        ("&MyError", "cause", False),
        ("errors.Wrap", "cause", False),
    ]
