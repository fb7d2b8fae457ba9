/** Shows what a reader would not see: control, zero-width, bidi, tag and other invisible characters become `\u{…}`. */
import { neutralise } from "@retinue/runtime";

/** A variation selector that belongs to the emoji before it, line ends and tabs are what they seem. */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\uFE0F|(?!\n|\t|\uFE0F)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const escapeHidden = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

export const hasHidden = (text: string): boolean => text.replaceAll("\r", "").search(HIDDEN) >= 0;

/** Escaped, without control tokens of chat templates, and of no more than so many characters. */
export const toShownText = (text: string, most: number): string => {
  const escaped = escapeHidden(neutralise(text.length > most ? text.slice(0, most).toWellFormed() : text));
  return text.length > most ? `${escaped}… [${text.length - most} more characters cut]` : escaped;
};
