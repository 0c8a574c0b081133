"""What a function sets on a thing that it made itself ends with it; the same on a thing of others does not."""

import pytest
from changing import changed, one_card
from reviewing import cards, review

from review_agent.syntax.edits.making import made_by
from review_agent.syntax.outline import outline
from review_agent.vocabulary import ChangeKind

pytestmark = pytest.mark.slow

KIND = ChangeKind.RESOURCE_RELEASE
STATE = "state_not_restored"


def silent(repo, before, *edits):
    return not cards(review(repo, before, changed(before, *edits), KIND), STATE)


GO = {
    "go.mod": "module example.com/web\n\ngo 1.22\n",
    "show_test.go": """package web

import "testing"

func TestShow(t *testing.T) {
	store := NewStore(t)
	t.Run("shows", func(t *testing.T) {
		c, _ := CreateContext(NewRecorder())
		c.Set("store", store)
		c.Set("user", 1)
		Show(c)
	})
	t.Run("refuses", func(t *testing.T) {
		c, _ := CreateContext(NewRecorder())
		c.Set("store", store)
		Show(c)
	})
}

func TestList(t *testing.T) {
	store := NewStore(t)
	c, _ := CreateContext(NewRecorder())
	c.Set("store", store)
	List(c)
}
""",
}
REFUSES = """	t.Run("refuses", func(t *testing.T) {
		c, _ := CreateContext(NewRecorder())
		c.Set("store", store)
		Show(c)
	})
"""


@pytest.mark.parametrize("made", ["CreateContext(NewRecorder())", "&Context{}, 0", "UsualContext()", "open()"])
def test_go_a_subtest_sets_on_its_own_context(repo, made):
    before = {**GO, "show_test.go": GO["show_test.go"].replace("CreateContext(NewRecorder())", made)}
    removed = REFUSES.replace("CreateContext(NewRecorder())", made)
    assert silent(repo, before, ("show_test.go", removed, ""))


LEVEL = {
    "go.mod": "module example.com/web\n\ngo 1.22\n",
    "run.go": """package web

// Quiet runs without words.
func Quiet(run func() error) error {
	log := %s
	old := log.GetLevel()
	log.SetLevel(0)
	defer log.SetLevel(old)
	return run()
}
""",
    "api.go": "package web\n\n// Post runs one.\nfunc Post(run func() error) error {\n\treturn Quiet(run)\n}\n",
}
DEFER = "\tdefer log.SetLevel(old)\n"


def go_level(made):
    return {**LEVEL, "run.go": LEVEL["run.go"] % made}


def test_go_a_logger_that_all_share_is_left_set(repo):
    card = one_card(repo, go_level("DefaultLogger()"), STATE, ("run.go", DEFER, ""), kind=KIND)
    assert "`log.SetLevel(0)`" in card.claim


@pytest.mark.parametrize("made", ["NewLogger()", "&Logger{}", "base.Clone()"])
def test_go_a_logger_of_its_own(repo, made):
    assert silent(repo, go_level(made), ("run.go", DEFER, ""))


PY = {
    "app/__init__.py": "",
    "app/site.py": """from app import build, sites


def page(name):
    site = %s
    kept = site.name
    site.name = name
    try:
        return build.build()
    finally:
        site.name = kept
""",
    "app/sites.py": "ALL = {}\n\n\ndef current():\n    return ALL[0]\n\n\nclass Site:\n    name = ''\n",
    "app/build.py": "def build():\n    return 1\n",
    "app/api.py": 'from app.site import page\n\n\ndef view():\n    return page("x")\n',
}
FINALLY = (
    "    try:\n        return build.build()\n    finally:\n        site.name = kept\n",
    "    return build.build()\n",
)


def python_site(made):
    return {**PY, "app/site.py": PY["app/site.py"] % made}


@pytest.mark.parametrize("made", ["sites.Site()", "copy.deepcopy(sites.ALL[0])", "make_site()", "MagicMock()"])
def test_python_an_object_of_its_own(repo, made):
    assert silent(repo, python_site(made), ("app/site.py", *FINALLY))


@pytest.mark.parametrize("made", ["sites.current()", "sites.ALL[0]", "sites.get_or_create()", "sites.default_site()"])
def test_python_an_object_that_others_have(repo, made):
    assert "`site.name = name`" in one_card(repo, python_site(made), STATE, ("app/site.py", *FINALLY), kind=KIND).claim


