/** What may be printed is decided in the client, for every surface. */
export { createPrintFilter, toPrintable } from "@retinue/client/text";
export type { PrintMode, TextFilter } from "@retinue/client/text";
