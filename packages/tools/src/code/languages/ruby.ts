/** Ruby. What stands below a bare `private` or `protected` is hidden; any comment directly above documents. */
import type { Node } from "web-tree-sitter";
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const ruby: CodeLanguage = {
  name: "ruby",
  grammar: "ruby",
  extensions: [".rb", ".rake", ".gemspec"],
  definitions: `
(module name: (_) @name) @module
(class name: (_) @name) @class
(class body: (body_statement (method name: (_) @name) @method))
(module body: (body_statement (method name: (_) @name) @method))
(singleton_method name: (_) @name) @method
(method name: (_) @name) @function
(assignment left: (constant) @name) @constant
`,
  identifiers: ["identifier", "constant", "instance_variable", "class_variable", "global_variable"],
  isExported: ({ node, outer }) => (outer === undefined || outer.exported) && !isHidden(node),
  isDocumented: ({ node }) => commentAbove(node) !== undefined,
};

const isHidden = (node: Node): boolean => {
  if (node.type !== "method") return false;
  for (let above = node.previousNamedSibling; above; above = above.previousNamedSibling)
    if (above.type === "identifier") {
      if (above.text === "private" || above.text === "protected") return true;
      if (above.text === "public") return false;
    }
  return false;
};
