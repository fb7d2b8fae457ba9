/** The rows of a session are the same, however it was opened; what was not loaded has rows of its own until somebody looks. */
import { createSessionView, type RunView, type SessionStore, toRunPart, toStepsPage, toViewSnapshot } from "@retinue/client";
import { generateSession } from "@retinue/client/testing";
import { isLive, type RecordedEvent } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createRowsBuilder, type Row, type RowsBuilder } from "./rows.ts";

const SESSION = "ses_generated";

const events = [...generateSession({ runs: 40, turns: 30, maxDepth: 4, width: 5, seed: 3 })].filter(
  (event): event is RecordedEvent => !isLive(event),
);

const fold = (size = events.length): SessionStore => {
  const store = createSessionView(SESSION, { keepsLog: false });
  for (const event of events.slice(0, size)) store.apply(event);
  return store;
};

const openAt = (size: number): SessionStore =>
  createSessionView(SESSION, {
    keepsLog: false,
    // As it comes over the network.
    snapshot: JSON.parse(JSON.stringify(toViewSnapshot(fold(size).view))) as ReturnType<typeof toViewSnapshot>,
  });

let version = 0;
const draw = (build: RowsBuilder, { view }: SessionStore, isOpen: (run: RunView) => boolean): readonly Row[] => {
  version += 1;
  const now = version;
  return build({ roots: view.roots, isOpen, isAwaited: () => false, versionOf: () => now });
};

const opensByItself = ({ depth, state }: RunView): boolean => depth === 0 || state.type !== "settled";

const toText = (rows: readonly Row[]): readonly string[] => rows.map(({ key, run }) => `${key} ${run.state.type}`);

/** Loads what stands in rows that were not loaded, as a person who scrolls past them does. */
const scrollThrough = (page: SessionStore, server: SessionStore, isOpen: (run: RunView) => boolean): readonly Row[] => {
  const build = createRowsBuilder();
  for (let turn = 0; turn < 10_000; turn += 1) {
    const rows = draw(build, page, isOpen);
    const missing = rows.find((row) => row.type === "unloaded");
    if (missing?.type !== "unloaded") return rows;
    const run = server.view.runs.get(missing.run.runId) as RunView;
    if (missing.run.isBrief) page.loadPart(structuredClone(toRunPart(server.view, run)));
    else page.loadSteps(structuredClone(toStepsPage(server.view, run, missing.range)));
  }
  throw new Error("There is always something missing.");
};

test.each([0.3, 0.7, 1])(
  "opened by a snapshot at %f of it and scrolled through, a session has the rows of one read whole",
  (part) => {
    const whole = fold();
    const page = openAt(Math.floor(events.length * part));
    for (const event of events) page.apply(event);
    for (const isOpen of [opensByItself, () => true])
      expect(toText(scrollThrough(page, whole, isOpen))).toEqual(toText(draw(createRowsBuilder(), whole, isOpen)));
  },
);

test("before it is scrolled through, the latest rows are there and the others are few", () => {
  const whole = draw(createRowsBuilder(), fold(), opensByItself);
  const rows = draw(createRowsBuilder(), openAt(events.length), opensByItself);
  expect(toText(rows.slice(-20))).toEqual(toText(whole.slice(-20)));
  expect(rows.length).toBeLessThan(whole.length);
  expect(rows.some(({ type }) => type === "unloaded")).toBe(true);
});
