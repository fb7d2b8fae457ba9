/** TypeScript, and TypeScript with JSX, which has a grammar of its own. */
import type { CodeLanguage } from "../code-language.ts";
import {
  isJavascriptDocumented,
  isJavascriptExported,
  JAVASCRIPT_DEFINITIONS,
  JAVASCRIPT_EXPORTED_NAMES,
  JAVASCRIPT_IDENTIFIERS,
} from "./javascript-family.ts";

const DEFINITIONS = `${JAVASCRIPT_DEFINITIONS}
(function_signature name: (identifier) @name) @function
(abstract_class_declaration name: (_) @name) @class
(abstract_method_signature name: (_) @name) @method
(method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: (_) @name) @property
(property_signature name: (_) @name) @property
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (property_identifier) @name @constant)
(enum_body (enum_assignment name: (property_identifier) @name) @constant)
(internal_module name: (_) @name) @module
(module name: (identifier) @name) @module
(internal_module body: (statement_block (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant))))
`;

export const typescript: CodeLanguage = {
  name: "typescript",
  grammar: "typescript",
  extensions: [".ts", ".mts", ".cts"],
  definitions: DEFINITIONS,
  identifiers: [...JAVASCRIPT_IDENTIFIERS, "type_identifier"],
  exportedNames: JAVASCRIPT_EXPORTED_NAMES,
  isExported: isJavascriptExported,
  isDocumented: isJavascriptDocumented,
};

export const tsx: CodeLanguage = { ...typescript, name: "tsx", grammar: "tsx", extensions: [".tsx"] };
