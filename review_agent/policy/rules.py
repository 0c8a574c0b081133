"""Every rule that a question can be asked by, and the kind it belongs to. Kinds own what a rule does."""

from __future__ import annotations

from review_agent.vocabulary import ChangeKind

__all__ = ["RULES"]

RULES: dict[str, ChangeKind] = {
    "symbol_removed_still_referenced": ChangeKind.API_CONTRACT,
    "symbol_renamed_still_referenced": ChangeKind.API_CONTRACT,
    "required_parameter_added": ChangeKind.API_CONTRACT,
    "parameter_removed_still_passed": ChangeKind.API_CONTRACT,
    "parameter_renamed_still_passed": ChangeKind.API_CONTRACT,
    "parameters_reordered": ChangeKind.API_CONTRACT,
    "became_async_not_awaited": ChangeKind.API_CONTRACT,
    "became_sync_still_awaited": ChangeKind.API_CONTRACT,
    "return_shape_changed": ChangeKind.API_CONTRACT,
    "abstract_member_without_implementer": ChangeKind.API_CONTRACT,
    "name_does_not_exist": ChangeKind.API_CONTRACT,
    "parameter_default_changed": ChangeKind.CONFIG_DEFAULT,
    "environment_fallback_changed": ChangeKind.CONFIG_DEFAULT,
    "environment_fallback_removed": ChangeKind.CONFIG_DEFAULT,
    "flag_default_changed": ChangeKind.CONFIG_DEFAULT,
    "key_renamed_readers_left": ChangeKind.CONFIG_DEFAULT,
    "key_removed_readers_left": ChangeKind.CONFIG_DEFAULT,
    "constant_default_changed": ChangeKind.CONFIG_DEFAULT,
    "field_default_changed": ChangeKind.CONFIG_DEFAULT,
    "handler_broadened_hides": ChangeKind.ERROR_HANDLING,
    "handler_swallows": ChangeKind.ERROR_HANDLING,
    "handler_removed_uncaught": ChangeKind.ERROR_HANDLING,
    "retry_unbounded": ChangeKind.ERROR_HANDLING,
    "raise_type_changed_uncaught": ChangeKind.ERROR_HANDLING,
    "error_dropped": ChangeKind.ERROR_HANDLING,
    "missing_value_dereferenced": ChangeKind.ERROR_HANDLING,
    "guard_removed_dereferenced": ChangeKind.ERROR_HANDLING,
    "test_removed_code_lives": ChangeKind.TEST_REMOVAL,
    "test_skipped_code_lives": ChangeKind.TEST_REMOVAL,
    "assertion_weakened_code_lives": ChangeKind.TEST_REMOVAL,
    "key_component_removed": ChangeKind.CACHE_KEY,
    "lock_dropped": ChangeKind.CONCURRENCY_RETRY,
    "use_without_lock": ChangeKind.CONCURRENCY_RETRY,
    "lock_taken_twice": ChangeKind.CONCURRENCY_RETRY,
    "slow_under_lock": ChangeKind.CONCURRENCY_RETRY,
    "key_form_changed": ChangeKind.CACHE_KEY,
    "replacement_left_behind": ChangeKind.INCOMPLETE_CHANGE,
    "invalidation_lost": ChangeKind.CACHE_KEY,
    "commit_lost": ChangeKind.PERSISTENCE,
    "commit_passed_over": ChangeKind.PERSISTENCE,
    "step_left_out": ChangeKind.INCOMPLETE_CHANGE,
    "step_left_out_of_slot": ChangeKind.INCOMPLETE_CHANGE,
    "auth_check_removed": ChangeKind.AUTH,
    "auth_check_weakened": ChangeKind.AUTH,
}
