/** `retinue run`: one task, for scripts. Text or events to stdout, progress to stderr, and an exit code that tells how it ended. */
import { createInterface } from "node:readline/promises";
import type { Ask } from "./ask-approval.ts";
import { createApprover } from "./ask-approval.ts";
import type { Interrupts } from "./interrupts.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { readTask } from "./read-task.ts";
import type { SessionOptions } from "./session-options.ts";
import { loadSessionSettings } from "./session-options.ts";
import type { View } from "./show-run.ts";
import { offlineNotice, showRun } from "./show-run.ts";
import type { Surroundings } from "./surroundings.ts";

export type RunCommandOptions = SessionOptions & { readonly json?: boolean; readonly quiet?: boolean };

const toView = ({ json, quiet }: RunCommandOptions): View => {
  if (json === true) return { type: "json" };
  return { type: quiet === true ? "quiet" : "text" };
};

export const runCommand = async (
  words: readonly string[],
  options: RunCommandOptions,
  surroundings: Surroundings,
): Promise<number> => {
  const { stdin, stdout, stderr, env } = surroundings;
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  const task = await readTask(words, stdin);
  const interrupts = listenForInterrupts(
    () => void stderr.write(`${stderr.isTerminal ? "\n" : ""}retinue: stopping; once more to leave at once.\n`),
  );
  try {
    const { createRetinue } = await import("../create-retinue.ts");
    const retinue = await createRetinue({
      workspace,
      settings,
      env,
      ...(stdin.isTTY === true &&
        stderr.isTerminal && { approver: createApprover(createAsk(surroundings, interrupts), surroundings.redact) }),
    });
    try {
      const view = toView(options);
      if (view.type === "text") await stderr.write(offlineNotice(retinue.model));
      const run = await retinue.run(task, {
        signal: AbortSignal.any([interrupts.signal, stdout.closed]),
        ...(options.agent !== undefined && { agent: options.agent }),
      });
      const { exitCode } = await showRun(run, view, surroundings);
      return interrupts.exitCode() ?? exitCode;
    } finally {
      await retinue.close();
    }
  } finally {
    interrupts.release();
  }
};

/** The terminal is held only while it asks. */
const createAsk =
  ({ stdin }: Surroundings, interrupts: Interrupts): Ask =>
  async (question, signal) => {
    const terminal = createInterface({ input: stdin, output: process.stderr, terminal: true });
    terminal.on("SIGINT", () => interrupts.raise("SIGINT"));
    try {
      return await terminal.question(question, { signal });
    } finally {
      terminal.close();
    }
  };
