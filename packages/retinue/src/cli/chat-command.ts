/**
 * `retinue` alone: a prompt in the terminal. Each line is a turn of one session; Ctrl-C cancels the turn, Ctrl-D leaves.
 * Piped input works the same way, a turn a line, without the prompt.
 */
import type { RunHandle } from "@retinue/engine";
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { realpath } from "node:fs/promises";
import type { Interface } from "node:readline/promises";
import { createInterface } from "node:readline/promises";
import { toPrintable } from "../terminal/printable.ts";
import type { Ask } from "./ask-approval.ts";
import { createApprover } from "./ask-approval.ts";
import { screenOf } from "./output.ts";
import { EXIT, errorExitCode } from "./exit-code.ts";
import { formatError } from "./format-error.ts";
import { formatLeftOut, formatSources } from "./format-left-out.ts";
import { readHistory, writeHistory } from "./history.ts";
import { hangUpWith } from "./hang-up.ts";
import type { Interrupts } from "./interrupts.ts";
import { listenForInterrupts } from "./interrupts.ts";
import type { Flagged, SessionOptions } from "./session-options.ts";
import { loadSessionSettings } from "./session-options.ts";
import { commandSource } from "./reach/command-source.ts";
import { shortId } from "./record/find-session.ts";
import { offlineNotice, showTurn } from "./show-run.ts";
import { showUntilParked } from "./show-until-parked.ts";
import type { SlashContext } from "./slash-command.ts";
import { obey } from "./slash-command.ts";
import type { Surroundings } from "./surroundings.ts";
import { tellProblem } from "./tell-problem.ts";
import { untilNobodyTypes } from "./type-ahead.ts";
import { readVersion } from "./version.ts";

export const chatCommand = async (options: SessionOptions, surroundings: Surroundings): Promise<number> => {
  const { stdin, stdout, stderr, env, redact } = surroundings;
  const { settings, workspace, home, flagged } = await loadSessionSettings(options, surroundings);
  const isTerminal = stdin.isTTY === true && stdout.isTerminal;

  let interrupts: Interrupts | undefined;
  if (isTerminal) hangUpWith(stdin, { raise: (name) => interrupts?.raise(name), exitCode: () => interrupts?.exitCode() });
  const terminal = createInterface({
    input: stdin,
    ...(isTerminal && { output: process.stdout, history: await readHistory(home), historySize: 1000 }),
    terminal: isTerminal,
    prompt: "> ",
  });
  // Asked for before anything is awaited: lines that come earlier than their listener would be lost.
  const lines = terminal[Symbol.asyncIterator]();
  let isAsking = false;
  const ask: Ask = async ({ shown, prompt }, signal) => {
    await untilNobodyTypes(stdin, { signal });
    // A line that was begun before the question goes on after it.
    const begun = terminal.line;
    eraseLine(terminal);
    process.stdout.write(shown);
    isAsking = true;
    try {
      return await terminal.question(prompt, { signal });
    } finally {
      isAsking = false;
      if (begun !== "") terminal.write(begun);
    }
  };

  const { createRetinue } = await import("../create-retinue.ts");
  const retinue = await createRetinue({
    workspace,
    settings,
    env,
    source: commandSource(),
    onProblem: tellProblem(surroundings),
    ...(isTerminal && {
      approver: createApprover({
        ask,
        redact,
        screen: () => screenOf(stdout),
        readDiff: async (act) => (await import("@retinue/tools")).readPlannedDiff(act, workspace),
      }),
    }),
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= retinue.close());
  const folder = await realpath(workspace);
  const { readFolderCommands } = await import("../folder-commands.ts");
  const files = await readFolderCommands({ folder, settings, env });
  const context: SlashContext = { retinue, workspace: folder, conversation: {}, surroundings, files };
  if (isTerminal) {
    terminal.on("SIGINT", () => (interrupts ? interrupts.raise("SIGINT") : clearLine(terminal, stderr)));
    terminal.on("history", (history: string[]) => {
      // Answers to questions are no turns.
      if (isAsking) history.shift();
      void writeHistory(home, history);
    });
  }
  await stderr.write(
    isTerminal ? `Retinue ${readVersion()}, ${toPrintable(retinue.model, "line")}. /help tells what can be done here.\n` : "",
  );
  await stderr.write(formatLeftOut(retinue, redact));
  await stderr.write(formatSources(retinue, redact));
  await stderr.write(offlineNotice(retinue.model));

  /** Of the last turn that did not end well. At a prompt the user has seen it, so leaving is no failure. */
  let exitCode: number = EXIT.done;
  try {
    for await (const task of readTurns(lines, (text) => isTerminal && showPrompt(terminal, text))) {
      const turn = await toTurn(task, context);
      if (turn === "leave") return exitCode;
      if (typeof turn === "number") {
        if (turn !== EXIT.done && !isTerminal) exitCode = turn;
        continue;
      }
      interrupts = listenForInterrupts((name) => {
        const what = name === "SIGINT" ? "cancelling the turn" : "leaving the turn open";
        void stderr.write(`\nretinue: ${what}; once more to leave at once.\n`);
      });
      const leave = AbortSignal.any([interrupts.left, stdout.closed]);
      /** What fails here is thrown where the end of it is awaited. */
      const onLeave = (): void => void close().catch(() => undefined);
      leave.addEventListener("abort", onLeave, { once: true });
      try {
        const code = await takeTurn(turn, { ...context, options, flagged, signal: interrupts.cancelled, close });
        if (code === EXIT.waiting) return code;
        if (code !== EXIT.done && !isTerminal) exitCode = code;
      } finally {
        interrupts.release();
        leave.removeEventListener("abort", onLeave);
      }
      const stopped = interrupts.exitCode();
      interrupts = undefined;
      // In a script an interrupt is meant for all of it, at a prompt for the turn.
      if (stopped !== undefined && (!isTerminal || stopped !== EXIT.interrupted)) return stopped;
      if (stdout.closed.aborted) return EXIT.unread;
    }
    if (isTerminal) await stdout.write("\n");
    return exitCode;
  } finally {
    terminal.close();
    await close();
  }
};

/** Turns as they come: lines put together where they end in a backslash, empty ones left out. */
async function* readTurns(lines: AsyncIterator<string>, prompt: (text: string) => void): AsyncGenerator<string> {
  let turn = "";
  prompt("> ");
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    const isOpen = next.value.endsWith("\\");
    turn += isOpen ? `${next.value.slice(0, -1)}\n` : next.value;
    if (!isOpen) {
      if (turn.trim() !== "") yield turn.trim();
      turn = "";
    }
    prompt(isOpen ? "… " : "> ");
  }
  if (turn.trim() !== "") yield turn.trim();
}

