/**
 * Carries out a plan. Steps run as soon as what they depend on is completed; after a failure an orchestrator decides how to go on; at the end it gives a
 * verdict, which cannot be better than what became of the steps. Everything is decided from the results of the runs below, which are found again after
 * a crash, so that a plan that is gone on with decides as one that was never cut.
 */
import type {
  CallOutcome,
  GivenCalls,
  OrchestratorDecision,
  PlanStep,
  PlanTotals,
  RunId,
  RunResult,
  StepState,
  SubTask,
  SubTaskResult,
  WaitingFor,
} from "@retinue/protocol";
import { findDoubts, NO_USAGE, readCallOutcomes, readEnding } from "@retinue/protocol";
import { evaluateReplySchema, stateReplySchema, verdictReplySchema } from "@retinue/protocol/schemas/plan";
import { readCheckResult } from "@retinue/protocol/test-case";
import { Parked } from "../loop/parked.ts";
import type { PlanGraph } from "./plan-graph.ts";
import type { StepOutcome } from "./plan-words.ts";
import { calledState, evaluateTask, stateTask, stepTask, toSubTask, verdictTask } from "./plan-words.ts";

/** A run that the plan needs. The same name always names the same run. */
export type PlanRun = {
  readonly name: string;
  readonly by: Worker | { readonly reply: "evaluate" | "verdict" | "state" } | { readonly given: GivenCalls };
  readonly task: string;
};

/** Who carries out a sub-task, and which of its tools it has for it. */
export type Worker = { readonly agent: string; readonly tools?: readonly string[]; readonly withoutTools?: readonly string[] };

export type StepEvent = {
  readonly step: PlanStep;
  readonly state: StepState;
  readonly attempt: number;
  readonly runId?: RunId;
  readonly summary?: string;
};

export type PlanPorts = {
  /** Starts a run below, or finds it again, and waits for it. Throws `Parked` where it waits outside of memory. */
  readonly start: (run: PlanRun) => Promise<RunResult>;
  readonly runIdOf: (name: string) => RunId;
  /** Null where a human allows the step to begin, or why not. */
  readonly ask: (step: PlanStep) => Promise<string | null>;
  /** Whether the record says that a step has begun. */
  readonly hasBegun: (stepId: string) => boolean;
  readonly onStep: (event: StepEvent) => void;
  readonly onDecision: (step: PlanStep, attempt: number, decision: OrchestratorDecision) => void;
};

export type PlanOptions = {
  readonly maxConcurrent: number;
  /** How often a step is tried again after a recovery. */
  readonly maxRecoveries: number;
  /** How long the state that a step is told may be. */
  readonly stateChars: number;
  readonly signal: AbortSignal;
};

export type SettledStep = {
  readonly step: PlanStep;
  readonly state: Exclude<StepState, "pending" | "in_progress">;
  readonly result: SubTaskResult;
};

export type PlanOutcome = {
  readonly status: "pass" | "fail";
  readonly summary: string;
  /** In the order of the plan. */
  readonly steps: readonly SettledStep[];
  readonly totals: PlanTotals;
};

export const runPlan = async (graph: PlanGraph, ports: PlanPorts, options: PlanOptions): Promise<PlanOutcome> => {
  const conductor = new Conductor(graph, ports, options);
  await conductor.runSteps();
  return conductor.conclude();
};

/** What recovers a step that only looks at what others made. */
const MENDER = "executor";
const LOOKS_ONLY: ReadonlySet<PlanStep["type"]> = new Set(["review", "testing", "research"]);

/** Who looks for what is wrong passes by finding red tests; steps of test cases are judged by their checks. */
const isJudged = ({ type, agent }: PlanStep): boolean => type !== "research" && !agent.startsWith("qa-");

type SubTaskRun = Pick<PlanRun, "name"> & { readonly by: Worker; readonly isJudged: boolean };

