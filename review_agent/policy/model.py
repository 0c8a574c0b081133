"""What a policy folder holds, as records. One file of the folder is one field of :class:`Policy`.

Numbers are sizes and counts, never clocks, wherever they decide outcomes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import Field

from review_agent.masking import Masker
from review_agent.policy.model_engine import EnginePolicy, Price, Prompts
from review_agent.vocabulary import ChangeKind, EditOp, EffectOp, QueryKind, Record, Severity, SkipRule


class Words(Record):
    """``effects``: verb stems by which a claim may state each effect (matched at a word's start, case folded).

    ``hedges``: words that state doubt; they need an entry under uncertainty.
    """

    effects: dict[EffectOp, tuple[str, ...]]
    hedges: tuple[str, ...]


class KindPolicy(Record):
    """``severities`` are those a card of the kind may have; ``risk`` (0 to 100) ranks its questions."""

    enabled: bool
    about: str
    severities: tuple[Severity, ...]
    risk: int = Field(ge=0, le=100)
    invariants: tuple[str, ...] = Field(description="what must stay true, in words a reviewer of this team would use")
    plan: tuple[QueryKind, ...] = Field(description="query kinds that a question of the kind may use")


class TriggerQuery(Record):
    """One query of a trigger's plan. ``name``, ``path`` and ``scope`` are templates with the slots of a trigger."""

    kind: QueryKind
    name: str
    path: str = "{path}"
    scope: str = ""


class Trigger(Record):
    """A question of the team's own over edits that exist; it may ask, and never settles.

    It is raised by an edit that fits all of ``ops``, ``paths`` (gitignore patterns, none: any), ``languages`` (none:
    any), ``subject`` (a regular expression that is searched in it) and ``facts`` (docs/edits.md; as text). Slots of the
    templates: {subject}, {before}, {after}, {function}, {scope}, {path}, {line}.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    kind: ChangeKind
    ops: tuple[EditOp, ...]
    paths: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    subject: str = ""
    facts: dict[str, str] = Field(default_factory=dict)
    change: str
    precondition: str
    consequence: str
    refuted_if: tuple[str, ...]
    plan: tuple[TriggerQuery, ...] = ()
    risk: int = Field(default=0, ge=-100, le=100)


class ChangeKinds(Record):
    """change-kinds.yml"""

    words: Words
    kinds: dict[ChangeKind, KindPolicy]
    triggers: tuple[Trigger, ...] = ()


class Budgets(Record):
    """budgets.yml. Per question unless it says otherwise."""

    queries: int = Field(ge=1)
    candidate_files: int = Field(ge=1)
    files_read: int = Field(ge=0)
    lines_per_file: int = Field(ge=1)
    query_bytes: int = Field(ge=256)
    line_characters: int = Field(ge=40)
    questions_per_hunk: int = Field(ge=1)
    questions_per_run: int = Field(ge=1)
    drafts_per_question: int = Field(ge=1, le=2)
    blob_bytes: int = Field(ge=1024, description="a larger file is skipped as too_large, not read")
    grep_hits_per_name: int = Field(ge=1, description="hits of one name that are looked at in one run")


class SkipGlobs(Record):
    """skips.yml: gitignore patterns by skip rule, and marks in a file's first lines that say it is generated."""

    globs: dict[SkipRule, tuple[str, ...]]
    generated_marks: tuple[str, ...]


class SensitivePath(Record):
    """sensitive-paths.yml: ``risk`` is added to the rank of questions on matching paths."""

    glob: str
    risk: int = Field(ge=0, le=100)
    why: str


class ReasonCode(Record):
    """reason-codes.yml: why a card was rejected, and the layer at fault.

    ``expires_after_days``: a rejection for this reason holds so many days unless its reviewer names another date, and
    the card is open again then; null: it holds until somebody takes it back.
    """

    code: str
    layer: Literal["edits", "questions", "retrieval", "synthesis", "contract", "policy", "tool", "team"]
    about: str
    needs_comment: bool = False
    expires_after_days: int | None = Field(default=None, ge=1, le=3650)


class CatalogEntry(Record):
    """validation-catalog.yml: one way to confirm or refute a card.

    ``procedure`` and ``signal`` are templates; the slots are {subject}, {to}, {function}, {path}, {line},
    {support_path}, {support_line}, {head} (the commit reviewed), {before}, {after}. An entry applies to the rules it
    names, else to its kinds.

    ``argv``: the command that ``decide --run`` may start, one template an argument, never a shell; none: for people
    only. Its exit code is a result where it is among ``pass_codes`` (what the card claims does not show) or
    ``fail_codes`` (it shows); any other leaves the result to whoever reads the log. ``runs_changed_code``: it runs
    code of the reviewed change; to be said with every command but git's.
    """

    id: str
    kind: Literal["test", "static-query", "manual-check"]
    kinds: tuple[ChangeKind, ...]
    rules: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    procedure: str
    signal: str
    runs_changed_code: bool = False
    argv: tuple[str, ...] = ()
    pass_codes: tuple[int, ...] = (0,)
    fail_codes: tuple[int, ...] = (1,)


class Jobs(Record):
    """jobs.yml: what a catalogue job that is run here may do and take.

    ``allow_running_changed_code``: whether a job may run code of the reviewed change, where its caller asks for that
    too. ``seconds`` and ``output_bytes`` stop a job; ``log_characters`` of what it said are kept with the card.
    """

    allow_running_changed_code: bool = False
    seconds: int = Field(ge=1, le=86_400)
    output_bytes: int = Field(ge=1024, le=1_073_741_824)
    log_characters: int = Field(ge=200, le=1_000_000)


class TeamRejection(Record):
    """A finding that the team does not want to be asked about again while it stands on the same evidence.

    ``review-agent memory propose`` prints entries; ``decision`` is the id of the decision one rests on.
    """

    fingerprint: str = Field(pattern=r"^[0-9a-f]{32}$")
    evidence: str = Field(pattern=r"^[0-9a-f]{32}$")
    decision: str
    reason: str
    day: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    why: str


class Queue(Record):
    """queue.yml: what a day of triage takes, and what of it is not asked again.

    A day has room for ``minutes_per_day`` at ``seconds_per_card``; cards beyond it are recorded as displaced.
    ``audit_percent`` of what was kept silent is shown all the same, unmarked until it is decided. ``propose_after``: so
    many rejections of a rule, or of one finding, for the team's own reasons make a proposal. ``suppressed``: the
    findings that are suppressed for everybody, in CI too.
    """

    minutes_per_day: int = Field(default=45, ge=1, le=1440)
    seconds_per_card: int = Field(default=60, ge=1, le=3600)
    audit_percent: int = Field(default=2, ge=0, le=100)
    propose_after: int = Field(default=3, ge=2, le=1000)
    suppressed: tuple[TeamRejection, ...] = ()


class MaskPattern(Record):
    """masking.yml: a secret's shape. Group 1 of ``pattern`` (the whole match without one) is replaced.

    ``needs``: words of which a text must hold one, in any case, for the pattern to match in it; none: always tried.
    """

    id: str
    pattern: str
    needs: tuple[str, ...] = ()


class SteeringFile(Record):
    """A file that tells a reviewer or the pipeline what to do; ``why`` in a few words."""

    glob: str
    why: str


class SteeringText(Record):
    """Words that speak to a reviewer. ``pattern`` is searched in added text made plain; ``needs`` as in masking.yml."""

    id: str
    pattern: str
    needs: tuple[str, ...]
    why: str


class Steering(Record):
    """steering.yml: what in a change steers reviewers, and so is asked about. It is shown to people, never obeyed."""

    files: tuple[SteeringFile, ...]
    texts: tuple[SteeringText, ...]


class Policy(Record):
    """The whole control plane. ``hash`` covers every file of the folder; ``source`` says where it came from."""

    source: str
    hash: str
    text: str = Field(description="policy.md: the team's own words, shown, never parsed for permissions")
    change_kinds: ChangeKinds
    budgets: Budgets
    skips: SkipGlobs
    sensitive_paths: tuple[SensitivePath, ...]
    reason_codes: tuple[ReasonCode, ...]
    catalog: tuple[CatalogEntry, ...]
    jobs: Jobs
    queue: Queue = Queue()
    engine: EnginePolicy
    prices: tuple[Price, ...] = ()
    prompts: Prompts
    masking: tuple[MaskPattern, ...]
    steering: Steering

    def masker(self) -> Masker:
        """What masks text by this policy."""
        return _masker(self.masking)


@lru_cache(maxsize=4)  # some ninety expressions are compiled
def _masker(patterns: tuple[MaskPattern, ...]) -> Masker:
    return Masker([(one.id, one.pattern) for one in patterns], needs={one.id: one.needs for one in patterns})
