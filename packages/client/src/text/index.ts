/** Text of others, made safe to show. */
export { describeHidden, toMarkedText } from "./marked-text.ts";
export type { MarkedPart } from "./marked-text.ts";
export { createPrintFilter, toPrintable } from "./printable.ts";
export type { PrintMode, TextFilter } from "./printable.ts";
