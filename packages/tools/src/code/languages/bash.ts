/** Shell scripts. They export nothing that could be documented for others. */
import type { CodeLanguage } from "../code-language.ts";
import { commentAbove } from "../doc-comment.ts";

export const bash: CodeLanguage = {
  name: "bash",
  grammar: "bash",
  extensions: [".sh", ".bash"],
  definitions: `
(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
`,
  identifiers: ["variable_name", "command_name"],
  isExported: () => false,
  isDocumented: ({ node }) => commentAbove(node) !== undefined,
};
