/**
 * A retinue at work for one command: signals cancel what runs, questions are asked at the terminal where there is one, and everything
 * is let go of at the end.
 */
import type { RunHandle } from "@retinue/engine";
import { createInterface } from "node:readline/promises";
import type { Retinue, RetinueOptions } from "../create-retinue.ts";
import type { Settings } from "../settings/settings.ts";
import type { Ask } from "./ask-approval.ts";
import { createApprover } from "./ask-approval.ts";
import { screenOf } from "./output.ts";
import { formatLeftOut } from "./format-left-out.ts";
import type { Interrupts } from "./interrupts.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Shown, View } from "./show-run.ts";
import { offlineNotice, showRun } from "./show-run.ts";
import type { Surroundings } from "./surroundings.ts";

export type WorkOptions = {
  readonly workspace: string;
  readonly settings: Settings;
  readonly view: View;
  /** In addition, for `createRetinue`. */
  readonly more?: Pick<RetinueOptions, "model" | "store" | "tap">;
};

export type AtWork = {
  readonly retinue: Retinue;
  /** Aborted by an interrupt, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
  readonly show: (run: RunHandle) => Promise<Shown>;
};

/** Gives the exit code of `work`, or that of the signal that ended it. */
export const workWith = async (
  { workspace, settings, view, more = {} }: WorkOptions,
  surroundings: Surroundings,
  work: (at: AtWork) => Promise<number>,
): Promise<number> => {
  const { stdin, stdout, stderr, env } = surroundings;
  const interrupts = listenForInterrupts(
    () => void stderr.write(`${stderr.isTerminal ? "\n" : ""}retinue: stopping; once more to leave at once.\n`),
  );
  try {
    const { createRetinue } = await import("../create-retinue.ts");
    const retinue = await createRetinue({
      workspace,
      settings,
      env,
      ...more,
      ...(stdin.isTTY === true &&
        stderr.isTerminal && {
          approver: createApprover(createAsk(surroundings, interrupts), surroundings.redact, () => screenOf(stderr)),
        }),
    });
    try {
      await stderr.write(formatLeftOut(retinue, surroundings.redact));
      if (view.type === "text") await stderr.write(offlineNotice(retinue.model));
      const signal = AbortSignal.any([interrupts.signal, stdout.closed]);
      const show = async (run: RunHandle): Promise<Shown> => {
        const shown = await showRun(run, view, surroundings);
        if (view.type === "text") await stderr.write(`retinue: recorded as ${run.sessionId}\n`);
        return shown;
      };
      const exitCode = await work({ retinue, signal, show });
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
    // Ctrl-D is no answer, and none will come any more.
    const left = new AbortController();
    terminal.once("close", () => left.abort());
    try {
      return await terminal.question(question, { signal: AbortSignal.any([signal, left.signal]) });
    } finally {
      terminal.close();
    }
  };
