import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ModelRequest } from "@retinue/model/contract";
import type { RunResult } from "@retinue/protocol";
import { createMemoryLog } from "@retinue/store";
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Retinue, RetinueOptions } from "../index.ts";
import { createRetinue, defineAgent, foldSession, imagePart } from "../index.ts";
import type { ScriptedModel, ScriptedTurn } from "./testing.ts";
import { createScriptedModel } from "./testing.ts";

let workspace: string;
const open: Retinue[] = [];
beforeEach(async () => void (workspace = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-library-")))));
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

/** Scripts by the first words of the prompt: who is asked. */
const byAgent = (turns: Readonly<Record<string, readonly ScriptedTurn[]>>): ScriptedModel =>
  createScriptedModel({
    key: ({ system }) => Object.keys(turns).find((who) => system.startsWith(who)) ?? "You are the main",
    turns,
  });

const MAIN = "You are the main";
const pricing = { name: "pricing", description: "Knows what things cost.", prompt: "You know prices." } as const;
const textsOf = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));

describe("an agent in code", () => {
  test("has the defaults of an agent file", () => {
    expect(defineAgent(pricing)).toEqual({
      ...pricing,
      aliases: [],
      fallbacks: [],
      tools: ["*"],
      deniedTools: [],
      delegates: [],
      grant: "own",
      limits: {},
      contextMode: "none",
      expose: "both",
      skills: [],
      mcpServers: [],
      isolation: "none",
    });
  });

  test("that is not valid is refused where it is defined: a field that there is not would widen it", () => {
    expect(() => defineAgent({ ...pricing, name: "../name" })).toThrow(/is not a name of an agent/);
    expect(() => defineAgent({ ...pricing, toolz: ["read"] } as never)).toThrow(/toolz/);
    expect(() => defineAgent({ ...pricing, prompt: " " })).toThrow(/no prompt/);
    expect(() => defineAgent({ ...pricing, output: z.object({ at: z.date() }) })).toThrow(/JSON can hold/);
  });

  test("is reached by the main agent, and told to it once", async () => {
    const model = byAgent({
      [MAIN]: [
        {
          expect: ({ system, tools }) =>
            expect(`${system}${JSON.stringify(tools)}`.split("Knows what things cost.").length).toBe(2),
          toolCalls: [{ tool: "delegate_to_agent", input: { agent: "pricing", task: "What does a quince cost?" } }],
        },
        { text: "Three." },
      ],
      "You know prices": [{ text: "3" }],
    });
    const retinue = await start(model, { agents: [defineAgent(pricing)] });
    expect((await (await retinue.run("What does a quince cost?")).result).details).toBe("Three.");
    model.assertDone();
  });

  test("keeps its lists from being frozen for whoever wrote them", async () => {
    const definition = { ...defineAgent(pricing), tools: ["read"] };
    await start(createScriptedModel([]), { agents: [definition] });
    expect(() => definition.tools.push("write")).not.toThrow();
  });
});

describe("an output schema", () => {
  const priced = defineAgent({
    ...pricing,
    output: z
      .object({ cents: z.number().int(), currency: z.string().default("EUR") })
      .refine(({ cents }) => cents > 0, "cents must be positive"),
  });

  test("is the type of the result", async () => {
    const retinue = await start(createScriptedModel([{ text: '{"cents": 3}' }]), { agents: [priced] });
    const result = await (await retinue.run("price?", { agent: priced })).result;
    expectTypeOf(result.output).toEqualTypeOf<{ cents: number; currency: string } | undefined>();
    if (result.status !== "completed") throw new Error(result.error?.message);
    expectTypeOf(result.output).toEqualTypeOf<{ cents: number; currency: string }>();
    expect(result.output).toEqual({ cents: 3, currency: "EUR" });
  });

  test("may be that of one run, and of a spawned one", async () => {
    const retinue = await start(createScriptedModel([{ text: '["a"]' }, { text: '{"cents": 4}' }]), { agents: [priced] });
    const { result } = await retinue.run("names?", { output: z.array(z.string()) });
    expectTypeOf((await result).output).toEqualTypeOf<string[] | undefined>();
    expect((await result).output).toEqual(["a"]);
    const spawned = await retinue.spawn(priced, "price?");
    expectTypeOf(spawned.output).toEqualTypeOf<{ cents: number; currency: string } | undefined>();
    expect(spawned.output).toEqual({ cents: 4, currency: "EUR" });
  });

  test("is not the type of a run that asked for none", async () => {
    const retinue = await start(createScriptedModel([{ text: "hello" }]));
    const result = await (await retinue.run("hello")).result;
    expectTypeOf(result).toEqualTypeOf<RunResult>();
  });

  test("is checked in all that it says, with one turn to mend what does not fit", async () => {
    const model = createScriptedModel([
      { text: '{"cents": -3}' },
      { expect: (request) => expect(textsOf(request).at(-1)).toContain("cents must be positive"), text: '{"cents": 3}' },
    ]);
    const retinue = await start(model, { agents: [priced] });
    const result = await (await retinue.run("price?", { agent: priced })).result;
    expect(result.output).toEqual({ cents: 3, currency: "EUR" });
    model.assertDone();
  });

  test("that is not met twice ends the run", async () => {
    const retinue = await start(createScriptedModel([{ text: "three" }, { text: "really three" }]), { agents: [priced] });
    const result = await (await retinue.run("price?", { agent: priced })).result;
    expect(result).toMatchObject({ status: "failed", error: { code: "invalid_result" } });
    const { divergence } = await retinue.verify((await retinue.sessions.listSessions()).items[0]?.sessionId ?? "ses_");
    expect(divergence).toBeNull();
  });
});

