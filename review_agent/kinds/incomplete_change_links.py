"""Rules of ``incomplete_change`` about texts: an address or number left as it was, a link that leads nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import basename
from urllib.parse import urlsplit

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    ask,
    blocked,
    code,
    draft,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.prose import MOST, beside, is_document, lasting, named
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.matching import Matcher
from review_agent.vocabulary import (
    Bundle,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Severity,
    UseFact,
)

__all__ = ["RULES"]

# An address that stands in more places is a convention of the project, not something left behind.
_CONVENTION = 10
_LIKE = 0.7
# Runs of addresses of one file that turned to another scheme: a few of them tell the rest.
_ENOUGH = 4
# Characters by which a line is told from its copy: evidence is cut beyond them.
_COMPARED = 150
# Queries of one plan.
_QUERIES = 8
# Names that no one is meant to open: namespaces, schemas, examples, licence texts.
_UNOPENED = re.compile(
    r"//(?:localhost|127\.|0\.0\.0\.0|[\w.-]*example\.|[\w.-]*\.(?:test|local)\b)|/licenses?/|\$\{|\{\{|%s"
    r"|//(?:www\.)?w3\.org|schema|/XDOC/|/POM/|\.(?:png|jpe?g|gif|svg|ico)(?:\?|$)|/assets/",
    re.IGNORECASE,
)
_NAMESPACE = re.compile(r"xmlns|DOCTYPE|schemaLocation|\$schema")


def _raise_link(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    links = _moved(edit, edits)
    if not links:
        return None
    old, new = next(iter(links.items()))
    return seed(
        edit,
        "link_left_behind",
        change=f"{code(old)} became {code(new)} in {code(edit.path)}",
        precondition=f"another place still gives {code(old)}",
        consequence="whoever follows it there comes to the address that this change leaves",
        refuted_if=("no other place gives the old address", "the other place means the old address"),
        plan=[ask(QueryKind.TEXT, one) for one in links][:_QUERIES],
        risk=-20,
    )


def _moved(edit: Edit, edits: Sequence[Edit]) -> dict[str, str]:
    """The addresses of an edit, old to new, of things that moved and that no edit before it has."""
    before = [one for one in edits[: edits.index(edit)] if one.op is EditOp.LINK_CHANGED]
    earlier = {link for one in before for link in texts(one, "links")}
    many = sum(one.path == edit.path for one in before) >= _ENOUGH
    pairs = zip(texts(edit, "links"), texts(edit, "afterLinks"), strict=True)
    return {
        old: new
        for old, new in pairs
        if old not in earlier
        and not _UNOPENED.search(old)
        and _same_thing(old, new)
        and not (many and _bare(old) == _bare(new))
    }


def _bare(url: str) -> str:
    return url.partition("://")[2].rstrip("/")


def _same_thing(old: str, new: str) -> bool:
    """Whether two addresses are of one thing that moved: alike, and not only in a version's digits."""
    one, other = urlsplit(old), urlsplit(new)
    if re.sub(r"\d", "", old) == re.sub(r"\d", "", new):
        return False
    if one.netloc.removeprefix("www.") == other.netloc.removeprefix("www."):
        return _stem(one.path) == _stem(other.path) or Matcher(old, new).ratio() >= _LIKE
    tail, other_tail = _tail(one.path), _tail(other.path)
    alike = Matcher(one.netloc, other.netloc).ratio() >= _LIKE
    return (bool(tail) and _tails_agree(tail, other_tail)) or (alike and _stem(one.path) == _stem(other.path))


def _stem(path: str) -> str:
    return re.sub(r"\.html?$", "", path.rstrip("/")).casefold()


def _tail(path: str) -> str:
    return re.sub(r"\.\w{2,4}$", "", path.rstrip("/").rpartition("/")[2]).casefold()


def _tails_agree(one: str, other: str) -> bool:
    return one == other or (len(one) > 5 and (one.startswith(other) or other.startswith(one)))


