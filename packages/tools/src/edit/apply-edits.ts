/**
 * Replaces exact pieces of a text, one edit after the other, all or none. Line endings are not part of what must match: the file keeps its
 * own, also where it mixes them.
 */
import { describeMiss } from "./describe-miss.ts";
import { findMeant } from "./find-meant.ts";
import { toNormalized } from "./normalized-text.ts";

export type Edit = {
  readonly old: string;
  readonly new: string;
  /** Every place instead of the only one. */
  readonly all?: boolean | undefined;
};

export type EditOutcome =
  | {
      readonly type: "edited";
      readonly text: string;
      readonly replacements: number;
      /** What was not to the letter as the edits say, and was understood. */
      readonly notes?: readonly string[];
    }
  /** `number` counts the edits from 1. */
  | { readonly type: "refused"; readonly number: number; readonly reason: string };

const MAX_LISTED = 20;

/** More than any file that is edited by hand; edits that each double a text would fill the memory. */
const MAX_CHARS = 16 * 1024 * 1024;

export const applyEdits = (text: string, edits: readonly Edit[]): EditOutcome => {
  let edited = text;
  let replacements = 0;
  const notes: string[] = [];
  for (const [at, edit] of edits.entries()) {
    const outcome = applyEdit(edited, edit);
    if (outcome.type === "refused") return { ...outcome, number: at + 1 };
    edited = outcome.text;
    replacements += outcome.replacements;
    notes.push(...(outcome.notes ?? []));
  }
  return { type: "edited", text: edited, replacements, ...(notes.length === 0 ? {} : { notes }) };
};

const applyEdit = (text: string, edit: Edit): EditOutcome => {
  const old = edit.old.replaceAll("\r\n", "\n");
  const fresh = edit.new.replaceAll("\r\n", "\n");
  if (old === "") return refuse("old is empty. Give the text to replace; use write to create a file or to replace all of it.");
  if (old === fresh) return refuse("old and new are the same.");
  const normalized = toNormalized(text);
  const places = placesOf(normalized.text, old);
  const [first] = places;
  if (first === undefined) {
    const meant = findMeant(normalized.text, { old, new: fresh });
    if (!meant || edit.all === true) return refuse(describeMiss(normalized.text, { old, new: fresh }));
    const outcome = applyEdit(text, meant.edit);
    return outcome.type === "edited" ? { ...outcome, notes: [meant.note] } : outcome;
  }
  if (places.length > 1 && edit.all !== true)
    return refuse(
      `old occurs ${places.length} times, at lines ${toLineNumbers(normalized.text, places)}. ` +
        "Add lines around it until it is the only one, or set all.",
    );
  if (text.length + places.length * (fresh.length - old.length) > MAX_CHARS)
    return refuse(`the file would have more than ${MAX_CHARS / 1024 / 1024} million characters after it.`);
  const pieces: string[] = [];
  let done = 0;
  for (const place of places) {
    const start = normalized.toOriginal(place);
    const end = normalized.toOriginal(place + old.length);
    pieces.push(text.slice(done, start), normalized.toOriginalEndings(fresh, text.slice(start, end)));
    done = end;
  }
  return { type: "edited", text: pieces.join("") + text.slice(done), replacements: places.length };
};

const refuse = (reason: string): EditOutcome => ({ type: "refused", number: 1, reason });

/** Where it begins; places do not overlap. */
const placesOf = (text: string, old: string): readonly number[] => {
  const places: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) places.push(at);
  return places;
};

const toLineNumbers = (text: string, places: readonly number[]): string => {
  const numbers: number[] = [];
  let line = 1;
  let at = 0;
  for (const place of places.slice(0, MAX_LISTED)) {
    for (let next = text.indexOf("\n", at); next >= 0 && next < place; next = text.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    numbers.push(line);
  }
  return numbers.join(", ") + (places.length > MAX_LISTED ? ", …" : "");
};
