/**
 * A retinue at work for one command: a person's Ctrl-C cancels what runs, other signals and a reader that went away leave it open, questions
 * are asked at the terminal where there is one, and everything is let go of at the end.
 */
import type { Approver, RunHandle } from "@retinue/engine";
import type { SessionId, ToolEffect } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createInterface } from "node:readline/promises";
import type { Retinue, RetinueOptions } from "../create-retinue.ts";
import type { Settings } from "../settings/settings.ts";
import type { Ask } from "./ask-approval.ts";
import { createApprover } from "./ask-approval.ts";
import { EXIT } from "./exit-code.ts";
import { screenOf } from "./output.ts";
import { formatError } from "./format-error.ts";
import { formatLeftOut, formatSources } from "./format-left-out.ts";
import { hangUpWith } from "./hang-up.ts";
import type { Interrupts } from "./interrupts.ts";
import { listenForInterrupts } from "./interrupts.ts";
import { canLive } from "./live/can-live.ts";
import type { LiveStatus } from "./live/live-status.ts";
import { createLiveStatus } from "./live/live-status.ts";
import type { LivingRuns } from "./live/living-runs.ts";
import { createLivingRuns } from "./live/living-runs.ts";
import { commandSource } from "./reach/command-source.ts";
import { shortId } from "./record/find-session.ts";
import type { View } from "./show-run.ts";
import { offlineNotice, showRun } from "./show-run.ts";
import { showUntilParked } from "./show-until-parked.ts";
import type { Surroundings } from "./surroundings.ts";
import { tellOutages } from "./tell-outages.ts";
import { tellProblem } from "./tell-problem.ts";
import { dropTypeAhead } from "./type-ahead.ts";

export type WorkOptions = {
  readonly workspace: string;
  readonly settings: Settings;
  readonly view: View;
  /** Answers what it can itself; where a person is there, the rest is asked. */
  readonly approver?: (ask: Approver | undefined) => Approver;
  /** Outages are told where the view does not show them: always unless it is text. */
  readonly tellsOutages?: boolean;
  /** In addition, for `createRetinue`. */
  readonly more?: Pick<RetinueOptions, "agents" | "browser" | "desktop" | "model" | "store" | "tap" | "tools">;
};

export type AtWork = {
  readonly retinue: Retinue;
  /** Aborted when a person cancels. */
  readonly signal: AbortSignal;
  /** Shows the run, in its own way where one is given, and gives the exit code; that of a run that parks is `waiting`. */
  readonly show: (run: RunHandle, inItsWay?: (run: RunHandle) => Promise<number>) => Promise<number>;
  /** Names the session should the process end before it has settled, for who wants to go on with it. */
  readonly began: (run: RunHandle) => void;
  /** Those of the command; what is written to stderr stays clear of the line that lives. */
  readonly surroundings: Surroundings;
  readonly effectOf: (tool: string) => ToolEffect | undefined;
  /** The line that lives, and the runs that it can tell of; absent where there is no terminal. */
  readonly status: LiveStatus | undefined;
  readonly living: LivingRuns | undefined;
};

