/** Schemas of JSON values. Their types are ours, because zod's own type of JSON is not readonly. */
import { z } from "zod";
import type { Json, JsonObject } from "../json.ts";

export const jsonSchema: z.ZodType<Json> = z.json().meta({ title: "Json" });
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json()).meta({ title: "JsonObject" });
