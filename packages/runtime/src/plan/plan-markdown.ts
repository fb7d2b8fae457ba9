/** A plan as Markdown, to be read, edited and read back. */
import type { Plan, PlanStep, StepState, StepType } from "@retinue/protocol";
import { RetinueError, STEP_TYPES } from "@retinue/protocol";
import { AGENT_OF_TYPE } from "./replies.ts";

const MARKS: Readonly<Record<StepState, string>> = {
  pending: " ",
  in_progress: ">",
  completed: "x",
  failed: "!",
  skipped: "-",
  blocked: "?",
};

/** `states` says what became of the steps; without it none has begun. */
export const planToMarkdown = ({ goal, steps }: Plan, states: ReadonlyMap<string, StepState> = new Map()): string =>
  [`# ${oneLine(goal)}`, ...steps.map((step) => stepToMarkdown(step, states.get(step.id) ?? "pending"))].join("\n\n");

const stepToMarkdown = (step: PlanStep, state: StepState): string =>
  [
    `- [${MARKS[state]}] **${step.id}**: ${oneLine(step.description)}`,
    `  - expected: ${oneLine(step.expectedResult)}`,
    `  - agent: ${step.agent}`,
    `  - type: ${step.type}`,
    ...(step.dependsOn.length > 0 ? [`  - depends on: ${step.dependsOn.join(", ")}`] : []),
    ...(step.requiresApproval ? ["  - requires approval: yes"] : []),
    ...(step.estimatedToolCalls === undefined ? [] : [`  - tool calls: ${step.estimatedToolCalls}`]),
  ].join("\n");

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const STEP = /^- \[[ >x!?-]\] \*\*([^*]{1,64})\*\*: (.+)$/;
const FIELD = /^ {2,}- ([a-z ]+): (.*)$/;

type Draft = { readonly id: string; readonly description: string; readonly line: number; readonly fields: Map<string, string> };

/** Reads what `planToMarkdown` writes. What became of steps is not taken over. Throws `plan_invalid`, naming the line. */
export const parsePlanMarkdown = (text: string): Plan => {
  let goal: string | null = null;
  const drafts: Draft[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const number = index + 1;
    const [, id, description] = STEP.exec(line) ?? [];
    const [, name, value] = FIELD.exec(line) ?? [];
    if (line.startsWith("# ")) goal ??= line.slice(2).trim();
    else if (id !== undefined && description !== undefined)
      drafts.push({ id: id.trim(), description: description.trim(), line: number, fields: new Map() });
    else if (name !== undefined && value !== undefined && drafts.length > 0) readField(drafts.at(-1), name, value, number);
    else if (line.trim() !== "")
      throw invalid(
        number,
        `"${line.trim().slice(0, 60)}" is neither the goal (# …), a step (- [ ] **id**: …) nor a field of one`,
      );
  }
  if (goal === null || goal === "")
    throw new RetinueError("plan_invalid", "The plan has no goal: its first line is # and what is to be achieved.");
  return { goal, steps: drafts.map(toStep) };
};

const FIELDS: ReadonlySet<string> = new Set(["expected", "agent", "type", "depends on", "requires approval", "tool calls"]);

const readField = (draft: Draft | undefined, name: string, value: string, line: number): void => {
  if (!FIELDS.has(name)) throw invalid(line, `"${name}" is no field of a step; there are ${[...FIELDS].join(", ")}`);
  draft?.fields.set(name, value.trim());
};

const toStep = ({ id, description, line, fields }: Draft): PlanStep => {
  const expectedResult = fields.get("expected");
  if (expectedResult === undefined || expectedResult === "") throw invalid(line, `step ${id} does not say what is expected`);
  const type = fields.get("type") ?? "implementation";
  if (!isStepType(type)) throw invalid(line, `step ${id} has the type "${type}"; there are ${STEP_TYPES.join(", ")}`);
  const calls = fields.get("tool calls");
  if (calls !== undefined && !/^\d{1,6}$/.test(calls))
    throw invalid(line, `step ${id} estimates "${calls}" tool calls, which is no number`);
  return {
    id,
    description,
    expectedResult,
    type,
    agent: fields.get("agent") ?? AGENT_OF_TYPE[type],
    dependsOn: (fields.get("depends on") ?? "")
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
    requiresApproval: fields.get("requires approval") === "yes",
    ...(calls === undefined ? {} : { estimatedToolCalls: Number(calls) }),
  };
};

const isStepType = (text: string): text is StepType => (STEP_TYPES as readonly string[]).includes(text);

const invalid = (line: number, what: string): RetinueError => new RetinueError("plan_invalid", `Line ${line}: ${what}.`);
