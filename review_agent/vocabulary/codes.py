"""The closed word lists: every enum of the product. An unknown value is refused, never defaulted."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "Act",
    "CallError",
    "CardState",
    "ChangeKind",
    "Confidence",
    "ContractCode",
    "EffectOp",
    "EngineRole",
    "FileStatus",
    "NoFindingCode",
    "Phase",
    "QueryKind",
    "QueryStatus",
    "Resolution",
    "Role",
    "RunStatus",
    "Severity",
    "Side",
    "SkipRule",
    "UnansweredCause",
]


class Side(StrEnum):
    OLD = "old"
    NEW = "new"


class Role(StrEnum):
    """What a SourceRef is evidence of."""

    DIFF = "diff"
    USE = "use"
    CALLER = "caller"
    DEFINITION = "definition"
    CONFIG = "config"
    TEST = "test"
    TYPE = "type"
    SIBLING = "sibling"
    HISTORY = "history"
    INSTRUCTION = "instruction"
    LOG = "log"


class ChangeKind(StrEnum):
    AUTH = "auth"
    INPUT = "input"
    PERSISTENCE = "persistence"
    CONCURRENCY_RETRY = "concurrency_retry"
    CACHE_KEY = "cache_key"
    CONFIG_DEFAULT = "config_default"
    SERIALIZATION = "serialization"
    ERROR_HANDLING = "error_handling"
    RESOURCE_RELEASE = "resource_release"
    TEST_REMOVAL = "test_removal"
    API_CONTRACT = "api_contract"
    INCOMPLETE_CHANGE = "incomplete_change"
    OTHER = "other"


class Severity(StrEnum):
    BLOCKING = "blocking"
    IMPORTANT = "important"
    SUGGESTION = "suggestion"


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class NoFindingCode(StrEnum):
    NO_CANDIDATE = "no_candidate"
    INSUFFICIENT_EVIDENCE = "insufficient_evidence"
    BUDGET_EXHAUSTED = "budget_exhausted"
    CONFLICTING_EVIDENCE = "conflicting_evidence"
    NEEDS_HUMAN_CONTEXT = "needs_human_context"
    REFUTED = "refuted"


class SkipRule(StrEnum):
    COSMETIC = "cosmetic"
    PURE_RENAME = "pure_rename"
    MODE_ONLY = "mode_only"
    LOCK_FILE = "lock_file"
    GENERATED = "generated"
    VENDORED = "vendored"
    BINARY = "binary"
    SUBMODULE = "submodule"
    SYMLINK = "symlink"
    TOO_LARGE = "too_large"
    EXCLUDED = "excluded"
    QUESTION_CAP = "question_cap"
    PART_CAP = "part_cap"
    LFS_POINTER = "lfs_pointer"
    NARROWED_BY_HEAD = "narrowed_by_head"


class UnansweredCause(StrEnum):
    ENDPOINT_DOWN = "endpoint_down"
    MONEY_SPENT = "money_spent"
    TOKENS_SPENT = "tokens_spent"
    TIME_SPENT = "time_spent"
    REFUSED = "refused"
    MALFORMED = "malformed"
    NOT_RECORDED = "not_recorded"
    ENGINE_FAILED = "engine_failed"


class CallError(StrEnum):
    """What came of a call to a model that gave no answer. See engines.failures for which are tried again."""

    BAD_REQUEST = "bad_request"
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not_found"
    REQUEST_TIMEOUT = "request_timeout"
    CONFLICT = "conflict"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    OTHER_STATUS = "other_status"
    UNREACHABLE = "unreachable"
    RESET = "reset"
    TOO_SLOW = "too_slow"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    NOT_SCHEMA = "not_schema"
    INTERRUPTED = "interrupted"


class ContractCode(StrEnum):
    """Why a draft may not become a card. One draft can fail by several."""

    SCHEMA = "schema"
    UNKNOWN_VALUE = "unknown_value"
    WRONG_QUESTION = "wrong_question"
    TOO_MANY_DRAFTS = "too_many_drafts"
    ANCHOR_OUTSIDE_CHANGE = "anchor_outside_change"
    ANCHOR_WRONG_SIDE = "anchor_wrong_side"
    ANCHOR_AMBIGUOUS = "anchor_ambiguous"
    NO_RETRIEVED_SUPPORT = "no_retrieved_support"
    SUPPORT_INSIDE_CHANGE = "support_inside_change"
    REF_NOT_READ = "ref_not_read"
    QUOTE_MISMATCH = "quote_mismatch"
    IMPACT_EMPTY = "impact_empty"
    IMPACT_RESTATES_CLAIM = "impact_restates_claim"
    UNCERTAINTY_MISSING = "uncertainty_missing"
    HEDGE_WITHOUT_UNCERTAINTY = "hedge_without_uncertainty"
    CLAIM_NOT_CONCRETE = "claim_not_concrete"
    UNQUOTED_IDENTIFIER = "unquoted_identifier"
    INVENTED_SYMBOL = "invented_symbol"
    INVENTED_PATH = "invented_path"
    INVENTED_NUMBER = "invented_number"
    EFFECT_NOT_IN_DIFF = "effect_not_in_diff"
    EFFECT_CONTRADICTS_CLAIM = "effect_contradicts_claim"
    SEVERITY_NOT_ALLOWED = "severity_not_allowed"
    EVIDENCE_NOT_LOAD_BEARING = "evidence_not_load_bearing"
    ABSENCE_UNPROVEN = "absence_unproven"
    DUPLICATE = "duplicate"
    VERIFICATION_MISSING = "verification_missing"
    REFUTED = "refuted"


class EffectOp(StrEnum):
    """What the change did to the effect's subject; true to the hunk and to the claim's verb."""

    REMOVED = "removed"
    ADDED = "added"
    RENAMED = "renamed"
    CHANGED = "changed"
    REORDERED = "reordered"
    WEAKENED = "weakened"
    BROADENED = "broadened"
    NARROWED = "narrowed"


class QueryKind(StrEnum):
    DEFINITION = "definition"
    CALLERS = "callers"
    USES_INSIDE = "uses_inside"
    IMPLEMENTERS = "implementers"
    SIBLINGS = "siblings"
    PRODUCERS = "producers"
    LIFETIME = "lifetime"
    CONFIG = "config"
    TESTS = "tests"
    TYPES = "types"
    TEXT = "text"
    PATH = "path"
    HISTORY = "history"


class QueryStatus(StrEnum):
    ANSWERED = "answered"
    EMPTY = "empty"
    REFUSED = "refused"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"


class Resolution(StrEnum):
    """Whether a name's occurrence is known to be the thing asked for: a bare-name hit never is by itself."""

    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"
    UNRESOLVED = "unresolved"


