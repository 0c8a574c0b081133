"""The edits that wake each rule, by the file the rule stands in; `make docs` writes this from the rules."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["RULES"]

RULES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "api_contract_awaited": {
        "became_async_not_awaited": ("became_async",),
        "became_sync_still_awaited": ("became_sync",),
    },
    "api_contract_containers": {"result_container_changed": ("result_container_changed",)},
    "api_contract_dynamic": {"renamed_met_by_name": ("symbol_removed", "symbol_renamed")},
    "api_contract_members": {"abstract_member_without_implementer": ("abstract_member_added",)},
    "api_contract_moves": {"moved_module_importers_left": ("module_moved",), "import_left_behind": ("text_replaced",)},
    "api_contract_options": {"option_renamed_still_passed": ("option_renamed",)},
    "api_contract_order": {"parameters_reordered": ("parameter_added", "parameters_reordered")},
    "api_contract_parameters": {
        "required_parameter_added": ("parameter_added",),
        "parameter_removed_still_passed": ("parameter_removed",),
        "parameter_renamed_still_passed": ("parameter_renamed",),
    },
    "api_contract_props": {"prop_renamed": ("option_renamed", "text_replaced")},
    "api_contract_public": {
        "public_interface_broken": (
            "abstract_member_added",
            "parameter_added",
            "parameter_removed",
            "parameter_renamed",
            "parameter_tightened",
            "parameters_reordered",
            "result_type_changed",
            "symbol_removed",
            "symbol_renamed",
        )
    },
    "api_contract_references": {"name_does_not_exist": ("reference_added",)},
    "api_contract_results": {"return_shape_changed": ("return_shape_changed",)},
    "api_contract_shapes": {"parameter_tightened": ("parameter_tightened",), "required_field_added": ("field_added",)},
    "api_contract_symbols": {
        "symbol_removed_still_referenced": ("symbol_removed",),
        "symbol_renamed_still_referenced": ("symbol_renamed",),
    },
    "auth_bound": {
        "route_bound_unguarded": ("act_moved", "call_added"),
        "route_guard_removed": ("argument_changed", "argument_removed"),
    },
    "auth_inline": {"auth_inline_check_removed": ("call_removed", "guard_removed")},
    "auth_order": {"route_before_guard": ("call_added", "call_moved")},
    "auth_removed": {
        "auth_check_removed": (
            "argument_removed",
            "base_removed",
            "call_removed",
            "call_replaced",
            "decorator_changed",
            "decorator_removed",
            "entry_removed",
            "guard_removed",
            "parameter_removed",
            "sql_changed",
        ),
        "auth_check_weakened": ("condition_changed", "guard_weakened"),
    },
    "auth_routes": {"route_added_unguarded": ("symbol_added",)},
    "auth_steering": {"instructions_changed": ("instructions_changed",), "reviewer_addressed": ("reviewer_addressed",)},
    "cache_key_components": {
        "key_component_removed": (
            "argument_changed",
            "argument_removed",
            "component_removed",
            "decorator_changed",
            "entry_removed",
        )
    },
    "cache_key_forms": {"key_form_changed": ("component_added", "component_removed", "template_changed")},
    "cache_key_invalidation": {
        "invalidation_lost": (
            "act_conditioned",
            "assignment_removed",
            "block_removed",
            "call_removed",
            "call_replaced",
            "decorator_removed",
            "exit_added",
        )
    },
    "cache_key_memo": {"memo_of_changing_state": ("assignment_added", "decorator_added")},
    "cache_key_order": {"cached_before_final": ("act_moved",)},
    "concurrency_retry_around": {"lock_taken_around": ("call_added", "call_replaced")},
    "concurrency_retry_atomic": {
        "atomic_split": ("argument_changed", "argument_removed", "call_removed", "call_replaced", "sql_changed")
    },
    "concurrency_retry_await": {
        "await_dropped": ("await_removed", "call_removed"),
        "loop_not_awaited": ("call_added",),
    },
    "concurrency_retry_ends": {"cap_dropped": ("decorator_changed", "guard_removed", "retry_unbounded")},
    "concurrency_retry_held": {"lock_taken_twice": ("held_added",)},
    "concurrency_retry_joins": {"join_dropped": ("call_removed",)},
    "concurrency_retry_locks": {"lock_dropped": ("held_removed",), "use_without_lock": ("unheld_use_added",)},
    "concurrency_retry_pauses": {"pause_dropped": ("argument_changed", "call_removed", "decorator_changed")},
    "concurrency_retry_recheck": {"recheck_dropped": ("guard_removed", "held_removed")},
    "concurrency_retry_slow": {"slow_under_lock": ("held_added",)},
    "concurrency_retry_timeouts": {
        "timeout_dropped": (
            "argument_changed",
            "argument_removed",
            "block_removed",
            "call_removed",
            "call_replaced",
            "entry_changed",
            "entry_removed",
        )
    },
    "config_default_fallbacks": {
        "environment_fallback_changed": ("default_changed",),
        "flag_default_changed": ("default_changed",),
        "environment_fallback_removed": ("fallback_removed",),
    },
    "config_default_fields": {
        "field_default_changed": ("default_changed",),
        "constant_default_changed": ("default_changed",),
    },
    "config_default_filled": {"default_no_longer_filled_in": ("guard_removed",)},
    "config_default_helpers": {
        "helper_fallback_changed": ("argument_changed", "text_replaced"),
        "defaults_key_renamed": ("entry_renamed",),
    },
    "config_default_keys": {"key_renamed_readers_left": ("key_renamed",), "key_removed_readers_left": ("key_removed",)},
    "config_default_values": {"parameter_default_changed": ("default_changed",)},
    "error_handling_absent": {"missing_value_dereferenced": ("nilable_dereferenced", "none_return_added")},
    "error_handling_broadened": {"handler_broadened_hides": ("handler_broadened",)},
    "error_handling_caught": {
        "caught_is_no_exception": ("component_added", "component_removed", "handler_broadened", "text_replaced")
    },
    "error_handling_dropped": {"error_dropped": ("error_dropped",)},
    "error_handling_go": {
        "error_no_longer_wrapped": ("argument_changed", "text_replaced"),
        "typed_nil_returned": ("result_type_changed",),
    },
    "error_handling_guards": {"guard_removed_dereferenced": ("guard_removed",)},
    "error_handling_optional": {"optional_parameter_used": ("nilable_dereferenced",)},
    "error_handling_removed": {"handler_removed_uncaught": ("handler_removed",)},
    "error_handling_retries": {"retry_unbounded": ("retry_unbounded",)},
    "error_handling_success": {"hidden_failure_marked_success": ("call_added", "handler_swallows")},
    "error_handling_swallows": {"handler_swallows": ("handler_swallows",)},
    "error_handling_typed": {"typed_nil_beside_error": ("result_type_changed",)},
    "error_handling_types": {"raise_type_changed_uncaught": ("raise_type_changed", "template_changed")},
    "error_handling_weakened": {"guard_lets_missing_through": ("condition_changed", "guard_weakened")},
    "incomplete_change_agree": {"copied_line_left": ("line_replaced",)},
    "incomplete_change_callers": {
        "argument_step_left_out": ("argument_changed",),
        "made_and_met_differ": ("text_replaced",),
    },
    "incomplete_change_cases": {"new_case_unhandled": ("member_added",)},
    "incomplete_change_comment": {"comment_of_another": ("comment_of_another",)},
    "incomplete_change_contradicted": {"block_contradicted": ("condition_changed",)},
    "incomplete_change_copied": {"block_copied": ("block_added",)},
    "incomplete_change_counters": {"count_left_out": ("assignment_added",)},
    "incomplete_change_dead": {
        "block_made_dead": ("condition_changed", "rest_cut_off"),
        "condition_inverted": ("condition_changed",),
    },
    "incomplete_change_documented": {
        "documented_parameter_left": ("doc_parameter_left",),
        "documented_parameter_missing": ("doc_parameter_missing",),
        "documented_default_left": ("doc_default_left",),
        "documented_error_left": ("doc_error_left",),
    },
    "incomplete_change_inserted": {"like_place_without_it": ("lines_inserted",)},
    "incomplete_change_leftovers": {
        "last_use_removed": ("last_use_removed",),
        "parameter_no_longer_read": ("parameter_unread",),
    },
    "incomplete_change_links": {
        "link_left_behind": ("link_changed",),
        "statement_left_behind": ("statement_changed",),
        "link_leads_nowhere": ("link_added",),
    },
    "incomplete_change_listed": {"member_not_listed": ("field_added",)},
    "incomplete_change_members": {"new_member_unhandled": ("member_added",)},
    "incomplete_change_mentions": {
        "comment_names_what_is_gone": ("name_left_in_comment", "symbol_removed", "symbol_renamed")
    },
    "incomplete_change_methods": {"method_left_under_old_name": ("symbol_renamed",)},
    "incomplete_change_minimum": {"minimum_left_behind": ("minimum_raised",)},
    "incomplete_change_pairs": {"one_of_pair_changed": ("step_added", "text_replaced")},
    "incomplete_change_paths": {"old_path_left_behind": ("file_moved", "file_removed")},
    "incomplete_change_pins": {"pin_left_behind": ("line_replaced",)},
    "incomplete_change_repeated": {"repeated_edit_left": ("line_replaced",)},
    "incomplete_change_replacements": {"replacement_left_behind": ("text_replaced",)},
    "incomplete_change_slots": {"step_left_out_of_slot": ("step_added",)},
    "incomplete_change_steps": {"step_left_out": ("step_added",)},
    "incomplete_change_twins": {"twin_left_behind": ("twin_left",)},
    "incomplete_change_unshown": {
        "option_without_test": ("case_added", "field_added", "parameter_added"),
        "case_without_test": ("case_added",),
    },
    "incomplete_change_untested": {"added_without_test": ("symbol_added",)},
    "incomplete_change_untried": {"file_without_test": ("file_untested",)},
    "input_bounds": {
        "input_bound_removed": (
            "argument_removed",
            "decorator_changed",
            "decorator_removed",
            "default_changed",
            "entry_changed",
            "text_replaced",
        )
    },
    "input_checks": {
        "input_in_statement": ("sql_changed",),
        "input_check_removed": ("guard_removed",),
        "input_repair_removed": ("call_removed", "call_replaced"),
        "input_escape_removed": ("argument_changed",),
        "input_check_weakened": ("condition_changed", "guard_weakened"),
        "input_check_late": ("act_moved",),
    },
    "persistence_columns": {
        "column_gone_still_read": ("call_added", "component_removed", "default_changed", "sql_changed")
    },
    "persistence_commit": {
        "commit_lost": ("call_removed", "call_replaced"),
        "commit_block_lost": ("held_removed",),
        "commit_passed_over": ("exit_added",),
    },
    "persistence_condition_of": {"store_condition_changed": ("condition_changed",)},
    "persistence_conditions": {"condition_lost": ("sql_changed",)},
    "persistence_filters": {"filter_lost": ("argument_changed", "argument_removed", "call_replaced", "entry_removed")},
    "persistence_order": {
        "destroyed_before_replaced": ("call_added", "call_moved"),
        "written_in_place": ("call_removed", "call_replaced"),
    },
    "persistence_outside": {
        "statement_outside_transaction": ("argument_changed", "argument_removed", "call_replaced", "entry_removed")
    },
    "persistence_transaction": {
        "transaction_removed": ("call_removed", "call_replaced", "decorator_removed", "held_removed")
    },
    "resource_release_acts": {"release_removed": ("call_removed",), "release_replaced": ("call_replaced",)},
    "resource_release_copied": {"counterpart_copied": ("symbol_added",)},
    "resource_release_lives": {"release_not_on_every_path": ("release_weakened",)},
    "resource_release_states": {"state_not_restored": ("release_weakened",)},
    "serialization_codecs": {
        "codec_changed": ("call_removed", "call_replaced"),
        "format_changed": ("argument_changed",),
    },
    "serialization_escapes": {"path_escaped_as_query": ("call_replaced",)},
    "serialization_keys": {
        "written_key_gone": (
            "argument_changed",
            "argument_removed",
            "assignment_removed",
            "call_removed",
            "component_removed",
            "decorator_changed",
            "entry_removed",
            "entry_renamed",
            "key_removed",
            "key_renamed",
            "sql_changed",
            "symbol_removed",
            "symbol_renamed",
        )
    },
    "serialization_positions": {"positions_changed": ("component_added", "component_removed", "template_changed")},
    "serialization_readers": {"read_key_unwritten": ("text_replaced",)},
    "serialization_sequence": {
        "written_order_changed": ("act_moved", "call_added", "call_moved", "call_removed", "call_replaced")
    },
    "serialization_shape": {
        "written_value_retyped": ("entry_changed", "text_replaced"),
        "key_written_sometimes": ("act_conditioned", "text_replaced"),
    },
    "test_removal_assertions": {"assertion_weakened_code_lives": ("assertion_removed", "assertion_weakened")},
    "test_removal_tests": {"test_removed_code_lives": ("test_removed",), "test_skipped_code_lives": ("test_skipped",)},
}
