"""A rule of ``cache_key``: a component left the key while the cached value still depends on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    found,
    place,
    searched,
    seed,
    text,
    texts,
    unsettled,
)
from review_agent.kinds.bodies import Body, body_at, has_word, named
from review_agent.kinds.cache_access import Access, accesses, act_of, cachey, holder
from review_agent.kinds.callers import worst_first
from review_agent.kinds.functions import function_of, split
from review_agent.kinds.rulebook import Rule
from review_agent.syntax.roles import words_of
from review_agent.syntax.testfiles import in_test
from review_agent.vocabulary import (
    Bundle,
    CallFact,
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
    SourceRef,
)

__all__ = ["RULES", "is_key", "root_of"]

_OPS = frozenset(
    {
        EditOp.COMPONENT_REMOVED,
        EditOp.ENTRY_REMOVED,
        EditOp.ARGUMENT_REMOVED,
        EditOp.ARGUMENT_CHANGED,
        EditOp.DECORATOR_CHANGED,
    }
)
# Lines of a hit that is cited in place of the excerpt around it.
_SHORT = 12
_OBJECT = frozenset({"self", "this", "cls"})
_IDENTITY = frozenset({"id", "uuid", "guid", "pk", "key", "slug", "uid", "hash", "digest", "sha", "etag", "token"})
_STANDING = named("digest fingerprint hash path file filename checksum slot tag")
_PATHS = named("join Join joinpath resolve of get path")
# Hooks of React and its query libraries that keep a value for the list that they are given.
_HOOKS = named("useMemo useCallback useSWR useSWRImmutable unstable_cache useMemoOne")
_LOGS = re.compile(r"(?i)\b(log|logger|logging|console|metrics?|statsd|span|trace|tracer|print|printf|println|slog)\b")
_EMPTY = re.compile(r"(?i)\b(none|null|nil|undefined)\b|^\s*(?:if|assert)\s+!?\s*(?:not\s+)?\(?[\w.]+\)?\s*[:{)]")
_WRAPPERS = named("""
    str String int len repr hash sorted tuple join lower upper strip toString toLowerCase toUpperCase trim fmt
    strconv Itoa FormatInt Sprint Sprintf strings ToLower ToUpper TrimSpace encodeURIComponent JSON stringify json
    dumps quote quote_plus url QueryEscape PathEscape Objects requireNonNull valueOf isoformat format int64 uint64
    string bool encode hexdigest md5 sha1 sha256 b64encode frozenset map list set getId get name value id ID
""")


def is_key(edit: Edit) -> bool:
    """Whether the value that an edit is about says that it is a key: by its name, its place or what it indexes."""
    target, call, kind = text(edit, "target"), text(edit, "call"), text(edit, "type")
    last = split(function_of(edit))[1]
    if any(_key_name(one) for one in (target, kind)) or call.endswith("[]") or call in _HOOKS:
        return True
    act = act_of(call.rpartition(".")[2]) if call else ""
    if act == "both" or (act and cachey(holder(call))):
        return True
    return bool(edit.facts.get("returned")) and (_key_name(last) or last.lower() in ("hashcode", "__hash__", "hash"))


def _stands_for(name: str) -> bool:
    """Whether a name says that its value stands for another one, as a digest or the path of a file does."""
    return bool(_STANDING & set(words_of(name.rpartition(".")[2])))


def _key_name(name: str) -> bool:
    parts = words_of(name.rpartition(".")[2])
    return bool({"key", "keys", "ck", "cachekey", "etag"} & set(parts)) or bool(parts and cachey(parts[-1], sure=True))


def lost(edit: Edit) -> str:
    """The part that a key lost by an edit, "" where it lost none."""
    if edit.op is EditOp.COMPONENT_REMOVED:
        return edit.subject if is_key(edit) or _stands_for(text(edit, "target")) else ""
    if edit.op is EditOp.ENTRY_REMOVED:
        keyed = _key_name(text(edit, "type")) or _key_name(text(edit, "target"))
        return (edit.before or "") if keyed or text(edit, "call").endswith("[]") else ""
    if edit.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED):
        name = text(edit, "name")
        goes = any(_key_name(one) for one in texts(edit, "targets")) and not act_of(name) and not _FORMATS.search(name)
        goes = goes or (name in _PATHS and any(_stands_for(one) for one in texts(edit, "targets")))
        builds = goes or words_of(name)[-1:] in (["key"], ["keys"])
        before = edit.before or ""
        return before if builds and root_of(before) and not _left(root_of(before), texts(edit, "arguments")) else ""
    if edit.op is EditOp.DECORATOR_CHANGED and _CACHES.search(text(edit, "name")):
        was, now = (_named_in(one or "") for one in (edit.before, edit.after))
        gone = [name for name in was if name not in now and name not in ("result", "root", "p", "a")]
        return gone[0] if gone else ""
    return ""


_FORMATS = re.compile(r"(?i)sprint|format|join|concat")
_CACHES = re.compile(r"(?i)cacheable|cached|cacheput|memoize")


def _named_in(annotation: str) -> list[str]:
    """Parameters that a caching annotation makes its key of: ``#tenant``, ``hashkey(tenant, sku)``."""
    found = re.findall(r"#([A-Za-z_]\w*)", annotation)
    for inside in re.findall(r"hashkey\(([^()]*)\)", annotation):
        found += re.findall(r"[a-z_]\w*", inside)
    return list(dict.fromkeys(found))


