/** JavaScript, with JSX. */
import type { CodeLanguage } from "../code-language.ts";
import {
  isJavascriptDocumented,
  isJavascriptExported,
  JAVASCRIPT_DEFINITIONS,
  JAVASCRIPT_EXPORTED_NAMES,
  JAVASCRIPT_IDENTIFIERS,
} from "./javascript-family.ts";

export const javascript: CodeLanguage = {
  name: "javascript",
  grammar: "javascript",
  extensions: [".js", ".mjs", ".cjs", ".jsx"],
  definitions: `${JAVASCRIPT_DEFINITIONS}
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
(field_definition property: (_) @name) @property`,
  identifiers: JAVASCRIPT_IDENTIFIERS,
  exportedNames: JAVASCRIPT_EXPORTED_NAMES,
  isExported: isJavascriptExported,
  isDocumented: isJavascriptDocumented,
};
