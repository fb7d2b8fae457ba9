/** Plans in the real engine: what runs when, who is asked, what is recorded, and that a plan cut anywhere goes on as if nothing had happened. */
import { hash } from "node:crypto";
import type { Script, ScriptedTurn } from "@retinue/model/testing";
import type { Json, Plan, PlanStep, RecordedEvent, RunResult, SessionId } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { describe, expect, test } from "vitest";
import { createMemoryLog, type MemoryLog } from "@retinue/store";
import { isInput } from "@retinue/protocol";
import { createTestEngine, testAgent, type TestEngine } from "./testing/test-engine.ts";

const AGENTS: readonly AgentDefinition[] = [
  testAgent("main", { tools: ["echo"], delegates: ["planner", "executor", "reviewer", "researcher"] }),
  testAgent("planner", { tools: [] }),
  testAgent("executor", { tools: ["echo", "act"] }),
  testAgent("reviewer", { tools: ["echo"] }),
  testAgent("researcher", { tools: ["echo"] }),
  testAgent("orchestrator", { tools: [], expose: "none" }),
];

const step = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  description: `do ${id}`,
  expectedResult: `${id} is done`,
  type: "implementation",
  agent: "executor",
  dependsOn: [],
  requiresApproval: false,
  ...more,
});

const planOf = (...steps: readonly PlanStep[]): Plan => ({ goal: "reach it", steps });

const PASS = (summary: string): ScriptedTurn => ({ text: `Done.\nRESULT: PASS\nSUMMARY: ${summary}` });
const FAIL = (summary: string): ScriptedTurn => ({ text: `RESULT: FAIL\nSUMMARY: ${summary}` });

type Play = {
  /** What a step's run says, by the step's description and attempt. */
  readonly step?: (id: string, attempt: number) => ScriptedTurn;
  readonly evaluate?: (id: string, attempt: number) => Json;
  readonly verdict?: Json;
  readonly recovery?: ScriptedTurn;
};

/** Plays every agent of a plan; a step's attempts are counted by whether its state speaks of an earlier one. */
const play =
  (
    plan: Plan,
    {
      step: toTurn = (id) => PASS(`${id} is seen`),
      evaluate = () => ({ decision: "stop", reason: "no" }),
      verdict = { status: "pass", summary: "all was seen" },
      recovery = PASS("mended"),
    }: Play = {},
  ): Script =>
  ({ system, messages }) => {
    const agent = /You are ([\w-]+)\./.exec(system)?.[1];
    const [first] = messages[0]?.content ?? [];
    const task = first?.type === "text" ? first.text : "";
    const answered = messages.some(({ role }) => role === "tool");
    if (agent === "main")
      return answered
        ? { text: "The plan was carried out." }
        : { toolCalls: [{ tool: "execute_plan", input: plan, callId: "go" }] };
    if (agent === "orchestrator") {
      if (task.includes("VERDICT")) return { text: JSON.stringify(verdict) };
      if (task.includes("MODE 4")) return { text: JSON.stringify({ state: "short" }) };
      const id = /FAILED STEP (\S+):/.exec(task)?.[1] ?? "?";
      return { text: JSON.stringify(evaluate(id, task.includes("tried already") ? 2 : 1)) };
    }
    const id = /YOUR TASK:\ndo (\S+)/.exec(task)?.[1];
    if (id === undefined) return recovery;
    return toTurn(id, task.includes("before this was tried again") ? 2 : 1);
  };

const run = async (
  plan: Plan,
  played: Play = {},
  more: Partial<Parameters<typeof createTestEngine>[0]> = {},
): Promise<{
  readonly events: readonly RecordedEvent[];
  readonly result: RunResult;
  readonly made: TestEngine;
  readonly sessionId: SessionId;
}> => {
  const made = createTestEngine({ agents: AGENTS, script: play(plan, played), ...more });
  const handle = await made.start("go");
  const result = await handle.result;
  return { events: made.log.read(handle.sessionId), result, made, sessionId: handle.sessionId };
};

/** The last that was told of each step. */
const statesOf = (events: readonly RecordedEvent[]): Record<string, string> =>
  Object.fromEntries(events.flatMap((event) => (event.type === "plan.step" ? [[event.stepId, event.state]] : [])));

