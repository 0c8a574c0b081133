"""Rules of ``api_contract`` about those who use a library from outside: what a release gave them is gone or changed.

Nobody outside can be seen from here, so each leg is proven besides: the newest release before the change declares it
so, a line outside the change makes it public, nothing stands in its place, and nothing had announced its end. Where a
caller inside breaks too, the rules about callers speak, and these are silent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from review_agent.kinds.api_contract_public_card import DUNDERS, GONE, TAKEN, card_of, home_of, said_of
from review_agent.kinds.api_contract_public_shown import asks_what_shows, shown
from review_agent.kinds.api_contract_public_told import announced, asks_what_is_told, notes_of
from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    code,
    every,
    flag,
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.binding import bind
from review_agent.kinds.functions import called, new_signature, split
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.still_defined import still_there
from review_agent.syntax.languages import family_of
from review_agent.vocabulary import (
    Bundle,
    CallFact,
    DefinitionFact,
    Edit,
    EditOp,
    HistoryFact,
    NoFindingCode,
    QueryKind,
    Question,
    Side,
    UseFact,
)

__all__ = ["RULES"]

RULE = "public_interface_broken"
_OPS = GONE | TAKEN | {EditOp.ABSTRACT_MEMBER_ADDED, EditOp.RESULT_TYPE_CHANGED}
_KINDS = frozenset(
    {"function", "method", "class", "interface", "struct", "type", "constant", "variable", "field", "enum"}
)
# What Java shows to other packages; an interface lists its members without a word.
_JAVA_SHOWN = re.compile(r"\b(?:public|protected)\b|;$")
# Folders of what is not the library itself, or not for others.
_ASIDE = re.compile(
    r"(?:^|/)(?:internal|cmd|docs?|examples?|scripts?|tools?|bench\w*|vendor|node_modules|dist|build|ci|contrib|demo"
    r"|samples?|hack|third_party|test\w*|\w+test|mocks?|fixtures?|generated|t|[_.][^/]*)/"
    r"|(?:^|/)(?:setup|conf|noxfile|tasks|fabfile|__main__)\.py$|\.min\.[cm]?js$|\.pb\.go$"
)


def _speaks(edit: Edit) -> bool:
    """Whether an edit can break code outside, as far as its own file tells."""
    private = _ASIDE.search(edit.path) if edit.language != "python" else _ASIDE.search(_without_private(edit.path))
    if edit.op not in _OPS or edit.path != edit.old_path or private or not _is_named_for_others(edit):
        return False
    if edit.op in GONE:
        shown = edit.language != "java" or _JAVA_SHOWN.search(edit.before or "") is not None
        return text(edit, "symbolKind") in _KINDS and flag(edit, "exported") and shown
    return _CHANGES[edit.op](edit)


def _without_private(path: str) -> str:
    """A Python path with its private modules named as if they were not: a package may hand their names on."""
    return re.sub(r"(^|/)_+(?=\w)", r"\1", path) if not path.endswith(("__main__.py", "__init__.py")) else path


def _is_named_for_others(edit: Edit) -> bool:
    parts = home_of(edit).split(".")
    if edit.language == "go":
        return all(part[:1].isupper() for part in parts)
    if edit.language == "java" and "src/main/java/" not in edit.path:
        return False
    names = [*parts, edit.subject] if edit.language == "python" else parts
    return bool(parts[0]) and all(not part.startswith("_") or part in DUNDERS for part in names)


def _added(edit: Edit) -> bool:
    return flag(edit, "required") and edit.language != "javascript"


def _removed(edit: Edit) -> bool:
    return not flag(edit, "acceptsAny") and family_of(edit.path) != "javascript"


def _renamed(edit: Edit) -> bool:
    return edit.language == "python" and not flag(edit, "acceptsAny")


def _abstract(edit: Edit) -> bool:
    """Not of an interface that only its own package can implement."""
    if family_of(edit.path) == "javascript":
        return False
    return edit.language != "go" or all(one[:1].isupper() for one in (edit.subject, *texts(edit, "otherMembers")))


def _result(edit: Edit) -> bool:
    """Of Go, where a value became a list, a pointer or a map, or the other way round."""
    before, after = (re.sub(r"\w+ (?=[*\[])", "", one or "").split(", ") for one in (edit.before, edit.after))
    told = [(was, now) for was, now in zip(before, after, strict=False) if was != now and was not in _ANYTHING]
    return edit.language == "go" and any(_shape(was) != _shape(now) for was, now in told)


_ANYTHING = frozenset({"any", "interface{}"})


def _shape(kind: str) -> str:
    return (re.match(r"[*\[\]]*(?:map\b)?", kind) or [""])[0]


_CHANGES: Mapping[EditOp, Callable[[Edit], bool]] = {
    EditOp.PARAMETER_ADDED: _added,
    EditOp.PARAMETER_REMOVED: _removed,
    EditOp.PARAMETER_RENAMED: _renamed,
    EditOp.PARAMETERS_REORDERED: lambda edit: edit.language != "javascript",
    EditOp.PARAMETER_TIGHTENED: lambda edit: edit.language == "python",
    EditOp.ABSTRACT_MEMBER_ADDED: _abstract,
    EditOp.RESULT_TYPE_CHANGED: _result,
}


def _leading(edit: Edit, edits: Sequence[Edit]) -> Edit | None:
    """The edit that speaks for its file: one act gives one card; the least crowded hunk has room for the question."""
    here = [one for one in edits if one.path == edit.path]
    crowd = Counter(one.hunk_id for one in here if one.op in _OPS)
    return min((one for one in here if _speaks(one)), key=lambda one: crowd[one.hunk_id], default=None)


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    if _leading(edit, edits) is not edit:
        return None
    home = home_of(edit)
    outer, name = called(home) if edit.op in TAKEN else split(home)
    scope, own = split(home)
    notes = notes_of(edits)
    plan = [
        ask(QueryKind.DEFINITION, own, path=edit.path, scope=scope),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=outer),
        ask(
            QueryKind.HISTORY,
            f"{'standing' if edit.op is EditOp.ABSTRACT_MEMBER_ADDED else 'release'}:{home}",
            path=edit.old_path,
            side=Side.OLD,
        ),
        *asks_what_shows(edit, home if home.rpartition(".")[2] not in DUNDERS else scope),
        *asks_what_is_told(notes, said_of(home)),
    ]
    if scope:
        plan.insert(1, ask(QueryKind.DEFINITION, split(scope)[1], path=edit.path, scope=split(scope)[0]))
    return seed(
        edit,
        RULE,
        change=f"{code(said_of(home))} is not any more what the last release gave to others",
        precondition="it can be reached from outside the repository, and the last release has it as it was",
        consequence="code outside that was written for the release fails",
        refuted_if=(
            "it was not released, or not for others",
            "an alias, an overload or a default keeps the old use alive",
            "its end was announced",
        ),
        plan=plan,
        others=notes,
        risk=-12,
    )


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    told = _released(bundle)
    if isinstance(told, Unsettled):
        return told
    kept = _kept(question, bundle) or _inside(question, bundle)
    if kept is not None:
        return kept
    home = said_of(home_of(edit))
    line = shown(edit, bundle, home, told.fact.release)
    if line is None:
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no line outside the change shows that {code(home)} is meant for others",
            missing=(f"what makes {code(home)} public ({searched(bundle, QueryKind.TEXT)})",),
        )
    return (card_of(question, told.fact, line),)


def _released(bundle: Bundle) -> Found[HistoryFact] | Unsettled:
    told = [one for one in found(bundle, HistoryFact, QueryKind.HISTORY) if one.fact.release]
    if not told:
        why = next((one.note for one in bundle.queries if one.query.kind is QueryKind.HISTORY and one.note), "")
        otherwise = why.endswith("does not declare it so")
        said = "no release has it as it stood before the change" if otherwise else "no release gave this to others"
        return unsettled(NoFindingCode.NO_CANDIDATE, f"{said}: {why}")
    if told[0].fact.withheld:
        return unsettled(NoFindingCode.REFUTED, told[0].fact.withheld, refs=[told[0].ref])
    return told[0]


def _kept(question: Question, bundle: Bundle) -> Unsettled | None:
    """What keeps the old use alive: a definition, an alias of the type around it, a decorator that may accept it."""
    edit = question.edits[0]
    scope, name = split(home_of(edit))
    told = announced(question, bundle, said_of(home_of(edit)))
    if told is not None:
        return told
    alias = next((one for one in every(bundle, DefinitionFact, QueryKind.DEFINITION) if _is_alias(one)), None)
    if alias is not None:
        return unsettled(NoFindingCode.REFUTED, f"{place(alias.ref)} makes it another name", refs=[alias.ref])
    if edit.op in GONE:
        return still_there(question, bundle, name, scope)
    if edit.op in TAKEN:
        definition = new_signature(question, bundle)
        return definition if isinstance(definition, Unsettled) else None
    return None


def _is_alias(one: Found[DefinitionFact]) -> bool:
    return re.search(r"^\s*(?:type\s+)?\w+\s+=\s+\S", one.evidence.text) is not None and one.fact.symbol == "type"


def _inside(question: Question, bundle: Bundle) -> Unsettled | None:
    """A use inside that the change breaks too: the rules about callers speak of it, unless it is a test's."""
    edit = question.edits[0]
    uses: list[Found[CallFact] | Found[UseFact]] = [*found(bundle, CallFact, QueryKind.CALLERS)]
    uses += found(bundle, UseFact, QueryKind.CALLERS)
    definition = new_signature(question, bundle) if edit.op in TAKEN else None
    own = (one for one in uses if one.ref.side is Side.NEW and not one.fact.in_test)
    broken = [one for one in own if _breaks(one, edit, definition)]
    if not broken:
        return None
    said = f"{place(broken[0].ref)} still counts on it inside: the rules about callers judge that"
    return unsettled(NoFindingCode.NO_CANDIDATE, said, refs=[one.ref for one in broken[:3]])


def _breaks(one: Found[CallFact] | Found[UseFact], edit: Edit, definition: DefinitionFact | Unsettled | None) -> bool:
    if edit.op in GONE:
        return True
    if not isinstance(definition, DefinitionFact) or not isinstance(one.fact, CallFact):
        return False
    binding = bind(definition, one.fact, edit.language)
    return binding.known and not binding.fits


RULES = (Rule(RULE, _OPS, _raise, _settle),)
