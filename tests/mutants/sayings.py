"""Mutants of what a card says: its names and numbers, its impact and doubt, its effect."""

from __future__ import annotations

import re
from dataclasses import replace

from mutants import Card, Data, mutator, texts
from review_agent.stages.contract_case import Case
from review_agent.vocabulary import ContractCode, Draft, PlanQuery, QueryKind, QueryResult, QueryStatus


@mutator(ContractCode.INVENTED_SYMBOL)
def invented_symbol(card: Card, draft: Data):
    yield {**draft, "claim": draft["claim"] + " So does `TenantCache.get_everything`."}
    yield {**draft, "impactCondition": draft["impactCondition"] + " Then `phantom_hook` runs."}
    yield {**draft, "counterEvidence": ["A `phantom_hook` would refute this."]}


@mutator(ContractCode.INVENTED_SYMBOL)
def symbol_off_by_a_letter(card: Card, draft: Data):
    for piece in re.findall(r"`([A-Za-z_]\w{3,})`", draft["claim"]):
        yield {**draft, "claim": draft["claim"].replace(f"`{piece}`", f"`{piece}x`")}


@mutator(ContractCode.INVENTED_SYMBOL)
def effect_on_an_invented_subject(card: Card, draft: Data):
    yield {**draft, "effect": {**draft["effect"], "subject": "phantom_subject"}}


@mutator(ContractCode.INVENTED_PATH)
def invented_path(card: Card, draft: Data):
    path = draft["supportingRefs"][0]["path"]
    yield {**draft, "claim": draft["claim"] + " See `core/phantom.py`."}
    yield from texts(draft, path, f"lib/{path}")
    yield {**draft, "uncertainty": ["What core/phantom.go does with it was not read."]}


@mutator(ContractCode.INVENTED_NUMBER)
def invented_number(card: Card, draft: Data):
    yield {**draft, "claim": draft["claim"] + " It happens 4711 times."}
    yield {**draft, "impactCondition": draft["impactCondition"] + " It takes 987654 seconds."}


@mutator(ContractCode.INVENTED_NUMBER)
def wrong_line_in_the_claim(card: Card, draft: Data):
    for number in re.findall(r" line (\d+)", draft["claim"]):
        yield from texts(draft, f" line {number}", f" line {int(number) + 90}")


@mutator(ContractCode.INVENTED_NUMBER)
def line_number_as_an_amount(card: Card, draft: Data):
    """An amount that stands nowhere but as the number of a line that was read."""
    case = Case(card.question, card.bundle, card.snapshot, card.policy, card.sources)
    held = case.known.numbers | case.counts(Draft.model_validate(draft))
    lines = {line for ref in draft["supportingRefs"] for line in range(ref["startLine"], ref["endLine"] + 1)}
    for line in sorted(lines)[:2]:
        if str(line) not in held:
            yield {**draft, "claim": draft["claim"] + f" It happens {line} times."}


@mutator(ContractCode.UNQUOTED_IDENTIFIER)
def unquoted_identifier(card: Card, draft: Data):
    for piece in re.findall(r"`((?:[a-z]+/)+\w+\.\w+|\w+_\w+|[a-z]+\.[a-z_.]+|[A-Z]\w*[a-z][A-Z]\w*)`", draft["claim"]):
        yield from texts(draft, f"`{piece}`", piece)


@mutator(ContractCode.CLAIM_NOT_CONCRETE)
def vague_claim(card: Card, draft: Data):
    yield {**draft, "claim": "Consider handling this case better for more robustness."}
    yield {**draft, "claim": re.sub(r"`[^`]*[/.]\w+`( line \d+)?|\bline \d+", "a caller", draft["claim"])}


@mutator(ContractCode.IMPACT_EMPTY)
def empty_impact(card: Card, draft: Data):
    for text in ("", "   ", "Always.", "n/a", "When it is called."):
        yield {**draft, "impactCondition": text}


@mutator(ContractCode.IMPACT_RESTATES_CLAIM)
def impact_copied_from_the_claim(card: Card, draft: Data):
    yield {**draft, "impactCondition": draft["claim"][:400].replace("`", "")}
    shorter = " ".join(draft["claim"].replace("`", "").split()[:25])
    yield {**draft, "impactCondition": f"When this happens: {shorter}"}


