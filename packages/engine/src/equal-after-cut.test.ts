/**
 * A run cut after every single event and resumed ends equal: same results, files, refusals, limits and costs as one that was never cut, and
 * no worktree stays behind.
 */
import type { Message, RecordedEvent, RunId, RunResult, SessionId } from "@retinue/protocol";
import { fold } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { expect, test } from "vitest";
import { createGeneratedEngine, FAMILIES, lastTurnOf, logOf, WORKSPACE } from "./testing/generated-runs.ts";
import type { Generated } from "./testing/generated-turns.ts";
import { lettersHeard, sendersIn, withoutWakings } from "./testing/letters-heard.ts";
import { copyDisk, createMemoryDisk, filesOf, type MemoryDisk } from "./testing/memory-worktrees.ts";

/** Seeds whose runs bring what is special to their family into play, and are not long. */
const CHOSEN: Readonly<Record<keyof typeof FAMILIES, readonly number[]>> = {
  sideBySide: [2_003, 2_005, 2_011],
  limited: [2_003, 2_004, 2_012],
  worktrees: [2_003, 2_006, 2_009],
  background: [2_003, 2_009, 2_011],
  mixed: [2_003, 2_009, 2_011],
  words: [2_004, 2_007, 2_014],
  answers: [2_004, 2_007],
  guards: [2_004, 2_009, 2_014],
  forms: [2_009, 2_011],
  checks: [2_003, 2_005],
  transfers: [2_001, 2_007, 2_009],
  plans: [2_012],
  fits: [2_006, 2_015],
  summaries: [2_003, 2_009],
  parks: [2_004, 2_007],
  parkedPlans: [2_012],
};
/** `npm run sweep -- --full --only cut` runs more of them, also those that take long. */
const more = process.env["CUT_SEEDS"];
const SEEDS = more === undefined ? undefined : Array.from({ length: Number(more) }, (_, at) => 2_001 + at);
/** Where a record has more events, a test cuts it after so many of them, equally far apart; the sweep after every one. */
const MOST_CUTS = more === undefined ? 50 : Infinity;
/** In the short form, which tries the first seed of each family. */
const SOME_CUTS = 15;

const CASES = Object.entries(FAMILIES).map(([key, family]) =>
  (SEEDS ?? CHOSEN[key as keyof typeof FAMILIES]).map((seed) => ({ name: family.name, seed, family })),
);

type Ended = {
  readonly calls: Record<string, string>;
  readonly limits: string[];
  readonly refused: string[];
  result: Omit<RunResult, "durationMs"> | null;
  conversation?: readonly Message[];
};

