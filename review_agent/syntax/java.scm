; The captures of python.scm, for Java. `a.b(c)` has no node for `a.b`: java_calls makes one and its roles.

; --- scopes
(method_declaration type: (_) @function.result name: (_) @function.name parameters: (_) @function.params) @function
(method_declaration body: (_) @function.body) @function
(constructor_declaration name: (_) @function.name parameters: (_) @function.params body: (_) @function.body) @function
(compact_constructor_declaration name: (_) @function.name body: (_) @function.body) @function
(annotation_type_element_declaration type: (_) @function.result name: (_) @function.name) @function
[(class_declaration name: (_) @class.name body: (_) @class.body) (interface_declaration name: (_) @class.name body: (_) @class.body)
 (enum_declaration name: (_) @class.name body: (_) @class.body) (record_declaration name: (_) @class.name body: (_) @class.body)
 (annotation_type_declaration name: (_) @class.name body: (_) @class.body)] @class
(enum_constant name: (_) @class.name body: (_) @class.body) @class
(object_creation_expression (class_body) @class @class.body)
(lambda_expression) @closure

; --- imports
(import_declaration) @import

; --- calls and dotted names
(method_invocation !object name: (_) @call.callee arguments: (_) @call.args) @call
(method_invocation object: (_) arguments: (_) @call.args) @call
(object_creation_expression type: [(type_identifier) (scoped_type_identifier)] @call.callee arguments: (_) @call.args) @call
(object_creation_expression type: (generic_type . (_) @call.callee) arguments: (_) @call.args) @call
(explicit_constructor_invocation constructor: (_) @call.callee arguments: (_) @call.args) @call
(field_access object: (_) @member.object field: (_) @member.name) @member
(scoped_identifier scope: (_) @member.object name: (_) @member.name) @member
(scoped_type_identifier . (_) @member.object (type_identifier) @member.name .) @member
(method_reference . (_) @member.object (identifier) @member.name .) @member
(array_access array: (_) @index.object index: (_) @index.key) @index
(parenthesized_expression) @group

; --- assignments
(assignment_expression left: (_) @assign.left operator: "=" right: (_) @assign.right) @assign
(assignment_expression left: (_) @update.left operator: _ @update.operator right: (_) @update.right
  (#not-eq? @update.operator "=")) @update
(update_expression (_) @update.left) @update
(variable_declarator name: (_) @assign.left value: (_) @assign.right) @assign
(variable_declarator !value) @declare
(resource name: (_) @assign.left value: (_) @assign.right) @assign

; --- conditions
(if_statement condition: (parenthesized_expression (_) @if.test) consequence: (_) @if.body) @if
(if_statement alternative: (_) @if.other) @if
(assert_statement . (_) @assert.test) @assert
(ternary_expression condition: (_) @ternary.test consequence: (_) @ternary.body alternative: (_) @ternary.other) @ternary
(binary_expression left: (_) @and.left operator: "&&" right: (_) @and.right) @and
(binary_expression left: (_) @or.left operator: "||" right: (_) @or.right) @or
(unary_expression operator: "!" operand: (_) @not.value) @not
(binary_expression operator: ["==" "!=" "<" "<=" ">" ">="]) @compare
(instanceof_expression) @compare

; --- loops, handlers, leaving
(for_statement body: (_) @loop.body @loop.inside) @loop
(for_statement condition: (_) @loop.test @loop.inside) @loop
(for_statement update: (_) @loop.inside) @loop
(enhanced_for_statement name: (_) @loop.left value: (_) @loop.over body: (_) @loop.body @loop.inside) @loop
(while_statement condition: (parenthesized_expression (_) @loop.test) @loop.inside body: (_) @loop.body @loop.inside) @loop
(do_statement body: (_) @loop.body @loop.inside condition: (_) @loop.inside) @loop
(try_statement body: (_) @try.body @try.inside) @try
(try_with_resources_statement resources: (_) @try.inside body: (_) @try.body @try.inside) @try
[(catch_clause body: (_) @handler.body)] @handler @handler.inside
(finally_clause) @finally
(synchronized_statement body: (_) @with.body) @with
(return_statement) @return
(throw_statement) @raise
(break_statement) @break
(continue_statement) @continue
(switch_expression) @switch
(switch_block_statement_group) @case @case.body
(switch_block_statement_group (switch_label "default")) @default @default.body
(switch_rule (switch_label) . (_) @case.body) @case
(switch_rule (switch_label "default") . (_) @default.body) @default
[(constructor_body) (program)] @sequence

; --- what happens to an expression
(expression_statement (_) @use.ignored)
(return_statement (_) @use.returned)
(throw_statement (_) @use.raised)
(field_access object: (_) @use.attribute)
(method_invocation object: (_) @use.attribute)
(array_access array: (_) @use.subscript)
(method_invocation !object name: (_) @use.called)
(object_creation_expression type: [(type_identifier) (scoped_type_identifier)] @use.called)
(object_creation_expression type: (generic_type . (_) @use.called))
(explicit_constructor_invocation constructor: (_) @use.called)
(explicit_constructor_invocation) @use.ignored
(argument_list (_) @use.argument)
(if_statement condition: (_) @use.condition)
(while_statement condition: (_) @use.condition)
(do_statement condition: (_) @use.condition)
(for_statement condition: (_) @use.condition)
(ternary_expression condition: (_) @use.condition)
(assert_statement . (_) @use.condition)
(binary_expression left: (_) @use.compared operator: ["==" "!=" "<" "<=" ">" ">="] right: (_) @use.compared)
(instanceof_expression left: (_) @use.compared)
(enhanced_for_statement value: (_) @use.iterated)
(resource value: (_) @use.context)
(parenthesized_expression (_) @use.through)
(cast_expression value: (_) @use.through)
(binary_expression left: (_) @use.logic operator: ["&&" "||"] right: (_) @use.logic)
(unary_expression operator: "!" operand: (_) @use.logic)
(variable_declarator value: (_) @use.assigned)
(assignment_expression right: (_) @use.assigned)

; --- what a name is there for
(assignment_expression left: (_) @use.write)
(update_expression (_) @use.write)
(enhanced_for_statement name: (_) @use.write)
(catch_formal_parameter name: (_) @use.write)
(instanceof_expression name: (_) @use.write)
(type_pattern (identifier) @use.write)
(record_pattern_component (identifier) @use.write)
(catch_type (_) @use.catch)
(formal_parameter name: (_) @use.parameter)
(spread_parameter (variable_declarator name: (_) @use.parameter))
(inferred_parameters (identifier) @use.parameter)
(lambda_expression parameters: (identifier) @use.parameter)
(element_value_pair key: (_) @use.keyword)
(break_statement (identifier) @use.keyword)
(continue_statement (identifier) @use.keyword)
(labeled_statement . (identifier) @use.keyword)
(local_variable_declaration declarator: (variable_declarator name: (_) @use.definition))
(field_declaration declarator: (variable_declarator name: (_) @use.definition))
(constant_declaration declarator: (variable_declarator name: (_) @use.definition))
(resource name: (_) @use.definition)
(method_declaration name: (_) @use.definition)
(constructor_declaration name: (_) @use.definition)
(compact_constructor_declaration name: (_) @use.definition)
(annotation_type_element_declaration name: (_) @use.definition)
(class_declaration name: (_) @use.definition)
(interface_declaration name: (_) @use.definition)
(enum_declaration name: (_) @use.definition)
(record_declaration name: (_) @use.definition)
(annotation_type_declaration name: (_) @use.definition)
(enum_constant name: (_) @use.definition)
