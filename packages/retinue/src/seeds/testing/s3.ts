/** S3, sub-agents as tools: definitions, results, events, the three built-in ones, and how approvals and contexts work. */
import { expect } from "vitest";
import type { SubAgentEvent } from "../../index.ts";
import { defineAgent, runAgentLoop } from "../../index.ts";
import { playTask } from "./seed-bench.ts";
import type { Seed, SeedItem } from "./seed-item.ts";
import { STRICTER } from "./seed-item.ts";

const item = (line: number, words: string, asserts: string, check: SeedItem["check"], decided?: string): SeedItem => ({
  line,
  words,
  asserts,
  check,
  ...(decided === undefined ? {} : { decided }),
});

const summarize = ({ iterations: rounds }: { readonly iterations: number }): string => `${rounds} rounds`;

const DEFINITION = {
  name: "PriceSearch",
  description: "Finds prices.",
  icon: "💶",
  systemPrompt: "You find prices.",
  allowedTools: ["Read", "Glob", "Grep", "LS"],
  maxIterations: 7,
  model: "local/cheap",
  temperature: 0.2,
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

const defined = (line: number, words: string, expected: object): SeedItem =>
  item(line, words, "a SubAgentDefinition with it is an agent with it", () =>
    expect(defineAgent(DEFINITION)).toMatchObject(expected),
  );

/** A run that uses one sub-agent as a tool, and what it told. */
const watch: (bench: Parameters<SeedItem["check"]>[0]) => Promise<readonly SubAgentEvent[]> = async ({ retinue }) => {
  const at = await retinue({ agents: [{ ...DEFINITION, model: "local/any-name" }] });
  const run = await at.run(playTask([{ name: "price-search", input: { query: "quinces" } }]));
  const told: SubAgentEvent[] = [];
  for await (const event of run.subAgentEvents()) told.push(event);
  return told;
};

const ended = (line: number, words: string, expected: object): SeedItem =>
  item(line, words, "the result at the end of a sub-agent has it", async (bench) => {
    const last = (await watch(bench)).at(-1);
    expect(last).toMatchObject({ type: "sub_agent_end", result: expected });
  });

const tools = (line: number, words: string, name: string, names: readonly string[], preset?: string): SeedItem =>
  item(
    line,
    words,
    `${name} is offered just these${preset === undefined ? "" : ` with the preset ${preset}`}`,
    async ({ agent }) => {
      const { toolNames } = await agent(name, preset);
      expect(toolNames.filter((tool) => tool !== "ask_parent").toSorted()).toEqual([...names].toSorted());
    },
    preset === undefined ? undefined : STRICTER,
  );

const iterations = (line: number, words: string, name: string, count: number, preset?: string): SeedItem =>
  item(
    line,
    words,
    `the row of ${name} has it${preset === undefined ? "" : ` with the preset ${preset}`}`,
    async ({ agent }) => expect((await agent(name, preset)).row.max_iterations).toBe(count),
    preset === undefined ? undefined : STRICTER,
  );

const schema = (
  line: number,
  words: string,
  name: string,
  properties: readonly string[],
  required: readonly string[],
): SeedItem =>
  item(line, words, `the tool ${name} of main takes this`, async ({ agent }) => {
    const { body } = await agent("main");
    const tool = body.tools?.find(({ function: { name: own } }) => own === name)?.function;
    expect(Object.keys(tool?.parameters.properties ?? {})).toEqual(properties);
    expect(tool?.parameters.required).toEqual(required);
  });

const prompt = (line: number, words: string, name: string, text: string | RegExp): SeedItem =>
  item(line, words, `the prompt of ${name} says it`, async ({ agent }) => expect((await agent(name)).system).toMatch(text));

export const S3: Seed = {
  id: "S3",
  items: [
    item(28, "**SubAgents ARE tools**", "each of the three is a tool of main", async ({ agent }) =>
      expect((await agent("main")).toolNames).toEqual(expect.arrayContaining(["code-search", "code-review", "planner"])),
    ),
    item(30, "**Reuse `runAgentLoop`**", "runAgentLoop yields events and returns the result", async ({ retinue }) => {
      const loop = runAgentLoop("hello", { retinue: await retinue() });
      let next = await loop.next();
      const types: string[] = [];
      for (; next.done !== true; next = await loop.next()) types.push(next.value.type);
      expect([types[0], types.at(-1), next.value.status]).toEqual(["run.requested", "run.settled", "completed"]);
    }),
    item(32, "auto-approve read-only tools", "a sub-agent reads without a question", async ({ play }) => {
      const { events } = await play(
        [{ name: "delegate_to_agent", input: { agent: "code-search", task: playTask([{ name: "ls", input: { path: "." } }]) } }],
        { approve: "ask" },
      );
      expect(events.some(({ type }) => type === "approval.requested")).toBe(false);
      expect(events.some((event) => event.type === "tool.settled" && event.depth === 1 && event.outcome === "ok")).toBe(true);
    }),
    item(
      32,
      "Write tools still require user approval (bubbled up to parent)",
      "a write of a sub-agent is asked about, with the path of agents",
      async ({ retinue }) => {
        const asked: string[] = [];
        const at = await retinue({
          approver: (request) => {
            asked.push(`${request.act.tool} ${JSON.stringify(request)}`);
            return Promise.resolve({ allowed: false, reason: "no" });
          },
        });
        const run = await at.run(
          playTask([
            {
              name: "delegate_to_agent",
              input: { agent: "executor", task: playTask([{ name: "write", input: { path: "x", content: "x" } }]) },
            },
          ]),
          { approve: "ask" },
        );
        await run.result;
        expect(asked).toEqual([expect.stringMatching(/^write .*main.*executor/)]);
      },
    ),
    item(
      36,
      "The full inner conversation is NOT appended to the parent's context",
      "the parent reads the report alone",
      async ({ play }) => {
        const { answers } = await play([
          { name: "delegate_to_agent", input: { agent: "code-search", task: playTask([{ name: "ls", input: { path: "." } }]) } },
        ]);
        expect(answers).toHaveLength(1);
        expect(JSON.stringify(answers[0])).not.toContain("PLAY");
      },
    ),
    item(
      38,
      "They can optionally use a cheaper/faster model",
      "a sub-agent with a model of its own asks that one",
      async ({ retinue }) => {
        const at = await retinue({ agents: [{ ...DEFINITION, model: "local/cheap" }] });
        const run = await at.run(playTask([{ name: "price-search", input: { query: "x" } }]));
        await run.result;
        const rows = (await at.sessions.messages(run.sessionId)).items;
        expect(rows.find(({ agent_role: role }) => role === "price-search")?.model_id).toBe("local/cheap");
      },
    ),
    defined(66, "name: string", { name: "price-search" }),
    defined(67, "description: string", { description: "Finds prices." }),
    defined(68, "icon?: string", { icon: "💶" }),
    defined(69, "systemPrompt: string", { prompt: "You find prices." }),
    defined(70, "allowedTools: string[]", { tools: ["read", "glob", "grep", "ls"] }),
    defined(71, "maxIterations: number", { limits: { iterations: 7 } }),
    defined(72, "model?: string", { model: "local/cheap" }),
    defined(73, "temperature?: number", { temperature: 0.2 }),
    defined(74, "inputSchema: ToolInputSchema", { input: DEFINITION.inputSchema }),
    item(
      75,
      "summarize?: (result: SubAgentResult) => string",
      "the parent reads what it makes of the result",
      async ({ play }) => {
        const { answers } = await play(
          [{ name: "price-search", input: { query: "x" } }],
          {},
          { agents: [{ ...DEFINITION, model: "local/any-name", summarize }] },
        );
        expect(answers[0]).toMatchObject({ summary: "1 rounds" });
      },
    ),
    ended(95, "success: boolean", { success: true }),
    ended(96, "output: string", { output: expect.stringContaining("It is done.") }),
    ended(97, "toolCallCount: number", { toolCallCount: 0 }),
    ended(98, "iterations: number", { iterations: 1 }),
    ended(99, "usage: { inputTokens: number; outputTokens: number }", {
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    }),
    item(
      108,
      "type: 'sub_agent_start'; subAgentName: string; input: Record<string, unknown>",
      "the first event of a sub-agent is this",
      async (bench) =>
        expect((await watch(bench))[0]).toMatchObject({
          type: "sub_agent_start",
          subAgentName: "price-search",
          input: { query: "quinces" },
        }),
    ),
    item(
      109,
      "type: 'sub_agent_progress'; subAgentName: string; event: AgentEvent",
      "its own events are wrapped in it",
      async (bench) =>
        expect(
          (await watch(bench))
            .slice(1, -1)
            .every((event) => event.type === "sub_agent_progress" && event.subAgentName === "price-search"),
        ).toBe(true),
    ),
    item(110, "type: 'sub_agent_end'; subAgentName: string; result: SubAgentResult", "its last event is this", async (bench) =>
      expect((await watch(bench)).at(-1)).toMatchObject({ type: "sub_agent_end", subAgentName: "price-search" }),
    ),
    tools(119, "`Read`, `Glob`, `Grep`, `LS`", "code-search", ["read", "glob", "grep", "ls"]),
    iterations(120, "**Max Iterations**: 8", "code-search", 8),
    prompt(122, "Start with `Glob` / `LS` to understand structure", "code-search", /structure with `ls` and `glob`/),
    prompt(123, "Use `Grep` to find relevant code patterns", "code-search", /`grep` for/),
    prompt(124, "Use `Read` to examine key files", "code-search", /`read` the places/),
    prompt(125, "Synthesize findings into a structured summary", "code-search", /How they hang together/),
    prompt(
      127,
      "Structured summary of findings with file paths and relevant code snippets",
      "code-search",
      /`path:line`, what is there, and the few lines of code/,
    ),
    schema(126, "{ query: string, scope?: string }", "code-search", ["query", "scope"], ["query"]),
    tools(133, "`Read`, `Glob`, `Grep`", "code-review", ["read", "glob", "grep"]),
    iterations(134, "**Max Iterations**: 6", "code-review", 6),
    prompt(136, "Read the target file(s)", "code-review", /Find the target files \(`glob`\) and `read` them/),
    prompt(
      137,
      "Check for common issues (error handling, edge cases, type safety)",
      "code-review",
      /error handling, edge cases, type safety/,
    ),
    prompt(138, "Suggest improvements with specific line references", "code-review", /`path:line`, what is wrong/),
    schema(
      139,
      '{ target: string, focus?: "bugs" | "style" | "performance" | "security" | "all" }',
      "code-review",
      ["target", "focus"],
      ["target"],
    ),
    item(
      139,
      'focus?: "bugs" | "style" | "performance" | "security" | "all"',
      "its tool offers just these",
      async ({ agent }) => {
        const tool = (await agent("main")).body.tools?.find(({ function: { name } }) => name === "code-review")?.function;
        expect(tool?.parameters.properties?.["focus"]?.enum).toEqual(["bugs", "style", "performance", "security", "all"]);
      },
    ),
    prompt(140, "Structured review with severity levels and suggestions", "code-review", /severity \(critical, major, minor\)/),
    tools(146, "`Read`, `Glob`, `Grep`, `LS`", "planner", ["read", "glob", "grep", "ls"], "s3"),
    iterations(147, "**Max Iterations**: 6", "planner", 6, "s3"),
    prompt(149, "Explore the project structure", "planner", /Explore just enough: the structure/),
    prompt(150, "Understand existing patterns and conventions", "planner", /the patterns and conventions that are there/),
    prompt(
      153,
      "Numbered plan with specific file changes",
      "planner",
      /Numbered steps\. Each has: what to do, the files with paths/,
    ),
    prompt(
      151,
      "step-by-step plan with file paths and code changes",
      "planner",
      /Numbered steps\. Each has: what to do, the files with paths/,
    ),
    schema(152, "{ task: string, constraints?: string }", "planner", ["task", "constraints"], ["task"]),
    item(178, "signal: config.toolContext.signal", "cancelling the run cancels what is below", async ({ retinue }) => {
      const stop = new AbortController();
      const at = await retinue();
      const run = await at.run(playTask([{ name: "delegate_to_agent", input: { agent: "debugger", task: "x" } }]), {
        signal: stop.signal,
      });
      for await (const event of run) if (event.type === "run.requested" && event.depth === 1) stop.abort();
      const events = await at.events(run.sessionId);
      expect(
        events.filter(({ type }) => type === "run.settled").map((event) => event.type === "run.settled" && event.result.status),
      ).toEqual(expect.arrayContaining(["cancelled"]));
    }),
    item(
      210,
      "Each SubAgent is registered as a tool in the parent's tool registry",
      "an agent that is registered later is one, too",
      async ({ retinue }) => {
        const at = await retinue({ agents: [] });
        await at.registerAgent({ ...DEFINITION, name: "LateSearch", model: "local/any-name" });
        const run = await at.run(playTask([{ name: "late-search", input: { query: "x" } }]));
        await run.result;
        expect((await at.events(run.sessionId)).some(({ agent }) => agent === "late-search")).toBe(true);
      },
    ),
    item(
      247,
      "Shows name, description, allowed tools, iteration limit",
      "retinue agents show tells them",
      async ({ command }) => {
        const { stdout } = await command(["agents", "show", "CodeSearch"]);
        for (const words of ["code-search", "Finds files and code", "Tools here (4)", "8 iterations"])
          expect(stdout).toContain(words);
      },
    ),
    item(229, "requiresApproval: () => false", "starting a sub-agent is not asked about", async ({ play }) => {
      const { events } = await play([{ name: "code-search", input: { query: "x" } }], { approve: "ask" });
      expect(events.filter(({ type }) => type === "approval.requested")).toEqual([]);
      expect(events.some(({ agent, depth }) => agent === "code-search" && depth === 1)).toBe(true);
    }),
    item(272, "SubAgents CANNOT spawn other SubAgents", "one that is defined so may start nobody", () =>
      expect(defineAgent(DEFINITION).delegates).toEqual([]),
    ),
  ],
};