const copyLog = (events: readonly RecordedEvent[]): MemoryLog => {
  const log = createMemoryLog();
  for (const { seq: _, ...event } of events)
    if (event.type === "run.requested" || isInput(event)) log.append([event]);
    else log.append([event], log.lease(event.runId));
  return log;
};

const settledIn = (events: readonly RecordedEvent[]) => events.find((event) => event.type === "plan.settled");

describe("a plan", () => {
  test("runs its steps in the order of what they depend on, and passes", async () => {
    const { events, result } = await run(
      planOf(step("b", { dependsOn: ["a"] }), step("a"), step("c", { dependsOn: ["a", "b"] })),
    );
    expect(result.status).toBe("completed");
    expect(statesOf(events)).toEqual({ a: "completed", b: "completed", c: "completed" });
    expect(events.flatMap((event) => (event.type === "plan.step" ? [`${event.stepId} ${event.state}`] : []))).toEqual([
      "a in_progress",
      "a completed",
      "b in_progress",
      "b completed",
      "c in_progress",
      "c completed",
    ]);
    expect(settledIn(events)).toMatchObject({ status: "pass", summary: "all was seen", totals: { iterations: 4 } });
  });

  test("runs steps that do not depend on each other at the same time, up to the setting", async () => {
    let now = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const wait = async (): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => {
        release.push(resolve);
        // The third can only come while the first two are at work.
        if (release.length >= 2) for (const one of release.splice(0)) one();
      });
      now -= 1;
    };
    const plan = planOf(step("a"), step("b"), step("c"), step("d"));
    await run(
      plan,
      { step: (id) => ({ ...PASS(id), before: wait }) },
      { engine: { plan: { maxSteps: 30, maxRecoveries: 1, maxConcurrent: 2, stateChars: 4_000 } } },
    );
    expect(most).toBe(2);
  });

  test("tells a step what became of those it stands on, and nothing of the others", async () => {
    const { made } = await run(planOf(step("a"), step("b"), step("c", { dependsOn: ["a"] })));
    const request = made.model.requests.find(({ messages }) => JSON.stringify(messages[0]).includes("do c"));
    const text = JSON.stringify(request?.messages[0]);
    expect(text).toContain("after step a: a is seen");
    expect(text).not.toContain("b is seen");
  });

  test("has the state shortened by the orchestrator where it is too long", async () => {
    const long = "x".repeat(300);
    const { made, events } = await run(
      planOf(step("a"), step("b", { dependsOn: ["a"] })),
      { step: (id) => PASS(id === "a" ? long : "done") },
      { engine: { plan: { maxSteps: 30, maxRecoveries: 1, maxConcurrent: 3, stateChars: 200 } } },
    );
    expect(statesOf(events)).toEqual({ a: "completed", b: "completed" });
    const request = made.model.requests.find(({ messages }) => JSON.stringify(messages[0]).includes("YOUR TASK:\\ndo b"));
    expect(JSON.stringify(request?.messages[0])).toContain("CURRENT STATE:\\nshort");
  });

  test.each([
    [
      "a cycle",
      planOf(step("a", { dependsOn: ["c"] }), step("b", { dependsOn: ["a"] }), step("c", { dependsOn: ["b"] })),
      "wait for each other: a → c → b → a",
    ],
    ["a step that is not there", planOf(step("a", { dependsOn: ["z"] })), 'step "a" depends on "z", which is no step'],
    ["two steps of one name", planOf(step("a"), step("a")), 'two steps are called "a"'],
    ["an agent that may not be started", planOf(step("a", { agent: "root" })), 'step "a" is for "root"'],
    ["too many steps", planOf(...Array.from({ length: 31 }, (_, at) => step(`s${at}`))), "31 steps, and 30 is the most"],
  ])("with %s is refused, and nothing is begun", async (_, plan, message) => {
    const { events } = await run(plan);
    const settled = events.find((event) => event.type === "tool.settled" && event.callId === "go");
    expect(settled).toMatchObject({ outcome: "error", error: { code: "plan_invalid" } });
    expect(JSON.stringify(settled)).toContain(message.replaceAll('"', String.raw`\"`));
    expect(events.filter(({ type }) => type === "run.requested")).toHaveLength(1);
  });
});

