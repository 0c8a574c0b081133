"""Edits that leave documentation and comments in disagreement with the code, and look-alikes that give none."""

import pytest
from differences import between

from review_agent.vocabulary import EditOp

LEFT, MISSING = EditOp.DOC_PARAMETER_LEFT, EditOp.DOC_PARAMETER_MISSING
DEFAULT, ERROR, NAME = EditOp.DOC_DEFAULT_LEFT, EditOp.DOC_ERROR_LEFT, EditOp.NAME_LEFT_IN_COMMENT

SPHINX = '''
def fetch(url, timeout=10, retries=3):
    """Get a page.

    :param url: where it is
    :param timeout: seconds to wait, defaults to 10
    :param retries: how often to try again
    :raises Timeout: if it takes too long
    """
    if timeout < 0:
        raise Timeout(url)
    return get(url, timeout, retries)
'''
GOOGLE = '''
def fetch(url, timeout=10, retries=3):
    """Get a page.

    Args:
        url (str): where it is
        timeout: seconds to wait,
            defaults to 10
        retries (int, optional): how often to try again

    Raises:
        Timeout: if it takes too long
    """
    if timeout < 0:
        raise Timeout(url)
    return get(url, timeout, retries)
'''
NUMPY = '''
def fetch(url, timeout=10, retries=3):
    """Get a page.

    Parameters
    ----------
    url : str
        Where it is.
    timeout : int
        Seconds to wait. Default: 10.
    retries : int
        How often to try again.

    Raises
    ------
    Timeout
        If it takes too long.
    """
    if timeout < 0:
        raise Timeout(url)
    return get(url, timeout, retries)
'''
STYLES = pytest.mark.parametrize("before", [SPHINX, GOOGLE, NUMPY], ids=["sphinx", "google", "numpy"])


def told(found):
    return [(str(one.op), one.subject) for one in found]


@STYLES
def test_an_entry_of_a_parameter_that_went(before):
    after = before.replace(", retries=3", "").replace(", retries)", ")")
    (edit,) = between(before, after, "python", LEFT)
    assert edit.subject == "retries"
    assert "retries" in edit.facts["docText"]


@STYLES
def test_an_entry_of_a_parameter_that_was_renamed(before):
    after = before.replace(", retries=3", ", attempts=3").replace(", retries)", ", attempts)")
    (edit,) = between(before, after, "python", LEFT)
    assert edit.facts["newName"] == "attempts"


@STYLES
def test_a_new_parameter_without_an_entry(before):
    after = before.replace("retries=3", "retries=3, proxy=None").replace(", retries)", ", retries, proxy)")
    (edit,) = between(before, after, "python", MISSING)
    assert (edit.subject, edit.facts["documented"]) == ("proxy", ("url", "timeout", "retries"))


@STYLES
def test_a_default_that_the_entry_still_gives(before):
    (edit,) = between(before, before.replace("timeout=10", "timeout=30"), "python", DEFAULT)
    assert (edit.before, edit.after) == ("10", "30")
    assert "10" in edit.facts["docText"]


@STYLES
def test_an_error_that_nothing_raises_any_more(before):
    after = before.replace("    if timeout < 0:\n        raise Timeout(url)\n", "")
    assert told(between(before, after, "python", ERROR)) == [("doc_error_left", "Timeout")]


QUIET = [
    (
        "the entry went along",
        [(", retries=3", ""), (", retries)", ")"), (":param retries: how often to try again", "")],
    ),
    ("keywords are taken anyway", [(", retries=3", ", **options"), (", retries)", ")")]),
    ("the entry says that it is of the past", [(", retries=3", ""), (", retries)", ")"), ("how often", "deprecated,")]),
    (
        "documentation names it elsewhere",
        [("retries=3", "retries=3, proxy=None"), ("Get a page.", "Get it by `proxy`.")],
    ),
    ("the entry gives the new default", [("timeout=10", "timeout=30"), ("defaults to 10", "defaults to 30")]),
    ("the body puts the old value in place", [("timeout=10", "timeout=None"), ("timeout < 0", "(timeout or 10) < 0")]),
    ("a helper raises it", [("if timeout < 0:\n        raise Timeout(url)", "check(timeout)")]),
    (
        "a kind of it is raised",
        [("raise Timeout(url)", "raise ReadTimeout(url)"), ("\ndef", "\nclass ReadTimeout(Timeout):\n    pass\ndef")],
    ),
]


