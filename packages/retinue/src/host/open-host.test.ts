import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTrustStore } from "@retinue/confine/trust";
import type { ModelRequest } from "@retinue/model/contract";
import type { ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { RetinueEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { DEFAULT_SETTINGS } from "../settings/settings.ts";
import type { Host, HostOptions } from "./host.ts";
import { openHost } from "./open-host.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Folders = { readonly a: string; readonly b: string; readonly home: string; readonly env: NodeJS.ProcessEnv };

const createFolders = async (): Promise<Folders> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-host-")));
  cleanups.push(() => rm(base, { recursive: true, force: true }));
  const [a, b, home] = [path.join(base, "a"), path.join(base, "b"), path.join(base, "home")];
  for (const folder of [a, b, home]) await mkdir(folder);
  await writeFile(path.join(a, "here.txt"), "the file of a\n");
  await writeFile(path.join(b, "here.txt"), "the file of b\n");
  return { a, b, home, env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: home } };
};

const taskOf = ({ messages }: ModelRequest): string => {
  const [first] = messages[0]?.content ?? [];
  return first?.type === "text" ? (first.text.split("\n")[0] ?? "") : "";
};

type Turns = Readonly<Record<string, readonly ScriptedTurn[]>>;

const open = async ({ env }: Folders, turns: Turns, more: Partial<HostOptions> = {}): Promise<Host> => {
  const host = await openHost({ env, store: createMemoryLog(), model: createScriptedModel({ key: taskOf, turns }), ...more });
  cleanups.push(() => host.close());
  return host;
};

