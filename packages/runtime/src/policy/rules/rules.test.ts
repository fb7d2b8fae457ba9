import path from "node:path";
import { createScriptedModel } from "@retinue/model/testing";
import type { ApproveMode, Grant, RecordedEvent, Rule, RuleEffect, RuleSet } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { narrowRecorded } from "../../delegation/narrow-recorded.ts";
import { grantIn, isNarrowed, narrow } from "../grant.ts";
import { createJudge } from "../judge.ts";
import { likenessOf } from "../approvals.ts";
import { defineTool } from "../../loop/tool.ts";
import { runTest } from "../../testing/test-run.ts";
import { judgeRules } from "./judge-rules.ts";

const ROOT: Grant = { tools: ["shell", "write"], writes: [], hosts: [], approve: "all", maxDepth: 3 };

const shellRules = (...rules: readonly (readonly [RuleEffect, string?])[]): readonly Rule[] =>
  rules.map(([effect, like]) => ({ tools: ["shell"], ...(like === undefined ? {} : { like }), effect }));

const effectOf = (rules: readonly Rule[], command: string): RuleEffect =>
  judgeRules([{ from: "a", rules }], { tool: "shell", command }).effect;

describe("rules", () => {
  const ALL_BUT = shellRules(["allow"], ["deny", "rm *"], ["ask", "git push *"]);
  const NOTHING_BUT = shellRules(["deny"], ["allow", "git *"], ["deny", "git push *"]);

  test.each<[string, RuleEffect]>([
    ["ls", "allow"],
    ["rm", "deny"],
    ["rm x", "deny"],
    ["rmdir x", "allow"],
    ["ls && rm x", "deny"],
    ["/usr/bin/rm x", "deny"],
    ["env A=1 rm x", "deny"],
    ["A=1 rm x", "deny"],
    ["sudo -n timeout 5s rm x", "deny"],
    ["xargs rm", "deny"],
    ["find . -name x -exec rm {} +", "deny"],
    ["find . -name x", "allow"],
    ["bash -c 'rm x'", "deny"],
    ["bash -lc 'rm x'", "deny"],
    ["echo 'rm x' | sh", "deny"],
    ["eval rm x", "deny"],
    ["bash x.sh", "allow"],
    ["git push origin", "ask"],
    ["git 'push' origin", "ask"],
    ["git p* origin", "ask"],
    ["ls; git push", "ask"],
    ["git push; rm x", "deny"],
    ["for f in a; do rm $f; done", "deny"],
    ["for f in a; do wc $f; done", "allow"],
    ["echo $(git log -1) | wc -c", "allow"],
    ["git log $X", "allow"],
    ["git $X", "ask"],
    ["bash -c 'git log'", "allow"],
    ["git commit -m 'rm x'", "allow"],
    ["docker run --rm x", "allow"],
    ["$X y", "deny"],
  ])("that allow all but some make of %j: %s", (command, effect) => {
    expect(effectOf(ALL_BUT, command)).toBe(effect);
  });

  test.each<[string, RuleEffect]>([
    ["git log", "allow"],
    ["cd src && git log", "allow"],
    ["git log; ls", "deny"],
    ["git push", "deny"],
    ["timeout 5 git log", "deny"],
    ["git log $(ls)", "deny"],
    ["git log > x", "deny"],
    ["git log > /dev/null", "allow"],
    ["git log --format='%h; rm'", "allow"],
    ["gitx", "deny"],
    ["cd", "deny"],
  ])("that deny all but some make of %j: %s", (command, effect) => {
    expect(effectOf(NOTHING_BUT, command)).toBe(effect);
  });

  test("allow by name what runs others, where nothing later takes it away", () => {
    expect(effectOf(shellRules(["ask"], ["deny", "rm *"], ["allow", "bash -c *"]), "bash -c 'make'")).toBe("allow");
  });

  test("of all sets the strictest holds", () => {
    const sets: readonly RuleSet[] = [
      { from: "a", rules: shellRules(["allow", "ls"]) },
      { from: "b", rules: shellRules(["ask"]) },
    ];
    expect(judgeRules(sets, { tool: "shell", command: "ls" })).toEqual({ effect: "ask", by: "b: ask shell" });
    expect(judgeRules([...sets].toReversed(), { tool: "shell", command: "ls" }).effect).toBe("ask");
  });

  test("for a part hold for a call of which it cannot be told what it is about", () => {
    const rules: readonly Rule[] = [{ tools: ["act"], like: "x", effect: "deny" }];
    expect(judgeRules([{ from: "a", rules }], { tool: "act" }).effect).toBe("deny");
    expect(judgeRules([{ from: "a", rules }], { tool: "act", paths: [] }).effect).toBe("allow");
  });

  test("for paths that cannot be read hold all paths, allow none, and never soften what another rule says", () => {
    const verdictOf = (...rules: readonly Rule[]): RuleEffect =>
      judgeRules([{ from: "x.md", rules }], { tool: "edit", paths: ["src/a.ts"] }).effect;
    const [tools, unclear] = [["edit"], "docs/@(a|b)"];
    expect(verdictOf({ tools, path: unclear, effect: "deny" })).toBe("deny");
    expect(verdictOf({ tools, effect: "deny" }, { tools, path: unclear, effect: "allow" })).toBe("deny");
    expect(verdictOf({ tools, path: "src/**", effect: "deny" }, { tools, path: unclear, effect: "ask" })).toBe("deny");
    expect(verdictOf({ tools, path: unclear, effect: "deny" }, { tools, path: "src/**", effect: "allow" })).toBe("allow");
  });

  test("for paths read from where they were written, also in a folder below", () => {
    const rules: readonly Rule[] = [{ tools: ["write"], path: "src/gen/**", effect: "deny" }];
    const { grant } = narrow(ROOT, { name: "a", tools: ["*"], deniedTools: [], grant: "own", rules });
    const below = grantIn(grant, "src");
    expect(judgeRules(grant.rules, { tool: "write", paths: ["src/gen/a"] }).effect).toBe("deny");
    expect(judgeRules(below.rules, { tool: "write", paths: ["gen/a"] }).effect).toBe("deny");
    expect(judgeRules(below.rules, { tool: "write", paths: ["src/gen/a"] }).effect).toBe("allow");
  });
});

