/** Whoever is told "ok" is obeyed: runs that nobody drives go on when somebody speaks to them, when their question's time is over, and when a server starts. */
import { createClient, type Client } from "@retinue/client";
import type { Script } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { RecordedEvent, SessionId } from "@retinue/protocol";
import { createSqliteLog } from "@retinue/store/sqlite";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createRetinue } from "../create-retinue.ts";
import type { RetinueStore } from "../open-record.ts";
import { openServer } from "./open-server.ts";
import { serveProject, type ServedProject } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LONG = { timeout: 20_000, interval: 20 };
const NEVER = new Promise<void>(() => undefined);
/** The first server's model never answers: what it begins is cut off when the server ends. */
const MUTE: Script = () => ({ before: NEVER, text: "Never." });
const ANSWERS: Script = ({ messages }) => {
  const said = messages.flatMap(({ role, content }) => (role === "user" ? content : []));
  return { text: `Heard ${said.map((part) => (part.type === "text" ? part.text : "")).join(" and ")}.` };
};
const WRITE = { toolCalls: [{ callId: "w", tool: "write", arguments: JSON.stringify({ path: "a.txt", content: "a" }) }] };

const openFile = async (): Promise<() => RetinueStore> => {
  const folder = await mkdtemp(path.join(tmpdir(), "retinue-keeper-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return () => createSqliteLog({ path: path.join(folder, "retinue.db") });
};

type Begun = { readonly project: ServedProject; readonly openStore: () => RetinueStore };

const begin = async (script: Script, settings = ""): Promise<Begun> => {
  const openStore = await openFile();
  const project = await serveProject({ script, store: openStore(), files: { "retinue.yaml": settings } });
  cleanups.push(project.close);
  return { project, openStore };
};

const serveAgain = async ({ project, openStore }: Begun, script: Script = ANSWERS): Promise<Client> => {
  const { folder, env } = project;
  const server = await openServer({ folders: [folder], env, store: openStore(), model: createScriptedModel(script) });
  cleanups.push(server.close);
  return createClient({ url: server.url, token: server.token });
};

const statusOf = async (client: Client, sessionId: SessionId): Promise<string> =>
  (await client.getSession({ params: { sessionId } })).status;

const eventsOf = async (client: Client, sessionId: SessionId): Promise<readonly RecordedEvent[]> =>
  (await client.listEvents({ params: { sessionId }, query: {} })).events;

test("a server that starts takes up the runs that an earlier server left, each once", async () => {
  const begun = await begin(MUTE);
  const { client, workspaceId, server } = begun.project;
  const started = [];
  for (const text of ["one", "two", "three"]) started.push(await client.startSession({ body: { workspaceId, text } }));
  await server.close();
  const next = await serveAgain(begun);
  for (const { sessionId } of started) {
    await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
    expect((await eventsOf(next, sessionId)).filter(({ type }) => type === "run.settled")).toHaveLength(1);
  }
});

test.each(["news", "none"])("with serve.takeUp %s an interrupted run is left, until somebody speaks to it", async (takeUp) => {
  const begun = await begin(MUTE, `serve: { takeUp: ${takeUp} }\n`);
  const { client, workspaceId, server } = begun.project;
  const { sessionId, runId } = await client.startSession({ body: { workspaceId, text: "begin" } });
  await server.close();
  const next = await serveAgain(begun);
  expect(await next.sendMessage({ params: { runId }, body: { text: "and hurry" } })).toEqual({ ok: true });
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
  const events = await eventsOf(next, sessionId);
  expect(events.findIndex(({ type }) => type === "message.received")).toBeLessThan(
    events.findLastIndex(({ type }) => type === "run.started"),
  );
  expect(events.at(-1)).toMatchObject({ type: "run.settled", result: { summary: "Heard begin and and hurry." } });
});

test.each(["cancelRun", "stopSession"] as const)("%s of a run that nobody drives cancels it", async (call) => {
  const begun = await begin(MUTE, "serve: { takeUp: none }\n");
  const { client, workspaceId, server } = begun.project;
  const { sessionId, runId } = await client.startSession({ body: { workspaceId, text: "begin" } });
  await server.close();
  const next = await serveAgain(begun);
  if (call === "cancelRun") await next.cancelRun({ params: { runId }, body: {} });
  else await next.stopSession({ params: { sessionId }, body: {} });
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("cancelled"), LONG);
});

test("a question whose time was over while no server ran is settled at the start, and its run goes on", async () => {
  const begun = await begin([WRITE], "approvals: { expiresMs: 300 }\n");
  const { client, workspaceId, server } = begun.project;
  const { sessionId } = await client.startSession({ body: { workspaceId, text: "begin" } });
  await vi.waitFor(async () => expect((await client.listApprovals()).approvals).toHaveLength(1), LONG);
  await server.close();
  await new Promise((resolve) => setTimeout(resolve, 400));
  const next = await serveAgain(begun, [{ text: "Without it, then." }]);
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
  expect((await next.listApprovals()).approvals).toEqual([]);
  expect(await eventsOf(next, sessionId)).toContainEqual(
    expect.objectContaining({ type: "approval.answered", allowed: false, reason: "The question expired unanswered." }),
  );
});

test("a question that expires later, of a run that this server has never driven, is settled when its time is over", async () => {
  const begun = await begin([WRITE], "approvals: { expiresMs: 1500 }\n");
  const { client, workspaceId, server } = begun.project;
  const { sessionId } = await client.startSession({ body: { workspaceId, text: "begin" } });
  await vi.waitFor(async () => expect((await client.listApprovals()).approvals).toHaveLength(1), LONG);
  await server.close();
  const next = await serveAgain(begun, [{ text: "Without it, then." }]);
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
});

/** Begins a run and waits until its driver has recorded that it drives it. */
const beginDriven = async ({ client, workspaceId }: ServedProject, text: string): Promise<SessionId> => {
  const { sessionId } = await client.startSession({ body: { workspaceId, text } });
  await vi.waitFor(async () => expect(await startsOf(client, sessionId)).toBe(1), LONG);
  return sessionId;
};

const startsOf = async (client: Client, sessionId: SessionId): Promise<number> =>
  (await eventsOf(client, sessionId)).filter(({ type }) => type === "run.started").length;

test("a run that a command began and left is not taken up by itself, and goes on when another process speaks to it", async () => {
  const begun = await begin(MUTE);
  const { folder, env, server } = begun.project;
  // Of the open sessions the newest is looked at first: when this one has gone on, the other one was looked at.
  const older = await beginDriven(begun.project, "older");
  await server.close();
  const library = await createRetinue({ workspace: folder, env, store: begun.openStore(), model: createScriptedModel(MUTE) });
  const run = await library.run("begin");
  const { sessionId, runId } = run;
  for await (const { type } of run) if (type === "run.started") break;
  await library.close();
  const next = await serveAgain(begun);
  // Whoever else speaks to the run does so by the record alone.
  const beside = begun.openStore();
  cleanups.push(() => beside.close());
  await vi.waitFor(async () => expect(await statusOf(next, older)).toBe("completed"), LONG);
  expect(await startsOf(next, sessionId)).toBe(1);
  await beside.append([
    {
      sessionId,
      runId,
      parentRunId: null,
      depth: 0,
      agent: "main",
      at: new Date().toISOString(),
      type: "message.received",
      messageId: "msg_1",
      from: "human",
      content: [{ type: "text", text: "go on" }],
    },
  ]);
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
});

test("a run that is taken up has no more rights than today's settings give", async () => {
  const begun = await begin(MUTE);
  const { client, workspaceId, server, folder } = begun.project;
  const { sessionId } = await client.startSession({ body: { workspaceId, text: "begin", approve: "all" } });
  await server.close();
  await writeFile(path.join(folder, "retinue.yaml"), "approve: read-only\n");
  const next = await serveAgain(begun, [WRITE, { text: "Denied." }]);
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
  expect(await eventsOf(next, sessionId)).toContainEqual(expect.objectContaining({ type: "tool.settled", outcome: "denied" }));
});

test("a run that was taken up three times and came no further is left to a person", async () => {
  const begun = await begin(MUTE);
  const { server, folder, env } = begun.project;
  const older = await beginDriven(begun.project, "older");
  const sessionId = await beginDriven(begun.project, "begin");
  await server.close();
  // The older one comes further each time.
  let turns = 0;
  const further: Script = ({ messages }) =>
    JSON.stringify(messages).includes("older") && (turns += 1) < 3
      ? { toolCalls: [{ callId: `l${turns}`, tool: "ls", arguments: "{}" }] }
      : { before: NEVER, text: "Never." };
  for (let starts = 2; starts <= 3; starts += 1) {
    const again = await openServer({ folders: [folder], env, store: begun.openStore(), model: createScriptedModel(further) });
    const reader = createClient({ url: again.url, token: again.token });
    for (const one of [sessionId, older]) await vi.waitFor(async () => expect(await startsOf(reader, one)).toBe(starts), LONG);
    await again.close();
  }
  const next = await serveAgain(begun);
  await vi.waitFor(async () => expect(await statusOf(next, older)).toBe("completed"), LONG);
  expect(await startsOf(next, sessionId)).toBe(3);
  await next.resumeSession({ params: { sessionId }, body: {} });
  await vi.waitFor(async () => expect(await statusOf(next, sessionId)).toBe("completed"), LONG);
});
