"""The names of the facts that each edit can carry, as docs/edits.md tells what they mean."""

from __future__ import annotations

from collections.abc import Mapping

from review_agent.vocabulary.edit_ops import EditOp

__all__ = ["EDIT_FACTS"]

_NAMES: Mapping[EditOp, str] = {
    EditOp.SYMBOL_REMOVED: "exported qualname symbolKind",
    EditOp.SYMBOL_RENAMED: "exported newName newQualname qualname symbolKind",
    EditOp.SYMBOL_ADDED: "beside calls decorators exported guards parameters qualname symbolKind twin",
    EditOp.PARAMETER_ADDED: "function index keywordOnly others required symbolKind",
    EditOp.PARAMETER_REMOVED: "acceptsAny function hadDefault index keywordOnly positionalMax symbolKind",
    EditOp.PARAMETER_RENAMED: "acceptsAny function index keywordOnly newName symbolKind",
    EditOp.PARAMETERS_REORDERED: "afterOrder beforeOrder function symbolKind",
    EditOp.OPTION_RENAMED: "function hasDefault index keys symbolKind",
    EditOp.BECAME_ASYNC: "function symbolKind",
    EditOp.BECAME_SYNC: "function symbolKind",
    EditOp.RETURN_SHAPE_CHANGED: "afterShape beforeShape function symbolKind",
    EditOp.NONE_RETURN_ADDED: "beforeShape function symbolKind",
    EditOp.ABSTRACT_MEMBER_ADDED: "otherMembers owner parameters",
    EditOp.REFERENCE_ADDED: "binding form level module",
    EditOp.HANDLER_BROADENED: "actions afterTypes beforeTypes function tryCalls tryEnd tryStart",
    EditOp.HANDLER_SWALLOWS: "afterActions beforeActions function isNew tryCalls tryEnd tryStart types",
    EditOp.HANDLER_REMOVED: "function tryCalls types",
    EditOp.RETRY_UNBOUNDED: "afterTest beforeTest capNames function loopEnd loopStart tryCalls types",
    EditOp.RAISE_TYPE_CHANGED: "afterType beforeType function symbolKind",
    EditOp.ERROR_DROPPED: "form function receiver",
    EditOp.NILABLE_DEREFERENCED: "function member origin producer",
    EditOp.GUARD_REMOVED: (
        "action body decorators following function guardedEnd guardedStart held literalStart origin subjects test "
        "testKind used within"
    ),
    EditOp.GUARD_WEAKENED: (
        "action afterTest beforeTest body decorators following function origin subjects testKind within"
    ),
    EditOp.DEFAULT_CHANGED: "carrier following function index key transition",
    EditOp.FALLBACK_REMOVED: "carrier fallback key required",
    EditOp.KEY_RENAMED: "act carrier key newKey siblings",
    EditOp.KEY_REMOVED: "act carrier key siblings",
    EditOp.CALL_REMOVED: (
        "arguments awaited callsAfter callsBefore decorators deferred elsewhere final following function held "
        "loop name origin receiver remaining result role setsBefore targets within"
    ),
    EditOp.CALL_ADDED: (
        "arguments awaited callsAfter callsBefore deferred final function held loop name newFunction origin "
        "receiver result role setsBefore targets"
    ),
    EditOp.CALL_REPLACED: (
        "arguments awaited callsAfter callsBefore decorators deferred final following function held loop name "
        "newArguments newCallee newName newReceiver origin receiver result role setsBefore targets within"
    ),
    EditOp.CALL_MOVED: (
        "arguments awaited callsAfter callsBefore deferred final function held loop name nowBefore origin "
        "receiver result role setsBefore targets"
    ),
    EditOp.ARGUMENT_REMOVED: (
        "arguments awaited callsAfter callsBefore deferred final function held index keyword loop name origin "
        "receiver result role setsBefore takers targets"
    ),
    EditOp.ARGUMENT_ADDED: (
        "arguments awaited callsAfter callsBefore deferred final function held index keyword loop name origin "
        "receiver result role setsBefore takers targets"
    ),
    EditOp.ARGUMENT_CHANGED: (
        "arguments awaited callsAfter callsBefore deferred final function held index keyword loop name origin "
        "receiver result role setsBefore takers targets"
    ),
    EditOp.AWAIT_REMOVED: (
        "arguments awaited callsAfter callsBefore deferred final function held loop name origin receiver result "
        "role setsBefore targets"
    ),
    EditOp.BLOCK_REMOVED: "binds blockKind function inside living",
    EditOp.HELD_REMOVED: (
        "acts calls function hold members moved owner recheck shared still subjects taken values written"
    ),
    EditOp.HELD_ADDED: "acts calls function hold members moved owner shared still taken values written",
    EditOp.UNHELD_USE_ADDED: "act function holds lock others owner",
    EditOp.DECORATOR_REMOVED: "calls exported following function modifier name others parameter symbolKind",
    EditOp.DECORATOR_ADDED: "calls exported following function modifier name others parameter symbolKind",
    EditOp.DECORATOR_CHANGED: "calls exported following function modifier name others parameter symbolKind",
    EditOp.BASE_REMOVED: "exported function others",
    EditOp.COMPONENT_REMOVED: (
        "afterComponents afterText beforeComponents beforeText call composite function holders kept maker "
        "returned takers target type"
    ),
    EditOp.COMPONENT_ADDED: (
        "afterComponents afterText beforeComponents beforeText call composite function holders kept maker "
        "returned target type"
    ),
    EditOp.TEMPLATE_CHANGED: (
        "afterComponents afterText beforeComponents beforeText call composite function holders kept maker "
        "returned target type"
    ),
    EditOp.ENTRY_REMOVED: (
        "afterComponents afterText beforeComponents beforeText call composite function kept key returned target type"
    ),
    EditOp.ENTRY_ADDED: (
        "afterComponents afterText beforeComponents beforeText call composite function kept key returned target type"
    ),
    EditOp.ENTRY_RENAMED: (
        "afterComponents afterText beforeComponents beforeText call composite function kept key returned target type"
    ),
    EditOp.ENTRY_CHANGED: (
        "afterComponents afterText beforeComponents beforeText call composite function kept key returned target type"
    ),
    EditOp.SQL_CHANGED: (
        "call columnsAdded columnsRemoved conditionsAdded conditionsRemoved forUpdateRemoved function tables "
        "target verb whereRemoved"
    ),
    EditOp.TEST_REMOVED: "asserted calls function group helpers instead only refused texts",
    EditOp.TEST_SKIPPED: "asserted by calls function inside module only refused texts under until",
    EditOp.ASSERTION_REMOVED: (
        "by callsGone function gone helpers left name names partly still strengthAfter strengthBefore subjects texts "
        "unread valueGone"
    ),
    EditOp.ASSERTION_WEAKENED: (
        "by callsGone function gone helpers left name names partly still strengthAfter strengthBefore subjects texts "
        "unread valueGone"
    ),
    EditOp.ASSIGNMENT_REMOVED: "beside callee function held remaining targets value",
    EditOp.ASSIGNMENT_ADDED: "beside callee function held remaining targets value",
    EditOp.CONDITION_CHANGED: (
        "action afterTest beforeAction beforeTest body bodyEnd bodyStart decorators following function how nested "
        "origin subjects within"
    ),
    EditOp.EXIT_ADDED: "acts done function known skips",
    EditOp.ACT_CONDITIONED: "arguments form function how name receiver role",
    EditOp.ACT_MOVED: "arguments form function name nowBefore receiver role",
    EditOp.TEXT_REPLACED: "left lines places scopes texts",
    EditOp.LAST_USE_REMOVED: "definedAt function qualname symbolKind",
    EditOp.PARAMETER_UNREAD: "bases exported function hasDefault index symbolKind",
    EditOp.DOC_PARAMETER_LEFT: "docLine docText function newName symbolKind",
    EditOp.DOC_PARAMETER_MISSING: "default docLine docText documented function symbolKind",
    EditOp.DOC_DEFAULT_LEFT: "docLine docText function symbolKind",
    EditOp.DOC_ERROR_LEFT: "docLine docText function symbolKind",
    EditOp.NAME_LEFT_IN_COMMENT: "docLine docText exported function lines newName qualname symbolKind",
    EditOp.RELEASE_WEAKENED: (
        "added beside besideBack besideScope between exits form formAfter function handed key opener openerNow "
        "outOf release releaseAfter state taken takenLine thing"
    ),
    EditOp.STEP_ADDED: "argument callee conditional forms function owner replaced slots stores",
    EditOp.MODULE_MOVED: "function newName oldPath",
    EditOp.RESULT_TYPE_CHANGED: "function symbolKind",
    EditOp.RESULT_CONTAINER_CHANGED: "function symbolKind",
    EditOp.FIELD_ADDED: "bases decorators exported index key otherKeys others owner ownerKind required",
    EditOp.REST_CUT_OFF: "dead function restEnd restStart",
    EditOp.MEMBER_ADDED: "function others owner value",
    EditOp.PARAMETER_TIGHTENED: "default function how index keywordOnly symbolKind",
    EditOp.LINK_CHANGED: "afterLinks function links",
    EditOp.LINK_ADDED: "function leads",
    EditOp.STATEMENT_CHANGED: "function now was",
    EditOp.FILE_MOVED: "function newName oldPath",
    EditOp.FILE_REMOVED: "function",
    EditOp.TWIN_LEFT: "added function removed signature twin twinLine twinText",
    EditOp.LINE_REPLACED: "afterText alone beforeText blockEnd blockStart form lineAfter lineBefore name twin",
    EditOp.MINIMUM_RAISED: "afterVersion beforeVersion platform",
    EditOp.LINES_INSERTED: "function helpers keys lines locals members offsets",
    EditOp.BLOCK_ADDED: "function keys offsets",
    EditOp.FILE_UNTESTED: "every function tested tests",
    EditOp.COMMENT_OF_ANOTHER: "beside exported named qualname symbolKind",
    EditOp.REFUSAL_ADDED: "exported function message symbolKind test type",
    EditOp.CASE_ADDED: "beside form function",
    EditOp.FAILURE_EXPECTED: "",
    EditOp.INSTRUCTIONS_CHANGED: "function total why",
    EditOp.REVIEWER_ADDRESSED: "function total why",
    EditOp.LINES_CHANGED: "added removed",
}

EDIT_FACTS: Mapping[EditOp, frozenset[str]] = {op: frozenset(names.split()) for op, names in _NAMES.items()}
