/** Python. A docstring documents; a leading underscore hides. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";

export const python: CodeLanguage = {
  name: "python",
  grammar: "python",
  extensions: [".py", ".pyi"],
  definitions: `
(class_definition body: (block (function_definition name: (identifier) @name) @method))
(class_definition body: (block (decorated_definition (function_definition name: (identifier) @name) @method)))
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(type_alias_statement left: (type (identifier) @name)) @type
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @property)))
(module (expression_statement (assignment left: (identifier) @name) @constant) (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement (assignment left: (identifier) @name) @variable))
`,
  identifiers: ["identifier"],
  isExported: ({ name, outer }) => !name.startsWith("_") && (outer === undefined || (outer.kind === "class" && outer.exported)),
  isDocumented: ({ node }) => hasDocstring(node.childForFieldName("body")),
};

const hasDocstring = (body: Node | null): boolean => {
  const first = body?.namedChildren.find((child) => child.type !== "comment");
  return first?.type === "expression_statement" && first.namedChildren[0]?.type === "string";
};
