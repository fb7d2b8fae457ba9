import type { Json, JsonObject } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import { checkInput } from "./check-input.ts";

const said = (schema: JsonObject, input: Json): string[] =>
  checkInput(schema, input).map(({ path, message }) => `${path.join(".")}: ${message}`);

describe("arguments against a server's schema", () => {
  it.each<[JsonObject, Json, string[]]>([
    [{ type: "object" }, [], [": must be object, not array"]],
    [{ type: "object" }, null, [": must be object, not null"]],
    [{ properties: { a: { type: "integer" } } }, { a: 1.5 }, ["a: must be integer, not number"]],
    [{ properties: { a: { type: ["string", "null"] } } }, { a: 1 }, ["a: must be string or null, not number"]],
    [{ properties: { a: { enum: ["x", { y: 1 }] } } }, { a: { y: 1 } }, []],
    [{ properties: { a: { enum: ["x"] } } }, { a: "z" }, ['a: must be one of ["x"]']],
    [{ properties: { a: { const: 3 } } }, { a: 4 }, ["a: must be 3"]],
    [{ required: ["a", "b"] }, { b: 1 }, ["a: is required"]],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1, c: 2 }, ["c: is unknown; known are: a"]],
    [{ additionalProperties: { type: "number" } }, { c: "x" }, ["c: must be number, not string"]],
    [
      { properties: { a: { items: { type: "string" }, maxItems: 2 } } },
      { a: ["x", 1, "y"] },
      ["a: must have at most 2 items", "a.1: must be string, not number"],
    ],
    [
      { properties: { a: { prefixItems: [{ type: "number" }], items: { type: "string" } } } },
      { a: ["x", "y"] },
      ["a.0: must be number, not string"],
    ],
    [{ properties: { a: { minimum: 1, exclusiveMaximum: 5 } } }, { a: 5 }, ["a: must be less than 5"]],
    [{ properties: { a: { minLength: 3 } } }, { a: "ab" }, ["a: must have at least 3 characters"]],
    [
      { properties: { a: { anyOf: [{ type: "string" }, { type: "number" }] } } },
      { a: true },
      ["a: fits none of 2 alternatives: must be string, not boolean"],
    ],
    [{ allOf: [{ required: ["a"] }, { required: ["b"] }] }, {}, ["a: is required", "b: is required"]],
    [
      { $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } },
      { a: "x" },
      ["a: must be number, not string"],
    ],
    [{ properties: { a: false } }, { a: 1 }, ["a: is not allowed"]],
    [
      { properties: { toString: { type: "string" } }, additionalProperties: false },
      { constructor: 1 },
      ["constructor: is unknown; known are: toString"],
    ],
  ])("%j with %j", (schema, input, expected) => {
    expect(said(schema, input)).toEqual(expected);
  });

  it("what it does not know it lets pass", () => {
    const schema = {
      properties: { a: { format: "email", pattern: "^x$", not: {}, $ref: "https://example.com/schema" } },
      unevaluatedProperties: false,
    };
    expect(said(schema, { a: "no mail" })).toEqual([]);
  });

  it("H6: a schema that refers to itself without end is answered", () => {
    const loop: JsonObject = { $ref: "#" };
    expect(said(loop, {})).toEqual([]);
    const branching: JsonObject = { anyOf: Array.from({ length: 10 }, () => ({ allOf: [{ $ref: "#" }, { $ref: "#" }] })) };
    expect(said(branching, {})).toEqual([]);
  });
});
