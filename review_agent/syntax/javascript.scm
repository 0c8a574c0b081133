; The captures of python.scm, for JavaScript and what TypeScript shares with it. Names that stand outside what they
; name (`const f = () => …`) and binding patterns are marked by `javascript_names`.

; --- scopes
(function_declaration name: (_) @function.name parameters: (_) @function.params body: (_) @function.body) @function
(generator_function_declaration name: (_) @function.name parameters: (_) @function.params body: (_) @function.body) @function
(method_definition name: (_) @function.name parameters: (_) @function.params body: (_) @function.body) @function
(class_declaration name: (_) @class.name body: (_) @class.body) @class
(class body: (_) @class.body) @class
(class name: (_) @class.name) @class
(arrow_function) @closure
(function_expression) @closure
(generator_function) @closure
(decorator (_) @decorator.value) @decorator

; --- imports
(import_statement) @import
(export_statement source: (_)) @import

; --- calls and dotted names
(call_expression function: (_) @call.callee arguments: (arguments) @call.args) @call
(call_expression function: (_) @call.callee arguments: (template_string)) @call
(new_expression constructor: (_) @call.callee) @call
(new_expression arguments: (_) @call.args) @call
(member_expression object: (_) @member.object property: (_) @member.name) @member
(subscript_expression object: (_) @index.object index: (_) @index.key) @index
(spread_element (_) @splat.value) @splat
(pair key: (_) @keyed.name value: (_) @keyed.value) @keyed
(await_expression (_) @await.value) @await
(parenthesized_expression) @group

; --- assignments
(variable_declarator name: (_) @assign.left value: (_) @assign.right) @assign
(variable_declarator !value) @declare
(assignment_expression left: (_) @assign.left right: (_) @assign.right) @assign
(augmented_assignment_expression left: (_) @update.left operator: _ @update.operator right: (_) @update.right) @update
(update_expression argument: (_) @update.left operator: _ @update.operator) @update

; --- conditions
(if_statement condition: (parenthesized_expression (expression) @if.test) consequence: (_) @if.body) @if
(if_statement alternative: (else_clause (statement) @if.other)) @if
(else_clause) @else
(ternary_expression condition: (_) @ternary.test consequence: (_) @ternary.body alternative: (_) @ternary.other) @ternary
(binary_expression left: (_) @and.left operator: "&&" right: (_) @and.right) @and
(binary_expression left: (_) @or.left operator: ["||" "??"] right: (_) @or.right) @or
(unary_expression operator: "!" argument: (_) @not.value) @not
(unary_expression operator: "typeof" argument: (_) @typeof.value) @typeof
(binary_expression operator: ["==" "!=" "===" "!==" "<" "<=" ">" ">=" "instanceof" "in"]) @compare

; --- loops, handlers, leaving
(for_in_statement left: (_) @loop.left right: (_) @loop.over body: (_) @loop.body @loop.inside) @loop
(for_statement body: (_) @loop.body @loop.inside) @loop
(for_statement condition: (expression) @loop.test @loop.inside) @loop
(for_statement increment: (_) @loop.inside) @loop
(while_statement condition: (parenthesized_expression (expression) @loop.test) @loop.inside body: (_) @loop.body @loop.inside) @loop
(do_statement body: (_) @loop.body @loop.inside condition: (_) @loop.inside) @loop
(try_statement body: (_) @try.body @try.inside) @try
(catch_clause body: (_) @handler.body) @handler @handler.inside
(finally_clause body: (_) @finally.body) @finally
(return_statement) @return
(throw_statement) @raise
(break_statement) @break
(continue_statement) @continue
(yield_expression) @yield
(switch_statement) @switch
(switch_case) @case
(switch_default) @default
(statement_block) @sequence
(program) @sequence

; --- what happens to an expression
(expression_statement (_) @use.ignored)
(return_statement (_) @use.returned)
(throw_statement (_) @use.raised)
(member_expression object: (_) @use.attribute)
(subscript_expression object: (_) @use.subscript)
(call_expression function: (_) @use.called)
(new_expression constructor: (_) @use.called)
(arguments (_) @use.argument)
(arguments (spread_element (_) @use.argument))
(if_statement condition: (_) @use.condition)
(while_statement condition: (_) @use.condition)
(do_statement condition: (_) @use.condition)
(for_statement condition: (expression) @use.condition)
(ternary_expression condition: (_) @use.condition)
(binary_expression left: (_) @use.compared operator: ["==" "!=" "===" "!==" "<" "<=" ">" ">=" "instanceof" "in"] right: (_) @use.compared)
(for_in_statement right: (_) @use.iterated)
(await_expression (_) @use.awaited)
(parenthesized_expression (_) @use.through)
(unary_expression operator: "!" argument: (_) @use.logic)
(binary_expression left: (_) @use.logic operator: ["&&" "||" "??"] right: (_) @use.logic)
(variable_declarator value: (_) @use.assigned)
(assignment_expression right: (_) @use.assigned)

; --- what a name is there for
(variable_declarator name: (identifier) @use.write)
(assignment_expression left: (_) @use.write)
(augmented_assignment_expression left: (_) @use.write)
(update_expression argument: (_) @use.write)
(unary_expression operator: "delete" argument: (_) @use.write)
(for_in_statement left: (identifier) @use.write)
(catch_clause parameter: (identifier) @use.write)
(arrow_function parameter: (identifier) @use.parameter)
(pair key: (property_identifier) @use.keyword)
(function_declaration name: (_) @use.definition)
(generator_function_declaration name: (_) @use.definition)
(method_definition name: (_) @use.definition)
(class_declaration name: (_) @use.definition)
(class name: (_) @use.definition)
(export_statement !source (export_clause (export_specifier name: (identifier) @use.export)))