def _left(root: str, arguments: Sequence[str]) -> bool:
    return any(has_word(one, root) for one in arguments)


def root_of(component: str) -> str:
    """The name that a component is read from: ``tenant`` of ``str(tenant.id)``, ``self.locale`` of itself."""
    for name in re.findall(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*", re.sub(r"\"[^\"]*\"|'[^']*'", "", component)):
        parts = str(name).split(".")
        if parts[0] in _OBJECT and len(parts) > 1:
            return ".".join(parts[:2])
        if parts[0] not in _WRAPPERS:
            return parts[0]
    return ""


def _raise(edit: Edit, edits: Sequence[Edit]) -> Seed | None:
    component = lost(edit)
    root = root_of(component) if component else ""
    if in_test(edit.path) or not function_of(edit) or not root or not _first(edit, edits):
        return None
    scope, name = split(function_of(edit))
    plan = [
        ask(QueryKind.USES_INSIDE, root.rpartition(".")[2], path=edit.path, scope=function_of(edit)),
        ask(QueryKind.CALLERS, name, path=edit.path, scope=scope),
        ask(QueryKind.DEFINITION, name, path=edit.path, scope=scope),
    ]
    for callee in texts(edit, "calls")[:2] if edit.op is EditOp.DECORATOR_CHANGED else ():
        plan.append(ask(QueryKind.DEFINITION, callee, path=edit.path, scope=function_of(edit)))
    if text(edit, "target"):
        plan.append(ask(QueryKind.USES_INSIDE, text(edit, "target"), path=edit.path, scope=function_of(edit)))
    if scope:
        plan += [ask(QueryKind.DEFINITION, one, path=edit.path, scope=scope) for one in _makers(edit, scope)]
    if scope and root.partition(".")[0] in _OBJECT:
        plan.append(ask(QueryKind.LIFETIME, root.rpartition(".")[2], path=edit.path, scope=scope))
    return seed(
        edit,
        "key_component_removed",
        change=f"the key that {code(name)} makes no longer contains {code(component)}",
        precondition=f"the value kept under the key depends on {code(root)}, and more than one of it is asked for",
        consequence="an entry made for one is handed to another",
        refuted_if=(
            f"the cached value does not depend on {code(root)}",
            f"what is left of the key tells values of {code(root)} apart",
            "each has a store of its own",
            f"there is only one {code(root)}",
        ),
        plan=plan,
        risk=10,
    )


def _makers(edit: Edit, scope: str) -> list[str]:
    """The constructor of the object that a function belongs to."""
    names = {"python": "__init__", "java": split(scope)[1], "go": ""}
    name = names.get(edit.language, "constructor")
    return [name] if name else []


