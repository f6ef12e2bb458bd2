; One pass over the tree finds all of this. The first capture of a pattern names what was found.

; --- definitions ---------------------------------------------------------------------------------
(function_definition name: (identifier) @function.name) @function
(class_definition name: (identifier) @class.name) @class
(decorated_definition definition: (_) @wrapped) @wrapper

; --- variables and attributes --------------------------------------------------------------------
; a node's parent is dear to ask for, the deeper the dearer: what is asked for often is captured with it
(assignment left: [(identifier) (attribute) (pattern_list) (tuple_pattern) (list_pattern)] @assigned) @assignment
(named_expression name: (identifier) @assigned) @assignment
(type_alias_statement left: (type (identifier) @assigned) @assignment)
(type_alias_statement left: (type (generic_type (identifier) @assigned) @assignment))

; --- text ----------------------------------------------------------------------------------------
(comment) @comment
(expression_statement . (string) @text .)

; --- references ----------------------------------------------------------------------------------
(call function: [(identifier) (attribute)] @call)
(decorator [(identifier) (attribute)] @call)
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base)))

(import_statement name: (dotted_name) @import.module)
(import_statement name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.local))
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import.module
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.local))
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.star)

; what a star import takes
((assignment left: (identifier) @exports) (#eq? @exports "__all__"))
((augmented_assignment left: (identifier) @exports) (#eq? @exports "__all__"))
((attribute object: (identifier) @exports) (#eq? @exports "__all__"))

; --- failures and checks -------------------------------------------------------------------------
(raise_statement . (_) @raise)
(assert_statement . (_) @assert)

; --- what a function binds -----------------------------------------------------------------------
(parameters [(identifier) (typed_parameter) (default_parameter) (typed_default_parameter)
  (list_splat_pattern) (dictionary_splat_pattern)] @parameter)
(for_statement left: (_) @target)
(as_pattern_target (_) @target)
(case_pattern (as_pattern (identifier) @target .))
; bound within the expression two nodes above, and not beside it
(lambda_parameters [(identifier) (default_parameter) (list_splat_pattern) (dictionary_splat_pattern)] @inner)
(for_in_clause left: (_) @inner)
(global_statement (identifier) @outer)
(nonlocal_statement (identifier) @outer)
