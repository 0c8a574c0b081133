"""What is wrong with a control plane's files beyond their shape: what a record's types cannot say."""

from __future__ import annotations

import difflib
import re
import string
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from enum import StrEnum
from typing import Any

from review_agent import __version__, globs
from review_agent.counting import counted
from review_agent.policy.addresses import SUCH_AS, address_fault, model_fault, plain_address
from review_agent.policy.document import Path
from review_agent.policy.model import (
    CatalogEntry,
    ChangeKinds,
    MaskPattern,
    Queue,
    ReasonCode,
    SensitivePath,
    SkipGlobs,
    Steering,
    Trigger,
)
from review_agent.policy.model_engine import EnginePolicy, Price
from review_agent.policy.regexes import fault
from review_agent.policy.rules import RULES
from review_agent.vocabulary import EDIT_FACTS, ChangeKind, EffectOp

__all__ = ["LANGUAGES", "SLOTS", "Fault", "faults", "list_faults", "near"]

SLOTS = frozenset(
    {"subject", "to", "function", "path", "line", "support_path", "support_line", "head", "before", "after"}
)
LANGUAGES = ("python", "go", "java", "javascript", "typescript", "tsx", "yaml", "toml", "json", "ini", "env")
_TYPO = 0.85  # a rule as near to one as this is that one misspelt; farther off it is of another version
_NAMED = 6  # so many rules are named; more are counted
TRIGGER_SLOTS = frozenset({"subject", "before", "after", "function", "scope", "path", "line"})
Fault = tuple[Path, str, str]
"""Where, what, and a suggestion or nothing."""


def near(wrong: object, right: Iterable[str], cutoff: float = 0.5) -> str:
    """A suggestion by the nearest of the names that would be right; "" where none is near."""
    found = difflib.get_close_matches(str(wrong), list(right), n=1, cutoff=cutoff)
    return f"did you mean {found[0]}?" if found else ""


def faults(value: Any) -> Iterator[Fault]:
    """What a record's types cannot say."""
    if isinstance(value, ChangeKinds):
        yield from _kind_faults(value)
    elif isinstance(value, SkipGlobs):
        for rule, globs in value.globs.items():
            for index, glob in enumerate(globs):
                yield from _glob_fault(("globs", rule.value, index), glob)
    elif isinstance(value, Steering):
        yield from _steering_faults(value)
    elif isinstance(value, EnginePolicy):
        yield from _engine_faults(value)
    elif isinstance(value, Queue):
        for index, one in enumerate(value.suppressed):
            yield from _day_fault(("suppressed", index, "day"), one.day)
    elif isinstance(value, tuple):
        yield from list_faults(enumerate(value))


def _engine_faults(value: EnginePolicy) -> Iterator[Fault]:
    said = address_fault(plain_address(value.base_url)) if value.base_url.strip() else ""
    if said:
        yield ("baseUrl",), said, SUCH_AS
    for key, name in (("model", value.model), ("fallbackModel", value.fallback_model)):
        if said := model_fault(name):
            yield (key,), said, ""
    if not value.severities:
        yield ("severities",), "no severity is allowed, so no card of a model could pass", ""


def _price_faults(index: int, price: Price) -> Iterator[Fault]:
    if said := model_fault(price.model):
        yield (index, "model"), said, ""
    yield from _day_fault((index, "from"), price.from_)


def _day_fault(path: Path, day: str) -> Iterator[Fault]:
    try:
        date.fromisoformat(day)
    except ValueError:
        yield path, f"{day} is no day of the calendar", "write it as 2026-01-31"


def _steering_faults(value: Steering) -> Iterator[Fault]:
    for index, file in enumerate(value.files):
        yield from _glob_fault(("files", index, "glob"), file.glob)
    for index, one in enumerate(value.texts):
        if one.id in [before.id for before in value.texts[:index]]:
            yield ("texts", index, "id"), f"{one.id} stands twice", ""
        said = fault(one.pattern)
        if said:
            yield ("texts", index, "pattern"), said, ""