def _first(edit: Edit, edits: Sequence[Edit]) -> bool:
    same = [
        one
        for one in edits
        if one.op in _OPS
        and lost(one)
        and (one.path, function_of(one), lost(one)) == (edit.path, function_of(edit), lost(edit))
    ]
    return bool(same) and same[0].edit_id == edit.edit_id


@dataclass(frozen=True)
class Keyed:
    """Where a key is used: the body that asks the store, what it asks, what stands for the component there."""

    body: Body
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    name: str
    skip: frozenset[int]


def _settle(question: Question, bundle: Bundle) -> Settled:
    edit = question.edits[0]
    told = _told_apart(question, bundle)
    if told is not None:
        return told
    keyed = next(iter(_keyed(question, bundle)), None)
    if keyed is None:
        return blocked(bundle, QueryKind.CALLERS) or unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"no place was seen that asks a store for the key which lost {code(lost(edit))} and fills it",
            missing=(f"the store that the key goes to (searched: {searched(bundle)})",),
        )
    apart = _own_store(keyed)
    if apart is not None:
        return unsettled(
            NoFindingCode.REFUTED, f"{code(apart.store)} is a store of its own for each {code(keyed.name)}"
        )
    own = _per_object(question, bundle, keyed)
    if own is not None:
        return own
    depends = list(_depending(question, bundle, keyed))
    if not depends:
        return unsettled(
            NoFindingCode.REFUTED,
            f"what is kept in {code(keyed.writes[0].store)} is made without {code(keyed.name)}",
            refs=[keyed.body.ref],
        )
    return _with_callers(question, bundle, keyed, depends)


def _per_object(question: Question, bundle: Bundle, keyed: Keyed) -> Unsettled | None:
    """The component belongs to the object, and so does the store: each object has entries of its own."""
    edit = question.edits[0]
    root, store = keyed.name.rpartition(".")[2], keyed.writes[0].store.rpartition(".")[2]
    if not _is_member(question, bundle, keyed) or keyed.writes[0].store.partition(".")[0] == root:
        return None
    fresh = r"\{\}|dict\(\)|\bnew (?:\w*Map|LRU\w*|\w*Cache)\b|LRUCache\(|OrderedDict\(\)|TTLCache\("
    made = re.compile(rf"(?<!\w){re.escape(store)}\b[^=\n]*=(?!=)[^\n]*(?:{fresh}|(?<!\w){re.escape(root)}\b)")
    places = [body_at(bundle, one.ref.path, one.ref.start_line) for one in found(bundle, DefinitionFact)]
    if any(one is not None and one.ref.path == edit.path and made.search(one.text) for one in places):
        return unsettled(
            NoFindingCode.REFUTED, f"{code(store)} and {code(root)} both belong to the object: no two share entries"
        )
    return None


def _is_member(question: Question, bundle: Bundle, keyed: Keyed) -> bool:
    """Whether the component is a member of the object, not something that is passed or made in the function."""
    if keyed.name.partition(".")[0] in _OBJECT and "." in keyed.name:
        return True
    edit, name = question.edits[0], keyed.name
    definition = next(
        (one.fact for one in found(bundle, DefinitionFact) if one.fact.qualname == function_of(edit)), None
    )
    if edit.language != "java" or definition is None or "." in name:
        return False
    made = re.search(rf"(?<![\w.]){re.escape(name)}\s*=(?!=)|\b\w+ {re.escape(name)}\s*[=:;]", keyed.body.text)
    return name not in [one.name for one in definition.parameters] and made is None


