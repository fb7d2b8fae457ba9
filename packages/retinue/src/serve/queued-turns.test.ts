/** What is said for after the turn, through the server: it waits in a file, begins in order, is taken back, and survives a stop and a new server. */
import { createMemoryLog } from "@retinue/store";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openServer } from "./open-server.ts";
import { createClient } from "@retinue/client";
import { createScriptedModel } from "@retinue/model/testing";
import { serveProject, type ServedProject } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LONG = { timeout: 20_000, interval: 20 };

/** The first turn waits for the gate, and says what it was given after. */
const open = async (gate: Promise<void>): Promise<ServedProject> => {
  const project = await serveProject({
    script: ({ messages }) => {
      const [said] = messages.findLast(({ role }) => role === "user")?.content ?? [];
      const text = said?.type === "text" ? said.text : "";
      return text === "first" ? { before: gate, text: "First." } : { text: `Heard ${text}.` };
    },
  });
  cleanups.push(project.close);
  return project;
};

const tasksOf = async ({ client }: Pick<ServedProject, "client">, sessionId: `ses_${string}`): Promise<readonly string[]> => {
  const { events } = await client.listEvents({ params: { sessionId }, query: {} });
  return events.flatMap((event) => {
    if (event.type !== "run.requested") return [];
    const [part] = event.task;
    return part?.type === "text" ? [part.text] : [];
  });
};

test("what waits begins in the order in which it was said, and what was taken back does not", async () => {
  const gate = Promise.withResolvers<void>();
  const project = await open(gate.promise);
  const { client, workspaceId } = project;
  const { sessionId } = await client.startSession({ body: { workspaceId, text: "first" } });
  const params = { sessionId };
  for (const text of ["second", "not this", "third"])
    expect(await client.queueTurn({ params, body: { text } })).toEqual({ isQueued: true });
  const { turns } = await client.listQueuedTurns({ params });
  expect(turns.map(({ text }) => text)).toEqual(["second", "not this", "third"]);
  await client.dropQueuedTurn({ params: { sessionId, turnId: turns[1]?.turnId ?? "" } });
  await expect(client.dropQueuedTurn({ params: { sessionId, turnId: turns[1]?.turnId ?? "" } })).rejects.toMatchObject({
    code: "message_unknown",
  });
  expect(JSON.parse(await readFile(path.join(project.home, "later", `${sessionId}.json`), "utf8"))).toEqual(["second", "third"]);
  gate.resolve();
  await vi.waitFor(async () => expect(await tasksOf(project, sessionId)).toEqual(["first", "second", "third"]), LONG);
  expect((await client.listQueuedTurns({ params })).turns).toEqual([]);
  await vi.waitFor(async () => expect((await client.getSession({ params })).status).toBe("completed"), LONG);
  expect(await client.queueTurn({ params, body: { text: "fourth" } })).toEqual({ isQueued: false });
});

test("what waits while a person stops the turn goes on waiting, also for a new server", async () => {
  const project = await open(new Promise(() => undefined));
  const { client, workspaceId, folder, env } = project;
  const { sessionId, runId } = await client.startSession({ body: { workspaceId, text: "first" } });
  await client.queueTurn({ params: { sessionId }, body: { text: "second" } });
  await client.cancelRun({ params: { runId }, body: {} });
  await vi.waitFor(async () => expect((await client.getSession({ params: { sessionId } })).status).toBe("cancelled"), LONG);
  const server = await openServer({ folders: [folder], env, store: createMemoryLog(), model: createScriptedModel([]) });
  cleanups.push(server.close);
  const other = createClient({ url: server.url, token: server.token });
  expect((await other.listQueuedTurns({ params: { sessionId } })).turns).toMatchObject([{ text: "second" }]);
  expect(await tasksOf(project, sessionId)).toEqual(["first"]);
});
