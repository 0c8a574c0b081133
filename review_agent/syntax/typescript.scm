; What TypeScript adds to javascript.scm.

(abstract_class_declaration name: (_) @class.name body: (_) @class.body) @class
(interface_declaration name: (_) @class.name body: (_) @class.body) @class
(enum_declaration name: (_) @class.name body: (_) @class.body) @class
(internal_module name: (_) @class.name body: (_) @class.body) @class
(module name: (_) @class.name body: (_) @class.body) @class
(type_alias_declaration name: (_) @alias.name value: (_) @alias.value) @alias
(nested_type_identifier module: (_) @member.object name: (_) @member.name) @member
(as_expression . (_) @use.through) @group
(satisfies_expression . (_) @use.through) @group
(non_null_expression . (_) @use.through) @group
(abstract_class_declaration name: (_) @use.definition)
(interface_declaration name: (_) @use.definition)
(enum_declaration name: (_) @use.definition)
(type_alias_declaration name: (_) @use.definition)
(method_signature name: (_) @use.definition)
(abstract_method_signature name: (_) @use.definition)
(property_signature name: (_) @use.definition)
(public_field_definition name: (_) @use.definition)
(function_signature name: (_) @use.definition)