describe("after a failure", () => {
  test("the orchestrator may recover: the recovery is done, and the step tried again", async () => {
    const { events, made } = await run(planOf(step("a")), {
      step: (_, attempt) => (attempt === 1 ? FAIL("npm: command not found") : PASS("installed 142 packages")),
      evaluate: () => ({
        decision: "recover",
        reason: "npm is missing",
        recovery_task: { description: "install Node.js", expected_result: "npm runs" },
      }),
    });
    expect(statesOf(events)).toEqual({ a: "completed" });
    expect(events.find(({ type }) => type === "plan.decided")).toMatchObject({ stepId: "a", attempt: 1, decision: "recover" });
    expect(settledIn(events)).toMatchObject({ status: "pass" });
    const tasks = made.model.requests.map(({ messages }) => JSON.stringify(messages[0]));
    expect(tasks.filter((task) => task.includes("install Node.js") && task.includes("YOUR TASK"))).toHaveLength(1);
  });

  test("a step is recovered once and no more", async () => {
    const { events } = await run(planOf(step("a"), step("b", { dependsOn: ["a"] })), {
      step: () => FAIL("still broken"),
      evaluate: () => ({
        decision: "recover",
        reason: "again",
        recovery_task: { description: "mend", expected_result: "mended" },
      }),
    });
    expect(statesOf(events)).toEqual({ a: "failed", b: "skipped" });
    expect(events.flatMap((event) => (event.type === "plan.decided" ? [event.decision] : []))).toEqual(["recover", "stop"]);
  });

  test("a recovery that fails stops the plan", async () => {
    const { events } = await run(
      planOf(step("a"), step("b"), step("c", { dependsOn: ["a"] })),
      {
        step: (id) => (id === "a" ? FAIL("broken") : PASS("fine")),
        evaluate: () => ({
          decision: "recover",
          reason: "try",
          recovery_task: { description: "mend", expected_result: "mended" },
        }),
        recovery: FAIL("no network"),
      },
      { engine: { plan: { maxSteps: 30, maxRecoveries: 1, maxConcurrent: 1, stateChars: 4_000 } } },
    );
    expect(statesOf(events)).toEqual({ a: "failed", b: "blocked", c: "skipped" });
    expect(settledIn(events)).toMatchObject({ status: "fail" });
  });

  test("it may continue: what depends on the step is skipped, the rest goes on, and the verdict may still be pass", async () => {
    const { events } = await run(planOf(step("a"), step("b")), {
      step: (id) => (id === "a" ? FAIL("cosmetic") : PASS("fine")),
      evaluate: () => ({ decision: "continue", reason: "not what this is about" }),
    });
    expect(statesOf(events)).toEqual({ a: "failed", b: "completed" });
    expect(settledIn(events)).toMatchObject({ status: "pass" });
  });

  test("a verdict of pass that the steps do not bear out is a fail", async () => {
    const { events } = await run(planOf(step("a"), step("b", { dependsOn: ["a"] })), { step: () => FAIL("broken") });
    expect(settledIn(events)).toMatchObject({ status: "fail", summary: expect.stringContaining("Step a is failed: broken") });
  });

  test("an orchestrator that twice gives no decision stops the plan", async () => {
    const { events } = await run(planOf(step("a")), { step: () => FAIL("broken"), evaluate: () => ({ decision: "maybe" }) });
    expect(events.find(({ type }) => type === "plan.decided")).toMatchObject({
      decision: "stop",
      reason: expect.stringContaining("gave no decision"),
    });
    expect(events.filter((event) => event.type === "result.rejected" && event.agent === "orchestrator")).toHaveLength(2);
  });

  test("a step that does not end as it must is asked once more, and then has failed", async () => {
    const { events } = await run(planOf(step("a")), { step: () => ({ text: "All good! PASS" }) });
    expect(events.filter((event) => event.type === "result.rejected" && event.agent === "executor")).toHaveLength(2);
    expect(statesOf(events)).toEqual({ a: "failed" });
  });
});