@mutator(ContractCode.UNCERTAINTY_MISSING)
def missing_uncertainty(card: Card, draft: Data):
    for confidence in ("medium", "low"):
        yield {**draft, "confidence": confidence, "uncertainty": []}
        for text in ("None.", "No known doubts.", "Nothing is uncertain here."):
            yield {**draft, "confidence": confidence, "uncertainty": [text]}


@mutator(ContractCode.HEDGE_WITHOUT_UNCERTAINTY)
def hedge_word(card: Card, draft: Data):
    sure = {**draft, "uncertainty": [], "confidence": "high"}
    yield {**sure, "claim": "Perhaps: " + draft["claim"]}
    yield {**sure, "claim": draft["claim"].rstrip(".") + ", which might matter."}
    yield {**sure, "impactCondition": "Probably: " + draft["impactCondition"]}


_INVERTED = {"removed": "added", "added": "removed", "broadened": "narrowed", "weakened": "broadened"}
_VERBS = {
    "Removing": "Adding",
    "Deleting": "Introducing",
    "Adding": "Removing",
    "Broadening": "Narrowing",
    "Widening": "Restricting",
    "Renaming": "Removing",
    "Reordering": "Renaming",
    "Changing": "Renaming",
}


@mutator(ContractCode.EFFECT_NOT_IN_DIFF)
def inverted_effect(card: Card, draft: Data):
    effect = draft["effect"]
    # Narrowed cannot be told from broadened by counting: only an edit about the subject can.
    if effect["op"] in _INVERTED and (effect["op"] != "broadened" or card.question.edits[0].subject):
        yield {**draft, "effect": {**effect, "op": _INVERTED[effect["op"]]}}
    if effect["op"] == "renamed":
        yield {**draft, "effect": {**effect, "subject": effect["to"], "to": effect["subject"]}}
        yield {**draft, "effect": {**effect, "to": None}}
    if effect["op"] == "changed":
        yield {**draft, "effect": {**effect, "op": "reordered"}}


@mutator(ContractCode.EFFECT_NOT_IN_DIFF)
def effect_with_an_invented_target(card: Card, draft: Data):
    if draft["effect"]["to"] is not None:
        yield {**draft, "effect": {**draft["effect"], "to": "phantom"}}


@mutator(ContractCode.EFFECT_CONTRADICTS_CLAIM)
def inverted_verb(card: Card, draft: Data):
    for verb, inverted in _VERBS.items():
        if draft["claim"].startswith(verb):
            yield from texts(draft, verb, inverted)


@mutator(ContractCode.EFFECT_CONTRADICTS_CLAIM)
def opposite_verb_before_the_subject(card: Card, draft: Data):
    opposite = {"removed": "adds", "added": "removes", "broadened": "narrows"}.get(draft["effect"]["op"])
    if opposite:
        subject = draft["effect"]["subject"]
        yield {**draft, "claim": f"{draft['claim'].rstrip('.')}, and so it {opposite} the `{subject}`."}


@mutator(ContractCode.EFFECT_CONTRADICTS_CLAIM)
def claim_without_a_change(card: Card, draft: Data):
    ref = draft["supportingRefs"][0]
    claim = f"`{draft['effect']['subject']}` matters at `{ref['path']}` line {ref['startLine']}."
    yield {**draft, "claim": claim}


@mutator(ContractCode.ABSENCE_UNPROVEN)
def nothing_found_where_nobody_looked(card: Card, draft: Data):
    names = re.findall(r"[^\W\d]\w*", draft["effect"]["subject"])
    if not names:
        return
    name = names[-1]
    cut = QueryResult(
        query=PlanQuery(kind=QueryKind.CALLERS, name=name),
        status=QueryStatus.EMPTY,
        searched="3 files at head",
        files_searched=3,
        hits=0,
        resolved=0,
        ambiguous=0,
        unresolved=0,
        truncated=True,
        note="1 file not searched: binary",
        unread=1,
    )
    bundle = card.bundle.model_copy(update={"queries": (*card.bundle.queries, cut)})
    said = f"Another caller of `{name}` would refute this; the search found none."
    yield {**draft, "counterEvidence": [*draft["counterEvidence"], said]}, replace(card, bundle=bundle)
