/**
 * The two lines that a step ends with. Read strictly: what a model wrote in any other form is not taken for a pass, nor for anything else.
 */
import { readEnding } from "@retinue/protocol";

export const ENDING_FORM = [
  "When you are done, your last message ends with EXACTLY these two lines, which take the place of any other form you are told of:",
  "RESULT: PASS or FAIL",
  "SUMMARY: 1-3 sentences of what happened and where things stand now",
].join("\n");

/** Why the text does not end as it must, or null where it does. */
export const findEndingMisfit = (text: string): string | null =>
  readEnding(text) === null ? `it does not end as it must. ${ENDING_FORM}` : null;
