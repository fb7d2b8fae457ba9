/** Reads JSON with comments and last commas, as opencode has it in its settings, and finds the lines of words. */
const COMMENT = /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g;
const LAST_COMMA = /("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g;

export type JsonFields = Readonly<Record<string, unknown>>;

export const isJsonFields = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Throws where it is no object. */
export const parseJsonc = (text: string): JsonFields => {
  const plain = text
    .replace(/^\uFEFF/, "")
    .replaceAll(COMMENT, (_, kept?: string) => kept ?? " ")
    .replaceAll(LAST_COMMA, (_, kept?: string) => kept ?? "");
  const value: unknown = JSON.parse(plain);
  if (!isJsonFields(value)) throw new Error("it is no object");
  return value;
};

/** The line that a word first stands at as a text of its own. */
export const lineOfWord = (text: string, word: string): number =>
  text.slice(0, Math.max(0, text.indexOf(JSON.stringify(word)))).split("\n").length;