def _kind_faults(value: ChangeKinds) -> Iterator[Fault]:
    yield from _missing(("kinds",), ChangeKind, value.kinds)
    yield from _missing(("words", "effects"), EffectOp, value.words.effects)
    for op, stems in value.words.effects.items():
        if not stems:
            yield ("words", "effects", op.value), "no word states this effect", ""
    for kind, rule in value.kinds.items():
        if not rule.severities:
            yield ("kinds", kind.value, "severities"), "no severity is allowed, so no card could pass", ""
    for index, trigger in enumerate(value.triggers):
        yield from _trigger_faults(("triggers", index), trigger, [one.name for one in value.triggers[:index]])


def _trigger_faults(path: Path, trigger: Trigger, before: list[str]) -> Iterator[Fault]:
    if trigger.name in before:
        yield (*path, "name"), f"{trigger.name} stands twice", ""
    for key, listed in (("ops", trigger.ops), ("refutedIf", trigger.refuted_if)):
        if not listed:
            yield (*path, key), "the list is empty", ""
    for index, glob in enumerate(trigger.paths):
        yield from _glob_fault((*path, "paths", index), glob)
    for index, language in enumerate(trigger.languages):
        if language not in LANGUAGES:
            yield (*path, "languages", index), f"unknown language {language!r}", near(language, LANGUAGES)
    said = fault(trigger.subject) if trigger.subject else ""
    if said:
        yield (*path, "subject"), said, ""
    yield from _fact_faults(path, trigger)
    yield from _asked_faults(path, trigger)


def _fact_faults(path: Path, trigger: Trigger) -> Iterator[Fault]:
    """A fact that an edit never carries would keep that edit from raising the question, in silence."""
    for name in trigger.facts:
        lacking = [op for op in trigger.ops if name not in EDIT_FACTS[op]]
        if lacking:
            known = sorted(frozenset.intersection(*(EDIT_FACTS[op] for op in trigger.ops)))
            said = f"{', '.join(lacking)} has no fact {name!r}"
            yield (*path, "facts", name), said, near(name, known) or f"one of {', '.join(known)} (docs/edits.md)"


def _asked_faults(path: Path, trigger: Trigger) -> Iterator[Fault]:
    """What is wrong with the words of the question, and with its plan."""
    texts = {"change": trigger.change, "precondition": trigger.precondition, "consequence": trigger.consequence}
    for key, template in texts.items():
        yield from _template_faults((*path, key), template, TRIGGER_SLOTS)
    for index, template in enumerate(trigger.refuted_if):
        yield from _template_faults((*path, "refutedIf", index), template, TRIGGER_SLOTS)
    for index, query in enumerate(trigger.plan):
        for key, template in (("name", query.name), ("path", query.path)):
            yield from _template_faults((*path, "plan", index, key), template, TRIGGER_SLOTS)
        if query.scope:
            yield from _template_faults((*path, "plan", index, "scope"), query.scope, TRIGGER_SLOTS)


def _missing(path: Path, words: type[StrEnum], have: Iterable[object]) -> Iterator[Fault]:
    for word in words:
        if word not in have:
            yield path, f"the key {word.value} is missing", ""


def list_faults(items: Iterable[tuple[int, Any]]) -> Iterator[Fault]:
    """What is wrong with the items of a list, each with its place in it."""
    seen: set[str] = set()
    strange: dict[str, Path] = {}
    for index, item in items:
        if isinstance(item, SensitivePath):
            yield from _glob_fault((index, "glob"), item.glob)
            continue
        name, key = _name(item)
        if name in seen:
            yield (index, key), f"{name} stands twice", ""
        seen.add(name)
        if isinstance(item, MaskPattern):
            said = fault(item.pattern)
            if said:
                yield (index, "pattern"), said, ""
        elif isinstance(item, Price):
            yield from _price_faults(index, item)
        elif isinstance(item, CatalogEntry):
            strange |= {rule: (index, "rules", at) for at, rule in enumerate(item.rules) if _is_strange(rule)}
            yield from _entry_faults(index, item)
    if strange:
        yield _other_version(strange)


