/**
 * Keeps known secrets out of everything that a run says: what is recorded, shown and sent to a model is the same redacted text, so that a
 * replay sees what the model saw. Which secrets there are is for the host to know; without any there is no redactor and nothing is looked at.
 */

export type Redactor = {
  readonly text: (text: string) => string;
  /** For a text that comes in pieces: what may become a secret is held back until more has come. */
  readonly stream: () => TextStream;
  /** The mark of a secret that stands in a text, where there is one: what holds it is not as it was meant. */
  readonly findMark?: (text: string) => string | undefined;
};

export type TextStream = {
  readonly push: (chunk: string) => string;
  /** What was held back. */
  readonly end: () => string;
};

/** Gives values without secrets; the values themselves where there is no redactor. */
export const createCleaner = (redactor: Redactor | undefined): (<T>(value: T) => T) =>
  redactor ? (value) => redactDeep(value, redactor.text) : (value) => value;

/** A value of plain data without secrets, in keys and strings; the very same value where there was none. */
export const redactDeep = <T>(value: T, redact: Redactor["text"]): T => clean(value, redact) as T;

const clean = (value: unknown, redact: Redactor["text"]): unknown => {
  if (typeof value === "string") return redact(value);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) {
    let changed: unknown[] | undefined;
    for (const [index, item] of value.entries()) {
      const cleaned = clean(item, redact);
      if (cleaned !== item) (changed ??= [...(value as readonly unknown[])])[index] = cleaned;
    }
    return changed ?? value;
  }
  let isChanged = false;
  const entries = Object.entries(value).map(([key, item]: readonly [string, unknown]): readonly [string, unknown] => {
    const name = redact(key);
    const cleaned = clean(item, redact);
    isChanged ||= cleaned !== item || name !== key;
    return [name, cleaned];
  });
  return isChanged ? Object.fromEntries(entries) : value;
};
