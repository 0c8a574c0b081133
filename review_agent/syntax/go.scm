; The captures of python.scm, for Go.

; --- scopes
(function_declaration name: (_) @function.name parameters: (_) @function.params) @function
(function_declaration result: (_) @function.result) @function
(function_declaration body: (_) @function.body) @function
(method_declaration receiver: (_) @function.receiver name: (_) @function.name parameters: (_) @function.params) @function
(method_declaration result: (_) @function.result) @function
(method_declaration body: (_) @function.body) @function
(type_spec name: (_) @class.name type: (_) @class.body) @class
(type_alias name: (_) @alias.name type: (_) @alias.value) @alias
(func_literal) @closure

; --- imports
(import_spec path: (_) @import.path) @import
(import_spec name: (_) @import.name path: (_) @import.path) @import

; --- calls and dotted names
(call_expression function: (_) @call.callee arguments: (_) @call.args) @call
; `f[T](x)` reads as a conversion to a generic type
(type_conversion_expression type: (generic_type) @call.callee operand: (_) @call.arg) @call
(generic_type type: (_) @generic.object type_arguments: (type_arguments . (type_elem (_) @generic.key))) @generic
(selector_expression operand: (_) @member.object field: (_) @member.name) @member
(qualified_type package: (_) @member.object name: (_) @member.name) @member
(index_expression operand: (_) @index.object index: (_) @index.key) @index
(type_assertion_expression operand: (_) @assertion.object type: (_) @assertion.type) @assertion
(unary_expression operator: "*" operand: (_) @pointer.object) @pointer
(variadic_argument (_) @splat.value) @splat
(keyed_element key: (_) @keyed.name value: (_) @keyed.value) @keyed
(parenthesized_expression) @group

; --- assignments
(short_var_declaration left: (_) @assign.left right: (_) @assign.right) @assign
(assignment_statement left: (_) @assign.left operator: "=" right: (_) @assign.right) @assign
(assignment_statement left: (_) @update.left operator: _ @update.operator right: (_) @update.right
  (#not-eq? @update.operator "=")) @update
(var_spec value: (_) @assign.right) @assign
(const_spec value: (_) @assign.right) @assign
(var_spec !value) @declare

; --- conditions
(if_statement condition: (_) @if.test consequence: (_) @if.body) @if
(if_statement initializer: (_) @if.init) @if
(if_statement alternative: (_) @if.other) @if
(binary_expression left: (_) @and.left operator: "&&" right: (_) @and.right) @and
(binary_expression left: (_) @or.left operator: "||" right: (_) @or.right) @or
(unary_expression operator: "!" operand: (_) @not.value) @not
(binary_expression operator: ["==" "!=" "<" "<=" ">" ">="]) @compare

; --- loops, leaving
(for_statement body: (_) @loop.body @loop.inside) @loop
(for_statement (for_clause condition: (_) @loop.inside)) @loop
(for_statement (for_clause update: (_) @loop.inside)) @loop
(for_statement [(binary_expression) (call_expression) (unary_expression) (identifier) (selector_expression)
  (parenthesized_expression)] @loop.inside) @loop
(return_statement) @return
(break_statement) @break
(continue_statement) @continue
(goto_statement) @break
[(expression_switch_statement) (type_switch_statement) (select_statement)] @switch
(expression_case value: (_) @case.test) @case
[(expression_case) (type_case) (communication_case)] @case
(default_case) @default
(statement_list) @sequence
[(inc_statement) (dec_statement)] @update
(send_statement) @send
(defer_statement) @deferred
(go_statement) @deferred

; --- what happens to an expression
(expression_statement (_) @use.ignored)
(go_statement (_) @use.ignored)
(defer_statement (_) @use.ignored)
(return_statement (expression_list (_) @use.returned))
(selector_expression operand: (_) @use.attribute)
(index_expression operand: (_) @use.subscript)
(slice_expression operand: (_) @use.subscript)
(call_expression function: (_) @use.called)
(type_conversion_expression type: (generic_type) @use.called)
(argument_list (_) @use.argument)
(argument_list (variadic_argument (_) @use.argument))
(if_statement condition: (_) @use.condition)
(for_clause condition: (_) @use.condition)
(for_statement [(binary_expression) (call_expression) (unary_expression) (identifier) (selector_expression)
  (parenthesized_expression)] @use.condition)
(range_clause right: (_) @use.iterated)
(parenthesized_expression (_) @use.through)
(short_var_declaration right: (expression_list (_) @use.assigned))
(assignment_statement right: (expression_list (_) @use.assigned))
(var_spec value: (expression_list (_) @use.assigned))
(const_spec value: (expression_list (_) @use.assigned))
(binary_expression left: (_) @use.compared operator: ["==" "!=" "<" "<=" ">" ">="] right: (_) @use.compared)
(binary_expression left: (_) @use.logic operator: ["&&" "||"] right: (_) @use.logic)
(unary_expression operator: "!" operand: (_) @use.logic)
(unary_expression operator: "*" operand: (_) @use.dereference)

; --- what a name is there for
(short_var_declaration left: (expression_list (_) @use.write))
(assignment_statement left: (expression_list (_) @use.write))
(range_clause left: (expression_list (_) @use.write))
(receive_statement left: (expression_list (_) @use.write))
(type_switch_statement alias: (expression_list (_) @use.write))
(inc_statement (_) @use.write)
(dec_statement (_) @use.write)
(var_spec name: (identifier) @use.definition)
(const_spec name: (identifier) @use.definition)
(parameter_declaration name: (_) @use.parameter)
(variadic_parameter_declaration name: (_) @use.parameter)
(keyed_element key: (literal_element (identifier) @use.keyword))
(function_declaration name: (_) @use.definition)
(method_declaration name: (_) @use.definition)
(method_elem name: (_) @use.definition)
(field_declaration name: (_) @use.definition)
(type_spec name: (_) @use.definition)
(type_alias name: (_) @use.definition)
