import type { JsonObject } from "@retinue/protocol";

/** A structured input as the task of a run: one text is the task itself, several are named. */
export const wordInput = (input: JsonObject | null): string => {
  const entries = Object.entries(input ?? {});
  const [only] = entries;
  if (entries.length === 1 && only && typeof only[1] === "string") return only[1];
  return entries.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
};