def _told_apart(question: Question, bundle: Bundle) -> Unsettled | None:
    """What is left of the key still tells values apart: another part made of the same thing identifies it."""
    edit = question.edits[0]
    component = lost(edit)
    root, kept = root_of(component), texts(edit, "afterComponents") or texts(edit, "arguments")
    if component.isupper() or component.rpartition(".")[2].isupper():
        return unsettled(NoFindingCode.REFUTED, f"{code(component)} is one constant for all entries")
    for part in kept:
        same = root_of(part) == root and part != component
        if same and (part == root or _IDENTITY & set(words_of(part.removeprefix(root)))):
            return unsettled(NoFindingCode.REFUTED, f"{code(part)} in the key still tells values of {code(root)} apart")
    body = body_at(bundle, question.path, edit.start_line)
    for number, line in body.naming(root) if body else ():
        made = re.match(r"\s*(?:const |let |var |final |[\w<>\[\]]+ )?([\w.]+)\s*(?::=|=)(?!=)", line)
        if made and number != edit.start_line and any(has_word(part, made[1]) for part in kept):
            return unsettled(
                NoFindingCode.REFUTED, f"{code(made[1])} in the key is made of {code(root)} in line {number}"
            )
    return None


def _keyed(question: Question, bundle: Bundle) -> Iterator[Keyed]:
    edit = question.edits[0]
    body = body_at(bundle, question.path, edit.start_line)
    if body is not None and not edit.facts.get("returned"):
        yield from _in_body(body, _names_of(edit), root_of(lost(edit)), _changed(edit, body))
    if body is not None and (text(edit, "call") in _HOOKS or text(edit, "target") == "queryKey"):
        yield _hooked(body, edit)
    if body is not None and edit.op is EditOp.DECORATOR_CHANGED:
        whole = Access("both", edit.subject, edit.start_line, "")
        yield Keyed(body, (whole,), (whole,), lost(edit), _changed(edit, body))
    for one in _callers(question, bundle):
        yield from _in_caller(question, bundle, one)


def _hooked(body: Body, edit: Edit) -> Keyed:
    """A hook that keeps what its function makes, for as long as the list stays the same."""
    hook = text(edit, "call") or "queryKey"
    end = max((number for number, line in body.lines if hook in line and number <= edit.end_line), default=0)
    after = hook == "queryKey"
    last = next(
        (number for number, line in body.lines if number > edit.end_line and re.match(r"\s*\}\);?", line)), 10**9
    )
    first, until = (edit.start_line, last) if after else (end, edit.end_line)
    outside = [number for number, _ in body.lines if not first <= number <= until]
    whole = Access("both", hook, edit.start_line, "")
    return Keyed(body, (whole,), (whole,), root_of(lost(edit)), _changed(edit, body) | frozenset(outside))


def _names_of(edit: Edit) -> list[str]:
    """What the key is called in its own function: the name it is assigned to, else its new text between brackets."""
    if edit.op in (EditOp.ARGUMENT_REMOVED, EditOp.ARGUMENT_CHANGED):
        return [*texts(edit, "targets"), edit.subject]
    target = text(edit, "target")
    return [target] if target else [part for part in texts(edit, "afterComponents") if part]


def _changed(edit: Edit, body: Body) -> frozenset[int]:
    """Lines that make the key: they name the component without making the value."""
    named = any(has_word(part, root_of(lost(edit))) for part in texts(edit, "afterComponents"))
    return frozenset(range(edit.start_line, edit.end_line + 1)) if named and edit.side is Side.NEW else frozenset()


def _in_body(body: Body, names: Sequence[str], name: str, skip: frozenset[int]) -> Iterator[Keyed]:
    for key in names:
        seen = list(accesses(body, key))
        stores = dict.fromkeys(one.store for one in seen)
        for store in stores:
            here = [one for one in seen if one.store == store]
            reads = tuple(one for one in here if one.act in ("read", "both"))
            writes = tuple(one for one in here if one.act in ("write", "both"))
            if reads and writes:
                yield Keyed(body, reads, writes, name, skip)


def _callers(question: Question, bundle: Bundle) -> list[Found[CallFact]]:
    name = split(function_of(question.edits[0]))[1]
    calls = [one for one in found(bundle, CallFact, QueryKind.CALLERS, name) if not one.fact.in_test]
    return worst_first(question, calls)


