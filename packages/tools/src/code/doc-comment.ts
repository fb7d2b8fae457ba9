/** Finds the comment that stands directly above a definition, decorators and attributes in between left aside. */
import type { Node } from "web-tree-sitter";

/** Nodes that a definition may be wrapped in and that a comment then stands above of. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "ambient_declaration",
  "const_declaration",
  "declaration",
  "declaration_command",
  "decorated_definition",
  "export_statement",
  "expression_statement",
  "field_declaration",
  "lexical_declaration",
  "template_declaration",
  "type_declaration",
  "var_declaration",
  "variable_declaration",
]);

const BETWEEN: ReadonlySet<string> = new Set(["attribute_item", "attribute_list", "decorator"]);

/** The whole statement of a definition. */
export const outermost = (node: Node): Node => {
  let whole = node;
  while (whole.parent && WRAPPERS.has(whole.parent.type)) whole = whole.parent;
  return whole;
};

/** The text of the last line or block of the comment; undefined where none stands directly above. */
export const commentAbove = (node: Node): string | undefined => {
  const whole = outermost(node);
  let row = whole.startPosition.row;
  let above = whole.previousNamedSibling;
  while (above && BETWEEN.has(above.type)) {
    row = above.startPosition.row;
    above = above.previousNamedSibling;
  }
  if (!above?.type.includes("comment")) return undefined;
  const { row: end, column } = above.endPosition;
  // Some grammars count the end of the line to the comment.
  const last = column === 0 && end > above.startPosition.row ? end - 1 : end;
  return row - last <= 1 ? above.text : undefined;
};
