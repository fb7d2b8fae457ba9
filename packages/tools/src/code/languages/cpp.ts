/** C++, and C by the same grammar. What a header declares is exported; any comment directly above documents. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

/** A function may give a pointer or a reference, and carry the class that it belongs to. */
const declarators = (kind: string, outer: string, inner: string): string =>
  ["", "pointer_declarator", "reference_declarator"]
    .map((wrapper) => {
      const declarator = `(function_declarator declarator: ${inner})`;
      const field = wrapper === "reference_declarator" ? "" : "declarator: ";
      return `(${outer} declarator: ${wrapper === "" ? declarator : `(${wrapper} ${field}${declarator})`}) @${kind}`;
    })
    .join("\n");

const QUALIFIED = "(qualified_identifier name: [(identifier) (destructor_name) (operator_name)] @name)";
const TWICE_QUALIFIED = `(qualified_identifier name: ${QUALIFIED})`;

export const cpp: CodeLanguage = {
  name: "c++",
  grammar: "cpp",
  extensions: [".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh", ".hxx", ".ipp"],
  definitions: `
(namespace_definition name: (_) @name) @module
(class_specifier name: (type_identifier) @name body: (_)) @class
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @constant
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (type_identifier) @name) @type
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
${declarators("method", "function_definition", QUALIFIED)}
${declarators("method", "function_definition", TWICE_QUALIFIED)}
${declarators("method", "function_definition", "(field_identifier) @name")}
${declarators("method", "field_declaration", "(field_identifier) @name")}
${declarators("function", "function_definition", "(identifier) @name")}
${declarators("function", "declaration", "(identifier) @name")}
(field_declaration declarator: (field_identifier) @name) @property
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @property
(translation_unit (declaration (type_qualifier) declarator: (init_declarator declarator: (identifier) @name)) @constant)
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @variable)
(namespace_definition body: (declaration_list (declaration (type_qualifier) declarator: (init_declarator declarator: (identifier) @name)) @constant))
`,
  identifiers: ["identifier", "field_identifier", "type_identifier", "namespace_identifier"],
  isExported: ({ file, node, outer }) =>
    /\.(h|hpp|hh|hxx|ipp)$/.test(file) && !isStatic(node) && !isPrivate(node) && (outer === undefined || outer.exported),
  isDocumented: ({ node }) => commentAbove(node) !== undefined,
  containerOf: (node) => {
    const declarator = node.childForFieldName("declarator")?.descendantsOfType("qualified_identifier")[0];
    return declarator?.childForFieldName("scope") ? declarator.text.split("::").slice(0, -1).join(".") : undefined;
  },
};

const isStatic = (node: Node): boolean =>
  node.parent?.type !== "field_declaration_list" &&
  node.namedChildren.some((child) => child.type === "storage_class_specifier" && child.text === "static");

/** The last access specifier above it; what has none is private in a class and public in a struct. */
const isPrivate = (node: Node): boolean => {
  if (node.parent?.type !== "field_declaration_list") return false;
  for (let above = node.previousNamedSibling; above; above = above.previousNamedSibling)
    if (above.type === "access_specifier") return above.text !== "public";
  return node.parent.parent?.type === "class_specifier";
};