def _in_caller(question: Question, bundle: Bundle, one: Found[CallFact]) -> Iterator[Keyed]:
    """A function that gets its key from the changed one and asks a store with it."""
    edit = question.edits[0]
    body = body_at(bundle, one.ref.path, one.ref.start_line)
    if body is None or not edit.facts.get("returned"):
        return
    passed = _passed(bundle, one, lost(edit))
    if not passed:
        return
    names = [*one.fact.targets, one.fact.callee]
    yield from _in_body(body, names, passed, frozenset(range(one.ref.start_line, one.ref.end_line + 1)))


def _passed(bundle: Bundle, one: Found[CallFact], component: str) -> str:
    """What a call gives for the parameter that the component is made of, by its root; its own name where it is no
    parameter (any more)."""
    root = root_of(component)
    for definition in found(bundle, DefinitionFact, QueryKind.DEFINITION):
        names = [p.name for p in definition.fact.parameters if p.name not in _OBJECT]
        if root in names:
            by_name = next((a.text for a in one.fact.arguments if a.keyword == root), None)
            at = names.index(root)
            plain = [a.text for a in one.fact.arguments if a.keyword is None]
            given = by_name or (plain[at] if at < len(plain) else "")
            return root_of(given)
    return root


def _own_store(keyed: Keyed) -> Access | None:
    """The access whose store is chosen by the component itself."""
    name = keyed.name.rpartition(".")[2]
    for one in (*keyed.reads, *keyed.writes):
        made = re.compile(rf"(?<![\w.]){re.escape(one.store)}\s*(?::=|=)(?!=)[^\n]*(?<!\w){re.escape(name)}(?!\w)")
        if has_word(one.store, name) or made.search(keyed.body.text):
            return one
    return None


def _depending(question: Question, bundle: Bundle, keyed: Keyed) -> Iterator[int]:
    """Lines that make the value with the component."""
    stores = {one.line for one in keyed.reads if one.act != "both"} - {one.line for one in keyed.writes}
    first = keyed.body.lines[0][0] if keyed.body.lines else 0
    header = _header_end(keyed.body)
    for number, line in keyed.body.naming(keyed.name):
        if first <= number <= header or number in keyed.skip | stores:
            continue
        if _LOGS.search(line) or (_EMPTY.search(line) and re.match(r"\s*(?:if|assert|}?\s*else)\b", line)):
            continue
        if _builds_key(line, question.edits[0]):
            continue
        yield number


def _header_end(body: Body) -> int:
    """The line on which a function's parameters end."""
    depth = 0
    for number, line in body.lines:
        depth += line.count("(") - line.count(")")
        if depth <= 0 and "(" in body.text.split("\n", 1)[0] + line and not line.lstrip().startswith("@"):
            return number
    return body.lines[0][0] if body.lines else 0


def _builds_key(line: str, edit: Edit) -> bool:
    return bool(re.match(r"\s*(?:const |let |var |final |String )?\w*(?:key|Key)\w*\s*(?::=|=)(?!=)", line))


def _with_callers(question: Question, bundle: Bundle, keyed: Keyed, depends: Sequence[int]) -> Settled:
    edit = question.edits[0]
    calls = _callers(question, bundle)
    ambiguous = [
        one for one in every(bundle, CallFact, QueryKind.CALLERS) if one.fact.resolution is Resolution.AMBIGUOUS
    ]
    own = not edit.facts.get("returned")
    if own and calls and not ambiguous:
        same = _one_value(bundle, calls, lost(edit))
        if same is not None:
            return unsettled(
                NoFindingCode.REFUTED,
                f"every resolved caller passes {code(same)}: there is only one",
                refs=[one.ref for one in calls],
            )
    support = _supports(bundle, keyed, depends)
    caller = next((one for one in calls if own and one.ref not in support), None)
    if caller is not None:
        support = [*support, caller.ref]
    elif edit.op is EditOp.DECORATOR_CHANGED:
        support = [*support, *_callee(bundle, edit)]
    if all(_near(bundle, one) for one in support):
        return unsettled(
            NoFindingCode.INSUFFICIENT_EVIDENCE,
            f"{code(keyed.name)} is named around the key only",
            missing=(f"a line outside the change that makes the value of {code(keyed.name)}, or a caller",),
        )
    return (_card(question, keyed, depends[0], caller, support),)


