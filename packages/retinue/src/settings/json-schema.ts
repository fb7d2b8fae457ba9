/** The settings' schema as JSON Schema, for editors. `retinue.schema.json` holds it; a test keeps the two equal. */
import { z } from "zod";
import { settingsSchema } from "./schema.ts";

const withoutHugeBounds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutHugeBounds);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key, child]) => !(key === "maximum" && child === Number.MAX_SAFE_INTEGER));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutHugeBounds(child)]));
};

export const settingsJsonSchema = (): Record<string, unknown> => ({
  ...(withoutHugeBounds(z.toJSONSchema(settingsSchema, { io: "input", target: "draft-7" })) as Record<string, unknown>),
  title: "Settings of Retinue (retinue.yaml)",
});