class Conductor {
  readonly #graph: PlanGraph;
  readonly #ports: PlanPorts;
  readonly #options: PlanOptions;
  readonly #settled = new Map<string, SettledStep>();
  readonly #begun = new Set<string>();
  readonly #tolerated = new Set<string>();
  readonly #states = new Map<string, { readonly covers: ReadonlySet<string>; readonly text: string }>();
  readonly #waits: WaitingFor[] = [];
  readonly #results = new Map<string, RunResult>();
  #stopped: string | null = null;
  #fault: { readonly thrown: unknown } | null = null;

  constructor(graph: PlanGraph, ports: PlanPorts, options: PlanOptions) {
    this.#graph = graph;
    this.#ports = ports;
    this.#options = options;
  }

  /** Returns when every step has ended. Throws `Parked` where some wait outside of memory and nothing else can be done. */
  async runSteps(): Promise<void> {
    const { signal, maxConcurrent } = this.#options;
    const running = new Map<string, Promise<void>>();
    for (;;) {
      for (let step = this.#next(); step && running.size < maxConcurrent; step = this.#next()) {
        const { id } = step;
        this.#begun.add(id);
        running.set(
          id,
          this.#carryOut(step)
            .catch((thrown: unknown) => this.#miss(thrown))
            .finally(() => running.delete(id)),
        );
      }
      if (running.size === 0) break;
      await Promise.race(running.values());
    }
    signal.throwIfAborted();
    if (this.#fault) throw this.#fault.thrown;
    if (this.#waits.length > 0) throw new Parked(this.#waits);
    for (const step of this.#graph.plan.steps)
      if (!this.#settled.has(step.id))
        this.#end(
          step,
          "blocked",
          `The plan was stopped: ${(this.#stopped ?? "a step it depends on was not carried out").replace(/\.$/, "")}.`,
        );
  }

  #miss(thrown: unknown): void {
    if (thrown instanceof Parked) this.#waits.push(...thrown.on);
    else this.#fault ??= { thrown };
  }

  /** The first step, in the order of the plan, that can begin. */
  #next(): PlanStep | undefined {
    if (this.#fault || this.#options.signal.aborted) return undefined;
    return this.#graph.plan.steps.find(
      ({ id, dependsOn }) =>
        !this.#begun.has(id) &&
        // What had begun before the plan was stopped is gone on with, also where that is only known from the record.
        (this.#stopped === null || this.#ports.hasBegun(id)) &&
        !this.#settled.has(id) &&
        dependsOn.every((needed) => this.#settled.get(needed)?.state === "completed"),
    );
  }

  async #carryOut(step: PlanStep): Promise<void> {
    this.#ports.onStep({ step, state: "in_progress", attempt: 1, runId: this.#ports.runIdOf(`${step.id}.1`) });
    if (step.requiresApproval) {
      const refusal = await this.#ports.ask(step);
      if (refusal !== null) return this.#block(step, refusal);
    }
    const state = await this.#stateFor(step);
    /** What was done before the step is tried again. */
    let since = "";
    for (let attempt = 1; ; attempt += 1) {
      const name = `${step.id}.${attempt}`;
      if (attempt > 1) this.#ports.onStep({ step, state: "in_progress", attempt, runId: this.#ports.runIdOf(name) });
      const made = step.calls && attempt === 1 ? await this.#make(name, step.calls) : null;
      const worked =
        made ??
        (await this.#work(
          { name, by: workerOf(step), isJudged: isJudged(step) },
          toSubTask(step),
          [state, since].filter((part) => part !== "").join("\n"),
        ));
      const { result, areBroken } = await this.#check(name, step, worked);
      if (result.status === "pass") return this.#end(step, "completed", result.summary, { attempt, result });
      // Checks that hold already could not tell whether an agent has done the step.
      if (made && made.status === "fail" && step.heal && areBroken) {
        since = made.told;
        continue;
      }
      const canRecover = attempt <= this.#options.maxRecoveries;
      const decision = await this.#decide(step, attempt, result, canRecover);
      this.#ports.onDecision(step, attempt, decision);
      if (decision.action === "continue") {
        this.#tolerated.add(step.id);
        return this.#fail(step, attempt, result);
      }
      if (decision.action === "stop" || !decision.recovery_task) {
        this.#stopped ??= decision.reason;
        return this.#fail(step, attempt, result);
      }
      const recoverer = { ...workerOf(step), agent: recovererOf(step) };
      const recovery = await this.#work(
        { name: `${step.id}.${attempt}.recovery`, by: recoverer, isJudged: isJudged(step) },
        decision.recovery_task,
        state,
      );
      if (recovery.status === "fail") {
        this.#stopped ??= `the recovery of step ${step.id} failed: ${recovery.summary}`;
        return this.#fail(step, attempt, result);
      }
      since = `- before this was tried again: ${recovery.summary}`;
    }
  }

  /**
   * One sub-task by one run: it has passed only where the run is completed and says so in the form it was given, and where nothing that was measured
   * speaks against it.
   */
  async #work({ name, by, isJudged: isMeasured }: SubTaskRun, task: SubTask, state: string): Promise<SubTaskResult> {
    const result = await this.#start({ name, by, task: stepTask(task, state) });
    const ending = readEnding(result.details);
    const { iterations } = result;
    if (result.status === "completed" && ending) {
      const doubts = isMeasured && ending.status === "pass" ? findDoubts(result) : [];
      if (doubts.length === 0) return { ...ending, iterations, error: null };
      const doubt = `${doubts.join("; ")}.`;
      return { status: "fail", summary: `${doubt} (though the agent reported: ${ending.summary})`, iterations, error: doubt };
    }
    const error = result.error?.message ?? `The run ended as ${result.status}.`;
    return { status: "fail", summary: ending ? `${ending.summary} (${error})` : error, iterations, error };
  }

