import type { ProposedAct } from "@retinue/protocol";
import { expect, test } from "vitest";
import { describeRule, isCovered, offerRule } from "./approval-rule.ts";

const act = (more: Partial<ProposedAct>): ProposedAct => ({
  callId: "c",
  tool: "shell",
  effect: "execute",
  input: {},
  paths: [],
  hosts: [],
  ...more,
});
const shell = (command: string, more: Partial<ProposedAct> = {}): ProposedAct => act({ input: { command }, ...more });
const write = (...paths: readonly string[]): ProposedAct => act({ tool: "write", effect: "write", paths });

test("a rule for a command covers that command, word for word, and no other line of a shell", () => {
  const rule = offerRule(shell("npm test -- 'the cart'"), "/w");
  expect(rule).toEqual({ type: "command", words: ["npm", "test", "--", "the cart"] });
  if (!rule) return;
  expect(describeRule(rule)).toBe("npm test -- 'the cart'");
  expect(isCovered(rule, shell('npm  test -- "the cart"'), "/w")).toBe(true);
  for (const line of [
    "npm test",
    "npm test -- the cart",
    "npm test -- 'the cart' x",
    "npm test -- 'the cart'; ls",
    "env npm test",
  ])
    expect(isCovered(rule, shell(line), "/w"), line).toBe(false);
  expect(isCovered(rule, shell("npm test -- 'the cart'", { unsandboxed: "no sandbox" }), "/w")).toBe(false);
  expect(isCovered(rule, shell("npm test -- 'the cart'", { secrets: ["TOKEN"] }), "/w")).toBe(false);
});

test.each(["bash -c ls", "node x.js", "python3 a.py", "sudo ls", "rm src", "npx thing", "nice bash x", "a | b"])(
  "no rule is offered for %s",
  (line) => expect(offerRule(shell(line), "/w")).toBeUndefined(),
);

const KEPT = [
  "npm test",
  "poetry run pytest",
  "git push",
  "terraform apply",
  "cargo test",
  "make build",
  "npm run build",
  "pnpm test",
  "go test",
];
const MORE = [
  "--force",
  "-f",
  "-auto-approve",
  "--script-shell=./x",
  "-exec ./x",
  "--config ./x",
  "&& ./x",
  "; ./x",
  "> x",
  "$(./x)",
  "-- x",
];

test.each(KEPT)("N22: a rule kept for %j covers no other argument, program or wrapper", (line) => {
  const rule = offerRule(shell(line), "/w");
  if (!rule) throw new Error("No rule is offered.");
  expect(isCovered(rule, shell(line), "/w")).toBe(true);
  const [program = "", ...args] = line.split(" ");
  const variants = [
    ...MORE.map((more) => `${line} ${more}`),
    ...MORE.slice(0, 6).map((more) => `${program} ${more} ${args.join(" ")}`),
    `nice ${line}`,
    `env A=1 ${line}`,
    `A=1 ${line}`,
    `${program} run bash`,
  ];
  expect(variants.filter((variant) => isCovered(rule, shell(variant), "/w"))).toEqual([]);
});

test("N22: a rule that an earlier release kept as the beginning of commands covers just its words", () => {
  const rule = { type: "command", words: ["git", "push"] } as const;
  expect(isCovered(rule, shell("git push"), "/w")).toBe(true);
  expect(isCovered(rule, shell("git push --force"), "/w")).toBe(false);
});

test("a rule for a folder covers files below it, by the same tool, and nothing that is protected or leads out", () => {
  const rule = offerRule(write("/w/src/a/b.ts"), "/w");
  expect(rule).toEqual({ type: "folder", tool: "write", folder: "src" });
  if (!rule) return;
  expect(isCovered(rule, write("/w/src/c.ts", "/w/src/d/e.ts"), "/w")).toBe(true);
  for (const other of [
    write("/w/src/c.ts", "/w/x.ts"),
    write("/w/srcs/c.ts"),
    write("/src/c.ts"),
    act({ tool: "edit", effect: "write", paths: ["/w/src/a"] }),
  ])
    expect(isCovered(rule, other, "/w")).toBe(false);
  expect(isCovered(rule, { ...write("/w/src/.env"), protectedPaths: ["src/.env"] }, "/w")).toBe(false);
  // A file wants a human's word for it.
  expect(isCovered(rule, { ...write("/w/src/a"), askedBy: "a: ask write" }, "/w")).toBe(false);
  expect(offerRule(write("/w/top.ts"), "/w")).toBeUndefined();
});
