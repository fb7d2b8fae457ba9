/** Rust. `pub` exports; comments with a third slash or a second star document. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const rust: CodeLanguage = {
  name: "rust",
  grammar: "rust",
  extensions: [".rs"],
  definitions: `
(impl_item type: (type_identifier) @name) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(impl_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list (function_item name: (identifier) @name) @method))
(trait_item body: (declaration_list (function_signature_item name: (identifier) @name) @method))
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @constant
(trait_item name: (type_identifier) @name) @trait
(type_item name: (type_identifier) @name) @type
(mod_item name: (identifier) @name) @module
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(macro_definition name: (identifier) @name) @macro
(field_declaration name: (field_identifier) @name) @property
`,
  identifiers: ["identifier", "field_identifier", "type_identifier", "shorthand_field_identifier"],
  isExported: ({ node, outer }) =>
    hasPub(node)
      ? outer?.kind !== "module" || outer.exported
      : outer?.exported === true && outer.kind !== "module" && isImplied(node),
  isDocumented: ({ node }) => /^(\/\/\/|\/\*\*)/.test(commentAbove(node) ?? ""),
};

const hasPub = (node: Node): boolean => node.namedChildren.some((child) => child.type === "visibility_modifier");

/** What a trait or an enumeration has is as public as itself. */
const isImplied = (node: Node): boolean =>
  node.type === "enum_variant" ||
  node.parent?.parent?.type === "trait_item" ||
  node.parent?.parent?.childForFieldName("trait") != null;
