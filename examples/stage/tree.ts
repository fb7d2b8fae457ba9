/** The tree of runs that events tell of, and how it looks in a terminal. Drawn from the same view as every other surface. */
import { foldSession, type CallView, type RetinueEvent, type RunResult, type RunView } from "retinue";

export type TreeNode = {
  readonly agent: string;
  readonly depth: number;
  readonly task: string;
  /** The calls, in the order in which the model asked for them; calls of one turn are at work at the same time. */
  readonly calls: readonly CallView[];
  /** Names of the tools that were called, in that order, with what became of it where it is not `ok`. */
  readonly tools: readonly string[];
  readonly result: RunResult;
  readonly below: readonly TreeNode[];
  readonly lines: () => readonly string[];
};

/** From the main run down. */
export const toTree = (events: readonly RetinueEvent[]): TreeNode => {
  const [first] = events;
  if (!first) throw new Error("nothing was told");
  const { roots } = foldSession(first.sessionId, events);
  const [main] = roots;
  if (!main) throw new Error("no run was asked for");
  return toNode(main);
};

const toNode = (run: RunView): TreeNode => {
  const { agent, depth, result } = run;
  if (result === null) throw new Error(`${agent} has not settled`);
  const calls = run.steps.flatMap((step) => step.calls);
  const below = calls.flatMap(({ children }) => children).map(toNode);
  const task = run.task.map((part) => (part.type === "text" ? part.text : "")).join("");
  const [line = ""] = task.split("\n");
  const lines = (): readonly string[] => [
    `${agent}  ${line}`,
    ...below.flatMap((node) => node.lines().map((text, index) => `${index === 0 ? "├─ " : "│  "}${text}`)),
    `└─ ${result.status}: ${result.summary.replaceAll("\n", " ")}`,
  ];
  const tools = calls.map(({ tool, outcome }) => (outcome === "ok" ? tool : `${tool}: ${outcome}`));
  return { agent, depth, task, calls, tools, result, below, lines };
};
