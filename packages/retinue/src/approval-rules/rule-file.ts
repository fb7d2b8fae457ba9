/** The rules that a user keeps, by folder, in a file of the user's own that no project can write. Losing it only means that questions are asked again. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ApprovalRule } from "./approval-rule.ts";
import { describeRule } from "./approval-rule.ts";

const RULE = z.union([
  z.object({ type: z.literal("command"), words: z.array(z.string()).min(1).max(40) }),
  z.object({ type: z.literal("folder"), tool: z.string().min(1), folder: z.string().min(1) }),
]);
const FILE = z.record(z.string(), z.array(RULE));

export const ruleFileOf = (home: string): string => join(home, "approval-rules.json");

const readAll = async (home: string): Promise<Readonly<Record<string, readonly ApprovalRule[]>>> => {
  try {
    return FILE.parse(JSON.parse(await readFile(ruleFileOf(home), "utf8")));
  } catch {
    return {};
  }
};

export const readRules = async (home: string, workspace: string): Promise<readonly ApprovalRule[]> =>
  (await readAll(home))[workspace] ?? [];

const write = async (home: string, rules: Readonly<Record<string, readonly ApprovalRule[]>>): Promise<void> => {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const made = `${ruleFileOf(home)}.${process.pid}`;
  await writeFile(made, `${JSON.stringify(rules, null, 2)}\n`, { mode: 0o600 });
  await rename(made, ruleFileOf(home));
};

const isSame = (one: ApprovalRule, other: ApprovalRule): boolean => describeRule(one) === describeRule(other);

/** A rule that is kept already is kept once. */
export const keepRule = async (home: string, workspace: string, rule: ApprovalRule): Promise<void> => {
  const all = await readAll(home);
  const others = (all[workspace] ?? []).filter((one) => !isSame(one, rule));
  await write(home, { ...all, [workspace]: [...others, rule] });
};

/** False where it was not kept. */
export const removeRule = async (home: string, workspace: string, rule: ApprovalRule): Promise<boolean> => {
  const all = await readAll(home);
  const kept = all[workspace] ?? [];
  const rest = kept.filter((one) => !isSame(one, rule));
  if (rest.length === kept.length) return false;
  await write(home, { ...all, [workspace]: rest });
  return true;
};
