/** What JavaScript and TypeScript have in common. */
import type { Node } from "web-tree-sitter";
import type { FoundDefinition } from "../code-language.ts";
import { commentAbove, outermost } from "../doc-comment.ts";

export const JAVASCRIPT_DEFINITIONS = `
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant)))
(program (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @constant))
(program (export_statement (lexical_declaration
  (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @constant)))
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
(export_statement (export_clause (export_specifier alias: (identifier) @name) @export))
(export_statement (export_clause (export_specifier name: (identifier) @name !alias) @export) source: (string))
(export_statement (namespace_export (identifier) @name) @export)
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name)) @export (#eq? @_exports "exports")))
(program (expression_statement (assignment_expression
  left: (member_expression object: (member_expression) @_exports property: (property_identifier) @name)) @export
  (#eq? @_exports "module.exports")))
`;

export const JAVASCRIPT_EXPORTED_NAMES = `
(export_statement !source (export_clause (export_specifier name: (identifier) @name)))
(export_statement value: (identifier) @name)
(program (expression_statement (assignment_expression
  left: (member_expression) @_exports right: (object (shorthand_property_identifier) @name)) (#eq? @_exports "module.exports")))
(program (expression_statement (assignment_expression
  left: (member_expression) @_exports right: (identifier) @name) (#eq? @_exports "module.exports")))
`;

export const JAVASCRIPT_IDENTIFIERS = [
  "identifier",
  "property_identifier",
  "private_property_identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern",
  "statement_identifier",
];

export const isJavascriptExported = ({ name, kind, node, outer }: FoundDefinition, names: ReadonlySet<string>): boolean => {
  if (kind === "export") return true;
  if (outer !== undefined) return isMember(kind, outer.kind) && outer.exported && !isPrivate(name, node);
  return names.has(name) || outermost(node).type === "export_statement";
};

/** Members of classes, interfaces and namespaces can be reached from outside; what is inside functions cannot. */
const isMember = (kind: string, outer: string): boolean =>
  outer === "module" || ((kind === "method" || kind === "property") && (outer === "class" || outer === "interface"));

const isPrivate = (name: string, node: Node): boolean =>
  name.startsWith("#") || node.namedChildren.some((child) => child.type === "accessibility_modifier" && child.text !== "public");

export const isJavascriptDocumented = ({ node }: FoundDefinition): boolean => commentAbove(node)?.startsWith("/**") ?? false;
