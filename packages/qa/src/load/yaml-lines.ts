/** A YAML file as a value that knows at which line each part of it stands, so that whatever is wrong with it is told to the line. */
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";

export type Problem = { readonly file: string; readonly line: number; readonly message: string };

export type YamlLines = {
  readonly value: unknown;
  /** Of the part that the path leads to, or of the nearest above it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
};

const MOST_CHARACTERS = 1024 * 1024;
const MOST_ALIASES = 50;

/** Gives the problems where it is no YAML. */
export const parseYamlLines = (text: string, file: string): YamlLines | readonly Problem[] => {
  if (text.length > MOST_CHARACTERS)
    return [{ file, line: 1, message: `it has ${text.length} characters; ${MOST_CHARACTERS} is the most` }];
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent", uniqueKeys: true });
  const lineAt = (offset: number): number => lines.linePos(Math.min(offset, text.length)).line;
  if (document.errors.length > 0)
    return document.errors.map(({ pos, message }) => ({ file, line: lineAt(pos[0]), message: `it is not YAML: ${message}` }));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (thrown) {
    return [{ file, line: 1, message: `it cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}` }];
  }
  const lineOf = (path: readonly PropertyKey[]): number => {
    let node: unknown = document.contents;
    let line = startOf(node) ?? 0;
    for (const step of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
        if (!pair) break;
        line = startOf(pair.key) ?? line;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        line = startOf(node) ?? line;
      } else break;
    }
    return lineAt(line);
  };
  return { value, lineOf };
};

const startOf = (node: unknown): number | undefined => (isNode(node) && node.range ? node.range[0] : undefined);