/** What became of every run: its result, its calls and their outcomes, the limits it met, what was refused. Numbers of events and times are left out. */
const toEnd = (events: readonly RecordedEvent[], disk: MemoryDisk) => {
  const runs = new Map<RunId, Ended>();
  const of = (runId: RunId): Ended => {
    let run = runs.get(runId);
    if (!run) runs.set(runId, (run = { calls: {}, limits: [], refused: [], result: null }));
    return run;
  };
  for (const event of events) {
    const run = of(event.runId);
    if (event.type === "tool.settled") run.calls[event.callId] = `${event.outcome} ${event.error?.code ?? ""}`;
    if (event.type === "limit.reached") run.limits.push(`${event.limit} ${event.max}`);
    if (event.type === "guardrail.refused" || event.type === "result.rejected") run.refused.push(event.reason);
    if (event.type === "run.settled") {
      const { durationMs: _, ...result } = event.result;
      run.result = result;
    }
  }
  for (const [runId, { messages }] of fold(events)) of(runId).conversation = messages;
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

const runWhole = async (generated: Generated) => {
  const disk = createMemoryDisk();
  const { log, recorded } = record(createMemoryLog(), disk);
  const engine = createGeneratedEngine(generated, log, disk);
  const first = await engine.startTurn();
  if (!first) throw new Error("There is no first turn.");
  const { sessionId } = first;
  for (let handle: typeof first | undefined = first; handle; handle = await engine.startTurn(sessionId)) await handle.result;
  const recording = recorded(sessionId);
  return { runId: lastTurnOf(recording.events), sessionId, recording, end: toEnd(recording.events, disk) };
};

type Cut = { readonly runId: RunId; readonly sessionId: SessionId; readonly recording: Recording };

/** Goes on in another process after the event of this number, with the disk as it was then or as late as it can have been. */
const resumeAfter = async (generated: Generated, { sessionId, recording }: Cut, count: number) => {
  const { events, after, before } = recording;
  const left = (count % 2 === 0 ? after : before)[count - 1] ?? after[count - 1] ?? createMemoryDisk();
  const disk = copyDisk(left);
  const { log, recorded } = record(logOf(events.slice(0, count)), disk);
  await createGeneratedEngine(generated, log, disk).finish(sessionId);
  const resumed = recorded(sessionId);
  return { end: toEnd(resumed.events, disk), recording: resumed };
};

type Whole = Cut & { readonly end: ReturnType<typeof toEnd> };
type Again = Awaited<ReturnType<typeof resumeAfter>>;

/**
 * Equal in everything, with one exception. A run in the background and the one that started it are two that work at the same time, and which of them is
 * quicker is nowhere decided: until its letter is recorded, it may come a turn sooner or later, in a process that goes on as in one that was never
 * cut. To hold it back until the turn at which another process would have had it would be waiting for nothing that is known. So:
 * - every letter is heard;
 * - one that is in the record at the cut is heard at the same turn, but for one that came while main's model was asked and had not answered: it is
 *   asked anew, and with what has come since, as a person who wrote to a run before resuming it would have it;
 * - where another is heard at another turn, main, which that letter may have woken after its end, may have said its end once more or once less. Those
 *   turns are taken out of what main spent, and all the rest is equal.
 */
const expectEqual = (again: Again, whole: Whole, count: number): void => {
  const { events } = whole.recording;
  const says = `cut after ${count} ${events[count - 1]?.type}`;
  const before = lettersHeard(events);
  const now = lettersHeard(again.recording.events);
  expect([...now.keys()].toSorted(), says).toEqual([...before.keys()].toSorted());
  const moved = [...before].filter(([from, turn]) => now.get(from) !== turn).map(([from]) => from);
  const bound = sendersIn(beforeOpenRequest(events.slice(0, count), whole.runId));
  expect(
    moved.filter((from) => bound.has(from)),
    `${says}: heard at another turn though it was in the record`,
  ).toEqual([]);
  if (moved.length === 0) expect(again.end, says).toEqual(whole.end);
  else
    expect(
      toTimeless(again.end, again.recording.events, whole.runId),
      `${says}, ${moved.join(" ")} heard at another turn`,
    ).toEqual(toTimeless(whole.end, events, whole.runId));
};

/** The record up to where a run's model was asked that has not answered; all of it where none was. */
const beforeOpenRequest = (events: readonly RecordedEvent[], runId: RunId): readonly RecordedEvent[] => {
  const isOf = (type: RecordedEvent["type"]) => (event: RecordedEvent) => event.runId === runId && event.type === type;
  const asked = events.findLastIndex(isOf("model.requested"));
  return asked > events.findLastIndex(isOf("model.answered")) ? events.slice(0, asked) : events;
};

const toTimeless = ({ runs, ...rest }: Whole["end"], events: readonly RecordedEvent[], main: RunId) => {
  const run = runs[main];
  if (!run?.result) throw new Error("main has no result");
  const { conversation: _, ...told } = run;
  return { ...rest, runs: { ...runs, [main]: { ...told, result: withoutWakings(run.result, events, main) } } };
};

const endsEqual =
  (mostCuts: number) =>
  async (generated: Generated): Promise<void> => {
    const whole = await runWhole(generated);
    const { events } = whole.recording;
    expect(events.length).toBeGreaterThan(3);
    expect(whole.end.worktreesLeft).toEqual([]);
    const stride = Math.max(1, Math.ceil(events.length / mostCuts));
    for (let count = 1 + (generated.seed % stride); count < events.length; count += stride)
      expectEqual(await resumeAfter(generated, whole, count), whole, count);
  };

test.each(CASES.flatMap((cases) => cases.slice(0, 1)))(
  "$name, seed $seed: cut after some of its events it ends equal",
  endsEqual(SOME_CUTS),
);

test.each(CASES.flat())("$name, seed $seed: cut after every event it ends equal", { tags: ["long"] }, endsEqual(MOST_CUTS));

test("a letter that comes a turn sooner after a cut takes at most one turn from what main spent, and nothing else", async () => {
  const generated = { seed: 2_006, family: FAMILIES.mixed };
  const whole = await runWhole(generated);
  const { events } = whole.recording;
  for (let count = 1; count < events.length; count += 1) {
    const again = await resumeAfter(generated, whole, count);
    expect([5, 6]).toContain(again.end.runs[whole.runId]?.result?.iterations);
    expectEqual(again, whole, count);
  }
});

test("a delegation to the background that is cut before it is answered, resumed, and cut again anywhere, ends equal", async () => {
  const generated = { seed: 2_003, family: FAMILIES.background };
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
