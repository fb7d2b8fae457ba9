/**
 * A run cut after every single event and resumed ends equal: same results, files, refusals, limits and costs as one that was never cut, and
 * no worktree stays behind.
 */
import type { RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { createGeneratedEngine, type Family, type Generated, toGeneratedSpec, WORKSPACE } from "./testing/generated-runs.ts";
import { copyDisk, createMemoryDisk, filesOf, type MemoryDisk } from "./testing/memory-worktrees.ts";

/** `npm run sweep -- --full --only cut` runs more of them, also those that take long. */
const more = process.env["CUT_SEEDS"];
const SEEDS = more === undefined ? [2_001, 2_003, 2_005] : Array.from({ length: Number(more) }, (_, at) => 2_001 + at);

const PLAIN = { limits: {}, fallbacks: false, background: false, worktrees: false } as const;

const FAMILIES: readonly Family[] = [
  { ...PLAIN, name: "side by side, with questions and fallbacks", fallbacks: true },
  { ...PLAIN, name: "at the limits of the tree", limits: { tokens: 2_500, toolCalls: 9, iterations: 12 } },
  { ...PLAIN, name: "in worktrees, with fallbacks", fallbacks: true, worktrees: true },
  { ...PLAIN, name: "in the background", background: true },
  { ...PLAIN, name: "in the background, in worktrees, with fallbacks", fallbacks: true, background: true, worktrees: true },
];

type Ended = { readonly calls: Record<string, string>; readonly limits: string[]; result: unknown };

/** What became of every run: its result, its calls and their outcomes, the limits it met. Numbers of events and times are left out. */
const toEnd = (events: readonly RecordedEvent[], disk: MemoryDisk) => {
  const runs = new Map<RunId, Ended>();
  const of = (runId: RunId): Ended => {
    let run = runs.get(runId);
    if (!run) runs.set(runId, (run = { calls: {}, limits: [], result: null }));
    return run;
  };
  for (const event of events) {
    const run = of(event.runId);
    if (event.type === "tool.settled") run.calls[event.callId] = `${event.outcome} ${event.error?.code ?? ""}`;
    if (event.type === "limit.reached") run.limits.push(`${event.limit} ${event.max}`);
    if (event.type === "run.settled") {
      const { durationMs: _, ...result } = event.result;
      run.result = result;
    }
  }
  return {
    runs: Object.fromEntries([...runs].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    files: [...filesOf(disk, WORKSPACE).keys()].toSorted(),
    worktreesLeft: [...disk.made.keys()],
  };
};

/** A record, and the disk as it was right after each of its events and right before the next. */
type Recording = {
  readonly events: readonly RecordedEvent[];
  readonly after: readonly MemoryDisk[];
  readonly before: readonly MemoryDisk[];
};

const record = (log: MemoryLog, disk: MemoryDisk) => {
  const after: MemoryDisk[] = [];
  const before: MemoryDisk[] = [];
  const append: MemoryLog["append"] = (drafts, lease, how) => {
    const then = copyDisk(disk);
    const events = log.append(drafts, lease, how);
    const now = copyDisk(disk);
    for (const { seq } of events) {
      before[seq - 2] = then;
      after[seq - 1] = now;
    }
    return events;
  };
  return {
    log: { ...log, append },
    recorded: (sessionId: SessionId): Recording => ({ events: log.read(sessionId), after, before }),
  };
};

const copyUpTo = (events: readonly RecordedEvent[], count: number): MemoryLog => {
  const log = createMemoryLog();
  for (const { seq: _, ...event } of events.slice(0, count))
    if (event.type === "run.requested" || isInput(event)) log.append([event]);
    else log.append([event], log.lease(event.runId));
  return log;
};

const runWhole = async (generated: Generated) => {
  const disk = createMemoryDisk();
  const { log, recorded } = record(createMemoryLog(), disk);
  const engine = createGeneratedEngine(generated, log, disk);
  const task = [{ type: "text", text: "go" }] as const;
  const { runId, sessionId, result } = await engine.start({ agent: "main", task, spec: toGeneratedSpec(generated.family) });
  await result;
  return { runId, sessionId, recording: recorded(sessionId), end: toEnd(log.read(sessionId), disk) };
};

type Cut = { readonly runId: RunId; readonly sessionId: SessionId; readonly recording: Recording };

/** Goes on in another process after the event of this number, with the disk as it was then or as late as it can have been. */
const resumeAfter = async (generated: Generated, { runId, sessionId, recording }: Cut, count: number) => {
  const { events, after, before } = recording;
  const left = (count % 2 === 0 ? after : before)[count - 1] ?? after[count - 1] ?? createMemoryDisk();
  const disk = copyDisk(left);
  const { log, recorded } = record(copyUpTo(events, count), disk);
  await (
    await createGeneratedEngine(generated, log, disk).resume(runId)
  ).result;
  const resumed = recorded(sessionId);
  return { end: toEnd(resumed.events, disk), recording: resumed };
};

describe.each(FAMILIES)("$name", (family) => {
  test.each(SEEDS)("seed %i: cut after every event it ends equal", async (seed) => {
    const generated = { seed, family };
    const { end, ...whole } = await runWhole(generated);
    const { events } = whole.recording;
    expect(events.length).toBeGreaterThan(3);
    expect(end.worktreesLeft).toEqual([]);
    for (let count = 1; count < events.length; count += 1) {
      const again = await resumeAfter(generated, whole, count);
      expect(again.end, `cut after ${count} ${events[count - 1]?.type}`).toEqual(end);
    }
  });
});

test("a delegation to the background that is cut before it is answered, resumed, and cut again anywhere, ends equal", async () => {
  const generated = { seed: 2_003, family: { ...PLAIN, name: "in the background", background: true } };
  const { end, ...whole } = await runWhole(generated);
  const isBackground = (event: RecordedEvent): boolean =>
    event.type === "tool.started" && JSON.stringify(event.input).includes('"background":true');
  const first = whole.recording.events.findIndex(isBackground) + 1;
  expect(first).toBeGreaterThan(0);
  const { recording } = await resumeAfter(generated, whole, first);
  const stride = Math.ceil((recording.events.length - first) / 15);
  for (let count = first + 1; count < recording.events.length; count += stride) {
    const again = await resumeAfter(generated, { ...whole, recording }, count);
    expect(again.end, `cut again after ${count} ${recording.events[count - 1]?.type}`).toEqual(end);
  }
});
