; Under which condition a block runs. `form` is how the condition reads; several @condition of one match are
; each put into it and joined by "and".

((if_statement condition: (_) @condition consequence: (block) @body)
  (#set! form "when {}"))
((elif_clause condition: (_) @condition consequence: (block) @body)
  (#set! form "when {}"))
((if_statement condition: (_) @condition alternative: (else_clause body: (block) @body))
  (#set! form "when not {}"))
((if_statement alternative: (elif_clause condition: (_) @condition) alternative: (else_clause body: (block) @body))
  (#set! form "when not {}"))
((except_clause value: (as_pattern . (_) @condition) (block) @body)
  (#set! form "on {}"))
((except_clause value: [(identifier) (attribute) (tuple) (call) (subscript)] @condition (block) @body)
  (#set! form "on {}"))
((except_clause . (block) @body)
  (#set! form "on any exception"))
((for_statement left: (_) @condition right: (_) @condition alternative: (else_clause body: (block) @body))
  (#set! form "when no {} in {} ends the loop"))
((while_statement condition: (_) @condition alternative: (else_clause body: (block) @body))
  (#set! form "when not {}"))
((match_statement subject: (_) @condition
  body: (block (case_clause . (case_pattern) @condition consequence: (block) @body)))
  (#set! form "when {} matches {}"))
