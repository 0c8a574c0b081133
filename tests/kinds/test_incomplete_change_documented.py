"""Documentation and comments that a change leaves behind: cards, what refutes them, what is missing, look-alikes."""

import pytest
from reviewing import cards, review

pytestmark = pytest.mark.slow

PY = {
    "net/client.py": '''def fetch(url, timeout=10, retries=3):
    """Get a page.

    It is asked for again where the other side breaks off.

    :param url: where it is
    :param timeout: seconds to wait, defaults to 10
    :param retries: how often to try again
    :raises PageGone: if it is not there
    :returns: what came back,
        with its head and body
    """
    page = get(url, timeout, retries)
    if page is None:
        raise PageGone(url)
    return page
'''
}
LEFT, MISSING = "documented_parameter_left", "documented_parameter_missing"
DEFAULT, ERROR, NAME = "documented_default_left", "documented_error_left", "comment_names_what_is_gone"


def changed(files, *steps):
    after = dict(files)
    for path, text in files.items():
        for before, now in steps:
            text = text.replace(before, now)
        after[path] = text
    return after


def one(repo, before, after, rule):
    (card,) = cards(review(repo, before, after), rule)
    return card


def test_a_parameter_that_went_and_is_documented_still(repo):
    card = one(repo, PY, changed(PY, (", retries=3", ""), (", retries)", ")")), LEFT)
    assert "`net/client.py` line 8 still lists `retries`" in card.claim
    assert (card.effect.op, card.supporting_refs[0].start_line) == ("removed", 8)


def test_a_parameter_that_is_documented_under_its_old_name(repo):
    card = one(repo, PY, changed(PY, (", retries=3", ", attempts=3"), (", retries)", ", attempts)")), LEFT)
    assert card.claim.startswith("Renaming `retries` to `attempts`")


def test_a_new_parameter_that_alone_is_not_documented(repo):
    after = changed(PY, ("retries=3", "retries=3, proxy=None"), (", retries)", ", retries, proxy)"))
    card = one(repo, PY, after, MISSING)
    assert "`url`, `timeout` and `retries`" in card.claim
    assert "none for `proxy`" in card.claim


def test_a_default_that_documentation_still_gives(repo):
    card = one(repo, PY, changed(PY, ("timeout=10", "timeout=30")), DEFAULT)
    assert "from `10` to `30`" in card.claim
    assert card.supporting_refs[0].start_line == 7


def test_an_error_that_documentation_still_promises(repo):
    before = changed(PY, ("        with its head and body\n", "        with its head and body,\n        whole\n"))
    after = changed(before, ("    if page is None:\n        raise PageGone(url)\n", ""))
    card = one(repo, before, after, ERROR)
    assert "still lists `PageGone`" in card.claim
    assert card.confidence == "medium"


def test_an_entry_in_the_lines_that_the_diff_shows_proves_nothing_more(repo):
    before = changed(PY, ("    It is asked for again where the other side breaks off.\n\n", ""))
    after = changed(before, ("fetch(url, ", "fetch("), ("get(url, ", "get("))
    (ended,) = [one for one in review(repo, before, after) if one.rule == LEFT]
    assert (ended.cards, ended.code) == ((), "insufficient_evidence")


def test_documentation_that_went_along_is_not_asked_about(repo):
    after = changed(PY, (", retries=3", ""), (", retries)", ")"), ("    :param retries: how often to try again\n", ""))
    assert not [one for one in review(repo, PY, after) if one.rule == LEFT]


JAVA = {
    "src/main/java/net/Client.java": """package net;

public class Client {
    /**
     * Gets a page.
     *
     * @param url where it is
     * @param timeout seconds to wait
     * @return the page
     * @see Page
     */
    public Page fetch(String url, int timeout) {
        return get(url, timeout);
    }
}
"""
}
JS = {
    "src/client.js": """/**
 * Get a page.
 *
 * @param {string} url - where it is
 * @param {number} timeout - seconds to wait
 * @returns {Promise<Page>} the page
 * @example
 * await fetchPage('https://example.com');
 */
export function fetchPage(url, timeout) {
  return get(url, timeout);
}
"""
}


@pytest.mark.parametrize("files", [JAVA, JS], ids=["java", "javascript"])
def test_tags_of_other_languages(repo, files):
    card = one(repo, files, changed(files, (", int timeout", ""), (", timeout)", ")")), LEFT)
    assert "still lists `timeout`" in card.claim


GO = {
    "internal/mail/options.go": """package mail

// Options of a client.
type Options struct {
	// Retries is how often to try.
	// See AllowInsecure for the scheme that is used.
	Retries int

	Name string
	Host string
	Port int

	AllowInsecure bool
}
""",
    "internal/mail/client.go": """package mail

// Dial opens a connection, in the clear where AllowInsecure says so.
func Dial(o Options) error {
	return open(o.Host, o.Port)
}
""",
}
RENAMED = ("\tAllowInsecure bool", "\tInsecure bool")


def test_a_comment_that_names_a_field_of_before(repo):
    card = one(repo, GO, changed(GO, RENAMED), NAME)
    assert card.claim.startswith("Renaming `AllowInsecure` to `Insecure`")
    assert "`internal/mail/options.go` line 6" in card.claim


def test_a_comment_of_another_file(repo):
    before = changed(GO, ("\t// See AllowInsecure for the scheme that is used.\n", ""))
    assert "`internal/mail/client.go` line 3" in one(repo, before, changed(before, RENAMED), NAME).claim