  /** The calls that a step holds in place of an agent's work. */
  async #make(name: string, calls: GivenCalls["calls"]): Promise<SubTaskResult & { readonly told: string }> {
    const { outcomes, iterations, fault } = await this.#call(name, { calls });
    const failed = outcomes.find(({ isError }) => isError);
    const error = failed ? `${failed.tool} failed: ${failed.text}` : fault;
    const told = calledState(calls, outcomes);
    return error === null
      ? { status: "pass", summary: `${calls.length} recorded calls were made again.`, iterations, error, told }
      : { status: "fail", summary: error, iterations, error, told };
  }

  /** What we see ourselves stands beside what was said. A pass needs both; where they differ, both are told. */
  async #check(name: string, { checks = [] }: PlanStep, said: SubTaskResult): Promise<CheckedStep> {
    if (checks.length === 0) return { result: said, areBroken: false };
    const { outcomes, fault } = await this.#call(`${name}.checks`, { calls: checks, all: true });
    const broken = outcomes.flatMap((outcome) => describeBroken(outcome) ?? []);
    if (fault !== null) broken.push(fault);
    const held = { ...said, summary: `${said.summary} (though all ${checks.length} checks held)` };
    if (broken.length === 0) return { result: said.status === "pass" ? said : held, areBroken: false };
    const doubt = said.status === "pass" ? ` (though the agent reported: ${said.summary})` : ` ${said.summary}`;
    return { result: { ...said, status: "fail", summary: `${broken.join(" ")}${doubt}` }, areBroken: true };
  }

  async #call(
    name: string,
    given: GivenCalls,
  ): Promise<{ readonly outcomes: readonly CallOutcome[]; readonly iterations: number; readonly fault: string | null }> {
    const result = await this.#start({ name, by: { given }, task: "" });
    const outcomes = readCallOutcomes(result.details);
    const isWhole = result.status === "completed" && outcomes !== null;
    const fault = isWhole ? null : `Not all calls could be made: ${result.error?.message ?? result.status}.`;
    return { outcomes: outcomes ?? [], iterations: result.iterations, fault };
  }

  async #start(run: PlanRun): Promise<RunResult> {
    const result = await this.#ports.start(run);
    this.#results.set(run.name, result);
    // What was stopped with the plan says nothing about the step.
    this.#options.signal.throwIfAborted();
    return result;
  }

  async #decide(step: PlanStep, attempt: number, { summary }: SubTaskResult, canRecover: boolean): Promise<OrchestratorDecision> {
    if (step.calls) return { action: "stop", reason: "what was recorded could not be done again", recovery_task: null };
    const failed: StepOutcome = { step, state: "failed", summary };
    const task = evaluateTask(this.#graph.plan, failed, this.#outcomesBefore(step), canRecover);
    const result = await this.#start({ name: `${step.id}.${attempt}.evaluate`, by: { reply: "evaluate" }, task });
    const reply = evaluateReplySchema.safeParse(result.output);
    if (!reply.success)
      return {
        action: "stop",
        reason: `the orchestrator gave no decision: ${result.error?.message ?? result.status}`,
        recovery_task: null,
      };
    const { decision, reason, recovery_task: recovery = null } = reply.data;
    if (decision === "recover" && !canRecover)
      return {
        action: "stop",
        reason: `a recovery was tried already, and the orchestrator wants another: ${reason}`,
        recovery_task: null,
      };
    return { action: decision, reason, recovery_task: decision === "recover" ? recovery : null };
  }

  #fail(step: PlanStep, attempt: number, result: SubTaskResult): void {
    this.#end(step, "failed", result.summary, { attempt, result });
    for (const other of this.#graph.plan.steps)
      if (!this.#settled.has(other.id) && this.#graph.ancestors.get(other.id)?.has(step.id))
        this.#end(other, "skipped", `Step ${step.id}, which it depends on, failed.`);
  }

  #block(step: PlanStep, reason: string): void {
    this.#end(step, "blocked", reason);
    for (const other of this.#graph.plan.steps)
      if (!this.#settled.has(other.id) && this.#graph.ancestors.get(other.id)?.has(step.id))
        this.#end(other, "blocked", `Step ${step.id}, which it depends on, was not carried out.`);
  }

  #end(
    step: PlanStep,
    state: SettledStep["state"],
    summary: string,
    done?: { readonly attempt: number; readonly result: SubTaskResult },
  ): void {
    if (this.#settled.has(step.id)) return;
    const { attempt = 0, result = { status: "fail", summary, iterations: 0, error: summary } } = done ?? {};
    this.#settled.set(step.id, { step, state, result });
    this.#ports.onStep({
      step,
      state,
      attempt,
      summary,
      ...(done ? { runId: this.#ports.runIdOf(`${step.id}.${attempt}`) } : {}),
    });
  }

  /** What surely came before a step: one after the other, everything settled; side by side, only what it stands on, whatever else was quicker. */
  #outcomesBefore(step: PlanStep): readonly StepOutcome[] {
    const isBefore = (id: string): boolean =>
      this.#options.maxConcurrent === 1 || this.#graph.ancestors.get(step.id)?.has(id) === true;
    return this.#graph.plan.steps.flatMap(({ id }) => {
      const settled = id !== step.id && isBefore(id) ? this.#settled.get(id) : undefined;
      return settled ? [{ step: settled.step, state: settled.state, summary: settled.result.summary }] : [];
    });
  }

  /** The state that a step is told. It grows by a line a step, and is shortened by the orchestrator where it gets too long. */
  async #stateFor(step: PlanStep): Promise<string> {
    const before = this.#outcomesBefore(step).filter(({ state }) => state === "completed" || state === "failed");
    const shortened = before
      .flatMap(({ step: { id } }) => this.#states.get(id) ?? [])
      .reduce<{ readonly covers: ReadonlySet<string>; readonly text: string } | null>(
        (best, one) => (best === null || one.covers.size > best.covers.size ? one : best),
        null,
      );
    const lines = before
      .filter(({ step: { id } }) => shortened?.covers.has(id) !== true)
      .map(({ step: { id }, summary, state }) => `- after step ${id}${state === "failed" ? " (failed)" : ""}: ${summary}`);
    const text = [...(shortened ? [shortened.text] : []), ...lines].join("\n");
    const { stateChars } = this.#options;
    if (text.length <= stateChars) return text;
    const task = stateTask(this.#graph.plan, text, stateChars);
    const result = await this.#start({ name: `${step.id}.state`, by: { reply: "state" }, task });
    const reply = stateReplySchema.safeParse(result.output);
    const short = reply.success ? reply.data.state.slice(0, stateChars) : `[…]${text.slice(-stateChars)}`;
    this.#states.set(step.id, { covers: new Set(before.map((one) => one.step.id)), text: short });
    return short;
  }

  async conclude(): Promise<PlanOutcome> {
    const { plan } = this.#graph;
    const steps = plan.steps.flatMap(({ id }) => this.#settled.get(id) ?? []);
    const outcomes = steps.map(({ step, state, result }) => ({ step, state, summary: result.summary }));
    const mayPass =
      this.#stopped === null && steps.every(({ step, state }) => state === "completed" || this.#tolerated.has(step.id));
    // A plan of nothing but calls was decided by nobody, and is judged by what came of them.
    if (plan.steps.every(({ calls }) => calls !== undefined))
      return { status: mayPass ? "pass" : "fail", summary: toSummary(steps), steps, totals: this.#totals() };
    const result = await this.#start({ name: "verdict", by: { reply: "verdict" }, task: verdictTask(plan, outcomes) });
    const reply = verdictReplySchema.safeParse(result.output);
    const summary = toSummary(steps);
    // A plan has passed only where its orchestrator says so and every step bears it out.
    const verdict: Pick<PlanOutcome, "status" | "summary"> = !reply.success
      ? { status: "fail", summary: `The orchestrator gave no verdict: ${result.error?.message ?? result.status} ${summary}` }
      : reply.data.status === "pass" && !mayPass
        ? { status: "fail", summary }
        : reply.data;
    return {
      ...verdict,
      steps,
      totals: this.#totals(),
    };
  }

  #totals(): PlanTotals {
    let totals: PlanTotals = { iterations: 0, toolCalls: 0, usage: NO_USAGE, costUsd: 0 };
    for (const result of this.#results.values()) {
      const { usage, costUsd, iterations, toolCalls } = result.total ?? result;
      totals = {
        iterations: totals.iterations + iterations,
        toolCalls: totals.toolCalls + toolCalls,
        usage: {
          input: totals.usage.input + usage.input,
          output: totals.usage.output + usage.output,
          cached: totals.usage.cached + usage.cached,
          reasoning: totals.usage.reasoning + usage.reasoning,
        },
        costUsd: totals.costUsd === null || costUsd === null ? null : totals.costUsd + costUsd,
      };
    }
    return totals;
  }
}

/** What came of a step, and whether it is the checks that say so. */
type CheckedStep = { readonly result: SubTaskResult; readonly areBroken: boolean };

/** One that takes the place of calls has the tools of its healing alone. */
const workerOf = ({ agent, withoutTools, heal, calls }: PlanStep): Worker => ({
  agent,
  ...(withoutTools === undefined ? {} : { withoutTools }),
  ...(calls && heal ? { tools: heal.tools } : {}),
});

/** Null where the check held. What is no check holds where it did not fail. */
const describeBroken = ({ isError, text }: CallOutcome): string | null => {
  const found = readCheckResult(text);
  if (!found) return isError ? text : null;
  return found.status === "held" && !isError ? null : `Expected that ${found.expected}; seen: ${found.observed}.`;
};

const recovererOf = ({ type, agent }: PlanStep): string => (LOOKS_ONLY.has(type) ? MENDER : agent);

/** What stands in place of a verdict that was not given, or that the steps do not support. */
const toSummary = (steps: readonly SettledStep[]): string => {
  const bad = steps.filter(({ state }) => state !== "completed");
  return bad.length === 0
    ? `All ${steps.length} steps are completed.`
    : `${steps.length - bad.length} of ${steps.length} steps are completed. ${bad.map(({ step, state, result }) => `Step ${step.id} is ${state}: ${result.summary}`).join(" ")}`;
};
