import { matchesGlob as matchesPathGlob } from "node:path";
import type { Limits } from "@retinue/protocol";
import { LIMIT_NAMES } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { createSpec } from "@retinue/runtime";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { readBuiltinAgents } from "./builtin-agents.ts";
import { PRESETS } from "./presets.ts";
import { TOOL_TRAITS } from "./tool-names.ts";
import { narrow } from "@retinue/runtime";

let agents: ReadonlyMap<string, AgentDefinition>;

beforeAll(async () => {
  agents = await readBuiltinAgents();
});

const get = (name: string): AgentDefinition => {
  const agent = agents.get(name);
  if (!agent) throw new Error(`there is no agent ${name}`);
  return agent;
};

/** The numbers of the designs, written down by hand. A context in characters counts four to a token. */
const SEEDS: Readonly<Record<string, readonly Limits[]>> = {
  // S2 2.1 and its configuration summary: main, 50 iterations, 10 min.
  main: [{ iterations: 50, durationMs: 600_000 }],
  // S1 _get_role_config: tool_budget 15, context_limit 50000, timeout_seconds 300. S2: DefaultMaxIterations 20, DefaultMaxDurationMs 300000.
  researcher: [
    { toolCalls: 15, contextTokens: 12_500, durationMs: 300_000 },
    { iterations: 20, durationMs: 300_000 },
  ],
  // S1: 10 calls, 30000 characters. S2: 15 iterations, 3 min. S3 Planner: Max Iterations 6.
  planner: [
    { toolCalls: 10, contextTokens: 7_500, durationMs: 300_000 },
    { iterations: 15, durationMs: 180_000 },
    { iterations: 6 },
  ],
  // S1: 30 calls, 80000 characters. S2 coder: 30 iterations, 5 min.
  executor: [
    { toolCalls: 30, contextTokens: 20_000, durationMs: 300_000 },
    { iterations: 30, durationMs: 300_000 },
  ],
  // S1: 15 calls, 50000 characters. S2: 10 iterations, 2 min.
  reviewer: [
    { toolCalls: 15, contextTokens: 12_500, durationMs: 300_000 },
    { iterations: 10, durationMs: 120_000 },
  ],
  // S1: 20 calls, 50000 characters. S2: 20 iterations, 3 min.
  tester: [
    { toolCalls: 20, contextTokens: 12_500, durationMs: 300_000 },
    { iterations: 20, durationMs: 180_000 },
  ],
  // S2: 25 iterations, 4 min.
  debugger: [{ iterations: 25, durationMs: 240_000 }],
  // S3 CodeSearch: Max Iterations 8. S2: DefaultMaxDurationMs 300000.
  "code-search": [{ iterations: 8 }, { durationMs: 300_000 }],
  // S3 CodeReview: Max Iterations 6. S2: DefaultMaxDurationMs 300000.
  "code-review": [{ iterations: 6 }, { durationMs: 300_000 }],
  // S4 gives them no numbers. S2: DefaultMaxIterations 20, DefaultMaxDurationMs 300000.
  "project-manager": [{ iterations: 20, durationMs: 300_000 }],
  "general-assistant": [{ iterations: 20, durationMs: 300_000 }],
  "summarize-document": [{ iterations: 20, durationMs: 300_000 }],
  // S0 Orchestrator: Context 32k tokens; it gives no others.
  "qa-orchestrator": [{ contextTokens: 32_000 }],
  // S0 Sub-Agent: Context 8k tokens, Max iterations 15, Timeout 180s.
  "qa-step": [{ contextTokens: 8_000, iterations: 15, durationMs: 180_000 }],
};

const strictest = (all: readonly Limits[]): Limits =>
  Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const values = all.flatMap((limits) => limits[name] ?? []);
      return values.length > 0 ? [[name, Math.min(...values)]] : [];
    }),
  );

test.each(["executor", "tester"])("a reviewer below the %s has all of its tools", (above) => {
  const reviewer = get("reviewer");
  const session = { tools: [...TOOL_TRAITS.keys()], writes: [], hosts: [], approve: "ask", maxDepth: 3 } as const;
  const { tools } = narrow(narrow(session, get(above)).grant, reviewer);
  expect(tools.toSorted()).toEqual(reviewer.tools.toSorted());
});

