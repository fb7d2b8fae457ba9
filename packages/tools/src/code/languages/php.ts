/** PHP. */
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const php: CodeLanguage = {
  name: "php",
  grammar: "php",
  extensions: [".php"],
  definitions: `
(function_definition name: (name) @name) @function
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @constant
(method_declaration name: (name) @name) @method
(const_element (name) @name) @constant
(property_element name: (variable_name (name) @name)) @property
`,
  identifiers: ["name"],
  isExported: ({ node, outer }) => {
    const declaration = node.type === "property_element" || node.type === "const_element" ? node.parent : node;
    const isHidden = declaration?.namedChildren.some((child) => child.type === "visibility_modifier" && child.text !== "public");
    return (outer === undefined || (outer.exported && outer.kind !== "function")) && isHidden !== true;
  },
  isDocumented: ({ node }) => commentAbove(node)?.startsWith("/**") ?? false,
};
