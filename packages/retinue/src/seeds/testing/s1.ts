/** S1, role sub-agents: roles with tools, budgets and contexts, spawn and fan_out, planning, and the open questions. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { defineResource, defineTool } from "../../index.ts";
import { playTask } from "./seed-bench.ts";
import type { Seed, SeedItem } from "./seed-item.ts";
import { STRICTER } from "./seed-item.ts";

const CHARS = 4;

const write = (file: string) => ({ name: "write", input: { path: file, content: "x" } });

/** Each role: its lines of the defaults (tools, budget, context, spawning), and what they say. `search` is the alias of `grep`. */
const ROLES = {
  researcher: {
    prompt: [295, "You are a researcher sub-agent."],
    tools: [463, '"read", "ls", "search", "code_search", "grep"', ["read", "ls", "grep", "code_search"]],
    more: [
      464,
      '"web_search", "web_fetch", "overview", "docs_coverage"',
      ["web_search", "web_fetch", "overview", "docs_coverage"],
    ],
    budget: [466, "tool_budget=budget or 15", 15],
    context: [467, "context_limit=50000", 50_000],
    spawn: [468, "can_spawn_subagents=False", []],
    constraint: [98, "Read-only tools only (no write/execute)"],
  },
  planner: {
    prompt: [302, "You are a planner sub-agent."],
    tools: [474, '"read", "ls", "search", "plan_files", "overview"', ["read", "ls", "grep", "plan_files", "overview"]],
    budget: [476, "tool_budget=budget or 10", 10],
    context: [477, "context_limit=30000", 30_000],
    spawn: [478, "can_spawn_subagents=False", []],
    constraint: [112, "Read-only tools only"],
  },
  executor: {
    prompt: [309, "You are an executor sub-agent."],
    tools: [484, '"read", "write", "edit", "ls", "search", "shell"', ["read", "write", "edit", "ls", "grep", "shell"]],
    more: [485, '"test", "git", "git_commit"', ["test", "git", "git_commit"]],
    budget: [487, "tool_budget=budget or 30", 30],
    context: [488, "context_limit=80000", 80_000],
    spawn: [489, "can_spawn_subagents=True", ["reviewer"]],
  },
  reviewer: {
    prompt: [316, "You are a reviewer sub-agent."],
    tools: [495, '"read", "search", "test", "git_diff", "shell"', ["read", "grep", "test", "git_diff", "shell"]],
    budget: [497, "tool_budget=budget or 15", 15],
    context: [498, "context_limit=50000", 50_000],
    spawn: [499, "can_spawn_subagents=False", []],
    constraint: [140, "Read + execute tools only (no write)"],
  },
  tester: {
    prompt: [323, "You are a tester sub-agent."],
    tools: [505, '"read", "write", "test", "shell"', ["read", "write", "test", "shell"]],
    budget: [507, "tool_budget=budget or 20", 20],
    context: [508, "context_limit=50000", 50_000],
    spawn: [509, "can_spawn_subagents=True", ["reviewer"]],
  },
} as const;

type Role = keyof typeof ROLES;

