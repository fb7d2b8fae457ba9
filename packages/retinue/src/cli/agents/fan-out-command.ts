/** `retinue fanout`: several tasks for several agents at once. Results come in the order of the tasks; a failing one loses no other. */
import type { RunResult } from "@retinue/protocol";
import { toJsonLine } from "../../terminal/json-line.ts";
import { count } from "../amounts.ts";
import { EXIT, resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { formatBill } from "../progress-renderer.ts";
import { toCell } from "../record/to-cell.ts";
import { wholeNumber } from "../record/whole-number.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { findAgent } from "./find-agent.ts";
import { formatResult } from "./format-result.ts";
import { parseTools } from "./parse-tools.ts";
import { readFanOutTasks } from "./read-fan-out-tasks.ts";

export type FanOutCommandOptions = Omit<SessionOptions, "agent"> & {
  readonly concurrency?: string;
  readonly tools?: string;
  readonly json?: boolean;
};

export const fanOutCommand = async (
  words: readonly string[],
  options: FanOutCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdin, stdout, stderr, redact } = surroundings;
  const most = options.concurrency === undefined ? undefined : wholeNumber(options.concurrency, "--concurrency", 1);
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  const tasks = await readFanOutTasks(words, stdin);
  const isJson = options.json === true;
  const maxConcurrent = most ?? settings.agent.maxConcurrent;
  const view = { type: isJson ? "json" : "text" } as const;
  return workWith({ workspace, settings, view }, surroundings, async ({ retinue, signal }) => {
    const aliases = new Map([...retinue.agents.values()].flatMap((agent) => agent.aliases.map((alias) => [alias, agent.name])));
    // A name that is wrong is told before anything is spent.
    for (const { agent } of tasks) findAgent(agent, { agents: retinue.agents, aliases });
    const tools = options.tools === undefined ? undefined : parseTools(options.tools, retinue);
    if (!isJson) await stderr.write(`retinue: ${count(tasks.length, "task")}, at most ${maxConcurrent} at a time\n`);
    const results = await retinue.fanOut(
      tasks.map((task) => ({ ...task, ...(tools !== undefined && { tools }) })),
      { maxConcurrent, signal },
    );
    if (isJson) await stdout.write(`${toJsonLine(results, redact)}\n`);
    else
      for (const [index, result] of results.entries()) {
        const { agent = "", task = "" } = tasks[index] ?? {};
        await stdout.write(
          `${index === 0 ? "" : "\n"}## ${index + 1}. ${toCell(agent, redact)}: ${toCell(task, redact)}\n\n${formatResult(result, redact)}`,
        );
        await stderr.write(`retinue: ${toCell(agent, redact)} ${formatBill(result)}\n`);
        if (result.error) await stderr.write(formatErrorValue(result.error, redact));
      }
    return fanOutExitCode(results);
  });
};

/** Done if all are, stopped by a limit if nothing worse happened to any, failed otherwise. */
export const fanOutExitCode = (results: readonly RunResult[]): number => {
  const codes = new Set(results.map(resultExitCode));
  codes.delete(EXIT.done);
  if (codes.size === 0) return EXIT.done;
  codes.delete(EXIT.limit);
  return codes.size === 0 ? EXIT.limit : EXIT.failed;
};
