/** The tasks of a fan-out: pairs of agent and task on the command line, or lines of JSON that are piped in. */
import { RetinueError } from "@retinue/protocol";
import { describeIssues } from "@retinue/protocol/describe-issues";
import { z } from "zod";
import type { FanOutTask } from "../../host/workspace.ts";
import { readTask } from "../read-task.ts";
import type { Surroundings } from "../surroundings.ts";

const HINT = `Give pairs, as in retinue fanout code-search "where is X?" reviewer "review Y", or lines like {"agent":"code-search","task":"where is X?"}.`;

const lineSchema = z.strictObject({ agent: z.string().min(1), task: z.string().min(1), model: z.string().min(1).optional() });

/** On the command line an agent is named. */
export type NamedTask = FanOutTask & { readonly agent: string };

export const readFanOutTasks = async (words: readonly string[], stdin: Surroundings["stdin"]): Promise<readonly NamedTask[]> => {
  if (words.length > 0 && !(words.length === 1 && words[0] === "-")) return fromWords(words);
  return fromLines(await readTask(words, stdin));
};

const fromWords = (words: readonly string[]): readonly NamedTask[] => {
  if (words.length % 2 !== 0)
    throw new RetinueError("usage", `${words.at(-1)} is an agent without a task, or a task without an agent.`, { hint: HINT });
  return words.flatMap((agent, index) => {
    const task = words[index + 1];
    if (index % 2 !== 0 || task === undefined) return [];
    if (task.trim() === "") throw new RetinueError("task_empty", `The task for ${agent} is empty.`);
    return [{ agent, task }];
  });
};

const fromLines = (text: string): readonly NamedTask[] =>
  text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const where = `Line ${index + 1} of standard input`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (cause) {
      throw new RetinueError("usage", `${where} is not JSON.`, { hint: HINT, cause });
    }
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success)
      throw new RetinueError(
        "usage",
        `${where} is not an object with agent and task: ${describeIssues(parsed.error).replaceAll("\n", "; ")}`,
        {
          hint: HINT,
        },
      );
    if (parsed.data.task.trim() === "") throw new RetinueError("task_empty", `${where}: the task is empty.`);
    const { agent, task, model } = parsed.data;
    return [{ agent, task, ...(model !== undefined && { model }) }];
  });