describe("the text of a run", () => {
  const collect = async (text: AsyncIterable<string>): Promise<readonly string[]> => {
    const pieces: string[] = [];
    for await (const piece of text) pieces.push(piece);
    return pieces;
  };

  test("is what the main agent says, as it says it, and nothing of sub-agents, tools and thoughts", async () => {
    const model = byAgent({
      [MAIN]: [
        {
          reasoning: "hm",
          text: "I ask.",
          toolCalls: [{ tool: "delegate_to_agent", input: { agent: "pricing", task: "price?" } }],
        },
        { text: "It is 3.", chunkSize: 4 },
      ],
      "You know prices": [{ text: "three cents" }],
    });
    const retinue = await start(model, { agents: [defineAgent(pricing)] });
    const run = await retinue.run("price?");
    expect((await collect(run.text)).join("")).toBe("I ask.\n\nIt is 3.");
    expect(await run.text.final).toBe("It is 3.");
  });

  test("is whole after an attempt that was given up", async () => {
    const model = createScriptedModel([{ retries: [{ text: "It is 4 ", error: "model_unreachable" }], text: "It is 3." }]);
    const retinue = await start(model);
    const pieces = await collect((await retinue.run("price?")).text);
    expect(pieces.at(-1)).toMatch(/It is 3\.$/);
  });

  test("can be read after the run and beside its events", async () => {
    const retinue = await start(createScriptedModel([{ text: "Three." }]));
    const run = await retinue.run("price?");
    const types: string[] = [];
    for await (const event of run) types.push(event.type);
    expect(types).toContain("run.settled");
    expect(await collect(run.text)).toEqual(["Three."]);
  });
});

test("a task may have pictures among its words", async () => {
  const image = await imagePart({ mediaType: "image/png", bytes: new Uint8Array([1, 2, 3]) });
  const model = createScriptedModel([
    {
      expect: ({ messages }) => expect(messages[0]?.content).toEqual([{ type: "text", text: "What is this?" }, image]),
      text: "A quince.",
    },
  ]);
  const retinue = await start(model);
  const run = await retinue.run([{ type: "text", text: "What is this?" }, image]);
  expect((await run.result).status).toBe("completed");
  await expect(imagePart("a.txt")).rejects.toThrow(/no picture/);
});

test("skills and instructions that code gives are told as those of files are", async () => {
  const folder = path.join(workspace, "shelf", "pruning");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "SKILL.md"), "---\nname: pruning\ndescription: Pruning trees.\n---\nCut in winter.\n");
  const model = createScriptedModel([
    {
      expect: ({ system, tools }) => {
        expect(system).toContain("Speak like a gardener.");
        expect(JSON.stringify(tools)).toContain("Pruning trees.");
      },
      toolCalls: [
        { tool: "load_skill", input: { name: "grafting" } },
        { tool: "load_skill", input: { name: "pruning" } },
      ],
    },
    {
      expect: (request) => expect(textsOf(request).slice(-2).join()).toMatch(/Bind it[^]+Cut in winter/),
      text: "Done.",
    },
  ]);
  const retinue = await start(model, {
    instructions: "Speak like a gardener.",
    skills: [{ name: "grafting", description: "Grafting trees.", instructions: "Bind it." }, folder],
    agents: [defineAgent({ ...pricing, skills: ["grafting"] })],
  });
  expect(retinue.agents.get("pricing")?.prompt).toContain("Bind it.");
  expect((await (await retinue.run("Graft it.")).result).status).toBe("completed");
  model.assertDone();
  await expect(start(createScriptedModel([]), { skills: [path.join(workspace, "nowhere")] })).rejects.toMatchObject({
    code: "skill_invalid",
  });
});

