"""Hand-made edits, questions and bundles, so that a kind is tested without git and without a parser."""

from dataclasses import dataclass

from review_agent.kinds.base import Kind, Seed
from review_agent.vocabulary import (
    ArgumentFact,
    Bundle,
    CallFact,
    ConfigFact,
    DefinitionFact,
    Edit,
    EditOp,
    Evidence,
    EvidenceSpend,
    Fact,
    ImplementerFact,
    ParameterFact,
    QueryKind,
    QueryResult,
    QueryStatus,
    Question,
    Resolution,
    Role,
    Side,
    SourceRef,
    UseFact,
)

RESOLVED = Resolution.RESOLVED
AMBIGUOUS = Resolution.AMBIGUOUS


def make_ref(path, line, end=None, *, role=Role.CALLER, side=Side.NEW):
    return SourceRef(
        path=path,
        start_line=line,
        end_line=end or line,
        commit="c" * 40,
        role=role,
        side=side,
        blob="b" * 40,
        quote_sha256="a" * 64,
    )


def make_edit(
    op: EditOp,
    subject: str,
    *,
    path="src/shop/pricing.py",
    language="python",
    side=Side.NEW,
    line=10,
    end=None,
    scope="",
    before=None,
    after=None,
    **facts,
):
    return Edit(
        edit_id=f"e-{op}-{subject}-{path}-{line}",
        op=op,
        hunk_id=f"h-{path}-{line}",
        path=path,
        old_path=path,
        language=language,
        side=side,
        start_line=line,
        end_line=end or line,
        scope=scope,
        subject=subject,
        before=before,
        after=after,
        facts=facts,
    )


def seeds(kind: Kind, *edits: Edit, rule: str | None = None) -> list[Seed]:
    return [seed for seed in kind.trigger(edits) if rule in (None, seed.rule)]


def make_question(kind: Kind, *edits: Edit, rule: str | None = None) -> Question:
    """The first question that these edits raise (under ``rule``, where one is named)."""
    seed = seeds(kind, *edits, rule=rule)[0]
    first = seed.edits[0]
    anchor = make_ref(first.path, seed.anchor_start, seed.anchor_end, role=Role.DIFF, side=seed.anchor_side)
    return Question(
        question_id="q-1",
        kind=kind.kind,
        rule=seed.rule,
        hunk_id=first.hunk_id,
        path=first.path,
        change=seed.change,
        precondition=seed.precondition,
        consequence=seed.consequence,
        refuted_if=seed.refuted_if,
        anchor=anchor,
        plan=seed.plan,
        edits=seed.edits,
        risk=50,
    )


@dataclass(frozen=True)
class Hit:
    """Evidence before it knows the number of its query."""

    ref: SourceRef
    text: str
    facts: tuple[Fact, ...]
    asks: QueryKind
    name: str | None


def hit(fact: Fact, path, line, *, text="", asks: QueryKind, name=None, role=Role.CALLER, side=Side.NEW, end=None):
    return Hit(make_ref(path, line, end, role=role, side=side), text, (fact,), asks, name)


def call(
    callee,
    *args,
    path="src/shop/api.py",
    line=41,
    keywords=None,
    star=(),
    resolution=RESOLVED,
    awaited=False,
    result="assigned",
    targets=("x",),
    caught=(),
    scope="view",
    in_test=False,
    asks=QueryKind.CALLERS,
    name=None,
):
    """A hit of a call; ``keywords`` maps names to texts, ``star`` lists unpacked arguments."""
    arguments = [ArgumentFact(text=text, keyword=None, star=False) for text in args]
    arguments += [ArgumentFact(text=text, keyword=key, star=False) for key, text in (keywords or {}).items()]
    arguments += [ArgumentFact(text=text, keyword=None, star=True) for text in star]
    fact = CallFact(
        resolution=resolution,
        reason="imported by name",
        callee=callee,
        arguments=tuple(arguments),
        awaited=awaited,
        result=result,
        targets=tuple(targets),
        caught=tuple(caught),
        scope=scope,
        in_test=in_test,
    )
    given = ", ".join(one.text if one.keyword is None else f"{one.keyword}={one.text}" for one in arguments)
    return hit(fact, path, line, text=f"{callee}({given})", asks=asks, name=name)


