/** Sub-agents as the design of agents as tools has them: plain definitions, registered before and after, and their events. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RetinueEvent } from "@retinue/protocol";
import { createMemoryLog } from "@retinue/store";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Retinue, RetinueOptions, SubAgentDefinition, SubAgentEvent } from "../index.ts";
import { createRetinue, defineAgent, runAgentLoop } from "../index.ts";
import type { ScriptedModel, ScriptedTurn } from "./testing.ts";
import { createScriptedModel } from "./testing.ts";

let workspace: string;
const open: Retinue[] = [];
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-sub-agents-")));
  await writeFile(path.join(workspace, "a.txt"), "quinces: 3\n");
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
  await rm(workspace, { recursive: true, force: true });
});

const start = async (model: ScriptedModel, options: Partial<RetinueOptions> = {}): Promise<Retinue> => {
  const env = { PATH: process.env["PATH"], HOME: workspace, RETINUE_HOME: path.join(workspace, "home") };
  const retinue = await createRetinue({ model, workspace, env, store: createMemoryLog(), ...options });
  open.push(retinue);
  return retinue;
};

const PRICES: SubAgentDefinition = {
  name: "PriceSearch",
  description: "Finds what things cost.",
  icon: "💶",
  systemPrompt: "You find prices.",
  allowedTools: ["Read", "Grep"],
  maxIterations: 5,
  temperature: 0.2,
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  summarize: ({ output, toolCallCount, iterations, success }) =>
    `${success}: ${output} (${toolCallCount} calls, ${iterations} rounds)`,
};

const byPrompt = (turns: Readonly<Record<string, readonly ScriptedTurn[]>>): ScriptedModel =>
  createScriptedModel({ key: ({ system }) => Object.keys(turns).find((who) => system.startsWith(who)) ?? "main", turns });

const ask = (tool: string): ScriptedTurn => ({ toolCalls: [{ tool, input: { query: "quinces" } }] });

const PRICES_TURNS: readonly ScriptedTurn[] = [
  { toolCalls: [{ tool: "read", input: { path: "a.txt" } }] },
  {
    expect: ({ tools }) => expect(tools.map(({ name }) => name).toSorted()).toEqual(["grep", "read"]),
    text: "They cost 3.",
  },
];

describe("a name in another spelling", () => {
  test("is brought into ours, and both find the agent", async () => {
    const search = defineAgent({ name: "CodeSearch", description: "Searches.", prompt: "You search." });
    expect(search.name).toBe("code-search");
    const retinue = await start(createScriptedModel([{ text: "Found." }]), { agents: [search] });
    expect((await retinue.spawn("CodeSearch", "Where?")).details).toBe("Found.");
  });

  test("that can be no name is rejected with the reason", () => {
    for (const name of ["", "../x", "7up", undefined])
      expect(() => defineAgent({ name: name as string, description: "x", prompt: "x" })).toThrow(/is not a name of an agent/);
  });
});

describe("a SubAgentDefinition", () => {
  test("is an agent: a tool of the parent, with its prompt, tools, schema and summary", async () => {
    const model = byPrompt({
      main: [
        {
          ...ask("price-search"),
          expect: ({ tools }) =>
            expect(tools.find(({ name }) => name === "price-search")).toMatchObject({
              description: "Finds what things cost.",
              inputSchema: { properties: { query: { type: "string" } } },
            }),
        },
        {
          expect: ({ messages }) => expect(JSON.stringify(messages.at(-1))).toContain("true: They cost 3. (1 calls, 2 rounds)"),
          text: "3.",
        },
      ],
      "You find prices": PRICES_TURNS,
    });
    const retinue = await start(model, { agents: [PRICES] });
    expect(retinue.agents.get("price-search")).toMatchObject({
      icon: "💶",
      temperature: 0.2,
      limits: { iterations: 5 },
      delegates: [],
      expose: "both",
    });
    expect((await (await retinue.run("What do quinces cost?")).result).details).toBe("3.");
    model.assertDone();
  });

  test("that is not whole, or has a field that there is not, is rejected with the reason", async () => {
    const { systemPrompt: _, ...rest } = PRICES;
    await expect(start(createScriptedModel([]), { agents: [rest as never] })).rejects.toMatchObject({
      code: "agent_invalid",
      message: expect.stringContaining("it lacks systemPrompt"),
    });
    expect(() => defineAgent({ ...PRICES, tools: ["write"] })).toThrow(/unknown fields: tools/);
    expect(() => defineAgent({ ...PRICES, maxIterations: "many" } as never)).toThrow(/iterations/);
  });

  test("so is a plain object with the fields of an agent file", async () => {
    const plain = { name: "Botanist", description: "Knows plants.", prompt: "You know plants." };
    const retinue = await start(createScriptedModel([{ text: "A rose." }]), { agents: [plain as never] });
    expect((await retinue.spawn("botanist", "What is it?")).details).toBe("A rose.");
    await expect(start(createScriptedModel([]), { agents: [{ name: "x" } as never] })).rejects.toMatchObject({
      code: "agent_invalid",
    });
  });
});

describe("an agent that is registered after createRetinue", () => {
  test("is known to runs that begin then, and replaces one of its name", async () => {
    const model = byPrompt({
      main: [
        { expect: ({ tools }) => expect(tools.map(({ name }) => name)).not.toContain("price-search"), text: "I do not know." },
        { ...ask("price-search"), expect: ({ tools }) => expect(tools.map(({ name }) => name)).toContain("price-search") },
        { text: "3." },
        {
          expect: ({ tools }) => expect(tools.find(({ name }) => name === "price-search")?.description).toBe("Other."),
          text: "-",
        },
      ],
      "You find prices": PRICES_TURNS,
    });
    const retinue = await start(model);
    expect((await (await retinue.run("What do quinces cost?")).result).details).toBe("I do not know.");
    const before = retinue.agents;
    expect((await retinue.registerAgent(PRICES)).name).toBe("price-search");
    expect([before.has("price-search"), retinue.agents.has("price-search")]).toEqual([false, true]);
    expect((await (await retinue.run("What do quinces cost?")).result).details).toBe("3.");
    await retinue.registerAgent({ ...PRICES, description: "Other." });
    await (
      await retinue.run("And now?")
    ).result;
    model.assertDone();
  });

  test("stays within settings and instructions, and several are registered side by side", async () => {
    const plain = (name: string) => defineAgent({ name, description: `${name}.`, prompt: `You are ${name}.` });
    const retinue = await start(
      createScriptedModel([{ expect: ({ system }) => expect(system).toContain("Be brief."), text: "ok" }]),
      {
        instructions: "Be brief.",
      },
    );
    await Promise.all(["one", "two", "three"].map((name) => retinue.registerAgent(plain(name))));
    expect(["one", "two", "three"].every((name) => retinue.agents.get("main")?.delegates.includes(name))).toBe(true);
    expect((await retinue.spawn("two", "Go.")).details).toBe("ok");
    await expect(retinue.registerAgent({ ...PRICES, name: "?" })).rejects.toMatchObject({ code: "agent_invalid" });
    expect(retinue.agents.has("three")).toBe(true);
  });
});

describe("events of sub-agents", () => {
  const play = (): ScriptedModel =>
    byPrompt({ main: [ask("price-search"), { text: "They cost 3." }], "You find prices": PRICES_TURNS });

  test("tell of their start, what they do and how they end, beside the run's own events", async () => {
    const retinue = await start(play(), { agents: [PRICES] });
    const run = await retinue.run("What do quinces cost?");
    const told: SubAgentEvent[] = [];
    for await (const event of run.subAgentEvents()) told.push(event);
    expect(told[0]).toMatchObject({
      type: "sub_agent_start",
      subAgentName: "price-search",
      input: { query: "quinces" },
      depth: 1,
    });
    expect(told.at(-1)).toMatchObject({
      type: "sub_agent_end",
      subAgentName: "price-search",
      result: { success: true, output: "They cost 3.", toolCallCount: 1, iterations: 2 },
    });
    const within = told.slice(1, -1);
    expect(within.every(({ type }) => type === "sub_agent_progress")).toBe(true);
    expect(within.flatMap((event) => (event.type === "sub_agent_progress" ? [event.event.type] : []))).toContain("tool.settled");
    expect(new Set(told.map(({ runId }) => runId)).size).toBe(1);
    const all: RetinueEvent[] = [];
    for await (const event of run) all.push(event);
    expect(all.some(({ depth }) => depth === 0)).toBe(true);
  });

  test("are none where nobody delegates", async () => {
    const retinue = await start(createScriptedModel([{ text: "Hello." }]));
    const told: SubAgentEvent[] = [];
    for await (const event of (await retinue.run("hello")).subAgentEvents()) told.push(event);
    expect(told).toEqual([]);
  });
});

describe("runAgentLoop", () => {
  test("yields the events of a run and returns its result", async () => {
    const retinue = await start(createScriptedModel([{ text: '["a"]' }]));
    const loop = runAgentLoop("names?", { retinue, output: z.array(z.string()) });
    const types: string[] = [];
    let next = await loop.next();
    for (; next.done !== true; next = await loop.next()) types.push(next.value.type);
    expect(types.filter((type) => type !== "model.delta")).toEqual([
      "run.requested",
      "run.started",
      "model.requested",
      "model.answered",
      "run.settled",
    ]);
    expectTypeOf(next.value.output).toEqualTypeOf<string[] | undefined>();
    expect(next.value).toMatchObject({ status: "completed", output: ["a"] });
  });

  test("cancels the run where nobody reads on", async () => {
    const released = Promise.withResolvers<void>();
    const model = createScriptedModel([{ before: () => released.promise, text: "too late" }]);
    const retinue = await start(model);
    for await (const event of runAgentLoop("go", { retinue })) if (event.type === "model.requested") break;
    const [session] = (await retinue.sessions.listSessions()).items;
    const events = retinue.live.follow(session?.sessionId ?? "ses_");
    released.resolve();
    for await (const event of events)
      if (event.type === "run.settled") {
        expect(event.result.status).toBe("cancelled");
        break;
      }
  });
});