describe("the built-in agents", () => {
  test("are the fourteen of the specification", () => {
    expect([...agents.keys()].toSorted()).toEqual(Object.keys(SEEDS).toSorted());
    expect(agents.size).toBe(14);
  });

  test.each(Object.keys(SEEDS))("%s has of each number of the designs the strictest, and turns for all of its calls", (name) => {
    const limits = strictest(SEEDS[name] ?? []);
    const { iterations, toolCalls } = limits;
    const turns = iterations === undefined || toolCalls === undefined ? iterations : Math.max(iterations, toolCalls + 1);
    expect(get(name).limits).toEqual(turns === undefined ? limits : { ...limits, iterations: turns });
  });

  test.each([
    // S2 6.2
    ["main", "🤖"],
    ["executor", "👨‍💻"],
    ["tester", "🧪"],
    ["reviewer", "👀"],
    ["planner", "📋"],
    ["debugger", "🔧"],
  ])("%s has the icon of the second design's page", (name, icon) => {
    expect(get(name).icon).toBe(icon);
  });

  test("have icons that no two of them share", () => {
    const icons = [...agents.values()].map(({ icon }) => icon);
    expect(icons).not.toContain(undefined);
    expect(new Set(icons).size).toBe(agents.size);
  });

  test.each([
    // S1 _get_role_config; `search` is `grep` here.
    ["researcher", ["read", "ls", "grep", "code_search", "web_search", "web_fetch", "overview", "docs_coverage"]],
    ["executor", ["read", "write", "edit", "ls", "grep", "shell", "test", "git", "git_commit"], ["git_diff"]],
    ["reviewer", ["read", "grep", "test", "git_diff", "shell"]],
    ["tester", ["read", "write", "test", "shell"], ["grep", "git_diff"]],
    // S1: read, ls, search, plan_files, overview. S3: Read, Glob, Grep, LS.
    ["planner", ["read", "ls", "glob", "grep", "plan_files", "overview"]],
    // S3 Built-in SubAgents
    ["code-search", ["read", "glob", "grep", "ls"]],
    ["code-review", ["read", "glob", "grep"]],
    // S4: project_manager has delegate_to_agent alone, which is no tool that it holds here.
    ["project-manager", []],
    // S0: the orchestrator has no access to the tool set; the sub-agent has all controller, browser and search tools, and with them fits into 8k.
    ["qa-orchestrator", []],
    [
      "qa-step",
      [
        ...["navigate", "click", "type", "select", "press", "hover", "drag", "upload", "wait", "snapshot", "take_screenshot"].map(
          (act) => `browser_${act}`,
        ),
        "browser_tabs",
        "browser_dialog",
        "screenshot",
        "click",
        "type",
        "key",
        "scroll",
        "shell",
        "web_search",
        "read",
        "write",
        "ls",
      ],
    ],
    ["main", ["*"]],
  ])(
    "%s may use the tools of its design, and holds what those it starts need",
    (name, tools, forOthers: readonly string[] = []) => {
      expect(get(name).tools).toEqual([...tools, ...forOthers]);
      const hidden = name === "main" ? ["code_search", "docs_coverage", "git_diff", "overview", "plan_files"] : forOthers;
      expect(get(name).hiddenTools ?? []).toEqual(hidden);
      expect(get(name).deniedTools).toEqual([]);
    },
  );

  test.each([
    // S1: executor may spawn reviewers. S2: coder may delegate to tester.
    ["executor", ["tester", "reviewer"]],
    // S1: tester may spawn reviewers. S2 lets it delegate to nobody; the preset s2 has that.
    ["tester", ["reviewer"]],
    // S2 lets the planner delegate, S1 and S3 do not.
    ["planner", []],
    ["researcher", []],
    ["reviewer", []],
    ["debugger", []],
    // S3: SubAgents CANNOT spawn other SubAgents.
    ["code-search", []],
    ["code-review", []],
    ["project-manager", ["general-assistant", "summarize-document"]],
    ["general-assistant", []],
    ["summarize-document", []],
    ["qa-orchestrator", ["qa-step"]],
    ["qa-step", []],
  ])("%s may start the agents of its design", (name, delegates) => {
    expect(get(name).delegates).toEqual(delegates);
  });

  test("main may start every other one but those that drive tests", () => {
    const others = [...agents.keys()].filter((name) => name !== "main" && !name.startsWith("qa-"));
    expect(get("main").delegates.toSorted()).toEqual(others.toSorted());
    expect(get("main").expose).toBe("none");
  });

  test("pass on what they were passed where they hold no tools, and else no more than their own", () => {
    const session = [...agents.values()].filter(({ grant }) => grant === "session").map(({ name }) => name);
    // The main agent hands on the tools that it leaves to specialists.
    expect(session.toSorted()).toEqual(["main", "project-manager", "qa-orchestrator"]);
  });

  test("have the temperatures and the output sizes of their designs, and no models", () => {
    // S4: low temperature (0.3). S0: 0.1 both, 4096 and 2048 output tokens.
    const settings = [...agents.values()].flatMap(({ name, temperature, maxOutputTokens, model }) =>
      temperature === undefined && maxOutputTokens === undefined && model === undefined
        ? []
        : [[name, temperature, maxOutputTokens, model]],
    );
    expect(settings).toEqual([
      ["project-manager", 0.3, undefined, undefined],
      ["qa-orchestrator", 0.1, 4_096, undefined],
      ["qa-step", 0.1, 2_048, undefined],
    ]);
  });

  test("answer to the names that other worlds have for them", () => {
    const aliases = Object.fromEntries(
      [...agents.values()].filter((agent) => agent.aliases.length > 0).map(({ name, aliases: names }) => [name, names]),
    );
    expect(aliases).toEqual({
      executor: ["coder", "build"],
      planner: ["plan"],
      "code-search": ["explore"],
      "general-assistant": ["general", "general-purpose"],
    });
  });

  test("name only tools that the specification has", () => {
    const unknown = [...agents.values()].flatMap(({ name, tools }) =>
      tools.filter((tool) => tool !== "*" && !TOOL_TRAITS.has(tool)).map((tool) => `${name}: ${tool}`),
    );
    expect(unknown).toEqual([]);
  });

  test("that hold no tool that writes or runs anything may write nowhere", () => {
    for (const { name, tools, writes } of agents.values()) {
      const onlyReads = tools.length > 0 && tools.every((tool) => TOOL_TRAITS.get(tool)?.reads || tool.startsWith("web_"));
      if (onlyReads) expect([name, writes]).toEqual([name, []]);
    }
    // S1: read and execute, no write.
    expect(get("reviewer").writes).toEqual([]);
    expect(get("executor").writes).toBeUndefined();
  });

  test.each([
    ["test/a.ts", true],
    ["packages/x/tests/deep/a.py", true],
    ["src/__tests__/a.tsx", true],
    ["src/a.test.ts", true],
    ["src/a.spec.js", true],
    ["pkg/a_test.go", true],
    ["test_a.py", true],
    ["lib/conftest.py", true],
    ["src/main/FooTest.java", true],
    ["src/a.ts", false],
    ["package.json", false],
    ["src/attestation.ts", false],
    ["testing.md", false],
    ["src/latest/a.ts", false],
    [".github/workflows/test.yml", false],
  ])("the tester may write %s: %s", (file, isAllowed) => {
    expect(get("tester").writes?.some((glob) => matchesPathGlob(file, glob))).toBe(isAllowed);
  });

  test.each([
    // S3: the input schemas of its three agents.
    [
      "code-search",
      [{ query: "auth" }, { query: "auth", scope: "src" }],
      [{}, { query: 1 }, { query: "" }, { query: "a", other: 1 }],
    ],
    ["code-review", [{ target: "a.ts" }, { target: "a.ts", focus: "security" }], [{}, { target: "a.ts", focus: "speed" }]],
    ["planner", [{ task: "t" }, { task: "t", constraints: "c" }], [{}, { constraints: "c" }]],
  ])("%s takes the input of its design", (name, right, wrong) => {
    const { input, expose } = get(name);
    const schema = z.fromJSONSchema(input ?? {});
    expect(expose).toBe("both");
    for (const value of right) expect(schema.safeParse(value).success).toBe(true);
    for (const value of wrong) expect(schema.safeParse(value).success).toBe(false);
  });

  test.each([
    // S2 7.1, When to Delegate
    ["executor", ["Implementing new features or components", "Writing or modifying multiple files", "Complex refactoring tasks"]],
    ["tester", ["Writing unit or integration tests", "Running and analyzing test results", "Test-driven development tasks"]],
    [
      "reviewer",
      ["Code review is needed before committing", "Security analysis required", "Architecture decisions need validation"],
    ],
    [
      "planner",
      ["Complex multi-step tasks need breakdown", "Architecture decisions required", "Project planning or roadmap work"],
    ],
    ["debugger", ["Investigating failing tests", "Tracing runtime errors", "Performance issues"]],
  ])("main is told when to delegate to %s in the words of the third design", (name, cases) => {
    const { system } = createSpec({
      agent: get("main"),
      agents,
      grant: { tools: ["read"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
      model: "offline/offline",
      workspace: "/w",
      depth: 0,
    });
    expect(system).toContain([`**Delegate to ${name.toUpperCase()} when:**`, ...cases.map((one) => `- ${one}`)].join("\n"));
  });

  test("have prompts that say in which order to work, when to stop and what to hand back", () => {
    for (const { name, prompt } of agents.values()) {
      if (name === "main" || name === "qa-orchestrator") continue;
      expect([name, /in this order/i.test(prompt), /\bstop (?:when|as soon)\b/i.test(prompt)]).toEqual([name, true, true]);
      expect([name, /Hand back:|(?:answer|ends) with EXACTLY/.test(prompt)]).toEqual([name, true]);
    }
    // S0: the forms that are parsed.
    expect(get("qa-step").prompt).toMatch(/RESULT: PASS or FAIL\nSUMMARY: /);
    expect(get("qa-orchestrator").prompt).toContain('{"sub_tasks": [{"description": "…", "expected_result": "…"}]}');
    expect(get("qa-orchestrator").prompt).toContain('"decision": "continue" | "recover" | "stop"');
  });

  test("leave room for work in their contexts", () => {
    for (const { name, prompt, limits } of agents.values())
      if (limits.contextTokens !== undefined) expect([name, prompt.length / 4 < limits.contextTokens / 10]).toEqual([name, true]);
  });

  test("have the strictest of the presets in effect", () => {
    for (const [name, agent] of agents) {
      const presets = Object.values(PRESETS).flatMap((preset) => preset[name]?.limits ?? []) as Limits[];
      for (const [limit, value] of Object.entries(strictest(presets))) {
        const least = limit === "iterations" ? Math.max(value, (agent.limits.toolCalls ?? 0) + 1) : value;
        expect([name, limit, agent.limits[limit as keyof Limits]]).toEqual([name, limit, least]);
      }
    }
  });
});
