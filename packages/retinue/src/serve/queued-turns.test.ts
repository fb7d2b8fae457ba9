/** What is said for after the turn, through the server: it waits in the record, begins once and in order, is taken back, and survives a stop and a new server. */
import { createClient } from "@retinue/client";
import type { Script } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import { createSqliteLog } from "@retinue/store/sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { RetinueStore } from "../open-record.ts";
import { openServer } from "./open-server.ts";
import { serveProject, type ServedProject } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LONG = { timeout: 20_000, interval: 20 };
type SessionId = `ses_${string}`;

/** The first turn waits for the gate, and says what it was given after. */
const scriptOf =
  (gate: Promise<void>): Script =>
  ({ messages }) => {
    const [said] = messages.findLast(({ role }) => role === "user")?.content ?? [];
    const text = said?.type === "text" ? said.text : "";
    return text === "first" ? { before: gate, text: "First." } : { text: `Heard ${text}.` };
  };

const open = async (gate: Promise<void>, store?: RetinueStore): Promise<ServedProject> => {
  const project = await serveProject({ script: scriptOf(gate), ...(store === undefined ? {} : { store }) });
  cleanups.push(project.close);
  return project;
};

/** Another server on the same folder and record. */
const openBeside = async ({ folder, env }: ServedProject, store: RetinueStore) => {
  const server = await openServer({ folders: [folder], env, store, model: createScriptedModel(scriptOf(Promise.resolve())) });
  cleanups.push(server.close);
  return createClient({ url: server.url, token: server.token });
};

const tasksOf = async ({ client }: Pick<ServedProject, "client">, sessionId: SessionId): Promise<readonly string[]> => {
  const { events } = await client.listEvents({ params: { sessionId }, query: {} });
  return events.flatMap((event) => {
    if (event.type !== "run.requested") return [];
    const [part] = event.task;
    return part?.type === "text" ? [part.text] : [];
  });
};

const openFile = async (): Promise<() => RetinueStore> => {
  const folder = await mkdtemp(path.join(tmpdir(), "retinue-queue-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return () => createSqliteLog({ path: path.join(folder, "retinue.db") });
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
  const turnId = turns[1]?.turnId ?? "turn_";
  await client.dropQueuedTurn({ params: { sessionId, turnId } });
  await expect(client.dropQueuedTurn({ params: { sessionId, turnId } })).rejects.toMatchObject({ code: "message_unknown" });
  gate.resolve();
  await vi.waitFor(async () => expect(await tasksOf(project, sessionId)).toEqual(["first", "second", "third"]), LONG);
  expect((await client.listQueuedTurns({ params })).turns).toEqual([]);
  await vi.waitFor(async () => expect((await client.getSession({ params })).status).toBe("completed"), LONG);
  expect(await client.queueTurn({ params, body: { text: "fourth" } })).toEqual({ isQueued: false });
});

test("what waits while a person stops the turn goes on waiting, also for a new server, and follows on the next turn", async () => {
  const project = await open(new Promise(() => undefined));
  const { client, workspaceId, store } = project;
  const { sessionId, runId } = await client.startSession({ body: { workspaceId, text: "first" } });
  const params = { sessionId };
  await client.queueTurn({ params, body: { text: "second" } });
  await client.cancelRun({ params: { runId }, body: {} });
  await vi.waitFor(async () => expect((await client.getSession({ params })).status).toBe("cancelled"), LONG);
  const other = await openBeside(project, store);
  expect((await other.listQueuedTurns({ params })).turns).toMatchObject([{ text: "second" }]);
  expect(await tasksOf(project, sessionId)).toEqual(["first"]);
  await other.startTurn({ params, body: { text: "meanwhile" } });
  await vi.waitFor(async () => expect(await tasksOf(project, sessionId)).toEqual(["first", "meanwhile", "second"]), LONG);
});

test("what waited when the server ended begins in the next server, once, after the turn that was cut off", async () => {
  const openStore = await openFile();
  const store = openStore();
  const project = await open(new Promise(() => undefined), store);
  const { client, workspaceId, server } = project;
  const { sessionId } = await client.startSession({ body: { workspaceId, text: "first" } });
  for (const text of ["second", "third"]) await client.queueTurn({ params: { sessionId }, body: { text } });
  await server.close();
  const later = openStore();
  const next = await openBeside(project, later);
  await vi.waitFor(async () => expect(await tasksOf({ client: next }, sessionId)).toEqual(["first", "second", "third"]), LONG);
  await vi.waitFor(async () => expect((await next.getSession({ params: { sessionId } })).status).toBe("completed"), LONG);
  expect(await tasksOf({ client: next }, sessionId)).toEqual(["first", "second", "third"]);
});

test("two servers on one record begin each queued turn once and in order", async () => {
  const openStore = await openFile();
  const gate = Promise.withResolvers<void>();
  const project = await open(gate.promise, openStore());
  const { client, workspaceId } = project;
  const beside = await openBeside(project, openStore());
  const { sessionId } = await client.startSession({ body: { workspaceId, text: "first" } });
  const said = Array.from({ length: 8 }, (_, at) => `turn ${at}`);
  for (const [at, text] of said.entries())
    await (at % 2 === 0 ? client : beside).queueTurn({ params: { sessionId }, body: { text } });
  gate.resolve();
  await vi.waitFor(async () => expect(await tasksOf(project, sessionId)).toEqual(["first", ...said]), LONG);
  await vi.waitFor(async () => expect((await beside.getSession({ params: { sessionId } })).status).toBe("completed"), LONG);
  const { events } = await client.listEvents({ params: { sessionId }, query: {} });
  const order = events.flatMap(({ type }) => (type === "run.requested" || type === "run.settled" ? [type] : []));
  expect(order).toEqual(Array.from({ length: 9 }, () => ["run.requested", "run.settled"]).flat());
});