def _settle_link(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    became = dict(zip(texts(edit, "links"), texts(edit, "afterLinks"), strict=True))
    for query in question.plan:
        hits = _given(query.name, bundle)
        if 0 < len(hits) <= _CONVENTION:
            return (_link_card(question, query.name, became[query.name], hits),)
    return unsettled(
        NoFindingCode.NO_CANDIDATE,
        f"no single other place gives what {code(edit.path)} gave; searched: {searched(bundle, QueryKind.TEXT)}",
    )


def _given(old: str, bundle: Bundle) -> list[Found[UseFact]]:
    ends = re.compile(re.escape(old) + r"(?![\w/.?=&%+-]*[\w/])")
    hits = lasting(bundle, old)
    return [one for one in hits if ends.search(one.evidence.text) and not _NAMESPACE.search(one.evidence.text)]


def _link_card(question: Question, old: str, new: str, hits: Sequence[Found[UseFact]]) -> Draft:
    edit = question.edits[0]
    return draft(
        question,
        claim=f"Changing the address {code(old)} to {code(new)} in {code(edit.path)} leaves the old one in "
        f"{place(hits[0].ref)}{beside(hits)}.",
        op=EffectOp.CHANGED,
        subject=old,
        to=new,
        severity=Severity.SUGGESTION,
        support=[one.ref for one in hits[:MOST]],
        impact="A reader who follows the link there is sent to the place that was just given up.",
        counter=(f"A reason to keep {code(old)} at that place would refute this; the line itself gives none.",),
    )


def _raise_statement(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if any(one.op is EditOp.MINIMUM_RAISED and text(one, "beforeVersion") == text(edit, "was") for one in edits):
        # What the project asks of its language is the manifest's to say: it raises a question of its own.
        return None
    return seed(
        edit,
        "statement_left_behind",
        change=f"{code(edit.path)} says {text(edit, 'now')} where it said {text(edit, 'was')}",
        precondition="another document says the same in the same words, with the old number",
        consequence="two documents of the project disagree",
        refuted_if=("no other document says it", "the other speaks of another version or of the past"),
        plan=(ask(QueryKind.TEXT, edit.subject),),
        risk=-20,
    )


def _settle_statement(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.TEXT)
    if stopped is not None:
        return stopped
    hits = [one for one in lasting(bundle, edit.subject) if _is_elsewhere(one, edit)]
    if not hits:
        where = searched(bundle, QueryKind.TEXT)
        return unsettled(NoFindingCode.NO_CANDIDATE, f"no other document says it in these words; searched: {where}")
    was, now = text(edit, "was"), text(edit, "now")
    return (
        draft(
            question,
            claim=f"Changing {code(was)} to {code(now)} in {code(edit.path)} makes it disagree with "
            f"{place(hits[0].ref)}, which still says {code(edit.subject)}{beside(hits)}.",
            op=EffectOp.CHANGED,
            subject=was,
            to=now,
            severity=Severity.SUGGESTION,
            support=[one.ref for one in hits[:MOST]],
            impact="A reader of that other document goes by the number that no longer holds.",
            counter=("A document that describes an older release would refute this; its line names none.",),
        ),
    )


def _is_elsewhere(one: Found[UseFact], edit: Edit) -> bool:
    """Whether another document says it in a line of its own: copies of a whole line are another rule's."""
    copied = (edit.before or "")[:_COMPARED] == one.evidence.text.strip()[:_COMPARED]
    return one.ref.path != edit.path and is_document(one.ref.path) and not copied


def _raise_nowhere(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    leads = text(edit, "leads")
    if leads.startswith("..") or any(one in leads for one in ("{", "$", "<", "*", "%")):
        return None
    return seed(
        edit,
        "link_leads_nowhere",
        change=f"{code(edit.path)} now links to {code(edit.subject)}",
        precondition=f"there is no {code(leads)} at head",
        consequence="the link is dead",
        refuted_if=(f"{code(leads)} exists", "a tool writes it when the documents are built"),
        plan=(ask(QueryKind.PATH, f"/{named(leads)}"), ask(QueryKind.PATH, f"**/{named(basename(leads))}")),
        risk=-10,
    )


def _settle_nowhere(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    stopped = blocked(bundle, QueryKind.PATH)
    if stopped is not None:
        return stopped
    target, alike = (next(one for one in bundle.queries if one.query == query) for query in question.plan)
    places = found(bundle, UseFact, QueryKind.PATH, question.plan[1].name)
    if target.hits:
        return unsettled(NoFindingCode.REFUTED, f"{code(text(edit, 'leads'))} is there")
    if alike.hits != 1 or len(places) != 1:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"what {code(edit.subject)} means is not one file: {alike.hits} are called so",
            missing=(f"the file that {code(edit.subject)} means",),
        )
    return (_nowhere_card(question, places[0]),)


def _nowhere_card(question: Question, there: Found[UseFact]) -> Draft:
    edit = question.edits[0]
    return draft(
        question,
        claim=f"The link that is added, {code(edit.subject)}, leads from {code(edit.path)} to "
        f"{code(text(edit, 'leads'))}, and no such file is there: the only {code(basename(edit.subject))} is "
        f"{code(there.ref.path)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.SUGGESTION,
        support=[there.ref],
        impact="Readers who click through get a page that was not found; a strict build of the documents fails.",
        counter=("A tool that puts the page there when it builds would refute this; the tree itself has none.",),
    )


RULES = (
    Rule("link_left_behind", frozenset({EditOp.LINK_CHANGED}), _raise_link, _settle_link),
    Rule("statement_left_behind", frozenset({EditOp.STATEMENT_CHANGED}), _raise_statement, _settle_statement),
    Rule("link_leads_nowhere", frozenset({EditOp.LINK_ADDED}), _raise_nowhere, _settle_nowhere),
)
