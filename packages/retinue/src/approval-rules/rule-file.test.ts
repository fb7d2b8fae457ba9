import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApprovalRule } from "./approval-rule.ts";
import { keepRule, readRules } from "./rule-file.ts";

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "retinue-rules-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

test("a rule that is kept holds for the next session of that folder, and of no other", async () => {
  const rule: ApprovalRule = { type: "folder", tool: "write", folder: "src" };
  expect(await readRules(home, "/project")).toEqual([]);
  await keepRule(home, "/project", rule);
  await keepRule(home, "/project", rule);
  expect(await readRules(home, "/project")).toEqual([rule]);
  expect(await readRules(home, "/other")).toEqual([]);
});
