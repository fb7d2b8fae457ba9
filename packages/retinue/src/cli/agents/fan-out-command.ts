/** `retinue fanout`: several tasks for several agents at once. Results come in the order of the tasks; a failing one loses no other. */
import type { RunHandle } from "@retinue/engine";
import { createMergeOrder } from "@retinue/engine";
import type { RunResult } from "@retinue/protocol";
import type { FanOutTask } from "../../create-retinue.ts";
import { fanOut } from "../../fan-out.ts";
import { count } from "../amounts.ts";
import { EXIT, resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { toCell } from "../record/to-cell.ts";
import { wholeNumber } from "../record/whole-number.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { View, ViewOptions } from "../show-run.ts";
import { followJson, toView } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { findAgent } from "./find-agent.ts";
import { followProgress } from "./follow-progress.ts";
import { formatResult } from "./format-result.ts";
import { parseIsolation } from "./parse-isolation.ts";
import { parseTools } from "./parse-tools.ts";
import { readFanOutTasks } from "./read-fan-out-tasks.ts";
import { toResultsLine } from "./results-line.ts";

export type FanOutCommandOptions = Omit<SessionOptions, "agent"> &
  ViewOptions & { readonly concurrency?: string; readonly tools?: string; readonly isolation?: string };

export const fanOutCommand = async (
  words: readonly string[],
  options: FanOutCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdin, stdout, stderr, redact } = surroundings;
  const most = options.concurrency === undefined ? undefined : wholeNumber(options.concurrency, "--concurrency", 1);
  const isolation = parseIsolation(options.isolation);
  const mergeOrder = createMergeOrder();
  const { settings, workspace, flagged } = await loadSessionSettings(options, surroundings);
  const tasks = await readFanOutTasks(words, stdin);
  const maxConcurrent = most ?? settings.agent.maxConcurrent;
  const view = toView(options);
  return workWith({ workspace, settings, view }, surroundings, async ({ retinue, signal }) => {
    const aliases = new Map([...retinue.agents.values()].flatMap((agent) => agent.aliases.map((alias) => [alias, agent.name])));
    // A name that is wrong is told before anything is spent.
    for (const { agent } of tasks) findAgent(agent, { agents: retinue.agents, aliases });
    const tools = options.tools === undefined ? undefined : parseTools(options.tools, retinue);
    if (view.type === "text") await stderr.write(`retinue: ${count(tasks.length, "task")}, at most ${maxConcurrent} at a time\n`);
    const numbered = tasks.map((task, index) => ({ ...task, mark: toMark(index + 1, tasks.length) }));
    const results = await fanOut(numbered, maxConcurrent, async ({ agent, task, model = options.model, mark }) => {
      const run = await retinue.run(task, {
        agent,
        signal,
        mergeOrder,
        ...(isolation !== undefined && { isolation }),
        ...(tools !== undefined && { tools }),
        ...flagged,
        ...(model !== undefined && { model }),
      });
      await follow(run, { view, mark }, surroundings);
      return run.result;
    });
    await printResults(results, { tasks, view }, surroundings);
    const wasUnread = stdout.closed.aborted;
    if (!wasUnread)
      for (const [index, { error }] of results.entries())
        if (error) await stderr.write(`${toMark(index + 1, tasks.length)}${formatErrorValue(error, redact)}`);
    return wasUnread ? EXIT.unread : fanOutExitCode(results);
  });
};

/** `[2] ` before the lines of the second, as wide as that of the last. */
const toMark = (number: number, of: number): string => `${`[${number}]`.padEnd(String(of).length + 2)} `;

const follow = async (
  run: RunHandle,
  { view, mark }: { readonly view: View; readonly mark: string },
  surroundings: Surroundings,
): Promise<void> => {
  switch (view.type) {
    case "json":
      return followJson(run, surroundings);
    case "text":
      return followProgress(run, { mark }, surroundings);
    case "quiet":
      return;
    default:
      return view satisfies never;
  }
};

const printResults = async (
  results: readonly RunResult[],
  { tasks, view }: { readonly tasks: readonly FanOutTask[]; readonly view: View },
  { stdout, redact }: Surroundings,
): Promise<void> => {
  if (view.type === "json") return stdout.write(toResultsLine(results, redact));
  for (const [index, result] of results.entries()) {
    const { agent = "", task = "" } = tasks[index] ?? {};
    await stdout.write(
      `${index === 0 ? "" : "\n"}## ${index + 1}. ${toCell(agent, redact)}: ${toCell(task, redact)}\n\n${formatResult(result, redact)}`,
    );
  }
};

/** Done if all are, stopped by a limit if nothing worse happened to any, failed otherwise. */
export const fanOutExitCode = (results: readonly RunResult[]): number => {
  const codes = new Set(results.map(resultExitCode));
  codes.delete(EXIT.done);
  if (codes.size === 0) return EXIT.done;
  codes.delete(EXIT.limit);
  return codes.size === 0 ? EXIT.limit : EXIT.failed;
};