/** Gives the exit code of `work`, or that of the signal that ended it. */
export const workWith = async (
  { workspace, settings, view, approver, tellsOutages = view.type !== "text", more = {} }: WorkOptions,
  given: Surroundings,
  work: (at: AtWork) => Promise<number>,
): Promise<number> => {
  const status = view.type === "text" && canLive(given) ? createLiveStatus(given.stderr, given.env) : undefined;
  const surroundings = status ? { ...given, stderr: status.output } : given;
  const living = status && createLivingRuns(status);
  const { stdin, stdout, stderr, env } = surroundings;
  const interrupts = listenForInterrupts(
    () => void stderr.write(`${stderr.isTerminal ? "\n" : ""}retinue: stopping; once more to leave at once.\n`),
  );
  const leave = AbortSignal.any([interrupts.left, stdout.closed]);
  const unwatch = hangUpWith(stdin, interrupts);
  const open = new Set<SessionId>();
  try {
    const ask =
      stdin.isTTY === true && stderr.isTerminal
        ? createApprover({
            ask: withoutStatus(createAsk(surroundings, interrupts), status),
            redact: surroundings.redact,
            screen: () => screenOf(stderr),
            readDiff: async (act) => (await import("@retinue/tools")).readPlannedDiff(act, workspace),
          })
        : undefined;
    const answers = approver ? approver(ask) : ask;
    const { createRetinue } = await import("../create-retinue.ts");
    const retinue = await createRetinue({
      workspace,
      settings,
      env,
      ...more,
      source: commandSource(),
      onProblem: tellProblem(surroundings),
      ...(tellsOutages && { onOutage: tellOutages(surroundings) }),
      ...(answers === undefined ? {} : { approver: answers }),
    });
    const effectOf = (tool: string): ToolEffect | undefined => retinue.tools.get(tool)?.effect;
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= retinue.close());
    /** What fails here is thrown where the end of it is awaited. */
    const onLeave = (): void => void close().catch(() => undefined);
    leave.addEventListener("abort", onLeave, { once: true });
    const began = ({ sessionId, outcome }: RunHandle): void => {
      open.add(sessionId);
      void outcome.then(() => open.delete(sessionId)).catch(() => undefined);
    };
    try {
      await stderr.write(formatLeftOut(retinue, surroundings.redact));
      if (view.type === "text") await stderr.write(formatSources(retinue, surroundings.redact));
      if (view.type === "text") await stderr.write(offlineNotice(retinue.model));
      const showWhole = async (run: RunHandle): Promise<number> => {
        const exitCode = await showRun(run, view, { status, effectOf }, surroundings);
        if (view.type === "text") await stderr.write(`retinue: recorded as ${run.sessionId}\n`);
        await stdout.flush();
        return stdout.closed.aborted ? EXIT.unread : exitCode;
      };
      const show: AtWork["show"] = (run, inItsWay = showWhole) => {
        began(run);
        return showUntilParked(run, { view, show: inItsWay, approvals: retinue.live.approvals, letGo: close }, surroundings);
      };
      const exitCode = leave.aborted
        ? EXIT.unread
        : await work({ retinue, signal: interrupts.cancelled, show, began, surroundings, effectOf, status, living });
      return interrupts.exitCode() ?? exitCode;
    } catch (thrown) {
      if (!leave.aborted) throw thrown;
      const isLeft = thrown instanceof RetinueError && thrown.code === "run_left_open";
      if (!isLeft && interrupts.exitCode() === undefined) throw thrown;
      if (!isLeft) await stderr.write(formatError(thrown, surroundings.redact, env));
      return interrupts.exitCode() ?? EXIT.unread;
    } finally {
      leave.removeEventListener("abort", onLeave);
      await close();
      for (const sessionId of open)
        await stderr.write(`retinue: left open; retinue sessions resume ${shortId(sessionId)} goes on.\n`);
    }
  } finally {
    unwatch();
    interrupts.release();
  }
};

const withoutStatus =
  (ask: Ask, status: LiveStatus | undefined): Ask =>
  (question, signal) =>
    status ? status.without(() => ask(question, signal)) : ask(question, signal);

const DROPPED = "\nretinue: what was typed before this question is not taken for an answer.\n";

/** The terminal is held only while it asks. */
const createAsk =
  ({ stdin }: Surroundings, interrupts: Interrupts): Ask =>
  async ({ shown, prompt }, signal) => {
    if (await dropTypeAhead(stdin, signal, () => interrupts.raise("SIGINT"))) process.stderr.write(DROPPED);
    // Above the line that is typed in, so that the terminal draws nothing of it again with each key.
    process.stderr.write(shown);
    const terminal = createInterface({ input: stdin, output: process.stderr, terminal: true });
    terminal.on("SIGINT", () => interrupts.raise("SIGINT"));
    // Ctrl-D is no answer, and none will come any more.
    const left = new AbortController();
    terminal.once("close", () => left.abort());
    try {
      return await terminal.question(prompt, { signal: AbortSignal.any([signal, left.signal]) });
    } finally {
      terminal.close();
    }
  };
