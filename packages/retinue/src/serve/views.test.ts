/** A session over the network by its snapshot and its pieces, and the folds that the server keeps for it. */
import { createSessionView, type Client, type RunView, type SessionStore } from "@retinue/client";
import { flattenUnordered, generateSession } from "@retinue/client/testing";
import { isLive, type RecordedEvent, type SessionId } from "@retinue/protocol";
import { createMemoryLog } from "@retinue/store";
import { createRunDrafts, exportOf } from "@retinue/store/testing";
import { afterEach, expect, test, vi } from "vitest";
import { createSessionFolds } from "./session-folds.ts";
import { serveProject, type ServedProject } from "./testing/serve-project.ts";
import { createViewCalls } from "./view-calls.ts";

const SESSION = "ses_generated";
let project: ServedProject | undefined;

afterEach(async () => {
  await project?.close();
  project = undefined;
});

/** About 800 steps, of which a snapshot holds the latest. */
const generate = (sessionId: SessionId = SESSION, runs = 60): readonly RecordedEvent[] =>
  [...generateSession({ sessionId, runs, turns: 14, maxDepth: 4, width: 5 })].filter(
    (event): event is RecordedEvent => !isLive(event),
  );

const foldAll = (events: readonly RecordedEvent[], sessionId: SessionId = SESSION): SessionStore => {
  const store = createSessionView(sessionId, { keepsLog: false });
  for (const event of events) store.apply(event);
  return store;
};

const loadAll = async (client: Client, store: SessionStore): Promise<void> => {
  const { view } = store;
  const { sessionId } = view;
  for (const run of view.runs.values()) {
    const params = { sessionId, runId: run.runId };
    if (run.isBrief) store.loadPart(await client.getRunPart({ params, query: {} }));
    for (const { from, to } of run.unloaded) store.loadSteps(await client.listSteps({ params, query: { from, to } }));
  }
};

test("a large session that is opened by its snapshot, followed and loaded by ranges is as one that was read whole", async () => {
  project = await serveProject();
  const { client, store } = project;
  const events = generate();
  await store.readSide.importSession(exportOf(SESSION, events));
  const snapshot = await client.getView({ params: { sessionId: SESSION }, query: { first: "true" } });
  expect(snapshot.seq).toBe(events.length);
  expect(JSON.stringify(snapshot).length).toBeLessThan(JSON.stringify(events).length / 5);
  const opened = createSessionView(SESSION, { keepsLog: false, snapshot });
  expect([...opened.view.runs.values()].some(({ isBrief }) => isBrief)).toBe(true);

  const feed = client.followSession(SESSION, { store: opened });
  const next = createRunDrafts({ sessionId: SESSION, runId: "run_next" });
  await store.append([next.requested("go on")]);
  await vi.waitFor(() => expect(opened.view.lastSeq).toBe(events.length + 1), { timeout: 20_000 });
  feed.close();
  await loadAll(client, opened);
  expect(flattenUnordered(opened.view)).toEqual(flattenUnordered(foldAll(await store.read(SESSION)).view));
});

test("a run and a range that are not there are told as such", async () => {
  project = await serveProject();
  const { client, store } = project;
  await store.readSide.importSession(exportOf(SESSION, generate(SESSION, 2)));
  const params = { sessionId: SESSION, runId: "run_of_nobody" } as const;
  await expect(client.getRunPart({ params, query: {} })).rejects.toMatchObject({ code: "run_unknown" });
  await expect(client.getView({ params: { sessionId: "ses_none" }, query: {} })).rejects.toMatchObject({
    code: "session_unknown",
  });
  const beyond = { params: { sessionId: SESSION, runId: "run_1" }, query: { from: 10_000, to: 10_001 } } as const;
  expect((await client.listSteps(beyond)).steps).toEqual([]);
});

test("while the server reads a session for the first time, its latest run is told with what it said last", async () => {
  const store = createMemoryLog();
  const events = generate();
  await store.readSide.importSession(exportOf(SESSION, events));
  const folds = createSessionFolds({ store });
  const { getView } = createViewCalls({ store, farEvents: 100 }, folds);
  const asked = { params: { sessionId: SESSION }, query: { first: "true" }, body: undefined } as const;
  const glance = await getView(asked);
  const whole = foldAll(events).view;
  const root = whole.roots.at(-1) as RunView;
  expect([glance.isFirstGlance, glance.runs.map(({ runId, state }) => [runId, state])]).toEqual([
    true,
    [[root.runId, root.state]],
  ]);
  expect(glance.parts[0]?.steps.at(-1)?.step.text).toBe(root.steps.at(-1)?.text);
  const all = await getView({ ...asked, query: {} });
  expect([all.isFirstGlance, all.runs.length]).toEqual([false, whole.runs.size]);
  expect((await getView(asked)).isFirstGlance).toBe(false);
});

test("a fold that is kept reads only what is new, and the one asked for longest ago goes when there are too many events", async () => {
  const store = createMemoryLog();
  for (const sessionId of ["ses_a", "ses_b", "ses_c"] as const) {
    const run = createRunDrafts({ sessionId, runId: `run_of_${sessionId}` });
    store.append([run.requested("begin")]);
    const lease = store.lease(`run_of_${sessionId}`);
    store.append([run.started(lease.epoch), run.asked(1), run.answered(1, "said")], lease);
  }
  const read = vi.spyOn(store, "read");
  const folds = createSessionFolds({ store, mostEvents: 9 });
  const [a, again] = [await folds.viewOf("ses_a"), await folds.viewOf("ses_a")];
  expect([a === again, read.mock.calls.map(([, after]) => after)]).toEqual([true, [0, 4]]);
  await folds.viewOf("ses_a", 4);
  expect(read.mock.calls).toHaveLength(2);
  await folds.viewOf("ses_b");
  await folds.viewOf("ses_a");
  expect(folds.size()).toBe(8);
  await folds.viewOf("ses_c");
  expect([folds.size(), await folds.viewOf("ses_a")]).toEqual([8, a]);
  expect(folds.isBehindBy("ses_b", 4)).toBe(4);
});

test("a session that was deleted and imported again under its id is read anew", async () => {
  const store = createMemoryLog();
  const folds = createSessionFolds({ store });
  await store.readSide.importSession(exportOf(SESSION, generate(SESSION, 3)));
  const before = await folds.viewOf(SESSION);
  await store.readSide.deleteSession(SESSION);
  await expect(folds.viewOf(SESSION)).rejects.toMatchObject({ code: "session_unknown" });
  await store.readSide.importSession(exportOf(SESSION, generate(SESSION, 5)));
  const after = await folds.viewOf(SESSION);
  expect([before.runs.size, after.runs.size]).toEqual([3, 5]);
});