CASES = {
    "test_site.py": """import pytest

from app import App, shared


@pytest.fixture%s
def app():
    made = App()
    return made


def test_debug(app):
    old = app.debug
    app.debug = True
    try:
        assert run()
    finally:
        app.debug = old


def test_plain(app):
    assert not app.debug
""",
    "app.py": "class App:\n    debug = False\n\n\nshared = App()\n",
}
PUT_BACK = (
    "    try:\n        assert run()\n    finally:\n        app.debug = old\n",
    "    assert run()\n",
)


def python_case(scope):
    return {**CASES, "test_site.py": CASES["test_site.py"] % scope}


def test_python_a_fixture_that_is_made_for_each_test(repo):
    assert silent(repo, python_case(""), ("test_site.py", *PUT_BACK))


def test_python_a_fixture_that_lives_longer(repo):
    card = one_card(repo, python_case('(scope="module")'), STATE, ("test_site.py", *PUT_BACK), kind=KIND)
    assert "`app.debug = True`" in card.claim


JAVA = {
    "src/test/java/web/ShowTest.java": """package web;

class ShowTest {
    private %s Context context%s;

    @BeforeEach
    void setUp() {
        %s
    }

    @Test
    void shows() {
        Mode old = context.getMode();
        context.setMode(Mode.FAST);
        try {
            show();
        } finally {
            context.setMode(old);
        }
    }

    @Test
    void lists() {
        list(context.getMode());
        context.setMode(Mode.SLOW);
    }
}
""",
}
JAVA_BACK = (
    "        try {\n            show();\n        } finally {\n            context.setMode(old);\n        }\n",
    "        show();\n",
)
SHOW = "src/test/java/web/ShowTest.java"


def java_case(*parts):
    return {SHOW: JAVA[SHOW] % parts}


def test_java_a_field_that_is_made_before_each_test(repo):
    assert silent(repo, java_case("", "", "context = new Context();"), (SHOW, *JAVA_BACK))


def test_java_a_field_that_all_tests_share(repo):
    card = one_card(
        repo, java_case("static final", " = Context.shared()", "reset();"), STATE, (SHOW, *JAVA_BACK), kind=KIND
    )
    assert "`context.setMode(Mode.FAST)`" in card.claim


JS = {
    "package.json": '{"name": "web"}\n',
    "src/show.%s": """import { createStore, store as shared } from './store';

export async function show(run) {
  const store = %s;
  const old = store.mode;
  store.mode = 'fast';
  try {
    return await run();
  } finally {
    store.mode = old;
  }
}
""",
    "src/store.js": "export const store = { mode: 'slow' };\nexport const createStore = () => ({ mode: 'slow' });\n",
    "src/api.js": "import { show } from './show';\n\nexport function view(run) {\n  return show(run);\n}\n",
}
JS_BACK = (
    "  try {\n    return await run();\n  } finally {\n    store.mode = old;\n  }\n",
    "  return await run();\n",
)


def js_case(made, end):
    return {one.replace("%s", end): text.replace("%s", made) for one, text in JS.items()}


@pytest.mark.parametrize("end", ["js", "ts"])
@pytest.mark.parametrize("made", ["createStore()", "new Store()", "{ ...shared }", "await createStore()"])
def test_javascript_an_object_of_its_own(repo, made, end):
    assert silent(repo, js_case(made, end), (f"src/show.{end}", *JS_BACK))


@pytest.mark.parametrize("end", ["js", "ts"])
def test_javascript_an_object_that_others_have(repo, end):
    card = one_card(repo, js_case("shared", end), STATE, (f"src/show.{end}", *JS_BACK), kind=KIND)
    assert "`store.mode = 'fast'`" in card.claim


SPEC = """describe('show', () => {
  let store;
  %s(() => {
    store = createStore();
  });

  it('is fast', () => {
    store.mode = 'fast';
  });
});
"""


@pytest.mark.parametrize(("when", "anew"), [("beforeEach", True), ("beforeAll", False)])
def test_javascript_made_before_each_test(when, anew):
    assert made_by(outline(SPEC % when, "javascript"), "show.is fast", "store", 8) is anew
