/**
 * A value as one line of JSON that is safe on a terminal, too: whatever is not on the allow-list of printing stands as
 * `\uXXXX`, which every reader of JSON turns back into the same character.
 */
import { redactDeep } from "@retinue/runtime/redactor";
import { toPrintable } from "./printable.ts";

const units = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join(
    "",
  );

/** Above ASCII, what `line` would not print as it is. */
const escapeUnprintable = (json: string): string =>
  json.replace(/[^\x20-\x7e]/gu, (character) => (toPrintable(character, "line") === character ? character : units(character)));

/** Without the line break. Secrets are replaced in the strings, before they are escaped. */
export const toJsonLine = (value: unknown, redact: (text: string) => string): string =>
  escapeUnprintable(JSON.stringify(redactDeep(value, redact)));

/** The same in many lines, for a file that people read, too. */
export const toJsonText = (value: unknown, redact: (text: string) => string): string =>
  JSON.stringify(redactDeep(value, redact), null, 2).split("\n").map(escapeUnprintable).join("\n");
