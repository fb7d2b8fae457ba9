import { expect, test } from "vitest";
import { toAcceptedSchema } from "./accepted-schema.ts";

test("a schema that every provider takes stays as it is", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "array", items: { type: "string", pattern: "^x$" } },
      b: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["a"],
    additionalProperties: false,
  };
  expect(toAcceptedSchema(schema)).toEqual(schema);
});

test("a union on top becomes one object: what all of its branches require is required, and nothing else", () => {
  expect(
    toAcceptedSchema({
      description: "odd",
      required: ["own", "unknown"],
      properties: { own: { type: "string" } },
      anyOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: {} } }],
      allOf: [{ properties: { c: { type: "number" } }, required: ["c"] }],
    }),
  ).toEqual({
    type: "object",
    description: "odd",
    properties: { own: { type: "string" }, a: { type: "string" }, b: {}, c: { type: "number" } },
    required: ["own", "c"],
  });
});

test("arrays name their items, and a pattern that no grammar can be made of is left out, however deep", () => {
  expect(
    toAcceptedSchema({
      type: "object",
      properties: { a: { type: "object", properties: { b: { type: ["array", "null"] }, c: { type: "string", pattern: "x" } } } },
    }),
  ).toEqual({
    type: "object",
    properties: { a: { type: "object", properties: { b: { type: ["array", "null"], items: {} }, c: { type: "string" } } } },
  });
});
