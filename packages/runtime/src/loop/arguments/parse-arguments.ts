/**
 * The arguments of a call as a value. What is not JSON is read once more without what models put around it: a fence, a comma too many, a second
 * encoding. Nothing is completed: a text that was cut off stays one.
 */

export type ParsedArguments =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "notJson"; readonly why: string };

export const parseArguments = (text: string): ParsedArguments => {
  if (text.trim() === "") return { type: "value", value: {} };
  try {
    return { type: "value", value: decoded(JSON.parse(text)) };
  } catch (thrown) {
    try {
      return { type: "value", value: decoded(JSON.parse(withoutTrailingCommas(withoutFence(text)))) };
    } catch {
      return { type: "notJson", why: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }
};

/** An object that was written as a text is that object: no tool takes a text alone. */
const decoded = (value: unknown): unknown => {
  if (typeof value !== "string" || !/^\s*\{/.test(value)) return value;
  const inner = parseArguments(value);
  return inner.type === "value" ? inner.value : value;
};

const withoutFence = (text: string): string => {
  const lines = text.trim().split("\n");
  const isFenced = lines.length > 2 && /^```\w*$/.test(lines[0]?.trim() ?? "") && lines.at(-1)?.trim() === "```";
  return isFenced ? lines.slice(1, -1).join("\n") : text;
};

/** Leaves out commas right before a closing bracket, but for those inside of texts. */
const withoutTrailingCommas = (text: string): string =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gs, (found) => (found === "," ? "" : found));
