/** The SHA-256 of a JSON value, whatever the order in which its keys were written. */
import { createHash } from "node:crypto";
import type { Json } from "@retinue/protocol";

export const digestOf = (value: Json): string =>
  createHash("sha256")
    .update(JSON.stringify(inOrder(value)))
    .digest("hex");

const inOrder = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, child]) => [key, inOrder(child)]),
  );
};