const agent = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.` }),
  prompt: `You are ${name}.`,
  ...more,
});

const call = (tool: string, input: Record<string, string> = {}): ScriptedTurn => ({ toolCalls: [{ tool, input }] });

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "nothing was thrown",
    (thrown: unknown) => (thrown instanceof RetinueError ? thrown.code : String(thrown)),
  );

/** Waits until a recorded event of this type is there. */
const eventOf = async (run: AsyncIterable<RetinueEvent>, type: RetinueEvent["type"]): Promise<RetinueEvent> => {
  for await (const event of run) if (event.type === type) return event;
  throw new Error(`no ${type} came`);
};

describe("a host with two workspaces", () => {
  test("runs of both at once see their own files alone, and stand in one record", async () => {
    const folders = await createFolders();
    const bothAsked = Promise.withResolvers<void>();
    let asked = 0;
    const before = async (): Promise<void> => {
      asked += 1;
      if (asked === 2) bothAsked.resolve();
      await bothAsked.promise;
    };
    const read = { ...call("read", { path: "here.txt" }), before };
    const host = await open(folders, { "in a": [read, { text: "Read a." }], "in b": [read, { text: "Read b." }] });
    const [a, b] = [await host.openWorkspace(folders.a), await host.openWorkspace(folders.b)];
    const [inA, inB] = [await a.run("in a"), await b.run("in b")];
    expect([(await inA.result).summary, (await inB.result).summary]).toEqual(["Read a.", "Read b."]);
    const [saidInA, saidInB] = [await a.events(inA.sessionId), await b.events(inB.sessionId)].map((one) => JSON.stringify(one));
    expect(saidInA).toContain("the file of a");
    expect(saidInA).not.toContain("the file of b");
    expect(saidInB).toContain("the file of b");
    expect(saidInB).not.toContain("the file of a");
    const { items } = await host.sessions.listSessions({ order: "oldest" });
    // In any order: both may have begun within one millisecond.
    expect(new Set(items.map(({ workspace }) => workspace))).toEqual(new Set([folders.a, folders.b]));
    expect(host.workspaces().map(({ folder }) => folder)).toEqual([folders.a, folders.b]);
  });

  test("a path into the other workspace is refused", async () => {
    const folders = await createFolders();
    const host = await open(folders, {
      look: [call("read", { path: path.join(folders.a, "here.txt") }), { text: "Done." }],
    });
    await host.openWorkspace(folders.a);
    const b = await host.openWorkspace(folders.b);
    const run = await b.run("look");
    await run.result;
    const settled = (await b.events(run.sessionId)).find(({ type }) => type === "tool.settled");
    expect(settled).toMatchObject({ outcome: "denied", error: { code: "path_outside_workspace" } });
  });

  test("each has its own tools, agents, instructions and secrets", async () => {
    const folders = await createFolders();
    const systems: string[] = [];
    const expectSystem = ({ system }: ModelRequest): void => void systems.push(system);
    const reveal = defineTool({
      name: "reveal",
      description: "Says a secret.",
      input: z.object({}),
      effect: "read",
      execute: () => "the word is Sesame-Of-A-1234",
    });
    const host = await open(folders, {
      "tell a": [{ ...call("reveal"), expect: expectSystem }, { text: "Told." }],
      "tell b": [{ ...call("reveal"), expect: expectSystem }, { text: "Sesame-Of-A-1234 means nothing here." }],
    });
    const a = await host.openWorkspace(folders.a, {
      tools: [reveal],
      agents: [agent("guard")],
      instructions: "Speak of nothing but gardens.",
      secrets: ["Sesame-Of-A-1234"],
    });
    const b = await host.openWorkspace(folders.b, { secrets: ["Sesame-Of-B-5678"] });
    const [inA, inB] = [await a.run("tell a"), await b.run("tell b")];
    await Promise.all([inA.result, inB.result]);
    const saidInA = JSON.stringify(await a.events(inA.sessionId));
    expect(saidInA).not.toContain("Sesame-Of-A-1234");
    expect(saidInA).toContain("the word is ");
    const inOther = (await b.events(inB.sessionId)).find(({ type }) => type === "tool.settled");
    expect(inOther).toMatchObject({ error: { code: "tool_unknown" } });
    // Which values are secrets in A is not known in B either.
    expect((await inB.result).summary).toBe("Sesame-Of-A-1234 means nothing here.");
    expect(systems.map((system) => system.includes("nothing but gardens"))).toEqual([true, false]);
    expect([a.agents.has("guard"), b.agents.has("guard")]).toEqual([true, false]);
    expect(await codeOf(b.run("tell b", { agent: "guard" }))).toBe("agent_unknown");
  });

  test("what is trusted of one project is not trusted of the other", async () => {
    const folders = await createFolders();
    const file = "---\nname: checked\ndescription: Is checked.\naccept:\n  command: ./check.sh\n---\nWork.\n";
    for (const folder of [folders.a, folders.b]) {
      await mkdir(path.join(folder, ".retinue/agents"), { recursive: true });
      await writeFile(path.join(folder, ".retinue/agents/checked.md"), file);
    }
    const host = await open(folders, {});
    const before = await host.openWorkspace(folders.a);
    expect([before.agents.has("checked"), before.untrusted.length]).toEqual([false, 1]);
    await createTrustStore({ file: path.join(folders.home, "trust.json") }).grant(before.untrusted);
    const [a, b] = [await host.openWorkspace(folders.a), await host.openWorkspace(folders.b)];
    expect([a.agents.has("checked"), b.agents.has("checked")]).toEqual([true, false]);
    expect([a.untrusted.length, b.untrusted.length]).toEqual([0, 1]);
  });

  test("an approval for the session in one is none in the other, and each lists and answers its own", async () => {
    const folders = await createFolders();
    const write = call("write", { path: "new.txt", content: "x" });
    const script = [write, { text: "Done." }];
    const host = await open(folders, { "write a": script, "write b": script });
    const settings = { ...DEFAULT_SETTINGS, approvals: { unattended: "park" as const } };
    const [a, b] = [await host.openWorkspace(folders.a, { settings }), await host.openWorkspace(folders.b, { settings })];
    const [inA, inB] = [await a.run("write a"), await b.run("write b")];
    expect((await inA.outcome).type).toBe("parked");
    expect((await inB.outcome).type).toBe("parked");
    expect((await host.approvals()).map(({ workspace }) => workspace)).toEqual([folders.a, folders.b]);
    const [[ofA], [ofB]] = [await a.live.approvals(), await b.live.approvals()];
    expect([ofA?.workspace, ofB?.workspace]).toEqual([folders.a, folders.b]);
    if (!ofA || !ofB) throw new Error("both have a question");
    expect(await codeOf(b.live.answer(ofA.approvalId, { allowed: true }))).toBe("session_elsewhere");
    expect(await codeOf(b.live.send(inA.runId, "psst"))).toBe("session_elsewhere");
    expect(await codeOf(b.live.cancel(inA.runId))).toBe("session_elsewhere");
    await a.live.answer(ofA.approvalId, { allowed: true, scope: "session" });
    expect((await inA.result).filesCreated).toEqual(["new.txt"]);
    expect(await b.live.approvals()).toHaveLength(1);
    await b.live.answer(ofB.approvalId, { allowed: false });
    expect((await inB.result).filesCreated).toEqual([]);
  });

  test("closing one leaves its run open and the other at work", async () => {
    const folders = await createFolders();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const store = createMemoryLog();
    const turns: Turns = {
      "long in a": [{ before: async () => (begun.resolve(), new Promise(() => undefined)), text: "Never." }],
      "long in b": [{ before: () => goOn.promise, text: "Done in b." }],
    };
    const host = await open(folders, turns, { store });
    const [a, b] = [await host.openWorkspace(folders.a), await host.openWorkspace(folders.b)];
    const [inA, inB] = [await a.run("long in a"), await b.run("long in b")];
    await begun.promise;
    await a.close();
    expect(await codeOf(inA.result)).toBe("run_left_open");
    expect(await codeOf(a.run("again"))).toBe("closed");
    expect(await codeOf(a.resume(inA.sessionId))).toBe("closed");
    expect(host.workspaces().map(({ folder }) => folder)).toEqual([folders.b]);
    goOn.resolve();
    expect((await inB.result).summary).toBe("Done in b.");
    expect((await store.readSide.session(inA.sessionId))?.status).not.toBe("completed");
  });

  test("closing the host leaves every run open, and nothing is opened or begun after it", async () => {
    const folders = await createFolders();
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const never = (at: number): ScriptedTurn => ({
      before: async () => (begun[at]?.resolve(), new Promise(() => undefined)),
      text: "Never.",
    });
    const host = await open(folders, { one: [never(0)], two: [never(1)] });
    const [a, b] = [await host.openWorkspace(folders.a), await host.openWorkspace(folders.b)];
    const runs = [await a.run("one"), await b.run("two")];
    await Promise.all(begun.map(({ promise }) => promise));
    const late = host.openWorkspace(folders.a);
    await Promise.all([host.close(), host.close()]);
    expect(await codeOf(late)).toBe("closed");
    for (const run of runs) expect(await codeOf(run.result)).toBe("run_left_open");
    expect(await codeOf(host.openWorkspace(folders.a))).toBe("closed");
    expect(await codeOf(b.run("two"))).toBe("closed");
    expect(host.workspaces()).toEqual([]);
  });
});

describe("a session and its workspace", () => {
  test("the host resumes a session in the folder that is recorded with it", async () => {
    const folders = await createFolders();
    const store = createMemoryLog();
    const begun = Promise.withResolvers<void>();
    const first = await openHost({
      env: folders.env,
      store: { ...store, close: () => undefined },
      model: createScriptedModel([{ before: async () => (begun.resolve(), new Promise(() => undefined)), text: "Never." }]),
    });
    const a = await first.openWorkspace(folders.a);
    const run = await a.run("look here");
    await begun.promise;
    await first.close();
    const second = await open(folders, { "look here": [call("read", { path: "here.txt" }), { text: "Seen." }] }, { store });
    await second.openWorkspace(folders.b);
    const resumed = await second.resume(run.sessionId);
    expect((await resumed.result).summary).toBe("Seen.");
    expect(JSON.stringify(store.read(run.sessionId))).toContain("the file of a");
    expect(second.workspaces().map(({ folder }) => folder)).toEqual([folders.b, folders.a]);
    expect(await codeOf(second.resume("ses_none"))).toBe("session_unknown");
    expect(await codeOf(second.resume("run_none"))).toBe("run_unknown");
  });

  test("through another workspace it is neither resumed nor gone on with; it is forked", async () => {
    const folders = await createFolders();
    const host = await open(folders, {
      first: [{ text: "Said in a." }],
      "and now": [{ expect: ({ messages }) => messages.length === 3, text: "Said in b." }],
    });
    const [a, b] = [await host.openWorkspace(folders.a), await host.openWorkspace(folders.b)];
    const { sessionId, runId, result } = await a.run("first");
    await result;
    const length = (await a.events(sessionId)).length;
    const ways = [() => b.resume(sessionId), () => b.resume(runId), () => b.run("and now", { sessionId })];
    for (const way of ways)
      await expect(way()).rejects.toMatchObject({
        code: "session_elsewhere",
        message: expect.stringContaining(`works in ${folders.a}, not in ${folders.b}`) as string,
      });
    expect(await a.events(sessionId)).toHaveLength(length);
    const point = { sessionId, runId, seq: length };
    const forked = await b.fork(point, { task: "and now" }).catch((thrown: unknown) => thrown);
    expect(forked).not.toBeInstanceOf(Error);
  });

  test("two workspaces of one folder do not take runs from each other", async () => {
    const folders = await createFolders();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const host = await open(folders, {
      slow: [{ before: async () => (begun.resolve(), goOn.promise), text: "Done." }],
    });
    const [one, other] = [await host.openWorkspace(folders.a), await host.openWorkspace(folders.a)];
    const run = await one.run("slow");
    await begun.promise;
    expect(await codeOf(other.resume(run.sessionId))).toBe("session_running");
    goOn.resolve();
    expect((await run.result).summary).toBe("Done.");
  });

  test("no run is below one of another workspace", async () => {
    const folders = await createFolders();
    const host = await open(folders, {
      order: [call("order"), { text: "Ordered." }],
      "work there": [{ text: "Worked there." }],
    });
    const b = await host.openWorkspace(folders.b, { agents: [agent("helper")] });
    const spawned: string[] = [];
    const order = defineTool({
      name: "order",
      description: "Has work done in the other workspace.",
      input: z.object({}),
      effect: "read",
      execute: async () => {
        spawned.push(await codeOf(b.spawn("helper", "work there")));
        const apart = await b.run("work there");
        return (await apart.result).summary;
      },
    });
    const a = await host.openWorkspace(folders.a, { tools: [order] });
    const run = await a.run("order");
    await run.result;
    expect(spawned).toEqual(["session_elsewhere"]);
    const settled = (await a.events(run.sessionId)).find(({ type }) => type === "tool.settled");
    expect(settled).toMatchObject({ outcome: "ok", content: [{ type: "text", text: "Worked there." }] });
  });

  test("whoever follows through the host hears what is recorded in any workspace", async () => {
    const folders = await createFolders();
    const goOn = Promise.withResolvers<void>();
    const host = await open(folders, { speak: [{ before: () => goOn.promise, text: "Heard." }] });
    const a = await host.openWorkspace(folders.a);
    const run = await a.run("speak");
    const heard = eventOf(host.follow(run.sessionId), "run.settled");
    goOn.resolve();
    expect(await heard).toMatchObject({ type: "run.settled", sessionId: run.sessionId });
  });
});
