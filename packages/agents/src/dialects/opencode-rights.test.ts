import { matchesGlob as matchesPathGlob } from "node:path";
import type { RuledCall } from "@retinue/runtime";
import { judgeRules } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { resolveDelegates } from "../delegates.ts";
import { matchesGlob } from "@retinue/protocol/names";
import { createNotes } from "../problem.ts";
import { TOOL_TRAITS } from "../tool-names.ts";
import type { OpencodeRule, RuleAction } from "./opencode-rules.ts";
import { toOpencodeRights } from "./opencode-rights.ts";

/** The same numbers for the same seed. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
};

const PERMISSIONS = [
  "*",
  "edit",
  "edit",
  "edit",
  "task",
  "bash",
  "read",
  "grep",
  "webfetch",
  "websearch",
  "web*",
  "b*",
  "task",
  "t*",
  "skill",
  "browser",
  "mcp_x",
  "mcp_*",
  "*d*",
];
const PATTERNS: Readonly<Record<string, readonly string[]>> = {
  edit: ["*", "docs/*", "*.md", "src/*.ts", "docs/private/*", "a.txt"],
  bash: ["*", "git *", "git push *", "rm *", "ls"],
  task: ["*", "work-*", "review", "work-secret"],
};
const PROBES: Readonly<Record<string, readonly string[]>> = {
  edit: [
    "a.txt",
    "b.txt",
    "docs/a.md",
    "docs/x/y.txt",
    "docs/private/k.md",
    "src/a.ts",
    "src/deep/b.ts",
    "src/a.js",
    "README.md",
  ],
  bash: ["git status", "git push origin", "rm -rf x", "ls", "make"],
  task: ["work-a", "work-secret", "review", "other"],
};
const ACTIONS: readonly RuleAction[] = ["allow", "ask", "deny"];
const TOOLS = [
  ...[...TOOL_TRAITS].map(([tool, { permission }]) => ({ tool, permission })),
  { tool: "mcp_x", permission: "mcp_x" },
  { tool: "mcp_y", permission: "mcp_y" },
];
const AGENTS = new Map((PROBES["task"] ?? []).map((name) => [name, { expose: "both" as const }]));

const expressions = new Map<string, RegExp>();

const matches = (pattern: string, text: string): boolean => {
  const expression =
    expressions.get(pattern) ?? new RegExp(`^${pattern.replaceAll(".", String.raw`\.`).replaceAll("*", ".*")}$`, "s");
  expressions.set(pattern, expression);
  return expression.test(text);
};

/** opencode's own rule: the last that matches name and input, and allowed where none does. */
const judge = (rules: readonly OpencodeRule[], permission: string, input: string): RuleAction =>
  rules.findLast((rule) => matches(rule.permission, permission) && matches(rule.pattern, input))?.action ?? "allow";

const toCall = (tool: string, permission: string, input: string): RuledCall => {
  if (permission === "bash") return tool === "shell" ? { tool, command: input } : { tool, texts: [input] };
  return permission === "edit" || permission === "read" ? { tool, paths: [input] } : { tool, texts: [input] };
};

describe("the rights of an opencode agent", () => {
  const neverMore = (rounds: number) => (): void => {
    const random = createRandom(7);
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const seen = { usable: 0, denied: 0, writes: 0, delegates: 0, allow: 0, ask: 0, deny: 0, same: 0, narrower: 0 };
    const wider: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const some = Array.from({ length: random(7) }, (_, line): OpencodeRule => {
        const permission = pick(PERMISSIONS);
        return { permission, pattern: pick(PATTERNS[permission] ?? ["*", "*", "x*"]), action: pick(ACTIONS), line };
      });
      // Now and then one that is held to paths, which chance alone seldom makes.
      const isScoped = random(4) === 0;
      const scoped = (pattern: string, action: RuleAction): OpencodeRule => ({ permission: "edit", pattern, action, line: 0 });
      const rules = isScoped ? [scoped("*", "deny"), ...some.slice(0, 2), scoped(pick(PATTERNS["edit"] ?? []), "allow")] : some;
      const { note } = createNotes("a");
      const rights = toOpencodeRights(rules, note, random(2) === 0);
      for (const { tool, permission } of TOOLS) {
        const isUsable =
          rights.tools.some((pattern) => matchesGlob(pattern, tool)) &&
          !rights.deniedTools.some((pattern) => matchesGlob(pattern, tool));
        seen[isUsable ? "usable" : "denied"]++;
        if (!isUsable) continue;
        const scope = permission === "edit" ? rights.writes : undefined;
        if (scope) seen.writes++;
        const inputs = (PROBES[permission] ?? ["x", "xy", "z"]).filter(
          (input) => !scope || scope.some((glob) => matchesPathGlob(input, glob)),
        );
        for (const input of inputs) {
          const said = judge(rules, permission, input);
          const { effect } = judgeRules([{ from: "a", rules: rights.rules ?? [] }], toCall(tool, permission, input));
          seen[effect]++;
          if (ACTIONS.indexOf(effect) < ACTIONS.indexOf(said)) wider.push(`${tool} of ${input} by ${JSON.stringify(rules)}`);
          if (ACTIONS.indexOf(effect) > ACTIONS.indexOf(said)) seen.narrower++;
          else seen.same++;
        }
      }
      for (const name of resolveDelegates("self", rights.delegates, AGENTS, new Map()).names) {
        seen.delegates++;
        if (judge(rules, "task", name) !== "allow") wider.push(`start of ${name} by ${JSON.stringify(rules)}`);
      }
    }
    expect(wider.slice(0, 3)).toEqual([]);
    // What our rules can say they say as opencode does.
    expect(seen.narrower / seen.same).toBeLessThan(0.1);
    for (const [what, count] of Object.entries(seen)) expect([what, count > rounds / 30]).toEqual([what, true]);
  };

  test("are, in 300 random sets of rules, never more than opencode would give, and all of them are tried", neverMore(300));

  test(
    "are, in 3,000 random sets of rules, never more than opencode would give, and all of them are tried",
    { tags: ["long"] },
    neverMore(3_000),
  );
});
