/** Whether a call asks that whoever it starts goes on with the conversation in the place of the caller. */
import type { Json } from "./json.ts";

export const asksForTransfer = (input: Json): boolean =>
  typeof input === "object" && input !== null && "transfer" in input && input["transfer"] === true;
