/**
 * Runs a random tree on the real engine and loop, and looks at every step whether a limit was passed: at no run may what it and everything
 * below it has used, together with what is set aside for calls under way, be more than its limit. Models that read more than could be
 * foreseen may pass a limit by just that much, in calls under way.
 */
import { createEmbeddedEngine } from "@retinue/engine";
import type { LimitName, Limits, RetinueEvent, RunId, RunIdentity } from "@retinue/protocol";
import { agentFrontMatterSchema, type AgentDefinition } from "@retinue/protocol/agent-file";
import { createSpec, defineTool, type Purse } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { z } from "zod";
import { createBudgetModel, type ModelCall, PRICE } from "./budget-model.ts";
import type { RandomAgent, RandomTree } from "./random-tree.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

export type BudgetTrial = {
  readonly findings: readonly string[];
  readonly runs: number;
  readonly calls: number;
  /** Limits that were reached, each as often as it was. */
  readonly reached: readonly LimitName[];
};

type Axis = keyof Purse["used"];

const AXES = ["iterations", "toolCalls", "tokens", "costUsd"] as const satisfies readonly Axis[];
/** Sums of fractions differ in their last bits. */
const CRUMB = 1e-9;

export const runBudgetTrial = async (tree: RandomTree): Promise<BudgetTrial> => {
  const clock = createVirtualClock();
  const findings = new Set<string>();
  const find = (what: string): void => void findings.add(`seed ${tree.seed}: ${what}`);
  const calls: ModelCall[] = [];
  const runs = new Map<RunId, RunIdentity & { readonly limits: Limits; readonly treeLimits: Limits; startedAt: number }>();
  const purses = new Map<RunId, Purse>();
  const spent = new Map<RunId, Record<Axis, number>>();
  const started = new Set<string>();
  const handIns = new Set<string>();
  const reached: LimitName[] = [];
  /** Where models surprise: the calls that may be over a limit, by run and axis, from when it was passed. */
  const passed = new Map<string, { readonly over: () => number; readonly calls: readonly ModelCall[]; readonly at: number }>();

  const isWithin = (agent: string, top: RunId): boolean => {
    let run = [...runs.values()].find((one) => one.agent === agent);
    while (run && run.runId !== top) run = run.parentRunId === null ? undefined : runs.get(run.parentRunId);
    return run !== undefined;
  };

  const look = (): void => {
    for (const [runId, purse] of purses)
      for (const axis of AXES) {
        const max = purse.limits[axis];
        if (purse.reserved[axis] < -CRUMB) find(`${runId} has given back more ${axis} than was set aside`);
        if (max === undefined) continue;
        const isSurprising = tree.surprises && (axis === "tokens" || axis === "costUsd");
        const held = purse.used[axis] + (isSurprising ? 0 : purse.reserved[axis]);
        if (held <= max + CRUMB) continue;
        if (!isSurprising) find(`${runId} has used ${purse.used[axis]} and set aside ${purse.reserved[axis]} of ${max} ${axis}`);
        else if (!passed.has(`${runId} ${axis}`)) {
          const now = clock.now();
          const below = calls.filter(({ agent }) => isWithin(agent, runId));
          const since = Math.min(now, ...below.filter(({ endedAt }) => endedAt >= now).map(({ startedAt }) => startedAt));
          const over = (): number => (purse.used[axis] - max) / (axis === "costUsd" ? PRICE : 1);
          passed.set(`${runId} ${axis}`, { over, at: now, calls: below.filter(({ endedAt }) => endedAt >= since) });
        }
      }
  };

  const onStart = (agent: string): void => {
    look();
    const at = clock.now();
    for (const [key, { at: since }] of passed) {
      const [runId] = key.split(" ") as [RunId];
      if (since < at && isWithin(agent, runId)) find(`${agent} began a call when ${key} was passed`);
    }
    for (const run of runs.values()) {
      const { durationMs } = run.limits;
      if (isWithin(agent, run.runId) && durationMs !== undefined && at - run.startedAt >= durationMs + 1)
        find(`${agent} began a call ${at - run.startedAt} ms after ${run.runId} began, which has ${durationMs} ms`);
    }
  };

  const observe = (event: RetinueEvent): void => {
    if (!("runId" in event)) return;
    const { runId } = event;
    const own = spent.get(runId);
    if (event.type === "run.requested") {
      const { sessionId, parentRunId, depth, agent, spec } = event;
      const { limits, treeLimits } = spec;
      runs.set(runId, { sessionId, runId, parentRunId, depth, agent, limits, treeLimits, startedAt: clock.now() });
      spent.set(runId, { iterations: 0, toolCalls: 0, tokens: 0, costUsd: 0 });
    }
    if (event.type === "run.started") {
      const run = runs.get(runId);
      // The time of a run begins when its turn has come.
      if (run) run.startedAt = clock.now();
      const purse = engine.purse(runId);
      if (purse) purses.set(runId, purse);
      else find(`${runId} works without a purse`);
    }
    if (event.type === "model.requested" && event.handIn) handIns.add(`${runId} ${event.step}`);
    if (event.type === "model.answered" && own) {
      model.answered(event.agent, event.usage);
      own.tokens += event.usage.input + event.usage.output;
      own.costUsd += event.costUsd ?? 0;
      if (!handIns.has(`${runId} ${event.step}`)) own.iterations += 1;
    }
    if (event.type === "tool.started") started.add(`${runId} ${event.callId}`);
    if (event.type === "tool.settled" && own && started.has(`${runId} ${event.callId}`)) own.toolCalls += 1;
    if (event.type === "limit.reached") reached.push(event.limit);
    if (event.type === "run.settled") settle(runId);
    look();
  };

  const sumBelow = (runId: RunId, axis: Axis): number =>
    [...spent].reduce((sum, [one, own]) => (isWithin(runs.get(one)?.agent ?? "", runId) ? sum + own[axis] : sum), 0);

  /** Whoever has settled has nothing set aside any more, has used what is recorded, and no more than its own limits and its time. */
  const settle = (runId: RunId): void => {
    const purse = purses.get(runId);
    const run = runs.get(runId);
    const own = spent.get(runId);
    if (!purse || !run || !own) return find(`${runId} settled and never began`);
    for (const axis of AXES) {
      if (Math.abs(purse.reserved[axis]) > CRUMB) find(`${runId} has settled with ${purse.reserved[axis]} ${axis} set aside`);
      const recorded = sumBelow(runId, axis);
      if (Math.abs(purse.used[axis] - recorded) > CRUMB)
        find(`${runId} has used ${purse.used[axis]} ${axis}, and ${recorded} are recorded`);
    }
    for (const axis of ["iterations", "toolCalls"] as const) {
      const max = run.limits[axis];
      if (max !== undefined && own[axis] > max) find(`${runId} has used ${own[axis]} ${axis} of its own ${max}`);
      const most = run.treeLimits[axis];
      if (most !== undefined && sumBelow(runId, axis) > most)
        find(`${runId} and below used ${sumBelow(runId, axis)} of ${most} ${axis}`);
    }
    const { durationMs } = run.limits;
    const took = clock.now() - run.startedAt;
    if (durationMs !== undefined && took > durationMs + 1) find(`${runId} took ${took} ms of ${durationMs}`);
  };

  const model = createBudgetModel(tree, { clock, calls, onStart });
  const definitions = new Map(tree.agents.map((agent) => [agent.name, toDefinition(agent, tree)]));
  let ids = 0;
  const engine = createEmbeddedEngine({
    log: createMemoryLog(),
    createId: () => String(++ids),
    agents: definitions,
    model: model.id,
    maxConcurrent: 3,
    maxChildren: 50,
    unattended: "deny",
    observer: observe,
    ports: {
      model: () => model,
      tool: (name) => (name === "work" ? createWork(clock) : undefined),
      clock,
      realPath: async (file) => file,
      readFile: async () => "",
    },
  });
  const main = definitions.get(tree.root.name);
  if (!main) throw new Error("A tree has a main agent.");
  const spec = createSpec({
    agent: main,
    agents: definitions,
    grant: { tools: ["work"], writes: [], hosts: [], approve: "all", maxDepth: 4 },
    model: model.id,
    workspace: "/work",
    depth: 0,
    request: { limits: tree.limits },
  });
  const handle = await engine.start({ agent: main.name, task: [{ type: "text", text: "Do it." }], spec });
  if (tree.cancelAtMs !== undefined) clock.after(tree.cancelAtMs, () => handle.cancel());
  const settled = { is: false };
  const result = handle.result.then(
    () => (settled.is = true),
    (thrown: unknown) => {
      settled.is = true;
      find(`it threw ${String(thrown)}`);
    },
  );
  for (;;) {
    await new Promise(setImmediate);
    if (settled.is) break;
    if (!clock.runNext()) {
      find("nothing is due, and it has not settled");
      break;
    }
  }
  if (settled.is) await result;
  for (const [key, { over, calls: under }] of passed) {
    const surplus = under.reduce((sum, call) => sum + call.surplus, 0);
    if (over() > surplus + CRUMB) find(`${key} is ${over()} tokens over its limit, and models surprised by ${surplus}`);
  }
  await engine.close();
  return { findings: [...findings], runs: runs.size, calls: calls.length, reached };
};

const toDefinition = (agent: RandomAgent, tree: RandomTree): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name: agent.name, description: `Is ${agent.name}.`, grant: "session", tools: ["work"] }),
  limits: agent.limits,
  delegates: tree.agents.map(({ name }) => name).filter((name) => name !== agent.name),
  expose: "delegate",
  prompt: `You are ${agent.name}.`,
});

const createWork = (clock: VirtualClock) =>
  defineTool({
    name: "work",
    description: "Works.",
    input: z.object({ ms: z.number(), which: z.string() }),
    effect: "read",
    execute: async ({ ms }, { signal }) => {
      await sleep(clock, ms, signal);
      return "Worked.";
    },
  });

const sleep = (clock: VirtualClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = (): void => {
      takeBack();
      reject(signal.reason);
    };
    const takeBack = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
