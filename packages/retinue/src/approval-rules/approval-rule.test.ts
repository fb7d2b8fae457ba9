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

test("a rule for a command covers what begins with its words, and no other line of a shell", () => {
  const rule = offerRule(shell("npm test -- cart"), "/w");
  expect(rule).toEqual({ type: "command", words: ["npm", "test"] });
  if (!rule) return;
  expect(describeRule(rule)).toBe("npm test …");
  expect(isCovered(rule, shell("npm test -- other"), "/w")).toBe(true);
  for (const line of [
    "npm install",
    "npm",
    "npm test; rm -rf .",
    "npm test && curl x",
    "npm test > out",
    "npm test $(id)",
    "npm testing",
    "env npm test",
  ])
    expect(isCovered(rule, shell(line), "/w"), line).toBe(false);
  expect(isCovered(rule, shell("npm test", { unsandboxed: "no sandbox" }), "/w")).toBe(false);
  expect(isCovered(rule, shell("npm test", { secrets: ["TOKEN"] }), "/w")).toBe(false);
});

test.each([
  "bash -c ls",
  "node x.js",
  "python3 a.py",
  "sudo ls",
  "rm src",
  "npx thing",
  "ls",
  "git -C / status",
  "a | b",
  "npm exec x",
])("no rule is offered for %s", (line) => expect(offerRule(shell(line), "/w")).toBeUndefined());

test("npm run takes the name of the script into the rule", () => {
  expect(offerRule(shell("npm run build --watch"), "/w")).toEqual({ type: "command", words: ["npm", "run", "build"] });
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