const roleItems = ([role, given]: [string, (typeof ROLES)[Role]]): readonly SeedItem[] => {
  const preset = `with the preset s1, a run of ${role} below main`;
  const tools = [given.tools, ...("more" in given ? [given.more] : [])];
  return [
    {
      line: given.prompt[0],
      words: given.prompt[1],
      asserts: `${role} is told that it is one`,
      check: async ({ agent }) => {
        const { system } = await agent(role);
        expect(system).toMatch(new RegExp(`^You are an? ${role}\\.`));
        expect(system).toContain(`You are operating as a **${role}** sub-agent`);
      },
    },
    ...tools.map(([line, words, names]): SeedItem => ({
      line,
      words,
      asserts: `${preset} is offered ${names.join(", ")} in its request`,
      check: async ({ agent }) => expect((await agent(role, "s1")).toolNames).toEqual(expect.arrayContaining([...names])),
    })),
    {
      line: given.tools[0],
      words: given.tools[1],
      asserts: `${preset} is offered nothing beyond the list`,
      check: async ({ agent }) => {
        const all = tools.flatMap(([, , names]) => [...names]) as readonly string[];
        const { toolNames } = await agent(role, "s1");
        // What every run has that may delegate or that has artifacts is no tool of the role.
        expect(
          toolNames.filter((name) => !all.includes(name) && !/_agent$|^execute_plan$|^plan_for_goal$|^ask_parent$/.test(name)),
        ).toEqual([]);
      },
    },
    {
      line: given.budget[0],
      words: given.budget[1],
      asserts: `${preset} is recorded with this many tool calls`,
      check: async ({ agent }) => expect((await agent(role, "s1")).spec.limits.toolCalls).toBe(given.budget[2]),
    },
    {
      line: given.budget[0],
      words: given.budget[1],
      asserts: `without a preset ${role} has as many`,
      check: async ({ agent }) => expect((await agent(role)).spec.limits.toolCalls).toBe(given.budget[2]),
    },
    {
      line: given.context[0],
      words: given.context[1],
      asserts: `${preset} is recorded with this context, in tokens of four characters`,
      check: async ({ agent }) => expect((await agent(role, "s1")).spec.limits.contextTokens).toBe(given.context[2] / CHARS),
    },
    {
      line: given.spawn[0],
      words: given.spawn[1],
      asserts: `${preset} may start just ${given.spawn[2].join(", ") || "nobody"}`,
      check: async ({ agent }) => expect((await agent(role, "s1")).spec.delegates).toEqual(given.spawn[2]),
    },
    ...("constraint" in given
      ? [
          {
            line: given.constraint[0],
            words: given.constraint[1],
            asserts: `${role} may write nowhere`,
            check: async ({ retinue }: Parameters<SeedItem["check"]>[0]) =>
              expect((await retinue()).agents.get(role)?.writes).toEqual([]),
          } satisfies SeedItem,
        ]
      : []),
  ];
};

const field = (line: number, words: string, asserts: string, check: SeedItem["check"], decided?: string): SeedItem => ({
  line,
  words,
  asserts,
  check,
  ...(decided === undefined ? {} : { decided }),
});

const ofResult = (line: number, words: string, key: string): SeedItem =>
  field(line, words, `a result has ${key}`, async ({ agent }) => expect((await agent("researcher")).result).toHaveProperty(key));

/** What the design tells each role to do, and the words that the built-in prompt has for it. */
const PROMPTS: Readonly<Record<string, readonly (readonly [line: number, words: string, says: string])[]>> = {
  researcher: [
    [296, "Use read-only tools to explore the codebase", "`grep` and `code_search` for the places, `read` for the parts"],
    [297, "Summarize your findings clearly", "The findings, each with its evidence"],
    [298, "Focus on answering the specific question", "Spend them on the question and not on its surroundings"],
    [299, "Do not make any changes", "You change nothing."],
  ],
  planner: [
    [303, "Break tasks into clear, actionable steps", "A step is one change that can be made and checked by itself"],
    [304, "Consider dependencies and risks", "Order the steps by what depends on what"],
    [304, "Consider dependencies and risks", "Name the risks"],
    [305, "Output structured plans", "Numbered steps. Each has: what to do"],
    [306, "Do not execute the plan", "You carry out nothing."],
  ],
  executor: [
    [310, "Follow the plan provided", "Follow the plan you were given."],
    [311, "Write clean, tested code", "Run what shows that it works: the tests concerned"],
    [312, "Commit changes atomically", "one idea a commit"],
    [313, "Report what you did", "The files you changed and created, and why each."],
  ],
  reviewer: [
    [317, "Review code for bugs and style issues", "wrong results, broken callers"],
    [317, "Review code for bugs and style issues", "then what is hard to read"],
    [318, "Run tests and linters", "Run the tests and the linter"],
    [319, "Suggest improvements", "what to do."],
    [320, "Do not make changes yourself", "You change nothing, also not by way of the shell."],
  ],
  tester: [
    [324, "Write comprehensive test cases", "List the cases before you write"],
    [325, "Ensure good coverage", "Stop when the cases of your list are covered"],
    [326, "Follow testing best practices", "One claim a test; no sleeping, no network, no order between tests."],
    [327, "Only write to test directories", "You may write only test files"],
  ],
};

