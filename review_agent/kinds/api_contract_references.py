"""Rule of ``api_contract`` about new references: a name taken from a module of the repository that has no such name."""

from __future__ import annotations

from collections.abc import Sequence

from review_agent.kinds.base import (
    Found,
    Seed,
    Settled,
    Unsettled,
    ask,
    blocked,
    code,
    draft,
    every,
    place,
    searched,
    seed,
    text,
    unsettled,
)
from review_agent.kinds.languages import SCRIPTS, compiled, silent
from review_agent.kinds.rulebook import Rule
from review_agent.kinds.wording import inside_block
from review_agent.vocabulary import (
    Bundle,
    DefinitionFact,
    Draft,
    Edit,
    EditOp,
    EffectOp,
    NoFindingCode,
    QueryKind,
    Question,
    Resolution,
    Severity,
    Side,
    UseFact,
)

__all__ = ["RULES"]

# Every new import asks, nearly every one is found: no other question of a hunk may lose its place to such a one.
_COMMON = -60

Definitions = Sequence[Found[DefinitionFact]]


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    module = text(edit, "module")
    if not module:
        return None
    return seed(
        edit,
        "name_does_not_exist",
        change=f"{code(edit.path)} now takes {code(edit.subject)} from {code(module)}",
        precondition=f"{code(module)} is a module of this repository and has no {code(edit.subject)}",
        consequence=_fails(edit),
        refuted_if=(
            f"{code(module)} defines, imports or contains {code(edit.subject)}",
            f"{code(module)} is not a module of this repository, or answers for names that are not written in it",
        ),
        plan=(
            ask(QueryKind.DEFINITION, edit.subject, path=edit.path, scope=module),
            ask(QueryKind.USES_INSIDE, edit.subject, path=edit.path),
        ),
        risk=_COMMON,
    )


def _fails(edit: Edit) -> str:
    if compiled(edit):
        return f"the importing {'package' if edit.language == 'go' else 'file'} does not compile"
    if silent(edit):
        return _undefined(edit)
    return "the import raises `ImportError`" if text(edit, "form") == "import" else "it raises `AttributeError`"


def _undefined(edit: Edit) -> str:
    """JavaScript refuses only an ``import`` of a name that is not there; taken from an object it is undefined."""
    if text(edit, "form") == "import" and "require(" not in (edit.after or ""):
        return "the module cannot be linked"
    return "it is `undefined` there"


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    asked = [one for one in every(bundle, DefinitionFact) if one.ref.side is Side.NEW]
    named = [one for one in asked if one.fact.symbol != "module"]
    modules = [one for one in asked if one.fact.symbol == "module"]
    there = [one for one in modules if edit.subject in one.fact.members]
    if named or there:
        first = (named or there)[0]
        detail = f"{code(edit.subject)} is found: {place(first.ref)}"
        sure = first.fact.resolution is Resolution.RESOLVED
        answer = NoFindingCode.REFUTED if sure else NoFindingCode.CONFLICTING_EVIDENCE
        return unsettled(answer, detail, refs=[one.ref for one in (*named, *there)])
    taken = every(bundle, UseFact, QueryKind.DEFINITION)
    if modules and taken:
        detail = f"{place(taken[0].ref)}, which the change leaves alone, takes {code(edit.subject)} from it already"
        return unsettled(NoFindingCode.REFUTED, detail, refs=[taken[0].ref])
    return blocked(bundle, QueryKind.DEFINITION) or _settle_modules(question, bundle, modules)


def _settle_modules(question: Question, bundle: Bundle, modules: Definitions) -> Settled:
    edit = question.edits[0]
    module = code(text(edit, "module"))
    deferred = _in_block(question, bundle)
    whole = [one for one in modules if one.fact.closed and one.fact.resolution is Resolution.RESOLVED]
    if len(whole) == len(modules) == 1:
        return deferred or (_card(question, whole[0]),)
    if modules:
        first = modules[0]
        detail = f"not all names of {module} are seen at {place(first.ref)}: {first.fact.reason}"
        missing = (f"all names that {module} gives",)
        return unsettled(NoFindingCode.INSUFFICIENT_EVIDENCE, detail, missing=missing, refs=[first.ref])
    where = searched(bundle, QueryKind.DEFINITION)
    return unsettled(NoFindingCode.NO_CANDIDATE, f"{module} is not a module of this repository; searched: {where}")


def _in_block(question: Question, bundle: Bundle) -> Unsettled | None:
    """Why the import need not be carried out, or may fail: it stands inside an ``if``, a ``try`` or the like."""
    edit = question.edits[0]
    if compiled(edit) or text(edit, "form") != "import":
        return None
    lines = range(edit.start_line, edit.end_line + 1)
    here = [
        one
        for one in every(bundle, UseFact, QueryKind.USES_INSIDE)
        if one.fact.use == "import" and one.ref.start_line in lines
    ]
    if here and not any(inside_block(one.evidence.text, one.fact.scope) for one in here):
        return None
    return unsettled(
        NoFindingCode.INSUFFICIENT_EVIDENCE,
        f"{code(edit.path)} line {edit.start_line} imports {code(edit.subject)} inside a block of its own",
        missing=("whether that import is carried out, and what answers where it fails",),
    )


def _card(question: Question, module: Found[DefinitionFact]) -> Draft:
    edit = question.edits[0]
    subject, where = code(edit.subject), code(module.ref.path)
    package = edit.language in ("go", "java")
    lacks = "which no file of that package declares" if package else f"which {where} does not have"
    searched_in = f"no file beside {where} has one" if package else f"{where} has none"
    return draft(
        question,
        claim=f"Adding {subject} in {code(edit.path)} line {edit.start_line} takes it from "
        f"{code(text(edit, 'module'))}, {lacks}: {_fails(edit)}.",
        op=EffectOp.ADDED,
        subject=edit.subject,
        severity=Severity.BLOCKING,
        support=[module.ref],
        impact=_impact(edit),
        counter=(f"A declaration of that name would refute this; {searched_in}.", _openings(edit)),
    )


def _openings(edit: Edit) -> str:
    if edit.language == "java":
        return "A generator, which makes classes that are in no file, would refute this; the build names none."
    if edit.language == "go":
        return "A generator or cgo, which make names that are in no file, would refute this; the package has neither."
    if edit.language in SCRIPTS:
        return "An export that its text does not show would refute this; the module sets none by other means."
    return "A star import or a function that answers for any name would refute this; the module has neither."


def _impact(edit: Edit) -> str:
    if compiled(edit):
        return f"Anything that depends on the importing {'package' if edit.language == 'go' else 'file'} is built."
    if silent(edit) and "undefined" in _undefined(edit):
        return "Control reaches a use of the name; loading the file alone does not show it."
    if text(edit, "form") == "import" and edit.scope:
        return f"{code(edit.scope)} is entered; loading the file alone does not show it."
    if text(edit, "form") == "import":
        return "The importing file is loaded, before any of its own code runs."
    return "Control reaches that expression; loading the file alone does not show it."


RULES = (Rule("name_does_not_exist", frozenset({EditOp.REFERENCE_ADDED}), _raise, _settle),)
