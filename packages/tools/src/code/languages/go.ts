/** Go. An upper-case first letter exports; any comment above documents. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const go: CodeLanguage = {
  name: "go",
  grammar: "go",
  extensions: [".go"],
  definitions: `
(function_declaration name: (identifier) @name) @function
(method_declaration name: (field_identifier) @name) @method
(method_elem name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(field_declaration name: (field_identifier) @name) @property
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
`,
  identifiers: ["identifier", "field_identifier", "type_identifier", "package_identifier"],
  isExported: ({ name, outer }) => /^\p{Lu}/u.test(name) && (outer === undefined || outer.exported),
  // A comment above a group of constants is about all of them.
  isDocumented: ({ node }) => hasCommentAbove(node) || hasCommentAbove(node.parent),
  containerOf: (node) =>
    node
      .childForFieldName("receiver")
      ?.descendantsOfType("type_identifier")
      .map((type) => type?.text)[0],
};

const hasCommentAbove = (node: Node | null): boolean => node !== null && commentAbove(node) !== undefined;
