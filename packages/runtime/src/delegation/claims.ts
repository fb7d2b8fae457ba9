/**
 * What an agent says it did, held against what the record says it did. Crude and deterministic: claims about files and tests in the words
 * that agents use for them. What is found unsupported is marked, never removed.
 */
import type { RunState } from "../record/run-state.ts";

const FILE_CLAIM =
  /\b(?:created|added|wrote|modified|updated|edited|changed|fixed|implemented|refactored)\b[^.\n`]{0,60}`([^`\n]{1,200}\.[A-Za-z0-9]{1,8}(?::\d+(?:-\d+)?)?)`/gi;
const TESTS_CLAIM =
  /\b(?:all\s+)?(?:(\d+)\s+)?(?:unit\s+|integration\s+)?tests?\s+(?:now\s+)?(?:are\s+|is\s+)?(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/gi;

export const findUnverified = (
  text: string,
  state: Pick<RunState, "filesModified" | "filesCreated" | "testsRun" | "testsPassed">,
): readonly string[] => {
  const found = new Set<string>();
  const changed = [...state.filesModified, ...state.filesCreated];
  for (const [, file = ""] of text.matchAll(FILE_CLAIM)) {
    const named = file.replace(/^\.\//, "").replace(/:\d+(?:-\d+)?$/, "");
    if (!changed.some((path) => path === named || path.endsWith(`/${named}`) || named.endsWith(`/${path}`)))
      found.add(`a change of ${named}`);
  }
  for (const [claim, count] of text.matchAll(TESTS_CLAIM)) {
    const passed = count === undefined ? 1 : Number(count);
    if (state.testsRun === 0 || passed > state.testsPassed) found.add(`"${claim.trim()}"`);
    else if (count === undefined && state.testsPassed < state.testsRun) found.add(`"${claim.trim()}"`);
  }
  return [...found];
};
