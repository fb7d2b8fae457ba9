/** What was asked of the user and what they said to it, as it stays in the scrollback. */
import { wrapRow } from "../screen/fit-row.ts";
import { type Row, safeText, span } from "../screen/row.ts";

export const drawAnswered = (question: string, answer: string, width: number): readonly Row[] => [
  [],
  ...wrapRow([span(" asked  ", "user"), span(safeText(question))], width, "        "),
  ...wrapRow([span(" you    ", "user"), span(safeText(answer))], width, "        "),
];