describe("a child", () => {
  const rules = shellRules(["allow"], ["deny", "rm *"]);
  const parent = narrow(ROOT, { name: "parent", tools: ["*"], deniedTools: [], grant: "session", rules }).grant;

  test("G1 is held to the rules of its parent, whatever its own say", () => {
    const child = narrow(parent, {
      name: "child",
      tools: ["*"],
      deniedTools: [],
      grant: "own",
      rules: shellRules(["allow", "rm *"]),
    });
    expect(child.grant.rules?.map(({ from }) => from)).toEqual(["parent", "child"]);
    expect(judgeRules(child.grant.rules, { tool: "shell", command: "rm x" }).effect).toBe("deny");
    expect(isNarrowed(parent, child)).toBe(true);
  });

  test("G1 that has not all of them is no child of that parent", () => {
    const child = narrow(parent, { tools: ["*"], deniedTools: [], grant: "own" });
    const { rules: _, ...without } = child.grant;
    expect(isNarrowed(parent, { ...child, grant: without })).toBe(false);
    expect(isNarrowed(parent, { ...child, grant: { ...without, rules: [{ from: "parent", rules: [] }] } })).toBe(false);
  });
});

test("K: a run that goes on is held to rules that are new since, and keeps those it had", () => {
  const had: RuleSet = { from: "had", rules: shellRules(["ask"]) };
  const now: RuleSet = { from: "now", rules: shellRules(["deny", "rm *"]) };
  const requested: RecordedEvent = {
    type: "run.requested",
    seq: 1,
    at: "2026-01-01T00:00:00.000Z",
    sessionId: "ses_1",
    runId: "run_1",
    parentRunId: null,
    depth: 0,
    agent: "main",
    task: [{ type: "text", text: "Go." }],
    spec: {
      system: "",
      model: "none/none",
      fallbacks: [],
      tools: ["shell"],
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: "/work",
      grant: { ...ROOT, rules: [had] },
    },
  };
  const [narrowed] = narrowRecorded([requested], {
    grant: { ...ROOT, rules: [now] },
    limits: {},
    agents: new Map(),
    workspace: "/work",
    isImported: false,
  });
  expect(narrowed?.type === "run.requested" && narrowed.spec.grant.rules).toEqual([had, now]);
});

