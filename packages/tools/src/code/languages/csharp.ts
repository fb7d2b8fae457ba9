/** C#. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const csharp: CodeLanguage = {
  name: "c#",
  grammar: "c-sharp",
  extensions: [".cs"],
  definitions: `
(namespace_declaration name: (_) @name) @scope
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @constant
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(property_declaration name: (identifier) @name) @property
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @property))
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name) @constant))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @property))
`,
  identifiers: ["identifier"],
  isExported: ({ node, outer }) =>
    (outer === undefined || outer.kind === "scope" || outer.exported) &&
    (outer?.kind === "interface" || node.type === "enum_member_declaration" || isPublic(node)),
  isDocumented: ({ node }) => commentAbove(node)?.startsWith("///") ?? false,
};

const isPublic = (node: Node): boolean => {
  const declaration = node.type === "variable_declarator" ? node.parent?.parent : node;
  return declaration?.namedChildren.some((child) => child.type === "modifier" && child.text === "public") ?? false;
};
