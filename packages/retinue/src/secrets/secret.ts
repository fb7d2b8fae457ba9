/** A value that may never be told, and the name that is told in its place. */

export type Secret = { readonly name: string; readonly value: string };

/** Of a secret that is known without a name. */
export const REDACTED = "[redacted]";

const MOST_NAME_CHARS = 64;

/** What is written in place of a secret, so that whoever reads it can refer to it. */
export const toMark = (name: string): string => {
  const plain = name.replace(/[^\w.-]+/g, "_").slice(0, MOST_NAME_CHARS);
  return plain === "" ? REDACTED : `[redacted:${plain}]`;
};