const promptItems = ([role, lines]: [string, (typeof PROMPTS)[string]]): readonly SeedItem[] =>
  lines.map(([line, words, says]) => ({
    line,
    words,
    asserts: `${role} is told: ${says}`,
    check: async ({ agent }) => expect((await agent(role)).system.replaceAll(/\s+/g, " ")).toContain(says),
  }));

const resolves = (line: number, role: string): SeedItem =>
  field(line, `${role.toUpperCase()} = "${role}"`, "the role is found by both spellings", async ({ retinue }) => {
    const at = await retinue();
    expect((await at.spawn(role.toUpperCase(), "x")).agent).toBe(role);
  });

const OPEN: readonly SeedItem[] = [
  field(
    680,
    "Should sub-agents share tool cache with parent?",
    "no: a sub-agent reads a file as it is when it reads, whatever its parent has read",
    async ({ play, retinue }) => {
      const at = await retinue();
      await writeFile(path.join(at.folder, "cached.txt"), "before\n");
      const read = { name: "read", input: { path: "cached.txt" } };
      const { events } = await play([
        read,
        { name: "write", input: { path: "cached.txt", content: "after\n" } },
        { name: "delegate_to_agent", input: { agent: "debugger", task: playTask([read]) } },
      ]);
      const texts = events.flatMap((event) =>
        event.type === "tool.settled" && event.tool === "read" ? [JSON.stringify(event.content)] : [],
      );
      expect(texts).toEqual([expect.stringContaining("before"), expect.stringContaining("after")]);
    },
  ),
  field(
    680,
    "Should sub-agents share tool cache with parent?",
    "what holds no result is shared: a resource of the session is opened once for both, one of the run by each",
    async ({ play }) => {
      const opened: string[] = [];
      const make = (per: "run" | "session") => {
        const resource = defineResource({
          name: `kept-${per}`,
          per,
          open: () => (opened.push(per), per),
          close: () => undefined,
        });
        return defineTool({
          name: `use_${per}`,
          description: "Uses it.",
          input: z.object({}),
          effect: "read",
          resource,
          execute: () => per,
        });
      };
      const uses = ["run", "session"].map((per) => ({ name: `use_${per}`, input: {} }));
      const below = {
        name: "below",
        description: "Works below.",
        systemPrompt: "You work below.",
        allowedTools: ["use_*"],
        maxIterations: 5,
        inputSchema: { type: "object" },
      };
      const delegate = { name: "delegate_to_agent", input: { agent: "below", task: playTask(uses) } };
      await play([...uses, delegate], {}, { tools: [make("run"), make("session")], agents: [below] });
      expect(opened.toSorted()).toEqual(["run", "run", "session"]);
    },
  ),
  field(
    681,
    "How to handle sub-agent failures in fan_out()?",
    "a failing one is a failed result in its place",
    async ({ retinue }) => {
      const results = await (
        await retinue()
      ).fanOut([
        { agent: "researcher", task: "a" },
        { agent: "nobody", task: "b" },
        { agent: "researcher", task: "c" },
      ]);
      expect(results.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
      expect(results[1]).toMatchObject({ toolCalls: 0, error: { code: "agent_unknown" } });
    },
  ),
  field(
    682,
    "Should sub-agents emit events to parent's event bus?",
    "yes: the events of a run hold those of its sub-agents",
    async ({ play }) => {
      const { events } = await play([{ name: "delegate_to_agent", input: { agent: "researcher", task: "x" } }]);
      expect(events.some(({ depth }) => depth === 1)).toBe(true);
    },
  ),
  field(
    683,
    "Maximum sub-agent nesting depth?",
    "3 by default",
    async ({ settings }) => expect((await settings({})).settings.agent.maxDepth).toBe(3),
    "max 3 by default",
  ),
  field(684, "How to visualize sub-agent hierarchy in TUI?", "a tree of runs with children", async ({ play, retinue }) => {
    const { rows } = await play([{ name: "delegate_to_agent", input: { agent: "researcher", task: "x" } }]);
    const [tree] = await (await retinue()).sessions.tree(rows[0]?.session_id as `ses_${string}`);
    expect(tree?.children.map(({ agent }) => agent)).toEqual(["researcher"]);
  }),
];

const LIBRARY: readonly SeedItem[] = [
  field(27, "plan_for_goal(), execute_plan()", "planForGoal and executePlan are calls of a workspace", async ({ retinue }) => {
    const at = await retinue();
    expect([typeof at.planForGoal, typeof at.executePlan]).toEqual(["function", "function"]);
  }),
  field(373, "async def spawn(", "spawn runs an agent and gives its result", async ({ retinue }) =>
    expect(await (await retinue()).spawn("researcher", "Research it.")).toMatchObject({
      status: "completed",
      agent: "researcher",
    }),
  ),
  field(377, "budget: Optional[int] = None", "a budget of tool calls is passed on", async ({ retinue }) => {
    const at = await retinue();
    const result = await at.spawn(
      "researcher",
      playTask([
        { name: "ls", input: { path: "." } },
        { name: "ls", input: { path: "." } },
      ]),
      { limits: { toolCalls: 1 } },
    );
    expect(result).toMatchObject({ status: "partial", bailoutReason: "max_tool_calls" });
  }),
  field(378, "allowed_tools: Optional[List[str]] = None", "only the tools that are allowed are offered", async ({ retinue }) => {
    const at = await retinue();
    const run = await at.run("x", { agent: "researcher", tools: ["read", "search"] });
    await run.result;
    const [requested] = await at.events(run.sessionId);
    expect(requested?.type === "run.requested" && requested.spec.tools.toSorted()).toEqual(["grep", "read"]);
  }),
  field(405, "max_concurrent: int = 3", "three at once by default", async ({ settings }) =>
    expect((await settings({})).settings.agent.maxConcurrent).toBe(3),
  ),
  field(414, "List of SubAgentResult in same order as tasks", "results are in the order of the tasks", async ({ retinue }) => {
    const results = await (await retinue()).fanOut(["researcher", "planner", "reviewer"].map((agent) => ({ agent, task: "x" })));
    expect(results.map(({ agent }) => agent)).toEqual(["researcher", "planner", "reviewer"]);
  }),
  field(229, "working_directory: Optional[str] = None", "delegate_to_agent takes working_directory", async ({ agent }) =>
    expect(
      (await agent("main")).body.tools?.find(({ function: { name } }) => name === "delegate_to_agent")?.function.parameters
        .properties,
    ).toHaveProperty("working_directory"),
  ),
  ...["researcher", "planner", "executor", "reviewer", "tester"].map((role) =>
    field(
      230,
      "timeout_seconds: int = 300",
      `with the preset s1, ${role} has 300 s`,
      async ({ agent }) => expect((await agent(role, "s1")).row.max_duration_ms).toBe(300_000),
      STRICTER,
    ),
  ),
  field(
    345,
    "summary=response.content[:500]",
    "an answer without a summary is its own up to 500 characters; a longer one is told whole",
    async ({ play }) => {
      const { answers } = await play([
        { name: "delegate_to_agent", input: { agent: "debugger", task: playTask([], { text: "x".repeat(500) }) } },
        { name: "delegate_to_agent", input: { agent: "debugger", task: playTask([], { text: "y".repeat(501) }) } },
      ]);
      expect(answers).toEqual([
        expect.objectContaining({ summary: "x".repeat(500) }),
        expect.objectContaining({ details: "y".repeat(501) }),
      ]);
    },
    "The child's answer enters the parent's context whole up to an amount",
  ),
  field(154, "Can write only to test/ directories", "the tester writes to test folders only", async ({ play }) => {
    const { events } = await play([
      { name: "delegate_to_agent", input: { agent: "tester", task: playTask([write("src/a.ts"), write("test/a.ts")]) } },
    ]);
    expect(events.flatMap((event) => (event.type === "tool.settled" && event.tool === "write" ? [event.outcome] : []))).toEqual([
      "denied",
      "ok",
    ]);
  }),
  field(129, "Can spawn Reviewer sub-agents", "an executor below main starts a reviewer", async ({ play }) => {
    const { events } = await play([
      {
        name: "delegate_to_agent",
        input: { agent: "executor", task: playTask([{ name: "delegate_to_agent", input: { agent: "reviewer", task: "x" } }]) },
      },
    ]);
    expect(events.find((event) => event.type === "run.requested" && event.depth === 2)?.agent).toBe("reviewer");
  }),
  field(656, "Add /spawn command to CLI", "retinue spawn runs a role", async ({ command }) =>
    expect(await command(["spawn", "researcher", "x"])).toMatchObject({ code: 0 }),
  ),
  field(665, "Strict enforcement of allowed_tools list", "a call of another tool is answered and not made", async ({ play }) => {
    const { events } = await play([
      {
        name: "delegate_to_agent",
        input: { agent: "researcher", task: playTask([{ name: "write", input: { path: "x", content: "x" } }]) },
      },
    ]);
    expect(events.find((event) => event.type === "tool.settled" && event.depth === 1)).toMatchObject({
      outcome: "error",
      error: { code: "tool_unknown" },
    });
  }),
  field(
    668,
    "Sub-agents cannot elevate their permissions",
    "a delegation that asks for more tools gets no more",
    async ({ play }) => {
      const { events } = await play([
        { name: "delegate_to_agent", input: { agent: "researcher", task: "x", tools: ["read", "write"] } },
      ]);
      const below = events.find((event) => event.type === "run.requested" && event.depth === 1);
      expect(below?.type === "run.requested" && below.spec.tools).toEqual(["read"]);
    },
  ),
  field(666, "Hard limits on tool calls", "the sixteenth call of a researcher is not made", async ({ play }) => {
    const calls = Array.from({ length: 17 }, (_, at) => ({ name: "grep", input: { pattern: `p${at}` } }));
    const { events } = await play([{ name: "delegate_to_agent", input: { agent: "researcher", task: playTask(calls) } }]);
    expect(events.filter((event) => event.type === "tool.started" && event.depth === 1).length).toBeLessThanOrEqual(15);
  }),
];

export const S1: Seed = {
  id: "S1",
  items: [
    ...Object.entries(ROLES).flatMap((entry) => roleItems(entry)),
    ...Object.entries(PROMPTS).flatMap((entry) => promptItems(entry)),
    ...[
      ["researcher", 214],
      ["planner", 215],
      ["executor", 216],
      ["reviewer", 217],
      ["tester", 218],
    ].map(([role, line]) => resolves(Number(line), String(role))),
    ofResult(235, "success: bool", "status"),
    ofResult(236, "summary: str", "summary"),
    ofResult(237, "details: Dict[str, Any]", "details"),
    ofResult(238, "tool_calls_used: int", "toolCalls"),
    ofResult(239, "context_size: int", "contextTokens"),
    ofResult(240, "duration_seconds: float", "durationMs"),
    field(
      241,
      "error: Optional[str] = None",
      "a result has error where the run failed, and none otherwise",
      async ({ agent, retinue }) => {
        const at = await retinue();
        const failed = await at.spawn("researcher", playTask([], { fault: { type: "status", status: 400 } }));
        expect(failed).toMatchObject({ status: "failed", error: { message: expect.any(String) } });
        expect((await agent("researcher")).result.error ?? undefined).toBeUndefined();
      },
    ),
    field(357, "Sub-agent failed: {str(e)}", "the summary of a failed run says why", async ({ retinue }) => {
      const failed = await (await retinue()).spawn("researcher", playTask([], { fault: { type: "status", status: 400 } }));
      expect(failed.summary).toContain(failed.error?.message.slice(0, 20));
    }),
    ofResult(188, '"findings": [...]', "findings"),
    ...LIBRARY,
    ...OPEN,
  ],
};