class FileStatus(StrEnum):
    ADDED = "added"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    TYPE_CHANGED = "type_changed"


class RunStatus(StrEnum):
    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    WAITING = "waiting"
    INTERRUPTED = "interrupted"


class EngineRole(StrEnum):
    COMPILE = "compile"
    SYNTHESIZE = "synthesize"
    REFUTE = "refute"
    ABLATE = "ablate"


class Phase(StrEnum):
    SNAPSHOT = "snapshot"
    COMPILE = "compile"
    COLLECT = "collect"
    SYNTHESIZE = "synthesize"
    REFUTE = "refute"
    CONTRACT = "contract"
    VERIFY = "verify"
    RECORD = "record"


class CardState(StrEnum):
    HIDDEN = "hidden"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    NEEDS_PROOF = "needs_proof"
    REVOKED = "revoked"
    DOWNGRADED = "downgraded"
    SUPERSEDED = "superseded"
    STALE = "stale"


class Act(StrEnum):
    ACCEPT = "accept"
    REJECT = "reject"
    NEEDS_PROOF = "needs_proof"
    ATTACH = "attach"
    REVOKE = "revoke"
    DOWNGRADE = "downgrade"
    REOPEN = "reopen"
    SUPERSEDE = "supersede"
    MARK_STALE = "mark_stale"
