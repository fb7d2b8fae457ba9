/** Java. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const java: CodeLanguage = {
  name: "java",
  grammar: "java",
  extensions: [".java"],
  definitions: `
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @constant
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(field_declaration (modifiers "final") declarator: (variable_declarator name: (identifier) @name) @constant)
(field_declaration declarator: (variable_declarator name: (identifier) @name) @property)
`,
  identifiers: ["identifier", "type_identifier"],
  isExported: ({ node, outer }) =>
    (outer === undefined || outer.exported) && (outer?.kind === "interface" || node.type === "enum_constant" || isPublic(node)),
  isDocumented: ({ node }) => commentAbove(node)?.startsWith("/**") ?? false,
};

const isPublic = (node: Node): boolean => {
  const declaration = node.type === "variable_declarator" ? node.parent : node;
  const modifiers = declaration?.namedChildren.find((child) => child.type === "modifiers");
  return modifiers?.children.some((child) => child.type === "public") ?? false;
};
