/** A step of recorded calls that an agent may heal: which runs it takes, what the agent is told and holds, and that it goes on alike wherever it was cut. */
import type { CallOutcome, Plan, PlanStep, RunResult } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { toPlanGraph } from "./plan-graph.ts";
import type { PlanRun } from "./run-plan.ts";
import { runPlan } from "./run-plan.ts";

const STEP: PlanStep = {
  id: "2",
  description: "Click the Save button",
  expectedResult: "It is saved.",
  type: "check",
  agent: "qa-step",
  dependsOn: [],
  requiresApproval: false,
  calls: [
    { tool: "browser_type", input: { name: "Title", text: "a" } },
    { tool: "browser_click", input: { name: "Save" } },
    { tool: "browser_press", input: { key: "Escape" } },
  ],
  checks: [{ tool: "browser_check", input: { check: "saved" } }],
  heal: { tools: ["browser_click"] },
};

const toResult = (more: Partial<RunResult>): RunResult =>
  ({
    status: "completed",
    summary: "",
    details: "",
    iterations: 1,
    toolCalls: 1,
    usage: NO_USAGE,
    costUsd: 0,
    ...more,
  }) as RunResult;

const ofCalls = (...outcomes: readonly CallOutcome[]): RunResult => toResult({ details: JSON.stringify(outcomes) });
const check = (status: "held" | "failed"): RunResult =>
  ofCalls({
    tool: "browser_check",
    isError: false,
    text: JSON.stringify({ status, expected: "it is saved", observed: "nothing", scoped: true }),
  });

const UNMADE = ofCalls(
  { tool: "browser_type", isError: false, text: "Typed." },
  { tool: "browser_click", isError: true, text: "Nothing on the page is Save.\nmore" },
);
const SAID = toResult({ details: "RESULT: PASS\nSUMMARY: It was saved." });

type Answers = Readonly<Record<string, RunResult>>;

class Cut extends Error {}

/** Runs the plan on these answers, which are known by the names of runs; `most` runs are started anew before the process is gone. */
const carryOut = async (answers: Answers, step = STEP, known = new Map<string, RunResult>(), most = Infinity) => {
  const started: PlanRun[] = [];
  const states: string[] = [];
  const plan: Plan = { goal: "save", steps: [step] };
  const outcome = await runPlan(
    toPlanGraph(plan, { maxSteps: 30, agents: ["qa-step"] }),
    {
      start: async (run) => {
        const found = known.get(run.name);
        if (found) return found;
        if (started.length >= most) throw new Cut();
        started.push(run);
        const answer = answers[run.name];
        if (!answer) throw new Error(`nobody expected ${run.name}`);
        known.set(run.name, answer);
        return answer;
      },
      runIdOf: (name) => `run_${name}`,
      ask: async () => null,
      hasBegun: () => true,
      onStep: ({ state, attempt }) => void states.push(`${state} ${attempt}`),
      onDecision: () => undefined,
    },
    { maxConcurrent: 1, maxRecoveries: 1, stateChars: 4_000, signal: new AbortController().signal },
  );
  return { outcome, started, states };
};

const HEALED: Answers = { "2.1": UNMADE, "2.1.checks": check("failed"), "2.2": SAID, "2.2.checks": check("held") };

describe("a step of recorded calls", () => {
  test("that cannot be made is done by its agent once, with the tools of healing and what was done so far", async () => {
    const { outcome, started, states } = await carryOut(HEALED);
    expect(outcome.status).toBe("pass");
    expect(started.map(({ name }) => name)).toEqual(["2.1", "2.1.checks", "2.2", "2.2.checks"]);
    expect(started[2]?.by).toEqual({ agent: "qa-step", tools: ["browser_click"] });
    expect(started[2]?.task).toContain(
      [
        '- done: browser_type {"name":"Title","text":"a"}',
        '- could not be done: browser_click {"name":"Save"}: Nothing on the page is Save.',
        '- not tried: browser_press {"key":"Escape"}',
      ].join("\n"),
    );
    expect(states).toEqual(["in_progress 1", "in_progress 2", "completed 2"]);
  });

  test.each([
    ["its checks hold already", { ...HEALED, "2.1.checks": check("held") }, STEP],
    ["it has none", HEALED, { ...STEP, checks: [] }],
    ["nobody may heal it", HEALED, { ...STEP, heal: undefined }],
    ["its calls were made and the checks failed", { ...HEALED, "2.1": ofCalls() }, STEP],
  ] as const)("is not healed where %s", async (_, answers, { heal, ...step }) => {
    const { outcome, started } = await carryOut(answers, { ...step, ...(heal === undefined ? {} : { heal }) });
    expect(outcome.status).toBe("fail");
    expect(started.every(({ name }) => name.startsWith("2.1"))).toBe(true);
  });

  test("that its agent does not bring about either has failed, and is not tried again", async () => {
    const { outcome, started } = await carryOut({ ...HEALED, "2.2.checks": check("failed") });
    expect(outcome.status).toBe("fail");
    expect(started.at(-1)?.name).toBe("2.2.checks");
  });

  test("goes on alike wherever it was cut", async () => {
    const whole = await carryOut(HEALED);
    for (let most = 0; most < whole.started.length; most += 1) {
      const known = new Map<string, RunResult>();
      await expect(carryOut(HEALED, STEP, known, most)).rejects.toThrow(Cut);
      const rest = await carryOut(HEALED, STEP, known);
      expect(rest.outcome).toEqual(whole.outcome);
      expect(rest.started.map(({ name }) => name)).toEqual(whole.started.slice(most).map(({ name }) => name));
    }
  });
});
