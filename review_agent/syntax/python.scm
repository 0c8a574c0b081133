; Captures are the same for all languages. A capture without a dot tags a node; `tag.role` names a part of it;
; `use.X` says what the surrounding syntax does with an expression or a name; `X.inside` opens a context for calls.

; --- scopes
(function_definition name: (_) @function.name parameters: (_) @function.params body: (_) @function.body) @function
(function_definition return_type: (_) @function.result) @function
(class_definition name: (_) @class.name body: (_) @class.body) @class
(class_definition superclasses: (_) @class.bases) @class
(decorated_definition) @decorated
(decorator (_) @decorator.value) @decorator
(lambda) @closure
(type_alias_statement left: (type [(identifier) (generic_type)] @alias.name) right: (_) @alias.value) @alias

; --- imports
[(import_statement) (import_from_statement) (future_import_statement)] @import

; --- calls and dotted names
(call function: (_) @call.callee arguments: (_) @call.args) @call
(attribute object: (_) @member.object attribute: (_) @member.name) @member
(subscript value: (_) @index.object subscript: (_) @index.key) @index
(keyword_argument name: (_) @keyword.name value: (_) @keyword.value) @keyword
[(list_splat (_) @splat.value) (dictionary_splat (_) @splat.value)] @splat
(await (_) @await.value) @await
(parenthesized_expression) @group

; --- assignments
(assignment left: (_) @assign.left right: (_) @assign.right) @assign
(assignment left: (_) @declare.left type: (_) @declare.type !right) @declare
(assignment left: (_) @assign.left type: (_) @assign.type right: (_) @assign.right) @assign
(augmented_assignment left: (_) @update.left operator: _ @update.operator right: (_) @update.right) @update
(named_expression name: (_) @assign.left value: (_) @assign.right) @assign

; --- conditions
(if_statement condition: (_) @if.test consequence: (_) @if.body) @if
(elif_clause condition: (_) @if.test consequence: (_) @if.body) @if
(assert_statement . (_) @assert.test) @assert
(else_clause body: (_) @else.body) @else
(conditional_expression . (_) @ternary.body . "if" . (_) @ternary.test . "else" . (_) @ternary.other) @ternary
(boolean_operator left: (_) @and.left operator: "and" right: (_) @and.right) @and
(boolean_operator left: (_) @or.left operator: "or" right: (_) @or.right) @or
(not_operator argument: (_) @not.value) @not
(comparison_operator) @compare
[(list_comprehension body: (_) @comprehension.body) (set_comprehension body: (_) @comprehension.body)
 (dictionary_comprehension body: (_) @comprehension.body) (generator_expression body: (_) @comprehension.body)] @comprehension
(if_clause (_) @filter.test) @filter

; --- loops, handlers, leaving
(for_statement left: (_) @loop.left right: (_) @loop.over body: (_) @loop.body @loop.inside) @loop
(while_statement condition: (_) @loop.test @loop.inside body: (_) @loop.body @loop.inside) @loop
(try_statement body: (_) @try.body @try.inside) @try
[(except_clause (block) @handler.body)] @handler @handler.inside
(finally_clause) @finally
(with_statement body: (_) @with.body) @with
(with_item value: (as_pattern (_) @withitem.value alias: (as_pattern_target (_) @withitem.target))) @withitem
(return_statement) @return
(raise_statement) @raise
(break_statement) @break
(continue_statement) @continue
(pass_statement) @pass
(yield) @yield
(match_statement) @switch
(case_clause consequence: (_) @case.body) @case
(expression_statement (ellipsis) @pass)

; --- what happens to an expression
(expression_statement (_) @use.ignored)
(return_statement (_) @use.returned)
(raise_statement . (_) @use.raised)
(attribute object: (_) @use.attribute)
(subscript value: (_) @use.subscript)
(call function: (_) @use.called)
(argument_list (_) @use.argument)
(keyword_argument value: (_) @use.argument)
(argument_list [(list_splat (_) @use.argument) (dictionary_splat (_) @use.argument)])
(if_statement condition: (_) @use.condition)
(elif_clause condition: (_) @use.condition)
(while_statement condition: (_) @use.condition)
(conditional_expression . (_) . "if" . (_) @use.condition)
(assert_statement . (_) @use.condition)
(if_clause (_) @use.condition)
(comparison_operator (_) @use.compared)
(for_statement right: (_) @use.iterated)
(for_in_clause right: (_) @use.iterated)
(with_item value: (_) @use.context)
(with_item value: (as_pattern . (_) @use.context))
(await (_) @use.awaited)
(parenthesized_expression (_) @use.through)
(not_operator argument: (_) @use.logic)
(boolean_operator left: (_) @use.logic)
(boolean_operator right: (_) @use.logic)
(assignment right: (_) @use.assigned)
(assignment right: (expression_list (_) @use.assigned))
(assignment right: (tuple (_) @use.assigned))
(named_expression value: (_) @use.assigned)

; --- what a name is there for
(assignment left: (_) @use.write)
(augmented_assignment left: (_) @use.write)
(named_expression name: (_) @use.write)
(for_statement left: (_) @use.write)
(for_in_clause left: (_) @use.write)
(pattern_list (_) @use.write)
(tuple_pattern (_) @use.write)
(list_pattern (_) @use.write)
(as_pattern_target (_) @use.write)
(delete_statement (_) @use.write)
(list_splat_pattern (identifier) @use.write)
(parameters (identifier) @use.parameter)
(lambda_parameters (identifier) @use.parameter)
(parameters [(list_splat_pattern (identifier) @use.parameter) (dictionary_splat_pattern (identifier) @use.parameter)])
(lambda_parameters [(list_splat_pattern (identifier) @use.parameter) (dictionary_splat_pattern (identifier) @use.parameter)])
(typed_parameter . (identifier) @use.parameter)
(typed_parameter . [(list_splat_pattern (identifier) @use.parameter) (dictionary_splat_pattern (identifier) @use.parameter)])
(default_parameter name: (identifier) @use.parameter)
(typed_default_parameter name: (identifier) @use.parameter)
(keyword_argument name: (identifier) @use.keyword)
(function_definition name: (identifier) @use.definition)
(class_definition name: (identifier) @use.definition)
(except_clause value: (_) @use.catch)
(except_clause value: (tuple (_) @use.catch))
(except_clause value: (as_pattern . (_) @use.catch))
(except_clause value: (as_pattern . (tuple (_) @use.catch)))