def _name(item: Any) -> tuple[str, str]:
    """What may stand in a list once, and the key that says it."""
    if isinstance(item, Price):
        return f"the price of {item.model} from {item.from_}", "from"
    return (item.code, "code") if isinstance(item, ReasonCode) else (item.id, "id")


def _is_strange(rule: str) -> bool:
    """Whether a rule is neither one of this version nor near to one."""
    return rule not in RULES and not near(rule, RULES, _TYPO)


def _other_version(strange: Mapping[str, Path]) -> Fault:
    """One problem for all rules that this version does not have: what to do is the same for each."""
    names = ", ".join(sorted(strange)[:_NAMED]) + (
        f" and {len(strange) - _NAMED} more" if len(strange) > _NAMED else ""
    )
    hint = (
        "they are of another version: take them out, install the version that has them, or copy the shipped file anew "
        "with `review-agent init validation-catalog.yml --force`"
    )
    count = counted(len(strange), "rule")
    return min(strange.values()), f"review-agent {__version__} does not have {count} that it names: {names}", hint


def _entry_faults(index: int, entry: CatalogEntry) -> Iterator[Fault]:
    for place, rule in enumerate(entry.rules):
        if rule not in RULES:
            misspelt = near(rule, RULES, _TYPO)
            yield from [((index, "rules", place), f"unknown rule {rule!r}", misspelt)] if misspelt else []
        elif RULES[rule] not in entry.kinds:
            yield (index, "kinds"), f"the rule {rule} is of the kind {RULES[rule].value}, which is not among them", ""
    if not entry.kinds and not entry.rules:
        yield (index,), "the entry names neither a rule nor a kind, so it applies to nothing", ""
    for key, template in (("procedure", entry.procedure), ("signal", entry.signal)):
        yield from _template_faults((index, key), template)
    yield from _command_faults(index, entry)


def _command_faults(index: int, entry: CatalogEntry) -> Iterator[Fault]:
    """A job starts a program of the caller's own by its name, never a file that stands in the reviewed tree."""
    for place, template in enumerate(entry.argv):
        yield from _template_faults((index, "argv", place), template)
    if entry.argv and not re.fullmatch(r"[\w.+-]+", entry.argv[0], re.ASCII):
        yield (index, "argv", 0), f"{entry.argv[0]!r} is not the bare name of a program", "name one that PATH has"
    for code in sorted({*entry.pass_codes} & {*entry.fail_codes}):
        yield (index, "failCodes"), f"exit code {code} cannot mean pass and fail at once", ""
    if entry.argv and entry.kind == "manual-check":
        yield (index, "argv"), "a manual-check has no command", "make it a test or a static-query"
    if entry.argv and entry.argv[0] != "git" and "runs_changed_code" not in entry.model_fields_set:
        said = f"whether {entry.argv[0]} runs code of the reviewed change is not said"
        yield (index, "argv"), said, "write runsChangedCode: true, or false where it only reads files"


def _template_faults(path: Path, template: str, known: frozenset[str] = SLOTS) -> Iterator[Fault]:
    if not template.strip():
        yield path, "empty", ""
    try:
        slots = [part[1:] for part in string.Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        yield path, f"not a template: {error}", "write a brace as {{ or }}"
        return
    for slot, spec, conversion in slots:
        if slot not in known:
            yield path, f"unknown slot {{{slot}}}", near(slot, known)
        if spec or conversion:
            yield path, f"the slot {slot} has a format; a slot is its name alone", f"write {{{slot}}}"


def _glob_fault(path: Path, glob: str) -> Iterator[Fault]:
    try:
        spec = globs.spec([glob])
    except globs.StarsError as error:
        yield path, f"the pattern {glob!r}: {error}", "write fewer, or several patterns; `**` counts as one"
        return
    except ValueError as error:
        yield path, f"not a gitignore pattern: {error}", ""
        return
    if all(one.include is None for one in spec.patterns):
        yield path, f"the pattern {glob!r} fits no path", "write a glob as in a .gitignore"
