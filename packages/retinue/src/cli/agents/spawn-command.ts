/** `retinue spawn`: runs one agent on one task and prints the result that it hands in. */
import { formatDenials, watchDenials } from "../denials.ts";
import { resultExitCode, withDenials } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { followLines } from "../live/follow-lines.ts";
import { readTask } from "../read-task.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import { followJson, readToEnd, toView } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { writeResult } from "./write-result.ts";
import { parseIsolation } from "./parse-isolation.ts";
import { parseTools } from "./parse-tools.ts";

export type SpawnCommandOptions = Omit<SessionOptions, "agent"> &
  ViewOptions & { readonly tools?: string; readonly isolation?: string };

export const spawnCommand = async (
  agent: string,
  words: readonly string[],
  options: SpawnCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stderr, redact } = surroundings;
  const isolation = parseIsolation(options.isolation);
  const { settings, workspace, flagged } = await loadSessionSettings(options, surroundings);
  const task = await readTask(words, surroundings.stdin, surroundings.stderr.write);
  const view = toView(options);
  return workWith({ workspace, settings, view }, surroundings, async (at) => {
    const { retinue, signal, show } = at;
    const tools = options.tools === undefined ? undefined : parseTools(options.tools, retinue);
    const run = await retinue.run(task, {
      agent,
      signal,
      ...(isolation !== undefined && { isolation }),
      ...(tools !== undefined && { tools }),
      ...flagged,
    });
    return show(run, async () => {
      const watched = watchDenials(run);
      if (view.type === "text") await followLines(watched, at, { tellsEnd: true });
      if (view.type === "json") await followJson(watched, surroundings);
      if (view.type === "quiet") await readToEnd(watched);
      const result = await run.result;
      if (view.type !== "json") await writeResult(result, surroundings);
      if (result.error) await stderr.write(formatErrorValue(result.error, redact));
      await stderr.write(formatDenials(watched.denials(), at.effectOf, redact));
      return withDenials(resultExitCode(result), watched.denials());
    });
  });
};