const shell = defineTool({
  name: "shell",
  description: "",
  input: z.object({ command: z.string() }),
  effect: "execute",
  touches: ({ command }) => ({ command }),
  execute: ({ command }) => `ran ${command}`,
});

const judged = (rules: readonly Rule[], command: string, approve: ApproveMode, preapproved: readonly RuleSet[] = []) =>
  createJudge({ preapproved })({
    callId: "call_1",
    tool: shell,
    input: { command },
    spec: {
      system: "",
      model: "none/none",
      fallbacks: [],
      tools: ["shell"],
      limits: {},
      treeLimits: {},
      delegates: [],
      workspace: "/work",
      grant: { ...ROOT, approve, rules: [{ from: "a", rules }] },
    },
    realPath: async (file) => path.resolve(file),
  });

describe("a rule that asks", () => {
  test("is put to a human in every mode, with its words", async () => {
    for (const approve of ["ask", "workspace", "all"] as const)
      expect(await judged(shellRules(["ask", "git push *"]), "git push", approve)).toMatchObject({
        type: "ask",
        act: { askedBy: 'a: ask shell "git push *"' },
      });
    expect(await judged(shellRules(["ask", "git push *"]), "git log", "all")).toEqual({ type: "allow" });
  });

  test("is no more than a denial where nothing may be done", async () => {
    expect(await judged(shellRules(["ask"]), "make", "read-only")).toMatchObject({ type: "deny" });
  });

  test("is not answered by a yes to other calls of the tool", () => {
    const act = { callId: "call_1", tool: "write", effect: "write", input: { path: "a" }, paths: ["/w/a"], hosts: [] } as const;
    expect(likenessOf({ ...act, askedBy: "a: ask write" })).not.toBe(likenessOf(act));
    expect(likenessOf({ ...act, effect: "read", askedBy: "a: ask write" })).not.toBe(likenessOf({ ...act, effect: "read" }));
  });

  test("is a denial where nobody can be asked, and the model is told", async () => {
    const model = createScriptedModel([
      {
        toolCalls: [
          { tool: "shell", input: { command: "git push" } },
          { tool: "shell", input: { command: "make" } },
        ],
      },
      { text: "Done." },
    ]);
    const { log } = await runTest({
      models: [model],
      tools: [shell],
      approveMode: "all",
      spec: { grant: { ...ROOT, rules: [{ from: "a", rules: shellRules(["ask", "git push *"]) }] } },
    });
    expect(log.flatMap((event) => (event.type === "tool.settled" ? [[event.outcome, event.error?.code]] : []))).toEqual([
      ["denied", "approval_unavailable"],
      ["ok", undefined],
    ]);
  });
});

describe("what is approved beforehand", () => {
  const before: readonly RuleSet[] = [{ from: "settings", rules: shellRules(["allow", "npm test *"]) }];

  test("is not asked about, and nothing else is spared the question", async () => {
    expect(await judged([], "npm test", "ask", before)).toEqual({ type: "allow" });
    for (const command of ["npm install", "npm test; make", "npm test $(make)", "npm test *", "npm testx"])
      expect([command, (await judged([], command, "ask", before)).type]).toEqual([command, "ask"]);
  });

  test("lifts neither a denial nor a question of a rule", async () => {
    expect((await judged(shellRules(["deny"]), "npm test", "ask", before)).type).toBe("deny");
    expect((await judged(shellRules(["ask"]), "npm test", "ask", before)).type).toBe("ask");
    expect((await judged([], "npm test", "read-only", before)).type).toBe("deny");
  });
});
