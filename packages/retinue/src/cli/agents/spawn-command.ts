/** `retinue spawn`: runs one agent on one task and prints the result that it hands in. */
import type { RunHandle } from "@retinue/engine";
import type { RunResult } from "@retinue/protocol";
import { toJsonLine } from "../../terminal/json-line.ts";
import { EXIT, resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { formatBill, formatProgress } from "../progress-renderer.ts";
import { readTask } from "../read-task.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { ViewOptions } from "../show-run.ts";
import { toView } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import { workWith } from "../work-with.ts";
import { formatResult } from "./format-result.ts";
import { parseTools } from "./parse-tools.ts";

export type SpawnCommandOptions = Omit<SessionOptions, "agent"> & ViewOptions & { readonly tools?: string };

export const spawnCommand = async (
  agent: string,
  words: readonly string[],
  options: SpawnCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdout, stderr, redact } = surroundings;
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  const task = await readTask(words, surroundings.stdin);
  const view = toView(options);
  return workWith({ workspace, settings, view }, surroundings, async ({ retinue, signal }) => {
    const tools = options.tools === undefined ? undefined : parseTools(options.tools, retinue);
    const run = await retinue.run(task, {
      agent,
      signal,
      ...(tools !== undefined && { tools }),
      ...(options.model !== undefined && { model: options.model }),
    });
    const result = view.type === "text" ? await followProgress(run, surroundings) : await run.result;
    if (view.type === "text") await stderr.write(`retinue: ${formatBill(result)}\nretinue: recorded as ${run.sessionId}\n`);
    await stdout.write(view.type === "json" ? `${toJsonLine(result, redact)}\n` : formatResult(result, redact));
    if (stdout.closed.aborted && result.status === "cancelled") return EXIT.unread;
    if (result.error) await stderr.write(formatErrorValue(result.error, redact));
    return resultExitCode(result);
  });
};

/** What the run and those below it do goes to stderr; its words wait for the result. */
const followProgress = async (run: RunHandle, { stderr, redact }: Surroundings): Promise<RunResult> => {
  for await (const event of run) {
    const line = formatProgress(event, redact);
    if (line !== undefined) await stderr.write(`${line}\n`);
  }
  return run.result;
};