@pytest.mark.parametrize(
    "line", ["func f(x Other) bool { return x.AllowInsecure }", 'const key = "AllowInsecure"'], ids=["code", "text"]
)
def test_code_that_names_it_still_refutes(repo, line):
    before = {**GO, "other/other.go": f"package other\n\n{line}\n"}
    (ended,) = [one for one in review(repo, before, changed(before, RENAMED)) if one.rule == NAME]
    assert (ended.cards, ended.code) == ((), "refuted")


def test_comments_of_the_past_and_changelogs_are_right(repo):
    steps = ("// See AllowInsecure for the scheme that is used.", "// AllowInsecure was the name of the last field.")
    before = {
        **changed({"internal/mail/options.go": GO["internal/mail/options.go"]}, steps),
        "CHANGELOG.md": "AllowInsecure is new\n",
    }
    assert not cards(review(repo, before, changed(before, RENAMED)), NAME)


def test_a_comment_of_python_about_a_function_that_went(repo):
    before = {
        "shop/prices.py": "def _old_rate(item):\n    return item.rate\n\n\n"
        "def rate(item):\n    return item.rate * 2\n\n\n"
        "def total(items):\n    # The rates come from _old_rate and are not rounded.\n"
        "    return sum(rate(item) for item in items)\n"
    }
    after = {"shop/prices.py": before["shop/prices.py"].partition("\n\n\n")[2]}
    assert "no code at head names `_old_rate`" in one(repo, before, after, NAME).claim


def test_a_message_that_sends_its_reader_to_what_is_gone(repo):
    before = changed(
        GO, ("\t// See AllowInsecure for the scheme that is used.\n", ""), (" where AllowInsecure says so", "")
    )
    before["internal/mail/errors.go"] = (
        "package mail\n\nfunc refuse() error {\n"
        '\treturn fail("the scheme is not safe, set AllowInsecure to go on")\n}\n'
    )
    card = one(repo, before, changed(before, RENAMED), NAME)
    assert "`internal/mail/errors.go` line 4" in card.claim


def test_a_document_that_gives_it_as_code(repo):
    before = changed(
        GO, ("\t// See AllowInsecure for the scheme that is used.\n", ""), (" where AllowInsecure says so", "")
    )
    before["docs/options.md"] = "Set `Options.AllowInsecure` for servers of your own.\n"
    assert "`docs/options.md` line 1" in one(repo, before, changed(before, RENAMED), NAME).claim


@pytest.mark.parametrize("path", ["CHANGELOG.md", "docs/migration.md", "docs/releases.md"])
def test_a_document_of_the_past_is_right(repo, path):
    before = changed(
        GO, ("\t// See AllowInsecure for the scheme that is used.\n", ""), (" where AllowInsecure says so", "")
    )
    before[path] = "Set `Options.AllowInsecure` for servers of your own.\n"
    assert not cards(review(repo, before, changed(before, RENAMED)), NAME)


LISTED = "member_not_listed"
NAMES = ("baseAddress", "maxRetries", "retryDelay", "userAgent", "keepAlive")
TYPES = {
    "index.d.ts": "export interface ClientOptions {\n" + "".join(f"  {one}?: string;\n" for one in NAMES) + "}\n",
    "README.md": "# Client\n\nOptions:\n\n" + "".join(f"- `{one}`: what it is for\n" for one in NAMES),
}
MORE = ("  keepAlive?: string;\n", "  keepAlive?: string;\n  proxyAddress?: string;\n")


def test_a_new_member_beside_those_that_a_page_lists(repo):
    card = one(repo, TYPES, changed(TYPES, MORE), LISTED)
    assert card.claim.startswith("Adding `proxyAddress` to `ClientOptions` leaves `README.md` short of it")
    assert [ref.start_line for ref in card.supporting_refs] == [5, 9]


@pytest.mark.parametrize(
    "page", [{"docs/proxy.md": "See `proxyAddress`.\n"}, {"README.md": TYPES["README.md"] + "- `proxyAddress`: new\n"}]
)
def test_a_page_that_names_it_refutes(repo, page):
    (ended,) = [one for one in review(repo, TYPES, {**changed(TYPES, MORE), **page}) if one.rule == LISTED]
    assert (ended.cards, ended.code) == ((), "refuted")


def test_an_example_that_uses_it_is_no_entry(repo):
    shown = {"examples/proxy/README.md": "Run it with `proxyAddress`.\n"}
    assert "`README.md` short of it" in one(repo, TYPES, {**changed(TYPES, MORE), **shown}, LISTED).claim


def test_pages_that_list_few_of_the_members_owe_no_entry(repo):
    before = {**TYPES, "README.md": "Set `maxRetries` and `retryDelay`.\n\n- `userAgent`: who asks\n"}
    (ended,) = [one for one in review(repo, before, changed(before, MORE)) if one.rule == LISTED]
    assert (ended.cards, ended.code) == ((), "no_candidate")


def test_functions_with_the_same_omission_give_one_card(repo):
    twice = {"net/client.py": PY["net/client.py"] + "\n\n" + PY["net/client.py"].replace("def fetch(", "def refetch(")}
    after = changed(twice, ("retries=3", "retries=3, proxy=None"), (", retries)", ", retries, proxy)"))
    assert "lacks it too" in one(repo, twice, after, MISSING).claim