describe("guardrails", () => {
  const noSecrets = ({ text }: { readonly text: string }) =>
    text.includes("hunter2") ? { refuse: "It holds a password." } : undefined;

  test("refuse what is asked before a model is, and the record says so", async () => {
    const model = createScriptedModel([]);
    const retinue = await start(model, { guardrails: { input: [noSecrets] } });
    const run = await retinue.run("log in with hunter2");
    expect(await run.result).toMatchObject({
      status: "failed",
      error: { code: "guardrail_refused", message: 'The guardrail "noSecrets" refused what was asked: It holds a password.' },
    });
    const events = await retinue.events(run.sessionId);
    expect(events.map(({ type }) => type)).toEqual(["run.requested", "run.started", "guardrail.refused", "run.settled"]);
    expect(await retinue.verify(run.sessionId)).toMatchObject({ divergence: null });
  });

  test("refuse an answer, which is then not handed back, also where a limit ended the run", async () => {
    const retinue = await start(
      createScriptedModel([
        { text: "The password is hunter2." },
        { toolCalls: [{ tool: "ls", input: { path: "." } }] },
        { text: "So far: hunter2." },
      ]),
      { guardrails: { output: [noSecrets] } },
    );
    const run = await retinue.run("what is the password?");
    expect(await run.result).toMatchObject({ status: "failed", details: "", error: { code: "guardrail_refused" } });
    expect(await retinue.verify(run.sessionId)).toMatchObject({ divergence: null });
    const limited = await retinue.run("what is the password?", { limits: { iterations: 1 } });
    expect(await limited.result).toMatchObject({ status: "failed", details: "", error: { code: "guardrail_refused" } });
    expect(await retinue.verify(limited.sessionId)).toMatchObject({ divergence: null });
  });

  test("that throw have refused; those that let pass change nothing", async () => {
    const broken = (): undefined => {
      throw new Error("no list of words");
    };
    const retinue = await start(createScriptedModel([{ text: "hello" }]), { guardrails: { input: [() => undefined, broken] } });
    expect((await (await retinue.run("hello")).result).error?.message).toContain("no list of words");
    const free = await start(createScriptedModel([{ text: "hello" }]), {
      guardrails: { input: [async () => undefined], output: [() => undefined] },
    });
    expect(await (await free.run("hello")).result).toMatchObject({ status: "completed", details: "hello" });
  });

  test("of an agent are asked for its runs at any depth; those of the workspace only for what comes from outside", async () => {
    const asked: string[] = [];
    const note = ({ agent, text }: { readonly agent: string; readonly text: string }): undefined =>
      void asked.push(`${agent}: ${text}`);
    const model = byAgent({
      [MAIN]: [
        { toolCalls: [{ tool: "delegate_to_agent", input: { agent: "pricing", task: "hunter2?" } }] },
        { expect: (request) => expect(textsOf(request).at(-1)).toContain("guardrail_refused"), text: "It would not say." },
      ],
    });
    const retinue = await start(model, {
      agents: [defineAgent({ ...pricing, guardrails: { input: [noSecrets] } })],
      guardrails: { input: [note], output: [note] },
    });
    expect((await (await retinue.run("ask")).result).status).toBe("completed");
    expect(asked).toEqual(["main: ask", "main: It would not say."]);
  });

  test("look at what is said to a run that is at work", async () => {
    const asked = Promise.withResolvers<void>();
    const said = Promise.withResolvers<void>();
    const before = async (): Promise<void> => {
      asked.resolve();
      await said.promise;
    };
    const model = createScriptedModel([{ before, toolCalls: [{ tool: "ls", input: { path: "." } }] }]);
    const retinue = await start(model, { guardrails: { input: [noSecrets] } });
    const run = await retinue.run("look around");
    await asked.promise;
    await retinue.live.send(run.runId, "and log in with hunter2");
    said.resolve();
    expect(await run.result).toMatchObject({ status: "failed", error: { code: "guardrail_refused" } });
  });
});

