import type { JsonObject } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { fromJsonSchema } from "./json-schema.ts";

const SLOW = "^(a+)+$";

describe("a JSON Schema", () => {
  test.each<[string, JsonObject]>([
    ["of a text", { type: "string", pattern: SLOW }],
    ["of a property", { type: "object", properties: { a: { type: "string", pattern: SLOW } } }],
    ["of a property named pattern", { type: "object", properties: { pattern: { type: "string", pattern: SLOW } } }],
    ["of names", { type: "object", patternProperties: { [SLOW]: { type: "string" } } }],
    ["of what stands under such names", { type: "object", patternProperties: { "^a$": { type: "string", pattern: SLOW } } }],
    ["of all names", { type: "object", propertyNames: { pattern: SLOW } }],
    ["in an alternative", { anyOf: [{ type: "number" }, { type: "string", pattern: SLOW }] }],
    ["in a list", { type: "array", items: { type: "string", pattern: SLOW } }],
    ["in a tuple", { type: "array", prefixItems: [{ type: "string", pattern: SLOW }] }],
    ["that is referred to", { $defs: { a: { type: "string", pattern: SLOW } }, $ref: "#/$defs/a" }],
    ["of further properties", { type: "object", additionalProperties: { type: "string", pattern: SLOW } }],
  ])("J4 with a slow pattern %s is refused", (_, schema) => {
    expect(() => fromJsonSchema(schema)).toThrow(expect.objectContaining({ code: "pattern_slow" }));
  });

  test("with patterns that are not slow checks by them", () => {
    const schema = fromJsonSchema({ type: "object", properties: { id: { type: "string", pattern: "^[a-z]+(-[a-z]+)*$" } } });
    expect(schema.safeParse({ id: "a-b" }).success).toBe(true);
    expect(schema.safeParse({ id: "a--b" }).success).toBe(false);
  });

  test("may hold what only looks like a pattern", () => {
    const schema = { type: "object", properties: { pattern: { type: "object", default: { pattern: SLOW } } } } as const;
    expect(fromJsonSchema(schema).safeParse({ pattern: {} }).success).toBe(true);
    expect(() => fromJsonSchema({ enum: ["a"], default: { pattern: SLOW } })).not.toThrow();
  });
});
