/** What a fan-out is to do: the tasks that are given now, or those of one that was cut off, with the options that were given then. */
import { realpath } from "node:fs/promises";
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createId } from "../../create-id.ts";
import { findLatestOf } from "../record/find-session.ts";
import { withRecord } from "../record/open-for-command.ts";
import { wholeNumber } from "../record/whole-number.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import type { FanOutRecord } from "./fan-out-record.ts";
import { findFanOut } from "./fan-out-record.ts";
import { readFanOutTasks } from "./read-fan-out-tasks.ts";

export type FanOutCommandOptions = Omit<SessionOptions, "agent"> &
  ViewOptions & {
    readonly concurrency?: string;
    readonly tools?: string;
    readonly isolation?: string;
    /** A fan-out that was cut off; true stands for the latest of the folder. */
    readonly resume?: string | true;
  };

export type PreparedFanOut = {
  readonly record: FanOutRecord;
  readonly options: FanOutCommandOptions;
  readonly loaded: Awaited<ReturnType<typeof loadSessionSettings>>;
  readonly isResumed: boolean;
};

export const prepareFanOut = async (
  words: readonly string[],
  given: FanOutCommandOptions,
  surroundings: Surroundings,
): Promise<PreparedFanOut> => {
  const { stdin, env, redact } = surroundings;
  const { resume, json, quiet, workspace: folder, ...options } = given;
  if (resume !== undefined) {
    if (words.length > 0) throw new RetinueError("usage", "--resume takes no tasks: they are those that were given before.");
    const name = resume === true ? "latest" : resume;
    const workspace = await realpath(folder ?? ".");
    const latestOf = (ids: ReadonlySet<SessionId>): Promise<SessionId | undefined> =>
      withRecord({ workspace }, surroundings, ({ sessions }) => findLatestOf(ids, { sessions, workspace }));
    const record = await findFanOut({ name, workspace, env, latestOf });
    const { model, tools, isolation, approve, limit, concurrency } = record.options;
    const all: FanOutCommandOptions = {
      workspace: record.workspace,
      ...(model !== undefined && { model }),
      ...(tools !== undefined && { tools }),
      ...(isolation !== undefined && { isolation }),
      ...(approve !== undefined && { approve }),
      ...(limit !== undefined && { limit }),
      ...(concurrency !== undefined && { concurrency }),
      ...options,
      ...(json !== undefined && { json }),
      ...(quiet !== undefined && { quiet }),
    };
    return { record, options: all, loaded: await loadSessionSettings(all, surroundings), isResumed: true };
  }
  if (options.concurrency !== undefined) wholeNumber(options.concurrency, "--concurrency", 1);
  // Secrets that the settings lead to are known before a task is written down.
  const loaded = await loadSessionSettings(given, surroundings);
  const tasks = (await readFanOutTasks(words, stdin)).map(({ agent, task, model }) => ({
    agent,
    task: redact(task),
    ...(model !== undefined && { model }),
    sessionId: `ses_${createId()}` as const,
  }));
  const { limit, ...rest } = options;
  const record: FanOutRecord = {
    id: `fan_${createId()}`,
    workspace: await realpath(loaded.workspace),
    options: { ...rest, ...(limit !== undefined && { limit: [...limit] }) },
    tasks,
  };
  return { record, options: given, loaded, isResumed: false };
};