describe("a conversation that is handed over", () => {
  const billing = defineAgent({
    name: "billing",
    description: "Answers about bills.",
    prompt: "You do bills.",
    tools: ["read", "write"],
  });
  const transfer: ScriptedTurn = {
    text: "I hand you over.",
    toolCalls: [{ tool: "delegate_to_agent", input: { agent: "billing", task: "Explain the bill.", transfer: true } }],
  };

  test("is gone on with by the child, whose answer is the answer", async () => {
    const model = byAgent({
      [MAIN]: [transfer],
      "You do bills": [
        {
          expect: (request) => {
            expect(textsOf(request)).toEqual(["Why is my bill so high?", "Explain the bill."]);
            expect(request.system).toContain("main handed this conversation to you");
          },
          text: "You bought quinces.",
        },
      ],
    });
    const retinue = await start(model, { agents: [billing] });
    const run = await retinue.run("Why is my bill so high?");
    const pieces: string[] = [];
    for await (const piece of run.text) pieces.push(piece);
    expect(pieces.join("")).toBe("I hand you over.\n\nYou bought quinces.");
    const result = await run.result;
    expect(result).toMatchObject({ status: "completed", details: "You bought quinces.", transferredTo: { agent: "billing" } });
    model.assertDone();
    const events = await retinue.events(run.sessionId);
    expect(foldSession(run.sessionId, events).runs.get(run.runId)?.result?.transferredTo).toEqual(result.transferredTo);
    expect(await retinue.verify(run.sessionId)).toMatchObject({ divergence: null });
  });

  test("stays with the child for the next turns, with no more rights than main has, until another is asked for", async () => {
    const model = byAgent({
      [MAIN]: [transfer, { expect: (request) => expect(textsOf(request)).toContain("You are welcome."), text: "I am back." }],
      "You do bills": [
        { text: "You bought quinces." },
        {
          expect: (request) => {
            expect(textsOf(request)).toEqual([
              "Why is my bill so high?",
              "Explain the bill.",
              "You bought quinces.",
              "Thank you.",
            ]);
            expect(request.tools.map(({ name }) => name)).not.toContain("write");
          },
          text: "You are welcome.",
        },
        { text: "Still here." },
      ],
    });
    const reader = defineAgent({
      name: "main",
      description: "Speaks.",
      prompt: "You are the main one.",
      tools: ["read"],
      delegates: ["billing"],
    });
    const retinue = await start(model, { agents: [billing, reader] });
    const { sessionId, result } = await retinue.run("Why is my bill so high?");
    await result;
    expect(await (await retinue.run("Thank you.", { sessionId })).result).toMatchObject({
      agent: "billing",
      details: "You are welcome.",
    });
    expect(await (await retinue.run("Are you there?", { sessionId })).result).toMatchObject({ agent: "billing" });
    expect(await (await retinue.run("Main?", { sessionId, agent: "main" })).result).toMatchObject({ agent: "main" });
    model.assertDone();
    expect(await retinue.verify(sessionId)).toMatchObject({ divergence: null });
  });

  test("comes back where the child fails, and is refused beside other calls and in the background", async () => {
    const both = { ...transfer, toolCalls: [...(transfer.toolCalls ?? []), { tool: "ls", input: { path: "." } }] };
    const behind = {
      toolCalls: [{ tool: "delegate_to_agent", input: { agent: "billing", task: "x", transfer: true, background: true } }],
    };
    const lastTold = (words: RegExp) => (request: ModelRequest) => expect(textsOf(request).join("\n")).toMatch(words);
    const model = byAgent({
      [MAIN]: [
        both,
        { ...behind, expect: lastTold(/alone in its answer/) },
        { ...transfer, expect: lastTold(/in the background/) },
        { expect: lastTold(/model_filtered/), text: "Nobody could say." },
      ],
      "You do bills": [{ finishReason: "filtered" }],
    });
    const retinue = await start(model, { agents: [billing] });
    const result = await (await retinue.run("Why is my bill so high?")).result;
    expect(result).toMatchObject({ status: "completed", details: "Nobody could say." });
    expect(result.transferredTo).toBeUndefined();
    model.assertDone();
  });

  test("is gone on with wherever the process ended, and ends the same", async () => {
    const say = (): ScriptedModel =>
      createScriptedModel(({ system }) => (system.startsWith("You do bills") ? { text: "You bought quinces." } : transfer));
    const whole = await start(say(), { agents: [billing] });
    const { sessionId, result } = await whole.run("Why is my bill so high?");
    /** Without times. */
    const toEnd = (ended: RunResult): object => ({ ...ended, durationMs: 0, remaining: {} });
    const expected = toEnd(await result);
    const events = await whole.events(sessionId);
    for (let count = 1; count < events.length; count += 1) {
      const log = createMemoryLog();
      for (const { seq: _seq, ...event } of events.slice(0, count))
        log.append([event], event.type === "run.requested" ? undefined : log.lease(event.runId));
      const again = await start(say(), { agents: [billing], store: log });
      expect(toEnd(await (await again.resume(sessionId)).result), `cut after ${count} ${events[count - 1]?.type}`).toEqual(
        expected,
      );
    }
  });

  test("hears what is said to the run that handed it over", async () => {
    const asked = Promise.withResolvers<void>();
    const said = Promise.withResolvers<void>();
    const before = async (): Promise<void> => {
      asked.resolve();
      await said.promise;
    };
    const model = byAgent({
      [MAIN]: [transfer],
      "You do bills": [
        { before, text: "You bought quinces." },
        { expect: (request) => expect(textsOf(request).at(-1)).toBe("In May?"), text: "In May." },
      ],
    });
    const retinue = await start(model, { agents: [billing] });
    const run = await retinue.run("Why is my bill so high?");
    await asked.promise;
    await retinue.live.send(run.runId, "In May?");
    said.resolve();
    expect((await run.result).details).toBe("In May.");
    model.assertDone();
  });
});