def _callee(bundle: Bundle, edit: Edit) -> list[SourceRef]:
    """The definition of what an annotated method calls with the component, where it takes one of that name."""
    asked = found(bundle, DefinitionFact, QueryKind.DEFINITION)
    name = root_of(lost(edit))
    return [one.ref for one in asked if one.ref.path != edit.path and name in [p.name for p in one.fact.parameters]][:1]


def _near(bundle: Bundle, ref: SourceRef) -> bool:
    return any(one.near_change for one in bundle.evidence if one.ref == ref)


def _one_value(bundle: Bundle, calls: Sequence[Found[CallFact]], component: str) -> str | None:
    """The one literal or constant that all callers pass, null where they pass several or what varies."""
    given = set()
    for one in calls:
        root = root_of(component)
        definition = next((d.fact for d in found(bundle, DefinitionFact, QueryKind.DEFINITION)), None)
        names = [p.name for p in definition.parameters if p.name not in _OBJECT] if definition else []
        plain = [a.text for a in one.fact.arguments if a.keyword is None]
        by_name = [a.text for a in one.fact.arguments if a.keyword == root]
        at = names.index(root) if root in names else -1
        given.add(by_name[0] if by_name else plain[at] if 0 <= at < len(plain) else "")
    value = next(iter(given)) if len(given) == 1 else ""
    return value if re.fullmatch(r"[A-Z][A-Z0-9_.]*|[\"'].*[\"']|\d+|[\w.]+\.[A-Z][A-Z0-9_]+", value) else None


def _supports(bundle: Bundle, keyed: Keyed, depends: Sequence[int]) -> list[SourceRef]:
    """The line that makes the value; where it stands in the change itself, also one that asks or fills the store."""
    hits = [one for one in bundle.evidence if one.origin == "hit" and one.ref.path == keyed.body.ref.path]
    by_line = {one.ref.start_line: one for one in reversed(hits) if one.ref.end_line - one.ref.start_line < _SHORT}
    lines = [*depends, *(one.line for one in (*keyed.writes, *keyed.reads)), *sorted(keyed.skip)]
    found = [by_line[number] for number in lines if number in by_line]
    if not any(number in by_line for number in depends):
        found = [one for one in found if one.ref.start_line in keyed.skip] if _near(bundle, keyed.body.ref) else []
        return [found[0].ref] if found else [keyed.body.ref]
    first, far = found[0], next((one for one in found if not one.near_change), None)
    return list(dict.fromkeys([first.ref, *([far.ref] if far and first.near_change else [])]))


def _card(
    question: Question, keyed: Keyed, line: int, caller: Found[CallFact] | None, support: Sequence[SourceRef]
) -> Draft:
    edit, store = question.edits[0], keyed.writes[0]
    name = split(function_of(edit))[1]
    key = text(edit, "target") or "the key"
    where = f"{code(keyed.body.ref.path)} line {line}"
    asked = f"; {place(caller.ref)} is one of those who ask" if caller else ""
    return draft(
        question,
        claim=f"Removing {code(lost(edit))} from {code(key) if key != 'the key' else key} in {code(name)} makes "
        f"{code(store.store)} hand out one entry for all: {where} still makes what is kept there with "
        f"{code(keyed.name)}{asked}.",
        op=EffectOp.REMOVED,
        subject=lost(edit),
        severity=Severity.BLOCKING,
        support=support,
        impact=f"Two requests agree in the remaining parts and differ in {code(lost(edit))} while the first one's "
        "entry is alive: the second gets a result that was computed for somebody else.",
        counter=(
            f"A store that separates by {code(keyed.name)} would refute this; {code(store.store)} is named without it.",
            f"A remaining part that implies {code(lost(edit))} would refute this; none of them is made of it.",
        ),
        uncertainty=()
        if caller or keyed.body.ref.path != question.path
        else (f"How many different values of {code(root_of(lost(edit)))} are asked for was not followed.",),
    )


RULES = (Rule("key_component_removed", _OPS, _raise, _settle),)
