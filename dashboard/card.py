"""One card as a reviewer weighs it: what it claims and what speaks against it side by side, then the change, the
evidence, how to check it, what was searched, and what was decided before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard import exhibits
from dashboard.tree import Node, el, fold, key, prose
from dashboard.words import ago, count, label, place, short, standing_word, when
from review_agent.ledger.store import CardDetail

__all__ = ["card_view", "copied"]


def card_view(
    found: CardDetail, *, owners: Sequence[str] = (), earlier: Sequence[Mapping[str, Any]] = (), doubt: str = ""
) -> Node:
    """The whole card; every excerpt is from the run log. ``doubt``: why that may not be what git has."""
    card = found.row.card
    return el(
        f"section.card.{card['severity']}",
        _head(found, owners),
        el("p.warn", doubt) if doubt else None,
        _standing(found),
        el("div.sides", _claim(card), _against(card)),
        _change(card, found.hunk),
        _evidence(card, found.bundle),
        _check(card),
        _searched(card, found.question, found.bundle),
        _decided(found.decisions, earlier),
    )


def copied(card: Mapping[str, Any]) -> str:
    """What copying the verification takes: each procedure on a line of its own."""
    return " ; ".join(one["commandOrProcedure"] for one in card["verification"])


def _head(found: CardDetail, owners: Sequence[str]) -> Node:
    card, run = found.row.card, found.row.run
    facts = [
        el("span.kind", label(card["changeKind"])),
        el("span.rule", label(card["rule"])),
        el("span", f"{card['confidence']} confidence"),
        el("span", "may be posted" if card["modelMayPost"] else "is not to be posted"),
        el("span", ", ".join(owners)) if owners else None,
        el("span", f"blind audit: {label(found.row.audit)}") if found.row.audit else None,
        el(
            "span",
            f"run {ago(run.started_at)} ago" if ago(run.started_at) != "now" else "run just now",
            title=run.run_file,
        ),
    ]
    return el(
        "header",
        el(
            "div.where",
            el("span.severity", card["severity"]),
            el("span.path", place(card["diffAnchor"])),
            el("span.id", short(card["cardId"])),
        ),
        el("div.facts", facts),
    )


def _standing(found: CardDetail) -> Node | None:
    """What stands on the card now; an open card says nothing."""
    if not found.decisions or (found.row.state == "hidden" and found.decisions[-1]["act"] == "reopen"):
        return None
    last = found.decisions[-1]
    said = standing_word(found.row.state)
    if last["act"] == "attach":
        proof = last.get("proof") or {}
        said = f"proof attached: {proof.get('job', '')} {proof.get('result', '')}"
    reason = f" · {label(last['reasonCode'])}" if last.get("reasonCode") else ""
    return el(
        f"div.standing.{found.row.state}",
        el("b", said),
        f"{reason} · by {last['reviewer']}, {when(last['at'])}",
        el("div.said", last["comment"]) if last.get("comment") else None,
        _log(last.get("proof") or {}),
    )


def _log(proof: Mapping[str, Any]) -> Node | None:
    if not proof.get("log"):
        return None
    digest = proof.get("logSha256")
    return fold(
        f"log · sha256 {digest[:12]}" if digest else "log · typed or pasted, so of no file's hash",
        el("div.log", [el("div", line) for line in proof["log"].split("\n")]),
    )


def _claim(card: Mapping[str, Any]) -> Node:
    return el(
        "div.side.for",
        el("h2", "Claim"),
        el("p.claim", prose(card["claim"])),
        el("h2", "When it bites"),
        el("p", prose(card["impactCondition"])),
    )


def _against(card: Mapping[str, Any]) -> Node:
    counter, doubt = card["counterEvidence"], card["uncertainty"]
    return el(
        "div.side.against",
        el("h2", "Against it"),
        _list(counter) if counter else el("p.none", "The card names nothing that speaks against it."),
        el("h2", "Uncertain"),
        _list(doubt) if doubt else el("p.none", f"Nothing stated, at {card['confidence']} confidence."),
    )


def _list(items: Iterable[str]) -> Node:
    return el("ul", [el("li", prose(item)) for item in items])


def _check(card: Mapping[str, Any]) -> Node:
    rows = [
        el(
            "div.verify",
            el(
                "button.copy",
                key("v") if not index else None,
                "Copy",
                copy=one["commandOrProcedure"],
                type="button",
                title="copy this check",
            ),
            el(
                "div",
                el("p.do", el("span.tag", label(one["kind"])), _procedure(one)),
                el("p.signal", prose(one["expectedSignal"])),
            ),
        )
        for index, one in enumerate(card["verification"])
    ]
    return el("div.part.checks", el("h2", "Check"), rows or el("p.none", "No check is planned for this card."))


def _procedure(one: Mapping[str, Any]) -> list[Node]:
    """A sentence for people, or a command as it is typed."""
    said = one["commandOrProcedure"]
    return prose(said) if one["kind"] == "manual-check" or "`" in said else [el("code.command", said)]


def _change(card: Mapping[str, Any], hunk: Mapping[str, Any]) -> Node:
    anchor = card["diffAnchor"]
    origin = f" from {hunk['oldPath']}" if hunk["oldPath"] != hunk["path"] else ""
    said = (
        f"@@ -{hunk['oldStart']},{hunk['oldCount']} +{hunk['newStart']},{hunk['newCount']} {hunk['section']}".rstrip()
    )
    return el(
        "div.part",
        el("h2", "The change"),
        el(
            "div.file",
            el("div.filehead", el("span.path", hunk["path"] + origin), el("span.hunk", said)),
            exhibits.hunk(hunk, anchor["side"], [(anchor["startLine"], anchor["endLine"])]),
        ),
    )


def _evidence(card: Mapping[str, Any], bundle: Mapping[str, Any]) -> Node:
    files = [
        _exhibit(held, text, refs, bundle) for held, text, refs in _groups(card["supportingRefs"], bundle["evidence"])
    ]
    return el("div.part", el("h2", f"Evidence · {count(len(card['supportingRefs']), 'place')}"), files)


def _groups(
    refs: Sequence[Mapping[str, Any]], evidence: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], str, list[Mapping[str, Any]]]]:
    """The refs by the widest excerpt that holds them."""
    groups: dict[tuple[Any, ...], tuple[Mapping[str, Any], str, list[Mapping[str, Any]]]] = {}
    for ref in refs:
        holding = [one for one in evidence if _holds(one["ref"], ref)]
        found = max(holding, key=lambda one: one["ref"]["endLine"] - one["ref"]["startLine"], default=None)
        held = ref if found is None else found["ref"]
        group = (held["path"], held["side"], held["commit"], held["startLine"], held["endLine"])
        groups.setdefault(group, (held, "" if found is None else found["text"], []))[2].append(ref)
    return list(groups.values())


def _exhibit(held: Mapping[str, Any], text: str, refs: Sequence[Mapping[str, Any]], bundle: Mapping[str, Any]) -> Node:
    head = [el("span.role", label(role)) for role in dict.fromkeys(ref["role"] for ref in refs)]
    shown = (
        exhibits.excerpt(held["path"], held["startLine"], text, [(ref["startLine"], ref["endLine"]) for ref in refs])
        if text
        else el("p.none", "The run log holds no excerpt of these lines.")
    )
    reasons = list(dict.fromkeys(reason for ref in refs for reason in _reasons(ref, bundle)))
    return el(
        "div.file",
        el(
            "div.filehead",
            el("span.path", ", ".join(place(ref) for ref in refs)),
            head,
            el("span.hunk", f"{held['side']} side · {held['commit'][:12]}"),
        ),
        el("div.why", [el("p", prose(reason)) for reason in reasons]) if reasons else None,
        shown,
    )


def _reasons(ref: Mapping[str, Any], bundle: Mapping[str, Any]) -> Iterable[str]:
    """Why the place counts: what allows its names to mean what the card says they mean."""
    for one in bundle["evidence"]:
        if _holds(ref, one["ref"]):
            for fact in one["facts"]:
                if fact.get("reason"):
                    yield fact["reason"]


def _holds(whole: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    same = all(whole[name] == part[name] for name in ("path", "commit", "side"))
    return bool(same and whole["startLine"] <= part["startLine"] and part["endLine"] <= whole["endLine"])


def _searched(card: Mapping[str, Any], question: Mapping[str, Any], bundle: Mapping[str, Any]) -> Node:
    spent = bundle["spent"]
    said = (
        f"Searched · {count(spent['queries'], 'query', 'queries')}, {count(spent['candidateFiles'], 'candidate')}, "
        f"{count(spent['linesRead'], 'line')} read"
        + (f" · {len(bundle['leftOut'])} left out" if bundle["leftOut"] else "")
    )
    refuting = el("div.refuting", el("h3", "Would refute it"), _list(question["refutedIf"]))
    rows = [
        el("tr", el("td", query), el("td", el("span.tag", one["status"])), el("td", _result(one)))
        for one in bundle["queries"]
        for query in [_query(one)]
    ]
    table = el(
        "table",
        el("thead", el("tr", el("th", "query"), el("th", "status"), el("th", "searched and found"))),
        el("tbody", rows),
    )
    left = [el("li", el("b", label(one["what"])), ": ", *prose(one["why"])) for one in bundle["leftOut"]]
    return el(
        "div.part.searched",
        fold(
            said,
            refuting,
            table,
            el("p", "Looked for elsewhere: ", ", ".join(card["searched"])) if card.get("searched") else None,
            el("div", el("h3", "Left out"), el("ul", left)) if left else None,
        ),
    )


def _query(one: Mapping[str, Any]) -> Node:
    query = one["query"]
    at = query["scope"] or query["path"]
    return el(
        "span",
        f"{label(query['kind'])} ",
        el("code", query["name"]) if query["name"] else None,
        f" in {at}" if at else None,
    )


def _result(one: Mapping[str, Any]) -> Node:
    parts = [one["searched"], f"{one['resolved']} of {one['hits']} resolved"]
    parts += [f"{one['ambiguous']} ambiguous"] if one["ambiguous"] else []
    parts += ["cut"] if one["truncated"] else []
    parts += [one["note"]] if one["note"] else []
    return el("span", prose(" · ".join(parts)))


def _decided(decisions: Sequence[Mapping[str, Any]], earlier: Sequence[Mapping[str, Any]]) -> Node | None:
    if not decisions and not earlier:
        return el(
            "div.part.decided",
            el("h2", "Decisions"),
            el("p.none", "None yet, here or on an earlier card of this finding."),
        )
    rows = [_decision(one, "this card") for one in reversed(decisions)]
    rows += [_decision(one, f"earlier card {short(str(one.get('cardId', '')))}") for one in reversed(earlier)]
    return el("div.part.decided", el("h2", "Decisions on this finding"), el("ul.history", rows))


def _decision(one: Mapping[str, Any], of: str) -> Node:
    reason = f" · {label(one['reasonCode'])}" if one.get("reasonCode") else ""
    until = f" · until {one['until']}" if one.get("until") else ""
    word = "undo" if one["act"] == "reopen" else label(one["act"])
    return el(
        "li",
        el("span.time", when(one["at"])),
        el(f"b.{one['act']}", word),
        f"{reason}{until} · {one['reviewer']} · {of}",
        el("div.said", one["comment"]) if one.get("comment") else None,
        _log(one.get("proof") or {}),
    )