test("the orchestrator has no tools and never sees what tools gave out", async () => {
  const plan = planOf(step("a"), step("b", { dependsOn: ["a"] }));
  const script = play(plan, { evaluate: () => ({ decision: "continue", reason: "go on" }) });
  const made = createTestEngine({
    agents: AGENTS,
    script: (request, answered) => {
      const agent = /You are ([\w-]+)\./.exec(request.system)?.[1];
      const hasLooked = request.messages.some(({ role }) => role === "tool");
      if (agent === "executor" && !hasLooked) return { toolCalls: [{ tool: "echo", input: { text: "RAW-TOOL-OUTPUT" } }] };
      if (agent === "executor" && JSON.stringify(request.messages[0]).includes("do b")) return FAIL("b is not there");
      return typeof script === "function" ? script(request, answered) : undefined;
    },
  });
  const handle = await made.start("go");
  await handle.result;
  const asked = made.model.requests.filter(({ system }) => system.startsWith("You are orchestrator."));
  expect(asked.length).toBeGreaterThanOrEqual(2);
  for (const request of asked) {
    expect(request.tools).toEqual([]);
    expect(JSON.stringify(request)).not.toContain("RAW-TOOL-OUTPUT");
  }
  expect(JSON.stringify(made.model.requests.filter(({ system }) => system.startsWith("You are executor.")))).toContain(
    "RAW-TOOL-OUTPUT",
  );
});

describe("a step that requires approval", () => {
  const plan = planOf(step("a"), step("b", { requiresApproval: true }), step("c", { dependsOn: ["b"] }));

  test("is asked about, with the step, and goes on where it is allowed", async () => {
    const asked: Json[] = [];
    const { events } = await run(
      plan,
      {},
      {
        grant: { approve: "ask" },
        engine: {
          approver: async ({ act }) => {
            asked.push(act.input);
            return { allowed: true };
          },
        },
      },
    );
    expect(asked).toEqual([expect.objectContaining({ goal: "reach it" }), { step: "b", agent: "executor", description: "do b" }]);
    expect(statesOf(events)).toEqual({ a: "completed", b: "completed", c: "completed" });
  });

  test("is blocked where a human says no, with what depends on it, and the rest goes on", async () => {
    const { events } = await run(
      plan,
      {},
      {
        grant: { approve: "ask" },
        engine: {
          approver: async ({ act }) =>
            JSON.stringify(act.input).includes('"step"') ? { allowed: false, reason: "not today" } : { allowed: true },
        },
      },
    );
    expect(statesOf(events)).toEqual({ a: "completed", b: "blocked", c: "blocked" });
    expect(settledIn(events)).toMatchObject({ status: "fail" });
  });

  test("can wait outside of memory, and goes on when the answer comes from elsewhere", async () => {
    const made = createTestEngine({
      agents: AGENTS,
      script: play(plan),
      grant: { approve: "ask" },
      engine: { unattended: "park" },
    });
    const handle = await made.start("go");
    for (let question = 0; question < 2; question += 1) {
      await expect.poll(async () => (await made.engine.approvals(handle.sessionId)).length).toBe(1);
      const [open] = await made.engine.approvals(handle.sessionId);
      if (open) await made.engine.answer(open.approvalId, { allowed: true });
    }
    expect((await handle.result).status).toBe("completed");
    expect(statesOf(made.log.read(handle.sessionId))).toEqual({ a: "completed", b: "completed", c: "completed" });
  });
});

const pick = (most: number, ...words: readonly (string | number)[]): number =>
  Number.parseInt(hash("sha256", words.join(" "), "hex").slice(0, 8), 16) % most;

const randomPlan = (seed: number, most: number): Plan => {
  const count = 2 + pick(most - 1, seed, "count");
  const ids = Array.from({ length: count }, (_, at) => `s${at}`);
  const steps = ids.map((id, at) => step(id, { dependsOn: ids.slice(0, at).filter((other) => pick(3, seed, id, other) === 0) }));
  // In any order of the list.
  return planOf(...steps.toSorted((a, b) => pick(1_000, seed, a.id) - pick(1_000, seed, b.id)));
};

const ancestorsOf = (plan: Plan, id: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const open = [id];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const needed of plan.steps.find((other) => other.id === one)?.dependsOn ?? [])
      if (!found.has(needed)) {
        found.add(needed);
        open.push(needed);
      }
  return found;
};

const played = (seed: number): Play => ({
  step: (id, attempt) =>
    pick(4, seed, id, "fails") === 0 && (attempt === 1 || pick(2, seed, id, "again") === 0)
      ? FAIL(`${id} fails`)
      : PASS(`${id} passes`),
  evaluate: (id) =>
    pick(3, seed, id, "recover") === 0
      ? { decision: "recover", reason: "try", recovery_task: { description: "mend", expected_result: "mended" } }
      : { decision: "continue", reason: "go on" },
});

