import { expect, test } from "vitest";
import { z } from "zod";
import { describeIssues } from "./describe-issues.ts";

const schema = z.object({ steps: z.array(z.object({ type: z.string() })), goal: z.string().min(1) });

test("names each place and what is wrong there, one a line and without marks", () => {
  const { error } = schema.safeParse({ steps: [{ type: "a" }, {}], goal: "" });
  expect(describeIssues(error!).split("\n")).toEqual([
    "steps[1].type: expected string, received undefined",
    "goal: must have at least 1 character",
  ]);
  expect(describeIssues(schema.safeParse(3).error!)).toBe("expected object, received number");
});

test.each([
  [z.array(z.string()).min(1), [], "must have at least 1 item"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 items"],
  [z.string().max(2), "abc", "must have at most 2 characters"],
  [z.number().min(3), 1, "must be at least 3"],
  [z.number().positive(), 0, "must be more than 0"],
  [z.number().lt(2), 2, "must be less than 2"],
  [z.enum(["tool", "both"]), "x", "must be one of tool, both"],
  [z.literal("yes"), "no", "must be yes"],
  [z.strictObject({}), { a: 1, b: 2 }, 'unknown keys "a", "b"'],
])("tells what is broken in plain words (%#)", (bounded, value, told) => {
  expect(describeIssues(bounded.safeParse(value).error!)).toBe(told);
});