@pytest.mark.parametrize(("why", "steps"), QUIET, ids=[why for why, _ in QUIET])
def test_documentation_that_is_right_gives_nothing(why, steps):
    before = SPHINX.replace("how often", "deprecated,") if why.startswith("the entry says") else SPHINX
    after = before
    for one, other in steps:
        after = after.replace(one, other)
    assert after != before
    assert not between(before, after, "python", LEFT, MISSING, DEFAULT, ERROR)


def test_others_that_have_no_entry_either():
    before = SPHINX.replace("    :param retries: how often to try again\n", "")
    after = before.replace("retries=3", "retries=3, proxy=None")
    assert not between(before, after, "python", MISSING)


JSDOC = """
/**
 * Get a page.
 *
 * @param {string} url - where it is
 * @param {number} [timeout=10] - seconds to wait
 * @param {Object} options
 * @param {number} options.retries - how often
 * @throws {RangeError} if timeout is below zero
 */
export function fetchPage(url, timeout = 10, options) {
  if (timeout < 0) {
    throw new RangeError(url);
  }
  return get(url, timeout, options);
}
"""
JAVADOC = """
class Client {
    /**
     * Gets a page.
     *
     * @param url where it is
     * @param timeout seconds to wait
     * @throws IllegalStateException if the client is closed
     */
    Page fetch(String url, int timeout) {
        if (closed) {
            throw new IllegalStateException(url);
        }
        return get(url, timeout);
    }
}
"""


def test_tags_of_javascript():
    less = JSDOC.replace(", options) {", ") {").replace(", options);", ");")
    assert told(between(JSDOC, less, "javascript", LEFT)) == [("doc_parameter_left", "options")]
    more = JSDOC.replace(", options) {", ", options, signal) {")
    assert told(between(JSDOC, more, "javascript", MISSING)) == [("doc_parameter_missing", "signal")]
    other = JSDOC.replace("timeout = 10", "timeout = 30")
    assert told(between(JSDOC, other, "javascript", DEFAULT)) == [("doc_default_left", "timeout")]
    calm = JSDOC.replace("  if (timeout < 0) {\n    throw new RangeError(url);\n  }\n", "")
    assert told(between(JSDOC, calm, "javascript", ERROR)) == [("doc_error_left", "RangeError")]


def test_a_parameter_that_is_taken_with_the_rest_can_be_passed_still():
    before = """
/**
 * Sends it.
 * @param {Request} request - what is asked
 * @param {object} settings - how to ask
 */
export function dispatch(request, settings) {
  return send(request, settings);
}
"""
    after = before.replace("(request, settings) {", "(request, ...rest) {").replace(
        "(request, settings);", "(request, rest[0]);"
    )
    gone = before.replace("(request, settings) {", "(request) {").replace("(request, settings);", "(request);")
    assert not [one for one in between(before, after, "javascript") if one.op is LEFT]
    assert [one.subject for one in between(before, gone, "javascript") if one.op is LEFT] == ["settings"]


def test_tags_of_java():
    less = JAVADOC.replace(", int timeout", "").replace(", timeout)", ")")
    assert told(between(JAVADOC, less, "java", LEFT)) == [("doc_parameter_left", "timeout")]
    calm = JAVADOC.replace("        if (closed) {\n            throw new IllegalStateException(url);\n        }\n", "")
    assert told(between(JAVADOC, calm, "java", ERROR)) == [("doc_error_left", "IllegalStateException")]


GO = """
package mail

// Options of a client.
type Options struct {
	// Retries is how often to try. See AllowInsecure for the scheme.
	Retries int

	AllowInsecure bool
}
"""


def test_a_comment_that_names_a_field_of_before():
    (edit,) = between(GO, GO.replace("\tAllowInsecure bool", "\tInsecure bool"), "go", NAME)
    assert (edit.subject, edit.facts["docLine"]) == ("AllowInsecure", 5)


@pytest.mark.parametrize(
    "comment",
    [
        "AllowInsecure was its name before.",
        "Deprecated: use AllowInsecure for the scheme.",
        "opts.AllowInsecure = true",
        "See http.AllowInsecure for the scheme.",
    ],
)
def test_a_comment_that_means_something_else(comment):
    before = GO.replace("See AllowInsecure for the scheme.", comment)
    assert not between(before, before.replace("\tAllowInsecure bool", "\tInsecure bool"), "go", NAME)


def test_a_name_that_the_file_uses_still():
    before = f"{GO}\nfunc f(o Other) bool {{ return o.AllowInsecure }}\n"
    assert not between(before, before.replace("\tAllowInsecure bool", "\tInsecure bool"), "go", NAME)
