import { expect, test } from "vitest";
import { z } from "zod";
import { describeIssues } from "./describe-issues.ts";

const schema = z.object({ steps: z.array(z.object({ type: z.string() })), goal: z.string().min(1) });

test("names each place and what is wrong there, one a line and without marks", () => {
  const { error } = schema.safeParse({ steps: [{ type: "a" }, {}], goal: "" });
  expect(describeIssues(error!).split("\n")).toEqual([
    "steps[1].type: expected string, received undefined",
    expect.stringMatching(/^goal: Too small/) as string,
  ]);
  expect(describeIssues(schema.safeParse(3).error!)).toBe("expected object, received number");
});
