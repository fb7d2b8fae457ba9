/** The tree of runs that events tell of, and how it looks in a terminal. */
import type { RetinueEvent, RunResult } from "retinue";

export type TreeNode = {
  readonly agent: string;
  readonly depth: number;
  readonly task: string;
  /** Names of the tools that were called, in the order in which the model asked for them, with what became of it where it is not `ok`. */
  readonly tools: readonly string[];
  readonly result: RunResult;
  readonly below: readonly TreeNode[];
  readonly lines: () => readonly string[];
};

/** From the main run down. */
export const toTree = (events: readonly RetinueEvent[]): TreeNode => {
  const toNode = (request: RetinueEvent): TreeNode => {
    if (request.type !== "run.requested") throw new Error(`${request.type} is no request`);
    const { runId, agent, depth } = request;
    const own = events.filter((event) => event.runId === runId);
    const settled = own.find((event) => event.type === "run.settled");
    if (settled?.type !== "run.settled") throw new Error(`${agent} has not settled`);
    // Calls of one turn are at work at the same time; told is the order in which they were asked for.
    const calls = own.flatMap((event) =>
      event.type === "model.answered" ? event.content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])) : [],
    );
    const placeOf = (callId: string | undefined): number => calls.findIndex((call) => call === callId);
    const below = events
      .filter((event) => event.type === "run.requested")
      .filter(({ parentRunId }) => parentRunId === runId)
      .toSorted((one, other) => placeOf(one.parentCallId) - placeOf(other.parentCallId))
      .map(toNode);
    const task = request.task.map((part) => (part.type === "text" ? part.text : "")).join("");
    const tools = own
      .filter((event) => event.type === "tool.settled")
      .toSorted((one, other) => placeOf(one.callId) - placeOf(other.callId))
      .map(({ tool, outcome }) => (outcome === "ok" ? tool : `${tool}: ${outcome}`));
    const { status, summary } = settled.result;
    const [line = ""] = task.split("\n");
    const lines = (): readonly string[] => [
      `${agent}  ${line}`,
      ...below.flatMap((node) => node.lines().map((text, index) => `${index === 0 ? "├─ " : "│  "}${text}`)),
      `└─ ${status}: ${summary.replaceAll("\n", " ")}`,
    ];
    return { agent, depth, task, tools, result: settled.result, below, lines };
  };
  const main = events.find((event) => event.type === "run.requested" && event.parentRunId === null);
  if (!main) throw new Error("no run was asked for");
  return toNode(main);
};
