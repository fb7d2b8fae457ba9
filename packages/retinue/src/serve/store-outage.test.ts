/** A store that is away for longer than a run waits for it: clients are told at once, and every run goes on when the store is back. */
import { createClient } from "@retinue/client";
import type { Script } from "@retinue/model/testing";
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createMemoryLog } from "@retinue/store";
import { createPostgresLog } from "@retinue/store/postgres";
import type { TestPostgres } from "@retinue/store/testing/postgres";
import { startPostgres } from "@retinue/store/testing/postgres";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { RetinueStore } from "../open-record.ts";
import { serveProject, type ServedProject } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const LONG = { timeout: 40_000, interval: 50 };

/** The first turn of every run waits for the gate. */
const scriptOf =
  (gate: Promise<void>): Script =>
  (_, answered) =>
    answered === 0 ? { before: gate, toolCalls: [{ callId: "l", tool: "ls", arguments: "{}" }] } : { text: "Done." };

const serve = async (store: RetinueStore, gate: Promise<void>, problems: unknown[]): Promise<ServedProject> => {
  const project = await serveProject({
    script: scriptOf(gate),
    store,
    onProblem: (problem) => problems.push(problem),
    pace: { storeAgainMs: 50 },
  });
  cleanups.push(project.close);
  return project;
};

const startThree = async ({ client, workspaceId }: ServedProject) => {
  const started = [];
  for (const text of ["one", "two", "three"]) started.push(await client.startSession({ body: { workspaceId, text } }));
  for (const { sessionId } of started)
    await vi.waitFor(async () => {
      const { events } = await client.listEvents({ params: { sessionId }, query: {} });
      expect(events.at(-1)?.type).toBe("model.requested");
    }, LONG);
  return started;
};

const statusOf = async ({ client }: ServedProject, sessionId: SessionId): Promise<string> =>
  (await client.getSession({ params: { sessionId } })).status;

const expectAllDone = async (project: ServedProject, sessions: readonly { readonly sessionId: SessionId }[]): Promise<void> => {
  for (const { sessionId } of sessions)
    await vi.waitFor(async () => expect(await statusOf(project, sessionId)).toBe("completed"), LONG);
};

test("runs whose record could not be written are taken up again when it can, and the server says so", async () => {
  const memory = createMemoryLog();
  let isAway = false;
  const store: RetinueStore = {
    ...memory,
    append: (...given) => {
      if (isAway) throw new RetinueError("store_failed", "The store is away.");
      return memory.append(...given);
    },
    read: (...given) => {
      if (isAway) throw new RetinueError("store_failed", "The store is away.");
      return memory.read(...given);
    },
  };
  const gate = Promise.withResolvers<void>();
  const problems: unknown[] = [];
  const project = await serve(store, gate.promise, problems);
  const started = await startThree(project);
  isAway = true;
  gate.resolve();
  await vi.waitFor(() => expect(problems).toHaveLength(3), LONG);
  expect(String(problems[0])).toContain("continues as soon as it can");
  for (const { sessionId } of started)
    await expect(project.client.listEvents({ params: { sessionId }, query: {} })).rejects.toMatchObject({ code: "store_failed" });
  isAway = false;
  await expectAllDone(project, started);
});

describe("PostgreSQL", { tags: ["long"] }, () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  const open = async (): Promise<RetinueStore> => {
    const url = await postgres.createDatabase(`outage${Math.random().toString(36).slice(2)}`, "word");
    return createPostgresLog({ url, patienceMs: 1_000 });
  };

  test("leaves no run behind after an outage that was longer than its patience, and clients are told with 503 meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const problems: unknown[] = [];
    const project = await serve(await open(), gate.promise, problems);
    const { server } = project;
    const started = await startThree(project);
    await postgres.halt();
    gate.resolve();
    await vi.waitFor(() => expect(problems).toHaveLength(3), LONG);
    const ask = async (path: string, method = "GET", body?: unknown): Promise<number> => {
      const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
      const response = await fetch(new URL(path, server.url), {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return response.status;
    };
    expect(await ask("/api/status")).toBe(503);
    expect(await ask(`/api/runs/${started[0]?.runId}/cancel`, "POST", {})).toBe(503);
    await postgres.start();
    await expectAllDone(project, started);
    expect(await ask("/api/status")).toBe(200);
    const beside = createClient({ url: server.url, token: server.token });
    for (const { sessionId } of started) {
      const { events } = await beside.listEvents({ params: { sessionId }, query: {} });
      expect(events.filter(({ type }) => type === "tool.started")).toHaveLength(1);
      expect(events.filter(({ type }) => type === "run.settled")).toHaveLength(1);
    }
  });

  test("begins each queued turn once with two servers on it, in order", async () => {
    const url = await postgres.createDatabase(`queue${Math.random().toString(36).slice(2)}`, "word");
    const gate = Promise.withResolvers<void>();
    const project = await serve(await createPostgresLog({ url }), gate.promise, []);
    const { client, workspaceId, folder, env } = project;
    const { openServer } = await import("./open-server.ts");
    const { createScriptedModel } = await import("@retinue/model/testing");
    const other = await openServer({
      folders: [folder],
      env,
      store: await createPostgresLog({ url }),
      model: createScriptedModel(scriptOf(Promise.resolve())),
    });
    cleanups.push(other.close);
    const beside = createClient({ url: other.url, token: other.token });
    const { sessionId } = await client.startSession({ body: { workspaceId, text: "first" } });
    const said = Array.from({ length: 6 }, (_, at) => `turn ${at}`);
    for (const [at, text] of said.entries())
      await (at % 2 === 0 ? client : beside).queueTurn({ params: { sessionId }, body: { text } });
    gate.resolve();
    await vi.waitFor(async () => {
      const { events } = await client.listEvents({ params: { sessionId }, query: {} });
      const order = events.flatMap((event) => {
        if (event.type === "run.settled") return ["settled"];
        const part = event.type === "run.requested" ? event.task[0] : undefined;
        return part?.type === "text" ? [part.text] : [];
      });
      expect(order).toEqual(["first", ...said].flatMap((text) => [text, "settled"]));
    }, LONG);
  });
});
