/**
 * The live log of a case: what the orchestrator decides and what its sub-agents do, line by line, in the form that testers know:
 * `[Orchestrator] Sub-task 1/5: …`, and below it `  [Sub-agent] browser_navigate(url="…")`. What the runner checks itself stands beside it.
 */
import type { CallId, EventOf, Json, Plan, RetinueEvent, RunId, SessionId } from "@retinue/protocol";
import { readEnding } from "@retinue/protocol";
import { readCheckResult } from "@retinue/protocol/test-case";

export type CaseLog = {
  /** The lines that an event is worth. */
  readonly take: (event: RetinueEvent) => readonly string[];
};

const MOST_ARGUMENT = 160;

export const createCaseLog = (): CaseLog => {
  let plan: Plan | null = null;
  /** Runs that carry out a step, and those that make checks. */
  const steps = new Set<RunId>();
  const checks = new Set<RunId>();
  /** Sessions whose plan was told; what cleans up after a case is another plan. */
  const told = new Set<SessionId>();
  /** Calls that only plan. */
  const planning = new Set<CallId>();

  /** Where recorded acts are done again, nobody plans or decides. */
  const isAgain = (): boolean => plan !== null && plan.steps.every(({ calls }) => calls !== undefined);
  const who = (): string => (isAgain() ? "[Runner]" : "[Orchestrator]");

  const position = (stepId: string): string => {
    const at = plan?.steps.findIndex(({ id }) => id === stepId) ?? -1;
    return `${at + 1}/${plan?.steps.length ?? 0}`;
  };

  const onRequest = ({ depth, agent, runId }: EventOf<"run.requested">): readonly string[] => {
    if (depth > 0 && agent === "qa-step") steps.add(runId);
    if (depth > 0 && agent === "calls") checks.add(runId);
    return [];
  };

  const take = (event: RetinueEvent): readonly string[] => {
    if (event.type === "plan.made") return onPlan(event);
    if (event.type === "plan.step") return onStep(event);
    if (event.type === "plan.decided") return formatDecision(who(), event);
    if (event.type === "plan.settled") return [`${who()} Verdict: ${event.status.toUpperCase()} — ${oneLine(event.summary)}`];
    if (event.type === "run.requested") return onRequest(event);
    if (event.type === "tool.settled") return onCall(event);
    if (event.type === "tool.started" && event.tool === "plan_test_case") planning.add(event.callId);
    if (!steps.has(event.runId)) return [];
    if (event.type === "tool.started" && event.aside === undefined)
      return [`  [Sub-agent] ${formatCall(event.tool, event.input)}`];
    return event.type === "run.settled" ? [`  [Sub-agent] ${formatEnding(event)}`] : [];
  };

  /** What is carried out counts, and not what was planned before. */
  const onPlan = ({ plan: made, depth, callId, sessionId }: EventOf<"plan.made">): readonly string[] => {
    if (planning.has(callId)) return [];
    plan = made;
    if (depth > 0 || told.has(sessionId)) return [];
    told.add(sessionId);
    return isAgain()
      ? [`[Runner] Doing again what was recorded: ${made.steps.length} steps`]
      : [`[Orchestrator] Planning: decomposed test case into ${made.steps.length} sub-tasks`];
  };

  const onStep = ({ stepId, state, attempt, summary }: EventOf<"plan.step">): readonly string[] => {
    const step = plan?.steps.find(({ id }) => id === stepId);
    if (!step) return [];
    const head = `${who()} ${isAgain() ? "Step" : "Sub-task"} ${position(stepId)}`;
    const more = attempt === 1 ? "" : isAgain() ? " (by an agent: what was recorded could not be done)" : " (again)";
    if (state === "in_progress") return [`${head}: ${oneLine(step.description)}${more}`];
    if (state === "skipped" || state === "blocked") return [`${head} is ${state}: ${oneLine(summary ?? "")}`];
    return [];
  };

  const onCall = (event: EventOf<"tool.settled">): readonly string[] => {
    if (!checks.has(event.runId)) return [];
    const text = event.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const found = readCheckResult(text);
    if (!found) return event.outcome === "ok" ? [] : [`  [Runner] ${event.tool} failed: ${oneLine(text)}`];
    return [
      `  [Runner] ${found.status}: ${oneLine(found.expected)}${found.status === "held" ? "" : `; seen: ${oneLine(found.observed)}`}`,
    ];
  };

  return { take };
};

/** As a call is written: `browser_type(description="email input", text="…")`. */
export const formatCall = (tool: string, input: Json): string => {
  const fields = typeof input === "object" && input !== null && !Array.isArray(input) ? Object.entries(input) : [];
  return `${tool}(${fields.map(([name, value]) => `${name}=${cut(JSON.stringify(value))}`).join(", ")})`;
};

const formatDecision = (who: string, { decision, reason, recoveryTask }: EventOf<"plan.decided">): readonly string[] => [
  `${who} Decision: ${decision}: ${oneLine(reason)}`,
  ...(recoveryTask ? [`${who} Recovery: ${oneLine(recoveryTask.description)}`] : []),
];

const formatEnding = ({ result }: EventOf<"run.settled">): string => {
  const ending = result.status === "completed" ? readEnding(result.details) : null;
  return ending
    ? `RESULT: ${ending.status.toUpperCase()} — ${oneLine(ending.summary)}`
    : `ended as ${result.status}: ${oneLine(result.error?.message ?? "it did not say RESULT and SUMMARY")}`;
};

const cut = (text: string): string => (text.length > MOST_ARGUMENT ? `${text.slice(0, MOST_ARGUMENT)}…` : text);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