test.each(Array.from({ length: 40 }, (_, at) => at + 1))(
  "a random plan (seed %i) keeps the order, ends every step once, and skips just what depends on a failed one",
  async (seed) => {
    const plan = randomPlan(seed, 12);
    const { events } = await run(plan, played(seed), { engine: { maxChildren: 1_000 } });
    const told = events.filter((event) => event.type === "plan.step");
    const states = statesOf(events);
    const isStopped = events.some((event) => event.type === "plan.decided" && event.decision === "stop");
    for (const { id, dependsOn } of plan.steps) {
      const ended = told.filter(({ stepId, state }) => stepId === id && state !== "in_progress");
      expect(ended, `${id} has ended`).toHaveLength(1);
      const begun = told.findIndex(({ stepId, state }) => stepId === id && state === "in_progress");
      const before = ancestorsOf(plan, id);
      const hasFailedAbove = [...before].some((one) => states[one] === "failed");
      if (begun >= 0) {
        for (const needed of dependsOn)
          expect(
            told.findIndex(({ stepId, state }) => stepId === needed && state === "completed"),
            `${needed} before ${id}`,
          ).toBeLessThan(begun);
        for (const needed of dependsOn) expect(states[needed]).toBe("completed");
      }
      expect(states[id] === "skipped", `${id} is skipped`).toBe(hasFailedAbove);
      if (!isStopped) expect(states[id]).not.toBe("blocked");
    }
  },
);

const endOf = (events: readonly RecordedEvent[]) => ({
  states: Object.fromEntries(Object.entries(statesOf(events)).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  decisions: events
    .flatMap((event) => (event.type === "plan.decided" ? [`${event.stepId} ${event.attempt} ${event.decision}`] : []))
    .toSorted(),
  settled: events
    .filter((event) => event.type === "plan.settled")
    .map(({ status, summary, totals }) => ({ status, summary, totals })),
  runs: events.filter(({ type }) => type === "run.requested").length,
  ended: events.filter((event) => event.type === "plan.step" && event.state !== "in_progress").length,
});

const endsEqual = async (seed: number): Promise<void> => {
  const plan = randomPlan(seed, 5);
  const whole = await run(plan, played(seed), { engine: { maxChildren: 1_000 } });
  const end = endOf(whole.events);
  for (let count = 1; count < whole.events.length; count += 1) {
    const cut = copyLog(whole.events.slice(0, count));
    const made = createTestEngine({ agents: AGENTS, script: play(plan, played(seed)), log: cut, engine: { maxChildren: 1_000 } });
    const [first] = whole.events;
    if (!first) throw new Error("There is no event.");
    await (
      await made.engine.resume(first.runId)
    ).result;
    expect(endOf(cut.read(whole.sessionId)), `cut after ${count} ${whole.events[count - 1]?.type}`).toEqual(end);
  }
};

test.each([1])("a plan (seed %i) cut after every event and resumed ends equal", endsEqual);

test.each([3, 7, 12])("a plan (seed %i) cut after every event and resumed ends equal", { tags: ["long"] }, endsEqual);

test("plan_for_goal has a plan made by the planner, told once what was wrong with it", async () => {
  const replies = [
    { steps: [{ id: "a", description: "write it", expectedResult: "it is there", dependsOn: ["a"] }] },
    { steps: [{ id: "a", description: "write it", expectedResult: "it is there" }] },
  ];
  const made = createTestEngine({
    agents: AGENTS,
    script: ({ system, messages }) => {
      if (system.startsWith("You are main."))
        return messages.some(({ role }) => role === "tool")
          ? { text: "Planned." }
          : { toolCalls: [{ tool: "plan_for_goal", input: { goal: "reach it" }, callId: "go" }] };
      return { text: JSON.stringify(JSON.stringify(messages[0]).includes("was refused") ? replies[1] : replies[0]) };
    },
  });
  const handle = await made.start("go");
  await handle.result;
  const events = made.log.read(handle.sessionId);
  expect(events.find(({ type }) => type === "plan.made")).toMatchObject({
    plan: {
      goal: "reach it",
      steps: [{ id: "a", agent: "executor", type: "implementation", dependsOn: [], requiresApproval: false }],
    },
  });
});