def use(
    text,
    *,
    path="src/shop/api.py",
    line=3,
    use="read",
    resolution=RESOLVED,
    scope="",
    guarded_by=None,
    in_test=False,
    asks=QueryKind.CALLERS,
    name=None,
):
    fact = UseFact(
        resolution=resolution,
        reason="imported by name",
        use=use,
        text=text,
        scope=scope,
        guarded_by=guarded_by,
        in_test=in_test,
    )
    return hit(fact, path, line, text=text, asks=asks, name=name, role=Role.USE)


def definition(
    qualname,
    *,
    path="src/shop/pricing.py",
    line=10,
    symbol="function",
    parameters=(),
    results=(),
    bases=(),
    decorators=(),
    members=(),
    raises=(),
    returns=(),
    value=None,
    is_async=False,
    closed=True,
    resolution=RESOLVED,
    asks=QueryKind.DEFINITION,
    name=None,
    text="",
):
    """A hit of a definition; ``parameters`` are names, or (name, default), or (name, default, kind)."""
    fact = DefinitionFact(
        resolution=resolution,
        reason="defined here",
        symbol=symbol,
        qualname=qualname,
        parameters=tuple(_parameter(one) for one in parameters),
        results=tuple(results),
        bases=tuple(bases),
        decorators=tuple(decorators),
        members=tuple(members),
        raises=tuple(raises),
        returns=tuple(returns),
        value=value,
        is_async=is_async,
        closed=closed,
    )
    return hit(fact, path, line, text=text, asks=asks, name=name, role=Role.DEFINITION)


def _parameter(one):
    name, default, kind = (one, None, "positional") if isinstance(one, str) else (*one, "positional")[:3]
    return ParameterFact(name=name, default=default, kind=kind, type=None)


def implementer(
    type_name,
    *,
    has_member=False,
    closed=True,
    path="src/shop/stores.py",
    line=20,
    resolution=RESOLVED,
    asks=QueryKind.IMPLEMENTERS,
    name=None,
):
    fact = ImplementerFact(
        resolution=resolution, reason="names it as a base", type_name=type_name, has_member=has_member, closed=closed
    )
    return hit(fact, path, line, text=f"class {type_name}:", asks=asks, name=name, role=Role.SIBLING)


def config(
    key,
    act="sets",
    *,
    value="1",
    carrier="deployment",
    siblings=(),
    path="deploy/app.env",
    line=4,
    asks=QueryKind.PRODUCERS,
    name=None,
):
    fact = ConfigFact(key=key, act=act, value=value, carrier=carrier, siblings=tuple(siblings))
    return hit(fact, path, line, text=f"{key}={value}", asks=asks, name=name, role=Role.CONFIG)


def make_bundle(question: Question, *hits: Hit, refused=(), truncated=(), searched="12 files at head") -> Bundle:
    """A bundle in which every plan query was answered, but those of the kinds in ``refused`` and ``truncated``."""
    evidence = tuple(
        Evidence(ref=one.ref, query=_query(question, one), origin="hit", text=one.text, facts=one.facts) for one in hits
    )
    queries = tuple(
        _result(query, [one for one in evidence if one.query == index], refused, truncated, searched)
        for index, query in enumerate(question.plan)
    )
    spent = EvidenceSpend(queries=len(queries), candidate_files=1, files_read=0, lines_read=0)
    return Bundle(question_id=question.question_id, evidence=evidence, queries=queries, left_out=(), spent=spent)


def _query(question: Question, one: Hit) -> int:
    fitting = [
        index for index, query in enumerate(question.plan) if query.kind is one.asks and one.name in (None, query.name)
    ]
    assert fitting, f"the plan asks no {one.asks} {one.name or ''}: {question.plan}"
    return fitting[0]


def _result(query, evidence, refused, truncated, searched) -> QueryResult:
    resolutions = [getattr(fact, "resolution", RESOLVED) for one in evidence for fact in one.facts]
    status = QueryStatus.ANSWERED if evidence else QueryStatus.EMPTY
    return QueryResult(
        query=query,
        status=QueryStatus.REFUSED if query.kind in refused else status,
        searched=searched,
        files_searched=12,
        hits=len(evidence),
        resolved=resolutions.count(RESOLVED),
        ambiguous=resolutions.count(AMBIGUOUS),
        unresolved=resolutions.count(Resolution.UNRESOLVED),
        truncated=query.kind in truncated,
        note="",
    )