const showPrompt = (terminal: Interface, text: string): void => {
  terminal.setPrompt(text);
  // What was begun stays where it is, with the cursor at its end.
  terminal.prompt(true);
};

/** Ctrl-C while nothing runs. */
const clearLine = (terminal: Interface, stderr: Surroundings["stderr"]): void => {
  if (terminal.line === "") {
    void stderr.write("\n(Ctrl-D or /exit leaves.)\n");
    terminal.prompt();
    return;
  }
  eraseLine(terminal);
};

/** As by the keys: to the end of the line, then delete up to there. */
const eraseLine = (terminal: Interface): void => {
  if (terminal.line === "") return;
  terminal.write(null, { ctrl: true, name: "e" });
  terminal.write(null, { ctrl: true, name: "u" });
};

/** What a line asks for; a number is how it went where nothing is left to do. */
const toTurn = async (line: string, context: SlashContext): Promise<Turn | "leave" | number> => {
  if (!line.startsWith("/")) return { type: "task", text: line };
  try {
    const obeyed = await obey(line, context);
    if (obeyed.type === "resume" || obeyed.type === "task") return obeyed;
    return obeyed.type === "leave" ? "leave" : EXIT.done;
  } catch (thrown) {
    return tellError(thrown, context.surroundings);
  }
};

/** A turn is a task, by the session's agent or by another beside it, or the rest of a session that was cut off. */
type Turn =
  | { readonly type: "task"; readonly text: string; readonly agent?: string }
  | { readonly type: "resume"; readonly sessionId: SessionId };

type TurnContext = SlashContext & {
  readonly options: SessionOptions;
  readonly flagged: Flagged;
  readonly signal: AbortSignal;
  readonly close: () => Promise<void>;
};

const startTurn = (turn: Turn, { retinue, conversation, options, flagged, signal }: TurnContext): Promise<RunHandle> => {
  if (turn.type === "resume") return retinue.resume(turn.sessionId, { signal });
  if (turn.agent !== undefined) return retinue.run(turn.text, { signal, ...flagged, agent: turn.agent });
  const agent = options.agent ?? conversation.agent;
  const { forkFrom, sessionId, model } = conversation;
  const run = { signal, ...flagged, ...(agent !== undefined && { agent }), ...(model !== undefined && { model }) };
  if (forkFrom) return retinue.fork(forkFrom, { task: turn.text, ...run });
  return retinue.run(turn.text, { ...run, ...(sessionId !== undefined && { sessionId }) });
};

const takeTurn = async (turn: Turn, context: TurnContext): Promise<number> => {
  const { conversation, surroundings, retinue, close } = context;
  try {
    const run = await startTurn(turn, context);
    // An agent that a command names works beside the session.
    if (turn.type === "resume" || turn.agent === undefined) {
      conversation.sessionId = run.sessionId;
      delete conversation.forkFrom;
    }
    const view = { type: "text" } as const;
    const show = (one: RunHandle): Promise<number> => showTurn(one, surroundings);
    return await showUntilParked(run, { view, show, approvals: retinue.live.approvals, letGo: close }, surroundings);
  } catch (thrown) {
    const { sessionId } = conversation;
    if (thrown instanceof RetinueError && thrown.code === "run_left_open" && sessionId !== undefined) {
      await surroundings.stderr.write(`retinue: left open; retinue sessions resume ${shortId(sessionId)} goes on.\n`);
      return EXIT.failed;
    }
    const code = await tellError(thrown, surroundings);
    // A model that cannot be had is not kept, or every turn would fail.
    const isAboutModel = thrown instanceof RetinueError && (thrown.code === "model_unknown" || thrown.code === "key_missing");
    if (isAboutModel) delete conversation.model;
    return code;
  }
};

/** The prompt goes on after an error. */
const tellError = async (thrown: unknown, { stderr, redact, env }: Surroundings): Promise<number> => {
  await stderr.write(formatError(thrown, redact, env));
  return thrown instanceof RetinueError ? errorExitCode(thrown.code) : EXIT.failed;
};
